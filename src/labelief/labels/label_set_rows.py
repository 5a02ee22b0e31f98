"""Mass functions over label sets read from what users write.

Every reader returns the names of the labels and the focal elements: the words of A, then those of
B, with every bit set in the empty set.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from labelief._typing import BoolArray, FloatArray, IntArray
from labelief.kernels import bits
from labelief.labels.class_names import Names, as_classes
from labelief.labels.focal import FocalSets
from labelief.labels.label_matrix import read_label_matrix
from labelief.labels.weights import as_unit_interval, check_sums


def statements(y: Any, confidence: ArrayLike, labels: ArrayLike | None) -> tuple[Names, FocalSets]:
    """Read one statement per row, with mass c, and 1 - c on "anything".

    Parameters
    ----------
    y : (n, Q) array-like or data frame
        1, 0 and NaN.
    confidence : float or (n,) array-like
        c, between 0 and 1.
    labels : array-like or None
        Names of an array's columns; the order wanted of a frame's.

    Returns
    -------
    labels, FocalSets
        Two elements per row at most.
    """
    matrix = read_label_matrix(y)
    if labels is not None:
        matrix = matrix.ordered(as_classes(labels), "y")
    n, Q = matrix.inside.shape
    sure = as_unit_interval(confidence, n, "confidence")
    words = np.hstack((bits.pack(matrix.inside), bits.pack(matrix.outside)))
    rows = np.arange(n)
    return matrix.labels, assembled(
        np.concatenate((rows, rows)),
        np.concatenate((words, np.zeros_like(words))),
        np.concatenate((sure, 1.0 - sure)),
        n,
        Q,
    )


def elements(
    rows: ArrayLike,
    contains: ArrayLike,
    avoids: ArrayLike,
    mass: ArrayLike,
    labels: ArrayLike | None,
    n_rows: int | None,
) -> tuple[Names, FocalSets]:
    """Read any focal elements.

    Parameters
    ----------
    rows : (F,) array-like of integers
        Row of each element.
    contains, avoids : (F, Q) array-like of bool
        A and B of each.
    mass : (F,) array-like
        Masses; those of each row sum to 1.
    labels : array-like or None
        Names of the labels, 0..Q-1 by default.
    n_rows : int or None
        Number of rows, by default one more than the last that occurs.

    Returns
    -------
    labels, FocalSets
        Equal elements of a row are merged.
    """
    inside, outside = _membership(contains, "contains"), _membership(avoids, "avoids")
    row, masses = np.asarray(rows), np.asarray(mass, dtype=np.float64)
    n_elements, Q = inside.shape
    if outside.shape != inside.shape or {row.shape, masses.shape} != {(n_elements,)}:
        raise ValueError(
            "rows and mass need one entry, contains and avoids one row per element, got "
            f"shapes {row.shape}, {masses.shape}, {inside.shape} and {outside.shape}"
        )
    if row.dtype.kind not in "iu" or (n_elements and row.min() < 0):
        raise ValueError("rows must be numbers of rows, 0 or more")
    n = int(row.max(initial=-1)) + 1 if n_rows is None else n_rows
    if n_elements and row.max() >= n:
        raise ValueError(f"rows names row {row.max()}, but there are only {n}")
    wrong = ~(np.isfinite(masses) & (masses >= 0))
    if wrong.any():
        at = int(np.argmax(wrong))
        raise ValueError(
            f"a mass of row {row[at]} is {masses[at]}: masses are finite and 0 or more"
        )
    sums = np.bincount(row, weights=masses, minlength=n).astype(np.float64)
    check_sums(sums, "masses")
    words = np.hstack((bits.pack(inside), bits.pack(outside)))
    names = as_classes(np.arange(Q) if labels is None else labels)
    return names, assembled(row.astype(np.int64), words, masses / sums[row], n, Q)


def assembled(rows: IntArray, words: bits.Words, mass: FloatArray, n: int, Q: int) -> FocalSets:
    """Write every empty set as φ(Ω, Ω), sort and merge equal elements.

    Parameters
    ----------
    rows : (F,) int64 array
        Row of each element.
    words : (F, 2W) uint64 array
        A and B of each; where they overlap the element is empty.
    mass : (F,) float64 array
        Their masses.
    n, Q : int
        Numbers of rows and labels.

    Returns
    -------
    FocalSets
        Of the words of A, then one bit for each label in B.
    """
    half = words.shape[1] // 2
    clash = np.asarray((words[:, :half] & words[:, half:]).any(axis=1))
    if clash.any():
        words = np.where(clash[:, None], np.tile(bits.full(Q), 2), words)
    return FocalSets.from_elements(rows, words, mass, n, bits.WORD * half + Q)


def _membership(values: ArrayLike, name: str) -> BoolArray:
    members: NDArray[Any] = np.asarray(values)
    if members.ndim != 2 or not ((members == 0) | (members == 1)).all():
        raise ValueError(f"{name} must be a matrix of 0 and 1, one row per element")
    return members.astype(np.bool_)
