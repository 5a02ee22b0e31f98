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
from labelief.densities import SphericalGaussian
from labelief.models.shrinkage import Strength

STRENGTHS = [Strength(0.0), Strength(0.4), Strength(0.2, 5.0, 0.7)]


@pytest.mark.parametrize("strength", STRENGTHS, ids=["none", "ridge", "ridge and shrinkage"])
@pytest.mark.parametrize("d", [1, 3])
def test_m_step_is_the_formula_in_the_features_units(strength, d):
    case = make_case("spherical", d=d)
    prior = case.density.fixed_prior(case.frame, strength)
    best = case.density.maximise(case.record(), case.parameters, case.frame, prior)
    expected = native_m_step("spherical", case, strength)
    np.testing.assert_allclose(case.density.means(best, case.frame), expected.first, rtol=1e-10)
    covariances = case.density.covariances(best, case.frame)
    np.testing.assert_allclose(
        covariances, expected.second, rtol=1e-9, atol=1e-12 * np.abs(covariances).max()
    )


@pytest.mark.parametrize("strength", STRENGTHS, ids=["none", "ridge", "ridge and shrinkage"])
def test_m_step_maximises_the_expected_objective(strength):
    case = make_case("spherical", d=2)
    prior = case.density.fixed_prior(case.frame, strength)
    best = case.density.maximise(case.record(), case.parameters, case.frame, prior)
    assert_maximum(case, best, prior)


@pytest.mark.parametrize("strength", STRENGTHS, ids=["none", "ridge", "ridge and shrinkage"])
def test_log_prior_in_the_features_units(strength):
    case = make_case("spherical")
    prior = case.density.fixed_prior(case.frame, strength)
    got = case.density.log_prior(case.parameters, case.frame, prior)
    expected = native_log_prior("spherical", case, case.native.second, strength)
    assert got == pytest.approx(expected, rel=1e-10)


def test_axes_keep_their_units_relative_to_each_other():
    case = make_case("spherical")
    assert len(set(case.frame.scale.tolist())) == 1
    covariances = SphericalGaussian().covariances(case.parameters, case.frame)
    for covariance in covariances:
        np.testing.assert_allclose(covariance, covariance[0, 0] * np.eye(3), rtol=1e-13)


def test_a_turn_of_the_features_turns_the_answer():
    case, other = make_case("spherical"), make_case("spherical")
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]
    other.X = other.X @ turn
    other.blocks = ArrayBlocks(other.X, weights=other.weights)
    other.frame = other.density.frame(other.blocks)
    best = []
    for one in (case, other):
        prior = one.density.fixed_prior(one.frame, Strength(0.3))
        best.append(one.density.maximise(one.record(), one.parameters, one.frame, prior))
    np.testing.assert_allclose(other.log_density(best[1]), case.log_density(best[0]), rtol=1e-10)
    np.testing.assert_allclose(
        other.density.means(best[1], other.frame),
        case.density.means(best[0], case.frame) @ turn,
        rtol=1e-9,
        atol=1e-10,
    )
