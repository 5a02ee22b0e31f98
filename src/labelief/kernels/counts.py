"""Whole numbers: log factorials, indicators of levels, and what is none."""

from __future__ import annotations

import math

import numpy as np
from array_api_compat import device

from labelief._typing import Array
from labelief.kernels.namespace import namespace, take_features

__all__ = ["indicators", "log_factorial", "not_in"]

_TABLE = np.array([math.lgamma(k + 1.0) for k in range(32)])
_HALF_LOG_2PI = 0.5 * math.log(2.0 * math.pi)


def log_factorial(x: Array) -> Array:
    """Return ``log x!`` of whole numbers: a table, and Stirling's series from 32 on.

    ``log Γ(z) = (z - ½) log z - z + ½ log 2π + 1/(12 z) - 1/(360 z³) + 1/(1260 z⁵)`` at z = x + 1,
    whose error is below ``1/(1680 z⁷) < 1e-14``.
    """
    xp = namespace(x)
    small = x < float(len(_TABLE))
    table = xp.asarray(_TABLE, device=device(x))
    index = xp.astype(xp.where(small, x, xp.zeros_like(x)), xp.int64)
    known = xp.reshape(xp.take(table, xp.reshape(index, (-1,)), axis=0), x.shape)
    z = xp.where(small, xp.full_like(x, 1.0 + len(_TABLE)), x + 1.0)
    inverse = 1.0 / z
    square = inverse * inverse
    tail = inverse * (1.0 / 12.0 - square * (1.0 / 360.0 - square * (1.0 / 1260.0)))
    return xp.where(small, known, (z - 0.5) * xp.log(z) - z + _HALF_LOG_2PI + tail)


def indicators(X: Array, columns: Array, levels: Array) -> Array:
    """Return 1 where ``x[columns_l]`` is ``levels_l``, (b, L); nothing is where x is missing."""
    xp = namespace(X)
    return xp.astype(take_features(X, columns) == levels, xp.float64)


def not_in(X: Array, largest: Array) -> Array:
    """Return where X, if it is there, is no whole number from 0 to `largest`, (b, d) of bool."""
    xp = namespace(X)
    whole = xp.logical_and(xp.floor(X) == X, xp.logical_and(X >= 0.0, X <= largest))
    return xp.logical_not(xp.logical_or(whole, xp.isnan(X)))
