"""Explicit mass functions as people write them: a dict per row, or a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any

import numpy as np

from labelief._typing import FloatArray, IntArray
from labelief.kernels import bits
from labelief.labels.class_names import Names
from labelief.labels.class_sets import as_list, encode_members, flatten, is_unknown
from labelief.labels.focal import FocalSets
from labelief.labels.messages import name_rows
from labelief.labels.tables import is_frame, table_column
from labelief.labels.weights import check_sums


def masses(rows: Any, classes: Any) -> tuple[Names, FocalSets]:
    """Read explicit mass functions.

    Parameters
    ----------
    rows : list of dicts {set of classes: mass}, or data frame
        The mass functions. A frame has the columns ``row``, ``focal_set``, ``mass``.
    classes : array-like or None
        Names of the classes; by default those that some set names.

    Returns
    -------
    classes, FocalSets
        General mass functions.
    """
    if is_frame(rows):
        element_row, sets, mass = _mass_frame(rows)
        n = int(element_row.max(initial=-1)) + 1
        vacuous = np.empty(0, dtype=np.int64)
    else:
        listed = [None if is_unknown(row) else row for row in as_list(rows, "rows")]
        strange = [i for i, row in enumerate(listed) if not isinstance(row, Mapping | None)]
        if strange:
            raise ValueError(
                f"row {strange[0]} is not a dict {{set of classes: mass}}: {listed[strange[0]]!r}"
            )
        n = len(listed)
        vacuous = np.array([i for i, row in enumerate(listed) if row is None], dtype=np.int64)
        given = [row or {} for row in listed]
        element_row = np.repeat(np.arange(n), [len(row) for row in given])
        sets = list(chain.from_iterable(given))
        mass = _as_masses(list(chain.from_iterable(row.values() for row in given)), element_row)
    if not np.isfinite(mass).all() or (mass < 0).any():
        bad = np.flatnonzero(~(np.isfinite(mass) & (mass >= 0)))[0]
        raise ValueError(
            f"the mass of {sets[bad]!r} in row {element_row[bad]} is {mass[bad]}: masses are "
            "finite and not negative"
        )
    unknown = np.array([is_unknown(group) for group in sets], dtype=np.bool_)
    sets = [None if nothing else group for group, nothing in zip(sets, unknown, strict=True)]
    element, members, n_elements = flatten(sets)
    names, codes = encode_members(members, element_row[element], classes)
    words = bits.from_members(element, codes, n_elements, names.size)
    words[unknown] = bits.full(names.size)
    return names, _complete(element_row, words, mass, vacuous, n, names.size)


def _complete(
    rows: IntArray, words: bits.Words, mass: FloatArray, vacuous: IntArray, n: int, n_classes: int
) -> FocalSets:
    """Check the sums, add vacuous rows and scale rounding away."""
    frame = np.broadcast_to(bits.full(n_classes), (vacuous.size, words.shape[1]))
    rows = np.concatenate((rows, vacuous))
    words = np.concatenate((words, frame))
    mass = np.concatenate((mass, np.ones(vacuous.size)))
    sums = np.bincount(rows, weights=mass, minlength=n).astype(np.float64)
    check_sums(sums, "masses")
    made = FocalSets.from_elements(rows, words, mass / sums[rows], n, n_classes)
    return refuse_all_empty(made)


def refuse_all_empty(made: FocalSets) -> FocalSets:
    """Refuse mass functions that say no class is possible, m(∅) = 1.

    Parameters
    ----------
    made : FocalSets
        Mass functions.

    Returns
    -------
    FocalSets
        The same.
    """
    filled = (made.words != 0).any(axis=1).astype(np.float64)
    nothing = np.flatnonzero(made.row_sums(filled) == 0)
    if nothing.size:
        raise ValueError(
            f"all mass is on the empty set in {name_rows(nothing)}: no class is possible there"
        )
    return made


def _as_masses(values: list[Any], rows: IntArray) -> FloatArray:
    try:
        return np.asarray(values, dtype=np.float64).reshape(len(values))
    except (TypeError, ValueError):
        bad = next(i for i, value in enumerate(values) if not isinstance(value, int | float))
        raise ValueError(f"{values[bad]!r} in row {rows[bad]} is not a mass") from None


def _mass_frame(table: Any) -> tuple[IntArray, list[Any], FloatArray]:
    rows = np.asarray(table_column(table, "row", "rows"))
    if rows.dtype.kind not in "iu" or (rows < 0).any():
        raise ValueError("the column 'row' must hold row numbers 0..n-1")
    sets = [
        group if isinstance(group, str) or not isinstance(group, Iterable) else tuple(group)
        for group in table_column(table, "focal_set", "rows")
    ]
    mass = _as_masses(list(table_column(table, "mass", "rows")), rows)
    return rows.astype(np.int64), sets, mass
