"""By simulation: parameters that made the data are found again, and labels are seen through."""

from __future__ import annotations

import numpy as np
import pytest
from tests.integration import oracle

from labelief import (
    FlipNoise,
    GenerativeClassifier,
    LinearDiscriminantAnalysis,
    MixtureDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
    SoftLabels,
)

ASYMMETRIC = np.array([[0.75, 0.25, 0.0], [0.0, 0.7, 0.3], [0.1, 0.0, 0.9]])
SYMMETRIC = np.array([[0.7, 0.15, 0.15], [0.15, 0.7, 0.15], [0.15, 0.15, 0.7]])
PRIORS = [0.5, 0.3, 0.2]
MEANS = np.array([[0.0, 0.0], [3.0, 0.0], [0.0, 3.0]])


def simulated(n, matrix, seed=0, spread=1.0):
    """Return rows, true classes and observed labels."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(3, n, p=PRIORS)
    X = MEANS[truth] + spread * rng.normal(size=(n, 2))
    seen = (rng.random(n)[:, None] > np.cumsum(matrix, axis=1)[truth]).sum(axis=1)
    return X, truth, seen


@pytest.mark.parametrize("classifier", [LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis])
@pytest.mark.parametrize(
    ("kind", "matrix"), [("full", ASYMMETRIC), ("full", SYMMETRIC), ("symmetric", SYMMETRIC)]
)
def test_the_flipping_matrix_is_found(kind, matrix, classifier):
    X, truth, seen = simulated(6000, matrix)
    model = classifier(channel=FlipNoise(kind), tol=1e-8, max_iter=1000).fit(X, seen)
    np.testing.assert_allclose(model.channel_.matrix_, matrix, atol=0.03)
    np.testing.assert_allclose(model.means_, MEANS, atol=0.1)
    np.testing.assert_allclose(model.priors_, PRIORS, atol=0.03)
    clean = classifier().fit(X, truth).score(X, truth)
    assert model.score(X, truth) > clean - 0.01
    assert np.mean(model.predict(X) == truth) > np.mean(seen == truth) + 0.1


def test_soft_observed_labels_pass_through_the_matrix():
    X, truth, seen = simulated(6000, ASYMMETRIC)
    rng = np.random.default_rng(1)
    # The observer hesitates between the symbol that came and another.
    pl = np.eye(3)[seen]
    pl[np.arange(6000), (seen + 1) % 3] = np.maximum(
        pl[np.arange(6000), (seen + 1) % 3], rng.choice([0.0, 0.2], 6000)
    )
    model = QuadraticDiscriminantAnalysis(channel=FlipNoise(), tol=1e-8, max_iter=1000)
    model.fit(X, SoftLabels.from_plausibilities(pl))
    # A hesitation is a claim of its own: it moves some mass, not the pattern.
    np.testing.assert_allclose(model.channel_.matrix_, ASYMMETRIC, atol=0.15)
    assert model.score(X, truth) > 0.9


@pytest.mark.parametrize("kind", ["full", "symmetric"])
@pytest.mark.parametrize("shift", [1, 2])
def test_classes_are_named_by_their_labels_after_any_start(shift, kind):
    X, truth, seen = simulated(3000, SYMMETRIC, spread=0.7)
    start = np.eye(3)[(truth + shift) % 3]
    model = LinearDiscriminantAnalysis(channel=FlipNoise(kind), max_iter=500)
    model.fit(X, seen, responsibilities=start)
    assert model.score(X, truth) > 0.93
    assert np.all(np.argmax(model.channel_.matrix_, axis=1) == [0, 1, 2])
    assert model.n_iter_ <= 500


def test_verified_rows_fix_the_names_that_labels_got_wrong():
    # Most labels are wrong in the same way: only verified rows can tell.
    cyclic = np.array([[0.2, 0.8, 0.0], [0.0, 0.2, 0.8], [0.8, 0.0, 0.2]])
    X, truth, seen = simulated(3000, cyclic, spread=0.7)
    gold = np.arange(3000) % 3 == 0
    y = SoftLabels.from_crisp(np.where(gold, truth, seen)).with_verified(gold)
    model = LinearDiscriminantAnalysis(channel=FlipNoise(), max_iter=2000)
    with pytest.warns(UserWarning, match="calls true class"):
        model.fit(X, y)
    assert model.score(X, truth) > 0.93
    np.testing.assert_allclose(model.channel_.matrix_, cyclic, atol=0.06)


def test_a_known_matrix_beats_trust():
    X, _, seen = simulated(3000, ASYMMETRIC)
    trusted = LinearDiscriminantAnalysis().fit(X, seen)
    known = LinearDiscriminantAnalysis(channel=FlipNoise(matrix=ASYMMETRIC)).fit(X, seen)
    assert np.abs(known.means_ - MEANS).max() < 0.5 * np.abs(trusted.means_ - MEANS).max()
    np.testing.assert_allclose(known.channel_.matrix_, ASYMMETRIC)


def test_mixtures_in_noisily_labelled_classes():
    rng = np.random.default_rng(0)
    part = rng.integers(0, 4, 3000)
    X = 4.0 * np.array([[0, 0], [1, 1], [0, 1], [1, 0]])[part] + rng.normal(size=(3000, 2))
    truth = part // 2
    seen = np.where(rng.random(3000) < 0.25, 1 - truth, truth)
    model = MixtureDiscriminantAnalysis(2, channel=FlipNoise(), max_iter=500).fit(X, seen)
    assert model.score(X, truth) > 0.94
    np.testing.assert_allclose(model.channel_.matrix_, [[0.75, 0.25], [0.25, 0.75]], atol=0.05)


@pytest.mark.parametrize("density", [*oracle.GAUSSIANS, "weibull", "poisson", "columns"])
def test_soft_labels_do_no_worse_than_the_likeliest_class(density):
    """Labels of known doubt: using the doubt gets closer to the true parameters."""
    X, truth, seen = simulated(3000, SYMMETRIC)
    rows = X if density in oracle.GAUSSIANS else oracle.rows_for(density, np.exp(X / 3))
    labels = SoftLabels.from_confidences(seen, np.full(3000, 0.55))
    soft = GenerativeClassifier(oracle.DENSITIES[density]()).fit(rows, labels)
    hard = GenerativeClassifier(oracle.DENSITIES[density]()).fit(rows, seen)
    clean = GenerativeClassifier(oracle.DENSITIES[density]()).fit(rows, truth)
    error = [np.abs(m.means_ - clean.means_).max() for m in (soft, hard)]
    assert error[0] < 0.7 * error[1]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["full", "symmetric"])
def test_rates_are_unbiased_over_many_simulations(kind):
    found = []
    for seed in range(40):
        X, _, seen = simulated(2000, SYMMETRIC, seed=seed)
        model = LinearDiscriminantAnalysis(channel=FlipNoise(kind), tol=1e-8, max_iter=1000)
        found.append(model.fit(X, seen).channel_.matrix_)
    error = np.mean(found, axis=0) - SYMMETRIC
    deviation = np.std(found, axis=0) / np.sqrt(len(found))
    # The prior's few pseudo-counts pull by less than this.
    assert np.all(np.abs(error) < 4 * deviation + 2e-3)


@pytest.mark.slow
@pytest.mark.parametrize("density", [*oracle.GAUSSIANS, "weibull"])
def test_parameters_converge_to_the_truth(density):
    errors = []
    for n in (500, 50_000):
        X, _, seen = simulated(n, ASYMMETRIC, seed=2)
        rows = np.exp(X / 3) if density == "weibull" else X
        model = GenerativeClassifier(
            oracle.DENSITIES[density](), channel=FlipNoise(), max_iter=2000, tol=1e-9
        ).fit(rows, seen)
        errors.append(np.abs(model.channel_.matrix_ - ASYMMETRIC).max())
    assert errors[1] < (0.1 if density == "weibull" else 0.015)
