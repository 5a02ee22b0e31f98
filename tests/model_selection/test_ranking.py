"""rank_models: the sure order, the total order, paired differences, the table."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import KFold
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC
from tests.metrics.fakes import CentroidClassifier

from labelief.labels import SoftLabels
from labelief.model_selection import cross_validate_interval, rank_models

X, TRUTH = load_iris(return_X_y=True)


class Fixed(ClassifierMixin, BaseEstimator):
    """Predicts what stands in its table, looked up by the first feature."""

    def __init__(self, table=()):
        self.table = table

    def fit(self, X, y):
        self.classes_ = np.unique(self.table)
        return self

    def predict(self, X):
        return np.asarray(self.table)[np.asarray(X)[:, 0].astype(int)]


ROWS = np.arange(10.0)[:, None]
# 6 rows surely a, 4 unknown
HALF_KNOWN = SoftLabels.from_crisp(["a"] * 6 + [None] * 4, classes=["a", "b"])


def _predictions(wrong):
    """Predict b in so many of the known rows."""
    return ["b"] * wrong + ["a"] * (10 - wrong)


def test_sure_order_then_pessimism():
    models = {
        "bad": Fixed(_predictions(6)),
        "good": Fixed(_predictions(0)),
        "fair": Fixed(_predictions(3)),
    }
    ranking = rank_models(models, ROWS, HALF_KNOWN, cv=KFold(2))
    assert ranking.names == ("good", "fair", "bad")
    # good: 0 to 0.4, fair 0.3 to 0.7, bad 0.6 to 1
    sure = {
        (a, b)
        for i, a in enumerate(ranking.names)
        for j, b in enumerate(ranking.names)
        if ranking.surely_beats[i, j]
    }
    assert sure == {("good", "bad")}
    assert ranking.undominated == ("good", "fair")
    assert ranking.expected == pytest.approx([0.2, 0.5, 0.8])
    assert rank_models(
        models, ROWS, HALF_KNOWN, cv=KFold(2), pessimism=1
    ).expected == pytest.approx([0.4, 0.7, 1.0])
    assert ranking.gap == pytest.approx([0, 0.3, 0.6])


def test_pessimism_can_turn_the_order():
    # one class is claimed by nested sets, the other by single classes
    y = SoftLabels.from_masses([{("a",): 0.45, ("b", "c"): 0.55}] * 10, ["a", "b", "c"])
    models = {"b": Fixed(["b"] * 10), "a": Fixed(["a"] * 10)}
    assert rank_models(models, ROWS, y, cv=KFold(2), pessimism=0.0).names == ("b", "a")
    assert rank_models(models, ROWS, y, cv=KFold(2), pessimism=1.0).names == ("a", "b")


def test_expected_order_never_contradicts_the_sure_order():
    rng = np.random.default_rng(0)
    for _ in range(20):
        y = SoftLabels.from_candidates(
            [list(rng.choice(list("abc"), rng.integers(1, 3), replace=False)) for _ in range(10)],
            classes=["a", "b", "c"],
        )
        models = {str(i): Fixed(list(rng.choice(list("abc"), 10))) for i in range(5)}
        ranking = rank_models(models, ROWS, y, cv=KFold(2), pessimism=rng.uniform())
        assert not np.tril(ranking.surely_beats).any()


def test_same_folds_and_paired_differences():
    models = {"bayes": GaussianNB(), "centroid": CentroidClassifier(), "guess": DummyClassifier()}
    y = SoftLabels.from_confidences(TRUTH, 0.9)
    ranking = rank_models(models, X, y, cv=5)
    assert ranking.names[-1] == "guess"
    for name, model in models.items():
        alone = cross_validate_interval(model, X, y, cv=5)
        for field in ("lower", "upper", "lower_se", "label_log_loss", "confidence_interval"):
            assert getattr(ranking.results[name], field) == getattr(alone, field)
    losses = [
        (ranking.results[name].upper_losses + ranking.results[name].lower_losses) / 2
        for name in ranking.names
    ]
    assert ranking.gap_se == pytest.approx([stats.sem(loss - losses[0]) for loss in losses])
    assert ranking.gap == pytest.approx([np.mean(loss - losses[0]) for loss in losses])


def test_groups_widen_the_paired_difference():
    rows = np.repeat(np.arange(150), 4)
    models = {"bayes": GaussianNB(), "guess": DummyClassifier()}
    ranking = rank_models(models, X[rows], TRUTH[rows], 5, rows)
    alone = rank_models(models, X[rows], TRUTH[rows], 5)
    assert ranking.gap_se[1] > 1.8 * alone.gap_se[1]


def test_table():
    models = {"svm": LinearSVC(), "guess": DummyClassifier()}
    ranking = rank_models(models, X, TRUTH, cv=3)
    frame = ranking.to_frame()
    assert isinstance(frame, pd.DataFrame)
    assert frame["model"].tolist() == ["svm", "guess"]
    assert frame["surely_beaten_by"].tolist() == ["", "svm"]
    assert np.isnan(frame["label_log_loss"][0]) and frame["label_log_loss"][1] > 1
    assert isinstance(ranking.to_frame("polars"), pl.DataFrame)
    lines = repr(ranking).split("\n")
    assert len(lines) == 3
    assert lines[0].split()[:3] == ["model", "lower", "upper"]
    assert lines[1].startswith("svm") and lines[2].startswith("guess") and lines[2].endswith("svm")


def test_weights_reach_errors_and_differences():
    weights = np.r_[np.ones(100), np.full(50, 1e-9)]
    ranking = rank_models(
        {"bayes": GaussianNB(), "guess": DummyClassifier()}, X, TRUTH, cv=5, sample_weight=weights
    )
    assert ranking.results["bayes"].lower == pytest.approx(0, abs=1e-9)
    assert ranking.gap_se[1] > 0


def test_refusals():
    for models in ({}, [GaussianNB()], None):
        with pytest.raises(ValueError, match="models must be a dict"):
            rank_models(models, X, TRUTH)
    with pytest.raises(ValueError, match="pessimism"):
        rank_models({"bayes": GaussianNB()}, X, TRUTH, pessimism=2)
    y = SoftLabels.from_candidates([{0, 1}] * 75 + [{2}] * 75)
    with pytest.raises(ValueError, match="soft labels") as caught:
        rank_models({"plain": GaussianNB()}, X, y, cv=3)
    assert "while ranking the model 'plain'" in caught.value.__notes__


def test_estimates_are_handed_out_as_they_come():
    seen = []
    models = {"one": DummyClassifier(), "two": DummyClassifier(strategy="stratified")}
    ranking = rank_models(
        models, np.zeros((8, 1)), [0, 1] * 4, cv=2, callback=lambda *now: seen.append(now)
    )
    assert [name for name, _ in seen] == ["one", "two"]
    assert all(ranking.results[name] is estimate for name, estimate in seen)
