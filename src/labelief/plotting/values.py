"""The numbers behind the pictures: the report and the displays draw the same ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.decomposition import PCA

from labelief._typing import FloatArray, IntArray
from labelief.labels.soft_labels import SoftLabels

__all__ = ["Calibration", "calibrate", "class_coordinates", "gains", "openness", "thinned"]

# How far the ends of a bin of certainties lie apart at least.
_APART = 0.01


@dataclass(frozen=True, eq=False)
class Calibration:
    """How sure a model is, beside how often labels agree: one entry for each bin of rows.

    Attributes
    ----------
    sure : (B,) array
        Mean probability of the class that is predicted, increasing.
    agrees : (B,) array
        Mean share that the labels give to that class.
    rows : (B,) integer array
        How many rows are in the bin.
    lower, upper : (B,) arrays or None
        Mean belief and plausibility of that class: how often the label agrees at least, at most.
    """

    sure: FloatArray
    agrees: FloatArray
    rows: IntArray
    lower: FloatArray | None = None
    upper: FloatArray | None = None


def calibrate(
    proba: FloatArray,
    shares: FloatArray,
    beliefs: FloatArray | None = None,
    plausibilities: FloatArray | None = None,
    *,
    n_bins: int = 10,
) -> Calibration:
    """Compare certainty with agreement, in bins of about equally many rows.

    Parameters
    ----------
    proba : (n, K) array
        Predicted probabilities, n at least 1.
    shares, beliefs, plausibilities : (n, K) arrays
        Of the labels: pignistic probabilities, lower and upper probabilities of the classes.
    n_bins : int, default=10
        Bins at most; none gets fewer than ten rows on average.

    Returns
    -------
    Calibration
        Every row is in one bin, equal certainties are in the same one, and a bin is not narrower
        than 0.01: there may be fewer.
    """
    n = len(proba)
    best = np.argmax(proba, axis=1)
    sure = proba[np.arange(n), best]
    wanted = min(n_bins, max(1, n // 10))
    edges = np.unique(np.quantile(sure, np.linspace(0, 1, wanted + 1)))
    # Where a model is sure nearly always, bins would lie on top of one another.
    inner = [edge for edge in edges[1:-1] if edge <= edges[-1] - _APART]
    kept: list[float] = []
    for edge in inner:
        if edge >= (kept[-1] if kept else edges[0]) + _APART:
            kept.append(float(edge))
    code = np.searchsorted(kept, sure, side="right")
    bins = np.unique(code, return_inverse=True)[1]
    rows = np.bincount(bins)

    def mean(values: FloatArray) -> FloatArray:
        return np.bincount(bins, weights=values) / rows

    def of_best(matrix: FloatArray | None) -> FloatArray | None:
        return None if matrix is None else mean(matrix[np.arange(n), best])

    return Calibration(
        mean(sure),
        mean(shares[np.arange(n), best]),
        rows,
        of_best(beliefs),
        of_best(plausibilities),
    )


def class_coordinates(estimator: Any, X: Any) -> tuple[FloatArray, tuple[str, str]]:
    """Return two coordinates of each row, and what they are.

    Parameters
    ----------
    estimator : fitted estimator or None
        With ``transform`` to two columns or more (linear discriminant analysis): its first two.
    X : (n, d) array
        Otherwise its first two principal components.

    Returns
    -------
    coordinates : (n, 2) array
    names : (str, str)
    """
    if hasattr(estimator, "transform"):
        found = np.asarray(estimator.transform(X))
        if found.shape[1] >= 2:
            return found[:, :2], ("first discriminant axis", "second discriminant axis")
    parts = min(2, *np.shape(X))
    found = PCA(parts, svd_solver="full").fit_transform(X)
    if parts < 2:
        found = np.column_stack([found, np.zeros(len(found))])
    return found, ("first principal component", "second principal component")


def gains(history: Any) -> FloatArray:
    """Return how far the objective has come after each iteration: 0 after the first.

    Parameters
    ----------
    history : sequence of float
        Objective after each iteration.
    """
    values = np.asarray(history, dtype=np.float64)
    return values - values[:1]


def openness(labels: SoftLabels) -> FloatArray:
    """Return how much each label leaves open: ``N(m) / log K``, 0 single classes, 1 any class.

    Parameters
    ----------
    labels : SoftLabels

    Returns
    -------
    (n,) array
    """
    k = len(labels.classes)
    return labels.nonspecificity() / np.log(k) if k > 1 else np.zeros(len(labels))


def thinned(n: int, most: int) -> IntArray:
    """Return the positions of `most` of n rows at most, evenly spread."""
    if n <= most:
        return np.arange(n)
    return np.unique(np.linspace(0, n - 1, most).round().astype(np.int64))
