"""How soft labels look in a terminal and in a notebook."""

from __future__ import annotations

from html import escape

import numpy as np

from labelief._typing import FloatArray, IntArray
from labelief.labels.class_names import Names
from labelief.labels.focal import FocalSets
from labelief.labels.messages import name_classes

ROWS = 6
SETS = 4
MEMBERS = 5


def shown_rows(n: int) -> IntArray:
    """Choose the rows that are written out: all of a few, else the first and the last ones.

    Parameters
    ----------
    n : int
        Number of rows.

    Returns
    -------
    integer array
        Row numbers.
    """
    if n <= ROWS:
        return np.arange(n)
    return np.concatenate((np.arange(ROWS // 2), np.arange(n - ROWS // 2, n)))


def describe_row(sets: FocalSets, row: int, classes: Names) -> str:
    """Write one mass function, heaviest set first.

    Parameters
    ----------
    sets : FocalSets
        Explicit focal sets.
    row : int
        Which row.
    classes : (K,) array
        Names of the classes.

    Returns
    -------
    str
        As in ``"cat 0.7, {cat, dog} 0.3"``.
    """
    start, stop = sets.indptr[row], sets.indptr[row + 1]
    members = sets.members[start:stop]
    mass = sets.mass[start:stop]
    order = np.argsort(-mass, kind="stable")
    parts = [f"{_name_set(members[e], classes)} {mass[e]:.3g}" for e in order[:SETS]]
    more = f", {mass.size - SETS} more" if mass.size > SETS else ""
    return ", ".join(parts) + more


def _name_set(
    members: FloatArray | np.ndarray[tuple[int], np.dtype[np.bool_]], classes: Names
) -> str:
    inside = np.flatnonzero(members)
    if inside.size == 0:
        return "∅"
    if inside.size == 1:
        return str(classes[inside[0]])
    if inside.size == classes.size:
        return "any class"
    names = ", ".join(str(name) for name in classes[inside[:MEMBERS]])
    return "{" + names + (f", ... {inside.size} classes" if inside.size > MEMBERS else "") + "}"


def describe(sets: FocalSets, rows: IntArray, n: int, classes: Names, n_verified: int) -> str:
    """Write a batch of soft labels as text.

    Parameters
    ----------
    sets : FocalSets
        The rows that are shown.
    rows : integer array
        Their numbers in the batch.
    n : int
        Number of rows of the batch.
    classes : (K,) array
        Names of the classes.
    n_verified : int
        How many rows are marked as verified.

    Returns
    -------
    str
        A headline, then one line per row shown.
    """
    lines = [_headline(n, classes, n_verified)]
    width = len(str(max(n - 1, 0)))
    for i, row in enumerate(rows):
        if i and row != rows[i - 1] + 1:
            lines.append("  ...")
        lines.append(f"  {row:>{width}}  {describe_row(sets, i, classes)}")
    return "\n".join(lines)


def _headline(n: int, classes: Names, n_verified: int) -> str:
    verified = f", {n_verified} verified" if n_verified else ""
    return f"SoftLabels: {n} rows{verified}, classes {name_classes(classes)}"


def describe_html(sets: FocalSets, rows: IntArray, n: int, classes: Names, n_verified: int) -> str:
    """Write a batch of soft labels as an HTML table, every name escaped.

    Parameters
    ----------
    sets, rows, n, classes, n_verified
        As for :func:`describe`.

    Returns
    -------
    str
        HTML.
    """
    lines = []
    for i, row in enumerate(rows):
        if i and row != rows[i - 1] + 1:
            lines.append("<tr><th>...</th><td></td></tr>")
        lines.append(f"<tr><th>{row}</th><td>{escape(describe_row(sets, i, classes))}</td></tr>")
    return (
        f"<div><p>{escape(_headline(n, classes, n_verified))}</p>"
        f"<table><thead><tr><th>row</th><th>masses</th></tr></thead>"
        f"<tbody>{''.join(lines)}</tbody></table></div>"
    )
