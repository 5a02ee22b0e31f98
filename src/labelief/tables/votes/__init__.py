"""Votes from the files of labelling tools: one reader a layout, all of them to one long table.

A reader is a function from what was parsed to a data frame with the columns ``item``, ``annotator``
and ``label`` (a class, or candidates "A|B"), and perhaps ``confidence``; None where the content has
another layout.  Another layout is another file here and another entry in the list below.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

from labelief.tables.files import TableError, read_table
from labelief.tables.votes.doccano import from_doccano
from labelief.tables.votes.label_studio import from_label_studio
from labelief.tables.votes.long import from_long
from labelief.tables.votes.peerannot import from_peerannot
from labelief.tables.votes.wide import from_wide

__all__ = ["LAYOUTS", "read_votes"]

Reader = Callable[[Any], pd.DataFrame | None]

TABLES: dict[str, Reader] = {"long": from_long, "wide": from_wide}
TREES: dict[str, Reader] = {
    "label-studio": from_label_studio,
    "peerannot": from_peerannot,
    "doccano": from_doccano,
}
LAYOUTS = [*TABLES, *TREES]
"""Names of the layouts: "long" is crowd-kit's too, "wide" is cleanlab's."""


def read_votes(path: str | Path, layout: str | None = None) -> pd.DataFrame:
    """Read votes as a long table: item, annotator, label and perhaps confidence, all of them text.

    Parameters
    ----------
    path : path
        A table (CSV, TSV, Parquet, Feather), a JSON file, JSON lines, or a folder of JSON lines
        with one file for each annotator, as doccano exports them.
    layout : str, default=None
        One of ``LAYOUTS``; by default it is recognised.

    Returns
    -------
    DataFrame
    """
    path = Path(path)
    if layout is not None and layout not in LAYOUTS:
        raise TableError(f"There is no layout {layout!r} of votes: it is one of {LAYOUTS}.")
    if path.is_dir() or path.suffix.lower() in (".json", ".jsonl", ".ndjson"):
        content = _parsed(path)
        readers = TREES
    else:
        content = read_table(path)
        readers = TABLES
    for name, reader in readers.items():
        if layout in (None, name):
            votes = reader(content)
            if votes is not None:
                return _checked(votes, path)
    raise TableError(
        f"{path} has none of the layouts of votes that are known here ({', '.join(readers)}): give "
        "a table with the columns item, annotator and label."
    )


def _parsed(path: Path) -> Any:
    """Return a JSON value, or the lines of JSON lines with the file that each comes from."""
    if path.is_dir():
        files = sorted(path.glob("*.jsonl"))
        if not files:
            raise TableError(f"{path} is a folder without .jsonl files: there are no votes in it.")
        return [line for file in files for line in _lines(file)]
    if not path.exists():
        raise TableError(f"There is no file {path}.")
    if path.suffix.lower() != ".json":
        return _lines(path)
    try:
        return json.loads(path.read_text(encoding="utf-8-sig"))
    except UnicodeDecodeError:
        raise TableError(f"{path} is not UTF-8 text.") from None
    except json.JSONDecodeError as error:
        raise TableError(f"{path} is no JSON: {error.msg} in line {error.lineno}.") from None


def _lines(path: Path) -> list[Any]:
    lines = []
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise TableError(f"{path} is not UTF-8 text.") from None
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            try:
                value = json.loads(line)
            except json.JSONDecodeError as error:
                raise TableError(f"Line {number} of {path} is no JSON: {error.msg}.") from None
            lines.append({"file": path.stem, **value} if isinstance(value, dict) else value)
    return lines


def _checked(votes: pd.DataFrame, path: Path) -> pd.DataFrame:
    if not len(votes):
        raise TableError(f"{path} holds no votes.")
    for column, what in (("item", "what it is about"), ("annotator", "who gave it")):
        empty = votes[column] == ""
        if empty.any():
            raise TableError(
                f"Vote {int(empty.to_numpy().argmax())} of {path} (counted from 0) does not say "
                f"{what}: its {column} is empty."
            )
    # An empty answer is an abstention.
    votes["label"] = votes["label"].astype(object).where(votes["label"] != "", None)
    return votes
