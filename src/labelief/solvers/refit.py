"""EM's outline for a classifier that can only be refitted: no step is promised to climb.

The M-step is a refit under the responsibilities, by a classifier that minimises some loss and
penalty of its own, so the likelihood may fall.  Hence a driver of its own, with no acceleration: it
stops where the responsibilities have settled.  Probabilities that were asked out of fold judge the
iterates besides: it stops where their objective rises no more, and returns the best that it saw.
(Asked of the rows that were learned, a classifier scores best where it only confirms what it was
told, and a penalised one where the penalty counts least: that objective judges nothing.)
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from labelief._typing import BoolArray, FloatArray
from labelief.blocks.arrays import ArrayBlocks
from labelief.blocks.evidence import Evidence
from labelief.channels.contract import BoundChannel
from labelief.models.given import GivenProbabilities
from labelief.solvers import views
from labelief.solvers.loop import Outcome, Status
from labelief.solvers.problem import Evaluation, Parameters, Problem

__all__ = ["Answer", "Refit", "RefitProblem", "refit"]

# A class that some label supports is never quite impossible: a 0 of trees or neighbours says that
# none of a few rows had it, and one such row would make the objective minus infinity.
_FLOOR = np.log(1e-6)
# Iterations without a gain before the run is over: one fall may be noise.
_PATIENCE = 2


class Answer(NamedTuple):
    """What refitted classifiers say of the rows.

    Attributes
    ----------
    log_probabilities : (n, K) array
    fitted : estimator or None
        The one classifier that said it all, if it was one.
    """

    log_probabilities: FloatArray
    fitted: Any


class Refit(NamedTuple):
    """Record of an evaluation: the next responsibilities, and the classifier that was judged."""

    responsibilities: FloatArray
    fitted: Any


class RefitProblem:
    """The likelihood ``Π_i Σ_k pl_i(k; γ) Pr(k | x_i)`` where Pr comes from a classifier.

    Parameters
    ----------
    ask : callable
        ``ask(responsibilities) -> Answer``: refit, and ask about every row.
    evidence : Evidence
    weights : (n,) array
    channel : BoundChannel
    supported : (K,) bool array
        Classes that some label supports; others keep probability 0.
    """

    def __init__(
        self,
        ask: Callable[[FloatArray], Answer],
        evidence: Evidence,
        weights: FloatArray,
        channel: BoundChannel,
        supported: BoolArray,
    ) -> None:
        self.ask = ask
        self.evidence = evidence
        self.weights = weights
        self.channel = channel
        self.supported = supported
        self.model = GivenProbabilities(len(supported))
        self.weight = float(np.sum(weights))

    def evaluate(self, parameters: Parameters) -> Evaluation:
        """Refit under responsibilities, and run the E-step on what comes out.

        Parameters
        ----------
        parameters : Parameters
            Responsibilities, (n, K), and the channel's parameters.
        """
        answer = self.ask(parameters.model)
        floored = np.maximum(answer.log_probabilities, _FLOOR)
        rows = np.where(self.supported, floored, -np.inf)
        blocks = ArrayBlocks(rows, self.evidence, self.weights)
        problem = Problem(blocks, self.model, self.channel, len(self.supported))
        seen = problem.evaluate(parameters)
        likelihoods = self.channel.likelihoods(parameters.channel)
        responsibilities = blocks.map_rows(
            partial(views.posteriors, self.model), ((), likelihoods, None, None), self.model.width
        )
        record = Refit(responsibilities, answer.fitted)
        return Evaluation(parameters, seen.objective, seen.log_likelihood, record, seen.counts)

    def movement(self, evaluation: Evaluation) -> float:
        """Return the share of weight that the E-step moves, ``½ Σ_ik w_i |Δζ_ik| / Σ_i w_i``."""
        step = np.abs(evaluation.record.responsibilities - evaluation.parameters.model)
        return float(0.5 * self.weights @ np.sum(step, axis=1) / self.weight)

    def maximise(self, evaluation: Evaluation) -> Parameters:
        """Return the next responsibilities and the channel's M-step."""
        channel = evaluation.parameters.channel
        if evaluation.counts is not None:
            channel = self.channel.maximise(evaluation.counts, channel)
        return Parameters(evaluation.record.responsibilities, channel)


def refit(
    problem: RefitProblem,
    start: Parameters,
    *,
    max_iter: int,
    tol: float,
    held_out: bool,
    report: Callable[[int, Evaluation], None] | None = None,
) -> Outcome:
    """Refit and judge in turn.

    Parameters
    ----------
    problem : RefitProblem
    start : Parameters
    max_iter : int
    tol : float
        The run has converged when the E-step moves no more than this share of the rows' weight
        from class to class.
    held_out : bool
        Whether each row is asked of a classifier that did not see it.  The run then also ends after
        two iterations in a row that raise the best objective by no more than `tol` per row, and the
        iterate of the highest objective is returned; if not, the last is.
    report : callable, default=None
        Called with the iteration and its evaluation.
    """
    evaluation = best = problem.evaluate(start)
    history = [evaluation.objective]
    gain, waited = tol * problem.weight, 0
    while True:
        if report is not None:
            report(len(history), evaluation)
        returned = best if held_out else evaluation
        # The first iteration is before the channel has learned anything.
        held = problem.channel.learned and len(history) == 1
        if not held and problem.movement(evaluation) <= tol:
            return Outcome(returned, history, Status.CONVERGED)
        if waited == _PATIENCE:
            fell = evaluation.objective < best.objective - gain
            return Outcome(best, history, Status.OBJECTIVE_FELL if fell else Status.CONVERGED)
        if len(history) >= max_iter:
            return Outcome(returned, history, Status.ITERATION_CAP)
        evaluation = problem.evaluate(problem.maximise(evaluation))
        history.append(evaluation.objective)
        rose = evaluation.objective > best.objective + gain
        waited = 0 if rose or not held_out else waited + 1
        if evaluation.objective > best.objective:
            best = evaluation
