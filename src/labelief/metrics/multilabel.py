"""Scores of label sets where labels may be undecided, in the truth and in the prediction.

An undecided label may turn out either way.  Every score therefore has a lower value, for the turns
that suit the prediction least, and an upper one, for those that suit it best; both are reached.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import make_scorer

from labelief._typing import FloatArray
from labelief.labels.label_matrix import LabelMatrix, read_label_matrix
from labelief.metrics.targets import row_weights, weighted_mean

__all__ = [
    "ScoreInterval",
    "accuracy_of_decided",
    "hamming_score",
    "hamming_scorer",
    "multilabel_accuracy",
    "multilabel_accuracy_scorer",
]


@dataclass(frozen=True)
class ScoreInterval:
    """What a score comes to, whatever the undecided labels turn out to be.

    Attributes
    ----------
    lower, upper : float
        Least and greatest value; equal where all labels are decided.
    """

    lower: float
    upper: float

    @property
    def middle(self) -> float:
        """Mean of the lower and the upper value."""
        return 0.5 * (self.lower + self.upper)


def multilabel_accuracy(y: Any, y_pred: Any, sample_weight: Any = None) -> ScoreInterval:
    r"""Mean Jaccard similarity of true and predicted label sets (younes2010 eq. 19).

    .. math::
        \frac1n \sum_i \frac{|Y_i \cap \hat Y_i|}{|Y_i \cup \hat Y_i|}

    and 1 where both sets are empty. With undecided labels, per row,

    - lower: labels in both for sure / labels not out of both for sure;
    - upper: labels that may be in both / these and the labels on which both surely differ.

    Parameters
    ----------
    y : (n, Q) array-like or data frame; LabelSets
        The truth: 1, 0, and NaN where it is undecided. A statement with confidence c counts c, and
        1 - c counts as a row of which nothing is known (the mean over focal sets, quost2017 eq.
        25).
    y_pred : (n, Q) array-like or data frame
        The prediction: 1, 0, and NaN where it leaves the label open, which counts as either.
        Columns of two frames are matched by name.
    sample_weight : (n,) array-like, default=None
        Weights of the rows.

    Returns
    -------
    ScoreInterval
        ``lower``, ``upper`` and their ``middle``, greater is better.

    Examples
    --------
    >>> import numpy as np
    >>> from labelief.metrics import multilabel_accuracy
    >>> multilabel_accuracy([[1, 0, 1], [1, np.nan, 0]], [[1, 1, 0], [1, 1, 0]])
    ScoreInterval(lower=0.4166..., upper=0.6666...)
    """
    truth, predicted = _read_pair(y, y_pred)
    return _interval(*_jaccard(truth, predicted), sample_weight)


def hamming_score(y: Any, y_pred: Any, sample_weight: Any = None) -> ScoreInterval:
    r"""Share of labels predicted right: 1 - Hamming loss (younes2010 eq. 20).

    .. math::
        1 - \frac1{nQ} \sum_i |Y_i \,\Delta\, \hat Y_i|

    Undecided labels, in the truth or in the prediction, are wrong in the lower value and right in
    the upper one.

    Parameters
    ----------
    y, y_pred, sample_weight
        As in :func:`multilabel_accuracy`.

    Returns
    -------
    ScoreInterval
        ``lower``, ``upper`` and their ``middle``, greater is better.

    Examples
    --------
    >>> import numpy as np
    >>> from labelief.metrics import hamming_score
    >>> score = hamming_score([[1, 0, np.nan, 0]], [[1, 1, 1, np.nan]])
    >>> score.lower, score.upper, score.middle
    (0.25, 0.75, 0.5)
    """
    truth, predicted = _read_pair(y, y_pred)
    right = (truth.inside & predicted.inside) | (truth.outside & predicted.outside)
    wrong = (truth.inside & predicted.outside) | (truth.outside & predicted.inside)
    bounds = _with_confidence(truth, right.mean(axis=1), 1.0 - wrong.mean(axis=1))
    return _interval(*bounds, sample_weight)


def accuracy_of_decided(
    truth: LabelMatrix, y_pred: NDArray[np.int64], sample_weight: Any = None
) -> float:
    """Return the middle of :func:`multilabel_accuracy` over the rows with a decided label.

    Parameters
    ----------
    truth : LabelMatrix
        The truth.
    y_pred : (n, Q) array
        The prediction, in the order of the truth's labels.
    sample_weight : (n,) array-like, default=None
        Weights of the rows.

    Returns
    -------
    float
        Between 0 and 1.
    """
    predicted = read_label_matrix(y_pred, "the prediction")
    _check_shapes(truth, predicted)
    lower, upper = _jaccard(truth, predicted)
    weights = row_weights(sample_weight, len(lower)) * truth.decided.any(axis=1)
    if not weights.any():
        raise ValueError("No row of y decides any label: there is no score.")
    return weighted_mean(0.5 * (lower + upper), weights)


def _jaccard(truth: LabelMatrix, predicted: LabelMatrix) -> tuple[FloatArray, FloatArray]:
    """Lower and upper similarity of each row, both (n,)."""
    both = (truth.inside & predicted.inside).sum(axis=1)
    either = (~(truth.outside & predicted.outside)).sum(axis=1)
    maybe_both = (~truth.outside & ~predicted.outside).sum(axis=1)
    differ = (truth.inside & predicted.outside) | (truth.outside & predicted.inside)
    upper = _ratio(maybe_both, maybe_both + differ.sum(axis=1))
    return _with_confidence(truth, _ratio(both, either), upper)


def _with_confidence(
    truth: LabelMatrix, lower: FloatArray, upper: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Average what is said, and what remains open if it is not to be relied on: 0 and 1."""
    if truth.confidence is None:
        return lower, upper
    return truth.confidence * lower, 1.0 - truth.confidence * (1.0 - upper)


def _ratio(part: NDArray[Any], whole: NDArray[Any]) -> FloatArray:
    ratio = np.ones(part.shape)
    np.divide(part, whole, out=ratio, where=whole > 0)
    return ratio


def _read_pair(y: Any, y_pred: Any) -> tuple[LabelMatrix, LabelMatrix]:
    truth, predicted = read_label_matrix(y), read_label_matrix(y_pred, "y_pred")
    if truth.named and predicted.named:
        predicted = predicted.ordered(truth.labels, "y_pred")
    _check_shapes(truth, predicted)
    return truth, predicted


def _check_shapes(truth: LabelMatrix, predicted: LabelMatrix) -> None:
    if truth.inside.shape != predicted.inside.shape:
        raise ValueError(
            f"y has shape {truth.inside.shape}, but y_pred {predicted.inside.shape}: both need one "
            "row per object and one column per label"
        )
    if len(truth.inside) == 0:
        raise ValueError("y has no rows: there is nothing to average over")


def _interval(lower: FloatArray, upper: FloatArray, sample_weight: Any) -> ScoreInterval:
    return ScoreInterval(weighted_mean(lower, sample_weight), weighted_mean(upper, sample_weight))


def _middle_accuracy(y: Any, y_pred: Any, sample_weight: Any = None) -> float:
    return multilabel_accuracy(y, y_pred, sample_weight).middle


def _middle_hamming(y: Any, y_pred: Any, sample_weight: Any = None) -> float:
    return hamming_score(y, y_pred, sample_weight).middle


#: Scorers for scikit-learn: the middle of the interval, greater is better.
multilabel_accuracy_scorer = make_scorer(_middle_accuracy)
hamming_scorer = make_scorer(_middle_hamming)
