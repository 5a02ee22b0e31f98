"""Rows with missing features (NaN): what stands in their place, and which are missing."""

from __future__ import annotations

from collections.abc import Callable

from labelief._typing import Array
from labelief.kernels.namespace import namespace

__all__ = ["any_missing", "filled", "with_gaps"]


def any_missing(z: Array) -> bool:
    """Return whether some number may be missing: a sum tells, but infinities may deceive it."""
    total = namespace(z).sum(z)
    return bool(total != total)


def filled(z: Array) -> tuple[Array, Array]:
    """Return the rows with 0 in place of what is missing, and 1 where it is, both (b, r)."""
    xp = namespace(z)
    gone = xp.isnan(z)
    return xp.where(gone, xp.zeros_like(z), z), xp.astype(gone, z.dtype)


def with_gaps(feature_map: Callable[[Array], Array], z: Array) -> Array:
    """Return ``(φ(z⁰), u)``: φ where missing features are 0, and u = 1 for each that is missing.

    φ is such that a feature of 0 adds nothing to ``φ(z)·η`` but what is in the constant, so the
    coefficients of u take out of the constant what belongs to missing features.  Where a block
    misses none, u is left out.
    """
    if not any_missing(z):
        return feature_map(z)
    z, gone = filled(z)
    return namespace(z).concat([feature_map(z), gone], axis=1)
