"""Bootstrap intervals of what a channel has learned."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tests.channels.crowds import some_matrices, vote

from labelief import (
    AnnotatorNoise,
    DawidSkene,
    FlipNoise,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    SoftLabels,
    Votes,
)
from labelief.audit import channel_intervals


def flipped(n=400, rate=0.2, seed=0, apart=3.0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n)
    X = rng.normal(size=(n, 2)) + apart * truth[:, None]
    return X, truth, np.where(rng.random(n) < rate, 1 - truth, truth)


def crowd(n=300, A=4, seed=0, answered=0.7):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n)
    X = rng.normal(size=(n, 2)) + 2.5 * np.array([[0, 0], [1, 0], [0, 1]])[truth]
    matrices = some_matrices(A, 3, rng)
    return X, truth, matrices, vote(truth, matrices, rng, answered)


def intervals(*arguments, **options):
    return channel_intervals(*arguments, n_resamples=25, random_state=0, **options)


@pytest.mark.parametrize("channel", [FlipNoise(), FlipNoise("symmetric")])
@pytest.mark.parametrize("estimator", [LinearDiscriminantAnalysis, LogisticRegression])
def test_flip_rates(estimator, channel):
    X, _, seen = flipped()
    model = estimator(channel=channel).fit(X, seen)
    found = intervals(model, X, seen)
    assert len(found) == 4 and found.annotator.tolist() == [None] * 4
    assert found.true_class.tolist() == [0, 0, 1, 1] and found.answer.tolist() == [0, 1, 0, 1]
    np.testing.assert_array_equal(found.estimate, model.channel_.matrix_.ravel())
    assert np.all(found.low <= found.estimate) and np.all(found.estimate <= found.high)
    assert np.all(found.low < 0.21) or found.low[0] > 0.7
    assert np.all((found.high - found.low > 0.02) & (found.high - found.low < 0.2))
    p = model.predict_proba(X)
    share = p.mean(axis=0)
    counted = p * np.maximum(1 - p * (1 - p) / (share * (1 - share)), 0)
    np.testing.assert_allclose(found.n_effective, np.repeat(counted.sum(axis=0), 2))
    assert not found.weak.any()
    assert "4 entries at level 0.95 from 25 resamples, 0 weakly" in repr(found)


def test_width_is_the_binomial_one_where_the_truth_is_plain():
    # Classes far apart: the matrix is a table of counts, and its error that of a proportion.
    X, truth, seen = flipped(n=600, apart=30.0)
    model = LinearDiscriminantAnalysis(channel=FlipNoise()).fit(X, seen)
    found = channel_intervals(model, X, seen, level=0.9, n_resamples=200, random_state=1)
    n = np.bincount(truth)
    p = found.estimate[[0, 3]]
    expected = 2 * 1.645 * np.sqrt(p * (1 - p) / n)
    np.testing.assert_allclose((found.high - found.low)[[0, 3]], expected, rtol=0.2)


def known_by_loops(model, X, votes):
    """Count items by how well all but the annotator's own vote tell their class."""
    gamma, share = model.channel_.matrices_, model.posterior(X, votes).mean(axis=0)
    log_proba = model.predict_log_proba(X)
    out = np.zeros(gamma.shape[:2])
    for i in range(len(votes)):
        on = slice(votes.indptr[i], votes.indptr[i + 1])
        who, said = votes.annotator_codes[on], votes.label_codes[on]
        for a in who:
            logs = log_proba[i].copy()
            for b, s in zip(who, said, strict=True):
                if b != a:
                    logs += np.log(gamma[b, :, s])
            p = np.exp(logs - np.logaddexp.reduce(logs))
            out[a] += p * np.maximum(1 - p * (1 - p) / (share * (1 - share)), 0)
    return out


@pytest.mark.parametrize("kind", ["full", "one_coin", "shared"])
def test_annotators(kind):
    X, _, matrices, votes = crowd()
    model = LinearDiscriminantAnalysis(channel=AnnotatorNoise(kind)).fit(X, votes)
    before = model.channel_.matrices_.copy()
    found = intervals(model, X, votes)
    assert len(found) == 4 * 9
    np.testing.assert_array_equal(model.channel_.matrices_, before)
    frame = found.to_frame()
    assert list(frame.columns)[:3] == ["annotator", "true_class", "answer"]
    row = frame.iloc[9 + 3 + 2]
    assert (row["annotator"], row["true_class"], row["answer"]) == ("a01", 1, 2)
    assert row["estimate"] == pytest.approx(before[1, 1, 2])
    np.testing.assert_allclose(
        found.n_effective.reshape(4, 3, 3)[:, :, 1], known_by_loops(model, X, votes), rtol=1e-6
    )
    if kind == "full":
        inside = (found.low <= matrices.ravel()) & (matrices.ravel() <= found.high)
        assert inside.mean() > 0.8
    polars = found.to_frame("polars")
    assert polars.shape == (36, 8)


def test_votes_alone():
    _, _, _, votes = crowd()
    model = DawidSkene().fit(votes)
    before, n_iter = model.matrices_.copy(), model.n_iter_
    found = intervals(model, None, votes)
    np.testing.assert_array_equal(model.matrices_, before)
    assert model.n_iter_ == n_iter and not model.warm_start
    np.testing.assert_array_equal(found.estimate, before.ravel())
    assert np.all(found.high > found.low)


def test_weak_entries_are_named():
    X, _, _, votes = crowd()
    table = {
        "i": np.append(votes.item_codes, [0, 1]),
        "a": np.append(votes.annotators[votes.annotator_codes], ["new", "new"]),
        "l": np.append(votes.label_codes, [0, 1]),
    }
    more = Votes(table, "i", "a", "l", items=range(len(votes)))
    model = LinearDiscriminantAnalysis(channel=AnnotatorNoise()).fit(X, more)
    with pytest.warns(UserWarning, match=r"3 of 15 rows .* annotator 'new', true class") as caught:
        found = intervals(model, X, more)
    assert "effective observations; right between" in str(caught[0].message)
    weak = found.weak.reshape(5, 9)
    np.testing.assert_array_equal(weak.all(axis=1), [False] * 4 + [True])
    np.testing.assert_array_equal(weak.any(axis=1), [False] * 4 + [True])


def test_flips_that_the_data_cannot_tell_are_weak():
    # One cloud, two names: which class flips to which is anybody's guess.
    rng = np.random.default_rng(1)
    X = rng.normal(size=(40, 1))
    seen = rng.integers(0, 2, 40)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = LogisticRegression(channel=FlipNoise()).fit(X, seen)
    with pytest.warns(UserWarning, match=r"weakly identified: true class"):
        found = intervals(model, X, seen)
    assert found.weak.any()


def test_what_is_no_observation_does_not_count():
    X, _, seen = flipped(apart=20.0)
    labels = np.where(np.arange(400) < 100, None, seen)
    soft = SoftLabels.from_crisp(labels).with_verified(np.arange(400) >= 300)
    model = LinearDiscriminantAnalysis(channel=FlipNoise()).fit(X, soft)
    found = intervals(model, X, soft)
    assert found.n_effective[[0, 3]].sum() == pytest.approx(200, rel=0.02)
    # A set of all classes is no vote, and a lone vote on a verified item a whole one.
    table = {"i": [0, 0, 1, 2], "a": ["x", "y", "x", "x"], "l": [0, (0, 1), 1, 1]}
    votes = Votes(table, "i", "a", "l", verified={0: 0, 1: 1})
    with pytest.warns(UserWarning, match="annotator 'y'"):
        found = intervals(DawidSkene().fit(votes), None, votes)
    counts = found.n_effective.reshape(2, 2, 2)[:, :, 0]
    np.testing.assert_allclose(counts[1], 0)
    np.testing.assert_allclose(counts[0], 1, atol=0.2)


def test_groups_are_drawn_together():
    # Each row ten times over: ten times the rows, and no more certainty.
    X, _, seen = flipped(n=150)
    many = np.repeat(np.arange(150), 10)
    model = LinearDiscriminantAnalysis(channel=FlipNoise())
    once = channel_intervals(model.fit(X, seen), X, seen, n_resamples=60, random_state=2)
    model.fit(X[many], seen[many])
    loose = channel_intervals(model, X[many], seen[many], n_resamples=60, random_state=2)
    tied = channel_intervals(
        model, X[many], seen[many], n_resamples=60, random_state=2, groups=many
    )
    width = [np.mean(found.high - found.low) for found in (once, loose, tied)]
    assert width[1] < 0.55 * width[0]
    assert width[2] == pytest.approx(width[0], rel=0.3)
    with pytest.raises(ValueError, match="groups has 3 entries"):
        intervals(model, X, seen, groups=[0, 1, 2])


def test_weights_count_rows():
    X, _, seen = flipped(n=200, apart=20.0)
    weights = np.random.default_rng(3).integers(0, 3, 200)
    model = LinearDiscriminantAnalysis(channel=FlipNoise()).fit(X, seen, weights)
    found = intervals(model, X, seen, sample_weight=weights)
    assert found.n_effective[[0, 3]].sum() == pytest.approx(weights.sum(), rel=0.02)


def test_pipelines_and_seeds():
    X, _, seen = flipped()
    pipe = make_pipeline(StandardScaler(), LinearDiscriminantAnalysis(channel=FlipNoise()))
    pipe.fit(X, seen)
    one, two = intervals(pipe, X, seen), intervals(pipe, X, seen)
    pd.testing.assert_frame_equal(one.to_frame(), two.to_frame())
    alone = intervals(LinearDiscriminantAnalysis(channel=FlipNoise()).fit(X, seen), X, seen)
    np.testing.assert_allclose(one.low, alone.low, atol=1e-6)


@pytest.mark.parametrize(
    ("options", "message"),
    [({"level": 1.0}, "level must be"), ({"n_resamples": 1}, "n_resamples must be")],
)
def test_settings_refused(options, message):
    X, _, seen = flipped()
    model = LinearDiscriminantAnalysis(channel=FlipNoise()).fit(X, seen)
    with pytest.raises(ValueError, match=message):
        channel_intervals(model, X, seen, **options)


def test_a_channel_that_learns_nothing_has_no_intervals():
    X, truth, seen = flipped()
    for channel in (None, FlipNoise(matrix=[[0.8, 0.2], [0.2, 0.8]])):
        model = LinearDiscriminantAnalysis(channel=channel).fit(X, seen)
        with pytest.raises(ValueError, match="has learned no flip rates"):
            channel_intervals(model, X, truth)


@pytest.mark.slow
@pytest.mark.parametrize("what", ["flips", "annotators", "votes alone"])
def test_intervals_hold_the_truth_as_often_as_they_say(what):
    inside = []
    for seed in range(25):
        if what == "flips":
            X, _, y = flipped(n=300, rate=0.25, seed=seed, apart=1.5)
            true = np.array([0.75, 0.25, 0.25, 0.75])
            model = LinearDiscriminantAnalysis(channel=FlipNoise(), max_iter=1000)
        else:
            X, _, matrices, y = crowd(n=300, A=5, seed=seed, answered=0.8)
            true = matrices.ravel()
            model = LinearDiscriminantAnalysis(channel=AnnotatorNoise(), max_iter=1000)
            if what == "votes alone":
                model, X = DawidSkene(max_iter=1000), None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(y) if X is None else model.fit(X, y)
            found = channel_intervals(model, X, y, 0.9, n_resamples=80, random_state=seed)
        inside.append(np.mean((found.low <= true) & (true <= found.high)))
    assert 0.84 <= np.mean(inside) <= 0.97
