from __future__ import annotations

import numpy as np
import pytest

from labelief.models.newton import newton_step, uphill_step

RNG = np.random.default_rng(0)
ROOT = RNG.normal(size=(4, 4))
COMPLETE = ROOT @ ROOT.T + np.eye(4)
SMALL = RNG.normal(size=(4, 2))
DOUBT = 0.2 * SMALL @ SMALL.T
GRADIENT = RNG.normal(size=4)


def test_near_a_maximum_the_step_is_newtons():
    step = uphill_step(1e-4 * GRADIENT, COMPLETE, DOUBT, 1.0)
    np.testing.assert_allclose((COMPLETE - DOUBT) @ step, 1e-4 * GRADIENT, rtol=1e-9)


@pytest.mark.parametrize(
    ("size", "doubt"), [(1.0, DOUBT), (1e-4, None), (1e-4, 3.0 * COMPLETE)], ids=str
)
def test_elsewhere_it_is_that_of_the_complete_data(size, doubt):
    step = uphill_step(size * GRADIENT, COMPLETE, doubt, 1.0)
    np.testing.assert_allclose(COMPLETE @ step, size * GRADIENT, rtol=1e-9)


@pytest.mark.parametrize(("excess", "share"), [(1.005, 0.99), (1.05, 0.9), (1.5, 0.5)])
def test_where_the_likelihood_is_not_concave_it_lies_between(excess, share):
    """Doubt larger than the curvature leaves no maximum; a share of it does."""
    step = uphill_step(1e-4 * GRADIENT, COMPLETE, excess * COMPLETE, 1.0)
    np.testing.assert_allclose((1 - share * excess) * COMPLETE @ step, 1e-4 * GRADIENT, rtol=1e-9)


def test_newtons_step_is_near_where_it_promises_little():
    promised = 0.5 * GRADIENT @ np.linalg.solve(COMPLETE, GRADIENT)
    for weight, most in ((1.0, 0.01), (1e6, 10.0)):
        size = np.sqrt(most / promised)
        assert newton_step(0.99 * size * GRADIENT, COMPLETE, weight) is not None
        assert newton_step(1.01 * size * GRADIENT, COMPLETE, weight) is None
    assert newton_step(1e-9 * GRADIENT, -COMPLETE, 1.0) is None


@pytest.mark.parametrize("rank", [0, 2])
def test_a_singular_hessian_still_leads_upwards(rank):
    hessian = ROOT[:, :rank] @ ROOT[:, :rank].T
    step = uphill_step(GRADIENT, hessian - 1e-13 * np.eye(4), None, 1.0)
    assert np.all(np.isfinite(step))
    assert GRADIENT @ step > 0


def test_nothing_to_step_in():
    assert uphill_step(np.empty(0), np.empty((0, 0)), None, 1.0).shape == (0,)
