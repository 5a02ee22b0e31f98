"""Decisions with costs."""

from __future__ import annotations

from typing import Any

import numpy as np

from labelief._typing import FloatArray
from labelief.labels.class_names import as_classes
from labelief.metrics.losses import read_loss

__all__ = ["decide"]

_SUM = 1e-4  # float32 probabilities of many classes still sum to one within this


def decide(proba: Any, loss: Any, reject: float | None = None, *, classes: Any = None) -> Any:
    r"""Choose the class of least expected cost for each row, or abstain.

    .. math:: \hat z_i = \arg\min_j \sum_k \mathrm{loss}[j, k] \, p_i(k)

    and no class at all where even that cost is above ``reject``. Ties go to the class that stands
    first. With ``loss = 1 - eye(K)`` this is the most probable class, and Chow's rule with
    ``reject`` = the largest chance of error still accepted.

    Parameters
    ----------
    proba : array-like of shape (n, K)
        Class probabilities, such as ``estimator.predict_proba(X)``; rows sum to 1. A frame whose
        columns are the classes is matched by name.
    loss : array-like of shape (K, K)
        ``loss[predicted, true]``, what it costs to predict one class where another is true. A
        pandas frame whose index and columns are the classes is matched by name.
    reject : float, optional
        What it costs to abstain. By default a class is always chosen.
    classes : array-like of shape (K,), optional
        The classes in the order of the columns, such as ``estimator.classes_``: the answer then
        holds names in place of column numbers.

    Returns
    -------
    ndarray of shape (n,)
        Without ``classes``: column numbers, -1 where no class is chosen. With ``classes``: classes;
        if ``reject`` is given too, an object array with None where no class is chosen (None reads
        as an unknown label everywhere in this library).

    Raises
    ------
    ValueError
        Where a row of ``proba`` is not a probability distribution, or ``loss`` does not fit it.

    Examples
    --------
    A missed illness (row "well", column "ill") costs ten times a needless check:

    >>> from labelief import decide
    >>> proba = [[0.05, 0.95], [0.2, 0.8], [0.6, 0.4]]
    >>> loss = [[0, 1], [10, 0]]
    >>> decide(proba, loss, classes=["ill", "well"])
    array(['well', 'ill', 'ill'], dtype='<U4')
    >>> decide(proba, loss, reject=0.45)
    array([-1, -1,  0])
    """
    frame = None if classes is None else as_classes(classes)
    probabilities = _read_probabilities(proba, frame)
    costs = read_loss(loss, probabilities.shape[1], frame)
    expected = probabilities @ costs.T
    chosen = expected.argmin(axis=1)
    abstained = np.zeros(len(chosen), dtype=np.bool_)
    if reject is not None:
        if not np.isfinite(reject):
            raise ValueError(f"reject is {reject}, but must be a finite cost")
        abstained = expected.min(axis=1) > reject
    if frame is None:
        return np.where(abstained, -1, chosen)
    named = frame[chosen]
    if reject is None:
        return named
    answer = named.astype(object)
    answer[abstained] = None
    return answer


def _read_probabilities(proba: Any, frame: Any) -> FloatArray:
    """``proba`` as (n, K) float64 in the order of the classes, each row a distribution."""
    if frame is not None and hasattr(proba, "columns"):
        names = list(proba.columns)
        if set(names) == set(frame.tolist()):
            proba = proba[frame.tolist()]
    probabilities = np.asarray(proba, dtype=np.float64)
    if probabilities.ndim != 2:
        raise ValueError(
            f"proba must have two dimensions (rows, classes), but has {probabilities.ndim}"
        )
    if frame is not None and probabilities.shape[1] != len(frame):
        raise ValueError(
            f"proba has {probabilities.shape[1]} columns, but there are {len(frame)} classes"
        )
    wrong = ~(np.abs(probabilities.sum(axis=1) - 1) < _SUM) | ~(probabilities >= 0).all(axis=1)
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        raise ValueError(
            f"row {row} of proba is {probabilities[row]}, which is no probability distribution"
        )
    return probabilities
