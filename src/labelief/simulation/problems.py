"""Artificial problems of doquire2012 §5.2, of which the relevant features are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from labelief._typing import FloatArray, IntArray
from labelief.simulation.draws import rng_of

__all__ = [
    "make_circle",
    "make_cosine_product",
    "make_friedman_classes",
    "make_spheres",
    "make_squares",
]

_CENTRES = np.array([[1, 1, 1], [1, 3, 3], [3, 3, 1], [3, 1, 3]]) / 4


def make_spheres(n: int = 50, *, random_state: Any = None) -> tuple[FloatArray, IntArray]:
    """Draw rows inside four spheres of radius 0.25, one for each class.

    Parameters
    ----------
    n : int, default=50
    random_state : int, RandomState, Generator or None

    Returns
    -------
    X : (n, 6) array
        The first three features are relevant, the others uniform.
    y : (n,) array of int

    Examples
    --------
    >>> X, y = make_spheres(random_state=0)
    >>> X.shape, sorted(set(y.tolist()))
    ((50, 6), [0, 1, 2, 3])
    """

    def classes(X: FloatArray) -> IntArray:
        squared = ((X[:, None, :3] - _CENTRES) ** 2).sum(axis=2)
        return np.where(squared.min(axis=1) <= 0.25**2, squared.argmin(axis=1), -1)

    return _drawn(n, 6, classes, random_state)


def make_squares(n: int = 100, *, random_state: Any = None) -> tuple[FloatArray, IntArray]:
    """Draw rows in four adjoining squares, one for each class.

    Parameters
    ----------
    n : int, default=100
    random_state : int, RandomState, Generator or None

    Returns
    -------
    X : (n, 6) array
        The first two features are relevant, the others uniform.
    y : (n,) array of int

    Examples
    --------
    >>> X, y = make_squares(random_state=0)
    >>> bool(((X[:, 0] > 0.5) + 2 * (X[:, 1] > 0.5) == y).all())
    True
    """

    def classes(X: FloatArray) -> IntArray:
        return (X[:, 0] > 0.5).astype(np.int64) + 2 * (X[:, 1] > 0.5)

    return _drawn(n, 6, classes, random_state)


def make_circle(n: int = 500, *, random_state: Any = None) -> tuple[FloatArray, IntArray]:
    """Draw rows inside a circle of radius 0.4 (class 1) and outside one of radius 0.45 (class 0).

    Parameters
    ----------
    n : int, default=500
    random_state : int, RandomState, Generator or None

    Returns
    -------
    X : (n, 6) array
        The first two features are relevant, the others uniform.
    y : (n,) array of int

    Examples
    --------
    >>> X, y = make_circle(random_state=0)
    >>> X.shape, set(y.tolist())
    ((500, 6), {0, 1})
    """

    def classes(X: FloatArray) -> IntArray:
        radius = np.hypot(X[:, 0] - 0.5, X[:, 1] - 0.5)
        return np.where(radius <= 0.4, 1, np.where(radius >= 0.45, 0, -1))

    return _drawn(n, 6, classes, random_state)


def make_cosine_product(n: int = 300, *, random_state: Any = None) -> tuple[FloatArray, IntArray]:
    """Cut ``cos(2 f1) cos(f3) exp(2 f3) exp(2 f4)`` into three classes of equal size (eq. 11).

    Parameters
    ----------
    n : int, default=300
    random_state : int, RandomState, Generator or None

    Returns
    -------
    X : (n, 10) array
        Features 0, 2 and 3 are relevant.
    y : (n,) array of int

    Examples
    --------
    >>> import numpy as np
    >>> np.bincount(make_cosine_product(random_state=0)[1])
    array([100, 100, 100])
    """

    def value(X: FloatArray) -> FloatArray:
        f1, f3, f4 = X[:, 0], X[:, 2], X[:, 3]
        return np.asarray(np.cos(2 * f1) * np.cos(f3) * np.exp(2 * f3) * np.exp(2 * f4))

    return _ranked(n, 3, value, random_state)


def make_friedman_classes(n: int = 300, *, random_state: Any = None) -> tuple[FloatArray, IntArray]:
    """Cut ``10 sin(f1 f2) + 20 (f3 - 0.5)² + 10 f4 + 5 f5`` into two classes (eq. 12).

    Parameters
    ----------
    n : int, default=300
    random_state : int, RandomState, Generator or None

    Returns
    -------
    X : (n, 10) array
        The first five features are relevant.
    y : (n,) array of int

    Examples
    --------
    >>> import numpy as np
    >>> np.bincount(make_friedman_classes(random_state=0)[1])
    array([150, 150])
    """

    def value(X: FloatArray) -> FloatArray:
        f1, f2, f3, f4, f5 = X[:, :5].T
        return np.asarray(10 * np.sin(f1 * f2) + 20 * (f3 - 0.5) ** 2 + 10 * f4 + 5 * f5)

    return _ranked(n, 2, value, random_state)


def _drawn(
    n: int, d: int, classes: Callable[[FloatArray], IntArray], random_state: Any
) -> tuple[FloatArray, IntArray]:
    """Draw uniform rows until n of them are of some class (0 or more)."""
    rng = rng_of(random_state)
    X, y = np.empty((0, d)), np.empty(0, dtype=np.int64)
    while len(y) < n:
        rows = rng.uniform(size=(2 * n + 16, d))
        found = classes(rows)
        X, y = np.vstack([X, rows[found >= 0]]), np.append(y, found[found >= 0])
    return X[:n], y[:n].astype(np.int64)


def _ranked(
    n: int, n_classes: int, value: Callable[[FloatArray], FloatArray], random_state: Any
) -> tuple[FloatArray, IntArray]:
    """Cut uniform rows, in the order of a value, into classes of equal size."""
    X = np.asarray(rng_of(random_state).uniform(size=(n, 10)))
    y = np.empty(n, dtype=np.int64)
    y[np.argsort(value(X))] = np.arange(n) * n_classes // n
    return X, y
