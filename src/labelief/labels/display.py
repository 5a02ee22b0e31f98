"""How soft labels look in a terminal and in a notebook."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from labelief._typing import BoolArray, FloatArray, IntArray
from labelief.labels.class_names import Names
from labelief.labels.focal import FocalSets
from labelief.labels.html import html_table
from labelief.labels.messages import name_classes

ROWS = 6
SETS = 4
MEMBERS = 5
DOTS = "..."


@dataclass(frozen=True, eq=False)
class Summary:
    """What is shown of a batch of soft labels.

    Parameters
    ----------
    n : int
        Number of rows.
    classes : (K,) array
        Names of the classes.
    n_verified : int
        How many rows are marked as verified.
    rows : integer array
        The rows that are written out.
    focal : FocalSets
        Their focal sets.
    """

    n: int
    classes: Names
    n_verified: int
    rows: IntArray
    focal: FocalSets

    @property
    def headline(self) -> str:
        """Numbers of rows and names of classes."""
        rows = "1 row" if self.n == 1 else f"{self.n} rows"
        verified = f", {self.n_verified} verified" if self.n_verified else ""
        return f"SoftLabels: {rows}{verified}, classes {name_classes(self.classes)}"

    def lines(self) -> Iterator[tuple[str, str]]:
        """Yield row number and masses, and dots where rows are left out."""
        for i, row in enumerate(self.rows):
            if i and row != self.rows[i - 1] + 1:
                yield DOTS, ""
            yield str(row), describe_row(self.focal, i, self.classes)


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


def _name_set(members: BoolArray, classes: Names) -> str:
    inside = np.flatnonzero(members)
    if inside.size == 0:
        return "∅"
    if inside.size == 1:
        return str(classes[inside[0]])
    if inside.size == classes.size:
        return "any class"
    names = ", ".join(str(name) for name in classes[inside[:MEMBERS]])
    return "{" + names + (f", ... {inside.size} classes" if inside.size > MEMBERS else "") + "}"


def describe_label_sets(
    rows: IntArray, indptr: IntArray, members: BoolArray, mass: FloatArray, labels: Names
) -> Iterator[tuple[str, str]]:
    """Write mass functions over label sets, heaviest set first.

    Parameters
    ----------
    rows : (n,) integer array
        Numbers of the rows.
    indptr : (n + 1,) integer array
        Where each row's focal elements begin.
    members : (F, 2Q) bool array
        What each element contains, then what it avoids.
    mass : (F,) array
        Their masses.
    labels : (Q,) array
        Names of the labels.

    Yields
    ------
    row, masses : str, str
        As in ``"0", "{sea, not sun} 0.7, anything 0.3"``; dots where rows are left out.
    """
    for i, (start, stop) in enumerate(pairwise(indptr.tolist())):
        if i and rows[i] != rows[i - 1] + 1:
            yield DOTS, ""
        order = start + np.argsort(-mass[start:stop], kind="stable")
        parts = [f"{_name_demands(members[e], labels)} {mass[e]:.3g}" for e in order[:SETS]]
        more = f", {stop - start - SETS} more" if stop - start > SETS else ""
        yield str(rows[i]), ", ".join(parts) + more


def aligned(lines: list[tuple[str, str]]) -> list[str]:
    """Write row numbers and masses as lines of text."""
    width = max((len(row) for row, _ in lines if row != DOTS), default=0)
    return [f"  {row:>{width}}  {masses}".rstrip() for row, masses in lines]


def _name_demands(members: BoolArray, labels: Names) -> str:
    inside, outside = np.flatnonzero(members[: labels.size]), np.flatnonzero(members[labels.size :])
    if np.intersect1d(inside, outside).size:
        return "conflict"
    names = [f"{labels[q]}" for q in inside] + [f"not {labels[q]}" for q in outside]
    if not names:
        return "anything"
    more = f", ... {len(names)} labels" if len(names) > MEMBERS else ""
    return "{" + ", ".join(names[:MEMBERS]) + more + "}"


def describe_votes(annotators: Names, answers: Names) -> str:
    """Write the votes on one item.

    Parameters
    ----------
    annotators, answers : (V,) arrays
        Who said what; a frozenset is one of several classes.

    Returns
    -------
    str
        As in ``"ann: cat, bob: cat or dog"``.
    """
    said = [
        " or ".join(sorted(map(str, one))) if isinstance(one, frozenset) else str(one)
        for one in answers[:MEMBERS].tolist()
    ]
    parts = [f"{who}: {what}" for who, what in zip(annotators.tolist(), said, strict=False)]
    more = f", {len(answers) - MEMBERS} more" if len(answers) > MEMBERS else ""
    return ", ".join(parts) + more or "no votes"


def as_text(summary: Summary) -> str:
    """Write a batch of soft labels as text.

    Parameters
    ----------
    summary : Summary
        What is shown.

    Returns
    -------
    str
        A headline, then one line per row shown.
    """
    return "\n".join([summary.headline, *aligned(list(summary.lines()))])


def as_html(summary: Summary) -> str:
    """Write a batch of soft labels as an HTML table, every name escaped.

    Parameters
    ----------
    summary : Summary
        What is shown.

    Returns
    -------
    str
        HTML.
    """
    return html_table(summary.headline, ("row", "masses"), summary.lines())
