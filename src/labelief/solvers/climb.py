"""One start to its end: EM until it converges, then names for the latent classes, then EM again."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Protocol

from labelief._typing import IntArray
from labelief.channels.contract import BoundChannel
from labelief.models.contract import Model
from labelief.solvers.em import em_step, squarem_step
from labelief.solvers.loop import Outcome, State, run
from labelief.solvers.problem import Parameters, Problem

__all__ = ["Limits", "Nameable", "climb", "named_run"]


class Limits(Protocol):
    """How far a run goes, and by which steps."""

    @property
    def max_iter(self) -> int:
        """Iterations at most."""

    @property
    def tol(self) -> float:
        """Gain in mean objective per row below which a run has converged."""

    @property
    def acceleration(self) -> str | None:
        """None for EM, "squarem" for accelerated EM."""

    @property
    def verbose(self) -> int:
        """Whether to print the objective after each iteration."""


class Nameable(Protocol):
    """A problem whose latent classes may be called by other names."""

    @property
    def model(self) -> Model:
        """What may rename its parameters."""

    @property
    def channel(self) -> BoundChannel:
        """What knows the names."""


def climb(
    problem: Problem, start: Parameters, limits: Limits, sizes: IntArray, *, named: bool
) -> Outcome:
    """Run EM; then name the latent classes and, where names changed, run on.

    Parameters
    ----------
    problem : Problem
    start : Parameters
    limits : Limits
    sizes : (K,) integer array
        Numbers of components; only classes of equal sizes may exchange names.
    named : bool
        Whether something other than the channel fixes the names of the classes.
    """
    step = squarem_step if limits.acceleration == "squarem" else em_step

    def optimal(before: State, after: State) -> bool:
        gain = after.evaluation.objective - before.evaluation.objective
        held = problem.channel.learned and before.iteration == 0
        return not held and gain < limits.tol * problem.weight

    def report(state: State) -> None:
        mean = state.evaluation.objective / problem.weight
        print(f"iteration {state.iteration:4d}  objective per row {mean:.9g}", flush=True)

    go = partial(
        run,
        problem,
        step=step,
        optimal=optimal,
        report=report if limits.verbose else None,
    )
    return named_run(problem, start, go, limits.max_iter, sizes, named=named)


def named_run(
    problem: Nameable,
    start: Parameters,
    go: Callable[..., Outcome],
    max_iter: int,
    sizes: IntArray,
    *,
    named: bool,
) -> Outcome:
    """Run from a start; name the latent classes; where names changed, run on (methods.md §1).

    Parameters
    ----------
    problem : Nameable
    start : Parameters
    go : callable
        ``go(start, max_iter=...) -> Outcome``.
    max_iter : int
    sizes : (K,) integer array
        Numbers of components; only classes of equal sizes may exchange names.
    named : bool
        Whether something other than the channel fixes the names of the classes.
    """
    outcome = go(start, max_iter=max_iter)
    counts = outcome.evaluation.counts
    names = None if counts is None or named else problem.channel.naming(counts, sizes)
    if names is None:
        return outcome
    parameters = outcome.evaluation.parameters
    renamed = Parameters(
        problem.model.renamed(parameters.model, names),
        problem.channel.renamed(parameters.channel, names),
    )
    # Other names mean another prior (and, where flips are symmetric, another likelihood): the
    # history starts anew.
    return go(renamed, max_iter=max(max_iter - len(outcome.history), 1))
