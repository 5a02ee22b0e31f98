"""What an audit is given: labels of any kind, beside probabilities of the classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from labelief._typing import FloatArray, IntArray
from labelief.labels.class_names import Names, as_classes, match_columns, sorted_classes
from labelief.labels.display import describe_row
from labelief.labels.messages import name_classes
from labelief.labels.soft_labels import SoftLabels
from labelief.labels.tables import frame_matrix, is_frame
from labelief.labels.targets import Target, read_target
from labelief.labels.votes import Votes

__all__ = [
    "Observed",
    "checked",
    "describe",
    "names_or_none",
    "read_observed",
    "read_probabilities",
]

# float32 probabilities of many classes still sum to one within this.
_SUM = 1e-4


@dataclass(frozen=True, eq=False)
class Observed:
    """Observed labels as mass functions, columns in sorted order, and the votes they come from."""

    labels: SoftLabels
    votes: Votes | None = None


def read_observed(y: Any, target: Target) -> Observed:
    """Read labels as mass functions over the classes of a target, which was read from them.

    A bare array's rows are rescaled to maximum 1; votes are pooled by their mean.
    """
    if isinstance(y, SoftLabels):
        labels = y.reorder(target.classes)
        return Observed(_without_conflict(labels))
    if target.votes is not None:
        return Observed(SoftLabels.from_votes(target.votes), target.votes)
    if target.codes is not None:
        given = names_or_none(target.classes)[target.codes]
        return Observed(SoftLabels.from_crisp(given, target.classes))
    return Observed(SoftLabels.from_plausibilities(target.plausibilities, target.classes))


def _without_conflict(labels: SoftLabels) -> SoftLabels:
    if not labels.empty_mass.any():
        return labels
    contour = SoftLabels.from_plausibilities(labels.plausibilities, labels.classes)
    return contour.with_verified(labels.verified)


def read_probabilities(proba: Any, y: Any, classes: Any) -> tuple[FloatArray, Target]:
    """Read probabilities and labels, and bring both to the classes in sorted order.

    Parameters
    ----------
    proba : (n, K) array or frame
    y : labels of any kind
    classes : (K,) array-like or None
        Class of each column of ``proba``.

    Returns
    -------
    matrix : (n, K) array
        Rows sum to 1.
    target : Target
    """
    names = None if classes is None else as_classes(classes)
    if is_frame(proba):
        columns, values = frame_matrix(proba, "proba")
        if names is not None:
            values = values[:, match_columns(columns, names, "proba")]
        else:
            names = columns
    else:
        values = np.asarray(proba)
    matrix = np.asarray(values, dtype=np.float64)
    if matrix.ndim != 2:
        raise ValueError(f"proba must have two dimensions (rows, classes), but has {matrix.ndim}")
    target = read_target(y, n_rows=None, classes=names)
    if len(target) != len(matrix):
        raise ValueError(f"proba has {len(matrix)} rows, but y has {len(target)}")
    if matrix.shape[1] != len(target.classes):
        raise ValueError(
            f"proba has {matrix.shape[1]} columns, but y has the classes "
            f"{name_classes(target.classes)}: say by classes= which class each column is"
        )
    if names is not None:
        matrix = matrix[:, sorted_classes(names)[1]]
    return checked(matrix), target


def checked(matrix: FloatArray) -> FloatArray:
    """Refuse rows that are no probability distributions; return the others, sums exactly 1."""
    if matrix.shape[1] < 2:
        raise ValueError("there is one class only, and so no other to take a label for")
    totals = matrix.sum(axis=1)
    wrong = ~(np.abs(totals - 1.0) < _SUM) | ~(matrix >= 0).all(axis=1)
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        raise ValueError(
            f"row {row} of proba is {matrix[row]}, which is no probability distribution"
        )
    return np.asarray(matrix / totals[:, None])


def describe(observed: Observed, rows: IntArray) -> Any:
    """Write the labels of some rows: class names, masses such as "{cat, dog} 0.7", votes.

    Parameters
    ----------
    observed : Observed
    rows : integer array

    Returns
    -------
    (m,) array or list
        Class names for crisp labels (None where unknown), else text.
    """
    if observed.votes is not None:
        return _describe_votes(observed.votes.counts[rows], observed.votes.classes)
    codes = observed.labels.codes
    if codes is not None:
        if codes.min(initial=0) >= 0:
            return observed.labels.classes[codes[rows]]
        return names_or_none(observed.labels.classes)[codes[rows]]
    part = observed.labels[rows]
    focal = part.focal
    # A set that is certain needs no mass beside it.
    return [describe_row(focal, i, part.classes).removesuffix(" 1") for i in range(len(part))]


def names_or_none(classes: Names) -> Names:
    """Return class names with None behind them: what code -1 stands for."""
    return np.array([*classes.tolist(), None], dtype=object)


def _describe_votes(counts: IntArray, classes: Names) -> list[str]:
    """Write votes as in "cat 3, dog 1", most votes first."""
    order = np.argsort(-counts, axis=1, kind="stable")
    names = [str(name) for name in classes.tolist()]
    return [
        ", ".join(f"{names[k]} {row[k]}" for k in ranked if row[k]) or "no vote"
        for row, ranked in zip(counts.tolist(), order.tolist(), strict=True)
    ]
