"""Class probabilities of every row by models that did not see it, columns over one frame."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from labelief._typing import FloatArray
from labelief.labels.class_names import Names, as_classes
from labelief.labels.targets import Target
from labelief.metrics.columns import align_columns
from labelief.model_selection.out_of_fold import (
    Fold,
    order_of_rows,
    over_folds,
    read_data,
    read_folds,
)

__all__ = ["held_out_probabilities"]


def held_out_probabilities(
    estimator: Any,
    X: Any,
    y: Any,
    target: Target,
    cv: Any,
    groups: Any = None,
    sample_weight: Any = None,
    n_jobs: int | None = None,
) -> FloatArray:
    """Predict the class probabilities of each row by a model that was fitted without its fold.

    Where an estimator has no ``posterior``, and so knows nothing of soft labels, crisp rows of
    unknown class are predicted but not trained on.

    Parameters
    ----------
    estimator : classifier with ``predict_proba``
        Cloned for each fold.
    X : (n, d) array-like
    y : labels of any kind that the estimator takes
    target : Target
        The same labels, read.
    cv, groups, sample_weight, n_jobs
        As in :func:`labelief.model_selection.cross_val_predict`.

    Returns
    -------
    (n, K) array
        Columns in the order of ``target.classes``; 0 for a class that a training part lacks.
    """
    data = read_data(X, y, groups, sample_weight)
    folds = read_folds(cv, data, groups)
    order = order_of_rows(folds, data.n)
    if target.codes is not None and not _learns_from_soft_labels(estimator):
        known = target.codes >= 0
        folds = [Fold(fold.train[known[fold.train]], fold.test) for fold in folds]
        if not known.all():
            # What stands in unknown rows must not decide the type of the rest.
            names = np.append(target.classes, target.classes[:1])
            data = read_data(X, names[target.codes], groups, sample_weight)
    answers = over_folds(estimator, data, folds, _ask, n_jobs)
    parts = [align_columns(part, names, target.classes, 0.0) for (part, names), _ in answers]
    return np.asarray(np.concatenate(parts)[order], dtype=np.float64)


def _ask(fitted: Any, X: Any, y: Any) -> tuple[FloatArray, Names]:
    """Return the probabilities of a test part, and the classes of the columns."""
    if not hasattr(fitted, "predict_proba"):
        raise ValueError(
            f"{type(fitted).__name__} has no method 'predict_proba', and an audit weighs labels "
            "against probabilities: calibrate it first (sklearn.calibration)"
        )
    return np.asarray(fitted.predict_proba(X), dtype=np.float64), as_classes(fitted.classes_)


def _learns_from_soft_labels(estimator: Any) -> bool:
    """Look through searches and pipelines for the ability to weigh labels."""
    while True:
        if hasattr(estimator, "posterior"):
            return True
        if isinstance(estimator, Pipeline):
            estimator = estimator[-1]
        elif hasattr(estimator, "estimator"):
            estimator = estimator.estimator
        else:
            return False
