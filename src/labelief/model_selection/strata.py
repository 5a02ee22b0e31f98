"""The stratum of each row: its single most plausible class."""

from __future__ import annotations

from typing import Any

import numpy as np

from labelief._typing import FloatArray, IntArray
from labelief.labels import SoftLabels, Votes
from labelief.labels.class_names import is_missing
from labelief.labels.encoding import encode
from labelief.labels.tables import frame_matrix, is_frame
from labelief.metrics.targets import as_label_vector, is_vector

# Plausibilities that differ by less, relative to the largest, are ties.
_TIE = 1e-12


def strata(y: Any) -> IntArray:
    """Give each row the number of its most plausible class.

    Parameters
    ----------
    y : SoftLabels, Votes, array-like of shape (n,) or (n, K)
        Labels of any kind; votes count by their mean.

    Returns
    -------
    (n,) int64 array
        0..S-1. Rows without a single most plausible class (unknown, tied) share one number.

    Examples
    --------
    >>> strata(["b", None, "a", "b"]).tolist()
    [2, 0, 1, 2]
    """
    if isinstance(y, Votes):
        y = SoftLabels.from_votes(y)
    if isinstance(y, SoftLabels):
        codes = np.asarray(y)  # a marker of its own where no class is single
    elif is_vector(y):
        values = as_label_vector(y)
        if values.dtype.kind in "fO" and all(is_missing(value) for value in values.tolist()):
            return np.zeros(len(values), dtype=np.int64)
        codes = encode(values)[1]
    else:
        matrix = frame_matrix(y)[1] if is_frame(y) else np.asarray(y)
        codes = _single_largest(np.asarray(matrix, dtype=np.float64))
    return np.unique(codes, return_inverse=True)[1].astype(np.int64)


def _single_largest(matrix: FloatArray) -> IntArray:
    """Column of the largest entry of each row, -1 where two are as large."""
    if matrix.ndim != 2:
        raise ValueError(f"y must have one or two dimensions, but has {matrix.ndim}")
    top = matrix.max(axis=1, keepdims=True)
    tied = (matrix >= top * (1 - _TIE)).sum(axis=1) != 1
    return np.where(tied, -1, matrix.argmax(axis=1))
