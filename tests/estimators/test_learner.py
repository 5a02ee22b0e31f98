"""Whom each row is asked of."""

from __future__ import annotations

import numpy as np
from sklearn.naive_bayes import GaussianNB

from labelief.estimators.learner import Learner

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 2))
ZETA = RNG.dirichlet(np.ones(2), 30)
CLASSES = np.array(["a", "b"])


def _learner(weights=None, groups=None):
    return Learner(GaussianNB(), X, CLASSES, weights, groups, 0.0, None, 0)


def test_all_rows_are_asked_of_the_classifier_that_learned_them():
    answer = _learner().all(ZETA)
    logs = answer.fitted.predict_log_proba(X)
    np.testing.assert_array_equal(answer.log_probabilities, logs)
    np.testing.assert_array_equal(_learner().row_weights(), np.ones(30))


def test_each_group_is_asked_of_a_classifier_that_saw_the_others():
    groups, weights = np.arange(30) // 15, RNG.random(30)
    answer = _learner(weights, groups).out_of_fold(ZETA, 2)(ZETA)
    assert answer.fitted is None
    for g in (0, 1):
        rows = np.repeat(np.flatnonzero(groups != g), 2)
        shares = (ZETA * weights[:, None])[groups != g].ravel()
        other = GaussianNB().fit(X[rows], np.tile(CLASSES, 15), sample_weight=shares)
        np.testing.assert_allclose(
            answer.log_probabilities[groups == g], other.predict_log_proba(X[groups == g])
        )


def test_a_training_part_without_labels_makes_all_classes_alike():
    groups = np.arange(30) // 15
    told = np.where(groups[:, None] == 0, ZETA, 0.0)
    answer = _learner(groups=groups).out_of_fold(told, 2)(told)
    np.testing.assert_array_equal(answer.log_probabilities[groups == 0], 0.0)
    assert np.ptp(answer.log_probabilities[groups == 1]) > 0
