from __future__ import annotations

import numpy as np
import pytest
from scipy.special import gammaln

from labelief.kernels.counts import indicators, log_factorial, not_in
from labelief.kernels.namespace import to_host


def test_log_factorials_are_scipys(xp):
    x = np.concatenate([np.arange(200.0), 10.0 ** np.arange(3, 16)]).reshape(3, -1)
    got = to_host(log_factorial(xp.asarray(x)))
    np.testing.assert_allclose(got, gammaln(x + 1), rtol=2e-15, atol=1e-15)


def test_indicators_mark_levels_and_nothing_where_none_is(xp):
    X = xp.asarray(np.array([[0.0, 2.0], [1.0, np.nan], [3.0, 0.0]]))
    columns, levels = xp.asarray(np.array([0, 0, 1, 1, 1])), xp.asarray(np.array([0.0, 1, 0, 1, 2]))
    got = to_host(indicators(X, columns, levels))
    np.testing.assert_array_equal(got, [[1, 0, 0, 0, 1], [0, 1, 0, 0, 0], [0, 0, 1, 0, 0]])


@pytest.mark.parametrize("largest", [2.0, np.inf])
def test_what_is_no_whole_number_within_bounds(largest, xp):
    X = np.array([[0.0, -1.0, 0.5, 2.0, 3.0, np.nan, -0.0]]).T
    got = not_in(xp.asarray(X), xp.asarray(np.array([largest])))
    expected = [False, True, True, False, largest == 2.0, False, False]
    np.testing.assert_array_equal(np.asarray(got)[:, 0], expected)
