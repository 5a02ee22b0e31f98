"""A model without features: each class has its prior, and rows differ by their labels alone."""

from __future__ import annotations

from typing import Any

import numpy as np

from labelief._typing import Array, FloatArray, IntArray
from labelief.kernels.namespace import namespace
from labelief.models.contract import MStep

__all__ = ["Featureless"]


class Featureless:
    """``p_k(x) = π_k`` whatever the row; parameters are the priors π, (K,).

    Parameters
    ----------
    n_classes : int
    """

    m_step: MStep = "exact"
    conditional = False

    def __init__(self, n_classes: int) -> None:
        self.component_class: IntArray = np.arange(n_classes)

    @property
    def width(self) -> int:
        """Doubles that a pass holds for each row."""
        return 6 * len(self.component_class)

    def start(self) -> FloatArray:
        """Return equal priors."""
        n_classes = len(self.component_class)
        return np.full(n_classes, 1.0 / n_classes)

    def factors(self, parameters: FloatArray) -> tuple[FloatArray]:
        """Return the log priors."""
        with np.errstate(divide="ignore"):
            return (np.log(parameters),)

    def features(self, X: Array, factors: Any) -> Array:
        """Kernel: return the rows, of which only the number counts."""
        return X

    def log_joint(self, features: Array, factors: tuple[Array]) -> Array:
        """Kernel: return ``log π_k`` in each row, (b, K)."""
        (log_priors,) = factors
        return namespace(log_priors).broadcast_to(
            log_priors, (features.shape[0], log_priors.shape[0])
        )

    def row_term(self, features: Array, factors: tuple[Array]) -> Array:
        """Kernel: return 0: nothing is left out."""
        xp = namespace(factors[0])
        return xp.zeros(features.shape[0], dtype=xp.float64, device=factors[0].device)

    def statistics(self, features: Array, R: Array, likelihood: Array, factors: Any) -> Array:
        """Kernel: return the weight of each class, (K,)."""
        return namespace(R).sum(R, axis=0)

    def row_term_total(self, parameters: FloatArray) -> float:
        """Return 0."""
        return 0.0

    def maximise(self, record: FloatArray, parameters: FloatArray) -> FloatArray:
        """Return ``π_k = n_k / n``."""
        return np.asarray(record / np.sum(record))

    def log_prior(self, parameters: FloatArray) -> float:
        """Return 0: class priors have none of their own."""
        return 0.0

    def renamed(self, parameters: FloatArray, names: IntArray) -> FloatArray:
        """Return the parameters with class k called ``names[k]``."""
        out = np.empty_like(parameters)
        out[names] = parameters
        return out

    def to_vector(self, parameters: FloatArray) -> FloatArray:
        """Return logits."""
        return np.asarray(np.log(np.maximum(parameters, 1e-300)))

    def from_vector(self, vector: FloatArray) -> FloatArray:
        """Return the priors of logits."""
        odds = np.exp(vector - np.max(vector))
        # A class without prior has none again.
        odds = np.where(odds <= 1e-290, 0.0, odds)
        return np.asarray(odds / np.sum(odds))

    def n_parameters(self) -> int:
        """Return K - 1."""
        return len(self.component_class) - 1
