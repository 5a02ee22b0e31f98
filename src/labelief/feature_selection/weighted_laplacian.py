"""The weighted Laplacian score (doquire2012): how well a feature follows soft labels."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from labelief._typing import FloatArray
from labelief.estimators.validation import read_weights
from labelief.feature_selection.reading import Shares, measure, read_features, read_shares

__all__ = ["Forms", "label_forms", "ratio", "weighted_laplacian_score"]


class Forms(NamedTuple):
    """Quadratic forms of each feature over like pairs of rows, and over unlike ones.

    Features are in units that depend on X alone, so that forms of the same X can be added.

    Attributes
    ----------
    alike, unlike : (d,) array
        ``½ Σ_ij S_ij (f_i - f_j)²`` with S = the similarity, and its counterpart.
    weight : float
        ``Σ_ij`` of the weights that both were made with, which makes forms comparable.
    """

    alike: FloatArray
    unlike: FloatArray
    weight: float


def weighted_laplacian_score(X: Any, y: Any, *, sample_weight: Any = None) -> FloatArray:
    r"""Score features by labels that may be soft; small is good (doquire2012 eq. 3-5).

    .. math:: \mathrm{WLS}_r = \frac{f_r^T L^{sim} f_r}{f_r^T L^{dis} f_r}
              = \frac{\sum_{ij} S_{ij} (f_{ri} - f_{rj})^2}
                     {\sum_{ij} (1 - S_{ij})(f_{ri} - f_{rj})^2}, \qquad S = P P^T

    where :math:`P_{ik}` is the share of class k in the label of row i, so that :math:`S_{ij}` is
    the probability that two rows are of one class.

    Parameters
    ----------
    X : (n, d) array, CSR matrix, frame or list
        Arrays may be memory-mapped, or those of another array library.
    y : labels
        :class:`SoftLabels` (their pignistic probabilities are taken), an (n, K) array or frame
        (rows are divided by their sum), or 1-D labels (None and NaN: equal shares).
    sample_weight : (n,) array-like, default=None
        A weight of 2 is the row twice, 0 is the row left out.

    Returns
    -------
    (d,) array
        Scores, 0 or more; infinite for a feature that is constant.  A score does not change when
        its feature is shifted or scaled.

    Notes
    -----
    No n × n matrix is made: with ``n_k = Σ_i P_ik`` and ``s = P n``,

        fᵀ L_sim f = Σ_i s_i f_i² - ‖Pᵀ f‖²,    fᵀ (L_sim + L_dis) f = n Σ_i f_i² - (Σ_i f_i)²

    so one pass over X gives all features, with 2 n d (K + 2) operations and, for float64, 8 n d
    bytes read.  Features far from 0 are shifted on the way, block by block.

    Examples
    --------
    >>> import numpy as np
    >>> from labelief import SoftLabels
    >>> from labelief.feature_selection import weighted_laplacian_score
    >>> X = np.array([[0.0, 3.0, 1.0], [0.1, 1.0, 1.0], [0.9, 2.5, 1.0], [1.0, 1.2, 1.0]])
    >>> y = SoftLabels.from_confidences(["a", "a", "b", "b"], [0.9, 0.6, 0.8, 1.0])
    >>> weighted_laplacian_score(X, y).round(2)
    array([0.18, 0.89,  inf])
    """
    rows = read_features(X)
    shares = read_shares(y, rows.shape[0])
    return ratio(label_forms(rows, shares, read_weights(sample_weight, rows)))


def label_forms(X: Any, shares: Shares, weights: FloatArray | None) -> Forms:
    """Return the quadratic forms of doquire2012 eq. 5, in one pass over X."""
    counts = shares.counts(weights, X.shape[0])
    # n_k (N - n_k) of each class, a sum of positive terms, is 0 where one class has everything
    if not np.any(counts * (counts.sum() - counts) > 0):
        raise ValueError(
            "All labels say the same class, 1 class in all: no feature can tell classes apart."
        )
    spreads = measure(X, shares.evidence, weights, counts)
    return Forms(spreads.alike, spreads.total - spreads.alike, float(counts.sum() ** 2))


def ratio(forms: Forms) -> FloatArray:
    """Return ``alike / unlike``, infinite where a feature is constant and both are 0."""
    unlike = np.where(forms.unlike > 0, forms.unlike, 1.0)
    return np.where(forms.unlike > 0, forms.alike / unlike, np.inf)
