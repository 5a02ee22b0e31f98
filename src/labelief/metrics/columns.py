"""Matrices with one column per class: which column is which class."""

from __future__ import annotations

from typing import Any

import numpy as np

from labelief._typing import FloatArray, IntArray
from labelief.labels import SoftLabels
from labelief.labels.class_names import (
    Names,
    as_classes,
    match_columns,
    sorted_classes,
)
from labelief.labels.encoding import encode
from labelief.labels.messages import name_classes
from labelief.labels.tables import frame_matrix, is_frame
from labelief.metrics.targets import as_label_vector, check_length, is_vector, read_labels


def read_columns(y: Any, columns: Any, classes: Any, name: str) -> tuple[SoftLabels, FloatArray]:
    """Read labels and a matrix with one column per class, and bring the columns to their order.

    Parameters
    ----------
    y : SoftLabels, array-like of shape (n,) or (n, K)
        What is known of the true classes.
    columns : array-like or frame of shape (n, K)
        Numbers about classes; the columns of a frame are matched by name.
    classes : array-like, optional
        The order in which the columns of a bare array stand. By default that of `predict_proba`:
        sorted classes, where that leaves no doubt.
    name : str
        What the matrix is, for messages.

    Returns
    -------
    labels : SoftLabels
        n mass functions.
    matrix : (n, K) float64 array
        Columns in the order of ``labels.classes``.
    """
    names: Names | None = None if classes is None else as_classes(classes)
    if is_frame(columns):
        columns_named, values = frame_matrix(columns, name)
        names = columns_named if names is None else names[_match(columns_named, names, name)]
        matrix = np.asarray(values, dtype=np.float64)
    else:
        matrix = np.asarray(columns, dtype=np.float64)
    if matrix.ndim != 2:
        raise ValueError(f"{name} must have two dimensions (rows, classes), but has {matrix.ndim}")
    if names is None and is_vector(y):
        names = encode(as_label_vector(y))[0]
        if len(names) != matrix.shape[1]:
            raise ValueError(
                f"{name} has {matrix.shape[1]} columns, but {len(names)} classes occur in y "
                f"({name_classes(names)}): say by classes= which class each column is"
            )
    labels = read_labels(y, names)
    check_length(name, len(matrix), len(labels))
    if names is None:
        names = sorted_classes(labels.classes)[0]
        if names.tolist() != labels.classes.tolist():
            raise ValueError(
                f"the classes of y are not in sorted order ({name_classes(labels.classes)}): say "
                f"by classes= in which order the columns of {name} stand (estimator.classes_)"
            )
    if matrix.shape[1] != len(names):
        raise ValueError(
            f"{name} has {matrix.shape[1]} columns, but there are {len(names)} classes"
        )
    return labels, matrix


def _match(column_names: Names, classes: Names, name: str) -> IntArray:
    """For each column of a frame, its place among ``classes``."""
    return np.argsort(match_columns(column_names, classes, name))


def align_columns(matrix: Any, names: Names, classes: Names, fill: Any) -> Any:
    """Bring the columns of an estimator's answer to the order of a larger frame.

    Parameters
    ----------
    matrix : (n, J) array
        One column per class that the estimator knows.
    names : (J,) array
        Those classes.
    classes : (K,) array
        The frame; holds all ``names``.
    fill : scalar
        What stands in the columns of the other classes.

    Returns
    -------
    (n, K) array
        Columns in the order of ``classes``.

    Examples
    --------
    >>> align_columns(np.array([[0.3, 0.7]]), np.array(["a", "c"]), np.array(["c", "b", "a"]), 0.0)
    array([[0.7, 0. , 0.3]])
    """
    refuse_strange_classes(names, classes)
    place = {name: column for column, name in enumerate(classes.tolist())}
    matrix = np.asarray(matrix)
    if matrix.shape != (len(matrix), len(names)):
        raise ValueError(
            f"the estimator gives an answer of shape {matrix.shape} for {len(names)} classes"
        )
    aligned = np.full((len(matrix), len(classes)), fill, dtype=matrix.dtype)
    aligned[:, [place[name] for name in names.tolist()]] = matrix
    return aligned


def refuse_strange_classes(names: Names, classes: Names) -> None:
    """Refuse an estimator that learned or predicts what is no class.

    Parameters
    ----------
    names : (J,) array
        What the estimator learned or predicts.
    classes : (K,) array
        The frame.
    """
    strange = [name for name in names.tolist() if name not in set(classes.tolist())]
    if strange:
        raise ValueError(
            f"the estimator knows a class {strange[0]!r}, which is not among the classes of y "
            f"({name_classes(classes)}). An estimator that does not learn from soft labels reads "
            "each as its single most plausible class, and a marker as that of the other rows: take "
            "one that does, or rows with a single most plausible class. (Columns of a bare array "
            "are named by classes=)"
        )
