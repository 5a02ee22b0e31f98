"""EM, plain and accelerated, as steps of the one loop."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from labelief._typing import FloatArray
from labelief.solvers.loop import Info, State, judged
from labelief.solvers.problem import Evaluation, Parameters, Problem

__all__ = ["em_step", "squarem_step"]

# Parameters that move less than this, relative to their size, have not moved.
_STILL = 1e-13


def em_step(problem: Problem, state: State) -> tuple[State, Info]:
    """One M-step and the E-step that judges it (quost2017 eq. 12, 16-17).

    The channel is left alone in the first M-step: a crisp start would freeze it at the identity.
    """
    current = state.evaluation
    proposal = problem.maximise(current, learn_channel=state.iteration > 0)
    held = problem.channel.learned and state.iteration == 0
    if not held and _still(problem, current, proposal):
        return replace(state, iteration=state.iteration + 1), Info(stationary=True)
    evaluation, fell = judged(problem, current, proposal)
    next_state = State(evaluation, state.iteration + 1)
    return next_state, Info(stationary=evaluation is current and not fell and not held, fell=fell)


def squarem_step(problem: Problem, state: State) -> tuple[State, Info]:
    """Two EM steps and an extrapolation along them (Varadhan and Roland 2008, scheme S3).

    With r and v the first and second differences of three EM iterates, the proposal is
    ``x + 2 α r + α² v``, ``α = ‖r‖/‖v‖``; α = 1 is plain EM.  A proposal that is worse than the
    last iterate judged gives way to the plain EM step, so the objective never falls.
    """
    first, info = em_step(problem, state)
    if info.stationary or info.fell:
        return first, info
    middle = first.evaluation
    x0 = problem.to_vector(state.evaluation.parameters)
    x1 = problem.to_vector(middle.parameters)
    second = problem.maximise(middle)
    r = x1 - x0
    v = problem.to_vector(second) - x1 - r
    alpha = float(np.linalg.norm(r) / max(float(np.linalg.norm(v)), 1e-300))
    evaluation = None
    if alpha > 1.0:
        evaluation = _extrapolated(problem, middle, x0 + 2.0 * alpha * r + alpha**2 * v)
    if evaluation is None:
        evaluation, fell = judged(problem, middle, second)
        info = Info(stationary=evaluation is middle and not fell, fell=fell)
    return State(evaluation, first.iteration), info


def _extrapolated(problem: Problem, floor: Evaluation, vector: FloatArray) -> Evaluation | None:
    """Return the evaluation of an extrapolation that is no worse than `floor`, else None."""
    try:
        with np.errstate(all="ignore"):
            evaluation = problem.evaluate(problem.from_vector(vector))
    except (ValueError, np.linalg.LinAlgError):
        return None
    return evaluation if evaluation.objective >= floor.objective else None


def _still(problem: Problem, current: Evaluation, proposal: Parameters) -> bool:
    old = problem.to_vector(current.parameters)
    change = problem.to_vector(proposal) - old
    return bool(np.max(np.abs(change) / (1.0 + np.abs(old)), initial=0.0) <= _STILL)
