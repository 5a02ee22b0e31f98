"""Limits that others compute: hard labels, vacuous labels, Ledoit and Wolf."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn import discriminant_analysis
from sklearn.covariance import ledoit_wolf
from sklearn.datasets import load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture
from sklearn.naive_bayes import GaussianNB
from tests.integration import oracle

from labelief import (
    GenerativeClassifier,
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
    SoftLabels,
)
from labelief.densities import (
    DiagonalGaussian,
    FullGaussian,
    SphericalGaussian,
    TiedGaussian,
)

IRIS = load_iris(return_X_y=True)
WINE = load_wine(return_X_y=True)
FORMS = {
    "codes": lambda y: y,
    "soft labels": SoftLabels.from_crisp,
    "plausibilities": lambda y: np.eye(3)[y],
    "candidates": lambda y: np.eye(3, dtype=bool)[y],
}


def close(ours, theirs, rtol=1e-8, atol=1e-12):
    np.testing.assert_allclose(ours, theirs, rtol=rtol, atol=atol)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("data", [IRIS, WINE], ids=["iris", "wine"])
def test_hard_labels_give_linear_discriminant_analysis(data, form):
    X, y = data
    ours = LinearDiscriminantAnalysis(ridge=0.0).fit(X, FORMS[form](y))
    theirs = discriminant_analysis.LinearDiscriminantAnalysis(
        solver="lsqr", store_covariance=True
    ).fit(X, y)
    close(ours.means_, theirs.means_)
    close(ours.priors_, theirs.priors_)
    close(ours.covariances_[0], theirs.covariance_)
    close(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-6)
    close(ours.predict_log_proba(X), theirs.predict_log_proba(X), rtol=1e-6, atol=1e-6)
    assert ours.converged_
    assert ours.score(X, FORMS[form](y)) == pytest.approx(theirs.score(X, y))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("data", [IRIS, WINE], ids=["iris", "wine"])
def test_hard_labels_give_quadratic_discriminant_analysis(data, form):
    X, y = data
    ours = QuadraticDiscriminantAnalysis(ridge=0.0).fit(X, FORMS[form](y))
    joint = np.empty((len(X), 3))
    for k in range(3):
        rows = X[y == k]
        covariance = np.cov(rows.T, bias=True)
        close(ours.means_[k], rows.mean(axis=0))
        close(ours.covariances_[k], covariance, rtol=1e-7)
        normal = multivariate_normal(rows.mean(axis=0), covariance)
        joint[:, k] = normal.logpdf(X) + np.log(np.mean(y == k))
    top = joint.max(axis=1, keepdims=True)
    log_proba = joint - top - np.log(np.exp(joint - top).sum(axis=1, keepdims=True))
    close(ours.predict_log_proba(X), log_proba, rtol=1e-6, atol=1e-6)
    assert ours.log_likelihood_ == pytest.approx(joint[np.arange(len(y)), y].sum())


@pytest.mark.parametrize("form", FORMS)
def test_hard_labels_give_gaussian_naive_bayes(form):
    X, y = WINE
    ours = GenerativeClassifier(DiagonalGaussian(), ridge=0.0).fit(X, FORMS[form](y))
    theirs = GaussianNB(var_smoothing=0.0).fit(X, y)
    close(ours.means_, theirs.theta_)
    close(np.diagonal(ours.covariances_, axis1=1, axis2=2), theirs.var_)
    close(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-6)


def test_hard_labels_with_weights_and_priors():
    X, y = IRIS
    weights = np.random.default_rng(0).uniform(0.2, 2.0, len(y))
    theirs = GaussianNB(priors=[0.2, 0.5, 0.3], var_smoothing=0.0).fit(X, y, weights)
    ours = GenerativeClassifier(DiagonalGaussian(), ridge=0.0, priors=[0.2, 0.5, 0.3])
    ours.fit(X, y, weights)
    close(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-6)


MIXTURES = {
    "tied": TiedGaussian,
    "full": FullGaussian,
    "diag": DiagonalGaussian,
    "spherical": SphericalGaussian,
}


def first_step(kind):
    """Return vacuous labels, a start that mixes classes, and the fit after one step from it."""
    X, y = IRIS
    R = np.eye(3)[(y + (np.arange(len(y)) % 5 == 0)) % 3]
    vacuous = np.ones((len(X), 3))
    model = GenerativeClassifier(MIXTURES[kind](), ridge=0.0, max_iter=1)
    with pytest.warns(ConvergenceWarning):
        model.fit(X, vacuous, responsibilities=R)
    return X, vacuous, R, model


def mixture_from(model, kind, **settings):
    """Return scikit-learn's mixture, started at the parameters of a fit."""
    precisions = np.linalg.inv(model.covariances_)
    mixture = GaussianMixture(3, covariance_type=kind, reg_covar=0.0, **settings)
    mixture.weights_init, mixture.means_init = model.priors_, model.means_
    mixture.precisions_init = {
        "tied": precisions[0],
        "full": precisions,
        "diag": np.diagonal(precisions, axis1=1, axis2=2),
        "spherical": precisions[:, 0, 0],
    }[kind]
    return mixture


@pytest.mark.parametrize("kind", MIXTURES)
def test_vacuous_labels_take_the_steps_of_the_ordinary_mixture(kind):
    X, vacuous, R, before = first_step(kind)
    theirs = mixture_from(before, kind, max_iter=4, tol=0.0)
    ours = GenerativeClassifier(MIXTURES[kind](), ridge=0.0, max_iter=5, tol=0.0)
    with pytest.warns(ConvergenceWarning):
        ours.fit(X, vacuous, responsibilities=R)
    with pytest.warns(ConvergenceWarning):
        theirs.fit(X)
    close(ours.means_, theirs.means_)
    close(ours.priors_, theirs.weights_)
    close(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-6)


@pytest.mark.parametrize("kind", MIXTURES)
def test_vacuous_labels_give_the_ordinary_mixture(kind):
    X, vacuous, R, before = first_step(kind)
    theirs = mixture_from(before, kind, tol=1e-13, max_iter=20_000).fit(X)
    ours = GenerativeClassifier(MIXTURES[kind](), ridge=0.0, tol=1e-13, max_iter=20_000)
    ours.fit(X, vacuous, responsibilities=R)
    covariances = {
        "tied": lambda c: np.broadcast_to(c, (3, 4, 4)),
        "full": lambda c: c,
        "diag": lambda c: np.stack([np.diag(v) for v in c]),
        "spherical": lambda c: np.stack([v * np.eye(4) for v in c]),
    }[kind](theirs.covariances_)
    close(ours.means_, theirs.means_, rtol=1e-4)
    close(ours.covariances_, covariances, rtol=1e-3, atol=1e-5)
    assert ours.log_likelihood_ == pytest.approx(theirs.score(X) * len(X), rel=1e-8)
    close(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-3, atol=1e-4)
    close(ours.score_samples(X), theirs.score_samples(X), rtol=1e-4, atol=1e-4)
    assert ours.bic(X, vacuous) == pytest.approx(theirs.bic(X), rel=1e-7)


@pytest.mark.parametrize("kind", ["tied", "full"])
def test_auto_shrinkage_is_ledoit_and_wolf(kind):
    # With one class, standardised residuals are the standardised rows.
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 25)) @ rng.normal(size=(25, 25))
    model = GenerativeClassifier(MIXTURES[kind](), shrinkage="auto", ridge=0.0)
    model.fit(X, np.zeros(40, dtype=int))
    z = (X - X.mean(axis=0)) / X.std(axis=0)
    shrunk, amount = ledoit_wolf(z, assume_centered=True)
    assert 0.01 < amount < 0.9
    scale = X.std(axis=0)
    close(model.covariances_[0] / np.outer(scale, scale), shrunk, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("shrinkage", [0.1, 0.6])
def test_a_number_is_the_share_of_the_target(shrinkage):
    X, y = WINE
    model = LinearDiscriminantAnalysis(shrinkage=shrinkage, ridge=0.0).fit(X, y)
    theirs = discriminant_analysis.LinearDiscriminantAnalysis(
        solver="lsqr", store_covariance=True
    ).fit(X, y)
    within = theirs.covariance_
    total = np.diag(X.var(axis=0))
    ratio = np.mean(np.diag(within) / np.diag(total))
    close(model.covariances_[0], (1 - shrinkage) * within + shrinkage * ratio * total)


@pytest.mark.parametrize("kind", ["full", "diag"])
def test_classes_with_few_rows_are_shrunk_more(kind):
    X, y = WINE
    model = GenerativeClassifier(MIXTURES[kind](), shrinkage=0.25, ridge=0.0).fit(X, y)
    nu = 0.25 * len(X) / 3 / 0.75
    total = np.diag(X.var(axis=0))
    scatters = [np.cov(X[y == k].T, bias=True) * np.sum(y == k) for k in range(3)]
    ratio = np.mean(np.diag(sum(scatters)) / np.diag(total)) / len(X)
    for k in range(3):
        scatter = scatters[k] if kind == "full" else np.diag(np.diag(scatters[k]))
        n = np.sum(y == k)
        close(model.covariances_[k], (scatter + nu * ratio * total) / (n + nu), atol=1e-9)


def test_ridge_is_the_total_covariance():
    X, y = IRIS
    model = QuadraticDiscriminantAnalysis(ridge=0.1).fit(X, y)
    total, nu = np.cov(X.T, bias=True), 0.1 * len(X)
    for k in range(3):
        rows = X[y == k]
        scatter = np.cov(rows.T, bias=True) * len(rows)
        close(model.covariances_[k], (scatter + nu * total) / (len(rows) + nu))


def test_weibull_of_one_class_is_scipys_fit():
    from scipy.stats import weibull_min

    X = oracle.make_rows(300, 2, 1, seed=1)[0]
    model = GenerativeClassifier(oracle.Weibull(), ridge=0.0, tol=1e-14, max_iter=1000)
    model.fit(X, np.zeros(300, dtype=int))
    k, scale = oracle.weibull_parameters(model)
    for a in range(2):
        shape, _, fitted = weibull_min.fit(X[:, a], floc=0)
        assert k[0, a] == pytest.approx(shape, rel=1e-3)
        assert scale[0, a] == pytest.approx(fitted, rel=1e-3)
        best = weibull_min(k[0, a], scale=scale[0, a])
        close(model.means_[0, a], best.mean(), rtol=1e-6)
        close(model.covariances_[0, a, a], best.var(), rtol=1e-6)
