"""Lower, upper and expected error of predictions where the truth is uncertain.

For an object with mass function m and predicted class ŷ, and a loss λ,

    lower = Σ_A m(A) min_{k∈A} λ(ŷ, k) ≤ upper = Σ_A m(A) max_{k∈A} λ(ŷ, k)

(quost2017 eq. 25): the least and the greatest expected loss over all probabilities that m allows.
Crisp labels make both the ordinary loss; an unknown label (all mass on the frame) tells nothing and
gives 0 and 1 for the 0-1 loss.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import make_scorer

from labelief._typing import FloatArray, IntArray
from labelief.kernels import bits
from labelief.labels import SoftLabels
from labelief.metrics.losses import read_loss
from labelief.metrics.targets import read_pair, weighted_mean

_CELLS = 1 << 20  # (row, class) cells of a temporary


@dataclass(frozen=True, eq=False)
class LossIntervals:
    """Lower and upper expected loss of each object, both of shape (n,)."""

    lower: FloatArray
    upper: FloatArray


def loss_intervals(
    labels: SoftLabels, predicted: IntArray, loss: FloatArray | None = None
) -> LossIntervals:
    r"""Bound the expected loss of each prediction (quost2017 eq. 25, 27 and 28).

    .. math::
        \lambda_* = \sum_A m(A) \min_{k \in A} \lambda(\hat y, k), \qquad
        \lambda^* = \sum_A m(A) \max_{k \in A} \lambda(\hat y, k)

    and for the 0-1 loss ``1 - pl(ŷ)`` and ``1 - m({ŷ})``.

    Parameters
    ----------
    labels : SoftLabels
        n mass functions without mass on the empty set.
    predicted : (n,) integer array
        Predicted class codes.
    loss : (K, K) array, optional
        ``loss[predicted, true]``; the 0-1 loss by default.

    Returns
    -------
    LossIntervals
        One interval per object.

    Examples
    --------
    >>> import numpy as np
    >>> from labelief import SoftLabels
    >>> y = SoftLabels.from_plausibilities([[1.0, 0.25]])
    >>> loss_intervals(y, np.array([1])).lower
    array([0.75])
    """
    n = len(labels)
    lower, upper = np.empty(n), np.empty(n)
    step = max(1, _CELLS // labels.shape[1])
    for start in range(0, n, step):
        part = slice(start, min(start + step, n))
        block = labels if step >= n else labels[part]
        bounds = _zero_one if loss is None else _general
        lower[part], upper[part] = bounds(block, predicted[part], loss)
    return LossIntervals(lower, upper)


def _zero_one(
    labels: SoftLabels, predicted: IntArray, loss: FloatArray | None
) -> tuple[FloatArray, FloatArray]:
    """Eq. 27c and 28; ``loss`` is not looked at."""
    rows = np.arange(len(labels))
    lower = 1.0 - labels.plausibilities[rows, predicted]
    upper = 1.0 - labels.beliefs[rows, predicted]
    return lower, upper


def _general(
    labels: SoftLabels, predicted: IntArray, loss: FloatArray | None
) -> tuple[FloatArray, FloatArray]:
    """Eq. 25 over the focal sets, a bounded number of them at a time."""
    assert loss is not None
    focal = labels.focal
    n = len(labels)
    lower, upper = np.zeros(n), np.zeros(n)
    rows = focal.rows
    step = max(1, _CELLS // focal.n_classes)
    for start in range(0, rows.size, step):
        part = slice(start, start + step)
        member = bits.unpack(focal.words[part], focal.n_classes)
        costs = loss[predicted[rows[part]]]
        mass = focal.mass[part]
        least = np.where(member, costs, np.inf).min(axis=1)
        most = np.where(member, costs, -np.inf).max(axis=1)
        lower += np.bincount(rows[part], weights=mass * least, minlength=n)
        upper += np.bincount(rows[part], weights=mass * most, minlength=n)
    return lower, upper


def _intervals(y: Any, y_pred: Any, loss: Any, classes: Any) -> LossIntervals:
    pair = read_pair(y, y_pred, classes)
    if loss is None:
        return loss_intervals(pair.labels, pair.predicted)
    classes = pair.labels.classes
    return loss_intervals(pair.labels, pair.predicted, read_loss(loss, len(classes), classes))


def lower_error(
    y: Any, y_pred: Any, loss: Any = None, sample_weight: Any = None, *, classes: Any = None
) -> float:
    r"""Mean lower expected loss: the error that the labels prove.

    .. math::
        \underline\lambda = \frac1n \sum_i \sum_A m_i(A) \min_{k \in A} \lambda(\hat y_i, k)

    which is ``1 - mean pl_i(ŷ_i)`` for the 0-1 loss (quost2017 eq. 25a, 27c, 30a), and the error
    rate if labels are crisp. An unknown row counts 0.

    Parameters
    ----------
    y : SoftLabels, array-like of shape (n,) or (n, K)
        What is known of the true classes. 1-D labels may hold None or NaN (unknown); an (n, K)
        array is taken if every row's maximum is 1 (a possibility distribution).
    y_pred : array-like of shape (n,)
        Predicted classes.
    loss : array-like of shape (K, K), optional
        ``loss[predicted, true]``, finite; 0-1 loss by default. Rows and columns stand in the order
        of ``classes``; a pandas frame is matched by name.
    sample_weight : array-like of shape (n,), optional
        Weights of the rows, not negative.
    classes : array-like of shape (K,), optional
        The frame. By default that of `SoftLabels`, 0..K-1 for an (n, K) array, and for 1-D ``y``
        the sorted classes that occur in ``y`` or ``y_pred``.

    Returns
    -------
    float
        At most :func:`upper_error`; between 0 and 1 for the 0-1 loss.

    Raises
    ------
    ValueError
        Where rows do not match, a prediction is no class of the frame, or a row of ``y`` has mass
        on the empty set (an unnormalised combination).

    See Also
    --------
    upper_error : The error that the labels allow.
    expected_error : A weighted mean of both.

    Examples
    --------
    >>> from labelief import SoftLabels
    >>> from labelief.metrics import lower_error, upper_error
    >>> y = SoftLabels.from_candidates([["cat"], ["cat", "dog"], ["dog", "fox"]])
    >>> lower_error(y, ["cat", "cat", "cat"]), upper_error(y, ["cat", "cat", "cat"])
    (0.333..., 0.666...)
    """
    bounds = _intervals(y, y_pred, loss, classes)
    return weighted_mean(bounds.lower, sample_weight)


def upper_error(
    y: Any, y_pred: Any, loss: Any = None, sample_weight: Any = None, *, classes: Any = None
) -> float:
    r"""Mean upper expected loss: the error that the labels allow.

    .. math::
        \overline\lambda = \frac1n \sum_i \sum_A m_i(A) \max_{k \in A} \lambda(\hat y_i, k)

    which is ``1 - mean m_i({ŷ_i})`` for the 0-1 loss (quost2017 eq. 25b, 28, 30b), and the error
    rate if labels are crisp. An unknown row counts 1.

    Parameters
    ----------
    y, y_pred, loss, sample_weight, classes
        As in :func:`lower_error`.

    Returns
    -------
    float
        At least :func:`lower_error`; between 0 and 1 for the 0-1 loss.

    Examples
    --------
    >>> from labelief.metrics import upper_error
    >>> upper_error(["a", "b", None, "b"], ["a", "b", "b", "a"])
    0.5
    """
    bounds = _intervals(y, y_pred, loss, classes)
    return weighted_mean(bounds.upper, sample_weight)


def expected_error(
    y: Any,
    y_pred: Any,
    loss: Any = None,
    sample_weight: Any = None,
    *,
    pessimism: float = 0.5,
    classes: Any = None,
) -> float:
    r"""Weigh the upper against the lower error by a pessimism index.

    .. math:: \rho \, \overline\lambda + (1 - \rho) \, \underline\lambda

    (quost2017 eq. 26, which proposes 0.5 for want of a better argument).

    Parameters
    ----------
    y, y_pred, loss, sample_weight, classes
        As in :func:`lower_error`.
    pessimism : float
        ρ in [0, 1]: 0 is the lower error, 1 the upper.

    Returns
    -------
    float
        Between :func:`lower_error` and :func:`upper_error`.

    Examples
    --------
    >>> from labelief.metrics import expected_error
    >>> expected_error([0, 1, None], [0, 1, 1], pessimism=0.75)
    0.25
    """
    check_pessimism(pessimism)
    bounds = _intervals(y, y_pred, loss, classes)
    return weighted_mean(pessimism * bounds.upper + (1 - pessimism) * bounds.lower, sample_weight)


def check_pessimism(pessimism: float) -> None:
    """Refuse a pessimism index outside [0, 1]."""
    if not 0 <= pessimism <= 1:
        raise ValueError(f"pessimism is {pessimism}, but must lie between 0 and 1")


#: Scorers for scikit-learn (greater is better, so they are negated errors).
lower_error_scorer = make_scorer(lower_error, greater_is_better=False)
upper_error_scorer = make_scorer(upper_error, greater_is_better=False)
expected_error_scorer = make_scorer(expected_error, greater_is_better=False)
