from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq, minimize_scalar

from labelief.audit.accuracy import accuracies
from labelief.model_selection.uncertainty import MeanEstimate, wilson_interval


def doubtful(n, n_classes, rate, seed, sharp=0.5):
    """A calibrated consensus, and the votes of somebody who is right at a rate."""
    rng = np.random.default_rng(seed)
    judged = rng.dirichlet(np.full(n_classes, sharp), n)
    truth = (rng.random((n, 1)) > np.cumsum(judged, axis=1)).sum(axis=1).clip(max=n_classes - 1)
    wrong = rng.random(n) > rate
    return judged, np.where(wrong, (truth + rng.integers(1, n_classes, n)) % n_classes, truth)


@pytest.mark.parametrize(("right", "n"), [(0, 5), (3, 5), (5, 5), (70, 100)])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_a_sure_consensus_gives_wilsons_interval(right, n, n_classes):
    said = np.where(np.arange(n) < right, 0, 1)
    judged = np.tile(np.eye(n_classes)[0], (n, 1))
    found = np.concatenate(accuracies(judged, said, np.zeros(n, int), 1, 0.9))
    low, high = wilson_interval(MeanEstimate(right / n, 0.0, float(n)), 0.9)
    np.testing.assert_allclose(found, [right / n, low, high], atol=1e-7)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_estimate_and_ends_solve_their_equations(n_classes):
    judged, said = doubtful(80, n_classes, 0.7, 1)

    def chance(alpha, answers):
        own = judged[np.arange(80), answers]
        return alpha * own + (1 - alpha) * (1 - own) / (n_classes - 1)

    def log_likelihood(alpha):
        return np.sum(np.log(chance(alpha, said)))

    def statistic(alpha):
        step = 1e-6
        score = (log_likelihood(alpha + step) - log_likelihood(alpha - step)) / (2 * step)
        expected = 0.0
        for v in range(n_classes):
            answers = np.full(80, v)
            slope = (chance(alpha + step, answers) - chance(alpha - step, answers)) / (2 * step)
            expected += np.sum(slope**2 / chance(alpha, answers))
        return score / np.sqrt(expected)

    best = minimize_scalar(lambda a: -log_likelihood(a), bounds=(0, 1), method="bounded")
    found = accuracies(judged, said, np.zeros(80, int), 1, 0.95)
    assert found.accuracy[0] == pytest.approx(best.x, abs=1e-4)
    low = brentq(lambda a: statistic(a) - 1.959964, 0.01, best.x)
    high = brentq(lambda a: statistic(a) + 1.959964, best.x, 0.99)
    assert (found.low[0], found.high[0]) == pytest.approx((low, high), abs=1e-4)


def test_intervals_cover_and_doubt_widens_them():
    held, widths = [], []
    for sharp in (0.05, 2.0):
        runs = [doubtful(60, 3, 0.8, seed, sharp) for seed in range(200)]
        judged = np.vstack([run[0] for run in runs])
        said = np.concatenate([run[1] for run in runs])
        found = accuracies(judged, said, np.repeat(np.arange(200), 60), 200, 0.9)
        held.append(np.mean((found.low <= 0.8) & (found.high >= 0.8)))
        widths.append(np.mean(found.high - found.low))
    assert min(held) > 0.84 and max(held) < 0.96
    assert widths[1] > 1.3 * widths[0]


def test_where_nobody_else_says_anything_all_is_possible():
    judged = np.full((4, 2), 0.5)
    found = accuracies(judged, np.array([0, 1, 1, 0]), np.array([0, 0, 2, 2]), 3, 0.95)
    assert np.isnan(found.accuracy).all()
    assert found.low.tolist() == [0.0] * 3 and found.high.tolist() == [1.0] * 3
