"""The rivals written here: optimality, known special cases, hand-made examples."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.svm import LinearSVC

from papers.rivals.ml_rbf import MLRBF
from papers.rivals.rank_svm import RankSVM, best_thresholds, polynomial


def some_data(n=60, d=4, Q=5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = (X @ rng.normal(size=(d, Q)) + 0.5 * rng.normal(size=(n, Q)) > 0).astype(int)
    return X, y


def linear(A, B):
    return A @ B.T


def test_outputs_of_ml_rbf_are_the_least_squares_fit():
    X, y = some_data()
    model = MLRBF(fraction=0.2).fit(X, y)
    residuals = model.decision_function(X) - (2 * y - 1)
    assert np.abs(model.basis(X).T @ residuals).max() < 1e-8


def test_ml_rbf_with_every_row_as_prototype_interpolates():
    X, y = some_data(n=20, Q=1)
    y[:, 0] = 1
    y[:3, 0] = 0
    both = np.hstack((y, 1 - y))
    model = MLRBF(fraction=1.0, scale=0.3).fit(X, both)
    assert len(model.prototypes_) == 20
    assert np.array_equal(model.predict(X), both)


def test_ml_rbf_takes_the_mean_of_a_label_as_its_only_prototype():
    X = np.array([[0.0], [2.0], [10.0], [14.0]])
    y = np.array([[1, 0], [1, 0], [0, 1], [0, 1]])
    model = MLRBF(fraction=0.01).fit(X, y)
    assert model.prototypes_.ravel().tolist() == [1.0, 12.0]
    assert model.width_ == 11.0
    assert np.array_equal(model.predict([[1.0], [12.0]]), [[1, 0], [0, 1]])


def test_rank_svm_reaches_the_optimum():
    """Primal and dual objectives meet; no other point has a smaller primal."""
    X, y = some_data()
    model = RankSVM(C=3.0, kernel=linear, tol=1e-7, max_iter=100_000).fit(X, y)
    assert 0 <= model.gap_ < 1e-7
    gram = X @ X.T
    pairs = model._pairs(y == 1)

    def primal(beta):
        scores = gram @ beta
        slack = 1 - scores[pairs.row, pairs.has] + scores[pairs.row, pairs.has_not]
        return 0.5 * np.sum(beta * scores) + pairs.most @ np.maximum(slack, 0)

    least = primal(model.coefficients_)
    rng = np.random.default_rng(1)
    for _ in range(50):
        step = 0.01 * rng.normal(size=y.shape)
        assert primal(model.coefficients_ + step) >= least - 1e-5 * least


def test_two_exclusive_labels_are_the_ordinary_support_vector_machine():
    """With w1 = -w2 = u / 2 the objective is ½ (½ ‖u‖² + 2 C Σ hinge(± u x))."""
    X, y = some_data(Q=1, seed=3)
    C = 0.7
    ranking = RankSVM(C=C, kernel=linear, tol=1e-9, max_iter=100_000).fit(X, np.hstack((y, 1 - y)))
    usual = LinearSVC(loss="hinge", C=2 * C, fit_intercept=False, tol=1e-10, max_iter=1_000_000)
    usual.fit(X, y.ravel())
    u = X.T @ (ranking.coefficients_[:, 0] - ranking.coefficients_[:, 1])
    assert u == pytest.approx(usual.coef_.ravel(), abs=1e-3)


def test_rank_svm_separates_what_can_be_separated():
    X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 0.1], [0.1, 1.0]])
    y = np.array([[1, 0, 0], [0, 1, 0], [1, 1, 0], [1, 0, 0], [0, 1, 0]])
    model = RankSVM(C=1000.0, tol=1e-4, max_iter=50_000).fit(X, y)
    assert np.array_equal(model.predict(X), y)


def test_thresholds_leave_the_fewest_labels_on_the_wrong_side():
    scores = np.array([[3.0, 1.0, 2.0, 0.0], [0.0, 1.0, 2.0, 3.0], [0.0, 1.0, 2.0, 3.0]])
    labels = np.array([[1, 0, 1, 0], [0, 0, 0, 0], [1, 1, 1, 1]], dtype=bool)
    assert best_thresholds(scores, labels).tolist() == [1.5, 3.5, -0.5]


def test_thresholds_agree_with_a_search():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(40, 5))
    labels = rng.random((40, 5)) < 0.5
    found = best_thresholds(scores, labels)
    for row, inside, threshold in zip(scores, labels, found, strict=True):
        wrong = [np.sum((row > t) != inside) for t in (*(row - 1e-9), *(row + 1e-9))]
        assert np.sum((row > threshold) != inside) == min(wrong)


def test_polynomial_is_one_on_the_diagonal_and_zero_between_opposites():
    X = np.array([[3.0, 0.0], [-1.0, 0.0], [0.0, 2.0]])
    expected = np.array([[1, 0, 0.25], [0, 1, 0.25], [0.25, 0.25, 1]])
    assert polynomial(2)(X, X) == pytest.approx(expected)
