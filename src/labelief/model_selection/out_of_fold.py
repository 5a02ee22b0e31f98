"""The walk that everything here shares: fit on the training part, ask about the test part."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any, TypeVar

import numpy as np
from sklearn.base import clone
from sklearn.utils import _safe_indexing, indexable
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import _num_samples

from labelief._typing import IntArray
from labelief.model_selection.folds import SoftStratifiedKFold

Answer = TypeVar("Answer")


@dataclass(frozen=True, eq=False)
class Fold:
    """Sorted or unsorted row numbers of one training and one test part."""

    train: IntArray
    test: IntArray


@dataclass(frozen=True, eq=False)
class Data:
    """Features, labels and row weights of one length n."""

    X: Any
    y: Any
    sample_weight: Any
    n: int


def read_data(X: Any, y: Any, groups: Any = None, sample_weight: Any = None) -> Data:
    """Check that all arguments have one length, and leave them as they are."""
    X, y, _, sample_weight = indexable(X, y, groups, sample_weight)
    return Data(X, y, sample_weight, _num_samples(X))


def read_folds(cv: Any, data: Data, groups: Any) -> list[Fold]:
    """Turn ``cv=`` into folds.

    Parameters
    ----------
    cv : int, splitter or iterable of (train, test)
        An integer means `SoftStratifiedKFold`, shuffled with a fixed seed: the folds are the same
        at every call.
    data : Data
        What is split.
    groups : array-like of shape (n,) or None
        Rows that stay together.

    Returns
    -------
    list of Fold
        At least one, none with an empty part.
    """
    if isinstance(cv, int | np.integer):
        cv = SoftStratifiedKFold(int(cv), shuffle=True, random_state=0)
    if isinstance(cv, str) or not (hasattr(cv, "split") or hasattr(cv, "__iter__")):
        raise ValueError(
            f"cv is {cv!r}, but must be a number of folds, a splitter or a list of (train, test)"
        )
    pairs = cv.split(data.X, data.y, groups) if hasattr(cv, "split") else cv
    folds = [Fold(_row_numbers(train), _row_numbers(test)) for train, test in pairs]
    if not folds:
        raise ValueError("cv has no folds")
    for number, fold in enumerate(folds):
        if fold.train.size == 0 or fold.test.size == 0:
            raise ValueError(f"fold {number} of cv has an empty training or test part")
    return folds


def _row_numbers(rows: Any) -> IntArray:
    rows = np.asarray(rows)
    return np.flatnonzero(rows) if rows.dtype == np.bool_ else rows.astype(np.int64)


def order_of_rows(folds: list[Fold], n: int) -> IntArray:
    """Positions of rows 0..n-1 among the concatenated test parts, each row tested once."""
    tested = np.concatenate([fold.test for fold in folds])
    if tested.size != n or not np.array_equal(np.sort(tested), np.arange(n)):
        raise ValueError(
            "each row must be in exactly one test part: take a partition (not repeated or random "
            "splits), or cross_validate_interval, which averages over repeated tests"
        )
    return np.argsort(tested)


def over_folds(
    estimator: Any,
    data: Data,
    folds: list[Fold],
    ask: Callable[[Any, Any, Any], Answer],
    n_jobs: int | None = None,
) -> list[tuple[Answer, float]]:
    """Fit a clone on each training part and ask it about the test part.

    Parameters
    ----------
    estimator : estimator
        Cloned, never fitted itself.
    data : Data
        All rows.
    folds : list of Fold
        The parts.
    ask : callable
        ``ask(fitted, X_test, y_test)``.
    n_jobs : int, optional
        Number of processes; 1 by default.

    Returns
    -------
    list of (answer, seconds)
        One per fold, with the time that the fit took.
    """
    answers = Parallel(n_jobs=n_jobs)(
        delayed(_fit_and_ask)(clone(estimator), data, fold, number, ask)
        for number, fold in enumerate(folds)
    )
    return list(answers)


def _fit_and_ask(
    estimator: Any, data: Data, fold: Fold, number: int, ask: Callable[[Any, Any, Any], Answer]
) -> tuple[Answer, float]:
    try:
        X_train, y_train = _safe_indexing(data.X, fold.train), _safe_indexing(data.y, fold.train)
        weights = _weight_parameter(estimator, data.sample_weight, fold.train)
        start = perf_counter()
        estimator.fit(X_train, y_train, **weights)
        seconds = perf_counter() - start
        X_test, y_test = _safe_indexing(data.X, fold.test), _safe_indexing(data.y, fold.test)
        return ask(estimator, X_test, y_test), seconds
    except Exception as error:
        error.add_note(f"in fold {number}, fitting {estimator!r}")
        raise


def _weight_parameter(estimator: Any, sample_weight: Any, rows: IntArray) -> dict[str, Any]:
    """``sample_weight`` for `fit`; the last step's in a pipeline."""
    if sample_weight is None:
        return {}
    name = "sample_weight"
    if hasattr(estimator, "steps"):
        name = f"{estimator.steps[-1][0]}__sample_weight"
    return {name: _safe_indexing(sample_weight, rows)}
