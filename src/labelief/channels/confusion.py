"""Confusion matrices γ(symbol | true class) that are learned: their start, prior and coordinates.

Everything here takes arrays of shape (..., K, S): one matrix or a batch of them, rows = true class,
rows summing to one.  The first K of the S symbols are the classes.
"""

from __future__ import annotations

import warnings

import numpy as np
from scipy.optimize import linear_sum_assignment

from labelief._typing import FloatArray, IntArray

__all__ = [
    "best_names",
    "from_logits",
    "logit_gradient",
    "near_identity",
    "pseudo_counts",
    "row_shares",
    "warn_of_doubtful_names",
]

# Dirichlet pseudo-counts beyond flat (methods §1): the prior belief that labels are mostly right.
_ON_DIAGONAL, _OFF_DIAGONAL = 1.0, 0.1
# The start: labels are right this often.
_START = 0.8


def near_identity(n_classes: int, n_symbols: int) -> FloatArray:
    """Return the (K, S) matrix of labels that are right 8 times in 10, wrong ones all alike."""
    if n_symbols == 1:
        return np.ones((n_classes, 1))
    right = np.eye(n_classes, n_symbols)
    return _START * right + (1.0 - _START) / (n_symbols - 1) * (1.0 - right)


def pseudo_counts(n_classes: int, n_symbols: int) -> FloatArray:
    """Return the Dirichlet prior's pseudo-counts beyond flat, (K, S)."""
    right = np.eye(n_classes, n_symbols)
    return _ON_DIAGONAL * right + _OFF_DIAGONAL * (1.0 - right)


def row_shares(counts: FloatArray) -> FloatArray:
    """Return counts divided by their row's sum."""
    return np.asarray(counts / np.sum(counts, axis=-1, keepdims=True))


def from_logits(logits: FloatArray) -> FloatArray:
    """Return the matrices whose logarithms these are, up to a constant of each row."""
    # An entry of 0 has no logarithm and would never leave 0.
    return row_shares(np.exp(logits - np.max(logits, axis=-1, keepdims=True)) + 1e-300)


def logit_gradient(counts: FloatArray, matrices: FloatArray) -> FloatArray:
    """Return the gradient of ``Σ counts log γ`` in logits: counts minus their expectation."""
    return np.asarray(counts - np.sum(counts, axis=-1, keepdims=True) * matrices)


def best_names(agreement: FloatArray, sizes: IntArray) -> IntArray | None:
    """Assign names to latent classes so that labels agree with them most (methods.md §1).

    Parameters
    ----------
    agreement : (K, K) array
        Expected count of rows of latent class k (row) that are labelled j (column).
    sizes : (K,) integer array
        Numbers of components; only classes of equal sizes may exchange names.

    Returns
    -------
    (K,) integer array or None
        The name of each latent class; None where they bear the best names already.
    """
    exchange = sizes[:, None] == sizes[None, :]
    total = float(np.sum(agreement))
    # More than any sum of counts keeps classes of unequal sizes apart.
    cost = np.where(exchange, -agreement, 2.0 * total + 1.0)
    _, names = linear_sum_assignment(cost)
    gain = np.sum(agreement[np.arange(len(names)), names]) - np.trace(agreement)
    return names if gain > 1e-9 * total else None


def warn_of_doubtful_names(matrix: FloatArray, who: str) -> None:
    """Warn where a class is mostly called something else: its name is then in doubt."""
    doubtful = np.flatnonzero(np.diagonal(matrix) < np.max(matrix, axis=1))
    if len(doubtful):
        k = int(doubtful[0])
        warnings.warn(
            f"{who} calls true class {k} by another name more often than by its own (classes "
            f"counted from 0 in the order of classes_; {len(doubtful)} of {len(matrix)} classes): "
            "classes and labels may be matched wrongly. Verified rows or held priors would tell.",
            UserWarning,
            stacklevel=5,
        )
