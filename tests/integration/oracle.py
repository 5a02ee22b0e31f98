"""Brute force: the same quantities from public attributes, densities of SciPy and enumeration.

Everything is computed in the features' own units, without blocks, frames or sufficient statistics.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from scipy.special import logsumexp
from scipy.stats import bernoulli, multivariate_normal, poisson, weibull_min

from labelief import AnnotatorNoise, FlipNoise, SoftLabels, Trusted, Votes
from labelief.densities import (
    Bernoulli,
    Categorical,
    Columns,
    DiagonalGaussian,
    FullGaussian,
    ParsimoniousGaussian,
    Poisson,
    SphericalGaussian,
    TiedGaussian,
    Weibull,
)


def mixed_columns() -> Columns:
    """Return levels in the first column, and Gaussian features in the others."""
    return Columns([(Categorical(n_levels=4), 0)], remainder=FullGaussian())


# VVV, EEE, VVI and VII are the full, tied, diagonal and spherical Gaussians.  Three of the others,
# one of each kind, go through every grid, the rest through those that tell families apart.
GRID_FAMILIES = ["VEI", "EVE", "VEV"]
PARSIMONIOUS = ["EII", "EEI", "VEI", "EVI", "VEE", "EVE", "VVE", "EEV", "VEV", "EVV"]
DENSITIES: dict[str, Any] = {
    "tied": TiedGaussian,
    "full": FullGaussian,
    "diagonal": DiagonalGaussian,
    "spherical": SphericalGaussian,
    "weibull": Weibull,
    "poisson": Poisson,
    "bernoulli": Bernoulli,
    "categorical": partial(Categorical, n_levels=4),
    "columns": mixed_columns,
    **{name: partial(ParsimoniousGaussian, name) for name in GRID_FAMILIES},
}
ALL_DENSITIES = DENSITIES | {name: partial(ParsimoniousGaussian, name) for name in PARSIMONIOUS}
GAUSSIANS = ["tied", "full", "diagonal", "spherical", *GRID_FAMILIES]
DISCRETE = ["poisson", "bernoulli", "categorical"]
# What takes missing features.
GAPPY = ["full", "diagonal", "spherical", *DISCRETE, "columns"]
LABELS = ["crisp", "missing", "candidate", "soft", "vacuous", "verified", "verified soft"]
CHANNELS = ["trusted", "full", "symmetric", "fixed"]
# Forms of the annotators' matrices, with and without pooling.
CROWDS = {
    "crowd full": ("full", 0.0),
    "crowd pooled": ("full", 4.0),
    "crowd one coin": ("one_coin", 0.0),
    "crowd pooled coins": ("one_coin", 4.0),
    "crowd shared": ("shared", 4.0),
}


def make_channel(kind: str, n_classes: int) -> Any:
    """Return a public channel."""
    if kind == "trusted":
        return Trusted()
    if kind == "fixed":
        return FlipNoise(matrix=some_matrix(n_classes))
    if kind in CROWDS:
        return AnnotatorNoise(*CROWDS[kind])
    return FlipNoise(kind)


def some_matrix(n_classes: int) -> np.ndarray:
    """Return a flipping matrix without symmetry and without zeros."""
    matrix = np.eye(n_classes) + np.random.default_rng(5).uniform(0.05, 0.4, (n_classes, n_classes))
    return matrix / matrix.sum(axis=1, keepdims=True)


@dataclass
class Labelled:
    """Labels as a user gives them, and what they say: plausibilities and verified rows."""

    y: Any
    plausibilities: np.ndarray
    verified: np.ndarray


def make_labels(kind: str, truth: np.ndarray, n_classes: int, seed: int = 0) -> Labelled:
    """Return labels of a kind around the truth, some of them wrong."""
    rng = np.random.default_rng(seed)
    n = len(truth)
    wrong = rng.random(n) < 0.2
    seen = np.where(wrong, rng.integers(0, n_classes, n), truth)
    crisp = np.eye(n_classes)[seen]
    classes = np.arange(n_classes)
    verified = np.zeros(n, dtype=bool)
    if kind == "crisp":
        return Labelled(seen, crisp, verified)
    if kind == "missing":
        unknown = rng.random(n) < 0.4
        y = np.where(unknown, None, seen)
        return Labelled(y, np.where(unknown[:, None], 1.0, crisp), verified)
    if kind == "candidate":
        sets = np.maximum(crisp, rng.random((n, n_classes)) < 0.3)
        return Labelled(SoftLabels.from_candidates(sets.astype(bool), classes), sets, verified)
    if kind == "soft":
        pl = rng.uniform(0.02, 0.9, (n, n_classes)) + 2.0 * crisp
        return Labelled(pl, pl, verified)
    if kind == "vacuous":
        return Labelled(np.full((n, n_classes), 0.7), np.full((n, n_classes), 0.7), verified)
    verified = rng.random(n) < 0.4
    right = np.eye(n_classes)[truth]
    if kind == "verified":
        unknown = rng.random(n) < 0.2
        values = np.where(unknown, None, np.where(verified, truth, seen))
        y = SoftLabels.from_crisp(values, classes).with_verified(verified)
        pl = np.where(verified[:, None], right, crisp)
        return Labelled(y, np.where(unknown[:, None], 1.0, pl), verified)
    if kind == "verified soft":
        pl = np.where(verified[:, None], right, np.maximum(crisp, rng.random((n, n_classes)) * 0.8))
        y = SoftLabels.from_plausibilities(pl, classes).with_verified(verified)
        return Labelled(y, pl, verified)
    raise KeyError(kind)


def make_votes(truth: np.ndarray, n_classes: int, seed: int = 0, n_annotators: int = 5) -> Votes:
    """Return votes of mixed skill: classes, sets, "unsure", confidences, some items verified."""
    rng = np.random.default_rng(seed)
    n, V = len(truth), 3 * len(truth)
    item = rng.integers(0, n, V)
    who = rng.integers(0, n_annotators, V) * rng.integers(0, 2, V)
    right = rng.random(V) < np.linspace(0.85, 0.4, n_annotators)[who]
    crisp = np.where(right, truth[item], rng.integers(0, n_classes, V))
    form = rng.choice(4, V, p=[0.7, 0.15, 0.05, 0.1])
    says = [
        [int(k), {int(k), int((k + 1) % n_classes)}, set(range(n_classes)), "unsure"][f]
        for k, f in zip(crisp, form, strict=True)
    ]
    table = {"item": item, "who": who, "says": says, "sure": rng.uniform(0.3, 1.0, V)}
    gold = {int(i): int(truth[i]) for i in rng.choice(n, n // 8, replace=False)}
    return Votes(
        table,
        "item",
        "who",
        "says",
        "sure",
        items=range(n),
        classes=range(n_classes),
        unsure="answer",
        verified=gold,
    )


def make_rows(n: int, d: int, n_classes: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return positive, correlated features of overlapping classes, and the classes."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % n_classes
    turn = rng.normal(size=(d, d))
    X = rng.normal(size=(n, d)) @ turn + 2.0 * rng.normal(size=(n_classes, d))[truth]
    return np.exp(0.25 * X) + 0.1, truth


def rows_for(density: str, X: np.ndarray) -> np.ndarray:
    """Return rows of the density's support: positive features as they are, counted or cut."""
    if density == "poisson":
        return np.floor(X)
    if density == "bernoulli":
        return (X > np.median(X, axis=0)).astype(float)
    if density == "categorical":
        return levels(X)
    if density == "columns":
        return np.column_stack([levels(X[:, :1]), X[:, 1:]])
    return X


def levels(X: np.ndarray) -> np.ndarray:
    """Return the quarter of its column that each entry is in, 0 to 3."""
    cuts = np.quantile(X, [0.25, 0.5, 0.75], axis=0)
    return np.sum(X[None] > cuts[:, None, :], axis=0).astype(float)


def with_gaps(X: np.ndarray, share: float = 0.25, seed: int = 0) -> np.ndarray:
    """Return the rows with a share of their entries missing, and all of the second row's."""
    out = X.copy()
    out[np.random.default_rng(seed).random(X.shape) < share] = np.nan
    out[1] = np.nan
    return out


def label_likelihood(model: Any, labelled: Labelled) -> np.ndarray:
    """Return ``Pr(label observed | true class)``, (n, K)."""
    pl = labelled.plausibilities
    matrix = getattr(model.channel_, "matrix_", None)
    if matrix is None:
        return pl
    through = np.array([[sum(row[j] * g[j] for j in range(len(g))) for g in matrix] for row in pl])
    return np.where(labelled.verified[:, None], pl, through)


def component_log_densities(model: Any, X: np.ndarray) -> np.ndarray:
    """Return ``log f_j(x_i)`` of what is observed of each row, (n, J)."""
    density = model._model.density
    return np.column_stack(
        [observed_log_densities(density, model, j, X) for j in range(len(model.component_class_))]
    )


def observed_log_densities(density: Any, model: Any, j: int, X: np.ndarray) -> np.ndarray:
    """Return ``log f_j`` of each row, missing features integrated out, (n,)."""
    mean, covariance = model.means_[j], model.covariances_[j]
    if isinstance(density, Weibull):
        k, scale = weibull_parameters(model)
        return weibull_min(k[j], scale=scale[j]).logpdf(X).sum(axis=1)
    if isinstance(density, Poisson):
        return np.nansum(poisson(mean).logpmf(X), axis=1)
    if isinstance(density, Bernoulli):
        return np.nansum(bernoulli(mean).logpmf(X), axis=1)
    if isinstance(density, Categorical):
        shares = level_shares(model._parameters.model.density, model._model.frame)
        return looked_up(shares[j], X)
    if isinstance(density, Columns):
        inner = model._model.frame
        shares = level_shares(model._parameters.model.density[0], inner.frames[0])
        return looked_up(shares[j], X[:, :1]) + gaussian(mean[1:], covariance[1:, 1:], X[:, 1:])
    return gaussian(mean, covariance, X)


def gaussian(mean: np.ndarray, covariance: np.ndarray, X: np.ndarray) -> np.ndarray:
    """Return log densities of the observed parts of rows."""
    if not np.any(np.isnan(X)):
        return np.atleast_1d(multivariate_normal(mean, covariance).logpdf(X))
    out = np.zeros(len(X))
    for i, x in enumerate(X):
        here = ~np.isnan(x)
        if np.any(here):
            part = multivariate_normal(mean[here], covariance[np.ix_(here, here)])
            out[i] = part.logpdf(x[here])
    return out


def level_shares(parameters: Any, frame: Any) -> np.ndarray:
    """Return the shares of levels, (J, d, L), of columns with as many levels each."""
    shares = np.exp(parameters.log_shares)
    return shares.reshape(len(shares), frame.rank, -1)


def looked_up(shares: np.ndarray, X: np.ndarray) -> np.ndarray:
    """Return the log shares of the rows' levels, (n,)."""
    gone = np.isnan(X)
    codes = np.where(gone, 0, X).astype(int)
    logs = np.log(shares[np.arange(X.shape[1]), codes])
    return np.where(gone, 0.0, logs).sum(axis=1)


def weibull_parameters(model: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return shapes and scales in the features' units."""
    inner = model._model
    return inner.density.shapes_and_scales(model._parameters.model.density, inner.frame)


def log_weights(model: Any) -> np.ndarray:
    """Return ``log π_c w_j``, (J,)."""
    with np.errstate(divide="ignore"):
        return np.log(model.priors_[model.component_class_] * model.weights_)


def log_joint(model: Any, X: np.ndarray) -> np.ndarray:
    """Return ``log π_k Σ_j w_j f_j(x_i)``, (n, K)."""
    terms = log_weights(model) + component_log_densities(model, X)
    classes = range(len(model.classes_))
    return np.column_stack(
        [logsumexp(terms[:, model.component_class_ == k], axis=1) for k in classes]
    )


def enumerated_log_likelihood(model: Any, X: np.ndarray, labelled: Labelled) -> float:
    """Sum the likelihood over every assignment of rows to components: J^n terms."""
    with np.errstate(divide="ignore"):
        weights = np.log(label_likelihood(model, labelled))[:, model.component_class_]
    terms = log_weights(model) + component_log_densities(model, X) + weights
    n, J = terms.shape
    rows = np.arange(n)
    return float(
        logsumexp([terms[rows, list(hidden)].sum() for hidden in product(range(J), repeat=n)])
    )


def log_posterior(model: Any, X: np.ndarray, labelled: Labelled) -> tuple[np.ndarray, np.ndarray]:
    """Return log class probabilities given features and labels, (n, K), and log evidence, (n,)."""
    with np.errstate(divide="ignore"):
        joint = log_joint(model, X) + np.log(label_likelihood(model, labelled))
    evidence = logsumexp(joint, axis=1)
    return joint - evidence[:, None], evidence


def responsibilities(model: Any, X: np.ndarray, labelled: Labelled) -> np.ndarray:
    """Return component probabilities given features and labels, (n, J)."""
    with np.errstate(divide="ignore"):
        weights = np.log(label_likelihood(model, labelled))[:, model.component_class_]
    joint = log_weights(model) + component_log_densities(model, X) + weights
    return np.exp(joint - logsumexp(joint, axis=1, keepdims=True))
