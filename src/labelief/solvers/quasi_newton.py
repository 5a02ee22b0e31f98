"""The objective climbed by its gradient: the stop rule of discriminative fits, and L-BFGS.

``∇ log L = Σ_ik ζ_ik ∇ log [pl_i(k) p_k(x_i)]`` (Fisher's identity), so the sums that an M-step
needs are the gradient of the objective itself, and one pass over the rows is one evaluation
(methods.md §1).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol, cast

import numpy as np
from scipy.linalg import solve_triangular
from scipy.optimize import OptimizeResult, minimize

from labelief._typing import FloatArray
from labelief.models.contract import Model
from labelief.solvers.loop import Outcome, State, Status, checked_start
from labelief.solvers.problem import Evaluation, Parameters, Problem

__all__ = ["Curvable", "Differentiable", "flat", "gradient", "lbfgs", "metric_of", "settled"]

# Pairs of steps that the curvature is remembered by.
_MEMORY = 20
# What is added to the curvature per row: in directions without any it holds the step.
_JITTER = 1e-6


class Differentiable(Model, Protocol):
    """A model whose objective has a gradient."""

    def gradient(self, record: Any, parameters: Any) -> FloatArray:
        """Return the gradient of the objective in the coordinates of `to_vector`."""

    def slope(self, record: Any, parameters: Any) -> FloatArray:
        """Return it in the coordinates in which users see the parameters."""


class Curvable(Differentiable, Protocol):
    """A differentiable model that knows its complete-data curvature, so that EM can drive it."""

    @property
    def hessian_entries(self) -> int:
        """Return how many numbers a record of the curvature holds."""

    def curved(self) -> Curvable:
        """Return the model with records that hold the curvature, for `maximise`."""

    def curvature(self, record: Any) -> FloatArray:
        """Return minus the complete-data Hessian, prior included, from a record of `curved`."""

    def near_maximum(self, record: Any, parameters: Any) -> bool:
        """Say whether the nearest maximum is that of the quadratic that fits here."""


def metric_of(model: Curvable, record: Any, weight: float) -> FloatArray:
    """Return M with ``M Mᵀ = W H⁻¹``: in coordinates ``v = M z`` the curvature is about W."""
    hessian = model.curvature(record) / weight
    size = len(hessian)
    factor = np.linalg.cholesky(hessian + _JITTER * np.eye(size))
    return np.asarray(solve_triangular(factor, np.eye(size), lower=True).T)


def gradient(problem: Problem, evaluation: Evaluation) -> FloatArray:
    """Return the gradient of the objective in the coordinates of ``problem.to_vector``."""
    parameters = evaluation.parameters
    of_model = _model(problem).gradient(evaluation.record, parameters.model)
    if evaluation.counts is None:
        return of_model
    of_channel = problem.channel.gradient(evaluation.counts, parameters.channel)
    return np.concatenate([of_model, of_channel])


def flat(problem: Problem, evaluation: Evaluation, tol: float, *, seen: bool = True) -> bool:
    """Say whether the gradient's max-norm, divided by the rows' weight, is at most `tol`.

    Measured in well-scaled coordinates, so that tiny features do not hide a slope; and, if `seen`,
    in the users' coordinates too.
    """
    slopes = [gradient(problem, evaluation)]
    if seen:
        slopes.append(_model(problem).slope(evaluation.record, evaluation.parameters.model))
    return all(bool(np.all(np.abs(slope) <= tol * problem.weight)) for slope in slopes)


def settled(problem: Problem, outcome: Outcome, tol: float) -> Outcome:
    """Correct how a run ended, by the gradient.

    Where nothing higher is found beyond rounding, a slope above `tol` in the users' coordinates may
    be rounding itself (features of 1e150), so well-scaled coordinates decide; and a run that moves
    no more though a slope is left has stalled, not converged.
    """
    if outcome.status is Status.ITERATION_CAP:
        return outcome
    if flat(problem, outcome.evaluation, tol, seen=False):
        return replace(outcome, status=Status.CONVERGED)
    return replace(outcome, status=Status.STALLED) if outcome.converged else outcome


def lbfgs(
    problem: Problem,
    start: Parameters,
    *,
    max_iter: int,
    optimal: Callable[[State, State], bool],
    report: Callable[[State], None] | None = None,
    metric: FloatArray | None = None,
) -> Outcome:
    """Climb by SciPy's L-BFGS, whose line searches each end on a higher objective.

    The scale of the vectors makes the first step go along the gradient by its own length, which is
    Newton's step where the curvature is W in every coordinate.  A run that ends without meeting
    `optimal` has stalled: nothing higher is found beyond rounding.

    Parameters
    ----------
    problem : Problem
        Whose model is :class:`Differentiable`.
    start : Parameters
    max_iter : int
    optimal : callable
        Whether to stop, given the states before and after an iteration.
    report : callable, default=None
        Called with each new state.
    metric : (p, p) array, default=None
        A matrix M in whose coordinates, ``v = M z``, the curvature is about W; None is the
        identity.
    """
    climb = _Climb(problem, checked_start(problem, start), optimal, report, metric)
    if optimal(climb.state, climb.state):
        climb.status = Status.CONVERGED
    else:
        climb.run(max_iter)
    if climb.status is None:
        capped = climb.state.iteration >= max_iter
        climb.status = Status.ITERATION_CAP if capped else Status.STALLED
    evaluation = climb.state.evaluation
    return Outcome(evaluation, climb.history or [evaluation.objective], climb.status)


class _Climb:
    """What passes between SciPy and the problem; evaluations are remembered, none is repeated."""

    def __init__(
        self,
        problem: Problem,
        state: State,
        optimal: Callable[[State, State], bool],
        report: Callable[[State], None] | None,
        metric: FloatArray | None,
    ) -> None:
        self.problem = problem
        self.state = state
        self.optimal = optimal
        self.report = report
        self.metric = metric
        self.status: Status | None = None
        self.history: list[float] = []
        self._origin = np.empty(0)
        self._unit = 1.0
        self._recent: list[tuple[FloatArray, Evaluation]] = []

    def run(self, max_iter: int) -> None:
        """Climb until `status` is set, nothing is gained, or `max_iter` iterations."""
        evaluation = self.state.evaluation
        self._origin = self.problem.to_vector(evaluation.parameters)
        self._unit = float(np.linalg.norm(self._slope(evaluation))) or 1.0
        origin = np.zeros_like(self._origin)
        self._recent = [(origin, evaluation)]
        minimize(
            self._descent,
            origin,
            jac=True,
            method="L-BFGS-B",
            callback=self._accept,
            options={
                "maxiter": max_iter,
                "maxfun": 50 * max_iter,
                "maxcor": _MEMORY,
                "ftol": 0.0,
                "gtol": 0.0,
            },
        )

    def reach(self, evaluation: Evaluation) -> None:
        """Take an iteration's end; set `status` where the run is over."""
        before = self.state
        if not evaluation.objective >= before.evaluation.objective:
            self.status = Status.STALLED
            return
        self.state = State(evaluation, before.iteration + 1)
        self.history.append(evaluation.objective)
        if self.report is not None:
            self.report(self.state)
        if self.optimal(before, self.state):
            self.status = Status.CONVERGED

    def _slope(self, evaluation: Evaluation) -> FloatArray:
        """Return the gradient per row in the coordinates of the metric."""
        slope = gradient(self.problem, evaluation) / self.problem.weight
        return slope if self.metric is None else self.metric.T @ slope

    def _descent(self, scaled: FloatArray) -> tuple[float, FloatArray]:
        """Return minus the objective per row and its gradient."""
        evaluation = self._evaluated(scaled)
        if not np.isfinite(evaluation.objective):
            # Worse than where the search stands, by what makes its interpolation step back.
            here = self.state.evaluation.objective / self.problem.weight
            return 1.0 + abs(here) - here, np.zeros_like(scaled)
        return -evaluation.objective / self.problem.weight, -self._unit * self._slope(evaluation)

    def _accept(self, intermediate_result: OptimizeResult) -> None:
        evaluation = self._evaluated(np.asarray(intermediate_result.x))
        self.reach(evaluation)
        self._recent = self._recent[-1:]
        if self.status is not None:
            raise StopIteration

    def _evaluated(self, scaled: FloatArray) -> Evaluation:
        for known, evaluation in reversed(self._recent):
            if np.array_equal(known, scaled):
                return evaluation
        step = self._unit * (scaled if self.metric is None else self.metric @ scaled)
        evaluation = self.problem.evaluate(self.problem.from_vector(self._origin + step))
        self._recent.append((scaled.copy(), evaluation))
        return evaluation


def _model(problem: Problem) -> Differentiable:
    return cast(Differentiable, problem.model)
