"""Rows out of a batch by any key that NumPy takes for one axis."""

from __future__ import annotations

from typing import Any

import numpy as np

from labelief._typing import IntArray


def row_numbers(key: Any, n: int) -> IntArray:
    """Turn a key into row numbers.

    Parameters
    ----------
    key : int, slice, Ellipsis, integer or boolean array-like, or ``(key, ...)``
        What stands between the brackets.
    n : int
        Number of rows.

    Returns
    -------
    (m,) int64 array
        Rows, each in 0..n-1; an int gives one row.

    Examples
    --------
    >>> row_numbers(-1, 4), row_numbers(slice(2), 4)
    (array([3]), array([0, 1]))
    """
    if isinstance(key, tuple):
        if len(key) == 2 and key[1] is Ellipsis:
            key = key[0]
        elif len(key) == 1:
            key = key[0]
        else:
            raise IndexError("only rows can be chosen: y[rows] or y[rows, ...]")
    if key is Ellipsis:
        key = slice(None)
    if not isinstance(key, slice):
        key = np.asarray(key)
        if key.size == 0 and key.dtype != np.bool_:
            key = key.astype(np.int64)
        if key.ndim > 1 or key.dtype.kind not in "biu" or (key.ndim == 0 and key.dtype.kind == "b"):
            raise IndexError("rows are chosen by an int, a slice, or a 1-D array of ints or bools")
    return np.atleast_1d(np.arange(n)[key])
