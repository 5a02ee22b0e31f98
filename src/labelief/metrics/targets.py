"""What the metrics are given: labels, predictions, columns of probabilities, weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np

from labelief._typing import FloatArray, IntArray
from labelief.labels import SoftLabels
from labelief.labels.class_names import Names, as_classes, as_vector, unnamed_marker
from labelief.labels.encoding import encode
from labelief.labels.messages import name_rows
from labelief.labels.tables import is_frame
from labelief.labels.targets import as_soft_labels

# Mass on the empty set above this is meant, below it is rounding.
_EMPTY_MASS = 1e-12


@dataclass(frozen=True, eq=False)
class Pair:
    """Labels and predictions over one frame.

    Attributes
    ----------
    labels : SoftLabels
        n mass functions, over ``classes=`` in that order where it is given.
    predicted : (n,) integer array
        Codes of the predictions, in the order of ``labels.classes``.
    """

    labels: SoftLabels
    predicted: IntArray


def read_pair(y: Any, y_pred: Any, classes: Any = None) -> Pair:
    """Read labels and predicted classes.

    Parameters
    ----------
    y : SoftLabels, array-like of shape (n,) or (n, K)
        What is known of the true classes.
    y_pred : array-like of shape (n,)
        Predicted classes.
    classes : array-like, optional
        The frame.

    Returns
    -------
    Pair
        Both over one frame.
    """
    predictions = as_vector(y_pred, "y_pred")
    frame = None if classes is None else as_classes(classes)
    if frame is None and is_vector(y):
        frame = occurring_classes(y, predictions)
        if len(frame) == 1:  # an unknown row could be of a class that does not occur
            frame = as_classes([frame.tolist()[0], unnamed_marker(frame)])
    labels = read_labels(y, frame)
    check_length("y_pred", len(predictions), len(labels))
    codes = encode(predictions, labels.classes, name="y_pred")[1].astype(np.int64)
    if codes.min(initial=0) < 0:
        raise ValueError(f"y_pred is missing in {name_rows(np.flatnonzero(codes < 0))}")
    return Pair(labels, codes)


def read_labels(y: Any, classes: Any = None) -> SoftLabels:
    """Read labels for a metric: mass functions without mass on the empty set.

    Parameters
    ----------
    y : SoftLabels, array-like of shape (n,) or (n, K)
        What is known of the true classes.
    classes : array-like, optional
        The frame, in the order wanted.

    Returns
    -------
    SoftLabels
        The labels, at least one row.
    """
    labels = as_soft_labels(y, classes=classes)
    if len(labels) == 0:
        raise ValueError("y has no rows: there is nothing to average over")
    contradictory = labels.empty_mass > _EMPTY_MASS
    if contradictory.any():
        raise ValueError(
            f"y has mass on the empty set in {name_rows(np.flatnonzero(contradictory))}: an error "
            "is defined for normalised masses only (combine by Dempster's rule)"
        )
    return labels


def is_vector(y: Any) -> bool:
    """Say whether labels are one per row (an (n, 1) array is a column of them)."""
    if isinstance(y, SoftLabels):
        return False
    if is_frame(y):
        return bool(np.shape(y)[1] == 1)
    shape = getattr(y, "shape", None)
    if shape is None:
        return not (isinstance(y, list | tuple) and y and isinstance(y[0], list | tuple))
    return len(shape) == 1 or (len(shape) == 2 and shape[1] == 1)


def as_label_vector(y: Any) -> Names:
    """Read labels for which :func:`is_vector` holds as an (n,) array."""
    if is_frame(y):
        return as_vector(nw.from_native(y, eager_only=True)[:, 0].to_native())
    flat: Names = as_vector(y.reshape(-1) if isinstance(y, np.ndarray) else y)
    return flat


def occurring_classes(y: Any, others: Names) -> Names:
    """Sorted classes that occur in 1-D labels or among other names.

    Parameters
    ----------
    y : array-like of shape (n,)
        Labels; None and NaN are unknown.
    others : (m,) array
        Further names, such as predictions or an estimator's ``classes_``.

    Returns
    -------
    (K,) array
        Their union.

    Examples
    --------
    >>> occurring_classes(["b", None], np.array(["a"]))
    array(['a', 'b'], dtype='<U1')
    """
    values = as_label_vector(y)
    if values.dtype.kind != others.dtype.kind and not {values.dtype.kind, others.dtype.kind} <= set(
        "iuf"
    ):
        values, others = values.astype(object), others.astype(object)  # numbers stay numbers
    return encode(np.concatenate([values, others]))[0]


def check_length(name: str, length: int, n: int) -> None:
    """Refuse an argument that does not have one entry per row."""
    if length != n:
        raise ValueError(f"{name} has {length} rows, but y has {n}")


def weighted_mean(values: FloatArray, sample_weight: Any = None) -> float:
    """Average one number per row.

    Parameters
    ----------
    values : (n,) array
        The numbers.
    sample_weight : array-like of shape (n,), optional
        Weights of the rows.

    Returns
    -------
    float
        Σ w v / Σ w.

    Examples
    --------
    >>> weighted_mean(np.array([0.0, 1.0]), [1, 3])
    0.75
    """
    weights = row_weights(sample_weight, len(values))
    return float((weights @ values) / weights.sum())


def row_weights(sample_weight: Any, n: int) -> FloatArray:
    """Read row weights, scaled so that the largest is 1.

    Parameters
    ----------
    sample_weight : array-like of shape (n,), optional
        Finite, not negative, not all zero.
    n : int
        Number of rows.

    Returns
    -------
    (n,) float64 array
        Not all zero.
    """
    if sample_weight is None:
        return np.ones(n)
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.shape != (n,):
        raise ValueError(f"sample_weight has shape {weights.shape}, but must be ({n},)")
    wrong = ~(np.isfinite(weights) & (weights >= 0))
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        raise ValueError(f"sample_weight is {weights[row]} in row {row}: must be finite and >= 0")
    largest = weights.max()
    if largest == 0:
        raise ValueError("sample_weight is zero in every row")
    return np.asarray(weights / largest, dtype=np.float64)
