from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.special import logsumexp, softmax

from labelief.kernels.namespace import to_host
from labelief.kernels.posterior import (
    class_sums,
    posterior,
    relative,
    spread,
    weighted_posterior,
)

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


def test_relative_likelihoods(xp):
    rows = np.vstack([ROWS, [-np.inf, 3.0, -1e4, 2.0], np.full(4, -np.inf)])
    top, likelihood = relative(xp.asarray(rows))
    np.testing.assert_array_equal(to_host(top), [*ROWS.max(axis=1), 3.0, 0.0])
    expected = np.exp(rows - to_host(top)[:, None])
    np.testing.assert_allclose(to_host(likelihood), expected, rtol=1e-14)


def test_weights_multiply_likelihoods_as_their_logarithms_add(xp):
    weights = np.random.default_rng(1).random(ROWS.shape) * [1.0, 0.0, 1e-30, 7.0]
    top, likelihood = relative(xp.asarray(ROWS))
    evidence, R = weighted_posterior(likelihood, xp.asarray(weights))
    with np.errstate(divide="ignore"):
        joint = ROWS + np.log(weights)
    np.testing.assert_allclose(to_host(top + evidence), logsumexp(joint, axis=1), rtol=1e-13)
    np.testing.assert_allclose(to_host(R), softmax(joint, axis=1), rtol=1e-12, atol=1e-250)


@pytest.mark.parametrize("row", [[0.0, 0.0], [1e-300, 0.0], [1e200, 1e200], [0.0, np.nan]])
def test_sums_that_lose_digits_are_left_to_logarithms(xp, row):
    likelihood = xp.asarray([[1.0, 0.5], [1.0, 1e200]])
    with np.errstate(over="ignore"):
        assert weighted_posterior(likelihood, xp.asarray([[1.0, 1.0], row])) is None


@given(
    arrays(float, (3, 4), elements=st.floats(-800, 0)),
    arrays(float, (3, 4), elements=st.floats(0, 1e3)),
)
def test_either_way_gives_one_answer(log_joint, weights):
    top, likelihood = relative(log_joint)
    quick = weighted_posterior(likelihood, weights)
    with np.errstate(divide="ignore"):
        evidence, R = posterior(log_joint - top[:, None] + np.log(weights))
    if quick is None:
        assert np.min(evidence) < np.log(1e-240)
        return
    np.testing.assert_allclose(quick[0], evidence, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(quick[1], R, rtol=1e-11, atol=1e-50)
