"""Reading ``y``: whatever a user may give, as the one record that a fit needs."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from array_api_compat import is_array_api_obj
from numpy.typing import NDArray
from scipy import sparse
from sklearn.exceptions import DataConversionWarning

from labelief._typing import BoolArray, FloatArray
from labelief.kernels.namespace import on_host
from labelief.labels.class_matrix import class_matrix
from labelief.labels.class_names import (
    Codes,
    Names,
    as_classes,
    as_vector,
    match_classes,
    sorted_classes,
)
from labelief.labels.encoding import encode
from labelief.labels.soft_labels import SoftLabels
from labelief.labels.tables import is_frame
from labelief.labels.votes import Votes
from labelief.labels.weights import check_weights, row_blocks

# A bare matrix is a possibility distribution where every row's maximum is 1 within this.
MAXIMUM_TOLERANCE = 1e-6


@dataclass(frozen=True, eq=False)
class Target:
    """All that a fit needs of ``y``; exactly one of codes, plausibilities and votes is set.

    Parameters
    ----------
    classes : (K,) array
        Class names in ``np.unique`` order, that of every column and code below.
    codes : (n,) int32 array or None
        Crisp labels, -1 where nothing is known.
    plausibilities : (n, K) float array or None
        Weights of the classes, as given: not rescaled.
    votes : Votes or None
        Answers of several annotators.
    verified : (n,) bool array or None
        Rows known to be right; None where none is marked.
    """

    classes: Names
    codes: Codes | None = None
    plausibilities: FloatArray | None = None
    votes: Votes | None = None
    verified: BoolArray | None = None

    def __len__(self) -> int:
        """Return the number n of rows."""
        for evidence in (self.codes, self.plausibilities, self.votes):
            if evidence is not None:
                return len(evidence)
        return 0

    def told(self) -> BoolArray:
        """Return which rows' labels say anything, shape (n,)."""
        if self.codes is not None:
            return np.asarray(self.codes >= 0)
        if self.plausibilities is not None:
            return np.asarray(self.plausibilities.max(axis=1) > self.plausibilities.min(axis=1))
        assert self.votes is not None
        return np.asarray(np.diff(self.votes.indptr) > 0)

    def take(self, rows: Any) -> Target:
        """Return some of the rows.

        Parameters
        ----------
        rows : slice, integer or boolean array
            Which ones.

        Returns
        -------
        Target
            Over the same classes.
        """
        return replace(
            self,
            codes=None if self.codes is None else self.codes[rows],
            plausibilities=None if self.plausibilities is None else self.plausibilities[rows],
            votes=None if self.votes is None else self.votes[rows],
            verified=None if self.verified is None else self.verified[rows],
        )


def read_target(y: Any, *, n_rows: int | None = None, classes: Any = None) -> Target:
    """Read ``y`` in any of its forms.

    Parameters
    ----------
    y : 1-D labels, SoftLabels, Votes, or (n, K) array or frame of plausibilities
        1-D labels may hold None, NaN and NA (unknown); a column ``(n, 1)`` is 1-D labels, with
        scikit-learn's warning. An ``(n, K)`` array is floating or boolean (integers only as 0 and
        1), its columns in the order of ``classes``, 0..K-1 by default; a frame's columns name
        the classes.
    n_rows : int, default=None
        How many rows X has.
    classes : array-like, default=None
        All classes, whether a label names them or not. Fitted classes are given here when ``y``
        is read again.

    Returns
    -------
    Target
        Classes in ``np.unique`` order and the evidence about each row.

    Examples
    --------
    >>> read_target(["b", None, "a"]).codes
    array([ 1, -1,  0], dtype=int32)
    >>> read_target([[1.0, 0.2], [0.5, 1.0]]).plausibilities
    array([[1. , 0.2],
           [0.5, 1. ]])
    """
    if y is None:
        raise ValueError(
            "This estimator requires y to be passed, but the target y is None. Where nothing is "
            "known, give an array of None and name the classes by classes="
        )
    if isinstance(y, SoftLabels):
        target = _from_soft_labels(y, classes)
    elif isinstance(y, Votes):
        target = _from_votes(y, classes)
    else:
        values = _as_labels_or_matrix(y)
        target = (
            _from_labels(values, classes)
            if not is_frame(values) and np.ndim(values) == 1
            else _from_matrix(values, classes)
        )
    if n_rows is not None and len(target) != n_rows:
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: X has {n_rows} rows and "
            f"y has {len(target)}"
        )
    return target


def _as_labels_or_matrix(y: Any) -> Any:
    """Return a 1-D array of labels, or a 2-D array or frame of two columns or more."""
    if sparse.issparse(y):
        raise ValueError("Sparse data was passed for y, but dense data is required: y.toarray()")
    if is_frame(y):
        if np.shape(y)[1] != 1:
            return y
        column = y[y.columns[0]] if hasattr(y, "columns") else y.column(0)
        _warn_column()
        return as_vector(column)
    values = _as_array(y)
    if values.ndim == 2 and values.shape[1] == 1:
        _warn_column()
        return values[:, 0]
    if values.ndim not in (1, 2):
        raise ValueError(f"y should be a 1d array, got an array of shape {values.shape} instead.")
    return values


def _as_array(y: Any) -> NDArray[Any]:
    if is_array_api_obj(y) or (hasattr(y, "__array__") and not hasattr(y, "to_numpy")):
        return on_host(y)
    if isinstance(y, list | tuple) and y and isinstance(y[0], list | tuple | np.ndarray):
        try:
            return np.asarray(y)
        except ValueError:
            raise ValueError(
                "y is ragged: rows of plausibilities need one number per class. For several "
                "candidates use SoftLabels.from_candidates"
            ) from None
    return as_vector(y)


def _warn_column() -> None:
    warnings.warn(
        "A column-vector y was passed when a 1d array was expected. Please change the shape of y "
        "to (n_samples, ), for example using ravel().",
        DataConversionWarning,
        stacklevel=4,
    )


def _from_labels(values: NDArray[Any], classes: Any) -> Target:
    names, codes = encode(values, classes)
    ordered, positions = sorted_classes(names)
    if classes is not None and (positions != np.arange(positions.size)).any():
        rank = np.empty(positions.size + 1, dtype=np.int32)
        rank[positions] = np.arange(positions.size)
        rank[-1] = -1
        codes = rank[codes]
    return Target(ordered, codes=codes)


def _from_matrix(values: Any, classes: Any) -> Target:
    names, matrix = class_matrix(values, classes, "y")
    if matrix.dtype.kind in "iu":
        if matrix.size and (matrix.min() < 0 or matrix.max() > 1):
            raise ValueError(
                "y is a 2-D array of integers other than 0 and 1, which cannot be plausibilities. "
                "scikit-learn's cross_val_predict turns an (n, K) y into such integers: use "
                "labelief.model_selection.cross_val_predict, or SoftLabels as y. Plausibilities "
                "are floating: y.astype(float)"
            )
        matrix = matrix.astype(np.float64)
    elif matrix.dtype not in (np.float32, np.float64):
        matrix = matrix.astype(np.float64)
    check_weights(matrix, names, "y")
    ordered, positions = sorted_classes(names)
    if (positions != np.arange(positions.size)).any():
        matrix = matrix[:, positions]
    return Target(ordered, plausibilities=matrix)


def _from_soft_labels(y: SoftLabels, classes: Any) -> Target:
    if classes is not None:
        match_classes(y.classes, as_classes(classes), "the SoftLabels")
    ordered, _ = sorted_classes(y.classes)
    y = y.reorder(ordered)
    verified = y.verified if y.verified.any() else None
    codes = y.codes
    if codes is not None:
        return Target(ordered, codes=codes, verified=verified)
    pl = y.plausibilities
    if y.empty_mass.any():
        # the plausibility of the frame is 1 - m(∅), exact also where little is left
        pl = pl / y.pl(np.ones(ordered.size, dtype=np.bool_))[:, None]
    return Target(ordered, plausibilities=pl, verified=verified)


def _from_votes(y: Votes, classes: Any) -> Target:
    ordered, _ = sorted_classes(y.classes if classes is None else as_classes(classes))
    verified = y.verified if y.verified.any() else None
    return Target(ordered, votes=y.with_classes(ordered), verified=verified)


def as_soft_labels(y: Any, classes: Any = None) -> SoftLabels:
    """Read labels as mass functions, for a metric.

    A classifier needs the contour alone, a metric the masses: so a bare (n, K) array is taken
    only where it can be read as possibility distributions.

    Parameters
    ----------
    y : 1-D labels, SoftLabels, or (n, K) array or frame whose rows have maximum 1
        The labels.
    classes : array-like, default=None
        All classes, in the order wanted.

    Returns
    -------
    SoftLabels
        The labels; over ``classes`` in this order where they are given.

    Examples
    --------
    >>> as_soft_labels([1, 0], classes=[0, 1, 2]).shape
    (2, 3)
    """
    if isinstance(y, SoftLabels):
        return y if classes is None else y.reorder(classes)
    if isinstance(y, Votes):
        raise ValueError("Votes are not labels yet: pool them by SoftLabels.from_votes first")
    if y is None:
        raise ValueError("y is None: labels are needed")
    values = _as_labels_or_matrix(y)
    if not is_frame(values) and np.ndim(values) == 1:
        return SoftLabels.from_crisp(values, classes)
    target = _from_matrix(values, classes)
    pl = target.plausibilities
    assert pl is not None
    for part in row_blocks(pl.shape):
        off = np.flatnonzero(np.abs(pl[part].max(axis=1) - 1.0) > MAXIMUM_TOLERANCE)
        if off.size:
            row = part.start + int(off[0])
            raise ValueError(
                f"the largest entry of row {row} of y is {pl[row].max():.6g}, not 1, so that it "
                "is no possibility distribution. Say what the numbers are: "
                "SoftLabels.from_plausibilities, from_probabilities, from_masses..."
            )
    labels = SoftLabels.from_plausibilities(pl, target.classes)
    return labels if classes is None else labels.reorder(classes)
