from __future__ import annotations

import numpy as np
import pytest
from tests.models.families import (
    assert_maximum,
    make_case,
    native_log_prior,
    native_m_step,
)

from labelief.blocks import ArrayBlocks
from labelief.densities import TiedGaussian
from labelief.models.shrinkage import Strength

STRENGTHS = [Strength(0.0), Strength(0.4), Strength(0.2, 5.0, 0.7)]


@pytest.mark.parametrize("strength", STRENGTHS, ids=["none", "ridge", "ridge and shrinkage"])
@pytest.mark.parametrize("d", [1, 3])
def test_m_step_is_the_formula_in_the_features_units(strength, d):
    case = make_case("tied", d=d)
    prior = case.density.fixed_prior(case.frame, strength)
    best = case.density.maximise(case.record(), case.parameters, case.frame, prior)
    expected = native_m_step("tied", case, strength)
    np.testing.assert_allclose(case.density.means(best, case.frame), expected.first, rtol=1e-10)
    covariances = case.density.covariances(best, case.frame)
    np.testing.assert_allclose(
        covariances, expected.second, rtol=1e-9, atol=1e-12 * np.abs(covariances).max()
    )


@pytest.mark.parametrize("strength", STRENGTHS, ids=["none", "ridge", "ridge and shrinkage"])
def test_m_step_maximises_the_expected_objective(strength):
    case = make_case("tied", d=2)
    prior = case.density.fixed_prior(case.frame, strength)
    best = case.density.maximise(case.record(), case.parameters, case.frame, prior)
    assert_maximum(case, best, prior)


@pytest.mark.parametrize("strength", STRENGTHS, ids=["none", "ridge", "ridge and shrinkage"])
def test_log_prior_in_the_features_units(strength):
    case = make_case("tied")
    prior = case.density.fixed_prior(case.frame, strength)
    got = case.density.log_prior(case.parameters, case.frame, prior)
    expected = native_log_prior("tied", case, case.native.second, strength)
    assert got == pytest.approx(expected, rel=1e-10)


def test_one_covariance_serves_all_components():
    case = make_case("tied", J=4)
    assert TiedGaussian.tied
    covariances = case.density.covariances(case.parameters, case.frame)
    assert covariances.shape == (4, 3, 3)
    np.testing.assert_array_equal(covariances, np.repeat(covariances[:1], 4, axis=0))
    moved = case.density.reordered(case.parameters, np.array([3, 0, 1, 2]))
    assert moved.factors is case.parameters.factors


def test_a_start_keeps_the_total_covariance():
    # Rows may be left out of a start, so their scatter cannot be had from the total.
    case = make_case("tied")
    case.R[::2] = 0.0
    prior = case.density.fixed_prior(case.frame, Strength(1e-6))
    theta = case.density.start(case.record(), case.frame, prior)
    total = np.cov(case.X.T, aweights=case.weights, ddof=0)
    np.testing.assert_allclose(
        case.density.covariances(theta, case.frame), np.stack([total, total]), rtol=1e-9
    )
    for j in range(2):
        expected = np.average(case.X, axis=0, weights=case.weighted[:, j])
        np.testing.assert_allclose(case.density.means(theta, case.frame)[j], expected, rtol=1e-10)


def test_directions_without_variance_are_left_out():
    case = make_case("tied")
    X = np.column_stack([case.X, case.X[:, 0] - case.X[:, 1], np.full(len(case.X), 7.0)])
    blocks = ArrayBlocks(X, weights=case.weights)
    frame = case.density.frame(blocks)
    assert frame.rank == 3
    case.X, case.frame = X, frame
    prior = case.density.fixed_prior(frame, Strength(0.1))
    best = case.density.maximise(case.record(), case.parameters, frame, prior)
    means, covariances = case.density.means(best, frame), case.density.covariances(best, frame)
    np.testing.assert_allclose(means[:, 4], 7.0, rtol=1e-14)
    np.testing.assert_allclose(means[:, 3], means[:, 0] - means[:, 1], rtol=1e-9)
    np.testing.assert_allclose(covariances[:, 4], 0.0, atol=1e-12)
    inner = native_m_step("tied", make_case("tied"), Strength(0.1))
    np.testing.assert_allclose(covariances[:, :3, :3], inner.second, rtol=1e-8)
    assert case.density.n_parameters(2, frame) == 2 * 3 + 6
