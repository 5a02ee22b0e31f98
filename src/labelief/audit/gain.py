"""What one more answer is worth."""

from __future__ import annotations

from typing import Any

import numpy as np

from labelief._typing import FloatArray
from labelief.metrics.losses import read_loss

__all__ = ["expected_gain"]


def expected_gain(posterior: Any, reliability: Any = 0.9, loss: Any = None) -> FloatArray:
    r"""Return by how much one more answer lowers the expected loss of each row.

    .. math::
        g_i = \min_d \sum_k L(d, k) \, \zeta_i(k)
              - \sum_a \min_d \sum_k L(d, k) \, \rho(a \mid k) \, \zeta_i(k)

    the expected value of sample information (Raiffa and Schlaifer 1961, "Applied statistical
    decision theory", §4.5): the loss of the best decision d now, minus its expectation after an
    answer a, which comes with probability :math:`\sum_k \rho(a|k) \zeta(k)`.  For 0-1 loss,

    .. math:: g_i = \sum_a \max_k \rho(a \mid k) \, \zeta_i(k) - \max_k \zeta_i(k),

    the chance of error that the answer takes away.  Never negative; 0 where no answer could change
    the decision.

    Parameters
    ----------
    posterior : (n, K) array-like
        Class probabilities, the label included.
    reliability : float or (K, K) array-like, default=0.9
        Chance that the answer is right, wrong ones all alike; or ``ρ[k, a]``, the chance of answer
        a where class k is true, rows summing to 1.
    loss : (K, K) array-like, default=None
        ``loss[decided, true]``; 0-1 loss by default.

    Returns
    -------
    (n,) array

    Examples
    --------
    >>> from labelief.audit import expected_gain
    >>> expected_gain([[0.5, 0.5], [0.8, 0.2], [0.95, 0.05]]).round(3)
    array([0.4, 0.1, 0. ])
    """
    beliefs = np.asarray(posterior, dtype=np.float64)
    if beliefs.ndim != 2:
        raise ValueError(f"posterior must have two dimensions, but has {beliefs.ndim}")
    n_classes = beliefs.shape[1]
    answers = _read_reliability(reliability, n_classes)
    costs = 1.0 - np.eye(n_classes) if loss is None else read_loss(loss, n_classes, None)
    now = np.min(beliefs @ costs.T, axis=1)
    after = np.zeros(len(beliefs))
    for chance in answers.T:
        after += np.min((beliefs * chance) @ costs.T, axis=1)
    # The minimum of a sum is no less than the sum of minima: what is below 0 is rounding.
    return np.asarray(np.maximum(now - after, 0.0))


def _read_reliability(reliability: Any, n_classes: int) -> FloatArray:
    """Return ``ρ[k, a]``, (K, K)."""
    answers = np.asarray(reliability, dtype=np.float64)
    if answers.ndim == 0:
        rate = float(answers)
        if not 0.0 <= rate <= 1.0:
            raise ValueError(f"reliability is {rate}, but must be between 0 and 1")
        others = (1.0 - rate) / max(n_classes - 1, 1)
        return np.where(np.eye(n_classes, dtype=bool), rate, others)
    if answers.shape != (n_classes, n_classes):
        raise ValueError(
            f"reliability must be a number or {n_classes} x {n_classes}, true class by answer; got "
            f"shape {answers.shape}"
        )
    off = ~(np.abs(answers.sum(axis=1) - 1.0) < 1e-6) | ~(answers >= 0).all(axis=1)
    if off.any():
        raise ValueError(
            f"row {int(np.argmax(off))} of reliability is no probability distribution over answers"
        )
    return answers
