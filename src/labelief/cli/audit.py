"""``labelief audit``: the labels of a table that are doubtful."""

from __future__ import annotations

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
) -> None:
    """List the labels of a table that are doubtful, worst first.

    Each row is judged by a model that did not see it. [bold]doubt[/] is how likely the label is
    wrong; with --ask N the column [bold]ask[/] ranks the cases whose answer would help most.

    labelief audit birds.csv --label species --ask 25 --out doubtful.csv
    """
    from labelief.audit import audit_labels
    from labelief.cli.catalogue import candidates
    from labelief.cli.train import split
    from labelief.cli.training import Task, pipeline_of, read_data
    from labelief.model_selection import SoftStratifiedKFold
    from labelief.tables import write_table
    from labelief.tables.labels import LabelColumns

    where = LabelColumns(label, confidence, plausibility, probability)
    task = Task(table, where, votes, id, group, split(features), cv=cv, seed=seed, jobs=jobs)
    data = read_data(task)
    for warning in data.warnings:
        note(f"Note: {warning}")
    crowd = data.votes is not None
    wanted = [model or ("lda+annotators" if crowd else "lda+flips")]
    (chosen,) = candidates(wanted, votes=crowd, pooling=task.pooling)
    found = audit_labels(
        pipeline_of(chosen.estimator, data.kinds, None),
        data.frame,
        data.y,
        cv=list(
            SoftStratifiedKFold(cv, random_state=seed).split(data.frame, data.labels, data.groups)
        ),
        budget=ask,
        n_jobs=jobs,
    )
    note(f"{found['doubt'].sum():.1f} of {len(found)} labels are wrong, it is expected.")
    shown = ["label", "believed", "probability", "posterior", "doubt", "suggested"]
    shown += ["ask"] if ask else []
    say(found[shown].head(top).to_string(float_format=lambda value: f"{value:.3f}"))
    if out is not None:
        write_table(found.reset_index(names="row"), out)
        note(f"All {len(found)} rows: {out}")
