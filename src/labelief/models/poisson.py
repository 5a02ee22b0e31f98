"""Independent Poisson features given the component: counts of words, cells, visits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from labelief._typing import Array, FloatArray, IntArray
from labelief.kernels.counts import log_factorial
from labelief.kernels.features import with_ones
from labelief.kernels.namespace import namespace
from labelief.models.discrete import DiscreteFamily, DiscreteFrame, DiscretePrior

__all__ = ["Poisson"]

# Rates relative to the mean over all rows stay where their exponentials are numbers.
_RANGE = 600.0


@dataclass(frozen=True)
class PoissonParameters:
    """Logarithms of the rates, relative to the means over all rows, (J, d)."""

    log_rates: FloatArray


class Poisson(DiscreteFamily):
    """Independent Poisson features given the component, for whole numbers of 0 or more.

    ``log f_j(x) = Σ_a [x_a log λ_ja - λ_ja - log x_a!]``, linear in ``(1, x)``.  Missing features
    (NaN) are left out of the sum.  M-step: ``λ_ja = (Σ_i r_ij x_ia + ν m_a) / (n_ja + ν)``, with
    m_a the mean over all rows: ν rows of that mean in each component are the fixed Gamma prior
    ``ν (m_a log λ_ja - λ_ja)``, so that no rate is 0.

    Parameters
    ----------
    pseudo_count : float, default=1.0
        ν is ``pseudo_count + ridge · n``.

    Examples
    --------
    >>> from labelief import GenerativeClassifier
    >>> from labelief.densities import Poisson
    >>> X = [[0, 9], [2, 7], [8, 1], [6, 0], [float("nan"), 8]]
    >>> model = GenerativeClassifier(Poisson()).fit(X, ["few", "few", "many", "many", "few"])
    >>> model.predict([[1, 6], [7, 1]])
    array(['few', 'many'], dtype='<U4')
    """

    largest = float("inf")
    support = "whole numbers of 0 or more"

    def __init__(self, pseudo_count: float = 1.0) -> None:
        self.pseudo_count = pseudo_count

    def base_mean(self, total: FloatArray, weight: FloatArray) -> FloatArray:
        """Return means over all rows, half an event in one more row included."""
        return np.asarray((total + 0.5) / (weight + 1.0))

    def common_terms(self, X: Array, base: Array) -> Array:
        """Kernel: return ``x log m - m - log x!``."""
        return X * namespace(X).log(base) - base - log_factorial(X)

    def feature_map(self, z: Array) -> Array:
        """Kernel: return ``(1, x)``."""
        return with_ones(z)

    def factors(
        self, parameters: PoissonParameters, frame: DiscreteFrame, log_weights: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return the coefficients, relative to the means m over all rows, and m."""
        excess = frame.base * np.expm1(parameters.log_rates)
        constant = log_weights - np.sum(excess, axis=1)
        gaps = [excess.T] if frame.gaps else []
        return np.vstack([constant, parameters.log_rates.T, *gaps]), frame.base

    def start(
        self, record: FloatArray, frame: DiscreteFrame, prior: DiscretePrior
    ) -> PoissonParameters:
        """Return rates held by a few more rows."""
        return self.maximise(record, None, frame, DiscretePrior(prior.count + 3.0))

    def maximise(
        self,
        record: FloatArray,
        parameters: PoissonParameters | None,
        frame: DiscreteFrame,
        prior: DiscretePrior,
    ) -> PoissonParameters:
        """Return the rates."""
        relative = self.shares(record, frame, prior) / frame.base
        with np.errstate(divide="ignore"):
            return PoissonParameters(np.clip(np.log(relative), -_RANGE, _RANGE))

    def log_prior(
        self, parameters: PoissonParameters, frame: DiscreteFrame, prior: DiscretePrior
    ) -> float:
        """Return ``ν Σ_ja (m_a log λ_ja - λ_ja)``."""
        logs = parameters.log_rates
        terms = frame.base * (logs + np.log(frame.base) - np.exp(logs))
        return float(prior.count * np.sum(terms))

    def to_vector(self, parameters: PoissonParameters) -> FloatArray:
        """Return the logarithms of the rates."""
        return parameters.log_rates.ravel()

    def from_vector(
        self, vector: FloatArray, n_components: int, frame: DiscreteFrame
    ) -> PoissonParameters:
        """Return the parameters of a vector."""
        logs = vector.reshape(n_components, frame.rank)
        return PoissonParameters(np.clip(logs, -_RANGE, _RANGE))

    def reordered(self, parameters: PoissonParameters, order: IntArray) -> PoissonParameters:
        """Return the parameters with components in another order."""
        return PoissonParameters(parameters.log_rates[order])

    def means(self, parameters: PoissonParameters, frame: DiscreteFrame) -> FloatArray:
        """Return the rates, (J, d)."""
        return np.asarray(frame.base * np.exp(parameters.log_rates))

    def covariances(self, parameters: PoissonParameters, frame: DiscreteFrame) -> FloatArray:
        """Return diagonal covariances: variances are the rates, (J, d, d)."""
        return np.asarray(self.means(parameters, frame)[:, :, None] * np.eye(frame.rank))

    def n_parameters(self, n_components: int, frame: DiscreteFrame) -> int:
        """Return the number of free parameters."""
        return n_components * frame.rank
