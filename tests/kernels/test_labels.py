from __future__ import annotations

import numpy as np
import pytest

from labelief.kernels import labels
from labelief.kernels.namespace import to_host

RNG = np.random.default_rng(0)


def test_logarithm_of_nothing_is_minus_infinity(xp):
    values = np.array([[0.0, 1.0], [np.e, 1e-300]])
    got = labels.log_or_minus_infinity(xp.asarray(values))
    np.testing.assert_allclose(to_host(got), [[-np.inf, 0.0], [1.0, np.log(1e-300)]])


def test_symbols_look_up_their_column(xp):
    table = RNG.normal(size=(3, 5))
    symbols = np.array([4, 0, 0, 2])
    got = labels.symbol_log_weights(xp.asarray(symbols), xp.asarray(table))
    np.testing.assert_array_equal(to_host(got), table[:, symbols].T)


@pytest.mark.parametrize("dtype", ["int8", "int16", "int64"])
def test_one_hot(xp, dtype):
    symbols = np.array([2, 0, 5, 1], dtype=dtype)
    got = labels.one_hot(xp.asarray(symbols), 3)
    np.testing.assert_array_equal(to_host(got), symbols[:, None] == np.arange(3))
    assert got.dtype == xp.float64


def test_a_label_shares_its_row_unless_it_says_nothing(xp):
    weights = np.array([[1.0, 0.0, 0.0], [0.3, 0.3, 0.3], [1.0, 1.0, 0.0], [0.7, 0.2, 0.1]])
    with np.errstate(divide="ignore"):
        got = to_host(labels.told_shares(xp.asarray(np.log(weights))))
    p = weights / weights.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(got[[0, 2, 3]], p[[0, 2, 3]], atol=1e-14)
    np.testing.assert_array_equal(got[1], [0, 0, 0])


def test_one_class_is_always_told(xp):
    got = labels.told_shares(xp.asarray(np.log([[0.2], [1.0]])))
    np.testing.assert_allclose(to_host(got), [[1.0], [1.0]])


def test_observed_shares_by_hand(xp):
    matrix = RNG.dirichlet(np.ones(3), 3)
    pl, zeta = RNG.random((8, 3)), RNG.dirichlet(np.ones(3), 8)
    counted = (RNG.random(8) < 0.7).astype(float)
    got = labels.observed_shares(*(xp.asarray(a) for a in (pl, matrix, zeta, counted)))
    expected = np.zeros((3, 3))
    for i in range(8):
        for k in range(3):
            share = pl[i] * matrix[k] / np.sum(pl[i] * matrix[k])
            expected[k] += counted[i] * zeta[i, k] * share
    np.testing.assert_allclose(to_host(got), expected, rtol=1e-13)


def test_observed_shares_of_impossible_labels_are_no_nan():
    matrix = np.array([[1.0, 0.0], [0.0, 1.0]])
    pl = np.array([[1.0, 0.0], [0.0, 1.0]])
    zeta = np.array([[1.0, 0.0], [0.0, 1.0]])
    np.testing.assert_array_equal(labels.observed_shares(pl, matrix, zeta, np.ones(2)), np.eye(2))


def test_a_known_class_excludes_the_others(xp):
    logs, known = RNG.normal(size=(4, 3)), np.array([3, 0, 2, 3])
    got = to_host(labels.restricted(xp.asarray(logs), xp.asarray(known)))
    expected = logs.copy()
    expected[1, 1:] = expected[2, :2] = -np.inf
    np.testing.assert_array_equal(got, expected)
