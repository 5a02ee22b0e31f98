"""Feature maps of exponential families: ``log f_j(x) = φ(x)·η_j + (a term common to all j)``.

Every map starts with a column of ones, so that one product gives log densities with their constants
and one transposed product gives the counts with the sums.
"""

from __future__ import annotations

from labelief._typing import Array
from labelief.kernels.namespace import empty, namespace, to_float64

__all__ = [
    "scaled",
    "whitened",
    "with_ones",
    "with_products",
    "with_squared_norm",
    "with_squares",
]


def scaled(X: Array, columns: Array | None, center: Array, inverse_scale: Array) -> Array:
    """Return ``(x - m) / s`` over the kept columns, (b, r)."""
    X = to_float64(X)
    if columns is not None:
        X = namespace(X).take(X, columns, axis=1)
    return (X - center) * inverse_scale


def whitened(X: Array, center: Array, basis: Array) -> Array:
    """Return ``(x - m) @ basis``, (b, r), columns contiguous."""
    return (basis.T @ (to_float64(X) - center).T).T


def with_ones(z: Array) -> Array:
    """Return ``(1, z)``, (b, 1 + r)."""
    phi = empty((z.shape[0], z.shape[1] + 1), z)
    phi[:, 0] = 1.0
    phi[:, 1:] = z
    return phi


def with_squares(z: Array) -> Array:
    """Return ``(1, z, z²)``, (b, 1 + 2r)."""
    rows, r = z.shape
    phi = empty((rows, 1 + 2 * r), z)
    phi[:, 0] = 1.0
    phi[:, 1 : r + 1] = z
    phi[:, r + 1 :] = z * z
    return phi


def with_squared_norm(z: Array) -> Array:
    """Return ``(1, z, ‖z‖²)``, (b, 2 + r)."""
    xp = namespace(z)
    rows, r = z.shape
    phi = empty((rows, r + 2), z)
    phi[:, 0] = 1.0
    phi[:, 1 : r + 1] = z
    phi[:, r + 1] = xp.sum(z * z, axis=1)
    return phi


def with_products(z: Array) -> Array:
    """Return ``(1, z, z_a z_b for a ≤ b)``, (b, 1 + r + r(r+1)/2), columns contiguous.

    The products come row by row of the upper triangle: (0,0), (0,1), ..., (1,1), (1,2), ...
    """
    rows, r = z.shape
    zt = z.T
    phi = empty((1 + r + r * (r + 1) // 2, rows), z)
    phi[0, :] = 1.0
    phi[1 : r + 1, :] = zt
    start = r + 1
    for a in range(r):
        stop = start + r - a
        phi[start:stop, :] = zt[a, :] * zt[a:, :]
        start = stop
    return phi.T
