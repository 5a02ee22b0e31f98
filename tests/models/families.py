"""Every density with parameters in the features' own units, and its log density by SciPy.

Nothing here knows of frames but `to_frame`, which writes down what coordinates mean.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from scipy.optimize import approx_fprime, minimize
from scipy.stats import bernoulli, multivariate_normal, poisson, weibull_min

from labelief.blocks import ArrayBlocks
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
from labelief.models.axis_gaussian import AxisParameters
from labelief.models.bernoulli import BernoulliParameters
from labelief.models.categorical import LevelParameters
from labelief.models.gaussian import MatrixParameters
from labelief.models.poisson import PoissonParameters
from labelief.models.shrinkage import Strength
from labelief.models.weibull import WeibullParameters

# VVV, EEE, VVI and VII are the full, tied, diagonal and spherical Gaussians.
PARSIMONIOUS = ["EII", "EEI", "VEI", "EVI", "VEE", "EVE", "VVE", "EEV", "VEV", "EVV"]
FAMILIES = {
    "tied": TiedGaussian(),
    "full": FullGaussian(),
    "diagonal": DiagonalGaussian(),
    "spherical": SphericalGaussian(),
    "weibull": Weibull(),
    **{name: ParsimoniousGaussian(name) for name in PARSIMONIOUS},
    "poisson": Poisson(),
    "bernoulli": Bernoulli(),
    "categorical": Categorical(n_levels=3),
    "columns": Columns([(Categorical(n_levels=3), -1)], remainder=FullGaussian()),
}
DISCRETE = ["poisson", "bernoulli", "categorical"]
GAUSSIANS = ["tied", "full", "diagonal", "spherical"]
# Families whose M-step is exact, so that the expected log density is linear in the record.
EXACT = [*GAUSSIANS, *DISCRETE]
# Families that take missing features, and those whose M-step is exact all the same.
GAPPY = ["full", "diagonal", "spherical", *DISCRETE, "columns"]
EXACT_WITH_GAPS = ["diagonal", "spherical", *DISCRETE]
LEVELS = 3


@dataclass
class Native:
    """Parameters in the features' units.

    Means and covariances, Weibull shapes and scales, means of counts, shares of levels (J, d, 3);
    in columns shares of the last column's, and what holds of the others.
    """

    first: np.ndarray
    second: Any = None


@dataclass
class Case:
    """Rows, weights, responsibilities, a density, its frame and some parameters."""

    density: Any
    X: np.ndarray
    weights: np.ndarray
    R: np.ndarray
    blocks: ArrayBlocks
    frame: Any
    native: Native
    parameters: Any

    @property
    def weighted(self) -> np.ndarray:
        return self.R * self.weights[:, None]

    def record(self, parameters: Any = None) -> Any:
        """Return the statistics of all rows under R."""
        theta = self.parameters if parameters is None else parameters
        features = self.density.features(self.X, self.frame.arrays)
        factors = self.density.factors(theta, self.frame, np.zeros(self.R.shape[1]))
        return self.density.statistics(features, self.weighted, factors)

    def log_density(self, parameters: Any) -> np.ndarray:
        """Return complete log densities by the density's kernels, (n, J)."""
        features = self.density.features(self.X, self.frame.arrays)
        factors = self.density.factors(parameters, self.frame, np.zeros(self.R.shape[1]))
        rows = self.density.row_term(features, self.frame.arrays, factors)
        return self.density.log_density(features, factors) + rows[:, None]


def make_case(name: str, n: int = 40, d: int = 3, J: int = 2, seed: int = 0) -> Case:
    """Return correlated features of uneven units, weighted, with random parameters."""
    rng = np.random.default_rng(seed)
    density = FAMILIES[name]
    X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + 3.0 * rng.normal(size=d)
    X = X * 10.0 ** rng.uniform(-1.0, 1.0, d)
    if name == "weibull":
        X = np.exp(X / np.abs(X).max()) * 10.0 ** rng.uniform(-1.0, 1.0, d)
    if name == "poisson":
        X = rng.poisson(10.0 ** rng.uniform(-0.5, 2.0, d), (n, d)).astype(float)
    elif name == "bernoulli":
        X = (rng.random((n, d)) < rng.uniform(0.2, 0.8, d)).astype(float)
    elif name == "categorical":
        X = rng.integers(0, LEVELS, (n, d)).astype(float)
    elif name == "columns":
        X[:, -1] = rng.integers(0, LEVELS, n)
    weights = rng.uniform(0.3, 2.5, n)
    R = rng.dirichlet(np.ones(J), n)
    blocks = ArrayBlocks(X, weights=weights)
    frame = density.frame(blocks)
    native = random_native(name, X, J, rng)
    return Case(density, X, weights, R, blocks, frame, native, to_frame(name, native, frame))


def rows_for(name: str, X: np.ndarray) -> np.ndarray:
    """Return rows of the family's support from positive ones: counted, or cut into thirds."""
    cuts = np.quantile(X, [1 / 3, 2 / 3], axis=0)
    levels = np.sum(X[None] > cuts[:, None, :], axis=0).astype(float)
    if name == "columns":
        return np.column_stack([X[:, :-1], levels[:, -1:]])
    rows = {"poisson": np.floor(5 * np.abs(X)), "bernoulli": levels // 2, "categorical": levels}
    return rows.get(name, X)


def random_native(name: str, X: np.ndarray, J: int, rng: np.random.Generator) -> Native:
    """Return parameters in the neighbourhood of the features."""
    d, sd = X.shape[1], X.std(axis=0)
    if name == "poisson":
        return Native((X.mean(axis=0) + 0.5) * rng.uniform(0.5, 2.0, (J, d)))
    if name == "bernoulli":
        return Native(rng.uniform(0.1, 0.9, (J, d)))
    if name == "categorical":
        return Native(rng.dirichlet(np.ones(LEVELS), (J, d)))
    if name == "columns":
        others = random_native("full", X[:, :-1], J, rng) if d > 1 else None
        return Native(rng.dirichlet(np.ones(LEVELS), (J, 1)), others)
    if name == "weibull":
        spread = np.log(X).std(axis=0)
        shapes = rng.uniform(0.6, 2.0, (J, d)) / spread
        return Native(shapes, np.exp(np.log(X).mean(axis=0) + spread * rng.normal(size=(J, d)) / 2))
    means = X.mean(axis=0) + sd * rng.normal(size=(J, d))
    if name in PARSIMONIOUS:
        return Native(means, random_member(name, J, d, rng) * np.exp(np.mean(np.log(sd**2))))
    covariances = np.empty((J, d, d))
    for j in range(J):
        if name in ("tied", "full"):
            root = rng.normal(size=(d, d)) / 2 + np.eye(d)
            covariances[j] = (root @ root.T) * np.outer(sd, sd)
        elif name == "diagonal":
            covariances[j] = np.diag(rng.uniform(0.3, 2.0, d) * sd**2)
        else:
            covariances[j] = np.eye(d) * rng.uniform(0.3, 2.0) * np.mean(sd**2)
    if name == "tied":
        covariances[:] = covariances[0]
    return Native(means, covariances)


def random_member(name: str, J: int, d: int, rng: np.random.Generator) -> np.ndarray:
    """Return covariances ``λ_j D_j A_j D_jᵀ`` of a family, by its three letters, (J, d, d)."""
    volume, shape, orientation = name
    volumes = rng.uniform(0.3, 2.0, J)
    shapes = rng.uniform(0.2, 3.0, (J, d))
    axes = np.stack([np.linalg.qr(rng.normal(size=(d, d)))[0] for _ in range(J)])
    if volume == "E":
        volumes[:] = volumes[0]
    if shape != "V":
        shapes[:] = shapes[0] if shape == "E" else 1.0
    if orientation != "V":
        axes[:] = axes[0] if orientation == "E" else np.eye(d)
    shapes /= np.prod(shapes, axis=1, keepdims=True) ** (1 / d)
    if shape == "E" and orientation == "V":
        shapes[:] = np.sort(shapes[0])
    return (volumes[:, None, None] * axes * shapes[:, None, :]) @ np.swapaxes(axes, 1, 2)


def to_frame(name: str, native: Native, frame: Any) -> Any:
    """Return the parameters in a frame that keeps every direction."""
    if name == "weibull":
        # κ u - c = k (log x - log λ) with log x = m + s u.
        shapes = native.first * frame.scale
        return WeibullParameters(shapes, native.first * (np.log(native.second) - frame.center))
    if name == "poisson":
        return PoissonParameters(np.log(native.first / frame.base))
    if name == "bernoulli":
        return BernoulliParameters(np.log(native.first / (1.0 - native.first)))
    if name == "categorical":
        return LevelParameters(np.log(native.first).reshape(len(native.first), -1), frame.starts)
    if name == "columns":
        names = ["categorical", "full"]
        natives = [Native(native.first), native.second]
        triples = zip(names, natives, frame.frames, strict=False)
        return tuple(to_frame(*triple) for triple in triples)
    if name in ("tied", "full"):
        means = (native.first - frame.moments.mean) @ frame.basis
        covariances = frame.basis.T @ native.second @ frame.basis
        factors = np.linalg.cholesky(covariances)
        return MatrixParameters(means, factors[:1] if name == "tied" else factors)
    if name in PARSIMONIOUS:
        return member_to_frame(FAMILIES[name], native, frame)
    means = (native.first - frame.center) / frame.scale
    variances = np.diagonal(native.second, axis1=1, axis2=2) / frame.scale**2
    return AxisParameters(means, variances[:, :1] if name == "spherical" else variances)


def member_to_frame(density: Any, native: Native, frame: Any) -> Any:
    """Return the parameters whose rows scatter as a member of the family does: that member."""
    columns = density.coordinates(native.first, frame.arrays).T
    r, J = columns.shape
    moments = columns[:, None, :] * columns[None, :, :]
    if hasattr(frame, "basis"):
        moments = moments + np.moveaxis(frame.basis.T @ native.second @ frame.basis, 0, 2)
        squares = moments[np.triu_indices(r)]
    else:
        variances = np.diagonal(native.second, axis1=1, axis2=2) / frame.scale**2
        squares = np.einsum("aaj->aj", moments) + variances.T
    record = np.vstack([np.ones(J), columns, squares])
    return density.maximise(record, None, frame, density.fixed_prior(frame, Strength(0.0)))


def scipy_log_density(name: str, native: Native, X: np.ndarray) -> np.ndarray:
    """Return ``log f_j(x_i)``, (n, J)."""
    if name == "poisson":
        return np.column_stack([poisson(m).logpmf(X).sum(axis=1) for m in native.first])
    if name == "bernoulli":
        return np.column_stack([bernoulli(p).logpmf(X).sum(axis=1) for p in native.first])
    if name == "categorical":
        columns, codes = np.arange(X.shape[1]), X.astype(int)
        return np.column_stack([np.log(s[columns, codes]).sum(axis=1) for s in native.first])
    if name == "columns":
        last = scipy_log_density("categorical", Native(native.first), X[:, -1:])
        return (
            last + scipy_log_density("full", native.second, X[:, :-1]) if X.shape[1] > 1 else last
        )
    if name == "weibull":
        pairs = zip(native.first, native.second, strict=True)
        return np.column_stack([weibull_min(k, scale=s).logpdf(X).sum(axis=1) for k, s in pairs])
    pairs = zip(native.first, native.second, strict=True)
    return np.column_stack([multivariate_normal(m, S).logpdf(X) for m, S in pairs])


def native_moments(name: str, native: Native) -> tuple[np.ndarray, np.ndarray]:
    """Return means (J, d) and covariances (J, d, d) in the features' units."""
    if name == "weibull":
        law = weibull_min(native.first, scale=native.second)
        means, variances = law.mean(), law.var()
    elif name == "poisson":
        means = variances = native.first
    elif name == "bernoulli":
        means, variances = native.first, native.first * (1.0 - native.first)
    elif name == "categorical":
        codes = np.arange(LEVELS)
        means = native.first @ codes
        variances = native.first @ codes**2 - means**2
    elif name == "columns":
        last, variance = native_moments("categorical", Native(native.first))
        means = np.hstack([native.second.first, last])
        covariances = np.zeros((len(means), means.shape[1], means.shape[1]))
        covariances[:, :-1, :-1], covariances[:, -1:, -1:] = native.second.second, variance
        return means, covariances
    else:
        return native.first, native.second
    return means, np.stack([np.diag(v) for v in variances])


def native_log_prior(name: str, case: Case, covariances: np.ndarray, strength: Any) -> float:
    """Return the fixed prior's log density, from covariances in the features' units."""
    total = np.cov(case.X.T, aweights=case.weights, ddof=0).reshape(2 * (case.X.shape[1],))
    diagonal = strength.ratio * np.diag(np.diag(total))
    out = 0.0
    for covariance in covariances[:1] if FAMILIES[name].tied else covariances:
        log_det, precision = np.linalg.slogdet(covariance)[1], np.linalg.inv(covariance)
        out -= 0.5 * strength.total * (log_det + np.trace(precision @ total))
        out -= 0.5 * strength.diagonal * (log_det + np.trace(precision @ diagonal))
    return float(out)


def native_m_step(name: str, case: Case, strength: Any) -> Native:
    """Return means and covariances ``(S_j + ν T) / (n_j + ν)`` in the features' units, by loops."""
    d, J = case.X.shape[1], case.R.shape[1]
    total = np.cov(case.X.T, aweights=case.weights, ddof=0).reshape(d, d)
    target = strength.total * total + strength.diagonal * strength.ratio * np.diag(np.diag(total))
    counts, means, scatters = np.zeros(J), np.zeros((J, d)), np.zeros((J, d, d))
    for j in range(J):
        r = case.weighted[:, j]
        counts[j], means[j] = r.sum(), np.average(case.X, axis=0, weights=r)
        for weight, x in zip(r, case.X - means[j], strict=True):
            scatters[j] += weight * np.outer(x, x)
    if name == "tied":
        counts[:], scatters[:] = counts.sum(), scatters.sum(axis=0)
    covariances = (scatters + target) / (counts + strength.count)[:, None, None]
    if name in ("diagonal", "spherical"):
        covariances *= np.eye(d)
    if name == "spherical":
        covariances = np.trace(covariances, axis1=1, axis2=2)[:, None, None] / d * np.eye(d)
    return Native(means, covariances)


def expected_objective(case: Case, parameters: Any, prior: Any) -> float:
    """Return ``Σ w_i r_ij log f_j(x_i)`` and the log prior."""
    log_prior = case.density.log_prior(parameters, case.frame, prior)
    return float(np.sum(case.weighted * case.log_density(parameters)) + log_prior)


def assert_maximum(case: Case, parameters: Any, prior: Any, *, gradient: float = 1e-4) -> None:
    """Check that no other parameters do better: by slopes, and by a search from elsewhere."""
    J = case.R.shape[1]

    def loss(vector: np.ndarray) -> float:
        candidate = case.density.from_vector(vector, J, case.frame)
        return -expected_objective(case, candidate, prior)

    best = case.density.to_vector(parameters)
    slopes = approx_fprime(best, loss, 1e-6)
    scale = np.sum(case.weights)
    assert np.max(np.abs(slopes)) < gradient * scale, slopes
    elsewhere = best + 0.3 * np.random.default_rng(0).normal(size=best.shape)
    found = minimize(loss, elsewhere, method="BFGS", options={"gtol": 1e-4 * scale})
    assert loss(best) <= found.fun + 1e-9 * scale
    assert loss(best) == pytest.approx(found.fun, abs=1e-4 * scale)
