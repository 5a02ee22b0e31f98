"""Soft-max probabilities of linear scores on a block, and the sums that climb their likelihood."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array, diags_array, hstack

from labelief._typing import Array
from labelief.kernels.features import with_ones
from labelief.kernels.namespace import column_product, cross_product, is_sparse, namespace

__all__ = [
    "Curvature",
    "LinearSums",
    "augmented",
    "curvature",
    "linear_sums",
    "log_softmax",
    "shares",
]


class LinearSums(NamedTuple):
    """Sums over rows that are the slope of a linear score: of ``g``, (J,), and ``x gᵀ``, (d, J)."""

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


def log_softmax(features: Array, coefficients: Array, intercepts: Array) -> Array:
    """Return ``log Pr(j | x)`` of linear scores, (b, J), columns contiguous (quost2017 eq. 20).

    ``log p_j = η_j - log Σ_l exp η_l``, ``η = a + Bᵀ x``; the paper's eq. 20 lacks the exponential
    inside the sum.

    Parameters
    ----------
    features : (b, d) array or CSR matrix
    coefficients : (d, J) array
    intercepts : (J,) array
    """
    xp = namespace(features)
    scores = column_product(features, coefficients) + intercepts
    scores = scores - xp.max(scores, axis=1)[:, None]
    return scores - xp.log(xp.sum(xp.exp(scores), axis=1))[:, None]


def shares(log_probabilities: Array, R: Array) -> Array:
    """Return ``w_i Pr(j | x_i)``, (b, J), with the weights of the rows in R: ``w_i = Σ_j R_ij``."""
    xp = namespace(R)
    return xp.exp(log_probabilities) * xp.sum(R, axis=1)[:, None]


def linear_sums(features: Array, residuals: Array) -> LinearSums:
    """Return the slope of the likelihood in linear scores.

    With residuals ``R - w P`` this is Fisher's identity for the soft-max:
    ``∂ log L / ∂η_ij = w_i (ζ_ij - p_j(x_i))``.

    Parameters
    ----------
    features : (b, d) array or CSR matrix
    residuals : (b, J) array
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
