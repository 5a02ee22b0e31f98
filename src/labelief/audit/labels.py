"""``audit_labels``: which labels are doubtful, what they should be, and whom to ask about."""

from __future__ import annotations

from typing import Any

from labelief.audit.label_audit import audit_target
from labelief.audit.out_of_fold import held_out_probabilities
from labelief.audit.reading import checked
from labelief.labels.targets import read_target

__all__ = ["audit_labels"]


def audit_labels(
    estimator: Any,
    X: Any,
    y: Any,
    cv: Any = 5,
    groups: Any = None,
    budget: float | None = None,
    *,
    cost: Any = None,
    reliability: float = 0.9,
    channel: Any = None,
    classes: Any = None,
    sample_weight: Any = None,
    n_jobs: int | None = None,
    backend: str = "pandas",
) -> Any:
    """List labels that a classifier contradicts, worst first.

    Each row's class is predicted by a model that was fitted without its fold.  How labels go wrong
    is then learned from all rows together, and every label is weighed against the prediction:
    :func:`weigh_labels` has the formulas, and takes probabilities of any other tool.

    Parameters
    ----------
    estimator : classifier with ``predict_proba``
        Of this library or of scikit-learn; cloned for each fold.  One that learns a channel
        (``FlipNoise()``) is misled less by the wrong labels that it is to find.
    X : (n, d) array-like
        Features.
    y : labels of any kind that the estimator takes
        1-D labels, also with None for unknown, `SoftLabels`, plausibilities (n, K), `Votes`.
    cv : int, splitter or iterable of (train, test), default=5
        An integer means that many folds of :class:`labelief.model_selection.SoftStratifiedKFold`.
        Each row must be tested once.
    groups : (n,) array-like, default=None
        Rows of one group (duplicates, one patient) stay in one fold: a copy would confirm itself.
    budget : float, default=None
        What may be spent on asking a person again: the number of cases, where all cost 1.
    cost : (n,) array-like, default=None
        What it costs to ask about each row, 1 by default.
    reliability : float, default=0.9
        How often the person asked is right.
    channel : channel, default=None
        What is believed of the labels, in place of the flips and slips that are learned.
    classes : (K,) array-like, default=None
        All classes, where labels do not name every one (in order, for a bare array ``y``).
    sample_weight : (n,) array-like, default=None
        Weights of the rows, in the fits and in what is learned of the labels.
    n_jobs : int, default=None
        Number of processes, one by default.
    backend : str, default="pandas"
        Library of the frame: "pandas", "polars", "pyarrow"...

    Returns
    -------
    data frame
        One row per object, worst first, in pandas with the row number as index, elsewhere in a
        column ``row``.

        ``label``
            As observed: the class, masses of sets of classes, or counts of votes.
        ``believed``
            The most probable class given the features alone.
        ``probability``, ``posterior``
            Its probability given the features alone, and given features and label.
        ``conflict``
            Dempster's conflict between the label's mass function and the probabilities p given
            the features, ``κ = Σ_{A ∌ k} m(A) p(k) = 1 - Σ_k pl(k) p(k)`` (quost2017 eq. 3).
        ``doubt``
            How likely the label is wrong; the rank.  It sums to the expected number of errors.
        ``suggested``
            The most probable class given features and label.
        ``gain``
            By how much one more answer would lower the chance of error: :func:`expected_gain`.
        ``ask``
            1 for the case to ask a person about first, and so on as far as the budget goes; else 0.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from labelief import FlipNoise, LinearDiscriminantAnalysis
    >>> from labelief.audit import audit_labels
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> y = load_iris().target_names[y]
    >>> y[[3, 60, 120]] = "virginica", "setosa", "setosa"  # three slips of the pen
    >>> model = LinearDiscriminantAnalysis(channel=FlipNoise())
    >>> audit = audit_labels(model, X, y, budget=2)
    >>> audit[["label", "believed", "probability", "suggested"]].head(3).sort_index().round(2)
             label    believed  probability   suggested
    row
    3    virginica      setosa          1.0      setosa
    60      setosa  versicolor          1.0  versicolor
    120     setosa   virginica          1.0   virginica
    """
    target = read_target(y, classes=classes)
    proba = held_out_probabilities(estimator, X, y, target, cv, groups, sample_weight, n_jobs)
    audit = audit_target(checked(proba), target, y, channel, sample_weight)
    return audit.to_frame(budget, cost=cost, reliability=reliability, backend=backend)
