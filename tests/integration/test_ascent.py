"""The objective never falls: channel x density x acceleration x labels x components, every step."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from tests.integration import oracle

from labelief import (
    DawidSkene,
    GenerativeClassifier,
    LinearDiscriminantAnalysis,
    LogisticRegression,
)

N_CLASSES = 3
LABELS = ["crisp", "missing", "candidate", "soft", "vacuous", "verified", "verified soft"]


def fit(model, X, y, **more):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X, y, **more)


def assert_climbs(model, X):
    """Every recorded step rises, and nothing ended by a fall."""
    history = np.array(model.history_)
    allowed = 1e-12 * (np.abs(history[1:]) + len(X))
    falls = np.flatnonzero(np.diff(history) < -allowed)
    assert falls.size == 0, (falls, np.diff(history)[falls])
    assert np.all(np.isfinite(history))


@pytest.mark.parametrize("n_components", [1, 2])
@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("acceleration", [None, "squarem"])
@pytest.mark.parametrize("density", oracle.DENSITIES)
@pytest.mark.parametrize("channel", oracle.CHANNELS)
def test_objective_never_falls(channel, density, acceleration, labels, n_components):
    X, truth = oracle.make_rows(45, 2, N_CLASSES, seed=1)
    y = oracle.make_labels(labels, truth, N_CLASSES, seed=2).y
    climb(density, channel, acceleration, n_components, oracle.rows_for(density, X), y)


@pytest.mark.parametrize("n_components", [1, 2])
@pytest.mark.parametrize("labels", ["crisp", "soft", "vacuous"])
@pytest.mark.parametrize("acceleration", [None, "squarem"])
@pytest.mark.parametrize("density", oracle.GAPPY)
@pytest.mark.parametrize("channel", ["trusted", "full"])
def test_objective_never_falls_where_features_are_missing(
    channel, density, acceleration, labels, n_components
):
    X, truth = oracle.make_rows(45, 3, N_CLASSES, seed=1)
    y = oracle.make_labels(labels, truth, N_CLASSES, seed=2).y
    X = oracle.with_gaps(oracle.rows_for(density, X))
    climb(density, channel, acceleration, n_components, X, y)


def climb(density, channel, acceleration, n_components, X, y):
    model = GenerativeClassifier(
        oracle.DENSITIES[density](),
        n_components,
        channel=oracle.make_channel(channel, N_CLASSES),
        acceleration=acceleration,
        classes=range(N_CLASSES),
        max_iter=12,
        tol=0.0,
        ridge=1e-3,
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, y)
    assert not any("objective fell" in str(w.message) for w in caught)
    assert_climbs(model, X)


@pytest.mark.parametrize("labels", ["crisp", "soft", "vacuous"])
@pytest.mark.parametrize("acceleration", [None, "squarem"])
@pytest.mark.parametrize("family", oracle.PARSIMONIOUS)
def test_objective_never_falls_in_any_family(family, acceleration, labels):
    X, truth = oracle.make_rows(60, 4, N_CLASSES, seed=1)
    y = oracle.make_labels(labels, truth, N_CLASSES, seed=2).y
    model = GenerativeClassifier(
        oracle.ALL_DENSITIES[family](),
        2,
        channel=oracle.make_channel("full", N_CLASSES),
        acceleration=acceleration,
        classes=range(N_CLASSES),
        max_iter=40,
        tol=0.0,
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, y)
    assert not any("objective fell" in str(w.message) for w in caught)
    assert_climbs(model, X)


@pytest.mark.parametrize("n_components", [1, 2])
@pytest.mark.parametrize("acceleration", [None, "squarem"])
@pytest.mark.parametrize("density", oracle.DENSITIES)
@pytest.mark.parametrize("channel", oracle.CROWDS)
def test_objective_never_falls_in_a_crowd(channel, density, acceleration, n_components):
    X, truth = oracle.make_rows(45, 2, N_CLASSES, seed=5)
    X = oracle.rows_for(density, X)
    model = GenerativeClassifier(
        oracle.DENSITIES[density](),
        n_components,
        channel=oracle.make_channel(channel, N_CLASSES),
        acceleration=acceleration,
        max_iter=12,
        tol=0.0,
        ridge=1e-3,
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, oracle.make_votes(truth, N_CLASSES, seed=6))
    assert not any("objective fell" in str(w.message) for w in caught)
    assert_climbs(model, X)


@pytest.mark.parametrize("solver", ["lbfgs", "newton", "em"])
@pytest.mark.parametrize("channel", oracle.CROWDS)
def test_logistic_regression_never_falls_in_a_crowd(channel, solver):
    X, truth = oracle.make_rows(60, 2, N_CLASSES, seed=7)
    votes = oracle.make_votes(truth, N_CLASSES, seed=8)
    model = LogisticRegression(channel=oracle.make_channel(channel, N_CLASSES), solver=solver)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, votes)
    assert not any("objective fell" in str(w.message) for w in caught)
    assert_climbs(model, X)
    assert model.converged_


@pytest.mark.parametrize("acceleration", [None, "squarem"])
@pytest.mark.parametrize("channel", oracle.CROWDS)
def test_votes_alone_never_fall(channel, acceleration):
    votes = oracle.make_votes(np.arange(60) % N_CLASSES, N_CLASSES, seed=9)
    kind, pooling = oracle.CROWDS[channel]
    model = DawidSkene(300, 0.0, acceleration, kind=kind, pooling=pooling)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(votes)
    assert_climbs(model, votes)


@pytest.mark.parametrize("shrinkage", [0.3, "auto"])
@pytest.mark.parametrize("density", oracle.GAUSSIANS)
def test_shrinkage_is_a_fixed_prior(density, shrinkage):
    X, truth = oracle.make_rows(45, 4, N_CLASSES, seed=3)
    y = oracle.make_labels("soft", truth, N_CLASSES, seed=4).y
    model = GenerativeClassifier(oracle.DENSITIES[density](), shrinkage=shrinkage, tol=0.0)
    assert_climbs(fit(model, X, y), X)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("kind", ["full", "symmetric"])
def test_renaming_classes_loses_nothing(kind, seed):
    # A start whose classes are permuted makes the channel rename them on the way.
    rng = np.random.default_rng(seed)
    X, truth = oracle.make_rows(120, 2, N_CLASSES, seed=seed)
    y = oracle.make_labels("crisp", truth, N_CLASSES, seed=seed).y
    start = np.eye(N_CLASSES)[rng.permutation(N_CLASSES)[truth]]
    model = LinearDiscriminantAnalysis(channel=oracle.make_channel(kind, N_CLASSES), max_iter=500)
    assert_climbs(fit(model, X, y, responsibilities=start), X)


def test_history_ends_at_the_parameters_returned():
    X, truth = oracle.make_rows(60, 2, N_CLASSES)
    y = oracle.make_labels("soft", truth, N_CLASSES).y
    few = fit(LinearDiscriminantAnalysis(max_iter=3, ridge=0.0), X, y)
    assert len(few.history_) == few.n_iter_ == 3
    assert not few.converged_
    assert few.history_[-1] == pytest.approx(few.log_likelihood(X, y), rel=1e-12)


def test_iteration_cap_is_said_and_is_no_convergence():
    X, truth = oracle.make_rows(60, 2, N_CLASSES)
    y = oracle.make_labels("soft", truth, N_CLASSES).y
    with pytest.warns(ConvergenceWarning, match="iteration cap"):
        model = LinearDiscriminantAnalysis(max_iter=2).fit(X, y)
    assert not model.converged_


def test_tolerance_is_the_gain_of_the_mean():
    X, truth = oracle.make_rows(60, 2, N_CLASSES)
    y = oracle.make_labels("soft", truth, N_CLASSES).y
    model = LinearDiscriminantAnalysis(tol=1e-4).fit(X, y)
    gains = np.diff(model.history_) / len(X)
    assert model.converged_
    assert gains[-1] < 1e-4
    assert np.all(gains[:-1] >= 1e-4)
