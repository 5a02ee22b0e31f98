"""Labels from columns of a table: classes, candidates, confidences, numbers per class."""

from __future__ import annotations

from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

import numpy as np
import pandas as pd

from labelief._typing import FloatArray
from labelief.labels.soft_labels import SoftLabels
from labelief.tables.columns import MISSING, as_booleans, as_numbers, as_words
from labelief.tables.files import TableError

__all__ = [
    "LabelColumns",
    "TableLabels",
    "matched",
    "read_label_matrix",
    "read_labels",
    "unknown_words",
]

SEPARATOR = "|"
"""What stands between the candidates of a cell: ``owl|hawk``."""


@dataclass(frozen=True)
class LabelColumns:
    """Which columns hold the labels, by name or by a pattern with one ``*``.

    Exactly one of `label`, `plausibility`, `probability` and `several` is given.

    Attributes
    ----------
    label : str or None
        A class, candidates "A|B", or nothing, in each row.
    confidence : str or None
        Beside `label`: how sure it is, from 0 to 1.
    plausibility : str or None
        Columns with each class's plausibility; ``*`` stands for the class.
    probability : str or None
        The same with probabilities, which sum to 1 in each row.
    several : str or None
        Columns with 1, 0 or nothing: several labels a row.
    """

    label: str | None = None
    confidence: str | None = None
    plausibility: str | None = None
    probability: str | None = None
    several: str | None = None


@dataclass(frozen=True)
class TableLabels:
    """Labels, and the columns that they were read from.

    Attributes
    ----------
    labels : SoftLabels
    columns : list of str
    """

    labels: SoftLabels
    columns: list[str] = field(default_factory=list)

    @property
    def unknown(self) -> int:
        """Rows whose label says nothing."""
        return int(np.sum(np.min(self.labels.plausibilities, axis=1) >= 1.0))


def read_labels(frame: pd.DataFrame, where: LabelColumns, classes: Any = None) -> TableLabels:
    """Read one label a row.

    Parameters
    ----------
    frame : DataFrame
    where : LabelColumns
    classes : list of str, default=None
        All classes; by default those that occur, sorted.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"says": ["owl", "owl|hawk", ""], "sure": [0.5, 1, ""]})
    >>> read_labels(frame, LabelColumns("says", confidence="sure")).labels.plausibilities
    array([[0.5, 1. ],
           [1. , 1. ],
           [1. , 1. ]])
    """
    if where.label is not None:
        return _from_words(frame, where.label, where.confidence, classes)
    pattern = where.plausibility or where.probability
    assert pattern is not None
    names, matrix = _matrix(frame, pattern)
    columns = list(names)
    gaps = np.isnan(matrix).sum(axis=1)
    told = gaps == 0
    part = np.flatnonzero(~told & (gaps < matrix.shape[1]))
    if len(part):
        raise TableError(
            f"Row {part[0]} (counted from 0) gives a number for some classes only: fill in all of "
            f"{', '.join(columns[:4])}, or none."
        )
    # Rows that say nothing are as plausible, or as probable, for every class.
    filled = np.where(told[:, None], matrix, 1.0 if where.plausibility else 1.0 / matrix.shape[1])
    make = SoftLabels.from_plausibilities if where.plausibility else SoftLabels.from_probabilities
    try:
        labels = make(filled, classes=list(names.values()))
    except ValueError as error:
        raise TableError(f"Columns {pattern}: {error}.") from None
    if not told.all() and not where.plausibility:
        labels = labels.discount(np.where(told, 0.0, 1.0))
    return TableLabels(labels if classes is None else labels.reorder(classes), columns)


def unknown_words(frame: pd.DataFrame, label: str | None) -> list[str]:
    """Say which words of a column count as unknown, for they may be meant as a class.

    Parameters
    ----------
    frame : DataFrame
    label : str or None

    Examples
    --------
    >>> frame = pd.DataFrame({"finding": ["none", "tumour", "none", ""]})
    >>> unknown_words(frame, "finding")
    ["2 labels say 'none', which counts as unknown: if it is a class, name it otherwise."]
    """
    if label is None:
        return []
    values = frame[label]
    written = values[values.notna()].map(str).str.strip()
    counts = written[written.str.lower().isin(MISSING - {""})].value_counts().sort_index()
    return [
        f"{count} labels say {str(word)!r}, which counts as unknown: if it is a class, name it "
        "otherwise."
        for word, count in counts.items()
    ]


def read_label_matrix(frame: pd.DataFrame, pattern: str) -> tuple[list[str], FloatArray]:
    """Read several labels a row: their names, and (n, Q) of 1, 0 and NaN for undecided.

    Parameters
    ----------
    frame : DataFrame
    pattern : str
        Of the columns' names; ``*`` stands for the label.
    """
    names = matched(frame, pattern)
    columns = []
    for column in names:
        words = as_words(frame[column])
        values = as_booleans(words.replace({"1.0": "1", "0.0": "0"}))
        wrong = np.flatnonzero(np.isnan(values) & (words != "").to_numpy())
        if len(wrong):
            raise TableError(
                f"Column {column!r} says {words.iloc[wrong[0]]!r} in row {wrong[0]} (counted from "
                "0): a label of several is 1, 0 or nothing."
            )
        columns.append(values)
    return list(names.values()), np.column_stack(columns)


def matched(frame: pd.DataFrame, pattern: str) -> dict[str, str]:
    """Return the columns that a pattern names, each with what its ``*`` stands for.

    Parameters
    ----------
    frame : DataFrame
    pattern : str
    """
    if pattern.count("*") != 1:
        raise TableError(f"{pattern!r} needs one * where the class's name stands, as in 'pl_*'.")
    before, after = pattern.split("*")
    names = {
        str(column): str(column)[len(before) : len(str(column)) - len(after)].strip()
        for column in frame.columns
        if fnmatchcase(str(column), before.replace("[", "[[]") + "?*" + after.replace("[", "[[]"))
    }
    if len(names) < 2:
        raise TableError(
            f"{pattern!r} matches {len(names)} of the columns {_some(frame)}: two classes or more "
            "are needed."
        )
    return names


def _from_words(
    frame: pd.DataFrame, label: str, confidence: str | None, classes: Any
) -> TableLabels:
    columns = [label] if confidence is None else [label, confidence]
    for column in columns:
        if column not in frame.columns:
            raise TableError(f"There is no column {column!r}; there are {_some(frame)}.")
    words = as_words(frame[label])
    sets = [_candidates(word) for word in words]
    names = sorted(set().union(*sets)) if classes is None else [str(name) for name in classes]
    if not names:
        raise TableError(f"No row of column {label!r} has a label: there is nothing to learn from.")
    strange = [i for i, candidates in enumerate(sets) if not candidates <= set(names)]
    if strange:
        new = sorted(sets[strange[0]] - set(names))[0]
        raise TableError(
            f"Row {strange[0]} (counted from 0) says {new!r}, which is none of the classes "
            f"{', '.join(names[:8])}{'...' if len(names) > 8 else ''}."
        )
    if confidence is None:
        if all(len(candidates) < 2 for candidates in sets):
            return TableLabels(
                SoftLabels.from_crisp([word or None for word in words], names), columns
            )
        return TableLabels(
            SoftLabels.from_candidates([list(c) or names for c in sets], names), columns
        )
    sure = as_numbers(as_words(frame[confidence]))
    unsaid = np.array([not candidates for candidates in sets])
    sure = np.where(unsaid & np.isnan(sure), 1.0, sure)
    wrong = np.flatnonzero(~((sure >= 0) & (sure <= 1)))
    if len(wrong):
        said = frame[confidence].iloc[wrong[0]]
        raise TableError(
            f"The confidence in row {wrong[0]} (counted from 0) is {said!r}: it must be a number "
            "from 0 to 1."
        )
    frame_of = frozenset(names)
    masses = [
        _masses(frozenset(candidates) or frame_of, float(c), frame_of)
        for candidates, c in zip(sets, sure, strict=True)
    ]
    return TableLabels(SoftLabels.from_masses(masses, names), columns)


def _masses(said: frozenset[str], c: float, everything: frozenset[str]) -> dict[Any, float]:
    """Return mass c on what is said and the rest on the frame, without empty parts."""
    if said == everything or c == 0:
        return {everything: 1.0}
    return {said: 1.0} if c == 1 else {said: c, everything: 1.0 - c}


def _candidates(word: str) -> set[str]:
    return {part.strip() for part in word.split(SEPARATOR)} - {""}


def _matrix(frame: pd.DataFrame, pattern: str) -> tuple[dict[str, str], FloatArray]:
    names = matched(frame, pattern)
    columns = []
    for column in names:
        words = as_words(frame[column])
        values = as_numbers(words)
        wrong = np.flatnonzero(np.isnan(values) & (words != "").to_numpy())
        if len(wrong):
            raise TableError(
                f"Column {column!r} says {words.iloc[wrong[0]]!r} in row {wrong[0]} (counted from "
                "0), which is no number."
            )
        columns.append(values)
    return names, np.column_stack(columns)


def _some(frame: pd.DataFrame) -> str:
    names = [str(name) for name in frame.columns]
    return ", ".join(names[:12]) + ("..." if len(names) > 12 else "")
