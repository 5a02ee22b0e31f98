"""Checks of (n, K) matrices of numbers about classes: what is refused names row and column."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelief._typing import FloatArray
from labelief.labels.class_names import Names
from labelief.labels.messages import name_rows

# Cells looked at together, so that a check takes no memory to speak of.
CELLS = 1 << 18
# Rows that must sum to one may miss it by this much; they are then divided by their sum.
SUM_TOLERANCE = 1e-6


def row_blocks(shape: tuple[int, ...]) -> Iterator[slice]:
    """Cut the rows of a matrix into blocks of about ``CELLS`` cells.

    Parameters
    ----------
    shape : tuple
        ``(n, K)``.

    Yields
    ------
    slice
        Consecutive rows.
    """
    step = max(1, CELLS // max(1, shape[1]))
    for start in range(0, shape[0], step):
        yield slice(start, min(start + step, shape[0]))


def check_weights(matrix: NDArray[Any], classes: Names | None, name: str = "y") -> None:
    """Refuse NaN, infinite and negative entries and rows of zeros.

    Parameters
    ----------
    matrix : (n, K) float array
        Numbers about classes.
    classes : (K,) array or None
        Names of the columns.
    name : str, default="y"
        What the matrix is, for messages.
    """
    for part in row_blocks(matrix.shape):
        block = matrix[part]
        # NaN and inf reach the sums, which a product makes faster than any reduction of short rows
        with np.errstate(over="ignore", invalid="ignore"):
            sums = block @ np.ones(block.shape[1], dtype=block.dtype)
        if np.isfinite(sums).all() and block.min(initial=0.0) >= 0 and (sums > 0).all():
            continue
        top = block.max(axis=1, initial=0.0)
        if np.isfinite(top).all() and block.min(initial=0.0) >= 0 and (top > 0).all():
            continue  # the sums had overflowed
        _refuse_cell(np.isnan(block), part.start, classes, f"Input {name} contains NaN")
        _refuse_cell(
            np.isinf(block),
            part.start,
            classes,
            f"Input {name} contains infinity or a value too large for {matrix.dtype!r}",
        )
        _refuse_cell(block < 0, part.start, classes, f"{name} holds a negative number")
        zero = part.start + np.flatnonzero(top == 0)
        raise ValueError(
            f"{name} holds nothing but zeros in {name_rows(zero)}: some class must be possible. "
            "Nothing known about an object is a row of ones"
        )


def _refuse_cell(bad: NDArray[np.bool_], start: int, classes: Names | None, what: str) -> None:
    if bad.any():
        row, column = (int(index[0]) for index in np.nonzero(bad))
        label = "" if classes is None else f" (class {classes.tolist()[column]!r})"
        raise ValueError(f"{what}: row {start + row}, column {column}{label}")


def check_sums(sums: FloatArray, name: str) -> None:
    """Refuse rows that do not sum to one.

    Parameters
    ----------
    sums : (n,) float64 array
        Row sums.
    name : str
        What is summed, for messages.
    """
    wrong = np.flatnonzero(~(np.abs(sums - 1.0) <= SUM_TOLERANCE))
    if wrong.size:
        raise ValueError(
            f"{name} must sum to 1 in every row, but {name_rows(wrong)} sum"
            f"{'s' if wrong.size == 1 else ''} to {', '.join(f'{s:.6g}' for s in sums[wrong[:5]])}"
        )


def as_unit_interval(values: Any, n: int, name: str, per: str = "row") -> FloatArray:
    """Read one number in [0, 1], or one per row.

    Parameters
    ----------
    values : float or (n,) array-like
        The numbers.
    n : int
        How many there must be.
    name : str
        Parameter name, for messages.
    per : str, default="row"
        What each number belongs to, for messages.

    Returns
    -------
    (n,) float64 array
        One number each.
    """
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be numbers between 0 and 1, got {values!r}") from None
    if array.ndim > 1 or (array.ndim == 1 and array.size != n):
        raise ValueError(
            f"{name} must be one number or one per {per} ({n} {per}s), got shape {array.shape}"
        )
    wrong = np.flatnonzero(~((array >= 0) & (array <= 1)))
    if wrong.size:
        where = f" ({name_rows(wrong, per)})" if array.ndim else ""
        shown = array if array.ndim == 0 else array[wrong[0]]
        raise ValueError(f"{name} must lie between 0 and 1, got {shown}{where}")
    return np.array(np.broadcast_to(array, (n,)))
