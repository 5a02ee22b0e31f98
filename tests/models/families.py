"""Every density with parameters in the features' own units, and its log density by SciPy.

Nothing here knows of frames but `to_frame`, which writes down what coordinates mean.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import multivariate_normal, weibull_min

from labelief.blocks import ArrayBlocks
from labelief.densities import (
    DiagonalGaussian,
    FullGaussian,
    SphericalGaussian,
    TiedGaussian,
    Weibull,
)
from labelief.models.axis_gaussian import AxisParameters
from labelief.models.gaussian import MatrixParameters
from labelief.models.weibull import WeibullParameters

FAMILIES = {
    "tied": TiedGaussian(),
    "full": FullGaussian(),
    "diagonal": DiagonalGaussian(),
    "spherical": SphericalGaussian(),
    "weibull": Weibull(),
}
GAUSSIANS = [name for name in FAMILIES if name != "weibull"]


@dataclass
class Native:
    """Parameters in the features' units: means and covariances, or Weibull shapes and scales."""

    first: np.ndarray
    second: np.ndarray


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
    weights = rng.uniform(0.3, 2.5, n)
    R = rng.dirichlet(np.ones(J), n)
    blocks = ArrayBlocks(X, weights=weights)
    frame = density.frame(blocks)
    native = random_native(name, X, J, rng)
    return Case(density, X, weights, R, blocks, frame, native, to_frame(name, native, frame))


def random_native(name: str, X: np.ndarray, J: int, rng: np.random.Generator) -> Native:
    """Return parameters in the neighbourhood of the features."""
    d, sd = X.shape[1], X.std(axis=0)
    if name == "weibull":
        spread = np.log(X).std(axis=0)
        shapes = rng.uniform(0.6, 2.0, (J, d)) / spread
        return Native(shapes, np.exp(np.log(X).mean(axis=0) + spread * rng.normal(size=(J, d)) / 2))
    means = X.mean(axis=0) + sd * rng.normal(size=(J, d))
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


def to_frame(name: str, native: Native, frame: Any) -> Any:
    """Return the parameters in a frame that keeps every direction."""
    if name == "weibull":
        # κ u - c = k (log x - log λ) with log x = m + s u.
        shapes = native.first * frame.scale
        return WeibullParameters(shapes, native.first * (np.log(native.second) - frame.center))
    if name in ("tied", "full"):
        means = (native.first - frame.moments.mean) @ frame.basis
        covariances = frame.basis.T @ native.second @ frame.basis
        factors = np.linalg.cholesky(covariances)
        return MatrixParameters(means, factors[:1] if name == "tied" else factors)
    means = (native.first - frame.center) / frame.scale
    variances = np.diagonal(native.second, axis1=1, axis2=2) / frame.scale**2
    return AxisParameters(means, variances[:, :1] if name == "spherical" else variances)


def scipy_log_density(name: str, native: Native, X: np.ndarray) -> np.ndarray:
    """Return ``log f_j(x_i)``, (n, J)."""
    if name == "weibull":
        pairs = zip(native.first, native.second, strict=True)
        return np.column_stack([weibull_min(k, scale=s).logpdf(X).sum(axis=1) for k, s in pairs])
    pairs = zip(native.first, native.second, strict=True)
    return np.column_stack([multivariate_normal(m, S).logpdf(X) for m, S in pairs])
