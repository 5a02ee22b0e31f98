"""Every density under every channel and kind of label, against enumeration at tiny size."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.special import logsumexp
from sklearn.exceptions import ConvergenceWarning
from tests.integration import oracle

from labelief import GenerativeClassifier

N_CLASSES = 3


def fitted(density, channel, labels, n_components=1, weights=None, gaps=False, **settings):
    X, truth = oracle.make_rows(60, 2, N_CLASSES)
    X = oracle.rows_for(density, X)
    X = oracle.with_gaps(X) if gaps else X
    labelled = oracle.make_labels(labels, truth, N_CLASSES)
    model = GenerativeClassifier(
        oracle.DENSITIES[density](),
        n_components,
        channel=oracle.make_channel(channel, N_CLASSES),
        classes=range(N_CLASSES),
        ridge=1e-2,
        max_iter=6,
        **settings,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X, labelled.y, weights)
    return model, X, labelled


def first_rows(labelled, n):
    y = labelled.y[:n]
    return oracle.Labelled(y, labelled.plausibilities[:n], labelled.verified[:n])


@pytest.mark.parametrize("n_components", [1, 2])
@pytest.mark.parametrize("labels", oracle.LABELS)
@pytest.mark.parametrize("channel", oracle.CHANNELS)
@pytest.mark.parametrize("density", oracle.DENSITIES)
def test_everything_that_a_fit_says_of_rows(density, channel, labels, n_components):
    check(*fitted(density, channel, labels, n_components), density, channel, n_components)


@pytest.mark.parametrize("n_components", [1, 2])
@pytest.mark.parametrize("labels", ["crisp", "soft"])
@pytest.mark.parametrize("channel", ["trusted", "full"])
@pytest.mark.parametrize("density", oracle.GAPPY)
def test_everything_that_a_fit_says_of_rows_with_missing_features(
    density, channel, labels, n_components
):
    model, X, labelled = fitted(density, channel, labels, n_components, gaps=True)
    assert np.any(np.isnan(X))
    check(model, X, labelled, density, channel, n_components)


@pytest.mark.parametrize("density", oracle.GAPPY)
def test_new_rows_may_miss_what_rows_of_the_fit_had(density):
    model, X, labelled = fitted(density, "full", "soft", 2)
    X = oracle.with_gaps(X, seed=1)
    posterior, evidence = oracle.log_posterior(model, X, labelled)
    np.testing.assert_allclose(model.posterior(X, labelled.y), np.exp(posterior), rtol=1e-8)
    assert model.log_likelihood(X, labelled.y) == pytest.approx(evidence.sum(), rel=1e-9)


def check(model, X, labelled, density, channel, n_components):
    close = {"rtol": 1e-8, "atol": 1e-9}

    few, n = first_rows(labelled, 4), 4
    by_hand = oracle.enumerated_log_likelihood(model, X[:n], few)
    assert model.log_likelihood(X[:n], few.y) == pytest.approx(by_hand, rel=1e-9)

    joint = oracle.log_joint(model, X)
    density_of_rows = logsumexp(joint, axis=1)
    np.testing.assert_allclose(model.score_samples(X), density_of_rows, **close)
    log_proba = joint - density_of_rows[:, None]
    np.testing.assert_allclose(model.predict_log_proba(X), log_proba, **close)
    np.testing.assert_allclose(model.predict_proba(X), np.exp(log_proba), **close)

    posterior, evidence = oracle.log_posterior(model, X, labelled)
    np.testing.assert_allclose(model.posterior(X, labelled.y), np.exp(posterior), **close)
    np.testing.assert_allclose(
        model.label_log_likelihood(X, labelled.y), evidence - density_of_rows, **close
    )
    assert model.log_likelihood_ == pytest.approx(evidence.sum(), rel=1e-9)

    R = oracle.responsibilities(model, X, labelled)
    entropy = -np.sum(R * np.log(np.where(R > 0, R, 1.0)))
    bic, icl = model.bic(X, labelled.y), model.icl(X, labelled.y)
    size = free_parameters(density, channel, n_components)
    assert bic == pytest.approx(-2 * evidence.sum() + size * np.log(len(X)), rel=1e-9)
    assert icl == pytest.approx(bic + 2 * entropy, rel=1e-9)


def free_parameters(density, channel, n_components, d=2):
    J = N_CLASSES * n_components
    covariance = {
        "tied": d * (d + 1) // 2,
        "full": J * d * (d + 1) // 2,
        "diagonal": J * d,
        "spherical": J,
        "weibull": J * d,
        "poisson": 0,
        "bernoulli": 0,
        "categorical": J * (3 * d - d),
        "columns": J * (3 + 2 - d),
    }.get(density)
    if covariance is None:
        sizes = (1, d - 1, d * (d - 1) // 2)
        rows = [{"E": 1, "V": J, "I": 0}[letter] for letter in density]
        covariance = sum(size * each for size, each in zip(sizes, rows, strict=True))
    flips = {"trusted": 0, "full": N_CLASSES * (N_CLASSES - 1), "symmetric": 1, "fixed": 0}
    return J - 1 + J * d + covariance + flips[channel]


@pytest.mark.parametrize("density", oracle.DENSITIES)
def test_weights_multiply_the_log_likelihood_of_rows(density):
    weights = np.random.default_rng(3).uniform(0.1, 3.0, 60)
    model, X, labelled = fitted(density, "full", "soft", 2, weights=weights)
    evidence = oracle.log_posterior(model, X, labelled)[1]
    assert model.log_likelihood_ == pytest.approx(weights @ evidence, rel=1e-9)
    assert model.log_likelihood(X, labelled.y, weights) == pytest.approx(weights @ evidence)
    bic = model.bic(X, labelled.y, weights)
    size = free_parameters(density, "full", 2)
    assert bic == pytest.approx(-2 * weights @ evidence + size * np.log(weights.sum()))


@pytest.mark.parametrize("density", oracle.DENSITIES)
def test_held_priors_are_not_counted_as_parameters(density):
    priors = [0.5, 0.3, 0.2]
    model, X, labelled = fitted(density, "trusted", "soft", 2, priors=priors)
    np.testing.assert_allclose(model.priors_, priors)
    likelihood = model.log_likelihood(X, labelled.y)
    size = free_parameters(density, "trusted", 2) - (N_CLASSES - 1)
    assert model.bic(X, labelled.y) == pytest.approx(-2 * likelihood + size * np.log(60))


def test_plausibilities_are_used_as_given():
    model, X, labelled = fitted("full", "full", "soft")
    again = GenerativeClassifier(
        channel=oracle.make_channel("full", 3), ridge=1e-2, max_iter=6, classes=range(3)
    )
    with pytest.warns(ConvergenceWarning):
        again.fit(X, 5.0 * labelled.y)
    np.testing.assert_allclose(again.predict_proba(X), model.predict_proba(X), rtol=1e-9)
    shift = len(X) * np.log(5.0)
    assert again.log_likelihood_ == pytest.approx(model.log_likelihood_ + shift, rel=1e-12)
