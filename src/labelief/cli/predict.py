"""``labelief predict``: classes, probabilities and sets for the rows of a table of any length."""

from __future__ import annotations

from typing import Annotated

import typer

from labelief.cli.options import Output, Table

__all__ = ["run"]


def run(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A file that train wrote.")],
    table: Table,
    out: Output = None,
    keep: Annotated[
        str | None,
        typer.Option(metavar="COLUMNS", help="Columns of the table to repeat, as an id."),
    ] = None,
    sets: Annotated[
        float | None,
        typer.Option(
            "--set",
            metavar="SHARE",
            min=0.0,
            max=1.0,
            help="Also a set of classes, the fewest whose probabilities sum to this (0.95).",
        ),
    ] = None,
    reject: Annotated[
        float | None,
        typer.Option(
            metavar="COST",
            min=0.0,
            help="Leave the class empty where its expected cost is above this.",
        ),
    ] = None,
) -> None:
    """Give the classes of a table's rows by a model.

    Columns: [bold]class[/], then [bold]p_CLASS[/] for each class, and [bold]set[/] ("A|B") with
    --set. The table is read piece by piece: it may be larger than memory.

    labelief predict birds/model.labelief new.csv --keep id --out classes.csv
    """
    from labelief.cli.prediction import Wish, predict
    from labelief.cli.train import split

    predict(model, table, out, Wish(split(keep) or [], sets, reject))
