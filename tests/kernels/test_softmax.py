from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.special import log_softmax, logsumexp

from labelief.kernels.namespace import to_host
from labelief.kernels.softmax import augmented, curvature, linear_sums, log_normaliser, scores

RNG = np.random.default_rng(0)
X = RNG.normal(size=(9, 4)) * (RNG.random((9, 4)) < 0.6)
B = RNG.normal(size=(4, 3))
A = RNG.normal(size=3)
S = RNG.random((9, 3)) * RNG.random((9, 1))
PHI = np.hstack([np.ones((9, 1)), X])


def linear_scores(b, a):
    return X @ (b[:, 1:] - b[:, :1]) + a[1:] - a[0]


def test_scores_are_those_of_the_soft_max_over_the_first(xp):
    got = scores(xp.asarray(X), xp.asarray(B[:, 1:] - B[:, :1]), xp.asarray(A[1:] - A[0]))
    assert tuple(got.shape) == (9, 3)
    np.testing.assert_array_equal(to_host(got)[:, 0], 0.0)
    expected = log_softmax(X @ B + A, axis=1)
    np.testing.assert_allclose(log_softmax(to_host(got), axis=1), expected, rtol=1e-12)
    np.testing.assert_allclose(to_host(log_normaliser(got)), logsumexp(to_host(got), axis=1))


def test_scores_of_one_component_are_zero():
    np.testing.assert_array_equal(scores(X, np.empty((4, 0)), np.empty(0)), np.zeros((9, 1)))


def test_scores_far_apart_do_not_overflow():
    got = log_normaliser(np.array([[0.0, 1e4], [0.0, -1e300]]))
    np.testing.assert_array_equal(got, [1e4, 0.0])


def test_sparse_rows_give_what_dense_ones_give():
    sparse = csr_array(X)
    np.testing.assert_allclose(scores(sparse, B, A), scores(X, B, A), rtol=1e-13)
    for got, expected in zip(linear_sums(sparse, S), linear_sums(X, S), strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-13)
    scale = np.array([2.0, 0.5, 1.0, 4.0])
    rows, dense = augmented(sparse, scale), augmented(X, scale)
    np.testing.assert_allclose(rows.toarray(), dense)
    for got, expected in zip(curvature(rows, S), curvature(dense, S), strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-13, atol=1e-15)


def test_linear_sums_by_loops(xp):
    got = linear_sums(xp.asarray(X), xp.asarray(S))
    np.testing.assert_allclose(to_host(got.zeroth), sum(S[i] for i in range(9)))
    np.testing.assert_allclose(to_host(got.first), sum(np.outer(X[i], S[i]) for i in range(9)))


def test_curvature_by_loops(xp):
    got = curvature(xp.asarray(PHI), xp.asarray(S))
    own, cross = np.zeros((3, 5, 5)), np.zeros((3, 5, 3, 5))
    for phi, s in zip(PHI, S, strict=True):
        for j in range(3):
            own[j] += s[j] * np.outer(phi, phi)
            for k in range(3):
                cross[j, :, k, :] += s[j] * s[k] / s.sum() * np.outer(phi, phi)
    np.testing.assert_allclose(to_host(got.own), own.reshape(15, 5), rtol=1e-12)
    np.testing.assert_allclose(to_host(got.cross), cross.reshape(15, 15), rtol=1e-12)
    assert got.weight == pytest.approx(S.sum())


def test_rows_of_weight_zero_curve_nothing():
    weights = np.where(np.arange(9)[:, None] == 2, 0.0, S)
    rest = np.arange(9) != 2
    for got, expected in zip(curvature(PHI, weights), curvature(PHI[rest], S[rest]), strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-12)


def test_curvature_of_a_soft_max_is_minus_its_hessian():
    def log_likelihood(vector):
        coefficients = vector.reshape(5, 3)
        return float(np.sum(S * log_softmax(PHI @ coefficients, axis=1)))

    vector, h = RNG.normal(size=15), 1e-4
    hessian, steps = np.empty((15, 15)), h * np.eye(15)
    for i in range(15):
        for j in range(15):
            corners = [
                log_likelihood(vector + p * steps[i] + q * steps[j]) * p * q
                for p in (1, -1)
                for q in (1, -1)
            ]
            hessian[i, j] = sum(corners) / (4 * h**2)
    P = np.exp(log_softmax(PHI @ vector.reshape(5, 3), axis=1)) * S.sum(axis=1, keepdims=True)
    moments = curvature(PHI, P)
    expected = -moments.cross.reshape(3, 5, 3, 5)
    for j in range(3):
        expected[j, :, j, :] += moments.own.reshape(3, 5, 5)[j]
    by_class = hessian.reshape(5, 3, 5, 3).transpose(1, 0, 3, 2)
    np.testing.assert_allclose(-by_class, expected, atol=2e-6)
