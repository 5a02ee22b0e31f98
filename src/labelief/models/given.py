"""Class probabilities that come from elsewhere: the rows are their logarithms."""

from __future__ import annotations

from typing import Any

import numpy as np

from labelief._typing import Array, FloatArray, IntArray
from labelief.kernels.namespace import namespace
from labelief.models.contract import MStep

__all__ = ["GivenProbabilities"]


class GivenProbabilities:
    """``Pr(k | x_i)`` as some classifier gave it: row i holds ``log Pr(k | x_i)``, (n, K).

    The parameters are the responsibilities that this classifier learned from, (n, K), or None once
    these are forgotten; whoever drives the fit turns them into the next rows.

    Parameters
    ----------
    n_classes : int
    """

    m_step: MStep = "refit"
    conditional = True

    def __init__(self, n_classes: int) -> None:
        self.component_class: IntArray = np.arange(n_classes)

    @property
    def width(self) -> int:
        """Doubles that a pass holds for each row."""
        return 6 * len(self.component_class)

    def factors(self, parameters: Any) -> tuple[Any, ...]:
        """Return nothing: the rows say it all."""
        return ()

    def features(self, X: Array, factors: Any) -> Array:
        """Kernel: return the rows."""
        return X

    def log_joint(self, features: Array, factors: Any) -> Array:
        """Kernel: return ``log Pr(k | x)``, (b, K)."""
        return features

    def row_term(self, features: Array, factors: Any) -> Array:
        """Kernel: return 0: nothing is left out."""
        return namespace(features).zeros_like(features[:, 0])

    def statistics(self, features: Array, R: Array, likelihood: Array, factors: Any) -> Array:
        """Kernel: return the weight of each class, (K,)."""
        return namespace(R).sum(R, axis=0)

    def row_term_total(self, parameters: Any) -> float:
        """Return 0."""
        return 0.0

    def maximise(self, record: Any, parameters: Any) -> Any:
        """Return the parameters: a record of sums cannot refit a classifier."""
        return parameters

    def log_prior(self, parameters: Any) -> float:
        """Return 0: what the classifier holds against its parameters is its own affair."""
        return 0.0

    def renamed(self, parameters: FloatArray, names: IntArray) -> FloatArray:
        """Return the responsibilities with class k called ``names[k]``."""
        out = np.empty_like(parameters)
        out[:, names] = parameters
        return out

    def to_vector(self, parameters: Any) -> FloatArray:
        """Return an empty vector: there is nothing to climb."""
        return np.empty(0)

    def from_vector(self, vector: FloatArray) -> None:
        """Return nothing."""

    def n_parameters(self) -> int:
        """Return 0: none is known here."""
        return 0
