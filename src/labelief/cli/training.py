"""From a table with labels to a leaderboard, a fitted winner and what a report shows of them."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

import numpy as np
import pandas as pd
from sklearn.neighbors import NearestNeighbors
from sklearn.pipeline import Pipeline

from labelief import SoftLabels, Votes
from labelief._typing import IntArray
from labelief.cli.catalogue import Candidate, candidates
from labelief.cli.voting import votes_on
from labelief.feature_selection import WeightedLaplacianSelector
from labelief.model_selection import ModelRanking, SoftStratifiedKFold, rank_models
from labelief.tables import TableError, TablePreprocessor, read_table, recognise
from labelief.tables.columns import as_words
from labelief.tables.labels import LabelColumns, read_labels, unknown_words
from labelief.tables.votes import read_votes

__all__ = [
    "USED",
    "Data",
    "Task",
    "Trained",
    "check_folds",
    "frame_of",
    "pipeline_of",
    "read_data",
    "train",
    "tried",
]

USED = ("numeric", "boolean", "categorical")
"""Kinds of columns that features are made of."""

# Rows of which near-duplicates are sought, at most, and how near they are: this share of the median
# distance between neighbours.
_SOUGHT, _NEAR = 20_000, 1e-3


@dataclass(frozen=True)
class Task:
    """What the user asks for: see ``labelief train --help``."""

    table: str
    where: LabelColumns = field(default_factory=LabelColumns)
    votes: str | None = None
    id: str | None = None
    group: str | None = None
    features: list[str] | None = None
    models: list[str] | None = None
    select: int | None = None
    pessimism: float = 0.5
    cv: int = 5
    seed: int = 0
    jobs: int | None = None
    pooling: str = "dawid_skene"
    cost: str | None = None


@dataclass(frozen=True)
class Data:
    """A table that was read: features, labels, groups, and what was noticed on the way.

    Attributes
    ----------
    frame : DataFrame
        The columns that may be features.
    kinds : dict
        Kind of each of them.
    columns : list of dict
        The same with reasons and missing rows.
    y : SoftLabels or Votes
        What models learn from.
    labels : SoftLabels
        What they are judged by: `y`, or votes pooled.
    groups : array or None
    warnings : list of str
    """

    frame: pd.DataFrame
    kinds: dict[str, str]
    columns: list[dict[str, Any]]
    y: SoftLabels | Votes
    labels: SoftLabels
    groups: IntArray | None
    warnings: list[str]

    @property
    def votes(self) -> Votes | None:
        """The votes, where labels are votes."""
        return self.y if isinstance(self.y, Votes) else None


@dataclass(frozen=True)
class Trained:
    """What training found.

    Attributes
    ----------
    data : Data
    candidates : list of Candidate
        In the order of the ranking.
    ranking : ModelRanking
    model : Pipeline
        The first, fitted to all rows.
    folds : list
        Train and test rows, the same for every model.
    """

    data: Data
    candidates: list[Candidate]
    ranking: ModelRanking
    model: Pipeline
    folds: list[tuple[IntArray, IntArray]]


def read_data(task: Task) -> Data:
    """Read the table, and the votes if there are any.

    Parameters
    ----------
    task : Task
    """
    table = read_table(task.table)
    if not len(table):
        raise TableError(f"{task.table} has column names but no rows.")
    given = [task.where.label, task.where.plausibility, task.where.probability, task.votes]
    if sum(name is not None for name in given) != 1:
        raise TableError(
            "Say where the labels are, in one way: --label COLUMN, --plausibility 'pl_*', "
            "--probability 'p_*', or --votes FILE with --id COLUMN."
        )
    if task.where.confidence is not None and task.where.label is None:
        raise TableError("--confidence goes with --label: it says how sure that column is.")
    y: SoftLabels | Votes
    if task.votes is None:
        found = read_labels(table, task.where)
        y, used = found.labels, found.columns
        labels = found.labels
    else:
        y = _votes(table, task)
        labels = SoftLabels.from_votes(y, rule=task.pooling)
        used = []
    if len(labels.classes) < 2:
        raise TableError(
            f"Every label is {str(labels.classes[0])!r}: there must be two classes to tell apart."
            + " ".join(["", *unknown_words(table, task.where.label)])
        )
    if np.all(labels.plausibilities.min(axis=1) >= 1.0):
        raise TableError("No label says anything about its row: there is nothing to learn from.")
    frame, kinds, columns, groups, noticed = frame_of(table, task, used)
    noticed += unknown_words(table, task.where.label)
    noticed += _answers(frame, kinds, {str(name) for name in labels.classes})
    return Data(frame, kinds, columns, y, labels, groups, noticed)


def frame_of(table: pd.DataFrame, task: Task, used: list[str]) -> tuple[Any, ...]:
    """Return the features, their kinds and columns, the groups, and what is worth a warning.

    Parameters
    ----------
    table : DataFrame
    task : Task
    used : list of str
        Columns that hold labels.
    """
    used = used + [name for name in (task.id, task.group) if name is not None]
    names = _features(table, used, task.features)
    columns = recognise(table, names)
    kinds = {column.name: column.kind for column in columns}
    frame = table[names]
    noticed = []
    dropped = [column for column in columns if column.kind not in USED]
    if dropped:
        noticed.append(
            "Left out: "
            + "; ".join(f"{column.name} ({column.kind}: {column.reason})" for column in dropped)
            + "."
        )
    groups = _groups(table, task.group)
    noticed += _duplicates(frame, kinds, groups)
    return frame, kinds, [vars(column) for column in columns], groups, noticed


def tried(task: Task, data: Data) -> list[Candidate]:
    """Return the models that a task asks to try.

    Parameters
    ----------
    task : Task
    data : Data
    """
    possible = np.sum(data.labels.plausibilities > 0, axis=1)
    unknown = data.labels.plausibilities.min(axis=1) >= 1.0
    single = np.isin(data.labels.most_plausible(), data.labels.classes)
    return candidates(
        task.models,
        votes=data.votes is not None,
        pooling=task.pooling,
        idle=(data.votes is None and bool(np.all(unknown | (possible == 1)))) or not single.any(),
    )


def train(data: Data, task: Task, done: Callable[[str], None] = lambda name: None) -> Trained:
    """Rank the models on the same folds and fit the first to all rows.

    Parameters
    ----------
    data : Data
    task : Task
    done : callable
        Called with a model's name when it has been tried.
    """
    chosen = tried(task, data)
    if task.select is not None:
        made = TablePreprocessor(data.kinds).fit(data.frame).n_features_out_
        if task.select > made:
            raise TableError(
                f"--select {task.select} is more than the {made} features there are to choose from "
                "(a category makes one for each level but the commonest)."
            )
    splitter = SoftStratifiedKFold(task.cv, random_state=task.seed)
    n = len(data.frame)
    check_folds(task, n, data.groups)
    folds = list(splitter.split(np.zeros((n, 1)), data.labels, data.groups))
    models = {one.name: pipeline_of(one.estimator, data.kinds, task.select) for one in chosen}
    with warnings.catch_warnings():
        # What a fit on some of the rows warns of is of no use, whatever the processes it is made
        # in; the fit to all rows speaks for itself.
        warnings.simplefilter("ignore")
        ranking = rank_models(
            models,
            data.frame,
            data.y,
            cv=folds,
            groups=data.groups,
            pessimism=task.pessimism,
            truth=data.labels,
            classes=data.labels.classes,
            n_jobs=task.jobs,
            callback=lambda name, _: done(name),
        )
    best = models[ranking.names[0]].fit(data.frame, data.y)
    by_name = {one.name: one for one in chosen}
    return Trained(data, [by_name[name] for name in ranking.names], ranking, best, folds)


def check_folds(task: Task, n: int, groups: IntArray | None) -> None:
    """Refuse more folds than there are rows or groups.

    Parameters
    ----------
    task : Task
    n : int
        Rows of the table.
    groups : array or None
    """
    if task.cv > n:
        raise TableError(f"--cv {task.cv} needs as many rows; the table has {n}.")
    if groups is not None and task.cv > (found := len(np.unique(groups))):
        raise TableError(f"--cv {task.cv} needs as many groups; {task.group!r} has {found}.")


def pipeline_of(estimator: Any, kinds: dict[str, str], select: int | None) -> Pipeline:
    """Return preprocessing, perhaps a selection of features, and the classifier.

    Parameters
    ----------
    estimator : classifier
    kinds : dict
        Of the columns.
    select : int or None
        Features to keep by weighted Laplacian score.
    """
    steps: list[tuple[str, Any]] = [("numbers", TablePreprocessor(kinds))]
    if select is not None:
        steps.append(("select", WeightedLaplacianSelector(select)))
    return Pipeline([*steps, ("model", estimator)])


def _votes(table: pd.DataFrame, task: Task) -> Votes:
    """Read the votes in the order of the table's rows."""
    assert task.votes is not None
    said = read_votes(task.votes)
    if task.id is None:
        items = [str(i) for i in range(len(table))]
        where = "the row numbers of the table, counted from 0 (or name its column by --id)"
    else:
        if task.id not in table.columns:
            raise TableError(f"There is no column {task.id!r} for --id in {task.table}.")
        items = as_words(table[task.id]).tolist()
        where = f"the column {task.id!r} of {task.table}"
        if len(set(items)) < len(items):
            twice = pd.Series(items)
            again = twice[twice.duplicated()].iloc[0]
            raise TableError(f"Two rows of {task.table} have the same {task.id} {again!r}.")
    strangers = sorted(set(said["item"]) - set(items))
    if strangers:
        raise TableError(
            f"{task.votes} has votes on items that are not in the table ({len(strangers)} of "
            f"{said['item'].nunique()}, as {strangers[0]!r}): items must be in {where}."
        )
    return votes_on(items, said, task.votes)


def _features(table: pd.DataFrame, used: list[str], patterns: list[str] | None) -> list[str]:
    """Return the columns that may be features: what patterns name, or all that hold no label."""
    for name in used:
        if name not in table.columns:
            raise TableError(f"There is no column {name!r}; there are {', '.join(table.columns)}.")
    names = [str(name) for name in table.columns if name not in used]
    if patterns is not None:
        if not patterns:
            raise TableError("--features names no column.")
        for pattern in patterns:
            if not any(_named(name, pattern) for name in names):
                raise TableError(f"--features {pattern!r} matches no column.")
        names = [name for name in names if any(_named(name, p) for p in patterns)]
    if not names:
        raise TableError("No column is left for the features.")
    return names


def _named(name: str, pattern: str) -> bool:
    # A name may hold what patterns give a meaning to: "wing [cm]".
    return name == pattern or fnmatchcase(name, pattern)


def _groups(table: pd.DataFrame, name: str | None) -> IntArray | None:
    """Return the groups as codes; a row without one is a group of its own."""
    if name is None:
        return None
    words = as_words(table[name])
    codes = pd.factorize(words)[0].astype(np.int64)
    alone = (words == "").to_numpy()
    codes[alone] = codes.max(initial=0) + 1 + np.arange(int(alone.sum()))
    return codes


def _answers(frame: pd.DataFrame, kinds: dict[str, str], classes: set[str]) -> list[str]:
    """Warn of classes that are written in two ways, and of features that name the classes."""
    alike: dict[str, list[str]] = {}
    for name in sorted(classes):
        alike.setdefault(name.casefold(), []).append(name)
    telling = [
        name
        for name, kind in kinds.items()
        if kind == "categorical" and set(as_words(frame[name]).unique()) - {""} <= classes
    ]
    return [
        f"Classes {' and '.join(map(repr, same))} differ by small and capital letters only: if "
        "they are one, write them alike."
        for same in alike.values()
        if len(same) > 1
    ] + [
        f"Column {name!r} names the classes, and is learned from like any other: if it is the "
        "answer in another form, leave it out by --features."
        for name in telling
    ]


def _duplicates(frame: pd.DataFrame, kinds: dict[str, str], groups: IntArray | None) -> list[str]:
    """Warn of rows with the same or nearly the same features that folds may part."""
    if not any(kind in USED for kind in kinds.values()):
        return []
    numbers = TablePreprocessor(kinds).fit(frame)
    X = numbers.transform(frame)
    if len(X) < 3:
        return []
    if len(X) > _SOUGHT:
        rows = np.linspace(0, len(X) - 1, _SOUGHT).round().astype(np.int64)
        X, groups = X[rows], None if groups is None else groups[rows]
    distance, near = NearestNeighbors(n_neighbors=1).fit(X).kneighbors()
    distance, near = distance[:, 0], near[:, 0]
    typical = float(np.median(distance))
    apart = np.ones(len(X), dtype=bool) if groups is None else groups != groups[near]
    same = int(np.sum(apart & (distance == 0)))
    close = int(np.sum(apart & (distance > 0) & (distance < _NEAR * typical)))
    if typical == 0 or not same + close:
        return []
    return [
        f"{same} rows have an exact duplicate and {close} a near-duplicate that may lie in another "
        "fold: errors may look smaller than they are. Name what they share by --group."
    ]
