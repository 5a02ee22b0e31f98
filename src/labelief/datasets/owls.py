"""Owls that six readers of different skill named, with their doubts: simulated, with the truth."""

from __future__ import annotations

import csv
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from labelief.labels.tables import make_frame
from labelief.labels.votes import Votes

__all__ = ["Owls", "load_owls", "save_owls"]

_FILES = ("owls.csv", "owl_votes.csv")


class Owls(NamedTuple):
    """What :func:`load_owls` returns.

    Attributes
    ----------
    frame : data frame
        320 owls: owl (an id), wing, weight, tail, call pitch, eyes, ear tufts, site, seen (a date).
        Pitch and eyes are missing for some.
    votes : Votes
        906 answers of six readers (47 said nothing): a species, or two
        candidates, with a certainty.
    truth : (320,) list of str
        The species, which nobody would have in practice.
    """

    frame: Any
    votes: Votes
    truth: list[str]


def load_owls(backend: str = "pandas") -> Owls:
    """Load the owls.

    The readers err at rates from 7 to 55 %, and more between species that look alike; careful ones
    name two candidates where they are in doubt.

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
    >>> owls.votes
    Votes: 906 votes of 6 annotators on 320 items, classes 'barn owl', 'little owl', 'long-eared owl', 'tawny owl'
    """
    table, said = (_columns(name) for name in _FILES)
    truth = table.pop("truth")
    columns: dict[str, list[Any]] = {
        name: [_value(cell) for cell in cells] for name, cells in table.items()
    }
    said["certainty"] = [cell or "1" for cell in said["certainty"]]
    votes = Votes(
        {**said, "certainty": [float(cell) for cell in said["certainty"]]}
        | {"answer": [cell or None for cell in said["answer"]]},
        "item",
        "reader",
        "answer",
        "certainty",
        items=table["owl"],
        sep="|",
    )
    return Owls(make_frame(columns, backend), votes, truth)


def save_owls(folder: str | Path) -> tuple[Path, Path]:
    """Write the table and the votes as CSV, for the command ``labelief``.

    Parameters
    ----------
    folder : path
        Made if it is not there.

    Returns
    -------
    owls.csv, owl_votes.csv : Path
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    table, votes = folder / _FILES[0], folder / _FILES[1]
    for path in (table, votes):
        path.write_text(_text(path.name), encoding="utf-8")
    return table, votes


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
