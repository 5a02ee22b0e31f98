"""Two labels a row: one taken at its word, one read through a flipping matrix that is learned."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from examples.worth.data import Floats, same_rows
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.model_selection import GroupKFold

from labelief import SoftLabels
from labelief.model_selection import cross_val_predict

# Labels are right 8 times in 10 to begin with; pseudo-counts hold the matrix, as in FlipNoise.
START, RIGHT, WRONG = 0.8, 1.0, 0.1
ROUNDS = 5


class SecondLabel(ClassifierMixin, BaseEstimator):
    """Learn from ``y`` and from a single label that the last column of X holds, as a class code.

    With γ(h | k) the chance that the second label is h where class k is true, the two labels have
    the plausibility ``pl(k) γ(h | k)``, which the classifier is fitted to.  γ is counted against
    what is believed about the training rows, in one of two ways.  Travelling in X, the second label
    goes where its row goes, into folds for one; predictions do not look at it.

    Parameters
    ----------
    estimator : classifier that takes SoftLabels
    held_out : bool, default=True
        True: beliefs come from ``y`` and from a classifier that saw neither the row nor any second
        label.  What is in doubt there is counted as doubt about the second label, which makes γ
        cautious; but where rows are few and features many, labels cannot confirm themselves.
        False: classifier and γ are fitted in turn, which climbs the likelihood
        ``Σ_i log Σ_k Pr(k | x_i) pl_i(k) γ(h_i | k)``.
    """

    def __init__(self, estimator: Any, held_out: bool = True) -> None:
        self.estimator = estimator
        self.held_out = held_out

    def fit(self, X: Floats, y: SoftLabels) -> Self:
        """Fit matrix and classifier; ``y`` has its classes sorted, as the codes count them."""
        features, second = X[:, :-1], X[:, -1].astype(int)
        self.classes_ = y.classes
        right = np.eye(len(y.classes))
        known = y
        if not self.held_out:
            start = START * right + (1 - START) / (len(right) - 1) * (1 - right)
            known = _both(y, second, start)
        for _ in range(1 if self.held_out else ROUNDS):
            foretold = self._foretold(features, known)
            counts = _shares(foretold * known.plausibilities).T @ right[second]
            self.matrix_ = _shares(counts + RIGHT * right + WRONG * (1 - right))
            known = _both(y, second, self.matrix_)
        self.estimator_ = clone(self.estimator).fit(features, known)
        return self

    def _foretold(self, features: Floats, y: SoftLabels) -> Any:
        """Return class probabilities of the training rows."""
        if not self.held_out:
            return clone(self.estimator).fit(features, y).predict_proba(features)
        groups, cv = same_rows(features), GroupKFold(5, shuffle=True, random_state=0)
        return cross_val_predict(
            self.estimator, features, y, cv=cv, groups=groups, method="predict_proba"
        )

    def predict(self, X: Floats) -> Any:
        """Return the most probable class given the features."""
        return self.estimator_.predict(X[:, :-1])

    def predict_proba(self, X: Floats) -> Any:
        """Return class probabilities given the features."""
        return self.estimator_.predict_proba(X[:, :-1])


def _both(y: SoftLabels, second: Any, matrix: Floats) -> SoftLabels:
    """Return what the two labels tell together."""
    return y.combine(SoftLabels.from_plausibilities(matrix[:, second].T, y.classes))


def _shares(counts: Floats) -> Floats:
    return np.asarray(counts / counts.sum(axis=1, keepdims=True))
