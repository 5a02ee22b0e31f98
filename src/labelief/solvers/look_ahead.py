"""A start and a metric from a sample of the rows, for objectives with one maximum.

The maximum over m of n rows misses that over all by ``O(√(p/m))`` for p parameters, and its Hessian
is as near.  From there a few passes over all rows do what would take many from afar (sub-sampled
Newton methods; Erdogdu and Montanari 2015).  The answer is the same: only the way there is shorter.
"""

from __future__ import annotations

from typing import Protocol, cast

from labelief._typing import FloatArray
from labelief.blocks.arrays import ArrayBlocks
from labelief.solvers.loop import State
from labelief.solvers.problem import Parameters, Problem
from labelief.solvers.quasi_newton import Curvable, flat, lbfgs, metric_of

__all__ = ["Thinnable", "look_ahead"]

# Rows of a sample for each parameter, the rows of all that must stand behind each of them, and the
# doubles that a sample may fill.
_ROWS, _THINNING, _DOUBLES = 100, 10, 4_000_000
# A sample's maximum is not known better than this slope.
_TOL, _MOST_ITERATIONS = 1e-3, 100


class Thinnable(Curvable, Protocol):
    """A curvable model that can be fitted to a sample of its rows."""

    def thinned(self, share: float) -> Thinnable:
        """Return the model for a sample that holds this share of the rows' weight."""


def look_ahead(problem: Problem, start: Parameters) -> tuple[Parameters, FloatArray | None]:
    """Climb on a sample of the rows.

    Parameters
    ----------
    problem : Problem
        With one maximum, a :class:`Thinnable` model and no learned channel.
    start : Parameters

    Returns
    -------
    start : Parameters
        The sample's maximum; the start given where rows are too few for a sample.
    metric : (p, p) array or None
        A matrix M with ``M Mᵀ = W H⁻¹``, H minus the Hessian there.
    """
    model = cast(Thinnable, problem.model)
    size = len(model.to_vector(start.model))
    rows = _ROWS * size
    few = rows * _THINNING > problem.blocks.n_rows
    if few or rows * problem.blocks.n_columns > _DOUBLES or size == 0:
        return start, None
    X, evidence, weights = problem.blocks.sample(rows)
    blocks = ArrayBlocks(X, evidence, weights)
    thinned = model.thinned(blocks.total_weight / problem.weight)
    curved = thinned.curved()
    sample = Problem(blocks, thinned, problem.channel, problem.n_classes)

    def optimal(before: State, after: State) -> bool:
        return flat(sample, after.evaluation, _TOL, seen=False)

    best = lbfgs(sample, start, max_iter=_MOST_ITERATIONS, optimal=optimal).evaluation.parameters
    there = Problem(blocks, curved, problem.channel, problem.n_classes).evaluate(best)
    return best, metric_of(curved, there.record, sample.weight)
