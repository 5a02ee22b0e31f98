from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from labelief.kernels.class_moments import class_moments, row_shares, stored_class_moments
from labelief.kernels.namespace import to_host

RNG = np.random.default_rng(0)
X = RNG.normal(size=(9, 4)) * (RNG.random((9, 4)) < 0.5)
P = RNG.dirichlet(np.ones(3), 9)
SHIFT, FACTOR = RNG.normal(size=4), RNG.uniform(0.5, 2.0, 4)


def by_loops(X, P, mask=None):
    mask = np.ones(X.shape) if mask is None else mask
    first, second, stored = np.zeros((3, 4)), np.zeros((3, 4)), np.zeros((3, 4))
    for i in range(9):
        for k in range(3):
            for r in range(4):
                first[k, r] += P[i, k] * X[i, r] * mask[i, r]
                second[k, r] += P[i, k] * X[i, r] ** 2 * mask[i, r]
                stored[k, r] += P[i, k] * mask[i, r]
    return first, second, stored


@pytest.mark.parametrize("shift", [None, SHIFT])
@pytest.mark.parametrize("factor", [None, FACTOR])
def test_sums_are_those_of_loops(shift, factor, xp):
    Z = (X - (0.0 if shift is None else shift)) * (1.0 if factor is None else factor)
    there = [None if a is None else xp.asarray(a) for a in (X, P, None, shift, factor)]
    for got, expected in zip(class_moments(*there), by_loops(Z, P), strict=False):
        np.testing.assert_allclose(to_host(got), expected, atol=1e-14)
    sparse = csr_array(X)
    got = stored_class_moments(sparse, P, None, shift, factor)
    np.testing.assert_array_equal(sparse.toarray(), X)
    for one, expected in zip(got, by_loops(Z, P, X != 0), strict=True):
        np.testing.assert_allclose(one, expected, atol=1e-14)


@pytest.mark.parametrize("n_columns", [1, 2, 4])
def test_squares_may_have_weights_of_their_own(n_columns, xp):
    pooling = RNG.random((3, n_columns))
    there = [xp.asarray(a) for a in (X, P, P @ pooling, SHIFT)]
    first, second = class_moments(*there, None)
    loops = by_loops(X - SHIFT, P)
    np.testing.assert_allclose(to_host(first), loops[0], atol=1e-14)
    np.testing.assert_allclose(to_host(second), pooling.T @ loops[1], atol=1e-14)
    _, second, _ = stored_class_moments(csr_array(X), P, P @ pooling, None, None)
    np.testing.assert_allclose(second, pooling.T @ by_loops(X, P)[1], atol=1e-14)


def test_shares_sum_to_the_weight_of_the_row(xp):
    weights = RNG.random(9)
    shares = to_host(row_shares(xp.asarray(7.0 * P), xp.asarray(weights)))
    np.testing.assert_allclose(shares, P * weights[:, None])
    np.testing.assert_allclose(to_host(row_shares(xp.asarray(7.0 * P), None)), P)
