from __future__ import annotations

import numpy as np
import pytest
from tests.models.families import make_case

from labelief.models.axis_gaussian import AxisParameters, positive_or_explain
from labelief.models.shrinkage import Strength


@pytest.mark.parametrize("name", ["diagonal", "spherical"])
def test_priors_hold_each_axis_by_its_own_total_variance(name):
    case = make_case(name)
    total = np.cov(case.X.T, aweights=case.weights, ddof=0)
    prior = case.density.fixed_prior(case.frame, Strength(0.3, 2.0, 0.25))
    assert prior.count == pytest.approx(2.3)
    np.testing.assert_allclose(
        prior.scatter * case.frame.scale**2, (0.3 + 2.0 * 0.25) * np.diag(total), rtol=1e-12
    )


def test_constants_are_those_of_scaled_normals():
    case = make_case("diagonal")
    theta = AxisParameters(np.array([[0.0, 1.0, -2.0]]), np.array([[1.0, 4.0, 0.25]]))
    got = case.density.constants(theta, case.frame, np.array([0.5]))
    mahalanobis = 0.0 + 1.0 / 4.0 + 4.0 / 0.25
    log_det = np.log(4.0 * 0.25)
    expected = 0.5 - 0.5 * (mahalanobis + log_det + 3 * np.log(2 * np.pi))
    expected -= np.log(case.frame.scale).sum()
    np.testing.assert_allclose(got, expected, rtol=1e-13)


@pytest.mark.parametrize("bad", [0.0, -1e-20, np.nan, np.inf])
def test_a_feature_without_variance_is_named(bad):
    variances = np.ones((3, 2))
    assert positive_or_explain(variances) is variances
    variances[2, 1] = bad
    with pytest.raises(ValueError, match=r"Component 2 .*ridge"):
        positive_or_explain(variances)


@pytest.mark.parametrize("name", ["diagonal", "spherical"])
def test_one_row_in_a_component_needs_a_prior(name):
    case = make_case(name)
    case.R[:] = [1.0, 0.0]
    case.R[5] = [0.0, 1.0]
    case.weights[5] = 1.0
    case.X[5] = case.frame.center  # its scatter is 0 exactly
    none = case.density.fixed_prior(case.frame, Strength(0.0))
    with pytest.raises(ValueError, match="Component 1"):
        case.density.maximise(case.record(), case.parameters, case.frame, none)
    some = case.density.fixed_prior(case.frame, Strength(1e-6))
    best = case.density.maximise(case.record(), case.parameters, case.frame, some)
    assert np.all(np.isfinite(case.log_density(best)))
