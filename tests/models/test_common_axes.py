from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import special_ortho_group

from labelief.models import common_axes as module
from labelief.models.common_axes import common_axes, first_axes
from labelief.models.rotations import rotations
from labelief.models.volume_shape import own_shapes, own_spread

RULES = [own_spread, own_shapes]


def problem(r=4, J=3, seed=0, common=False):
    rng = np.random.default_rng(seed)
    counts = rng.uniform(10.0, 30.0, J)
    axes = special_ortho_group(r, seed=seed).rvs(J)
    axes = axes[:1] if common else axes
    sizes = np.sqrt(counts)[:, None, None] * rng.uniform(0.2, 3.0, (J, 1, r))
    return counts, axes * sizes


def value(counts, factors, spread, axes):
    """Twice the negative expected log-likelihood, with the best volumes and shapes."""
    scatters = np.array([[d @ F @ F.T @ d for d in np.moveaxis(axes, 1, 0)] for F in factors])
    variances = np.broadcast_to(spread(counts, scatters).variances, scatters.shape)
    return float(np.sum(counts @ np.log(variances)) + np.sum(scatters / variances))


@pytest.mark.parametrize("spread", RULES)
@pytest.mark.parametrize("r", [2, 4, 7])
def test_no_small_turn_does_better(r, spread):
    counts, factors = problem(r)
    axes = first_axes(counts, factors, spread)
    np.testing.assert_allclose(axes.T @ axes, np.eye(r), atol=1e-12)
    best = value(counts, factors, spread, axes)
    for step in (1e-3, 3e-2):
        for p in range(r * (r - 1) // 2):
            vector = step * (np.arange(r * (r - 1) // 2) == p)
            for sign in (-1, 1):
                turned = axes @ rotations(sign * vector[None], r)[0]
                assert value(counts, factors, spread, turned) > best


@pytest.mark.parametrize("spread", RULES)
def test_every_step_falls(spread):
    counts, factors = problem(5)
    start = special_ortho_group(5, seed=9).rvs()
    values = [value(counts, factors, spread, start)]
    for steps in range(1, 12):
        axes = common_axes(counts, factors, spread, start, steps)
        values.append(value(counts, factors, spread, axes))
    assert np.all(np.diff(values) < 1e-9)
    assert values[-1] < values[0] - 1.0


@pytest.mark.parametrize("spread", RULES)
def test_axes_that_all_have_are_found(spread):
    counts, factors = problem(4, common=True)
    expected = factors[0] / np.linalg.norm(factors[0], axis=0)
    got = np.abs(first_axes(counts, factors, spread).T @ expected)
    # Up to order and sign.
    np.testing.assert_allclose(np.sort(got, axis=1), [[0, 0, 0, 1]] * 4, atol=1e-7)


@pytest.mark.parametrize("spread", RULES)
def test_slopes_and_curvatures_are_derivatives(spread):
    counts, factors = problem(3)
    axes = special_ortho_group(3, seed=2).rvs()
    slope, curvature = module._slope(*module._state(counts, factors, spread, axes))
    np.testing.assert_allclose(slope, -slope.T)
    held = module._state(counts, factors, spread, axes)[1]
    for a, b in [(0, 1), (0, 2), (1, 2)]:

        def turned(angle, a=a, b=b):
            plane = np.eye(3)
            plane[a, a] = plane[b, b] = np.cos(angle)
            # Column b moves towards axis a.
            plane[a, b], plane[b, a] = np.sin(angle), -np.sin(angle)
            return axes @ plane

        h = 1e-4
        values = [value(counts, factors, spread, turned(s)) / 2 for s in (-h, h)]
        assert slope[a, b] == pytest.approx((values[1] - values[0]) / (2 * h), rel=1e-5)
        # The curvature is that with volumes and shapes held.
        held_values = [
            0.5 * np.sum(held * np.sum((np.swapaxes(factors, 1, 2) @ turned(s)) ** 2, axis=1))
            for s in (-h, 0.0, h)
        ]
        expected = (held_values[0] - 2 * held_values[1] + held_values[2]) / h**2
        assert curvature[a, b] == pytest.approx(expected, rel=1e-4)


def test_several_starts_miss_fewer_minima():
    """Components without common axes leave several minima: the first axes are the best of some."""
    better = 0
    for seed in range(20):
        counts, factors = problem(3, J=2, seed=seed)
        best = value(counts, factors, own_spread, first_axes(counts, factors, own_spread))
        pooled = np.linalg.svd(np.concatenate(factors, axis=1))[0]
        one = value(
            counts, factors, own_spread, common_axes(counts, factors, own_spread, pooled, 500)
        )
        assert best <= one + 1e-8
        better += best < one - 1e-3
    assert better > 0


def test_round_components_have_no_axes_to_find():
    counts = np.array([10.0, 20.0])
    factors = np.stack([np.eye(3), 2.0 * np.eye(3)])
    axes = first_axes(counts, factors, own_spread)
    np.testing.assert_allclose(axes.T @ axes, np.eye(3), atol=1e-12)


@pytest.mark.parametrize("rank", [0, 1])
def test_few_axes(rank):
    axes = first_axes(np.array([2.0, 3.0]), np.ones((2, rank, rank)), own_spread)
    np.testing.assert_array_equal(axes, np.eye(rank))
