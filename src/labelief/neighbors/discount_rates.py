"""How fast a neighbour's word loses weight with distance: the rates γ of ``α exp(-γ d²)``."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize
from sklearn.metrics import pairwise_distances

from labelief._typing import FloatArray, IntArray
from labelief.blocks.arrays import ArrayBlocks
from labelief.blocks.class_moments import measure_class_moments
from labelief.blocks.evidence import Dense
from labelief.neighbors.label_masses import LabelMasses

__all__ = ["Leave", "fitted_rates", "mean_squared_distances", "squared_error", "weights_of"]

# Rows of a class whose distances are measured where there is no closed form.
_SAMPLE = 512
# A mean squared distance below this share of that of all rows is rounding.
_NOTHING = 1e-13
# log γ stays within this of where the search starts: beyond, nothing changes any more.
_REACH = 12.0


class Leave(NamedTuple):
    """Neighbours of training rows, themselves left out.

    Attributes
    ----------
    neighbours : (n, k) int array
    squared : (n, k) array
        Squared distances.
    """

    neighbours: IntArray
    squared: FloatArray


def weights_of(alpha: float, rates: FloatArray, squared: FloatArray) -> FloatArray:
    """Return ``α exp(-γ d²)``."""
    with np.errstate(under="ignore", over="ignore"):
        return np.asarray(alpha * np.exp(-rates * squared))


def mean_squared_distances(X: Any, labels: LabelMasses, metric: str, options: Any) -> FloatArray:
    """Return the mean squared distance within each class, (K,), always above 0.

    ``Σ_{i≠j} p_iq p_jq d_ij² / Σ_{i≠j} p_iq p_jq`` with the pignistic share p of class q, over rows
    whose label says something: for crisp labels ``2 n_q / (n_q - 1) tr Σ_q``.  Euclidean distances
    need one pass over X; for other metrics, pairs among at most 512 rows of each class are taken.
    A class with one row or no spread takes the mean over all classes, then over all rows; where
    all rows are equal it is 1.

    Parameters
    ----------
    X : (n, d) array, CSR matrix, or (n, n) distances
    labels : LabelMasses
    metric : str or callable
    options : dict
        Of the metric.
    """
    told = labels.telling()
    shares = labels.pignistic() * told[:, None]
    pairs = shares.sum(axis=0) ** 2 - (shares**2).sum(axis=0)
    everyone = np.ones((len(told), 1))
    if metric in ("euclidean", "l2") or (metric == "minkowski" and options.get("p", 2) == 2):
        sums = _euclidean_sums(X, shares)
        overall = _euclidean_sums(X, everyone)[0] / max(len(told) * (len(told) - 1), 1)
    else:
        sampled = [_sampled_sums(X, column, metric, options) for column in shares.T]
        sums, pairs = np.array(sampled).T
        total, count = _sampled_sums(X, everyone[:, 0], metric, options)
        overall = total / max(count, 1.0)
    known = (pairs > 1e-9 * shares.sum(axis=0) ** 2) & (sums > _NOTHING * overall * pairs)
    fallback = sums[known].sum() / pairs[known].sum() if np.any(known) else overall
    fallback = fallback if fallback > 0 else 1.0
    return np.where(known, sums / np.where(known, pairs, 1.0), fallback)


def _euclidean_sums(X: Any, shares: FloatArray) -> FloatArray:
    """Return ``Σ_ij p_iq p_jq ‖x_i - x_j‖²``, (K,)."""
    n_classes = shares.shape[1]
    total = shares.sum(axis=1)
    weighted = np.where(total > 0, total, 0.0)
    evidence = Dense(np.where(total[:, None] > 0, shares, 1.0))
    moments = measure_class_moments(ArrayBlocks(X, evidence, weighted), n_classes)
    return np.asarray(2.0 * (moments.within() / moments.factor**2).sum(axis=1))


def _sampled_sums(X: Any, share: FloatArray, metric: Any, options: Any) -> tuple[float, float]:
    """Return ``Σ_{i≠j} p_i p_j d_ij²`` and ``Σ_{i≠j} p_i p_j`` over some rows."""
    rows = np.flatnonzero(share > 0)
    if len(rows) > _SAMPLE:
        rows = rows[np.linspace(0, len(rows) - 1, _SAMPLE).round().astype(int)]
    if len(rows) < 2:
        return 0.0, 0.0
    if metric == "precomputed":
        distances = X[rows][:, rows]
    else:
        distances = pairwise_distances(X[rows], metric=metric, **options)
    p = share[rows]
    apart = np.asarray(distances, dtype=np.float64) ** 2
    np.fill_diagonal(apart, 0.0)
    return float(p @ apart @ p), float(p.sum() ** 2 - p @ p)


def squared_error(
    log_rates: FloatArray,
    labels: LabelMasses,
    shares: FloatArray,
    left_out: Leave,
    rows: IntArray,
    alpha: float,
) -> tuple[float, FloatArray]:
    """Return the mean squared error of leave-one-out pignistic values, and its gradient.

    ``1/n Σ_i Σ_q (BetP_{-i}(q) - p_iq)²`` over `rows` (Zouhal & Denœux 1998 eq. 20), by log γ.

    Parameters
    ----------
    log_rates : (K,) array
    labels : LabelMasses
    shares : (n, K) array
        Pignistic values p of the labels.
    left_out : Leave
    rows : int array
        Rows whose label says something.
    alpha : float
    """
    rates = np.exp(log_rates)
    error, gradient = 0.0, np.zeros(len(rates))
    step = min(labels.rows_at_once(left_out.neighbours.shape[1] * len(rates)), 4096)
    for start in range(0, len(rows), step):
        part = rows[start : start + step]
        neighbours, squared = left_out.neighbours[part], left_out.squared[part]
        of_class = shares[neighbours] * rates
        weights = weights_of(alpha, of_class.sum(axis=2), squared)
        slopes = -(weights * squared)[:, :, None] * of_class
        slope = labels.slope(neighbours, weights, slopes, shares[part])
        error += slope.error
        gradient += slope.gradient
    return error / len(rows), gradient / len(rows)


def fitted_rates(
    start: FloatArray, labels: LabelMasses, left_out: Leave, alpha: float
) -> FloatArray:
    """Return the rates that make :func:`squared_error` smallest, by L-BFGS from `start`."""
    origin = np.log(start)
    rows = np.flatnonzero(labels.telling())
    found = minimize(
        squared_error,
        origin,
        args=(labels, labels.pignistic(), left_out, rows, alpha),
        jac=True,
        method="L-BFGS-B",
        bounds=[(v - _REACH, v + _REACH) for v in origin],
        options={"ftol": 1e-12, "gtol": 1e-7},
    )
    return np.asarray(np.exp(found.x))
