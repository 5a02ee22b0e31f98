"""Copies of rows: which, in what order, how heavy; and where weights enter."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from labelief.estimators.reweighting import (
    check_abilities,
    log_probabilities,
    probabilities,
    teach,
    teach_crisp,
)

CLASSES = np.array(["a", "b", "c"])
ZETA = np.array([[1.0, 0.0, 0.0], [0.0, 0.6, 0.4], [0.0, 0.0, 0.0], [1e-9, 0.5, 0.5]])
ROWS = np.arange(4.0)[:, None]


class Recorder(ClassifierMixin, BaseEstimator):
    """Keeps what it was given."""

    def fit(self, X, y, sample_weight=None):
        self.given_ = X, y, sample_weight
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        return np.full((len(X), len(self.classes_)), 1.0 / len(self.classes_))


def _taught(estimator, zeta=ZETA, weights=None, min_share=1e-6, groups=None):
    return teach(estimator, ROWS, zeta, CLASSES, weights, min_share=min_share, groups=groups)


def test_rows_are_repeated_for_classes_that_carry_weight():
    X, y, weights = _taught(Recorder()).given_
    assert X[:, 0].tolist() == [0, 1, 1, 3, 3]
    assert y.tolist() == ["a", "b", "c", "b", "c"]
    np.testing.assert_allclose(weights, [1.0, 0.6, 0.4, 0.5, 0.5], rtol=1e-12)
    heavy = _taught(Recorder(), weights=np.array([1.0, 2.0, 3.0, 4.0])).given_[2]
    np.testing.assert_allclose(heavy, [1.0, 1.2, 0.8, 2.0, 2.0], rtol=1e-12)
    X, y, weights = _taught(Recorder(), min_share=0.7).given_
    assert y.tolist() == ["a", "b", "b", "c"]
    np.testing.assert_allclose(weights, [1.0, 1.0, 0.5, 0.5])
    assert len(_taught(Recorder(), min_share=0.0).given_[1]) == 6


def test_rows_that_are_not_repeated_are_not_copied():
    fitted = _taught(Recorder(), np.eye(3)[[0, 1, 2, 0]])
    assert fitted.given_[0] is ROWS


def test_one_class_needs_no_classifier():
    fitted = _taught(LogisticRegression(), np.array([[0.0, 1.0, 0.0]] * 4))
    assert isinstance(fitted, DummyClassifier)
    np.testing.assert_array_equal(probabilities(fitted, ROWS, CLASSES), [[0, 1, 0]] * 4)
    assert log_probabilities(fitted, ROWS, CLASSES)[0].tolist() == [-np.inf, 0.0, -np.inf]


def test_columns_of_classes_that_were_not_taught_are_filled():
    fitted = teach_crisp(Recorder(), ROWS, np.array([0, 2, 0, 2]), CLASSES, None, None)
    np.testing.assert_array_equal(probabilities(fitted, ROWS, CLASSES), [[0.5, 0.0, 0.5]] * 4)
    logs = log_probabilities(fitted, ROWS, CLASSES)
    np.testing.assert_array_equal(logs, np.log([[0.5, 0.5]] * 4)[:, :1] * [1, np.inf, 1])


def test_own_log_probabilities_do_not_underflow():
    fitted = teach_crisp(GaussianNB(), ROWS, np.array([0, 0, 1, 1]), CLASSES, None, None)
    logs = log_probabilities(fitted, np.array([[1e4]]), CLASSES)
    assert logs[0, 0] < -1000 and np.isfinite(logs[0, 0])


@pytest.mark.parametrize(
    "estimator",
    [
        make_pipeline(StandardScaler(), make_pipeline(Recorder())),
        GridSearchCV(GaussianNB(), {"var_smoothing": [1e-9]}, cv=2),
        GridSearchCV(make_pipeline(StandardScaler(), GaussianNB()), {"memory": [None]}, cv=2),
        GridSearchCV(GaussianNB(), {"var_smoothing": [1e-9]}, cv=GroupKFold(2)),
        VotingClassifier([("a", GaussianNB()), ("b", LogisticRegression())], voting="soft"),
        RandomForestClassifier(2),
    ],
    ids=lambda e: type(e).__name__,
)
def test_weights_find_their_way(estimator):
    check_abilities(estimator)
    rng = np.random.default_rng(0)
    X, zeta = rng.normal(size=(40, 2)), rng.dirichlet(np.ones(3), 40)
    fitted = teach(estimator, X, zeta, CLASSES, None, min_share=0.0, groups=None)
    assert fitted.classes_.tolist() == CLASSES.tolist()
    skewed = teach(
        estimator, X, zeta**8 + 1e-6, CLASSES, np.linspace(0.1, 5, 40), min_share=0.0, groups=None
    )
    if not isinstance(estimator[-1][-1] if hasattr(estimator, "steps") else None, Recorder):
        difference = fitted.predict_proba(X) - skewed.predict_proba(X)
        assert np.max(np.abs(difference)) > 0.01
    else:
        np.testing.assert_allclose(fitted[-1][-1].given_[2], zeta.ravel())


def test_weights_are_routed_where_scikit_learn_routes():
    with config_context(enable_metadata_routing=True):
        estimator = make_pipeline(StandardScaler(), Recorder().set_fit_request(sample_weight=True))
        estimator[0].set_fit_request(sample_weight=False)
        check_abilities(estimator)
        fitted = _taught(estimator)
        np.testing.assert_allclose(fitted[-1].given_[2], [1.0, 0.6, 0.4, 0.5, 0.5], rtol=1e-12)


@pytest.mark.parametrize(
    "estimator",
    [
        KNeighborsClassifier(),
        OneVsRestClassifier(KNeighborsClassifier()),
        VotingClassifier([("a", GaussianNB()), ("b", KNeighborsClassifier())], voting="soft"),
    ],
    ids=lambda e: type(e).__name__,
)
def test_parts_that_take_no_weights_are_found(estimator):
    with pytest.raises(ValueError, match="has no sample_weight"):
        check_abilities(estimator)


def test_kernels_between_rows_are_refused():
    class Pairwise(Recorder):
        def __sklearn_tags__(self):
            tags = super().__sklearn_tags__()
            tags.input_tags.pairwise = True
            return tags

    with pytest.raises(ValueError, match="distances or kernels"):
        check_abilities(Pairwise())
