"""Where labels are soft or noisy there are several maxima: go to the one that EM goes to.

A quasi-Newton step from afar may leap to a lower maximum.  So the first steps are EM's, until the
slope is small, where a pass with its Hessian costs little; where it costs much, the model takes one
step before a learned channel moves: from equal probabilities, labels look like noise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import cast

import numpy as np
from scipy.linalg import block_diag

from labelief._typing import FloatArray
from labelief.solvers.em import em_step, squarem_step
from labelief.solvers.loop import Info, Outcome, State, Status, checked_start, judged, run
from labelief.solvers.problem import Evaluation, Parameters, Problem
from labelief.solvers.quasi_newton import Curvable, flat, lbfgs, metric_of

__all__ = ["curved_step", "led_lbfgs"]

# Slope, per unit of weight, at which EM's steps have done their part.
_NEAR = 1e-4
# Multiplications of a pass that measures the Hessian, and entries of it, that are little.
_WORK, _ENTRIES = 2e8, 1e6


def led_lbfgs(
    problem: Problem,
    start: Parameters,
    *,
    max_iter: int,
    optimal: Callable[[State, State], bool],
    report: Callable[[State], None] | None = None,
) -> Outcome:
    """Climb by EM until the slope is small, then by L-BFGS.

    Parameters
    ----------
    problem : Problem
        Whose model is :class:`Curvable`.
    start : Parameters
    max_iter : int
    optimal : callable
        Whether to stop, given the states before and after an iteration.
    report : callable, default=None
        Called with each new state.
    """
    entries = cast(Curvable, problem.model).hessian_entries
    metric = None
    if entries <= _ENTRIES and entries * problem.blocks.n_rows <= _WORK:
        lead, metric = _by_em(problem, start, max_iter, report)
    elif problem.channel.learned:
        lead = _by_one_step(problem, start, report)
    else:
        return lbfgs(problem, start, max_iter=max_iter, optimal=optimal, report=report)
    done = len(lead.history)
    if done >= max_iter:
        reached = State(lead.evaluation)
        ended = Status.CONVERGED if optimal(reached, reached) else Status.ITERATION_CAP
        return replace(lead, status=ended)

    def report_after(state: State) -> None:
        if report is not None:
            report(replace(state, iteration=state.iteration + done))

    rest = lbfgs(
        problem,
        lead.evaluation.parameters,
        max_iter=max_iter - done,
        optimal=optimal,
        report=report_after,
        metric=metric,
    )
    return replace(rest, history=lead.history + rest.history)


def curved_step(problem: Problem, state: State) -> tuple[State, Info]:
    """One step of EM with a curved model: near a maximum Newton's, elsewhere on EM's path.

    A learned channel's part is EM's all the way; near the maximum, where it may creep, the two are
    accelerated together.

    Parameters
    ----------
    problem : Problem
        Whose model is :class:`Curvable` and measures both curvatures.
    state : State
    """
    if problem.channel.learned and _near_maximum(problem, state.evaluation):
        return squarem_step(problem, state)
    return em_step(problem, state)


def _near_maximum(problem: Problem, evaluation: Evaluation) -> bool:
    """Say whether the way to EM's maximum is clear: a small slope, and a quadratic that fits."""
    model = cast(Curvable, problem.model)
    return flat(problem, evaluation, _NEAR, seen=False) and model.near_maximum(
        evaluation.record, evaluation.parameters.model
    )


def _by_em(
    problem: Problem,
    start: Parameters,
    max_iter: int,
    report: Callable[[State], None] | None,
) -> tuple[Outcome, FloatArray]:
    """Climb by EM; return also a metric in which the next step, along the slope, is EM's."""
    model = cast(Curvable, problem.model).curved()
    lead = Problem(problem.blocks, model, problem.channel, problem.n_classes)

    def near(before: State, after: State) -> bool:
        return _near_maximum(lead, after.evaluation)

    outcome = run(lead, start, em_step, max_iter=max_iter, optimal=near, report=report)
    problem.n_passes += lead.n_passes
    of_model = metric_of(model, outcome.evaluation.record, problem.weight)
    of_channel = np.eye(len(problem.channel.to_vector(outcome.evaluation.parameters.channel)))
    return outcome, block_diag(of_model, of_channel)


def _by_one_step(
    problem: Problem, start: Parameters, report: Callable[[State], None] | None
) -> Outcome:
    """Step along the gradient of the model alone, exact where the curvature is W everywhere."""
    current = checked_start(problem, start).evaluation
    model = cast(Curvable, problem.model)
    slope = model.gradient(current.record, current.parameters.model)
    vector = model.to_vector(current.parameters.model) + slope / problem.weight
    proposal = Parameters(model.from_vector(vector), current.parameters.channel)
    reached: Evaluation = judged(problem, current, proposal)[0]
    if report is not None:
        report(State(reached, 1))
    return Outcome(reached, [reached.objective], Status.ITERATION_CAP)
