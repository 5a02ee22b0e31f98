"""Mardia's test of multivariate normality, in O(n d) memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from labelief._typing import FloatArray
from labelief.blocks.threads import single_threaded_blas

_CHUNK_ENTRIES = 1 << 17  # entries of a temporary block: 1 MB, so that it stays in the cache
_SINGULAR = 1e-12  # smallest over largest singular value of the standardised data


@dataclass(frozen=True)
class MardiaResult:
    """What :func:`mardia_test` found.

    Attributes
    ----------
    skewness : float
        Mardia's skewness b1; 0 for a Gaussian in the limit.
    skewness_statistic : float
        n b1 / 6, asymptotically chi-squared with d (d + 1) (d + 2) / 6 degrees of freedom.
    skewness_pvalue : float
        Chance of so large a statistic under normality.
    kurtosis : float
        Mardia's kurtosis b2; d (d + 2) for a Gaussian in the limit.
    kurtosis_statistic : float
        (b2 - d (d + 2)) / sqrt(8 d (d + 2) / n), asymptotically standard normal.
    kurtosis_pvalue : float
        Two-sided p-value of that statistic.
    """

    skewness: float
    skewness_statistic: float
    skewness_pvalue: float
    kurtosis: float
    kurtosis_statistic: float
    kurtosis_pvalue: float


def mardia_test(X: Any) -> MardiaResult:
    r"""Test whether the rows of ``X`` could come from one multivariate Gaussian.

    With ``z_i`` the centred rows, whitened by the covariance ``S`` (denominator n),

    .. math::
        b_1 = n^{-2} \sum_{ij} (z_i^T z_j)^3
            = \bigl\| n^{-1} \sum_i z_i \otimes z_i \otimes z_i \bigr\|^2, \qquad
        b_2 = n^{-1} \sum_i (z_i^T z_i)^2.

    The two forms of ``b_1`` cost about n d^3 / 3 and n^2 d / 2 multiplications: the cheaper one is
    taken, in blocks, so neither an n x n matrix nor a d x d x d tensor is ever in memory.

    Parameters
    ----------
    X : array-like of shape (n, d)
        One class's features, finite; n > d.

    Returns
    -------
    MardiaResult
        Both statistics with their p-values.

    Raises
    ------
    ValueError
        Where ``X`` holds a value that is not finite, or its covariance is singular: the statistics
        do not exist then.

    Notes
    -----
    Mardia (1970), as used by quost2017 (Tables 2 and 3). A table of several classes is tested class
    by class.

    Examples
    --------
    >>> import numpy as np
    >>> from labelief.metrics import mardia_test
    >>> gaussian = np.random.default_rng(0).normal(size=(500, 3))
    >>> mardia_test(gaussian).skewness_pvalue > 0.05
    True
    >>> mardia_test(np.exp(gaussian)).skewness_pvalue < 1e-10
    True
    """
    Z = _whiten(_read_features(X))
    n, d = Z.shape
    with single_threaded_blas():  # the blocks are too small to share between threads
        skewness = _skewness_by_moments(Z) if d * d < 1.5 * n else _skewness_by_products(Z)
    kurtosis = float(np.mean(np.einsum("ij,ij->i", Z, Z) ** 2))
    skewness_statistic = n * skewness / 6
    kurtosis_statistic = (kurtosis - d * (d + 2)) / np.sqrt(8 * d * (d + 2) / n)
    return MardiaResult(
        skewness=skewness,
        skewness_statistic=skewness_statistic,
        skewness_pvalue=float(stats.chi2.sf(skewness_statistic, d * (d + 1) * (d + 2) / 6)),
        kurtosis=kurtosis,
        kurtosis_statistic=float(kurtosis_statistic),
        kurtosis_pvalue=float(2 * stats.norm.sf(abs(kurtosis_statistic))),
    )


def _read_features(X: Any) -> FloatArray:
    """``X`` as (n, d) float64, refused where the statistics cannot exist."""
    features = np.asarray(X, dtype=np.float64)
    if features.ndim == 1:
        features = features[:, None]
    if features.ndim != 2:
        raise ValueError(f"X must have two dimensions (rows, features), but has {features.ndim}")
    n, d = features.shape
    if d == 0:
        raise ValueError("X has no feature")
    if n <= d:
        raise ValueError(f"X has {n} rows and {d} features: the test needs more rows than features")
    bad = ~np.isfinite(features)
    if bad.any():
        row, column = np.argwhere(bad)[0]
        raise ValueError(
            f"X holds {features[row, column]} in row {row}, column {column}: drop or fill such rows"
        )
    return features


def _whiten(X: FloatArray) -> FloatArray:
    """Z = sqrt(n) Q of the thin QR of the standardised rows, so that Zᵀ Z / n = I."""
    low, high = X.min(axis=0), X.max(axis=0)
    constant = np.flatnonzero(low == high)
    if constant.size:
        raise ValueError(f"X is constant in column {constant[0]}: drop such columns")
    # Any affine change leaves both statistics as they are: first to [-1, 1] (1e150 squared would
    # overflow), then centred and to unit variance, so that rank can be judged.
    middle = low / 2 + high / 2
    Z = (X - middle) / (high / 2 - low / 2)
    Z -= Z.mean(axis=0)
    Z /= np.sqrt(np.mean(Z * Z, axis=0))
    Q, R = np.linalg.qr(Z)
    singular_values = np.linalg.svd(R, compute_uv=False)
    if singular_values[-1] <= _SINGULAR * singular_values[0]:
        raise ValueError(
            "the covariance of X is singular (a column is a linear combination of others): "
            "drop such columns"
        )
    Q *= np.sqrt(X.shape[0])
    return np.asarray(Q, dtype=np.float64)


def _skewness_by_moments(Z: FloatArray) -> float:
    """Squared norm of T_abc = mean_i z_ia z_ib z_ic, slab by slab over the smallest index a.

    The triples whose smallest index is a: one index equal to a (3 places, b and c above a), two
    (3 places for the other), three.
    """
    n, d = Z.shape
    step = max(1, _CHUNK_ENTRIES // d)
    total = 0.0
    for a in range(d):
        slab = np.zeros((d - a, d - a))
        for start in range(0, n, step):
            block = Z[start : start + step, a:]
            slab += (block * block[:, :1]).T @ block
        slab /= n
        total += 3 * float(np.sum(slab[1:, 1:] ** 2) + np.sum(slab[0, 1:] ** 2))
        total += float(slab[0, 0] ** 2)
    return total


def _skewness_by_products(Z: FloatArray) -> float:
    """Mean over i, j of (z_iᵀ z_j)³, from square blocks of Z Zᵀ on and above the diagonal."""
    n = Z.shape[0]
    step = max(1, int(np.sqrt(_CHUNK_ENTRIES)))
    total = 0.0
    for start in range(0, n, step):
        rows = Z[start : start + step]
        total += float(np.sum((rows @ rows.T) ** 3))
        for after in range(start + step, n, step):
            products = rows @ Z[after : after + step].T
            total += 2 * float(np.vdot(products * products, products))
    return float(total / (n * n))
