"""``labelief audit``: the labels of a table that are doubtful."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from labelief.cli.console import note, say
from labelief.cli.options import (
    Confidence,
    Features,
    Group,
    Id,
    Jobs,
    Label,
    Output,
    Plausibility,
    Probability,
    Seed,
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
    group: Group = None,
    features: Features = None,
    model: Annotated[
        str, typer.Option(metavar="NAME", help="The model that foretells the labels, as in train.")
    ] = "",
    ask: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Propose N cases to ask a person about again."),
    ] = None,
    top: Annotated[int, typer.Option(min=1, help="Rows to print.")] = 20,
    cv: Annotated[int, typer.Option(min=2, help="Folds of the cross-validation.")] = 5,
    seed: Seed = 0,
    jobs: Jobs = None,
    out: Output = None,
    report: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Also a page (HTML) with the evidence for each label."),
    ] = None,
) -> None:
    """List the labels of a table that are doubtful, worst first.

    Each row, counted from 0, is judged by a model that did not see it. [bold]believed[/] is the
    class that the features speak for, [bold]probability[/] how strongly, [bold]posterior[/] the
    same once the label is heard; [bold]doubt[/] is how likely the label is wrong,
    [bold]suggested[/] the class to put in its place. With --ask N the column [bold]ask[/] ranks
    the cases whose answer would help most, which follow the worst.

    labelief audit birds.csv --label species --ask 25 --out doubtful.csv --report doubtful.html
    """
    from dataclasses import replace

    import pandas as pd

    from labelief.cli.results import command_of, of, write_report
    from labelief.cli.train import split
    from labelief.cli.training import Task, read_data, train
    from labelief.report import page
    from labelief.tables import write_table
    from labelief.tables.files import check_target, kind_to_write
    from labelief.tables.labels import LabelColumns

    if out is not None:
        kind_to_write(out)
    if report is not None:
        check_target(report)
    where = LabelColumns(label, confidence, plausibility, probability)
    task = Task(table, where, votes, id, group, split(features), cv=cv, seed=seed, jobs=jobs)
    data = read_data(task)
    for warning in data.warnings:
        note(f"Note: {warning}")
    best = "lda+flips" if data.votes is None else "lda+annotators"
    task = replace(task, models=[model or best])
    made = of(train(data, task), task, ask)
    found = made.doubtful
    assert found is not None
    note(f"About {found['doubt'].sum():.1f} of {len(found)} labels are wrong, it is expected.")
    shown = ["label", "believed", "probability", "posterior", "doubt", "suggested"]
    first = found.head(top)
    if ask:
        # What to ask about need not be what is most doubtful: those rows follow.
        shown.append("ask")
        rest = found.iloc[top:]
        first = pd.concat([first, rest[rest["ask"] > 0].sort_values("ask")])
    say(
        first[shown]
        .reset_index(names="row")
        .to_string(index=False, float_format=lambda value: f"{value:.3f}")
    )
    if out is not None:
        write_table(found.reset_index(names="row"), out)
        note(f"All {len(found)} rows: {out}")
    if report is not None:
        content = replace(made.content, command=command_of(sys.argv[1:]))
        write_report(page(content), report)
        note(f"With the evidence: {report}")
