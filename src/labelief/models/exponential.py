"""Exponential families: one product for the densities, the transposed product for the sums."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from labelief._typing import Array, FloatArray
from labelief.kernels.namespace import column_product, cross_product, namespace
from labelief.models.abilities import PlainDensity

__all__ = ["ExponentialFamily"]


class ExponentialFamily(PlainDensity):
    """Densities ``log f_j(x) = φ(x)·η_j`` with φ starting by 1 and ``factors = (η,)``, η (p, J).

    The additive record is ``Φᵀ R``, (p, J); its first row holds the components' weights.
    """

    @abstractmethod
    def features(self, X: Array, arrays: Any) -> Array:
        """Kernel: return φ, (b, p)."""

    def log_density(self, features: Array, factors: Any) -> Array:
        """Kernel: return ``φ·η``, (b, J)."""
        return column_product(features, factors[0])

    def row_term(self, features: Array, arrays: Any, factors: Any) -> Array:
        """Kernel: return the common term left out: 0."""
        return namespace(features).zeros_like(features[:, 0])

    def row_term_total(self, parameters: Any, frame: Any) -> float:
        """Return the sum of the common term: 0."""
        return 0.0

    def statistics(self, features: Array, R: Array, factors: Any) -> Array:
        """Kernel: return ``Φᵀ R``, (p, J)."""
        return cross_product(features, R)

    def start_statistics(self, X: Array, R: Array, arrays: Any) -> Array:
        """Kernel: return ``Φᵀ R``, (p, J)."""
        return cross_product(self.features(X, arrays), R)

    def expected_log_density(self, record: FloatArray, factors: tuple[FloatArray, ...]) -> float:
        """Return ``Σ_ij r_ij log w_j f_j(x_i)`` (but for row terms): linear in the record."""
        coefficients = np.where(record[0] > 0, factors[0], 0.0)
        return float(np.sum(record * coefficients))

    def counts(self, record: FloatArray) -> FloatArray:
        """Return the weight of each component, (J,)."""
        return np.asarray(record[0])
