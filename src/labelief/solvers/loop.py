"""The one loop: counting, stopping, history, safeguards.  Steps are supplied by the solvers.

A step maps a state to the next; it proposes parameters, and judging them by a pass over the rows
*is* the next E-step.  A proposal that lowers the objective is halved towards the last good
parameters.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

import numpy as np

from labelief._typing import FloatArray
from labelief.solvers.problem import Evaluation, Parameters, Problem

__all__ = ["Info", "Outcome", "State", "Status", "checked_start", "judged", "rounding", "run"]

# How often a proposal is halved before the step is given up.
_HALVINGS = 30


class Status(Enum):
    """How a run ended."""

    CONVERGED = "converged"
    ITERATION_CAP = "iteration cap"
    OBJECTIVE_FELL = "objective fell"
    STALLED = "no progress beyond rounding"


@dataclass(frozen=True)
class State:
    """What is carried from step to step.

    Attributes
    ----------
    evaluation : Evaluation
    iteration : int
        Steps done.
    """

    evaluation: Evaluation
    iteration: int = 0


@dataclass(frozen=True)
class Info:
    """What a step reports.

    Attributes
    ----------
    stationary : bool
        Whether the step found nowhere to go: its proposal is where it started.
    fell : bool
        Whether every proposal lowered the objective.
    """

    stationary: bool = False
    fell: bool = False


@dataclass(frozen=True)
class Outcome:
    """Result of a run.

    Attributes
    ----------
    evaluation : Evaluation
        At the parameters that are returned.
    history : list of float
        The objective after each iteration.
    status : Status
    """

    evaluation: Evaluation
    history: list[float]
    status: Status

    @property
    def converged(self) -> bool:
        """Whether the stop rule was met; neither a fall nor the iteration cap is that."""
        return self.status is Status.CONVERGED


Step = Callable[[Problem, State], tuple[State, Info]]


def rounding(problem: Problem, objective: float) -> float:
    """Return the difference of objectives that summation alone can make."""
    return 1e-12 * (abs(objective) + problem.weight)


def checked_start(problem: Problem, start: Parameters) -> State:
    """Evaluate the start of a run; refuse one at which some label is impossible."""
    state = State(problem.evaluate(start))
    if not np.isfinite(state.evaluation.objective):
        raise ValueError(
            "The likelihood of the labels is 0 or not finite at the start: some row's label allows "
            "only classes to which `priors` or the channel give probability 0. Check `priors` and "
            "the channel's matrix, or leave them to be learned."
        )
    return state


def run(
    problem: Problem,
    start: Parameters,
    step: Step,
    *,
    max_iter: int,
    optimal: Callable[[State, State], bool],
    report: Callable[[State], None] | None = None,
) -> Outcome:
    """Drive a step until `optimal`, a fall, or `max_iter` iterations.

    Parameters
    ----------
    problem : Problem
    start : Parameters
    step : callable
        ``(problem, state) -> (state, info)``.
    max_iter : int
    optimal : callable
        Whether to stop, given the states before and after a step that did not fall.
    report : callable, default=None
        Called with each new state.
    """
    state = checked_start(problem, start)
    history: list[float] = []
    status = Status.ITERATION_CAP
    while state.iteration < max_iter:
        before = state
        state, info = step(problem, before)
        if info.fell:
            status = Status.OBJECTIVE_FELL
            break
        history.append(state.evaluation.objective)
        if report is not None:
            report(state)
        if info.stationary or optimal(before, state):
            status = Status.CONVERGED
            break
    return Outcome(state.evaluation, history or [state.evaluation.objective], status)


def judged(problem: Problem, current: Evaluation, proposal: Parameters) -> tuple[Evaluation, bool]:
    """Evaluate a proposal, halved towards `current` until it does not lower the objective.

    Returns
    -------
    evaluation : Evaluation
        The better one; `current` itself where nothing beyond rounding is to be had.
    fell : bool
        Whether every proposal fell beyond rounding.
    """
    evaluation = problem.evaluate(proposal)
    slack = rounding(problem, current.objective)
    if evaluation.objective >= current.objective:
        return evaluation, False
    start = problem.to_vector(current.parameters)
    step: FloatArray = problem.to_vector(proposal) - start
    fell = not evaluation.objective >= current.objective - slack
    for _ in range(_HALVINGS):
        if not fell:
            return current, False
        step = step / 2
        evaluation = problem.evaluate(problem.from_vector(start + step))
        if evaluation.objective >= current.objective:
            return evaluation, False
        fell = not evaluation.objective >= current.objective - slack
    return current, fell
