"""Agreement of annotators, before anything is learned of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from labelief._typing import FloatArray
from labelief.labels import Votes
from labelief.metrics.targets import row_weights

__all__ = ["krippendorff_alpha"]


def krippendorff_alpha(votes: Votes, metric: str = "nominal", sample_weight: Any = None) -> float:
    r"""Measure how far annotators agree beyond chance: Krippendorff's α.

    .. math::
        \alpha = 1 - \frac{D_o}{D_e}
               = 1 - (n - 1)\, \frac{\sum_{cc'} o_{cc'}\, \delta^2_{cc'}}
                                    {\sum_{cc'} n_c\, n_{c'}\, \delta^2_{cc'}}, \qquad
        o_{cc'} = \sum_u \frac{\text{pairs } (c, c') \text{ in item } u}{m_u - 1},

    over the items u with :math:`m_u \ge 2` votes; :math:`n_c` are the row sums of the coincidences
    o, and n is their total (Krippendorff 2011, "Computing Krippendorff's alpha-reliability").  1 is
    perfect agreement, 0 what chance gives, below 0 worse than chance.

    Parameters
    ----------
    votes : Votes
        Votes may be missing. Abstentions, "unsure" and sets of all classes are left out; several
        votes of one annotator on an item count as several; confidences are not used.
    metric : {"nominal", "ordinal", "interval", "ratio"}, default="nominal"
        The difference δ² of two answers. "nominal": 1 where they differ; for candidate sets the
        share :math:`1 - |A \cap B| / |A \cup B|`. "ordinal" takes the order of ``votes.classes``;
        "interval" and "ratio" want classes that are numbers; neither of the three takes sets.
    sample_weight : (n,) array-like, default=None
        Weights of the items: 2 is the item twice.

    Returns
    -------
    float
        α.

    Examples
    --------
    >>> from labelief import Votes
    >>> table = {"text": [0, 0, 1, 1, 2, 2], "who": ["ann", "bob"] * 3, "says": list("xxyyxy")}
    >>> round(krippendorff_alpha(Votes(table, "text", "who", "says")), 3)
    0.444
    """
    if not isinstance(votes, Votes):
        raise ValueError(f"krippendorff_alpha takes Votes, got {type(votes).__name__}")
    if metric not in _DIFFERENCES:
        raise ValueError(f"metric must be one of {list(_DIFFERENCES)}, got {metric!r}")
    if metric != "nominal" and len(votes.sets):
        raise ValueError(f"metric={metric!r} takes no sets of classes: use 'nominal'")
    weights = row_weights(sample_weight, len(votes))
    if sample_weight is not None:
        # The correction for few votes counts them, so that the scale matters.
        weights = weights * float(np.max(sample_weight))
    coincidences = _coincidences(votes, weights)
    totals = np.sum(coincidences, axis=1)
    n = float(np.sum(totals))
    if n == 0:
        raise ValueError("No item has two votes or more, so that nothing can be said of agreement.")
    difference = _DIFFERENCES[metric](votes, totals)
    expected = float(totals @ difference @ totals)
    if expected == 0:
        raise ValueError(
            "All votes that can be compared are the same: agreement beyond chance needs two "
            "answers at least."
        )
    return 1.0 - (n - 1.0) * float(np.sum(coincidences * difference)) / expected


def _coincidences(votes: Votes, weights: FloatArray) -> FloatArray:
    """Return o, (S, S), over the answers."""
    S, K = votes.answers.size, votes.classes.size
    telling = np.sum(votes.answer_sets, axis=1) < K
    telling[:K] = True
    cells = (votes.item_codes, votes.label_codes)
    counted = telling[votes.label_codes].astype(np.float64)
    counts = sparse.coo_array((counted, cells), shape=(len(votes), S)).tocsr()
    m = np.asarray(counts.sum(axis=1)).ravel()
    share = np.where(m > 1, weights / np.maximum(m - 1, 1), 0.0)
    pairs = (counts.T @ (counts * share[:, None])).toarray()
    return np.asarray(pairs - np.diag(counts.T @ share))


def _nominal(votes: Votes, totals: FloatArray) -> FloatArray:
    sets = votes.answer_sets.astype(float)
    both = sets @ sets.T
    size = np.sum(sets, axis=1)
    return np.asarray(1.0 - both / (size[:, None] + size - both))


def _ordinal(votes: Votes, totals: FloatArray) -> FloatArray:
    """Return ``(Σ_{g=c}^{c'} n_g - (n_c + n_c') / 2)²``."""
    K = votes.classes.size
    ranks = np.cumsum(totals[:K]) - totals[:K] / 2
    return _padded((ranks[:, None] - ranks) ** 2, votes)


def _interval(votes: Votes, totals: FloatArray) -> FloatArray:
    values = _numbers(votes)
    return _padded((values[:, None] - values) ** 2, votes)


def _ratio(votes: Votes, totals: FloatArray) -> FloatArray:
    values = _numbers(votes)
    if np.any(values < 0):
        raise ValueError("metric='ratio' wants classes that are numbers of 0 or more")
    sums = values[:, None] + values
    return _padded(((values[:, None] - values) / np.where(sums > 0, sums, 1.0)) ** 2, votes)


def _numbers(votes: Votes) -> FloatArray:
    if votes.classes.dtype.kind not in "iuf":
        raise ValueError(
            "metric='interval' and 'ratio' want classes that are numbers; use 'ordinal' for names "
            "in an order"
        )
    return votes.classes.astype(np.float64)


def _padded(difference: FloatArray, votes: Votes) -> FloatArray:
    """Widen a (K, K) matrix to all answers; the others have no coincidences."""
    out = np.zeros((votes.answers.size, votes.answers.size))
    out[: len(difference), : len(difference)] = difference
    return out


_DIFFERENCES: dict[str, Callable[[Votes, FloatArray], FloatArray]] = {
    "nominal": _nominal,
    "ordinal": _ordinal,
    "interval": _interval,
    "ratio": _ratio,
}
