"""Which cases to ask a person about, given what may be spent."""

from __future__ import annotations

from typing import Any

import numpy as np

from labelief._typing import FloatArray, IntArray

__all__ = ["choose_cases"]


def choose_cases(gain: FloatArray, budget: float | None = None, cost: Any = None) -> IntArray:
    """Rank the cases to ask about by gain per cost, as far as the budget goes.

    With equal costs no other choice of as many cases gains more.  With unequal ones it is the
    greedy rule for the knapsack (Dantzig 1957): what is too dear for the rest of the budget is
    passed over, and the loss against the best choice is below the gain of one case.

    Parameters
    ----------
    gain : (n,) array
        Of :func:`expected_gain`.
    budget : float, default=None
        What may be spent; None: everything that gains.
    cost : (n,) array-like, default=None
        Of asking about each row; 1 by default.

    Returns
    -------
    (n,) integer array
        1 for the case to ask first, 2, 3...; 0 where there is nothing to gain or to spend.

    Examples
    --------
    >>> choose_cases(np.array([0.1, 0.0, 0.4, 0.2]), budget=2)
    array([0, 0, 1, 2])
    """
    n = len(gain)
    costs = np.ones(n) if cost is None else np.asarray(cost, dtype=np.float64)
    if costs.shape != (n,):
        raise ValueError(f"cost has shape {costs.shape}, but must be ({n},)")
    wrong = ~(np.isfinite(costs) & (costs > 0))
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        raise ValueError(f"cost is {costs[row]} in row {row}: must be finite and above 0")
    if budget is not None and not budget >= 0:
        raise ValueError(f"budget is {budget!r}, but must be a number of 0 or more")
    order = np.argsort(-gain / costs, kind="stable")
    order = order[gain[order] > 0]
    chosen = order if budget is None else _affordable(order, costs[order], float(budget))
    ranks = np.zeros(n, dtype=np.int64)
    ranks[chosen] = np.arange(1, len(chosen) + 1)
    return ranks


def _affordable(order: IntArray, costs: FloatArray, budget: float) -> IntArray:
    """Return the cases that are paid for in turn; dear ones are passed over."""
    kept: list[IntArray] = []
    left = budget * (1.0 + 1e-12)
    while order.size:
        cheap = costs <= left
        order, costs = order[cheap], costs[cheap]
        spent = np.cumsum(costs)
        within = int(np.searchsorted(spent, left, side="right"))
        kept.append(order[:within])
        left -= float(spent[within - 1]) if within else 0.0
        order, costs = order[within:], costs[within:]
    return np.concatenate(kept) if kept else order
