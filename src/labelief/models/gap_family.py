"""Exponential families of independent features, of which some may be missing."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from labelief._typing import Array, FloatArray
from labelief.kernels.gaps import with_gaps
from labelief.kernels.namespace import column_product, cross_product, namespace
from labelief.models.exponential import ExponentialFamily

__all__ = ["GapFamily"]


class GapFamily(ExponentialFamily):
    """Families whose features are ``φ = (1, ψ(z), u)``, with u = 1 for each missing feature.

    ψ is 0 where a missing feature is put at 0, so that only the constant knows of it, and the
    coefficients of u take its term out again: a missing feature is left out of the product.  Where
    rows are complete there is no u, and nobody looks for missing features in the first place.
    """

    missing = True

    @abstractmethod
    def rows(self, X: Array, arrays: Any) -> Array:
        """Kernel: return the rows in the frame, (b, r), missing features as NaN."""

    @abstractmethod
    def feature_map(self, z: Array) -> Array:
        """Kernel: return ``(1, ψ(z))`` of complete rows."""

    @abstractmethod
    def n_features(self, arrays: Any) -> int:
        """Return how many features `feature_map` makes."""

    @abstractmethod
    def may_miss(self, arrays: Any) -> bool:
        """Whether the frame's rows may have missing features."""

    def features(self, X: Array, arrays: Any) -> Array:
        """Kernel: return ``(1, ψ(z))``, with u in blocks that miss features."""
        z = self.rows(X, arrays)
        return with_gaps(self.feature_map, z) if self.may_miss(arrays) else self.feature_map(z)

    def log_density(self, features: Array, factors: Any) -> Array:
        """Kernel: return ``φ·η``, (b, J)."""
        return column_product(features, factors[0][: features.shape[1], :])

    def statistics(self, features: Array, R: Array, factors: Any) -> Array:
        """Kernel: return ``Φᵀ R``, (p, J)."""
        return _as_long(cross_product(features, R), factors[0].shape[0])

    def start_statistics(self, X: Array, R: Array, arrays: Any) -> Array:
        """Kernel: return ``Φᵀ R``, (p, J)."""
        size = self.n_features(arrays)
        if self.may_miss(arrays):
            size += self.rank_of(arrays)
        return _as_long(cross_product(self.features(X, arrays), R), size)

    def rank_of(self, arrays: Any) -> int:
        """Return the number of features of the frame."""
        return int(arrays[1].shape[0])

    def observed(self, record: FloatArray, frame: Any) -> FloatArray:
        """Return the weight of the rows that have each feature, (J, r); (J, 1) if all have all."""
        counts: FloatArray = np.asarray(record[0])[:, None]
        if not frame.gaps:
            return counts
        # What rounding leaves of a feature that no row of a component has is nothing.
        left = counts - record[-frame.rank :].T if frame.rank else counts[:, :0]
        return np.asarray(np.where(left > 1e-12 * counts, left, 0.0), dtype=np.float64)


def _as_long(record: Array, size: int) -> Array:
    """Return the record with zeros for features that the block did not have."""
    lacking = size - record.shape[0]
    if lacking <= 0:
        return record
    xp = namespace(record)
    zeros = xp.zeros((lacking, record.shape[1]), dtype=record.dtype, device=record.device)
    return xp.concat([record, zeros], axis=0)
