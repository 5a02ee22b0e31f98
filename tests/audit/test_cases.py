from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from labelief.audit.cases import choose_cases


@pytest.mark.parametrize("budget", [0, 1, 3, 8, 20])
def test_with_equal_costs_nothing_gains_more(budget):
    gain = np.round(np.random.default_rng(budget).random(8), 2)
    gain[5] = 0.0
    ranks = choose_cases(gain, budget)
    size = min(budget, 8)
    best = max(gain[list(some)].sum() for some in combinations(range(8), size))
    assert gain[ranks > 0].sum() == pytest.approx(best)
    assert sorted(ranks[ranks > 0]) == list(range(1, min(budget, 7) + 1))
    order = np.argsort(ranks[ranks > 0])
    assert np.all(np.diff(gain[ranks > 0][order]) <= 0)


@pytest.mark.parametrize("seed", range(20))
def test_with_costs_it_is_short_of_the_best_by_one_case_at_most(seed):
    rng = np.random.default_rng(seed)
    gain, cost, budget = rng.random(9), 0.2 + rng.random(9), 2.0
    chosen = choose_cases(gain, budget, cost) > 0
    assert cost[chosen].sum() <= budget + 1e-9
    subsets = [list(some) for size in range(10) for some in combinations(range(9), size)]
    best = max(gain[some].sum() for some in subsets if cost[some].sum() <= budget)
    assert best - gain.max() <= gain[chosen].sum() <= best + 1e-12
    # nothing that could still be paid for is left
    assert np.all(cost[~chosen] > budget - cost[chosen].sum() - 1e-9)


def test_gain_per_cost_comes_first():
    assert choose_cases(np.array([3.0, 2.0]), 3, [3.0, 1.0]).tolist() == [0, 1]
    assert choose_cases(np.array([3.0, 2.0]), 4, [3.0, 1.0]).tolist() == [2, 1]


def test_dear_cases_are_passed_over():
    ranks = choose_cases(np.array([5.0, 9.0, 1.0]), 3, [2.0, 2.9, 1.0])
    assert ranks.tolist() == [0, 1, 0]
    ranks = choose_cases(np.array([5.0, 9.0, 1.0]), 4, [2.0, 2.9, 1.0])
    assert ranks.tolist() == [0, 1, 2]


def test_without_a_budget_all_that_gain_are_ranked():
    assert choose_cases(np.array([0.1, 0.0, 0.4])).tolist() == [2, 0, 1]
    assert choose_cases(np.zeros(3), 2).tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("budget", "cost", "message"),
    [
        (-1, None, "budget is -1"),
        (float("nan"), None, "budget is nan"),
        (1, [1.0, 2.0], "cost has shape"),
        (1, [1.0, 0.0, 1.0], "cost is 0.0 in row 1"),
    ],
)
def test_refusals(budget, cost, message):
    with pytest.raises(ValueError, match=message):
        choose_cases(np.ones(3), budget, cost)
