"""Labels that mean what they say: pl is given and fixed."""

from __future__ import annotations

from typing import Self

import numpy as np
from sklearn.base import BaseEstimator, clone

from labelief._typing import FloatArray, IntArray
from labelief.blocks.evidence import Evidence, Likelihoods
from labelief.channels.contract import BoundChannel

__all__ = ["BoundTrust", "Trusted", "symbol_table"]


def symbol_table(matrix: FloatArray) -> FloatArray:
    """Return log likelihoods of symbols: classes, unknown, verified classes, unknown again.

    Parameters
    ----------
    matrix : (K, K) array
        ``matrix[k, j] = γ(j | k)``.

    Returns
    -------
    (K, 2 (K + 1)) array
    """
    unknown = np.ones((len(matrix), 1))
    with np.errstate(divide="ignore"):
        return np.log(np.hstack([matrix, unknown, np.eye(len(matrix)), unknown]))


class BoundTrust:
    """A channel without parameters: ``pl_i(k)`` as observed."""

    learned = False
    transparent = True

    def __init__(self, n_classes: int) -> None:
        self.n_classes = n_classes

    def aligned(self, evidence: Evidence) -> Evidence:
        """Return the evidence: its symbols are the classes."""
        return evidence

    def reading(self, evidence: Evidence) -> Self:
        """Return the channel: its symbols are the classes."""
        return self

    def start(self) -> None:
        """Return nothing: there are no parameters."""

    def first_look(self) -> Likelihoods:
        """Return the identity."""
        return self.likelihoods(None)

    def likelihoods(self, parameters: None) -> Likelihoods:
        """Return the identity."""
        return Likelihoods(None, symbol_table(np.eye(self.n_classes)))

    def maximise(self, counts: FloatArray, parameters: None) -> None:
        """Return nothing."""

    def log_prior(self, parameters: None) -> float:
        """Return 0."""
        return 0.0

    def gradient(self, counts: FloatArray, parameters: None) -> FloatArray:
        """Return an empty vector."""
        return np.empty(0)

    def to_vector(self, parameters: None) -> FloatArray:
        """Return an empty vector."""
        return np.empty(0)

    def from_vector(self, vector: FloatArray) -> None:
        """Return nothing."""

    def naming(self, counts: FloatArray, sizes: IntArray) -> None:
        """Leave the names: labels fix them."""

    def renamed(self, parameters: None, names: IntArray) -> None:
        """Return nothing."""

    def n_parameters(self) -> int:
        """Return 0."""
        return 0


class Trusted(BaseEstimator):
    """Take the labels as they are: their plausibilities are the likelihood of what was observed.

    Examples
    --------
    >>> from labelief import LinearDiscriminantAnalysis, Trusted
    >>> LinearDiscriminantAnalysis(channel=Trusted()).fit(
    ...     [[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1]
    ... )
    LinearDiscriminantAnalysis(channel=Trusted())
    """

    form = "labels"

    def bind(self, n_classes: int, evidence: Evidence) -> BoundTrust:
        """Return the part that a fit works with."""
        return BoundTrust(n_classes)

    def fitted(self, bound: BoundChannel, parameters: None) -> Trusted:
        """Return a copy: nothing is learned."""
        copy: Trusted = clone(self)
        return copy
