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
from labelief.densities import FullGaussian
from labelief.models.shrinkage import Strength

STRENGTHS = [Strength(0.0), Strength(0.4), Strength(0.2, 5.0, 0.7)]


@pytest.mark.parametrize("strength", STRENGTHS, ids=["none", "ridge", "ridge and shrinkage"])
@pytest.mark.parametrize("d", [1, 3])
def test_m_step_is_the_formula_in_the_features_units(strength, d):
    case = make_case("full", d=d)
    prior = case.density.fixed_prior(case.frame, strength)
    best = case.density.maximise(case.record(), case.parameters, case.frame, prior)
    expected = native_m_step("full", case, strength)
    np.testing.assert_allclose(case.density.means(best, case.frame), expected.first, rtol=1e-10)
    covariances = case.density.covariances(best, case.frame)
    np.testing.assert_allclose(
        covariances, expected.second, rtol=1e-9, atol=1e-12 * np.abs(covariances).max()
    )


@pytest.mark.parametrize("strength", STRENGTHS, ids=["none", "ridge", "ridge and shrinkage"])
def test_m_step_maximises_the_expected_objective(strength):
    case = make_case("full", d=2)
    prior = case.density.fixed_prior(case.frame, strength)
    best = case.density.maximise(case.record(), case.parameters, case.frame, prior)
    assert_maximum(case, best, prior)


@pytest.mark.parametrize("strength", STRENGTHS, ids=["none", "ridge", "ridge and shrinkage"])
def test_log_prior_in_the_features_units(strength):
    case = make_case("full")
    prior = case.density.fixed_prior(case.frame, strength)
    got = case.density.log_prior(case.parameters, case.frame, prior)
    expected = native_log_prior("full", case, case.native.second, strength)
    assert got == pytest.approx(expected, rel=1e-10)


def test_a_start_is_held_by_as_many_rows_as_a_covariance_needs():
    case = make_case("full")
    prior = case.density.fixed_prior(case.frame, Strength(0.5))
    theta = case.density.start(case.record(), case.frame, prior)
    expected = native_m_step("full", case, Strength(0.5 + 3 + 2))
    np.testing.assert_allclose(
        case.density.covariances(theta, case.frame), expected.second, rtol=1e-9
    )


def test_too_few_rows_without_a_prior_are_explained():
    case = make_case("full", n=6)
    case.R[:] = [1.0, 0.0]
    case.R[:2] = [0.0, 1.0]
    prior = case.density.fixed_prior(case.frame, Strength(0.0))
    with pytest.raises(ValueError, match=r"component 1 is singular.*ridge"):
        case.density.maximise(case.record(), case.parameters, case.frame, prior)
    held = case.density.fixed_prior(case.frame, Strength(1e-6))
    best = case.density.maximise(case.record(), case.parameters, case.frame, held)
    assert np.all(np.isfinite(case.log_density(best)))


def test_one_component_without_a_prior_is_the_sample():
    case = make_case("full", J=1)
    density = FullGaussian()
    prior = density.fixed_prior(case.frame, Strength(0.0))
    best = density.maximise(case.record(), None, case.frame, prior)
    blocks = ArrayBlocks(case.X, weights=case.weights)
    assert blocks.total_weight == pytest.approx(case.weights.sum())
    np.testing.assert_allclose(
        density.covariances(best, case.frame)[0],
        np.cov(case.X.T, aweights=case.weights, ddof=0),
        rtol=1e-10,
    )
