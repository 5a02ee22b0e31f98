"""How often annotators are right, where the truth is known by a consensus only."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy import stats

from labelief._typing import BoolArray, FloatArray, IntArray

__all__ = ["Accuracies", "accuracies"]

# Halvings of an interval of length 1 until doubles cannot tell its ends apart.
_HALVINGS = 60
# Accuracies are looked for this far from 0 and 1, where the score is not defined.
_MARGIN = 1e-9


class Accuracies(NamedTuple):
    """Accuracy of each annotator and the ends of its interval, (A,) each."""

    accuracy: FloatArray
    low: FloatArray
    high: FloatArray


def accuracies(
    judged: FloatArray, said: IntArray, who: IntArray, n_people: int, confidence: float
) -> Accuracies:
    r"""Estimate accuracies by maximum likelihood, with score intervals.

    Vote t of an annotator who is right with probability α, and otherwise names any other class, is
    answer v with probability

    .. math:: f_t(v; \alpha) = \alpha \zeta_t(v) + (1 - \alpha) (1 - \zeta_t(v)) / (K - 1)

    where ζ_t is the consensus of the others.  The estimate maximises the sum of logarithms, which
    is concave; the interval holds all α whose score statistic U² / I is at most z², U the slope of
    that sum and I its expected information.  Where the consensus is sure of every item these are
    the share of right votes and Wilson's interval (1927); a doubtful consensus widens the interval.
    The mean of ζ at the answers, which looks simpler, takes every doubt for an error.

    Parameters
    ----------
    judged : (V, K) array
        Consensus of the others on the item of each vote, ζ.
    said : (V,) integer array
        Class of each vote.
    who : (V,) integer array
        Its author, 0..A-1.
    n_people : int
        A.
    confidence : float
        Level of the intervals.

    Returns
    -------
    Accuracies
        Without a vote on an item of which the others say something: NaN, from 0 to 1.

    Examples
    --------
    >>> import numpy as np
    >>> sure = np.eye(2)[[0, 0, 1, 1]]
    >>> found = accuracies(sure, np.array([0, 0, 1, 0]), np.zeros(4, int), 1, 0.95)
    >>> np.concatenate(found).round(3)
    array([0.75 , 0.301, 0.954])
    """
    n_classes = judged.shape[1]
    slopes = (n_classes * judged - 1.0) / (n_classes - 1)
    wrong = (1.0 - judged) / (n_classes - 1)
    votes = np.arange(len(said))

    def sums(parts: FloatArray) -> FloatArray:
        return np.bincount(who, weights=parts, minlength=n_people).astype(np.float64)

    def score(alpha: FloatArray) -> FloatArray:
        chances = wrong[votes, said] + alpha[who] * slopes[votes, said]
        parts = slopes[votes, said] / np.maximum(chances, 1e-300)
        return sums(parts)

    def information(alpha: FloatArray) -> FloatArray:
        chances = np.maximum(wrong + alpha[who][:, None] * slopes, 1e-300)
        parts = np.sum(slopes**2 / chances, axis=1)
        return sums(parts)

    z = float(stats.norm.isf((1.0 - confidence) / 2.0))
    least, most = np.full(n_people, _MARGIN), np.full(n_people, 1.0 - _MARGIN)
    told = information(np.full(n_people, 0.5)) > 1e-12
    best = _crossing(lambda alpha: score(alpha) > 0.0, least, most)
    low = _crossing(lambda alpha: score(alpha) > z * np.sqrt(information(alpha)), least, best)
    high = _crossing(lambda alpha: score(alpha) > -z * np.sqrt(information(alpha)), best, most)
    return Accuracies(
        np.where(told, _rounded(best), np.nan),
        np.where(told, _rounded(low), 0.0),
        np.where(told, _rounded(high), 1.0),
    )


def _crossing(
    below: Callable[[FloatArray], BoolArray], low: FloatArray, high: FloatArray
) -> FloatArray:
    """Return where a condition that holds on the left ends, element by element."""
    low, high = low.copy(), high.copy()
    for _ in range(_HALVINGS):
        middle = (low + high) / 2.0
        holds = below(middle)
        low, high = np.where(holds, middle, low), np.where(holds, high, middle)
    return (low + high) / 2.0


def _rounded(alpha: FloatArray) -> FloatArray:
    """Return 0 and 1 where the search ran into its ends."""
    alpha = np.where(alpha < 2.0 * _MARGIN, 0.0, alpha)
    return np.where(alpha > 1.0 - 2.0 * _MARGIN, 1.0, alpha)
