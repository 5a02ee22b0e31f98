"""Scores of predictions that may name several classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from labelief._typing import FloatArray
from labelief.labels.soft_labels import SoftLabels
from labelief.labels.tables import frame_matrix, is_frame
from labelief.metrics.columns import read_columns
from labelief.metrics.multilabel import ScoreInterval
from labelief.metrics.targets import weighted_mean

__all__ = ["mean_set_size", "set_coverage", "u65_score", "u80_score"]


def u65_score(y: Any, y_set: Any, sample_weight: Any = None, *, classes: Any = None) -> float:
    r"""Mean utility of set predictions, 0.65 for naming two classes of which one is right.

    .. math::
        u(x) = 1.6\, x - 0.6\, x^2, \qquad x_i = [z_i \in Z_i] / |Z_i|

    with x the discounted accuracy of the predicted set Z (Zaffalon, Corani & Mauá 2012). Where the
    truth is uncertain, the expected utility under the pignistic probabilities is taken:
    :math:`\sum_{k \in Z_i} \mathrm{BetP}_i(k) \, u(1/|Z_i|)`. An empty set earns nothing. For
    crisp labels and single classes this is the accuracy.

    Parameters
    ----------
    y : SoftLabels, array-like of shape (n,) or (n, K)
        What is known of the true classes.
    y_set : boolean array-like or frame of shape (n, K)
        Which classes each prediction names. Columns stand in the order of ``classes``; a frame is
        matched by name.
    sample_weight : array-like of shape (n,), optional
        Weights of the rows.
    classes : array-like of shape (K,), optional
        Class of each column, such as ``estimator.classes_``; by default sorted classes, where that
        leaves no doubt.

    Returns
    -------
    float
        Between 0 and 1, greater is better.

    Examples
    --------
    >>> from labelief.metrics import u65_score, u80_score
    >>> y_set = [[True, False], [True, True]]
    >>> u65_score([0, 1], y_set), u80_score([0, 1], y_set)
    (0.825, 0.900...)
    """
    return _mean_utility(y, y_set, sample_weight, classes, 1.6, 0.6)


def u80_score(y: Any, y_set: Any, sample_weight: Any = None, *, classes: Any = None) -> float:
    r"""Mean utility of set predictions, 0.80 for naming two classes of which one is right.

    .. math:: u(x) = 2.2\, x - 1.2\, x^2

    for those who dislike risk more than :func:`u65_score` does; all else is as there.

    Parameters
    ----------
    y, y_set, sample_weight, classes
        As in :func:`u65_score`.

    Returns
    -------
    float
        Between 0 and 1, greater is better.

    Examples
    --------
    >>> from labelief.metrics import u80_score
    >>> u80_score(["a", "b"], [[True, True], [True, False]])
    0.4
    """
    return _mean_utility(y, y_set, sample_weight, classes, 2.2, 1.2)


def set_coverage(
    y: Any, y_set: Any, sample_weight: Any = None, *, classes: Any = None
) -> ScoreInterval:
    r"""Share of set predictions that hold the true class.

    .. math::
        \frac1n \sum_i \mathrm{Bel}_i(Z_i) \quad\text{to}\quad \frac1n \sum_i \mathrm{Pl}_i(Z_i),

    the bounds that labels with an uncertain truth allow; equal for crisp labels. A row whose label
    says nothing is covered for sure only by a set of all classes, and perhaps by any other.

    Parameters
    ----------
    y, y_set, sample_weight, classes
        As in :func:`u65_score`.

    Returns
    -------
    ScoreInterval
        ``lower``, ``upper`` and their ``middle``.

    Examples
    --------
    >>> from labelief import SoftLabels
    >>> from labelief.metrics import set_coverage
    >>> y = SoftLabels.from_confidences(["a", "b"], [1.0, 0.6])
    >>> set_coverage(y, [[True, False], [False, True]])
    ScoreInterval(lower=0.8, upper=1.0)
    """
    labels, sets = _read_sets(y, y_set, classes)
    focal = labels.focal
    members, named = focal.members, sets[focal.rows] > 0
    inside = ~np.any(members & ~named, axis=1)
    meets = np.any(members & named, axis=1)
    bounds = (focal.row_sums(np.where(held, focal.mass, 0.0)) for held in (inside, meets))
    return ScoreInterval(*(min(weighted_mean(bound, sample_weight), 1.0) for bound in bounds))


def mean_set_size(y_set: Any, sample_weight: Any = None) -> float:
    r"""Mean number of classes that set predictions name: :math:`\frac1n \sum_i |Z_i|`.

    Parameters
    ----------
    y_set : boolean array-like or frame of shape (n, K)
        Which classes each prediction names.
    sample_weight : array-like of shape (n,), optional
        Weights of the rows.

    Returns
    -------
    float
        Between 0 and K; of two predictions that cover as often, the smaller says more.

    Examples
    --------
    >>> from labelief.metrics import mean_set_size
    >>> mean_set_size([[True, False, False], [True, True, False]])
    1.5
    """
    sets = np.asarray(frame_matrix(y_set, "y_set")[1] if is_frame(y_set) else y_set)
    sets = _checked(np.asarray(sets, dtype=np.float64))
    return weighted_mean(np.asarray(sets.sum(axis=1), dtype=np.float64), sample_weight)


def _mean_utility(
    y: Any, y_set: Any, sample_weight: Any, classes: Any, linear: float, square: float
) -> float:
    labels, sets = _read_sets(y, y_set, classes)
    # 1/|Z|, and 0 for the empty set, which hits nothing anyway
    discount: FloatArray = 1.0 / np.maximum(sets.sum(axis=1), 1.0)
    utility = linear * discount - square * discount**2
    hit = np.einsum("ik,ik->i", labels.pignistic, sets)
    return weighted_mean(hit * utility, sample_weight)


def _read_sets(y: Any, y_set: Any, classes: Any) -> tuple[SoftLabels, FloatArray]:
    """Read labels and sets over their classes."""
    labels, sets = read_columns(y, y_set, classes, "y_set")
    return labels, _checked(sets)


def _checked(sets: FloatArray) -> FloatArray:
    """Refuse what says neither yes nor no."""
    if sets.ndim != 2:
        raise ValueError(f"y_set must have two dimensions (rows, classes), but has {sets.ndim}")
    strange = (sets != 0) & (sets != 1)
    if strange.any():
        row, column = np.argwhere(strange)[0]
        raise ValueError(
            f"y_set holds {sets[row, column]} in row {row}, column {column}: give True for the "
            "classes that the prediction names, else False"
        )
    return sets
