"""How far a mean over objects may be off: standard errors and intervals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import stats

from labelief._typing import FloatArray, IntArray


@dataclass(frozen=True)
class MeanEstimate:
    """A weighted mean, its standard error and the number of independent objects it is worth."""

    mean: float
    standard_error: float
    effective_size: float


def estimate_mean(values: FloatArray, weights: FloatArray, clusters: IntArray) -> MeanEstimate:
    r"""Estimate a mean over objects that come in clusters.

    .. math::
        \bar v = \sum_i w_i v_i, \qquad
        s^2 = \frac{G}{G-1} \sum_g \Bigl( \sum_{i \in g} w_i (v_i - \bar v) \Bigr)^2

    (the linearised variance of a ratio mean over G clusters; with one object in each and equal
    weights the usual squared standard error). The effective size is Kish's 1 / Σ w², divided by the
    design effect where clusters make the variance larger; where all values are equal each cluster
    is taken for one object.

    Parameters
    ----------
    values : (n,) array
        One number per object.
    weights : (n,) array
        Weights, not all zero; divided by their sum here.
    clusters : (n,) integer array
        0..G-1: objects of one cluster may go wrong together.

    Returns
    -------
    MeanEstimate
        The standard error is NaN for a single cluster.

    Examples
    --------
    >>> estimate_mean(np.array([0.0, 1.0]), np.ones(2), np.arange(2))
    MeanEstimate(mean=0.5, standard_error=0.5, effective_size=2.0)
    """
    mean = float((weights @ values) / weights.sum())
    weights = weights / weights.sum()
    parts = weights * (values - mean)
    between = float(np.sum(np.bincount(clusters, weights=parts) ** 2))
    alone = float(np.sum(parts**2))
    present = int(np.unique(clusters[weights > 0]).size)
    factor = present / (present - 1) if present > 1 else np.nan
    size = 1.0 / float(np.sum(weights**2))
    if alone > 0:
        size /= max(1.0, between / alone)
    else:  # no differences to judge clustering by: suppose the worst
        size = min(size, float(present))
    return MeanEstimate(mean, float(np.sqrt(factor * between)), size)


def wilson_interval(estimate: MeanEstimate, confidence: float) -> tuple[float, float]:
    r"""Wilson's interval for the mean of numbers in [0, 1].

    .. math::
        \frac{p + z^2/2n \pm z \sqrt{p(1-p)/n + z^2/4n^2}}{1 + z^2/n}

    with n the effective size. Exact in spirit for 0-1 losses, wide enough for losses in between,
    whose variance is below p (1 - p); never empty, also where no error was seen.

    Parameters
    ----------
    estimate : MeanEstimate
        Mean and effective size.
    confidence : float
        Such as 0.95.

    Returns
    -------
    low, high : float
        Within [0, 1].

    Examples
    --------
    >>> low, high = wilson_interval(MeanEstimate(0.0, 0.0, 100.0), 0.95)
    >>> low, round(high, 3)
    (0.0, 0.037)
    """
    z2 = float(stats.norm.isf((1 - confidence) / 2)) ** 2
    p, n = estimate.mean, estimate.effective_size
    middle = p + z2 / (2 * n)
    half = np.sqrt(z2) * np.sqrt(max(p * (1 - p), 0.0) / n + z2 / (4 * n * n))
    scale = 1 + z2 / n
    # rounding must not push the mean itself out where it is 0 or 1
    low, high = float((middle - half) / scale), float((middle + half) / scale)
    return max(0.0, min(low, p)), min(1.0, max(high, p))
