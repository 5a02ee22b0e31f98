"""Options that several commands share, each described once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = [
    "Classes",
    "Confidence",
    "Features",
    "Group",
    "Id",
    "Jobs",
    "Label",
    "Output",
    "Plausibility",
    "Probability",
    "Seed",
    "Table",
    "VotesFile",
]


def _some_jobs(value: int | None) -> int | None:
    if value == 0:
        raise typer.BadParameter("0 processes do nothing: give 1 or more, or -1 for all cores.")
    return value


_LABELS, _COLUMNS = "Where the labels are", "Columns"

Table = Annotated[str, typer.Argument(metavar="TABLE", help='The table; "-" is a pipe.')]
Label = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help='The class of each row: empty is unknown, "A|B" is one of the two.',
        rich_help_panel=_LABELS,
    ),
]
Confidence = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="Beside --label: how sure it is, from 0 to 1.",
        rich_help_panel=_LABELS,
    ),
]
Plausibility = Annotated[
    str | None,
    typer.Option(
        metavar="PATTERN",
        help="Columns with the plausibility of each class, as in 'pl_*': * is the class.",
        rich_help_panel=_LABELS,
    ),
]
Probability = Annotated[
    str | None,
    typer.Option(
        metavar="PATTERN",
        help="Columns with the probability of each class, as in 'p_*'; each row sums to 1.",
        rich_help_panel=_LABELS,
    ),
]
VotesFile = Annotated[
    str | None,
    typer.Option(
        "--votes",
        metavar="FILE",
        help="Answers of several people: a long table (item, annotator, label), or a file of "
        "Label Studio, doccano, crowd-kit, cleanlab or peerannot.",
        rich_help_panel=_LABELS,
    ),
]
Id = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="Beside --votes: the column of the table that names each row's item; without it "
        "items are row numbers, from 0.",
        rich_help_panel=_LABELS,
    ),
]
Group = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="Rows that belong together (patient, site): they stay in one fold.",
        rich_help_panel=_COLUMNS,
    ),
]
Features = Annotated[
    str | None,
    typer.Option(
        metavar="PATTERNS",
        help="Columns to learn from, with commas between (a name that holds one in quotation "
        "marks), * for anything; all by default.",
        rich_help_panel=_COLUMNS,
    ),
]
Classes = Annotated[
    str | None,
    typer.Option(metavar="NAMES", help="All classes, with commas between; those found by default."),
]
Output = Annotated[
    Path | None,
    typer.Option("--out", metavar="FILE", help="Where to write; the screen by default."),
]
Seed = Annotated[
    int, typer.Option(min=0, max=2**32 - 1, help="The same seed gives the same files.")
]
Jobs = Annotated[
    int | None,
    typer.Option(
        callback=_some_jobs,
        help="Processes that fit models side by side; one by default, -1 for all cores.",
    ),
]
