"""``labelief combine``: the votes of several people as soft labels."""

from __future__ import annotations

from typing import Annotated

import typer

from labelief.cli.console import note, say
from labelief.cli.options import Output

__all__ = ["run"]


def run(
    votes: Annotated[str, typer.Argument(metavar="VOTES", help="A file of votes, as for train.")],
    rule: Annotated[
        str, typer.Option(help="dawid_skene (learns who errs how), dempster or mean.")
    ] = "dawid_skene",
    discount: Annotated[
        float | None,
        typer.Option(
            min=0.0, max=1.0, help="Chance that a vote says nothing; 0.2 for dempster, else 0."
        ),
    ] = None,
    layout: Annotated[
        str | None,
        typer.Option(help="Layout of the file: long, wide, label-studio, doccano or peerannot."),
    ] = None,
    out: Output = None,
) -> None:
    """Pool the votes of several people to soft labels, one row an item.

    Columns: [bold]item[/], [bold]votes[/], [bold]pl_CLASS[/] (plausibilities, for train
    --plausibility 'pl_*'), [bold]class[/] (empty where two are as plausible), [bold]conflict[/]
    (the share of votes against it).

    labelief combine readers.csv --out soft.csv
    """
    import numpy as np
    import pandas as pd

    from labelief import SoftLabels
    from labelief.cli.results import disagreement
    from labelief.cli.voting import as_votes
    from labelief.tables import write_table
    from labelief.tables.files import kind_to_write

    if out is not None:
        kind_to_write(out)
    said = as_votes(votes, layout)
    if discount is None:
        discount = 0.2 if rule == "dempster" else 0.0
    labels = SoftLabels.from_votes(said, rule=rule, discount=discount)
    best = labels.most_plausible()
    frame = pd.DataFrame({"item": said.items, "votes": np.diff(said.indptr)})
    for j, name in enumerate(labels.classes):
        frame[f"pl_{name}"] = labels.plausibilities[:, j]
    frame["class"] = np.where(np.isin(best, labels.classes), best, "")
    frame["conflict"] = disagreement(said)
    if out is None:
        say(frame.to_csv(index=False, lineterminator="\n").rstrip())
    else:
        write_table(frame, out)
        note(f"{len(frame)} items, {rule}, discount {discount:g}: {out}")
