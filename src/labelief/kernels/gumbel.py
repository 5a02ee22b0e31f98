"""Weibull features in log coordinates, where they are a location-scale family.

With u = (log x - m) / s a Weibull feature has density ``κ exp(t - e^t)``, ``t = κ u - c``.
"""

from __future__ import annotations

from typing import NamedTuple

from labelief._typing import Array
from labelief.kernels.namespace import cross_product, empty, namespace

__all__ = ["ExponentialSums", "exponential_sums", "hazards"]

# exp(690) is finite, and so is a sum of many of them.
_LARGEST = 690.0


class ExponentialSums(NamedTuple):
    """Weighted sums over rows: of (1, u), (1 + r, J), and of u^q e^t, (J, r), for q = 0, 1, 2."""

    linear: Array
    zeroth: Array
    first: Array
    second: Array


def _exponentials(u: Array, shape: Array, location: Array) -> Array:
    """Return ``e^t`` for one component, (b, r), held below overflow."""
    xp = namespace(u)
    t = u * shape - location
    return xp.exp(xp.where(t < _LARGEST, t, xp.full_like(t, _LARGEST)))


def hazards(u: Array, shapes: Array, locations: Array) -> Array:
    """Return ``Σ_a e^{t_ja}``, (b, J)."""
    xp = namespace(u)
    out = empty((u.shape[0], shapes.shape[0]), u)
    for j in range(shapes.shape[0]):
        out[:, j] = xp.sum(_exponentials(u, shapes[j, :], locations[j, :]), axis=1)
    return out


def exponential_sums(features: Array, R: Array, shapes: Array, locations: Array) -> ExponentialSums:
    """Return the sums of an M-step; `features` is ``(1, u)``."""
    xp = namespace(features)
    u = features[:, 1:]
    sums = []
    for j in range(shapes.shape[0]):
        weighted = _exponentials(u, shapes[j, :], locations[j, :]) * R[:, j : j + 1]
        by_u = weighted * u
        sums.append([xp.sum(weighted, axis=0), xp.sum(by_u, axis=0), xp.sum(by_u * u, axis=0)])
    zeroth, first, second = (xp.stack([s[q] for s in sums]) for q in range(3))
    return ExponentialSums(cross_product(features, R), zeroth, first, second)
