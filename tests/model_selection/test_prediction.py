"""Out-of-fold predictions."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn import model_selection as sk
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, RepeatedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC
from tests.metrics.fakes import CentroidClassifier

from labelief.labels import SoftLabels
from labelief.model_selection import SoftStratifiedKFold, cross_val_predict

X, TRUTH = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])


@pytest.mark.parametrize("method", ["predict", "predict_proba", "predict_log_proba"])
def test_crisp_labels_as_scikit_learn(method):
    cv = KFold(5, shuffle=True, random_state=0)
    ours = cross_val_predict(GaussianNB(), X, NAMES[TRUTH], cv=cv, method=method)
    theirs = sk.cross_val_predict(GaussianNB(), X, NAMES[TRUTH], cv=cv, method=method)
    assert np.array_equal(ours, theirs)


def test_decision_function_and_transform_like_methods():
    cv = KFold(5, shuffle=True, random_state=0)
    model = LogisticRegression(max_iter=1000)
    ours = cross_val_predict(model, X, TRUTH, cv=cv, method="decision_function")
    theirs = sk.cross_val_predict(model, X, TRUTH, cv=cv, method="decision_function")
    assert np.array_equal(ours, theirs)
    two = TRUTH > 0
    binary = cross_val_predict(LinearSVC(), X, two, cv=cv, method="decision_function")
    assert binary.shape == (150,)
    sets = cross_val_predict(CentroidClassifier(), X, TRUTH, cv=cv, method="predict_set")
    assert sets.dtype == bool and sets.shape == (150, 3)


@pytest.mark.parametrize("kind", ["soft", "contour", "frame"])
def test_soft_labels_stay_soft(kind):
    rng = np.random.default_rng(0)
    pl = rng.uniform(size=(150, 3))
    pl[np.arange(150), TRUTH] = 1.0
    y = {
        "soft": SoftLabels.from_plausibilities(pl),
        "contour": pl,
        "frame": pd.DataFrame(pl, columns=[0, 1, 2]),
    }[kind]
    folds = SoftStratifiedKFold(4, random_state=3)
    expected = np.empty((150, 3))
    for train, test in folds.split(X, pl):
        expected[test] = CentroidClassifier().fit(X[train], pl[train]).predict_proba(X[test])
    found = cross_val_predict(CentroidClassifier(), X, y, cv=folds, method="predict_proba")
    assert found == pytest.approx(expected)
    if kind == "soft":
        hardened = sk.cross_val_predict(
            CentroidClassifier(), X, y, cv=KFold(4), method="predict_proba"
        )
        ours = cross_val_predict(CentroidClassifier(), X, y, cv=KFold(4), method="predict_proba")
        assert not np.allclose(hardened, ours)


def test_columns_mean_the_same_class_in_every_fold():
    y = np.array(["b", "a", "c"])[TRUTH]
    cv = [(np.flatnonzero(y != k), np.flatnonzero(y == k)) for k in "bca"]
    for method, absent in (("predict_proba", 0.0), ("predict_log_proba", -np.inf)):
        found = cross_val_predict(CentroidClassifier(), X, y, cv=cv, method=method)
        assert found.shape == (150, 3)
        for column, k in enumerate("abc"):
            assert np.all(found[y == k, column] == absent)
            others = np.setdiff1d(range(3), column)
            assert np.all(np.isfinite(found[np.ix_(y == k, others)]))
        sums = np.exp(found) if absent else found
        assert sums.sum(axis=1) == pytest.approx(np.ones(150))
    assert not cross_val_predict(CentroidClassifier(), X, y, cv=cv, method="predict_set")[
        y == "a", 0
    ].any()
    with pytest.raises(ValueError, match="every class, and decision_function"):
        cross_val_predict(LogisticRegression(), X, y, cv=cv, method="decision_function")


def test_posterior_looks_at_the_rows_own_label():
    y = SoftLabels.from_candidates([{k, (k + 1) % 3} for k in TRUTH])
    proba = cross_val_predict(CentroidClassifier(), X, y, cv=5, method="predict_proba")
    found = cross_val_predict(CentroidClassifier(), X, y, cv=5, method="posterior")
    joint = proba * y.plausibilities
    assert found == pytest.approx(joint / joint.sum(axis=1, keepdims=True))


def test_unknown_labels_and_containers():
    y = TRUTH.astype(object)
    y[::5] = None
    expected = cross_val_predict(CentroidClassifier(), X, y, cv=5)
    assert np.mean(expected == TRUTH) > 0.9
    for features in (X.tolist(), pd.DataFrame(X), np.asfortranarray(X), pl.DataFrame(X)):
        for labels in (y.tolist(), pd.Series(y, index=np.arange(150)[::-1])):
            found = cross_val_predict(CentroidClassifier(), features, labels, cv=5)
            assert np.array_equal(found, expected)
    counts = sparse.csr_array(np.round(X))
    found = cross_val_predict(LogisticRegression(max_iter=1000), counts, TRUTH, cv=5)
    assert np.mean(found == TRUTH) > 0.9


def test_groups_and_jobs():
    groups = np.arange(150) % 30
    seen = []

    class Spy(CentroidClassifier):
        def predict(self, X):
            seen.append(np.asarray(X))
            return super().predict(X)

    cross_val_predict(Spy(), np.c_[X, groups], TRUTH, 3, groups)
    tested = [set(part[:, -1]) for part in seen]
    assert sum(map(len, tested)) == 30 and len(set.union(*tested)) == 30
    one = cross_val_predict(CentroidClassifier(), X, TRUTH, 3, groups)
    two = cross_val_predict(CentroidClassifier(), X, TRUTH, 3, groups, n_jobs=2)
    assert np.array_equal(one, two)


def test_refusals():
    with pytest.raises(ValueError, match="exactly one test part"):
        cross_val_predict(GaussianNB(), X, TRUTH, cv=RepeatedKFold(n_splits=3, n_repeats=2))
    with pytest.raises(ValueError, match="exactly one test part"):
        cross_val_predict(GaussianNB(), X, TRUTH, cv=[(np.arange(100), np.arange(100, 149))])
    with pytest.raises(ValueError, match="GaussianNB has no method 'transform'"):
        cross_val_predict(GaussianNB(), X, TRUTH, cv=3, method="transform")
