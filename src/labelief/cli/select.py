"""``labelief select``: which features follow the labels."""

from __future__ import annotations

from typing import Annotated

import typer

from labelief.cli.console import note, say
from labelief.cli.options import (
    Confidence,
    Features,
    Id,
    Label,
    Output,
    Plausibility,
    Probability,
    Table,
    VotesFile,
)

__all__ = ["run"]


def run(
    table: Table,
    label: Label = None,
    confidence: Confidence = None,
    plausibility: Plausibility = None,
    probability: Probability = None,
    votes: VotesFile = None,
    id: Id = None,
    features: Features = None,
    top: Annotated[int, typer.Option(min=1, help="Features to print.")] = 20,
    out: Output = None,
) -> None:
    """Score the features by how well they follow the labels: weighted Laplacian score, best first.

    Small is good; a constant feature scores infinity. Labels may be soft.

    labelief select birds.csv --label species --confidence sure --top 10
    """
    import pandas as pd

    from labelief.cli.results import feature_scores
    from labelief.cli.train import split
    from labelief.cli.training import Task, read_data
    from labelief.tables import write_table
    from labelief.tables.files import kind_to_write
    from labelief.tables.labels import LabelColumns

    if out is not None:
        kind_to_write(out)
    where = LabelColumns(label, confidence, plausibility, probability)
    data = read_data(Task(table, where, votes, id, features=split(features)))
    for warning in data.warnings:
        note(f"Note: {warning}")
    frame = pd.DataFrame(feature_scores(data), columns=["feature", "score"])
    say(frame.head(top).to_string(index=False, float_format=lambda value: f"{value:.4f}"))
    if out is not None:
        write_table(frame, out)
