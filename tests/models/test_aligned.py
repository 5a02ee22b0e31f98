from __future__ import annotations

import numpy as np
import pytest
from tests.models.families import make_case

from labelief.models.aligned import AlignedGaussian
from labelief.models.parsimonious import _DENSITIES
from labelief.models.shrinkage import Strength

ALIGNED = ["EII", "EEI", "VEI", "EVI"]


def test_these_are_the_families_along_the_features():
    found = {name for name, part in _DENSITIES.items() if isinstance(part, AlignedGaussian)}
    assert found == set(ALIGNED)
    assert {name for name in ALIGNED if _DENSITIES[name].tied} == {"EII", "EEI"}


@pytest.mark.parametrize("family", ALIGNED)
def test_scales_are_common_where_units_matter(family):
    case = make_case(family)
    assert (len(set(case.frame.scale.tolist())) == 1) == (family == "EII")


@pytest.mark.parametrize("family", ["EII", "EEI"])
@pytest.mark.parametrize("strength", [Strength(0.0), Strength(0.2, 5.0, 0.7)])
def test_tied_m_steps_are_the_formulas_in_the_features_units(family, strength):
    case = make_case(family, J=3)
    prior = case.density.fixed_prior(case.frame, strength)
    best = case.density.maximise(case.record(), None, case.frame, prior)
    scatter = np.zeros(3)
    for r in case.weighted.T:
        mean = np.average(case.X, axis=0, weights=r)
        scatter += r @ (case.X - mean) ** 2
    total = np.cov(case.X.T, aweights=case.weights, ddof=0).diagonal()
    target = (strength.total + strength.diagonal * strength.ratio) * total
    variances = (scatter + target) / (case.weights.sum() + strength.count)
    if family == "EII":
        variances[:] = variances.mean()
    for covariance in case.density.covariances(best, case.frame):
        np.testing.assert_allclose(covariance, np.diag(variances), rtol=1e-9)


@pytest.mark.parametrize("family", ALIGNED)
def test_variances_are_those_of_the_parts(family):
    case = make_case(family, J=3)
    np.testing.assert_array_equal(case.parameters.variances, case.parameters.parts.variances)
    assert len(case.parameters.variances) == (1 if family in ("EII", "EEI") else 3)


@pytest.mark.parametrize("family", ["VEI", "EVI"])
def test_a_feature_without_variance_in_a_component_is_explained(family):
    case = make_case(family)
    case.R[:] = [1.0, 0.0]
    case.R[0] = [0.0, 1.0]
    prior = case.density.fixed_prior(case.frame, Strength(0.0))
    with pytest.raises(ValueError, match=r"(?i)component 1 .*ridge"):
        case.density.maximise(case.record(), None, case.frame, prior)
