"""Small classifiers that take soft labels, for tests of what uses classifiers."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from labelief.labels import read_target


class CentroidClassifier(ClassifierMixin, BaseEstimator):
    """Class means weighted by plausibilities; soft-max of minus the squared distance.

    Remembers the labels of its fit, so that tests can see what it was given.
    """

    def __init__(self, classes=None):
        self.classes = classes

    def fit(self, X, y, sample_weight=None):
        X = np.asarray(X, dtype=float)
        target = read_target(y, n_rows=len(X), classes=self.classes)
        self.seen_ = y
        self.classes_ = target.classes
        self.weights_seen_ = sample_weight
        share = self._plausibilities(target) + 1e-9
        share = share / share.sum(axis=1, keepdims=True)
        if sample_weight is not None:
            share = share * np.asarray(sample_weight)[:, None]
        self.means_ = (share.T @ X) / share.sum(axis=0)[:, None]
        return self

    @staticmethod
    def _plausibilities(target):
        if target.plausibilities is not None:
            return target.plausibilities
        one_hot = np.eye(len(target.classes))[np.maximum(target.codes, 0)]
        one_hot[target.codes < 0] = 1.0
        return one_hot

    def predict_log_proba(self, X):
        X = np.asarray(X, dtype=float)
        score = -((X[:, None, :] - self.means_) ** 2).sum(axis=2)
        score = score - score.max(axis=1, keepdims=True)
        return score - np.log(np.exp(score).sum(axis=1, keepdims=True))

    def predict_proba(self, X):
        return np.exp(self.predict_log_proba(X))

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def predict_set(self, X):
        return self.predict_proba(X) > 0.2

    def posterior(self, X, y):
        target = read_target(y, classes=self.classes_)
        joint = self.predict_proba(X) * self._plausibilities(target)
        return joint / joint.sum(axis=1, keepdims=True)


class NoisyCentroidClassifier(CentroidClassifier):
    """The same behind a symmetric channel that errs with probability 0.3."""

    noise = 0.3

    def label_log_likelihood(self, X, y):
        pl = self._plausibilities(read_target(y, classes=self.classes_))
        K = len(self.classes_)
        flip = np.full((K, K), self.noise / (K - 1))
        np.fill_diagonal(flip, 1 - self.noise)
        return np.log(np.einsum("ik,ik->i", self.predict_proba(X), pl @ flip.T))
