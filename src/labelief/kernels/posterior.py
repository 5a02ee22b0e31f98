"""The E-step on a block: from log weights and log densities to responsibilities."""

from __future__ import annotations

from labelief._typing import Array
from labelief.kernels.namespace import namespace

__all__ = ["class_sums", "posterior", "relative", "spread", "weighted_posterior"]

# A sum of likelihoods below this has lost digits.
_SAFE = 1e-250


def spread(class_log_weights: Array, component_class: Array | None) -> Array:
    """Give each component the log weight of its class: ``(b, K) -> (b, J)``.

    ``component_class`` is None where components are the classes themselves.
    """
    if component_class is None:
        return class_log_weights
    xp = namespace(class_log_weights)
    return xp.take(class_log_weights.T, component_class, axis=0).T


def class_sums(responsibilities: Array, membership: Array | None) -> Array:
    """Sum responsibilities over the components of each class: ``(b, J) -> (b, K)``.

    ``membership`` is the (J, K) 0/1 matrix of components in classes, or None (components =
    classes).
    """
    if membership is None:
        return responsibilities
    return (membership.T @ responsibilities.T).T


def posterior(log_joint: Array) -> tuple[Array, Array]:
    """Normalise a block of log joint weights (quost2017 eq. 16, 23).

    Returns
    -------
    log_evidence : (b,) array
        ``log Σ_j exp(log_joint_ij)``; minus infinity where every entry is.
    responsibilities : (b, J) array
        ``exp(log_joint_ij - log_evidence_i)``: rows sum to one, or are 0 where the evidence is.
    """
    xp = namespace(log_joint)
    top = xp.max(log_joint, axis=1)
    # A row of minus infinities must give zeros, not NaN.
    shift = xp.where(top > -xp.inf, top, xp.zeros_like(top))
    likelihood = xp.exp(log_joint - shift[:, None])
    total = xp.sum(likelihood, axis=1)
    positive = xp.where(total > 0, total, xp.ones_like(total))
    log_evidence = xp.where(total > 0, shift + xp.log(positive), top)
    return log_evidence, likelihood * (1.0 / positive)[:, None]


def relative(log_joint: Array) -> tuple[Array, Array]:
    """Return each row's maximum, (b,), and ``exp(log_joint - maximum)``, (b, J)."""
    xp = namespace(log_joint)
    top = xp.max(log_joint, axis=1)
    # A row of minus infinities must give zeros, not NaN.
    shift = xp.where(top > -xp.inf, top, xp.zeros_like(top))
    return shift, xp.exp(log_joint - shift[:, None])


def weighted_posterior(likelihood: Array, weights: Array) -> tuple[Array, Array] | None:
    """Normalise ``likelihood · weights`` as `posterior` does their logarithms, for one exponential.

    Returns
    -------
    (b,) and (b, J) arrays, or None
        None where some row's sum underflows or overflows: take logarithms then.
    """
    xp = namespace(likelihood)
    mass = likelihood * weights
    total = xp.sum(mass, axis=1)
    if not (bool(xp.min(total) > _SAFE) and bool(xp.max(total) < xp.inf)):
        return None
    return xp.log(total), mass * (1.0 / total)[:, None]
