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
from labelief.densities import DiagonalGaussian
from labelief.models.shrinkage import Strength

STRENGTHS = [Strength(0.0), Strength(0.4), Strength(0.2, 5.0, 0.7)]


@pytest.mark.parametrize("strength", STRENGTHS, ids=["none", "ridge", "ridge and shrinkage"])
@pytest.mark.parametrize("d", [1, 3])
def test_m_step_is_the_formula_in_the_features_units(strength, d):
    case = make_case("diagonal", d=d)
    prior = case.density.fixed_prior(case.frame, strength)
    best = case.density.maximise(case.record(), case.parameters, case.frame, prior)
    expected = native_m_step("diagonal", case, strength)
    np.testing.assert_allclose(case.density.means(best, case.frame), expected.first, rtol=1e-10)
    covariances = case.density.covariances(best, case.frame)
    np.testing.assert_allclose(
        covariances, expected.second, rtol=1e-9, atol=1e-12 * np.abs(covariances).max()
    )


@pytest.mark.parametrize("strength", STRENGTHS, ids=["none", "ridge", "ridge and shrinkage"])
def test_m_step_maximises_the_expected_objective(strength):
    case = make_case("diagonal", d=2)
    prior = case.density.fixed_prior(case.frame, strength)
    best = case.density.maximise(case.record(), case.parameters, case.frame, prior)
    assert_maximum(case, best, prior)


@pytest.mark.parametrize("strength", STRENGTHS, ids=["none", "ridge", "ridge and shrinkage"])
def test_log_prior_in_the_features_units(strength):
    case = make_case("diagonal")
    prior = case.density.fixed_prior(case.frame, strength)
    got = case.density.log_prior(case.parameters, case.frame, prior)
    expected = native_log_prior("diagonal", case, case.native.second, strength)
    assert got == pytest.approx(expected, rel=1e-10)


def test_constant_columns_are_left_out():
    case = make_case("diagonal")
    X = np.column_stack([np.full(len(case.X), -3.0), case.X])
    blocks = ArrayBlocks(X, weights=case.weights)
    frame = DiagonalGaussian().frame(blocks)
    assert frame.rank == 3
    case.X, case.frame = X, frame
    np.testing.assert_allclose(
        case.log_density(case.parameters),
        make_case("diagonal").log_density(case.parameters),
        rtol=1e-12,
    )
    np.testing.assert_array_equal(case.density.means(case.parameters, frame)[:, 0], -3.0)
    assert not case.density.covariances(case.parameters, frame)[:, 0].any()
    assert not case.density.covariances(case.parameters, frame)[:, :, 0].any()


def test_units_of_features_change_nothing_but_the_constant():
    case, other = make_case("diagonal"), make_case("diagonal")
    units = np.array([1e-6, 1.0, 1e9])
    other.X = other.X * units
    other.blocks = ArrayBlocks(other.X, weights=other.weights)
    other.frame = other.density.frame(other.blocks)
    results = []
    for one in (case, other):
        prior = one.density.fixed_prior(one.frame, Strength(0.2, 3.0, 0.5))
        best = one.density.maximise(one.record(), one.parameters, one.frame, prior)
        results.append(one.log_density(best))
    expected = results[0] - np.sum(np.log(units))
    np.testing.assert_allclose(results[1], expected, rtol=1e-10)
