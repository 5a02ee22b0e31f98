"""scikit-learn takes SoftLabels and Votes as ``y``, without a patch."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_iris
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    StratifiedKFold,
    cross_val_score,
    cross_validate,
    train_test_split,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_consistent_length, indexable, shuffle
from sklearn.utils._indexing import _safe_indexing
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import _num_samples

from labelief.labels import SoftLabels, Votes, read_target


class NearestMean(ClassifierMixin, BaseEstimator):
    """Class means weighted by plausibility: the smallest classifier that takes soft labels."""

    def __init__(self, power=1.0):
        self.power = power

    def fit(self, X, y):
        assert isinstance(y, SoftLabels)
        target = read_target(y, n_rows=len(X))
        self.classes_ = target.classes
        weights = y.reorder(target.classes).plausibilities ** self.power
        self.means_ = (weights.T @ X) / weights.sum(axis=0)[:, None]
        return self

    def predict(self, X):
        distance = ((X[:, None] - self.means_) ** 2).sum(axis=2)
        return self.classes_[distance.argmin(axis=1)]

    def score(self, X, y):
        assert isinstance(y, SoftLabels)
        return float(np.mean(self.predict(X) == np.asarray(y)))


@pytest.fixture
def iris():
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])
    confidence = np.random.default_rng(0).uniform(0.4, 1, len(y))
    return X, SoftLabels.from_confidences(names[y], confidence)


def test_checks_and_indexing(iris):
    X, y = iris
    check_consistent_length(X, y)
    assert indexable(X, y)[1] is y
    assert _num_samples(y) == 150
    for key in (np.array([3, 1]), [3, 1], slice(2, 5), np.arange(150) < 4, [True] * 150):
        part = _safe_indexing(y, key)
        assert isinstance(part, SoftLabels)
        np.testing.assert_array_equal(
            part.beliefs, y.beliefs[np.asarray(key) if isinstance(key, list) else key]
        )
    assert len(_safe_indexing(y, 3)) == 1
    mixed = shuffle(y, random_state=0)
    assert isinstance(mixed, SoftLabels) and len(mixed) == 150


@pytest.mark.parametrize(
    ("y", "kind"),
    [
        (SoftLabels.from_crisp([0, 1, 2, None]), "multiclass"),
        (SoftLabels.from_crisp([0, 1, 0]), "binary"),
        (SoftLabels.from_crisp(["a", "b", None]), "multiclass"),
        (SoftLabels.from_crisp([True, False, None]), "multiclass"),
        (SoftLabels.from_crisp([0.0, 1.0, None]), "multiclass"),
        (SoftLabels.from_probabilities([[0.2, 0.8], [0.5, 0.5], [0.9, 0.1]]), "multiclass"),
    ],
)
def test_type_of_target_sees_classes(y, kind):
    assert type_of_target(y) == kind


def test_train_test_split(iris):
    X, y = iris
    _, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3, random_state=0)
    assert isinstance(y_train, SoftLabels) and isinstance(y_test, SoftLabels)
    assert y_train.shape == (105, 3) and y_test.shape == (45, 3)
    row = next(i for i in range(150) if (X[i] == X_test[0]).all())
    np.testing.assert_array_equal(y_test.beliefs[0], y.beliefs[row])
    *_, y_train, y_test = train_test_split(X, y, test_size=0.2, stratify=y, random_state=0)
    assert np.unique(np.asarray(y_test), return_counts=True)[1].tolist() == [10, 10, 10]


def test_integer_cv_stratifies(iris):
    X, y = iris
    result = cross_validate(NearestMean(), X, y, cv=5, return_estimator=True)
    # unshuffled folds of the sorted classes would be right on no row
    assert result["test_score"].min() > 0.7
    for _, test in StratifiedKFold(5).split(X, y):
        assert np.unique(np.asarray(y[test]), return_counts=True)[1].tolist() == [10, 10, 10]


@pytest.mark.parametrize("cv", [KFold(3, shuffle=True, random_state=0), StratifiedKFold(3)])
def test_other_splitters_and_pipelines(iris, cv):
    X, y = iris
    model = make_pipeline(StandardScaler(), NearestMean())
    assert cross_val_score(model, X, y, cv=cv).mean() > 0.75
    groups = np.arange(150) // 2
    assert len(cross_val_score(model, X, y, cv=GroupKFold(3), groups=groups)) == 3


def test_grid_search_also_in_parallel(iris):
    X, y = iris
    grid = {"power": [0.5, 1.0, 2.0]}
    alone = GridSearchCV(NearestMean(), grid, cv=4).fit(X, y)
    assert alone.best_estimator_.classes_.tolist() == y.classes.tolist()
    with parallel_config("threading", n_jobs=2):
        both = GridSearchCV(clone(NearestMean()), grid, cv=4).fit(X, y)
    np.testing.assert_array_equal(
        alone.cv_results_["mean_test_score"], both.cv_results_["mean_test_score"]
    )


def test_rows_without_a_single_class_are_a_stratum_of_their_own():
    y = SoftLabels.from_crisp([0, 1, None] * 20)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _, test in StratifiedKFold(5).split(np.zeros((60, 1)), y):
            assert np.unique(np.asarray(y[test])).tolist() == [-1, 0, 1]


def test_votes_are_split_too():
    rng = np.random.default_rng(0)
    table = {
        "i": np.repeat(np.arange(40), 3),
        "a": np.tile([0, 1, 2], 40),
        "l": rng.integers(0, 2, 120),
    }
    votes = Votes(table, "i", "a", "l")
    train, test = train_test_split(votes, test_size=0.25, random_state=0)
    assert isinstance(train, Votes) and len(train) == 30 and len(test) == 10
    assert type_of_target(votes) == "binary"
    for part, _ in StratifiedKFold(4).split(np.zeros((40, 1)), votes):
        assert len(votes[part]) == 30
