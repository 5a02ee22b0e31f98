"""A wrapped classifier beside the rows that it is taught, again and again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import _num_samples

from labelief._typing import FloatArray, IntArray
from labelief.estimators.fold_dealing import fold_numbers
from labelief.estimators.reweighting import log_probabilities, teach, teach_crisp
from labelief.labels.class_names import Names
from labelief.solvers.refit import Answer

__all__ = ["Learner"]


@dataclass(frozen=True, eq=False)
class Learner:
    """The wrapped classifier with the rows that it is taught.

    Attributes
    ----------
    estimator : classifier
        Cloned for each fit.
    X : rows
    classes : (K,) array
    weights : (n,) array or None
    groups : (n,) integer array or None
    min_share, n_jobs, random_state
        As in :class:`labelief.SoftLabelClassifier`.
    """

    estimator: Any
    X: Any
    classes: Names
    weights: FloatArray | None
    groups: IntArray | None
    min_share: float
    n_jobs: int | None
    random_state: Any

    def row_weights(self) -> FloatArray:
        """Return the weight of each row, (n,)."""
        return np.ones(_num_samples(self.X)) if self.weights is None else self.weights

    def crisp(self, codes: IntArray, responsibilities: FloatArray) -> Answer:
        """Fit to one label for each row."""
        fitted = teach_crisp(self.estimator, self.X, codes, self.classes, self.weights, self.groups)
        return Answer(log_probabilities(fitted, self.X, self.classes), fitted)

    def all(self, responsibilities: FloatArray) -> Answer:
        """Fit to all rows, and ask about the same."""
        fitted = self._taught(self.X, responsibilities, self.weights, self.groups)
        return Answer(log_probabilities(fitted, self.X, self.classes), fitted)

    def out_of_fold(self, told: FloatArray, n_splits: int) -> Callable[[FloatArray], Answer]:
        """Return what asks about each row a classifier that did not see it."""
        largest = np.max(told, axis=1, keepdims=True)
        tied = np.sum(told >= largest * (1.0 - 1e-12), axis=1) > 1
        strata = np.unique(np.where(tied, -1, np.argmax(told, axis=1)), return_inverse=True)[1]
        try:
            fold = fold_numbers(
                strata, self.groups, n_splits, shuffle=True, random_state=self.random_state
            )
        except ValueError as error:
            raise ValueError(f"e_step_cv={n_splits}: {error}") from None
        parts = [(np.flatnonzero(fold != f), np.flatnonzero(fold == f)) for f in range(n_splits)]

        def ask(responsibilities: FloatArray) -> Answer:
            answers = Parallel(n_jobs=self.n_jobs)(
                delayed(self._held_out)(responsibilities, train, test) for train, test in parts
            )
            logs = np.empty(responsibilities.shape)
            for (_, test), answer in zip(parts, answers, strict=True):
                logs[test] = answer
            return Answer(logs, None)

        return ask

    def _held_out(
        self, responsibilities: FloatArray, train: IntArray, test: IntArray
    ) -> FloatArray:
        taught = responsibilities[train]
        if not np.any(taught > 0):
            # A training part without a label: all classes alike.
            return np.zeros((len(test), len(self.classes)))
        fitted = self._taught(
            _safe_indexing(self.X, train),
            taught,
            None if self.weights is None else self.weights[train],
            None if self.groups is None else self.groups[train],
        )
        return log_probabilities(fitted, _safe_indexing(self.X, test), self.classes)

    def _taught(
        self, X: Any, responsibilities: FloatArray, weights: Any, groups: IntArray | None
    ) -> Any:
        return teach(
            self.estimator,
            X,
            responsibilities,
            self.classes,
            weights,
            min_share=self.min_share,
            groups=groups,
        )
