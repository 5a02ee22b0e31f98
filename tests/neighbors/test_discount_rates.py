from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from scipy.sparse import csr_array
from sklearn.datasets import load_iris
from sklearn.metrics import pairwise_distances
from tests.neighbors import oracle

from labelief import EvidentialKNN, SoftLabels
from labelief.neighbors.discount_rates import Leave, mean_squared_distances, squared_error
from labelief.neighbors.reading import read_label_masses

RNG = np.random.default_rng(0)
N, K = 30, 3
X = RNG.normal(size=(N, 2)) + 50.0


def labels_of(y):
    return read_label_masses(y, N, range(K))[1]


def by_pairs(labels, distances):
    p = labels.pignistic() * labels.telling()[:, None]
    squared = distances**2
    return np.array(
        [
            sum(p[i, q] * p[j, q] * squared[i, j] for i in range(N) for j in range(N) if i != j)
            / sum(p[i, q] * p[j, q] for i in range(N) for j in range(N) if i != j)
            for q in range(K)
        ]
    )


@pytest.mark.parametrize("kind", oracle.KINDS)
def test_mean_squared_distances_are_those_of_all_pairs(kind):
    labels = labels_of(oracle.make_labels(kind, N, K)[0])
    for metric in ("euclidean", "manhattan"):
        expected = by_pairs(labels, pairwise_distances(X, metric=metric))
        got = mean_squared_distances(X, labels, metric, {})
        np.testing.assert_allclose(got, expected, rtol=1e-10)
    got = mean_squared_distances(csr_array(X), labels, "euclidean", {})
    np.testing.assert_allclose(got, by_pairs(labels, pairwise_distances(X)), rtol=1e-10)


def test_crisp_classes_have_the_closed_form():
    codes = np.arange(N) % K
    got = mean_squared_distances(X, labels_of(codes), "euclidean", {})
    for q in range(K):
        rows = X[codes == q]
        expected = 2.0 * len(rows) / (len(rows) - 1) * np.trace(np.cov(rows.T, bias=True))
        assert got[q] == pytest.approx(expected)


def test_classes_without_spread_take_that_of_the_others():
    codes = np.zeros(N, dtype=int)
    codes[:2], codes[2] = 1, 2
    rows = X.copy()
    rows[1] = rows[0]
    for metric in ("euclidean", "manhattan"):
        got = mean_squared_distances(rows, labels_of(codes), metric, {})
        # class 1 has no spread, class 2 one row
        np.testing.assert_allclose(got, got[0])
        np.testing.assert_array_equal(
            mean_squared_distances(X * 0, labels_of(codes), metric, {}), 1
        )
    alone = np.arange(N) % K
    one = X[:3]
    got = mean_squared_distances(one, read_label_masses(alone[:3], 3, None)[1], "euclidean", {})
    np.testing.assert_allclose(got, 2 * 3 / 2 * np.trace(np.cov(one.T, bias=True)))


@pytest.mark.parametrize("kind", oracle.KINDS)
def test_error_and_gradient_of_the_fit(kind):
    y, masses = oracle.make_labels(kind, N, K)
    labels = labels_of(y)
    squared = pairwise_distances(X) ** 2
    np.fill_diagonal(squared, np.inf)
    neighbours = np.argsort(squared, axis=1)[:, :4]
    left_out = Leave(neighbours, np.take_along_axis(squared, neighbours, axis=1))
    rows = np.flatnonzero(labels.telling())
    arguments = (labels, labels.pignistic(), left_out, rows, 0.9)
    log_rates = np.log([0.3, 1.0, 2.0])

    error, gradient = squared_error(log_rates, *arguments)
    combined = oracle.evidential_knn(X, masses, X, 4, 0.9, np.exp(log_rates), left_out=True)
    target = np.array([oracle.pignistic(mass, K) for mass in masses])
    betp = np.array([oracle.pignistic(mass, K) for mass in combined])
    assert error == pytest.approx(((betp - target)[rows] ** 2).sum() / len(rows))
    numerical = approx_fprime(log_rates, lambda v: squared_error(v, *arguments)[0], 1e-7)
    np.testing.assert_allclose(gradient, numerical, atol=1e-6)
    assert np.any(np.abs(gradient) > 1e-4)


@pytest.mark.parametrize("soft", [False, True])
def test_fitted_rates_have_a_smaller_error_and_no_slope(soft):
    X, y = load_iris(return_X_y=True)
    if soft:
        y = SoftLabels.from_confidences(y, RNG.uniform(0.5, 1.0, 150))
    auto, fit = (EvidentialKNN(5, gamma=gamma).fit(X, y) for gamma in ("auto", "fit"))
    labels = read_label_masses(y, 150, None)[1]
    target = labels.pignistic()

    def error(model):
        return ((model.predict_proba() - target) ** 2).sum(axis=1).mean()

    assert error(fit) < error(auto)
    for q in range(3):
        for factor in (0.8, 1.25):
            gamma = fit.gamma_.copy()
            gamma[q] *= factor
            # the error hardly depends on γ of a class that stands apart
            assert error(EvidentialKNN(5, gamma=gamma).fit(X, y)) > error(fit) - 1e-8
