"""What annotators may answer: a class, one of several classes, that they are unsure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from labelief._typing import BoolArray, IntArray
from labelief.kernels import bits
from labelief.labels.class_names import (
    Codes,
    Names,
    as_classes,
    freeze,
    is_missing,
    name_array,
)
from labelief.labels.class_sets import Collection, flatten
from labelief.labels.encoding import encode
from labelief.labels.keys import as_cells
from labelief.labels.messages import name_classes

VAGUE = "unsure"


@dataclass(frozen=True, eq=False)
class Answers:
    """A column of answers, coded.

    Parameters
    ----------
    classes : (K,) array
        Names of the classes.
    own : (0,) or (1,) array
        "unsure" where that is an answer of its own.
    sets : (T, K) bool array
        The candidate sets that are answers: which classes each holds.
    codes : (V,) int32 array
        The answer of each row, -1 for an abstention: classes first, then "unsure", then sets.
    """

    classes: Names
    own: Names
    sets: BoolArray
    codes: Codes

    @property
    def names(self) -> Names:
        """Names of all answers; that of a set is the frozenset of its classes."""
        return answer_names(self.classes, self.own, self.sets)


def answer_names(classes: Names, own: Names, sets: BoolArray) -> Names:
    """Name the answers: classes, "unsure" where it is one, a frozenset for each candidate set."""
    if not len(own) and not len(sets):
        return classes
    listed = classes.tolist()
    groups = [frozenset(listed[k] for k in np.flatnonzero(row)) for row in sets]
    return freeze(name_array([*listed, *own.tolist(), *groups]))


def read_answers(
    column: Any, classes: Any, unsure: str, sep: str | None, also: list[Any]
) -> Answers:
    """Read a column of answers.

    Parameters
    ----------
    column : (V,) array-like
        Classes, collections of classes, "unsure", None and NaN.
    classes : array-like or None
        The classes; by default those that are named, sorted.
    unsure : {"abstain", "answer"}
        What "unsure" is where no class has that name.
    sep : str or None
        What separates the classes of a set written as text.
    also : list
        Further names of classes.

    Returns
    -------
    Answers
        The answers.
    """
    vague = VAGUE if classes is None or VAGUE not in as_classes(classes).tolist() else None
    values = as_cells(column, "label")
    is_vague = np.zeros(len(values), dtype=np.bool_)
    if vague is not None and values.dtype.kind in "OU":
        listed = values.tolist()
        is_vague[:] = [isinstance(value, str) and value == vague for value in listed]
        if is_vague.any():
            # Numbers may stand beside the text "unsure".
            values = values.astype(object)
            values[is_vague] = None
    cells = _cells(values, sep)
    if cells is None:
        named = values if not also else name_array([*values.tolist(), *also])
        names, said = encode(named, classes, name="label")
        codes, sets = said[: len(values)], np.zeros((0, names.size), dtype=np.bool_)
    else:
        names, codes, sets = _with_sets(cells, classes, vague, also)
    own: Names = np.empty(0, dtype=object)
    if vague is not None and unsure == "answer":
        codes = np.where(codes >= names.size, codes + 1, codes).astype(np.int32)
        codes[is_vague] = names.size
        own = np.array([vague])
    return Answers(names, own, sets, codes)


def _cells(values: Names, sep: str | None) -> list[Any] | None:
    """Return the cells with texts of several classes as tuples; None where no cell is a set."""
    if sep is not None and (not isinstance(sep, str) or not sep):
        raise ValueError(f"sep must be the text between classes, such as '|', got {sep!r}")
    if values.dtype.kind not in "OU" or (values.dtype.kind == "U" and sep is None):
        return None
    cells = values.tolist()
    if sep is not None:
        texts = {cell for cell in cells if isinstance(cell, str)}
        parts = {
            text: tuple(part.strip() for part in text.split(sep)) for text in texts if sep in text
        }
        cells = [parts.get(cell, cell) if isinstance(cell, str) else cell for cell in cells]
    return cells if any(isinstance(cell, Collection) for cell in cells) else None


def _with_sets(
    cells: list[Any], classes: Any, vague: str | None, also: list[Any]
) -> tuple[Names, Codes, BoolArray]:
    """Code cells of which some are collections; a set of one class is that class."""
    number, origin = _distinct(cells)
    cells = [cells[row] for row in origin]
    is_set = np.fromiter((isinstance(cell, Collection) for cell in cells), np.bool_, len(cells))
    set_row = np.flatnonzero(is_set)
    owner, members, n_sets = flatten([cells[row] for row in set_row])
    empty = np.flatnonzero(np.bincount(owner, minlength=n_sets) == 0)
    if empty.size:
        row = origin[set_row[empty[0]]]
        raise ValueError(f"label holds an empty set at row {row}: None is an abstention")
    for place, member in enumerate(members):
        if isinstance(member, Collection) or is_missing(member) or member in (vague, ""):
            row = origin[set_row[owner[place]]]
            raise ValueError(
                f"label has {member!r} in the set at row {row}: a set holds names of classes"
            )
    single = [None if inside else cell for inside, cell in zip(is_set, cells, strict=True)]
    rows = origin[np.concatenate((np.arange(len(cells)), set_row[owner]))]
    names, found = _encode([*single, *members, *also], rows, classes)
    codes, inside = found[: len(cells)].copy(), found[len(cells) : len(rows)]
    words = bits.from_members(owner, inside, n_sets, names.size)
    alone = bits.popcount(words) == 1
    codes[set_row[alone]] = bits.singleton_codes(words[alone])
    distinct, place_of = np.unique(words[~alone], axis=0, return_inverse=True)
    codes[set_row[~alone]] = names.size + place_of.ravel()
    return names, codes[number], bits.unpack(distinct, names.size)


def _distinct(cells: list[Any]) -> tuple[IntArray, IntArray]:
    """Return a number for each cell, equal cells alike, and the first row of each number."""
    place: dict[Any, int] = {}
    origin: list[int] = []
    number = np.empty(len(cells), dtype=np.int64)
    for row, cell in enumerate(cells):
        key = cell
        if isinstance(cell, list | np.ndarray):
            key = tuple(cell)
        elif isinstance(cell, set):
            key = frozenset(cell)
        try:
            found = place.setdefault(key, len(place))
        except TypeError:
            # It holds something that is no name of a class, which is said where members are read.
            found = place.setdefault(("row", row, id(cell)), len(place))
        if found == len(origin):
            origin.append(row)
        number[row] = found
    return number, np.array(origin, dtype=np.int64)


def _encode(values: list[Any], rows: IntArray, classes: Any) -> tuple[Names, Codes]:
    """Encode names that stand in rows of the table, naming the row in a refusal."""
    if classes is not None:
        known = set(as_classes(classes).tolist())
        for place, value in enumerate(values[: len(rows)]):
            if not is_missing(value) and value not in known:
                raise ValueError(
                    f"label has {value!r} at row {rows[place]}, which is not among the classes "
                    f"{name_classes(as_classes(classes))}"
                )
    return encode(values, classes, name="label")
