"""Cross-validation with a lower and an upper error."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing

from labelief._typing import FloatArray, IntArray
from labelief.labels.class_names import as_vector
from labelief.labels.html import html_table
from labelief.metrics.columns import refuse_strange_classes
from labelief.metrics.errors import LossIntervals, check_pessimism, loss_intervals
from labelief.metrics.log_loss import (
    explains_labels,
    label_log_likelihoods,
    trusted_log_likelihoods,
)
from labelief.metrics.targets import (
    is_vector,
    occurring_classes,
    read_labels,
    read_pair,
    row_weights,
    weighted_mean,
)
from labelief.model_selection.out_of_fold import Data, Fold, over_folds, read_data, read_folds
from labelief.model_selection.uncertainty import MeanEstimate, estimate_mean, wilson_interval

__all__ = ["IntervalEstimate", "cross_validate_interval"]


@dataclass(frozen=True, eq=False)
class IntervalEstimate:
    """What :func:`cross_validate_interval` found.

    Attributes
    ----------
    lower, upper : float
        Lower and upper error rate over all objects tested (quost2017 eq. 30).
    lower_se, upper_se : float
        Their standard errors over objects (over groups, if there are any).
    confidence : float
        Level of the interval.
    confidence_interval : tuple of float
        From the low end of a Wilson interval around ``lower`` to the high end of one around
        ``upper``: sampling and uncertain labels together.
    label_log_loss, label_log_loss_se : float
        Held-out label log loss, NaN if the estimator gives no probabilities.
    fold_lower, fold_upper, fold_label_log_loss : (B,) arrays
        The same per fold.
    fit_seconds : (B,) array
        Wall time of each fit.
    n_samples : int
        Number of objects tested.
    lower_losses, upper_losses : (n,) arrays
        Loss of each object, averaged over its tests; NaN where it was never tested.
    """

    lower: float
    upper: float
    lower_se: float
    upper_se: float
    confidence: float
    confidence_interval: tuple[float, float]
    label_log_loss: float
    label_log_loss_se: float
    fold_lower: FloatArray
    fold_upper: FloatArray
    fold_label_log_loss: FloatArray
    fit_seconds: FloatArray
    n_samples: int
    lower_losses: FloatArray = field(repr=False)
    upper_losses: FloatArray = field(repr=False)

    def expected(self, pessimism: float = 0.5) -> float:
        """Weigh upper against lower error (quost2017 eq. 26).

        Parameters
        ----------
        pessimism : float
            0 is the lower error, 1 the upper.

        Returns
        -------
        float
            ``pessimism * upper + (1 - pessimism) * lower``.
        """
        check_pessimism(pessimism)
        return pessimism * self.upper + (1 - pessimism) * self.lower

    def __repr__(self) -> str:
        low, high = self.confidence_interval
        lines = [
            f"error between {self.lower:.4f} (± {self.lower_se:.4f}) "
            f"and {self.upper:.4f} (± {self.upper_se:.4f})",
            f"{self.confidence:.0%} confidence interval {low:.4f} to {high:.4f}",
            f"{self.n_samples} objects, {self.fit_seconds.size} folds, "
            f"{self.fit_seconds.mean():.3g} s per fit",
        ]
        if not np.isnan(self.label_log_loss):
            loss = f"label log loss {self.label_log_loss:.4f} (± {self.label_log_loss_se:.4f})"
            lines.insert(2, loss)
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        low, high = self.confidence_interval
        lines = [
            ("lower error", f"{self.lower:.4f}", f"{self.lower_se:.4f}"),
            ("upper error", f"{self.upper:.4f}", f"{self.upper_se:.4f}"),
            (f"{self.confidence:.0%} confidence interval", f"{low:.4f} to {high:.4f}", ""),
        ]
        if not np.isnan(self.label_log_loss):
            loss, se = self.label_log_loss, self.label_log_loss_se
            lines.append(("label log loss", f"{loss:.4f}", f"{se:.4f}"))
        return html_table(
            f"{self.n_samples} objects, {self.fit_seconds.size} folds, "
            f"{self.fit_seconds.mean():.3g} s per fit",
            ("", "estimate", "standard error"),
            lines,
            numbers=frozenset({"estimate", "standard error"}),
        )


def cross_validate_interval(
    estimator: Any,
    X: Any,
    y: Any,
    cv: Any = 10,
    groups: Any = None,
    *,
    confidence: float = 0.95,
    sample_weight: Any = None,
    classes: Any = None,
    truth: Any = None,
    n_jobs: int | None = None,
) -> IntervalEstimate:
    r"""Estimate lower and upper error by cross-validation (quost2017 §4.2).

    .. math::
        \underline\lambda = 1 - \tfrac1n \sum_i pl_i(\hat z_i), \qquad
        \overline\lambda = 1 - \tfrac1n \sum_i m_i(\{\hat z_i\})

    with :math:`\hat z_i` predicted by a model that did not see object i. The truth's error lies
    between the two, up to sampling; crisp labels make them equal.

    Parameters
    ----------
    estimator : classifier
        Cloned for each fold. A plain scikit-learn classifier needs crisp ``y``: of `SoftLabels` it
        sees each row's single most plausible class only, and rows without one are refused.
    X : array-like of shape (n, d)
        Features.
    y : SoftLabels, array-like of shape (n,) or (n, K)
        Labels, handed to ``fit`` unchanged; an (n, K) array needs a maximum of 1 in every row.
    cv : int, splitter or iterable of (train, test)
        An integer means that many folds of :class:`SoftStratifiedKFold`, the same at every call.
        Tests may be repeated.
    groups : array-like of shape (n,), optional
        Rows of one group stay in one fold, and count as one object for standard errors.
    confidence : float
        Level of the confidence interval.
    sample_weight : array-like of shape (n,), optional
        Weights of the rows, in the fits and in the errors.
    classes : array-like of shape (K,), optional
        The frame, for 1-D labels that do not name every class and for the columns of a bare array
        (the same as in the estimator's own ``classes``).
    truth : labels like ``y``, optional
        Labels to judge by, where they are others than those learned from: pooled labels for
        `Votes`, verified ones beside noisy ones.
    n_jobs : int, optional
        Number of processes, one by default.

    Returns
    -------
    IntervalEstimate
        Errors, standard errors, interval, label log loss, times.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from labelief.model_selection import cross_validate_interval
    >>> X, y = load_iris(return_X_y=True)
    >>> result = cross_validate_interval(GaussianNB(), X, y, cv=5)
    >>> result.lower == result.upper < 0.1
    True
    """
    data = read_data(X, y, groups, sample_weight, truth)
    folds = read_folds(cv, data, groups)
    return estimate_on_folds(estimator, data, folds, groups, confidence, classes, n_jobs)


def estimate_on_folds(
    estimator: Any,
    data: Data,
    folds: list[Fold],
    groups: Any,
    confidence: float,
    classes: Any,
    n_jobs: int | None,
) -> IntervalEstimate:
    """Do what :func:`cross_validate_interval` does, on given folds."""
    if not 0 < confidence < 1:
        raise ValueError(f"confidence is {confidence}, but must lie between 0 and 1")
    if classes is not None or not is_vector(data.truth):
        # refuses what has no error, before anything is fitted
        classes = read_labels(data.truth, classes).classes
    weights = row_weights(data.sample_weight, data.n)
    # Labels to judge by are no observations of a learned channel.
    explain = label_log_likelihoods if data.truth is data.y else trusted_log_likelihoods
    ask = partial(_predict_and_explain, classes, explain)
    answers = over_folds(estimator, data, folds, ask, n_jobs)
    tested = np.concatenate([fold.test for fold in folds])
    losses = _losses(data.truth, tested, [answer[0] for answer, _ in answers], classes)
    explained = np.concatenate([answer[1] for answer, _ in answers])
    clusters = np.arange(data.n) if groups is None else np.unique(groups, return_inverse=True)[1]
    lower, lower_losses = _over_objects(losses.lower, tested, weights, clusters)
    upper, upper_losses = _over_objects(losses.upper, tested, weights, clusters)
    log_loss, _ = _over_objects(-explained, tested, weights, clusters)
    return IntervalEstimate(
        lower=lower.mean,
        upper=upper.mean,
        lower_se=lower.standard_error,
        upper_se=upper.standard_error,
        confidence=confidence,
        confidence_interval=(
            wilson_interval(lower, confidence)[0],
            wilson_interval(upper, confidence)[1],
        ),
        label_log_loss=log_loss.mean,
        label_log_loss_se=log_loss.standard_error,
        fold_lower=_per_fold(losses.lower, folds, weights),
        fold_upper=_per_fold(losses.upper, folds, weights),
        fold_label_log_loss=_per_fold(-explained, folds, weights),
        fit_seconds=np.array([seconds for _, seconds in answers]),
        n_samples=int(np.unique(tested).size),
        lower_losses=lower_losses,
        upper_losses=upper_losses,
    )


def _predict_and_explain(
    classes: Any, explain: Callable[..., FloatArray], fitted: Any, X: Any, y: Any
) -> tuple[NDArray[Any], FloatArray]:
    predicted = as_vector(fitted.predict(X), "the prediction")
    if explains_labels(fitted):
        return predicted, explain(fitted, X, y, classes)
    return predicted, np.full(len(predicted), np.nan)


def _losses(
    y: Any, tested: IntArray, predictions: list[NDArray[Any]], classes: Any
) -> LossIntervals:
    """0-1 losses of all tests, in the order of ``tested``."""
    predicted = np.concatenate(predictions)
    if classes is not None:
        refuse_strange_classes(np.unique(predicted), classes)
    elif len(found := occurring_classes(y, predicted)) > 1:
        classes = found
    pair = read_pair(_safe_indexing(y, tested), predicted, classes)
    return loss_intervals(pair.labels, pair.predicted)


def _over_objects(
    values: FloatArray, tested: IntArray, weights: FloatArray, clusters: IntArray
) -> tuple[MeanEstimate, FloatArray]:
    """Average over each object's tests, then over the objects that were tested."""
    times = np.bincount(tested, minlength=weights.size)
    sums = np.bincount(tested, weights=values, minlength=weights.size)
    rows = np.flatnonzero(times)
    per_object = np.full(weights.size, np.nan)
    per_object[rows] = sums[rows] / times[rows]
    return estimate_mean(per_object[rows], weights[rows], clusters[rows]), per_object


def _per_fold(values: FloatArray, folds: list[Fold], weights: FloatArray) -> FloatArray:
    """Mean of each fold's tests."""
    ends = np.cumsum([fold.test.size for fold in folds])
    parts = np.split(values, ends[:-1])
    means = [
        weighted_mean(part, weights[fold.test]) for fold, part in zip(folds, parts, strict=True)
    ]
    return np.array(means)
