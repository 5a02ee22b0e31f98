"""The same fit with rows of NumPy, the strict array-API library and PyTorch."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from tests.integration import oracle

from labelief import (
    AnnotatorNoise,
    GenerativeClassifier,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    Votes,
)
from labelief.kernels.namespace import to_host

N_CLASSES = 3
CLOSE = {"rtol": 1e-6, "atol": 1e-8}


def fitted(model, X, y, weights=None):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X, y, weights)


def assert_same(model, X, expected, there, y):
    """Check all that two fits say: of themselves, and of rows row by row."""
    assert len(model.history_) == len(expected.history_)
    np.testing.assert_allclose(model.history_, expected.history_, rtol=1e-9)
    assert model.log_likelihood_ == pytest.approx(expected.log_likelihood_, rel=1e-9)
    for name in ("priors_", "weights_", "means_", "covariances_"):
        got = getattr(model, name)
        assert type(got) is np.ndarray
        np.testing.assert_allclose(got, getattr(expected, name), **CLOSE)
    for name in ("predict_proba", "predict_log_proba", "score_samples"):
        got = to_host(getattr(model, name)(there))
        np.testing.assert_allclose(got, getattr(expected, name)(X), **CLOSE)
    for name in ("log_likelihood", "bic", "icl"):
        got = getattr(model, name)(there, y)
        assert type(got) is float
        assert got == pytest.approx(getattr(expected, name)(X, y), rel=1e-7)
    np.testing.assert_allclose(
        to_host(model.posterior(there, y)), expected.posterior(X, y), **CLOSE
    )
    np.testing.assert_array_equal(model.predict(there), expected.predict(X))


def compare(density, channel, labels, xp, gaps=False):
    X, truth = oracle.make_rows(60, 3 if gaps else 2, N_CLASSES, seed=3)
    X = oracle.rows_for(density, X)
    X = oracle.with_gaps(X) if gaps else X
    y = oracle.make_labels(labels, truth, N_CLASSES, seed=4).y

    def model():
        return GenerativeClassifier(
            oracle.DENSITIES[density](),
            2,
            channel=oracle.make_channel(channel, N_CLASSES),
            classes=range(N_CLASSES),
            max_iter=4,
            ridge=1e-3,
        )

    there = xp.asarray(X)
    assert_same(fitted(model(), there, y), X, fitted(model(), X, y), there, y)


@pytest.mark.parametrize("channel", oracle.CHANNELS)
@pytest.mark.parametrize("density", oracle.DENSITIES)
def test_every_density_and_channel(density, channel, xp):
    compare(density, channel, "verified soft", xp)


@pytest.mark.parametrize("density", oracle.GAPPY)
def test_missing_features(density, xp):
    compare(density, "full", "verified soft", xp, gaps=True)


@pytest.mark.parametrize("labels", oracle.LABELS)
def test_every_kind_of_label(labels, xp):
    compare("full", "full", labels, xp)


@pytest.mark.parametrize(
    "settings", [{"init": "kmeans"}, {"init": "random"}, {"shrinkage": "auto"}]
)
def test_starts_and_shrinkage(settings, xp):
    X, truth = oracle.make_rows(60, 3, N_CLASSES, seed=5)
    y = oracle.make_labels("soft", truth, N_CLASSES, seed=6).y

    def model():
        return LinearDiscriminantAnalysis(max_iter=5, random_state=0, **settings)

    there = xp.asarray(X)
    assert_same(fitted(model(), there, y), X, fitted(model(), X, y), there, y)


def test_weights_and_a_start_of_ones_own(xp):
    X, truth = oracle.make_rows(60, 2, N_CLASSES, seed=7)
    rng = np.random.default_rng(0)
    y, weights = oracle.make_labels("soft", truth, N_CLASSES).y, rng.uniform(0, 2, 60)
    weights[:5] = 0.0
    start = rng.dirichlet(np.ones(N_CLASSES), 60)
    results = []
    for rows in (X, xp.asarray(X)):
        model = GenerativeClassifier(max_iter=4)
        with pytest.warns(ConvergenceWarning):
            model.fit(rows, y, weights, responsibilities=start)
        results.append(model)
    assert_same(results[1], X, results[0], xp.asarray(X), y)


def test_votes(xp):
    rng = np.random.default_rng(8)
    X, truth = oracle.make_rows(60, 2, N_CLASSES, seed=8)
    item = np.repeat(np.arange(60), 3)
    label = np.where(rng.random(180) < 0.7, truth[item], rng.integers(0, 3, 180))
    table = {"i": item, "a": np.tile(["ann", "bob", "cat"], 60), "l": label}
    votes = Votes(table, "i", "a", "l", items=range(60))
    there = xp.asarray(X)
    one, two = (
        fitted(LinearDiscriminantAnalysis(channel=AnnotatorNoise(), max_iter=5), rows, votes)
        for rows in (X, there)
    )
    assert_same(two, X, one, there, votes)
    np.testing.assert_allclose(two.channel_.matrices_, one.channel_.matrices_, **CLOSE)


@pytest.mark.parametrize(
    ("labels", "channel", "solver"),
    [
        *(("verified soft", c, s) for c in oracle.CHANNELS for s in ("lbfgs", "newton", "em")),
        *((labels, "trusted", "lbfgs") for labels in ("crisp", "missing", "candidate")),
    ],
)
def test_logistic_regression(labels, channel, solver, xp):
    X, truth = oracle.make_rows(60, 2, N_CLASSES, seed=11)
    y = oracle.make_labels(labels, truth, N_CLASSES, seed=12).y
    weights = np.random.default_rng(0).uniform(0.1, 2.0, 60) * (np.arange(60) % 7 > 0)
    there = xp.asarray(X)
    one, two = (
        fitted(
            LogisticRegression(
                channel=oracle.make_channel(channel, N_CLASSES),
                classes=range(N_CLASSES),
                solver=solver,
                max_iter=5,
            ),
            rows,
            y,
            weights,
        )
        for rows in (X, there)
    )
    np.testing.assert_allclose(two.history_, one.history_, rtol=1e-9)
    np.testing.assert_allclose(two.coef_, one.coef_, **CLOSE)
    np.testing.assert_allclose(to_host(two.predict_proba(there)), one.predict_proba(X), **CLOSE)
    np.testing.assert_allclose(to_host(two.posterior(there, y)), one.posterior(X, y), **CLOSE)
    np.testing.assert_array_equal(two.predict(there), one.predict(X))


@pytest.mark.parametrize("form", ["codes", "soft"])
def test_labels_and_weights_of_the_same_library(form, xp):
    X, truth = oracle.make_rows(60, 2, N_CLASSES, seed=13)
    y = truth if form == "codes" else oracle.make_labels("soft", truth, N_CLASSES).plausibilities
    weights = np.random.default_rng(0).uniform(0.1, 2.0, 60)
    start = np.random.default_rng(1).dirichlet(np.ones(N_CLASSES), 60)
    results = []
    for put in (np.asarray, xp.asarray):
        model = LinearDiscriminantAnalysis(channel=oracle.make_channel("full", 3), tol=1e-3)
        model.fit(put(X), put(y), put(weights), responsibilities=put(start))
        results.append(model)
    assert_same(results[1], X, results[0], xp.asarray(X), xp.asarray(y))


def test_labels_that_carry_gradients_are_read():
    torch = pytest.importorskip("torch")
    X, truth = oracle.make_rows(60, 2, N_CLASSES, seed=14)
    y = np.eye(3)[truth] + 0.1
    one = LinearDiscriminantAnalysis(tol=1e-3).fit(X, y)
    two = LinearDiscriminantAnalysis(tol=1e-3).fit(X, torch.asarray(y, requires_grad=True))
    assert two.history_ == one.history_


@pytest.mark.parametrize("dtype", ["float32", "int64"])
def test_smaller_and_whole_numbers(xp, dtype):
    X, truth = oracle.make_rows(60, 2, N_CLASSES, seed=9)
    X = (100 * X).astype(dtype)
    there = xp.asarray(X)
    one, two = (GenerativeClassifier().fit(rows, truth) for rows in (X, there))
    assert_same(two, X, one, there, truth)


def test_answers_for_rows_stay_with_the_rows(xp):
    X, truth = oracle.make_rows(60, 2, N_CLASSES, seed=10)
    there = xp.asarray(X)
    model = LinearDiscriminantAnalysis().fit(there, truth)
    for name in ("predict_proba", "predict_log_proba", "score_samples"):
        assert type(getattr(model, name)(there)) is type(there)
    # What was learned is NumPy's, so rows of another library can be judged by it.
    np.testing.assert_allclose(
        model.predict_proba(X), to_host(model.predict_proba(there)), rtol=1e-10, atol=1e-12
    )


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_no_number_is_refused(xp, bad):
    X, truth = oracle.make_rows(60, 2, N_CLASSES)
    X[7, 1] = bad
    with pytest.raises(ValueError, match=r"(?i)nan|inf"):
        LinearDiscriminantAnalysis().fit(xp.asarray(X), truth)
