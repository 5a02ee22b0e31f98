"""``labelief simulate``: labels spoiled in a known way."""

from __future__ import annotations

from typing import Annotated

import typer

from labelief.cli.console import note, say
from labelief.cli.options import Output, Seed, Table

__all__ = ["run"]


def run(
    table: Table,
    label: Annotated[str, typer.Option(metavar="COLUMN", help="The true classes.")],
    noise: Annotated[
        str,
        typer.Option(
            help="replace (drawn anew from all classes, with a confidence), flip (to another "
            "class, with a confidence), symmetric (to any other class) or asymmetric (to the next)."
        ),
    ] = "replace",
    rate: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="Mean share of labels that are spoiled.")
    ] = 0.3,
    seed: Seed = 0,
    out: Output = None,
) -> None:
    """Spoil the labels of a table in a known way, to see what a method makes of it.

    Adds the column [bold]observed[/], and with replace and flip the column [bold]confidence[/]
    (for train --label observed --confidence confidence); all else stays.

    labelief simulate birds.csv --label species --noise flip --rate 0.2 --out spoiled.csv
    """
    from labelief.cli.spoiling import spoil
    from labelief.tables import read_table, write_table
    from labelief.tables.files import kind_to_write

    if out is not None:
        kind_to_write(out)
    frame, wrong = spoil(read_table(table), label, noise, rate, seed)
    note(f"{wrong} of {len(frame)} labels are wrong now.")
    if out is None:
        say(frame.to_csv(index=False, lineterminator="\n").rstrip())
    else:
        write_table(frame, out)
