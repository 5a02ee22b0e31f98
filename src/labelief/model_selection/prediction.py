"""Out-of-fold predictions that keep soft labels soft."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelief.labels.class_names import Names, as_classes
from labelief.labels.encoding import encode
from labelief.metrics.columns import align_columns
from labelief.metrics.log_loss import features_inside, innermost
from labelief.model_selection.out_of_fold import (
    order_of_rows,
    over_folds,
    read_data,
    read_folds,
)

__all__ = ["cross_val_predict"]

# What stands in the column of a class that a training part did not hold.
_ABSENT: dict[str, Any] = {
    "predict_proba": 0.0,
    "predict_log_proba": -np.inf,
    "posterior": 0.0,
    "predict_set": False,
}
_NEEDS_LABELS = ("posterior", "label_log_likelihood")


def cross_val_predict(
    estimator: Any,
    X: Any,
    y: Any,
    cv: Any = 10,
    groups: Any = None,
    method: str = "predict",
    *,
    sample_weight: Any = None,
    n_jobs: int | None = None,
) -> NDArray[Any]:
    """Predict each row by a model that was fitted without its fold.

    scikit-learn's function of this name turns `SoftLabels` into single classes before it asks for
    probabilities; here the estimator gets the labels as they are.

    Parameters
    ----------
    estimator : classifier
        Cloned for each fold.
    X : array-like of shape (n, d)
        Features.
    y : labels of any kind that the estimator takes
        Handed to ``fit`` unchanged, row by row.
    cv : int, splitter or iterable of (train, test)
        An integer means that many folds of :class:`SoftStratifiedKFold`, the same at every call.
        Each row must be tested once.
    groups : array-like of shape (n,), optional
        Rows of one group stay in one fold.
    method : str
        ``"predict"``, ``"predict_proba"``, ``"predict_log_proba"``, ``"decision_function"``,
        ``"score_samples"``, ``"transform"``, ``"predict_set"``..., or one that looks at the row's
        own label too: ``"posterior"``, ``"label_log_likelihood"``.
    sample_weight : array-like of shape (n,), optional
        Weights of the rows in the fits.
    n_jobs : int, optional
        Number of processes, one by default.

    Returns
    -------
    ndarray of shape (n,) or (n, ...)
        In the order of ``X``. Where the method gives one column per class, the columns are the
        classes in sorted order (``classes_`` of a fit on all rows), also if some training part did
        not hold every class: probability 0 there.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from labelief.model_selection import cross_val_predict
    >>> X, y = load_iris(return_X_y=True)
    >>> cross_val_predict(GaussianNB(), X, y, cv=5, method="predict_proba").shape
    (150, 3)
    """
    data = read_data(X, y, groups, sample_weight)
    folds = read_folds(cv, data, groups)
    order = order_of_rows(folds, data.n)
    answers = [
        answer for answer, _ in over_folds(estimator, data, folds, _Ask(method), n_jobs=n_jobs)
    ]
    parts = _with_common_columns(answers, method)
    return np.concatenate(parts)[order]


class _Ask:
    """Call one method of a fitted estimator, and remember its classes."""

    def __init__(self, method: str) -> None:
        self.method = method

    def __call__(self, fitted: Any, X: Any, y: Any) -> tuple[NDArray[Any], Names | None]:
        asked = fitted
        if self.method in _NEEDS_LABELS:
            # A pipeline hands on no method that looks at labels.
            asked, X = innermost(fitted), features_inside(fitted, X)
        function = getattr(asked, self.method, None)
        if function is None:
            raise ValueError(f"{type(asked).__name__} has no method {self.method!r}")
        answer = function(X, y) if self.method in _NEEDS_LABELS else function(X)
        classes = as_classes(fitted.classes_) if hasattr(fitted, "classes_") else None
        return np.asarray(answer), classes


def _with_common_columns(
    answers: list[tuple[NDArray[Any], Names | None]], method: str
) -> list[NDArray[Any]]:
    """Make columns mean the same class in every fold."""
    parts = [part for part, _ in answers]
    classes = [names for _, names in answers if names is not None]
    per_class = method in _ABSENT or method == "decision_function"
    if not per_class or all(names.tolist() == classes[0].tolist() for names in classes):
        return parts
    if method not in _ABSENT:
        raise ValueError(
            f"some training part does not hold every class, and {method} has no value for a class "
            "never seen: take fewer folds, or predict_proba"
        )
    names = encode(np.concatenate(classes), name="classes")[0]
    return [
        align_columns(part, own, names, _ABSENT[method]) for part, own in answers if own is not None
    ]
