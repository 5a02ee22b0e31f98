"""What the array-API standard lacks, in one place."""

from __future__ import annotations

from typing import Any

import numpy as np
from array_api_compat import (
    array_namespace,
    device,
    is_cupy_array,
    is_numpy_array,
    is_torch_array,
)
from numpy.typing import NDArray
from scipy.sparse import issparse

from labelief._typing import Array, FloatArray, IntArray

_NUMPY = array_namespace(np.empty(0))

__all__ = [
    "by_columns",
    "column_product",
    "cross_product",
    "empty",
    "is_sparse",
    "namespace",
    "on_host",
    "take_features",
    "take_rows",
    "to_float64",
    "to_host",
]


def is_sparse(x: Any) -> bool:
    """Return whether `x` is a SciPy sparse matrix."""
    return bool(issparse(x))


def namespace(x: Array) -> Any:
    """Return the array-API namespace of `x` (NumPy's for SciPy sparse matrices)."""
    # The look-up costs as much as a small product; nearly all rows are NumPy's.
    if type(x) is np.ndarray or is_sparse(x):
        return _NUMPY
    return array_namespace(x)


def to_float64(x: Array) -> Array:
    """Return `x` in double precision, uncopied where it already is."""
    if type(x) is np.ndarray or is_sparse(x):
        return x.astype(np.float64, copy=False)
    xp = namespace(x)
    return x if x.dtype == xp.float64 else xp.astype(x, xp.float64)


def on_host(x: Array) -> NDArray[Any]:
    """Return `x`, of any array library and on any device, as a NumPy array of its own type."""
    if is_torch_array(x):
        x = x.detach().cpu()
    elif is_cupy_array(x):
        x = x.get()
    return np.asarray(x)


def to_host(x: Array) -> FloatArray:
    """Return `x` as a NumPy array of doubles."""
    return on_host(x).astype(np.float64, copy=False)


def empty(shape: tuple[int, ...], like: Array) -> Array:
    """Return an uninitialised array of doubles beside `like`."""
    xp = namespace(like)
    if is_numpy_array(like) or is_sparse(like):
        return np.empty(shape)
    return xp.empty(shape, dtype=xp.float64, device=device(like))


def take_rows(x: Array, index: IntArray) -> Array:
    """Return the rows of `x` at `index`, a NumPy array, in the library that `x` is of."""
    if is_numpy_array(x) or is_sparse(x):
        return x[index]
    xp = namespace(x)
    return xp.take(x, xp.asarray(index, device=device(x)), axis=0)


def take_features(x: Array, columns: Array) -> Array:
    """Return some columns of `x`, of the library that `columns` is of too."""
    return namespace(x).take(x, columns, axis=1)


def by_columns(x: Array) -> Array:
    """Return a (b, K) array with contiguous columns, as products have them.

    Arrays of two orders in one expression cost more than this copy.
    """
    if type(x) is np.ndarray:
        return np.asfortranarray(x)
    return x.T.contiguous().T if is_torch_array(x) else x


def column_product(features: Array, coefficients: Array) -> Array:
    """Return ``features @ coefficients``, (b, J), with contiguous columns.

    Parameters
    ----------
    features : (b, p) array or sparse matrix
    coefficients : (p, J) array
    """
    if is_sparse(features):
        return np.asfortranarray(features @ coefficients)
    return (coefficients.T @ features.T).T


def cross_product(features: Array, responsibilities: Array) -> Array:
    """Return ``featuresᵀ @ responsibilities``, (p, J): weighted sums of the features."""
    return (responsibilities.T @ features).T
