"""Training with several labels a row, some of them undecided."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import GroupKFold, KFold
from sklearn.pipeline import Pipeline

from labelief import EvidentialMultilabelKNN
from labelief._typing import FloatArray
from labelief.cli.leaderboard import leaderboard
from labelief.cli.results import Made
from labelief.cli.training import USED, Task, check_folds, frame_of
from labelief.model_selection.uncertainty import estimate_mean, wilson_interval
from labelief.plotting.values import class_coordinates
from labelief.report import Channel, Content, Leader
from labelief.tables import TableError, TablePreprocessor, read_table
from labelief.tables.labels import matched, read_label_matrix

__all__ = ["make"]

_MODELS = {
    f"{approach}-{k}": (
        f"{k} nearest neighbours as evidence, labels {words}",
        EvidentialMultilabelKNN(n_neighbors=k, approach=approach),
    )
    for approach, words in (("direct", "together"), ("binary", "one by one"))
    for k in (5, 10, 20)
}


def make(task: Task, steps: Callable[..., Any]) -> Made:
    """Rank neighbour classifiers by the Hamming error, fit the best, and make the results.

    Parameters
    ----------
    task : Task
    steps : callable
        ``steps(total, what)``: a context that gives a function to end a step.
    """
    table = read_table(task.table)
    assert task.where.several is not None
    names, Y = read_label_matrix(table, task.where.several)
    told = ~np.isnan(Y).all(axis=1)
    if told.sum() < 3:
        raise TableError("Fewer than three rows have a decided label: there is nothing to learn.")
    frame, kinds, columns, groups, noticed = frame_of(
        table, task, list(matched(table, task.where.several))
    )
    check_folds(task, len(frame), groups)
    folds = _folds(len(frame), groups, task)
    wanted = task.models or list(_MODELS)
    for name in wanted:
        if name not in _MODELS:
            raise TableError(f"There is no model {name!r}; --models takes {', '.join(_MODELS)}.")
    clusters = np.arange(len(frame)) if groups is None else groups
    leaders: list[Leader] = []
    seconds: dict[str, float] = {}
    models: dict[str, Pipeline] = {}
    with steps(len(wanted), "training") as done:
        for name in wanted:
            words, estimator = _MODELS[name]
            models[name] = Pipeline([("numbers", TablePreprocessor(kinds)), ("model", estimator)])
            start = perf_counter()
            predicted = np.empty(Y.shape)
            for train, test in folds:
                fitted = clone(models[name]).fit(frame.iloc[train], Y[train])
                predicted[test] = fitted.predict(frame.iloc[test])
            seconds[name] = perf_counter() - start
            leaders.append(_leader(name, words, Y, predicted, clusters, task.pessimism))
            done(name)
    leaders.sort(key=lambda leader: leader.expected)
    best = models[leaders[0].name].fit(frame, Y)
    coordinates, axes = class_coordinates(None, best[:-1].transform(frame))
    undecided = np.isnan(Y)
    content = Content(
        title=Path(task.table).stem if task.table != "-" else "table",
        command="",
        facts=[
            ("Table", task.table),
            ("Rows", str(len(frame))),
            ("Columns used", f"{sum(c['kind'] in USED for c in columns)} of {len(columns)}"),
            ("Labels", ", ".join(names)),
            ("Undecided", f"{100 * undecided.mean():.1f} % of all labels"),
            ("Error", "Hamming: the share of labels that are predicted wrongly"),
            ("Cross-validation", f"{task.cv} folds, seed {task.seed}"),
        ],
        classes=names,
        columns=columns,
        leaders=leaders,
        class_shares=np.nanmean(np.where(undecided.all(axis=0), 0.0, Y), axis=0),
        nonspecificity=undecided.mean(axis=1),
        votes_per_row=None,
        disagreement=None,
        channel=Channel("labels taken at their word; undecided ones say nothing"),
        doubtful=[],
        coordinates=coordinates,
        axes=axes,
        pignistic=np.empty((0, len(names))),
        proba=np.empty((0, len(names))),
        history=[],
        scores=[],
        rows=np.arange(len(frame)),
        warnings=noticed,
    )
    about = {
        "kind": "several labels",
        "classes": names,
        "columns": columns,
        "used": list(best[0].used_),
        "model": leaders[0].name,
        "words": leaders[0].words,
        "error": [leaders[0].lower, leaders[0].upper],
        "interval": [leaders[0].low, leaders[0].high],
        "rows": len(frame),
        "seed": task.seed,
    }
    return Made(leaderboard(leaders, seconds), best, about, content, None, seconds)


def _folds(n: int, groups: Any, task: Task) -> list[Any]:
    if groups is None:
        return list(KFold(task.cv, shuffle=True, random_state=task.seed).split(np.zeros((n, 1))))
    splitter = GroupKFold(task.cv, shuffle=True, random_state=task.seed)
    return list(splitter.split(np.zeros((n, 1)), groups=groups))


def _leader(
    name: str, words: str, Y: FloatArray, predicted: FloatArray, clusters: Any, pessimism: float
) -> Leader:
    """Return Hamming errors: undecided labels leave a lower and an upper value."""
    wrong, undecided = (Y != predicted) & ~np.isnan(Y), np.isnan(Y)
    lower = estimate_mean(wrong.mean(axis=1), np.ones(len(Y)), clusters)
    upper = estimate_mean((wrong | undecided).mean(axis=1), np.ones(len(Y)), clusters)
    return Leader(
        name,
        words,
        lower.mean,
        upper.mean,
        pessimism * upper.mean + (1.0 - pessimism) * lower.mean,
        wilson_interval(lower, 0.95)[0],
        wilson_interval(upper, 0.95)[1],
        float("nan"),
    )
