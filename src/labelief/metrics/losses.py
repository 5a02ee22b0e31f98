"""Loss matrices: what a wrong prediction costs."""

from __future__ import annotations

from typing import Any

import numpy as np

from labelief._typing import FloatArray
from labelief.labels.class_names import Names


def read_loss(loss: Any, n_classes: int, classes: Names | None = None) -> FloatArray:
    """Read a loss matrix, ``loss[predicted, true]``.

    Parameters
    ----------
    loss : array-like of shape (K, K) or pandas frame
        Finite costs. Rows and columns of an array stand in the order of the classes; a frame whose
        index and columns are the classes is matched by name.
    n_classes : int
        K.
    classes : (K,) array, optional
        The classes' names, for frames.

    Returns
    -------
    (K, K) float array
        The costs, in the order of the classes.

    Examples
    --------
    >>> read_loss([[0, 5], [1, 0]], 2)
    array([[0., 5.],
           [1., 0.]])
    """
    matrix = _by_name(loss, classes.tolist()) if classes is not None else loss
    matrix = np.array(matrix, dtype=np.float64)
    if matrix.shape != (n_classes, n_classes):
        raise ValueError(
            f"loss has shape {matrix.shape}, but must be ({n_classes}, {n_classes}): one row for "
            "each predicted class, one column for each true class (classes= names the frame where "
            "some class does not occur)"
        )
    if not np.isfinite(matrix).all():
        row, column = np.argwhere(~np.isfinite(matrix))[0]
        raise ValueError(f"loss[{row}, {column}] is {matrix[row, column]}, but must be finite")
    return matrix


def _by_name(loss: Any, classes: list[Any]) -> Any:
    """Rows and columns of a pandas frame in the order of the classes; anything else unchanged."""
    if not (hasattr(loss, "index") and hasattr(loss, "columns") and hasattr(loss, "reindex")):
        return loss
    for axis, names in (("rows", list(loss.index)), ("columns", list(loss.columns))):
        if len(names) != len(classes) or set(names) != set(classes):
            raise ValueError(f"the {axis} of loss are {names}, but the classes are {classes}")
    return loss.loc[classes, classes]
