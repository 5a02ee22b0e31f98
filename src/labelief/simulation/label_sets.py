"""Imprecise and noisy label sets (younes2010 §4.2)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from labelief._typing import FloatArray
from labelief.simulation.draws import check_share, rng_of

__all__ = ["CorruptedLabelSets", "corrupt_label_sets"]


class CorruptedLabelSets(NamedTuple):
    """Label sets that a simulated expert gave, all (n, Q).

    Attributes
    ----------
    noisy : array of 1 and 0
        What the expert said if forced to.
    confidence : array
        c, from 0 (the expert is undecided) to 1.
    imprecise : array of 1, 0 and NaN
        What the expert said where c is at least the threshold, NaN (undecided) elsewhere.
    """

    noisy: FloatArray
    confidence: FloatArray
    imprecise: FloatArray


def corrupt_label_sets(
    Y: Any, threshold: float = 0.6, *, random_state: Any = None
) -> CorruptedLabelSets:
    """Make label sets noisy, and leave those of small confidence undecided (younes2010 eq. 16-17).

    ``p ~ Beta(0.5, 0.5) / 2`` for each object and label; membership is flipped with probability p,
    and its confidence is ``c = 1 - 2 p``.  A quarter of all entries are flipped.

    Parameters
    ----------
    Y : (n, Q) array of 1 and 0
        True label sets.
    threshold : float, default=0.6
        Least confidence of an entry that is given.
    random_state : int, RandomState, Generator or None

    Returns
    -------
    CorruptedLabelSets

    Examples
    --------
    >>> import numpy as np
    >>> from labelief.simulation import corrupt_label_sets
    >>> made = corrupt_label_sets(np.ones((1000, 5)), random_state=0)
    >>> bool(abs(made.noisy.mean() - 0.75) < 0.03)
    True
    >>> bool(np.nanmean(made.imprecise) > 0.9)
    True
    """
    check_share("threshold", threshold)
    truth = np.asarray(Y, dtype=np.float64)
    if truth.ndim != 2 or not np.all((truth == 0) | (truth == 1)):
        raise ValueError("Y must be an (n, Q) matrix of 1 and 0.")
    rng = rng_of(random_state)
    p = rng.beta(0.5, 0.5, truth.shape) / 2.0
    noisy = np.where(rng.random(truth.shape) < p, 1.0 - truth, truth)
    confidence = 1.0 - 2.0 * p
    return CorruptedLabelSets(noisy, confidence, np.where(confidence >= threshold, noisy, np.nan))
