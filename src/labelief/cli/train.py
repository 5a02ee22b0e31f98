"""``labelief train``: a leaderboard, a model, a report."""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import Annotated

import typer

from labelief.cli.console import note, say, steps
from labelief.cli.options import (
    Confidence,
    Features,
    Group,
    Id,
    Jobs,
    Label,
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
    labels: Annotated[
        str | None,
        typer.Option(
            metavar="PATTERN",
            help="Several labels a row, as in 'tag_*': 1, 0, or nothing for undecided.",
            rich_help_panel="Where the labels are",
        ),
    ] = None,
    group: Group = None,
    features: Features = None,
    select: Annotated[
        int | None,
        typer.Option(
            metavar="K",
            min=1,
            help="Keep the K features that follow the labels best (weighted Laplacian score).",
            rich_help_panel="Columns",
        ),
    ] = None,
    models: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="Models to try, with commas between: lda, qda, mda, logistic, knn, and with "
            "+flips or (for votes) +annotators what also learns how labels go wrong.",
        ),
    ] = None,
    cost: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="A table of costs: a row for each class predicted (its name in the first "
            "column), a column for each true class. Predictions then cost least.",
        ),
    ] = None,
    pessimism: Annotated[
        float,
        typer.Option(
            min=0.0, max=1.0, help="Weight of the upper error in the order of the models."
        ),
    ] = 0.5,
    pool: Annotated[
        str,
        typer.Option(help="How votes become labels: mean or dawid_skene."),
    ] = "dawid_skene",
    cv: Annotated[int, typer.Option(min=2, help="Folds of the cross-validation.")] = 5,
    seed: Seed = 0,
    jobs: Jobs = None,
    out: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Where the model, report and record go.")
    ] = Path("labelief-out"),
) -> None:
    """Learn from a table whose labels are doubtful; write a model and a report.

    Tries classifiers, with and without learning how labels go wrong, on the same folds; prints how
    often each errs (between the lower and the upper bound that uncertain labels leave), fits the
    best to all rows and writes [bold]model.labelief[/], [bold]report.html[/],
    [bold]doubtful.csv[/] and [bold]run.json[/].

    labelief train birds.csv --label species --confidence sure --out birds
    labelief train scans.csv --votes readers.csv --id scan --group patient
    """
    from labelief.cli import results, several, training
    from labelief.tables import TableError
    from labelief.tables.labels import LabelColumns

    task = training.Task(
        table=table,
        where=LabelColumns(label, confidence, plausibility, probability, labels),
        votes=votes,
        id=id,
        group=group,
        features=split(features),
        models=split(models),
        select=select,
        cost=cost,
        pessimism=pessimism,
        cv=cv,
        seed=seed,
        jobs=jobs,
        pooling=pool,
    )
    results.check_folder(out)
    if labels is not None:
        others = (label, confidence, plausibility, probability, votes, select, cost)
        if any(other is not None for other in others):
            raise TableError(
                "--labels (several labels a row) stands alone: without --label, --confidence, "
                "--plausibility, --probability, --votes, --select and --cost."
            )
        made = several.make(task, steps)
    else:
        data = training.read_data(task)
        for warning in data.warnings:
            note(f"Note: {warning}")
        if cost is not None:
            # What is wrong with it is better said now than after the training.
            results.read_costs(cost, [str(name) for name in data.labels.classes])
        known = training.tried(task, data)
        with steps(len(known), "training") as done:
            trained = training.train(data, task, done)
        made = results.of(trained, task)
    say(made.table)
    files = results.write(made, task, out, sys.argv[1:])
    say()
    for path, what in files:
        say(f"{path}  {what}")


def split(names: str | None) -> list[str] | None:
    """Return names that stand with commas between, in quotation marks if they hold one."""
    if names is None:
        return None
    cells = next(csv.reader([names], skipinitialspace=True), [])
    return [cell.strip() for cell in cells if cell.strip()]
