from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.special import logsumexp, softmax

from labelief.kernels.namespace import to_host
from labelief.kernels.posterior import class_sums, posterior, spread

ROWS = np.random.default_rng(0).normal(size=(5, 4)) * 50


def test_posterior_is_a_soft_max(xp):
    evidence, R = posterior(xp.asarray(ROWS))
    np.testing.assert_allclose(to_host(evidence), logsumexp(ROWS, axis=1), rtol=1e-14)
    np.testing.assert_allclose(to_host(R), softmax(ROWS, axis=1), rtol=1e-13)


def test_minus_infinity_everywhere_gives_zeros(xp):
    rows = np.array([[-np.inf, -np.inf], [-np.inf, 3.0]])
    evidence, R = posterior(xp.asarray(rows))
    np.testing.assert_array_equal(to_host(evidence), [-np.inf, 3.0])
    np.testing.assert_array_equal(to_host(R), [[0, 0], [0, 1]])


@given(arrays(float, (3, 4), elements=st.floats(-1e300, 1e300) | st.just(-np.inf)))
def test_no_row_gives_nan_or_is_dropped(rows):
    evidence, R = posterior(rows)
    possible = np.isfinite(rows).any(axis=1)
    np.testing.assert_allclose(R.sum(axis=1), possible.astype(float), atol=1e-12)
    assert np.all(np.isfinite(evidence) == possible)
    assert np.all(R >= 0)


@pytest.mark.parametrize("shift", [-1e8, 1e8])
def test_a_common_shift_moves_the_evidence_alone(shift):
    evidence, R = posterior(ROWS + shift)
    np.testing.assert_allclose(evidence, logsumexp(ROWS, axis=1) + shift, rtol=1e-14)
    np.testing.assert_allclose(R, softmax(ROWS, axis=1), rtol=1e-6, atol=1e-12)


def test_components_take_their_class(xp):
    component_class = np.array([0, 0, 1, 3])
    got = spread(xp.asarray(ROWS), xp.asarray(component_class))
    np.testing.assert_array_equal(to_host(got), ROWS[:, component_class])
    membership = np.eye(4)[component_class]
    sums = to_host(class_sums(xp.asarray(ROWS), xp.asarray(membership)))
    expected = np.column_stack([ROWS[:, :2].sum(axis=1), ROWS[:, 2], np.zeros(5), ROWS[:, 3]])
    np.testing.assert_allclose(sums, expected, rtol=1e-13)


def test_components_that_are_the_classes_pass_unchanged():
    assert spread(ROWS, None) is ROWS
    assert class_sums(ROWS, None) is ROWS
