"""The models that the program tries: classifiers times what is learned about the labels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone

from labelief import (
    AnnotatorNoise,
    EvidentialKNN,
    FlipNoise,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    MixtureDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
    SoftLabels,
    Votes,
)
from labelief.tables import TableError

__all__ = ["Candidate", "Hardened", "PooledVotes", "candidates", "names"]


class Candidate(NamedTuple):
    """A model that is tried.

    Attributes
    ----------
    name : str
    words : str
    estimator : classifier
    """

    name: str
    words: str
    estimator: Any


_CHANNELS: dict[str, tuple[str, Callable[[], Any]]] = {
    "": ("labels taken at their word", lambda: None),
    "flips": ("how labels are flipped is learned", FlipNoise),
    "annotators": ("how each annotator errs is learned", AnnotatorNoise),
}
_MODELS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "lda": (
        "one Gaussian per class, common shape",
        lambda channel: LinearDiscriminantAnalysis(channel=channel, shrinkage="auto"),
    ),
    "qda": (
        "one Gaussian per class, each its own shape",
        lambda channel: QuadraticDiscriminantAnalysis(channel=channel, shrinkage="auto"),
    ),
    "mda": (
        "two Gaussians per class",
        lambda channel: MixtureDiscriminantAnalysis(2, channel=channel, shrinkage="auto"),
    ),
    "logistic": (
        "logistic regression",
        lambda channel: LogisticRegression(channel=channel, C=0.1),
    ),
    "knn": ("nearest neighbours as evidence", lambda channel: EvidentialKNN()),
}
_WITHOUT_CHANNEL = {"knn"}
_HARD = "lda+hard"
"""The baseline: what is lost if doubts are thrown away."""


class PooledVotes(ClassifierMixin, BaseEstimator):
    """A classifier of votes that are pooled to one soft label a row before the fit.

    Parameters
    ----------
    estimator : classifier
        Learns from ``SoftLabels``.
    rule : str, default="dawid_skene"
        As in ``SoftLabels.from_votes``.
    discount : float, default=0.0
    """

    def __init__(self, estimator: Any, rule: str = "dawid_skene", discount: float = 0.0) -> None:
        self.estimator = estimator
        self.rule = rule
        self.discount = discount

    def fit(self, X: Any, y: Votes) -> PooledVotes:
        """Pool the votes and fit."""
        labels = SoftLabels.from_votes(y, rule=self.rule, discount=self.discount)
        self.estimator_ = clone(self.estimator).fit(X, labels)
        self.classes_ = self.estimator_.classes_
        return self

    def predict(self, X: Any) -> Any:
        """Return the most probable class of each row."""
        return self.estimator_.predict(X)

    def predict_proba(self, X: Any) -> Any:
        """Return the class probabilities of each row."""
        return self.estimator_.predict_proba(X)


class Hardened(ClassifierMixin, BaseEstimator):
    """A classifier that takes each row's single most plausible class for the truth.

    Rows whose label has none are left out.

    Parameters
    ----------
    estimator : classifier
    """

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def fit(self, X: Any, y: SoftLabels | Votes) -> Hardened:
        """Throw the doubts away and fit; votes count by their majority."""
        labels = SoftLabels.from_votes(y) if isinstance(y, Votes) else y
        single = labels.most_plausible()
        rows = np.flatnonzero(np.isin(single, labels.classes))
        if not len(rows):
            raise TableError("No row has a single most plausible class: leave lda+hard out.")
        self.estimator_ = clone(self.estimator).set_params(classes=labels.classes)
        self.estimator_.fit(X[rows], single[rows])
        self.classes_ = self.estimator_.classes_
        return self

    def predict(self, X: Any) -> Any:
        """Return the most probable class of each row."""
        return self.estimator_.predict(X)

    def predict_proba(self, X: Any) -> Any:
        """Return the class probabilities of each row."""
        return self.estimator_.predict_proba(X)


def names(votes: bool) -> list[str]:
    """Return the names of all models: "lda", "lda+flips"...

    Parameters
    ----------
    votes : bool
        Whether the labels are votes of several people.
    """
    learned = "annotators" if votes else "flips"
    found = [_HARD]
    for model in _MODELS:
        found.append(model)
        if model not in _WITHOUT_CHANNEL:
            found.append(f"{model}+{learned}")
    return found


def candidates(
    wanted: list[str] | None, *, votes: bool, pooling: str, idle: bool = False
) -> list[Candidate]:
    """Return the models of some names, all of them where none is given.

    Parameters
    ----------
    wanted : list of str or None
    votes : bool
        Whether the labels are votes of several people.
    pooling : str
        Rule by which votes become labels for models without annotators.
    idle : bool, default=False
        Whether throwing doubts away changes nothing or leaves nothing, where every label that is
        known is certain or none is: the baseline that does so is then tried only where named.
    """
    known = names(votes)
    if wanted is None:
        wanted = [name for name in known if not (idle and name == _HARD)]
    if not wanted:
        raise TableError(f"--models names none; it takes {', '.join(known)}.")
    found = []
    for name in wanted:
        if name not in known:
            raise TableError(f"There is no model {name!r}; --models takes {', '.join(known)}.")
        model, _, channel = name.partition("+")
        words, make = _MODELS[model]
        if name == _HARD:
            how = "the majority vote" if votes else "each row's likeliest class"
            found.append(
                Candidate(name, f"{words}; {how} taken for the truth", Hardened(make(None)))
            )
            continue
        how, noise = _CHANNELS[channel]
        estimator = make(noise())
        if votes and not channel:
            estimator = PooledVotes(estimator, pooling)
            how = f"votes pooled by {pooling.replace('_', '-')}"
        found.append(Candidate(name, f"{words}; {how}", estimator))
    return found
