"""The loop on functions of one number, where every proposal can be foretold."""

from __future__ import annotations

import numpy as np
import pytest

from labelief.solvers import loop
from labelief.solvers.loop import Info, State, Status, judged, run
from labelief.solvers.problem import Evaluation


class Line:
    """A problem whose parameters are one number x and whose objective is f(x)."""

    weight = 1.0

    def __init__(self, function):
        self.function = function
        self.asked = []

    def evaluate(self, x):
        self.asked.append(x)
        value = float(self.function(x))
        return Evaluation(x, value, value, None, None)

    def to_vector(self, x):
        return np.array([x])

    def from_vector(self, vector):
        return float(vector[0])


def parabola(x):
    return -((x - 1.0) ** 2)


def stepping(proposals):
    """Return a step that proposes these numbers in turn."""

    def step(problem, state):
        evaluation, fell = judged(problem, state.evaluation, proposals[state.iteration])
        return State(evaluation, state.iteration + 1), Info(fell=fell)

    return step


def never(before, after):
    return False


def small_gain(before, after):
    return after.evaluation.objective - before.evaluation.objective < 1e-3


# ---------------------------------------------------------------------------------- judging


def test_a_proposal_that_rises_is_taken_as_it_is():
    line = Line(parabola)
    evaluation, fell = judged(line, line.evaluate(0.0), 1.5)
    assert (evaluation.parameters, fell) == (1.5, False)
    assert line.asked == [0.0, 1.5]


def test_a_proposal_that_falls_is_halved_until_it_does_not():
    line = Line(parabola)
    evaluation, fell = judged(line, line.evaluate(0.0), 8.0)
    assert line.asked == [0.0, 8.0, 4.0, 2.0]
    assert (evaluation.parameters, fell) == (2.0, False)
    assert evaluation.objective >= parabola(0.0)


@pytest.mark.parametrize("bad", [np.nan, -np.inf])
def test_what_is_not_a_number_is_a_fall(bad):
    line = Line(lambda x: bad if x > 1.2 else parabola(x))
    evaluation, fell = judged(line, line.evaluate(0.0), 4.0)
    assert (evaluation.parameters, fell) == (1.0, False)


def test_a_direction_that_only_falls_is_given_up():
    line = Line(parabola)
    current = line.evaluate(1.0)
    evaluation, fell = judged(line, current, 1e9)
    assert evaluation is current
    assert fell
    assert len(line.asked) == 1 + 1 + loop._HALVINGS


def test_a_fall_within_rounding_is_no_fall_and_no_progress():
    line = Line(lambda x: 1e6 - 1e-8 * x)
    current = line.evaluate(0.0)
    evaluation, fell = judged(line, current, 1.0)
    assert evaluation is current
    assert not fell
    assert loop.rounding(line, 1e6) > 1e-8


def test_halving_that_ends_within_rounding_stays():
    # Falls steeply at first; near the start by less than summation can make.
    line = Line(lambda x: 1e6 - x**2)
    current = line.evaluate(0.0)
    evaluation, fell = judged(line, current, 1.0)
    assert evaluation is current
    assert not fell


# --------------------------------------------------------------------------------- the loop


def test_history_has_the_objective_after_each_iteration():
    proposals = [0.5, 0.75, 0.9]
    outcome = run(Line(parabola), 0.0, stepping(proposals), max_iter=3, optimal=never)
    assert outcome.history == [parabola(x) for x in proposals]
    assert outcome.status is Status.ITERATION_CAP
    assert not outcome.converged
    assert outcome.evaluation.parameters == 0.9
    assert outcome.evaluation.objective == outcome.history[-1]


def test_history_never_falls_whatever_is_proposed():
    proposals = [30.0, -7.0, 1.0, 55.0, 1.1, 1.0]
    outcome = run(Line(parabola), -2.0, stepping(proposals), max_iter=6, optimal=small_gain)
    assert np.all(np.diff([parabola(-2.0), *outcome.history]) >= 0)


def test_convergence_is_the_stop_rules_word():
    proposals = [0.9, 0.99, 0.999, 0.9999]
    outcome = run(Line(parabola), 0.0, stepping(proposals), max_iter=99, optimal=small_gain)
    assert outcome.status is Status.CONVERGED
    assert outcome.converged
    assert len(outcome.history) == 3


def test_a_fall_is_never_convergence():
    def backwards(problem, state):
        return state, Info(fell=True)

    outcome = run(Line(parabola), 0.0, backwards, max_iter=5, optimal=lambda a, b: True)
    assert outcome.status is Status.OBJECTIVE_FELL
    assert not outcome.converged
    assert outcome.history == [parabola(0.0)]
    assert outcome.evaluation.parameters == 0.0


def test_a_fall_keeps_what_was_reached():
    outcome = run(Line(parabola), 0.0, stepping([1.0, 1e9]), max_iter=5, optimal=never)
    assert outcome.status is Status.OBJECTIVE_FELL
    assert outcome.history == [0.0]
    assert outcome.evaluation.parameters == 1.0


def test_a_stationary_step_has_converged():
    def still(problem, state):
        return State(state.evaluation, state.iteration + 1), Info(stationary=True)

    outcome = run(Line(parabola), 1.0, still, max_iter=5, optimal=never)
    assert outcome.status is Status.CONVERGED
    assert outcome.history == [0.0]


def test_each_state_is_reported_once():
    seen = []
    outcome = run(
        Line(parabola), 0.0, stepping([0.5, 0.75]), max_iter=2, optimal=never, report=seen.append
    )
    assert [state.iteration for state in seen] == [1, 2]
    assert [state.evaluation.objective for state in seen] == outcome.history


@pytest.mark.parametrize("bad", [np.nan, -np.inf, np.inf])
def test_a_start_at_which_labels_are_impossible_is_refused(bad):
    with pytest.raises(ValueError, match=r"`priors`.*matrix"):
        run(Line(lambda x: bad), 0.0, stepping([1.0]), max_iter=5, optimal=never)
