"""Sums of the features by class: how many, the sum and the sum of squares."""

from __future__ import annotations

from typing import Any

import numpy as np

from labelief._typing import Array
from labelief.kernels.namespace import namespace, to_float64

__all__ = ["class_moments", "row_shares", "stored_class_moments"]

_CELLS = 1 << 17
_FEW = 2


def row_shares(weights: Array, row_weights: Array | None) -> Array:
    """Divide each row of class weights by its sum, and multiply it by the row's weight, (b, K)."""
    xp = namespace(weights)
    factor = 1.0 / xp.sum(weights, axis=1)
    if row_weights is not None:
        factor = factor * row_weights
    return weights * factor[:, None]


def class_moments(
    X: Array, shares: Array, pooled: Array | None, shift: Array | None, factor: Array | None
) -> tuple[Array, Array]:
    """Return ``PᵀZ``, (K, d), and ``QᵀZ²``, (m, d), with ``Z = (X - shift) · factor``.

    Parameters
    ----------
    X : (b, d) array
    shares : (b, K) array, P
    pooled : (b, m) array or None
        The weights Q of the squares, few columns; None takes P.
    shift, factor : (d,) array or None
        None leaves the features as they are: a pass over the block less.
    """
    first = second = 0.0
    scratch = None
    # Some rows at a time, so that a cache still holds their squares; more of them ask for the
    # interpreter's lock less often.
    step = max(64, _CELLS // max(1, X.shape[1]))
    for start in range(0, X.shape[0], step):
        part = slice(start, min(start + step, X.shape[0]))
        Z = to_float64(X[part, :])
        if shift is not None:
            Z = Z - shift
        if factor is not None:
            Z = Z * factor
        # fresh memory for every square costs a fifth of the time
        scratch = np.empty_like(Z) if scratch is None and type(Z) is np.ndarray else scratch
        squares = Z * Z if scratch is None else np.square(Z, out=scratch[: len(Z)])
        P = shares[part, :]
        second = second + _product(P if pooled is None else pooled[part, :], squares)
        first = first + _product(P, Z)
    return first, second


def _product(Q: Array, Z: Array) -> Array:
    """Return ``QᵀZ``; a few columns one by one, which is done sooner than a narrow product."""
    if Q.shape[1] > _FEW:
        return Q.T @ Z
    return namespace(Z).stack([Q[:, m] @ Z for m in range(Q.shape[1])])


def stored_class_moments(
    X: Any, shares: Array, pooled: Array | None, shift: Array | None, factor: Array | None
) -> tuple[Array, Array, Array]:
    """Return :func:`class_moments` over the stored entries of a CSR block, and ``Pᵀ[stored]``.

    Zeros that are not stored all have the value ``-shift · factor``: what they add follows from
    the third array, and nothing is ever made dense.
    """
    Z = X.astype(np.float64)  # a copy
    if shift is not None:
        Z.data -= shift[Z.indices]
    if factor is not None:
        Z.data *= factor[Z.indices]
    first = Z.T @ shares
    Z.data **= 2
    second = Z.T @ (shares if pooled is None else pooled)
    Z.data[:] = 1.0
    return first.T, second.T, (Z.T @ shares).T
