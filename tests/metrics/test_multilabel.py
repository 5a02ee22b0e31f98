from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.metrics import hamming_loss, jaccard_score
from sklearn.model_selection import KFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier

from labelief import LabelSets
from labelief.metrics import (
    ScoreInterval,
    hamming_score,
    hamming_scorer,
    multilabel_accuracy,
    multilabel_accuracy_scorer,
)

RNG = np.random.default_rng(0)
Y = (RNG.random((60, 5)) < 0.4).astype(float)
GUESS = np.where(RNG.random(Y.shape) < 0.2, 1 - Y, Y)
SCORES = [multilabel_accuracy, hamming_score]


def with_gaps(y, share, seed):
    return np.where(np.random.default_rng(seed).random(y.shape) < share, np.nan, y)


def completions(row):
    gaps = np.flatnonzero(np.isnan(row))
    for filling in product([0.0, 1.0], repeat=gaps.size):
        full = row.copy()
        full[gaps] = filling
        yield full


def test_decided_labels_give_the_scores_of_scikit_learn():
    weights = RNG.random(60)
    for sample_weight in (None, weights):
        accuracy = multilabel_accuracy(Y, GUESS, sample_weight)
        expected = jaccard_score(
            Y, GUESS, average="samples", zero_division=1.0, sample_weight=sample_weight
        )
        assert accuracy.lower == pytest.approx(expected)
        assert accuracy.upper == accuracy.lower == accuracy.middle
        expected = 1 - hamming_loss(Y, GUESS, sample_weight=sample_weight)
        assert hamming_score(Y, GUESS, sample_weight).middle == pytest.approx(expected)


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("gaps", [(0.4, 0.0), (0.0, 0.4), (0.4, 0.4)], ids=str)
def test_bounds_are_reached_by_some_completion(score, gaps):
    truth, guess = with_gaps(Y, gaps[0], 1), with_gaps(GUESS, gaps[1], 2)
    lower, upper = [], []
    for row, guessed in zip(truth, guess, strict=True):
        values = [
            score([one], [two]).lower for one in completions(row) for two in completions(guessed)
        ]
        lower.append(min(values))
        upper.append(max(values))
    got = score(truth, guess)
    assert got.lower == pytest.approx(np.mean(lower))
    assert got.upper == pytest.approx(np.mean(upper))
    assert got.middle == pytest.approx((got.lower + got.upper) / 2)
    weights = RNG.random(60)
    assert score(truth, guess, weights).upper == pytest.approx(np.average(upper, weights=weights))


@pytest.mark.parametrize("score", SCORES)
def test_weights_count_rows(score):
    truth = with_gaps(Y, 0.3, 3)
    counts = RNG.integers(0, 3, size=60)
    repeated = score(np.repeat(truth, counts, axis=0), np.repeat(GUESS, counts, axis=0))
    assert score(truth, GUESS, counts).lower == pytest.approx(repeated.lower)
    assert score(truth, GUESS, counts).upper == pytest.approx(repeated.upper)


@pytest.mark.parametrize("score", SCORES)
def test_confidence_is_a_mean_over_focal_sets(score):
    truth, c = with_gaps(Y, 0.3, 5), RNG.random(60)
    got = score(LabelSets.from_matrix(truth, c), GUESS)
    said = [score([one], [two]) for one, two in zip(truth, GUESS, strict=True)]
    open_ = [score([np.full(5, np.nan)], [two]) for two in GUESS]
    for end in ("lower", "upper"):
        one, two = (np.array([getattr(s, end) for s in part]) for part in (said, open_))
        assert getattr(got, end) == pytest.approx(np.mean(c * one + (1 - c) * two))


def test_by_hand():
    assert multilabel_accuracy([[0, 0]], [[0, 0]]) == ScoreInterval(1.0, 1.0)
    assert multilabel_accuracy([[np.nan, 0]], [[0, 0]]) == ScoreInterval(0.0, 1.0)
    assert multilabel_accuracy([[np.nan, 1, 1]], [[1, 1, 0]]) == ScoreInterval(1 / 3, 2 / 3)
    assert hamming_score([[np.nan, 1, 1, 0]], [[1, 1, 0, np.nan]]) == ScoreInterval(0.25, 0.75)


def test_frames_are_matched_by_name():
    truth = pd.DataFrame(Y[:, :3], columns=["a", "b", "c"])
    guess = pd.DataFrame(GUESS[:, :3], columns=["a", "b", "c"])
    assert hamming_score(truth, guess[["c", "a", "b"]]) == hamming_score(Y[:, :3], GUESS[:, :3])
    assert hamming_score(truth, GUESS[:, :3]) == hamming_score(Y[:, :3], GUESS[:, :3])
    with pytest.raises(ValueError, match="y_pred and the classes"):
        hamming_score(truth, guess.rename(columns={"a": "z"}))


@pytest.mark.parametrize("score", SCORES)
def test_what_does_not_fit_is_refused(score):
    with pytest.raises(ValueError, match="y has shape \\(60, 5\\), but y_pred \\(59, 5\\)"):
        score(Y, GUESS[1:])
    with pytest.raises(ValueError, match=r"y_pred holds 0\.5 in row 3"):
        score(Y, np.where(np.arange(60)[:, None] == 3, 0.5, GUESS))
    with pytest.raises(ValueError, match="y has no rows"):
        score(Y[:0], GUESS[:0])
    with pytest.raises(ValueError, match="sample_weight"):
        score(Y, GUESS, np.ones(3))


@pytest.mark.parametrize(
    ("scorer", "score"),
    [(multilabel_accuracy_scorer, multilabel_accuracy), (hamming_scorer, hamming_score)],
)
def test_scorers_take_undecided_labels(scorer, score):
    X = RNG.normal(size=(60, 2))
    model = KNeighborsClassifier(3).fit(X, Y)
    truth = with_gaps(Y, 0.3, 4)
    assert scorer(model, X, truth) == score(truth, model.predict(X)).middle
    weights = RNG.random(60)
    assert scorer(model, X, truth, sample_weight=weights) == pytest.approx(
        score(truth, model.predict(X), weights).middle
    )
    folds = cross_val_score(
        DummyClassifier(strategy="constant", constant=np.ones(5)), X, Y, cv=KFold(3), scoring=scorer
    )
    assert folds.mean() < 0.5
