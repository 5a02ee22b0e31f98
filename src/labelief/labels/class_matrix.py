"""Matrices with one column per class, from arrays and data frames."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelief.labels.class_names import Names, as_classes, match_columns
from labelief.labels.tables import frame_matrix, is_frame


def class_matrix(values: Any, classes: Any, name: str) -> tuple[Names, NDArray[Any]]:
    """Read an (n, K) matrix of numbers, whose columns are classes.

    Parameters
    ----------
    values : (n, K) array-like or data frame
        Numbers. A frame's columns name the classes.
    classes : array-like or None
        Names of the columns of an array, 0..K-1 by default; the order wanted of a frame's.
    name : str
        Parameter name, for messages.

    Returns
    -------
    classes : (K,) array
        Names of the columns of ``matrix``.
    matrix : (n, K) array
        Boolean, integer or floating numbers, not checked further.
    """
    names = None if classes is None else as_classes(classes)
    if is_frame(values):
        columns, matrix = frame_matrix(values, name)
        if names is not None:
            matrix = matrix[:, match_columns(columns, names, f"the frame {name}")]
        names = columns if names is None else names
    else:
        try:
            matrix = np.asarray(values)
        except ValueError:
            raise ValueError(f"{name} is ragged: every row needs one number per class") from None
        if matrix.ndim != 2:
            raise ValueError(f"{name} must be (n, K), got an array of shape {matrix.shape}")
        names = as_classes(range(matrix.shape[1])) if names is None else names
    if matrix.shape[1] != names.size:
        raise ValueError(f"{name} has {matrix.shape[1]} columns but there are {names.size} classes")
    if matrix.dtype.kind == "O":
        try:
            matrix = matrix.astype(np.float64)
        except (TypeError, ValueError):
            raise ValueError(f"{name} holds something that is not a number") from None
    if matrix.dtype.kind not in "biuf":
        raise ValueError(f"{name} must hold numbers, got the type {matrix.dtype}")
    return names, matrix
