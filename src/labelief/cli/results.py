"""What training leaves: a table on the screen, a model, a report, doubtful labels, a run record."""

from __future__ import annotations

import json
import os
import shlex
import warnings
from dataclasses import asdict, dataclass, is_dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import labelief
from labelief import Votes
from labelief._typing import FloatArray, IntArray
from labelief.audit import LabelAudit, weigh_labels
from labelief.cli.leaderboard import leaderboard
from labelief.cli.training import USED, Data, Task, Trained
from labelief.feature_selection import weighted_laplacian_score
from labelief.model_files import save_model
from labelief.model_selection import cross_val_predict
from labelief.plotting.values import class_coordinates, openness
from labelief.report import Channel, Content, Leader, Matrix, page
from labelief.tables import TableError, TablePreprocessor, read_table, write_table
from labelief.tables.files import atomic_path

__all__ = [
    "Made",
    "check_folder",
    "command_of",
    "disagreement",
    "feature_scores",
    "of",
    "read_costs",
    "write",
    "write_report",
]

# Doubtful labels that a report shows: so many, and none that is less likely wrong than this.
_SHOWN, _DOUBTFUL = 200, 0.01
# Belief in a class above which a label counts as certain: votes that agree never give 1 itself.
_CERTAIN = 0.999


@dataclass(frozen=True)
class Made:
    """Results that are ready to be written.

    Attributes
    ----------
    table : str
        The leaderboard, for the screen.
    model : estimator
    about : dict
        What the model file says of itself.
    content : Content
        What the report shows.
    doubtful : DataFrame or None
        Every row's label with its doubt, worst first.
    seconds : dict
        Fitting time of each model.
    """

    table: str
    model: Any
    about: dict[str, Any]
    content: Content
    doubtful: pd.DataFrame | None
    seconds: dict[str, float]


def of(trained: Trained, task: Task, budget: int | None = None) -> Made:
    """Make the results of a training.

    Parameters
    ----------
    trained : Trained
    task : Task
    budget : int, default=None
        Cases to propose for asking a person again; None: all that gain.
    """
    data, model = trained.data, trained.model
    classes = [str(name) for name in data.labels.classes]
    with warnings.catch_warnings():
        # As in the ranking, on the same folds.
        warnings.simplefilter("ignore")
        proba = cross_val_predict(
            model, data.frame, data.y, cv=trained.folds, method="predict_proba", n_jobs=task.jobs
        )
    audit = weigh_labels(proba, data.y, classes=data.labels.classes)
    rows = audit.to_frame(budget)
    doubtful = rows[rows["doubt"] > _DOUBTFUL]
    leaders = _leaders(trained)
    numbers = model[:-1].transform(data.frame)
    coordinates, axes = class_coordinates(_inner(model[-1]), numbers)
    content = Content(
        title=Path(task.table).stem if task.table != "-" else "table",
        command="",
        facts=_facts(data, task),
        classes=classes,
        columns=data.columns,
        leaders=leaders,
        class_shares=data.labels.pignistic.mean(axis=0),
        nonspecificity=openness(data.labels),
        votes_per_row=_votes_per_row(data.votes),
        disagreement=disagreement(data.votes),
        channel=_channel(model[-1], leaders[0].words, audit, classes, data.votes),
        doubtful=_records(doubtful.head(_SHOWN)),
        coordinates=coordinates,
        axes=axes,
        pignistic=data.labels.pignistic,
        proba=proba,
        history=[float(v) / len(data.frame) for v in getattr(_inner(model[-1]), "history_", [])],
        scores=feature_scores(data),
        rows=np.arange(len(data.frame)),
        warnings=data.warnings,
        beliefs=data.labels.beliefs,
        plausibilities=data.labels.plausibilities,
    )
    about = {
        "kind": "one label",
        "classes": classes,
        "columns": data.columns,
        "used": list(model[0].used_),
        "model": leaders[0].name,
        "words": leaders[0].words,
        "error": [leaders[0].lower, leaders[0].upper],
        "interval": [leaders[0].low, leaders[0].high],
        "rows": len(data.frame),
        "seed": task.seed,
    }
    if task.cost is not None:
        about["cost"] = read_costs(task.cost, classes).tolist()
    results = trained.ranking.results
    seconds = {name: float(results[name].fit_seconds.sum()) for name in trained.ranking.names}
    return Made(leaderboard(leaders, seconds), model, about, content, rows, seconds)


def check_folder(folder: Path) -> None:
    """Refuse a folder that cannot be made or written to, before the work.

    Parameters
    ----------
    folder : Path
    """
    there = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    if not there.is_dir():
        raise TableError(f"--out {folder}: {there} is a file, not a folder; give another name.")
    if not os.access(there, os.W_OK | os.X_OK):
        raise TableError(f"--out {folder}: no permission to write in {there}.")


def write(made: Made, task: Task, folder: Path, arguments: list[str]) -> list[tuple[Path, str]]:
    """Write all files, each whole or not at all; say which.

    Parameters
    ----------
    made : Made
    task : Task
    folder : Path
        Made if it is not there.
    arguments : list of str
        Of the command.
    """
    command = command_of(arguments)
    html = page(replace(made.content, command=command))
    folder.mkdir(parents=True, exist_ok=True)
    files = [
        (folder / "report.html", "what was learned and how sure it is: open it in a browser"),
        (folder / "model.labelief", "for labelief predict and labelief show"),
        (folder / "doubtful.csv", "every label with its doubt, worst first"),
        (folder / "run.json", "the record of this run"),
    ]
    # A model that cannot be kept leaves nothing behind: it goes first.
    with atomic_path(files[1][0]) as path:
        save_model(made.model, path, {**made.about, "command": command})
    write_report(html, files[0][0])
    if made.doubtful is not None:
        write_table(made.doubtful.reset_index(names="row"), files[2][0])
    else:
        files.pop(2)
    record = {
        "command": shlex.join(["labelief", *arguments]),
        "labelief": labelief.__version__,
        "task": asdict(task) if is_dataclass(task) else {},
        "leaderboard": [asdict(leader) for leader in made.content.leaders],
        "seconds": made.seconds,
        "warnings": made.content.warnings,
    }
    with atomic_path(files[-1][0]) as path:
        path.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return files


def command_of(arguments: list[str]) -> str:
    """Return the command that makes the same files again, without what does not bear on them."""
    return shlex.join(["labelief", *_without(arguments, "--jobs")])


def write_report(html: str, path: str | Path) -> None:
    """Write a page whole or not at all.

    Parameters
    ----------
    html : str
    path : path
    """
    with atomic_path(path) as unfinished:
        unfinished.write_text(html, encoding="utf-8")


def read_costs(path: str, classes: list[str]) -> FloatArray:
    """Read ``loss[predicted, true]`` in the order of the classes.

    Parameters
    ----------
    path : str
    classes : list of str
    """
    table = read_table(path)
    table = table.set_index(table.columns[0])
    table.index = [str(name).strip() for name in table.index]
    for name in classes:
        if name not in table.index or name not in table.columns:
            raise TableError(
                f"{path} has no row or no column for the class {name!r}: costs need a row for "
                "each class predicted and a column for each true one."
            )
    values = table.loc[classes, classes].apply(pd.to_numeric, errors="coerce").to_numpy(float)
    if not np.isfinite(values).all():
        raise TableError(f"{path} holds a cost that is no number.")
    return np.asarray(values)


def _leaders(trained: Trained) -> list[Leader]:
    ranking = trained.ranking
    words = {one.name: one.words for one in trained.candidates}
    leaders = []
    for j, name in enumerate(ranking.names):
        found = ranking.results[name]
        low, high = found.confidence_interval
        beaten = tuple(
            other
            for other, wins in zip(ranking.names, ranking.surely_beats[:, j], strict=True)
            if wins
        )
        leaders.append(
            Leader(
                name,
                words[name],
                found.lower,
                found.upper,
                float(ranking.expected[j]),
                low,
                high,
                found.label_log_loss,
                beaten,
            )
        )
    return leaders


def _facts(data: Data, task: Task) -> list[tuple[str, str]]:
    labels, n = data.labels, len(data.frame)
    unknown = int(np.sum(labels.plausibilities.min(axis=1) >= 1.0))
    precise = int(np.sum(labels.beliefs.max(axis=1) > _CERTAIN))
    used = sum(column["kind"] in USED for column in data.columns)
    facts = [
        ("Table", task.table),
        ("Rows", str(n)),
        ("Columns used", f"{used} of {len(data.columns)}"),
        ("Classes", ", ".join(str(name) for name in labels.classes)),
        ("Labels", f"{precise} certain, {n - precise - unknown} doubtful, {unknown} unknown"),
    ]
    if data.votes is not None:
        votes = data.votes
        facts.append(
            ("Votes", f"{len(votes.label_codes)} by {len(votes.annotators)} people on {n} rows")
        )
    if data.groups is not None:
        facts.append(("Groups", f"{len(np.unique(data.groups))} by {task.group}"))
    facts.append(("Cross-validation", f"{task.cv} folds, seed {task.seed}"))
    return facts


def _channel(
    model: Any, words: str, audit: LabelAudit, classes: list[str], votes: Votes | None
) -> Channel:
    inner = _inner(model)
    channel: Any = getattr(inner, "channel_", None)
    said = words.split("; ")[-1]
    if hasattr(channel, "matrices_"):
        answers = [_answer(name) for name in channel.answers_]
        number: dict[Any, int] = {}
        if votes is not None:
            counts = np.bincount(votes.annotator_codes, minlength=len(votes.annotators))
            number = dict(zip(votes.annotators.tolist(), counts.tolist(), strict=True))
        matrices = [
            Matrix(str(who), values, classes, answers, number.get(who))
            for who, values in zip(channel.annotators_.tolist(), channel.matrices_, strict=True)
        ]
        # Those who voted most come first: a page shows only some.
        return Channel(said, sorted(matrices, key=lambda matrix: -(matrix.votes or 0)))
    if hasattr(channel, "matrix_"):
        return Channel(said, [Matrix("labels", channel.matrix_, classes, classes)])
    return Channel(
        said, [Matrix("labels, judged by the model", audit.flip_rates, classes, classes)]
    )


def _answer(name: Any) -> str:
    return "|".join(sorted(map(str, name))) if isinstance(name, frozenset) else str(name)


def _inner(model: Any) -> Any:
    return getattr(model, "estimator_", model)


def feature_scores(data: Data) -> list[tuple[str, float]]:
    """Return the weighted Laplacian score of each number made of the columns, best first.

    Parameters
    ----------
    data : Data
    """
    numbers = TablePreprocessor(data.kinds).fit(data.frame)
    try:
        scores = weighted_laplacian_score(numbers.transform(data.frame), data.labels)
    except ValueError:
        return []
    names = numbers.get_feature_names_out()
    return [(str(names[j]), float(scores[j])) for j in np.argsort(scores, kind="stable")]


def _votes_per_row(votes: Votes | None) -> IntArray | None:
    return None if votes is None else np.diff(votes.indptr)


def disagreement(votes: Votes | None) -> FloatArray | None:
    """Return the share of each row's votes that are not for its commonest answer.

    Parameters
    ----------
    votes : Votes or None
    """
    if votes is None:
        return None
    counts = np.zeros((len(votes), len(votes.answers)))
    np.add.at(counts, (votes.item_codes, votes.label_codes), 1.0)
    total = counts.sum(axis=1)
    return np.where(total > 0, 1.0 - counts.max(axis=1) / np.maximum(total, 1.0), 0.0)


def _records(rows: pd.DataFrame) -> list[dict[str, Any]]:
    return [
        {"row": int(row), **{str(k): v for k, v in record.items()}}
        for row, record in zip(rows.index, rows.to_dict("records"), strict=True)
    ]


def _without(arguments: list[str], name: str) -> list[str]:
    """Return the arguments without an option that does not bear on what comes out."""
    kept, skip = [], False
    for argument in arguments:
        if skip:
            skip = False
        elif argument == name:
            skip = True
        elif not argument.startswith(f"{name}="):
            kept.append(argument)
    return kept
