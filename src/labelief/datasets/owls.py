"""Owls that six readers of different skill named, with their doubts: simulated, with the truth."""

from __future__ import annotations

import csv
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from labelief.labels.tables import make_frame
from labelief.labels.votes import Votes

__all__ = ["Owls", "load_owls", "save_owls"]

_FILES = ("owls.csv", "owl_votes.csv", "owl_truth.csv")


class Owls(NamedTuple):
    """What :func:`load_owls` returns.

    Attributes
    ----------
    frame : data frame
        320 owls: owl (an id), wing, weight, tail, call pitch, eyes, ear tufts, site, seen (a date).
        Pitch and eyes are missing for some.
    votes : Votes
        922 answers of six readers (38 more said nothing): a species, or two
        candidates, with a certainty.
    truth : (320,) list of str
        The species, which nobody would have in practice.
    """

    frame: Any
    votes: Votes
    truth: list[str]


def load_owls(backend: str = "pandas") -> Owls:
    """Load the owls.

    Three readers know owls, and name two candidates where they are in doubt; the other three, who
    read more, see tawny owls, which everybody knows, where others sit.

    Parameters
    ----------
    backend : str, default="pandas"
        Library of the frame: "pandas", "polars", "pyarrow"...

    Returns
    -------
    Owls

    Examples
    --------
    >>> from labelief.datasets import load_owls
    >>> owls = load_owls()
    >>> owls.frame.shape, len(owls.truth)
    ((320, 9), 320)
    >>> owls.votes.annotators.tolist()
    ['Ada', 'Ben', 'Cleo', 'Dan', 'Eve', 'Finn']
    """
    table, said, known = (_columns(name) for name in _FILES)
    columns: dict[str, list[Any]] = {
        name: [_value(cell) for cell in cells] for name, cells in table.items()
    }
    sure = [float(cell or 1.0) for cell in said["certainty"]]
    answers = [cell or None for cell in said["answer"]]
    votes = Votes(
        {"item": said["item"], "reader": said["reader"], "answer": answers, "certainty": sure},
        "item",
        "reader",
        "answer",
        "certainty",
        items=table["owl"],
        sep="|",
    )
    return Owls(make_frame(columns, backend), votes, known["truth"])


def save_owls(folder: str | Path) -> list[Path]:
    """Write the table, the votes and the truth as CSV, for the command ``labelief``.

    Parameters
    ----------
    folder : path
        Made if it is not there.

    Returns
    -------
    list of Path
        owls.csv, owl_votes.csv and owl_truth.csv.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / name for name in _FILES]
    for path in paths:
        path.write_text(_text(path.name), encoding="utf-8")
    return paths


def _text(name: str) -> str:
    return files("labelief.datasets").joinpath(name).read_text(encoding="utf-8")


def _columns(name: str) -> dict[str, list[str]]:
    head, *rows = csv.reader(_text(name).splitlines())
    return {column: [row[j] for row in rows] for j, column in enumerate(head)}


def _value(cell: str) -> Any:
    """Return a number where a cell is one, None where it is empty."""
    try:
        return float(cell) if cell else None
    except ValueError:
        return cell
