from __future__ import annotations

import numpy as np
import pytest
from tests.models.families import make_case

from labelief.blocks import ArrayBlocks
from labelief.models.oriented import OrientedGaussian
from labelief.models.parsimonious import _DENSITIES
from labelief.models.shrinkage import Strength

ORIENTED = ["VEE", "EVE", "VVE", "EEV", "VEV", "EVV"]
RIGID = ["EVE", "VVE", "EEV", "VEV"]


def test_these_are_the_families_with_axes_of_their_own():
    found = {name for name, part in _DENSITIES.items() if isinstance(part, OrientedGaussian)}
    assert found == set(ORIENTED)
    assert {name for name in ORIENTED if _DENSITIES[name].structure.rigid} == set(RIGID)


@pytest.mark.parametrize("family", ORIENTED)
def test_cholesky_factors_are_those_of_the_parts(family):
    case = make_case(family, J=3)
    theta, frame = case.parameters, case.frame
    roots = np.broadcast_to(theta.parts.roots, (3, 3, 3))
    to = frame.to_scale if family in RIGID else np.eye(3)
    covariances = theta.factors @ np.swapaxes(theta.factors, 1, 2)
    np.testing.assert_allclose(
        to @ covariances @ to.T, roots @ np.swapaxes(roots, 1, 2), rtol=1e-9, atol=1e-12
    )


@pytest.mark.parametrize("family", RIGID)
def test_directions_without_variance_are_left_out_and_the_rest_keeps_its_units(family):
    # A turn of the rows with a constant column is a flat cloud in any position.
    case = make_case(family, J=3)
    plain = np.column_stack([case.X, np.full(len(case.X), 7.0)])
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(4, 4)))[0]
    results = []
    for X in (plain, plain @ turn):
        frame = case.density.frame(ArrayBlocks(X, weights=case.weights))
        assert frame.rank == 3
        record = case.density.start_statistics(X, case.weighted, frame.arrays)
        prior = case.density.fixed_prior(frame, Strength(0.3))
        best = case.density.maximise(record, None, frame, prior)
        results.append(case.density.covariances(best, frame))
    turned = turn.T @ results[0] @ turn
    np.testing.assert_allclose(results[1], turned, atol=1e-7 * np.abs(turned).max())


@pytest.mark.parametrize("family", RIGID)
def test_uneven_units_are_refused_where_they_are_measured(family):
    case = make_case(family)
    with pytest.raises(ValueError, match=r"too far apart.*StandardScaler"):
        case.density.frame(ArrayBlocks(case.X * [1.0, 1.0, 1e-12]))
    case.density.frame(ArrayBlocks(case.X * [1.0, 1.0, 1e-6]))
    case.density.frame(ArrayBlocks(case.X * 1e-150))
