"""Soft-max probabilities of linear scores on a block, and the sums that climb their likelihood."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array, diags_array, hstack

from labelief._typing import Array
from labelief.kernels.features import with_ones
from labelief.kernels.namespace import column_product, cross_product, empty, is_sparse, namespace
from labelief.kernels.posterior import relative

__all__ = [
    "Curvature",
    "LinearSums",
    "augmented",
    "curvature",
    "linear_sums",
    "log_normaliser",
    "scores",
]


class LinearSums(NamedTuple):
    """Sums over rows of residuals g and of ``x gᵀ``: (c,) and (d, c) arrays."""

    zeroth: Array
    first: Array


class Curvature(NamedTuple):
    """Second moments of the features under weights ``s_ij``.

    Attributes
    ----------
    own : (J p, p) array
        ``Σ_i s_ij φ_i φ_iᵀ``, stacked over j.
    cross : (J p, J p) array
        ``Σ_i (s_ij s_il / Σ_m s_im) φ_i φ_iᵀ`` in block (j, l).
    """

    own: Array
    cross: Array

    @property
    def weight(self) -> float:
        """The rows' weight: φ starts by 1, and ``Σ_j s_ij`` is the weight of row i."""
        return float(sum(self.own[:: self.own.shape[1], 0]))


def scores(features: Array, coefficients: Array, intercepts: Array) -> Array:
    """Return linear scores over a first one that is 0: (b, J), columns contiguous.

    ``η_0 = 0``, ``η_j = a_j + b_jᵀ x``: their soft-max is ``Pr(j | x)`` (quost2017 eq. 18).

    Parameters
    ----------
    features : (b, d) array or CSR matrix
    coefficients : (d, J - 1) array
    intercepts : (J - 1,) array
    """
    out = empty((coefficients.shape[1] + 1, features.shape[0]), features)
    out[0, :] = 0.0
    out[1:, :] = column_product(features, coefficients).T + intercepts[:, None]
    return out.T


def log_normaliser(linear: Array) -> Array:
    """Return ``log Σ_j exp η_j``, (b,); quost2017 eq. 20 lacks the exponential inside the sum."""
    top, likelihood = relative(linear)
    xp = namespace(linear)
    return top + xp.log(xp.sum(likelihood, axis=1))


def linear_sums(features: Array, residuals: Array) -> LinearSums:
    """Return the slope of a likelihood in linear scores.

    With residuals ``w_i (ζ_ij - p_j(x_i))``, the slopes in the scores, these are the slopes in
    intercepts and coefficients (Fisher's identity; quost2017 eq. 23).

    Parameters
    ----------
    features : (b, d) array or CSR matrix
    residuals : (b, c) array
    """
    return LinearSums(
        namespace(residuals).sum(residuals, axis=0), cross_product(features, residuals)
    )


def augmented(features: Array, inverse_scale: Array) -> Array:
    """Return ``(1, x / s)``, (b, 1 + d), sparse where the features are."""
    if is_sparse(features):
        ones = csr_array(np.ones((features.shape[0], 1)))
        return hstack([ones, features @ diags_array(inverse_scale)], format="csr")
    return with_ones(features * inverse_scale)


def curvature(phi: Array, weights: Array) -> Curvature:
    """Return the second moments of features under each component's weights and their products.

    Minus the Hessian of a soft-max likelihood in the scores' coefficients is ``own`` (on the
    diagonal) minus ``cross``: with ``s = w P`` for complete data (quost2017 eq. 24); where labels
    are soft, the observed one is that less the same with ``s = R``.

    Parameters
    ----------
    phi : (b, p) array or CSR matrix
    weights : (b, J) array of 0 or more
    """
    xp = namespace(weights)
    root = xp.sqrt(xp.sum(weights, axis=1))
    share = weights / xp.where(root > 0, root, xp.ones_like(root))[:, None]
    if is_sparse(phi):
        spread = hstack([diags_array(s) @ phi for s in share.T], format="csr")
        rooted = diags_array(root) @ phi
        return Curvature((spread.T @ rooted).toarray(), (spread.T @ spread).toarray())
    spread = xp.reshape(share[:, :, None] * phi[:, None, :], (phi.shape[0], -1))
    return Curvature(spread.T @ (phi * root[:, None]), spread.T @ spread)
