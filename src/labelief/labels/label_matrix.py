"""Matrices of multi-label data: one column per label, 1 has it, 0 has it not, NaN is undecided."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from labelief._typing import BoolArray, FloatArray
from labelief.kernels.namespace import is_sparse
from labelief.labels.class_names import Names, as_classes, freeze, match_columns
from labelief.labels.tables import is_frame


@dataclass(frozen=True, eq=False)
class LabelMatrix:
    """What is said of Q labels on n objects.

    Attributes
    ----------
    labels : (Q,) array
        Names of the labels: the columns of a frame, else 0..Q-1.
    inside : (n, Q) bool array
        The object has the label.
    outside : (n, Q) bool array
        It has not. Where neither holds, the label is undecided.
    named : bool
        Whether the names came with the data.
    confidence : (n,) array or None
        Mass of what each row says, the rest being on "anything"; None where that is 1 everywhere.
    """

    labels: Names
    inside: BoolArray
    outside: BoolArray
    named: bool
    confidence: FloatArray | None = None

    @property
    def decided(self) -> BoolArray:
        """Where it is said whether the object has the label, (n, Q)."""
        return self.inside | self.outside

    def ordered(self, labels: Names, what: str) -> LabelMatrix:
        """Bring named columns into the order of ``labels``, and check the number of others.

        Parameters
        ----------
        labels : (Q,) array
            The labels wanted.
        what : str
            What the matrix is, for messages.

        Returns
        -------
        LabelMatrix
            With ``labels`` as its labels.
        """
        if self.named:
            columns = match_columns(self.labels, labels, what)
            inside, outside = self.inside[:, columns], self.outside[:, columns]
            return replace(self, labels=labels, inside=inside, outside=outside)
        if self.labels.size != labels.size:
            raise ValueError(
                f"{what} has {self.labels.size} columns, but there are {labels.size} labels"
            )
        return replace(self, labels=labels)


def read_label_matrix(y: Any, name: str = "y") -> LabelMatrix:
    """Read a matrix of 1, 0 and NaN.

    Parameters
    ----------
    y : (n, Q) array-like, data frame or sparse matrix; LabelSets
        1 where an object has a label, 0 where it has not, NaN (or None) where that is undecided.
        Zeros of a sparse matrix are decided.
    name : str, default="y"
        What the matrix is, for messages.

    Returns
    -------
    LabelMatrix
        With the columns of a frame as labels, else 0..Q-1.

    Examples
    --------
    >>> read = read_label_matrix([[1, 0, None], [0, 0, 1]])
    >>> read.labels, read.inside[0], read.outside[0]
    (array([0, 1, 2]), array([ True, False, False]), array([False,  True, False]))
    """
    from labelief.labels.label_sets import LabelSets  # reads its own matrices here

    if isinstance(y, LabelSets):
        return y.statements()
    framed = is_frame(y)
    values = _frame_values(y, name) if framed else _values(y, name)
    if values.ndim != 2:
        raise ValueError(
            f"{name} must be a matrix with one column per label, got an array of shape "
            f"{values.shape}: write 1 where a row has the label, 0 where it has not, NaN where "
            "that is undecided"
        )
    if values.shape[1] == 0:
        raise ValueError(f"{name} has no columns: give one per label")
    inside, outside = values == 1, values == 0
    strange = ~(inside | outside)
    if values.dtype.kind == "f":
        strange &= ~np.isnan(values)
    if strange.any():
        row, column = np.argwhere(strange)[0]
        raise ValueError(
            f"{name} holds {values[row, column]} in row {row}, column {column}: write 1 where a "
            "row has the label, 0 where it has not, NaN where that is undecided"
        )
    labels = as_classes(list(y.columns) if framed else np.arange(values.shape[1]))
    return LabelMatrix(labels, freeze(inside), freeze(outside), framed)


def _values(y: Any, name: str) -> NDArray[Any]:
    """Numbers of an array-like; None becomes NaN."""
    if is_sparse(y):
        y = y.toarray()
    try:
        values = np.asarray(y)
        return values if values.dtype.kind in "biuf" else values.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"{name} must be a matrix of 1 (has the label), 0 (has it not) and NaN (undecided): "
            f"{error}"
        ) from None


def _frame_values(y: Any, name: str) -> FloatArray:
    """Numbers of a data frame; its own missing values become NaN."""
    frame = nw.from_native(y, eager_only=True)
    columns = []
    for column in frame.columns:
        series = frame.get_column(column)
        if not (series.dtype.is_numeric() or series.dtype == nw.Boolean):
            raise ValueError(
                f"{name} has the column {column!r} of type {series.dtype}: every column is a label "
                "and holds 1, 0 and missing values"
            )
        numbers = series.cast(nw.Float64()).to_numpy()
        columns.append(np.asarray(numbers, dtype=np.float64))
    return np.column_stack(columns) if columns else np.empty((len(frame), 0))
