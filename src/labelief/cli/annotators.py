"""``labelief annotators``: who is reliable about what."""

from __future__ import annotations

from typing import Annotated

import typer

from labelief.cli.console import note, say
from labelief.cli.options import Output

__all__ = ["run"]


def run(
    votes: Annotated[str, typer.Argument(metavar="VOTES", help="A file of votes, as for train.")],
    layout: Annotated[
        str | None,
        typer.Option(help="Layout of the file: long, wide, label-studio, doccano or peerannot."),
    ] = None,
    out: Output = None,
) -> None:
    """Say who is reliable about what, from votes alone.

    Each vote is judged by what all others say of the item; worst first. Prints Krippendorff's
    alpha, the agreement beyond chance: 1 is perfect, 0 is chance.

    labelief annotators readers.csv
    """
    from labelief.audit import audit_annotators
    from labelief.cli.voting import as_votes
    from labelief.metrics import krippendorff_alpha
    from labelief.tables import TableError, write_table
    from labelief.tables.files import kind_to_write

    if out is not None:
        kind_to_write(out)
    said = as_votes(votes, layout)
    if len(said.classes) < 2:
        raise TableError(f"Every vote is {str(said.classes[0])!r}: there is nothing to compare.")
    found = audit_annotators(said)
    note(
        f"{len(said.label_codes)} votes by {len(said.annotators)} people on {len(said)} items; "
        f"agreement (Krippendorff's alpha) {krippendorff_alpha(said):.3f}"
    )
    say(found.to_string(index=False, float_format=lambda value: f"{value:.3f}"))
    if out is not None:
        write_table(found, out)
