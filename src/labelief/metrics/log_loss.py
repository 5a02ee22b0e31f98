"""Label log loss: how well predicted probabilities explain the labels that were observed.

An observed label enters through its plausibilities alone, so this loss needs no choice between an
optimistic and a pessimistic reading, and where a channel was learned it still sees the truth
through noisy validation labels.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing

from labelief._typing import FloatArray
from labelief.labels.class_names import as_classes
from labelief.labels.encoding import encode
from labelief.metrics.columns import align_columns, read_columns
from labelief.metrics.targets import (
    as_label_vector,
    is_vector,
    occurring_classes,
    read_labels,
    weighted_mean,
)

__all__ = ["label_log_likelihoods", "label_log_loss", "label_log_loss_scorer"]

# Explained no better than by this probability, a label counts as if by this one: classifiers round
# to 0, and one row would make the mean infinite.  scikit-learn's log_loss has the same floor.
_FLOOR = float(np.finfo(np.float64).eps)


def label_log_loss(y: Any, proba: Any, sample_weight: Any = None, *, classes: Any = None) -> float:
    r"""Mean negative log-likelihood of the labels under predicted probabilities.

    .. math:: -\frac1n \sum_i \log \sum_k p(k \mid x_i) \, pl_i(k)

    (the likelihood of quost2017 eq. 21, on rows that were held out). It is scikit-learn's
    `log_loss` for crisp labels; an unknown row counts 0. Labels are trusted here: for an estimator
    with a learned channel use :func:`label_log_loss_scorer`.

    Parameters
    ----------
    y : SoftLabels, array-like of shape (n,) or (n, K)
        What is known of the true classes.
    proba : array-like or frame of shape (n, K)
        Class probabilities. Columns stand in the order of ``classes``; a frame is matched by name.
    sample_weight : array-like of shape (n,), optional
        Weights of the rows.
    classes : array-like of shape (K,), optional
        Class of each column, such as ``estimator.classes_``; by default sorted classes, where that
        leaves no doubt.

    Returns
    -------
    float
        Natural logarithm, lower is better. Rows explained with a probability below 2e-16 count as
        if with 2e-16, as in scikit-learn.

    Examples
    --------
    >>> from labelief import SoftLabels
    >>> from labelief.metrics import label_log_loss
    >>> y = SoftLabels.from_candidates([["a"], ["a", "b"]], classes=["a", "b", "c"])
    >>> round(label_log_loss(y, [[0.5, 0.3, 0.2], [0.1, 0.4, 0.5]]), 4)
    0.6931
    """
    labels, probabilities = read_columns(y, proba, classes, "proba")
    _check_probabilities(probabilities)
    explained = _log_explained(probabilities, labels.plausibilities)
    return -weighted_mean(explained, sample_weight)


def label_log_loss_scorer(estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
    """Score a fitted classifier by the negated label log loss (greater is better).

    Goes wherever scikit-learn takes ``scoring=``. An estimator with a method
    ``label_log_likelihood(X, y)`` (those with a learned channel) is asked for it, also as the last
    step of a pipeline or inside a search; any other gives `predict_proba` and its labels are
    trusted.

    Parameters
    ----------
    estimator : fitted classifier
        What is scored.
    X : array-like of shape (n, d)
        Features held out.
    y : labels of any kind that the estimator takes
        Labels held out.
    sample_weight : array-like of shape (n,), optional
        Weights of the rows.

    Returns
    -------
    float
        Minus :func:`label_log_loss`, or its counterpart under the channel.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import cross_val_score
    >>> from labelief.metrics import label_log_loss_scorer
    >>> X, y = load_iris(return_X_y=True)
    >>> scores = cross_val_score(
    ...     LogisticRegression(max_iter=500), X, y, scoring=label_log_loss_scorer
    ... )
    >>> bool(scores.mean() > -0.2)
    True
    """
    explained = label_log_likelihoods(estimator, X, y)
    return weighted_mean(explained, sample_weight)


def label_log_likelihoods(estimator: Any, X: Any, y: Any, classes: Any = None) -> FloatArray:
    r"""Log-likelihood of each row's label given its features, :math:`\log \sum_k p(k|x_i) pl_i(k)`.

    Parameters
    ----------
    estimator : fitted classifier
        With ``label_log_likelihood(X, y)`` or `predict_proba`.
    X : array-like of shape (n, d)
        Features.
    y : labels of any kind that the estimator takes
        Labels.
    classes : array-like, optional
        Names of the columns of a bare (n, K) array.

    Returns
    -------
    (n,) float64 array
        Natural logarithms, floored at log 2e-16.
    """
    final = innermost(estimator)
    if not hasattr(final, "label_log_likelihood"):
        return trusted_log_likelihoods(estimator, X, y, classes)
    features = features_inside(estimator, X)
    if not is_vector(y):
        return _floored(final.label_log_likelihood(features, y))
    # Rows labelled with a class that the training rows did not hold have probability 0.
    values = as_label_vector(y)
    fitted = as_classes(final.classes_)
    frame = occurring_classes(values, fitted)
    codes = encode(values, frame)[1]
    rows = np.flatnonzero((codes < 0) | np.isin(codes, encode(fitted, frame)[1]))
    explained = np.full(len(values), np.log(_FLOOR))
    if rows.size == len(values):
        explained = _floored(final.label_log_likelihood(features, y))
    elif rows.size:
        explained[rows] = _floored(
            final.label_log_likelihood(_safe_indexing(features, rows), values[rows])
        )
    return explained


def explains_labels(estimator: Any) -> bool:
    """Say whether :func:`label_log_likelihoods` can be had from a fitted classifier."""
    return hasattr(estimator, "predict_proba") or hasattr(
        innermost(estimator), "label_log_likelihood"
    )


def trusted_log_likelihoods(estimator: Any, X: Any, y: Any, classes: Any) -> FloatArray:
    """Return `label_log_likelihoods` by `predict_proba`, of labels taken at their word."""
    if not hasattr(estimator, "predict_proba"):
        raise ValueError(
            f"{type(estimator).__name__} has neither label_log_likelihood nor predict_proba: the "
            "label log loss needs probabilities"
        )
    fitted = as_classes(estimator.classes_)
    labels = read_labels(y, occurring_classes(y, fitted) if is_vector(y) else classes)
    probabilities = np.asarray(estimator.predict_proba(X), dtype=np.float64)
    aligned = align_columns(probabilities, fitted, labels.classes, 0.0)
    _check_probabilities(aligned)
    return _log_explained(aligned, labels.plausibilities)


def innermost(estimator: Any) -> Any:
    """Look through searches and pipelines at the classifier itself."""
    while True:
        if hasattr(estimator, "best_estimator_"):
            estimator = estimator.best_estimator_
        elif isinstance(estimator, Pipeline):
            estimator = estimator[-1]
        else:
            return estimator


def features_inside(estimator: Any, X: Any) -> Any:
    """Transform features as the pipelines around the classifier do."""
    while True:
        if hasattr(estimator, "best_estimator_"):
            estimator = estimator.best_estimator_
        elif isinstance(estimator, Pipeline):
            X = estimator[:-1].transform(X) if len(estimator.steps) > 1 else X
            estimator = estimator[-1]
        else:
            return X


def _check_probabilities(proba: FloatArray) -> None:
    wrong = ~((proba >= 0) & (proba <= 1 + 1e-6))
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        raise ValueError(
            f"proba is {proba[row, column]} in row {row}, column {column}: no probability"
        )


def _log_explained(proba: FloatArray, plausibilities: FloatArray) -> FloatArray:
    explained = np.einsum("ik,ik->i", proba, plausibilities)
    return np.asarray(np.log(np.maximum(explained, _FLOOR)), dtype=np.float64)


def _floored(explained: Any) -> FloatArray:
    return np.maximum(np.asarray(explained, dtype=np.float64), np.log(_FLOOR))
