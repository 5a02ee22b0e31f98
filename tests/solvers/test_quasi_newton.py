from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize
from tests.models.logits import CHANNELS, make_logits, some_vector

from labelief.models.newton import complete_curvature
from labelief.solvers import Parameters, Status
from labelief.solvers.loop import Outcome
from labelief.solvers.quasi_newton import flat, gradient, lbfgs, metric_of, settled

TOL = 1e-8


def start_of(problem):
    return Parameters(problem.model.start(), problem.channel.start())


def climb(problem, start=None, tol=TOL, max_iter=500, **settings):
    def optimal(before, after):
        return flat(problem, after.evaluation, tol)

    start = start_of(problem) if start is None else start
    return lbfgs(problem, start, max_iter=max_iter, optimal=optimal, **settings)


@pytest.mark.parametrize("channel", CHANNELS)
def test_gradient_holds_model_and_channel(channel):
    case = make_logits(channel)
    vector = some_vector(case)
    found = gradient(case.problem, case.problem.evaluate(case.problem.from_vector(vector)))
    steps = 1e-6 * np.eye(len(vector))
    numerical = [(case.objective(vector + s) - case.objective(vector - s)) / 2e-6 for s in steps]
    np.testing.assert_allclose(found, numerical, atol=1e-5)


@pytest.mark.parametrize("channel", CHANNELS)
def test_ends_where_a_search_of_the_written_objective_ends(channel):
    case = make_logits(channel)
    outcome = climb(case.problem)
    assert outcome.converged
    problem = case.problem
    best = problem.to_vector(outcome.evaluation.parameters)
    assert outcome.evaluation.objective == pytest.approx(case.objective(best), rel=1e-12)
    rival = minimize(lambda v: -case.objective(v), best, method="BFGS", options={"gtol": 1e-7})
    assert -rival.fun <= outcome.evaluation.objective + 1e-7


@pytest.mark.parametrize("labels", ["soft", "crisp"])
def test_history_rises_and_ends_at_what_is_returned(labels):
    case = make_logits(labels=labels)
    states = []
    outcome = climb(case.problem, report=states.append)
    assert np.all(np.diff(outcome.history) >= 0)
    assert outcome.history[-1] == outcome.evaluation.objective
    assert [state.evaluation.objective for state in states] == outcome.history
    assert [state.iteration for state in states] == list(range(1, len(states) + 1))


def test_no_point_is_evaluated_twice():
    case = make_logits()
    seen = []
    evaluate = case.problem.evaluate
    case.problem.evaluate = lambda parameters: (
        seen.append(case.problem.to_vector(parameters)) or evaluate(parameters)
    )
    climb(case.problem)
    assert len(np.unique(np.array(seen), axis=0)) == len(seen)


def test_iteration_cap_is_no_convergence():
    outcome = climb(make_logits().problem, max_iter=2)
    assert outcome.status is Status.ITERATION_CAP
    assert len(outcome.history) == 2


def test_a_run_that_finds_nothing_higher_has_stalled():
    outcome = climb(make_logits().problem, tol=0.0)
    assert outcome.status is Status.STALLED


def test_a_start_at_the_top_stays_there():
    problem = make_logits().problem
    top = climb(problem).evaluation.parameters
    passes = problem.n_passes
    outcome = climb(problem, top)
    assert outcome.converged and problem.n_passes == passes + 1
    assert len(outcome.history) == 1


def test_flat_looks_at_both_kinds_of_coordinates():
    """Tiny features hide a slope in the users' coordinates, huge ones blow up rounding there."""
    for shift in (0.0, 1e6):
        problem = make_logits(shift=shift).problem
        evaluation = problem.evaluate(start_of(problem))
        own = np.max(np.abs(gradient(problem, evaluation))) / problem.weight
        seen = problem.model.slope(evaluation.record, evaluation.parameters.model)
        users = np.max(np.abs(seen)) / problem.weight
        assert flat(problem, evaluation, 1.01 * max(own, users))
        assert not flat(problem, evaluation, 0.99 * max(own, users))
        assert flat(problem, evaluation, 1.01 * own, seen=False)
        assert not flat(problem, evaluation, 0.99 * own, seen=False)


@pytest.mark.parametrize(
    ("status", "at_top", "expected"),
    [
        (Status.STALLED, True, Status.CONVERGED),
        (Status.CONVERGED, False, Status.STALLED),
        (Status.ITERATION_CAP, True, Status.ITERATION_CAP),
        (Status.OBJECTIVE_FELL, False, Status.OBJECTIVE_FELL),
    ],
)
def test_the_gradient_has_the_last_word(status, at_top, expected):
    problem = make_logits().problem
    top = climb(problem)
    start = problem.evaluate(start_of(problem))
    outcome = Outcome(top.evaluation if at_top else start, [0.0], status)
    assert settled(problem, outcome, 1e-6) == replace(outcome, status=expected)


def test_metric_makes_the_curvature_the_weight():
    case = make_logits(curvatures=complete_curvature)
    model, problem = case.problem.model, case.problem
    record = problem.evaluate(problem.from_vector(some_vector(case))).record
    M = metric_of(model, record, problem.weight)
    curved = M.T @ model.curvature(record) @ M
    np.testing.assert_allclose(curved, problem.weight * np.eye(len(M)), rtol=1e-4, atol=1e-3)


def test_any_metric_leads_to_the_same_top():
    problem = make_logits(labels="crisp").problem
    size = len(problem.to_vector(start_of(problem)))
    metric = np.eye(size) + 0.3 * np.tri(size)
    plain, turned = climb(problem), climb(problem, metric=metric)
    np.testing.assert_allclose(
        problem.to_vector(turned.evaluation.parameters),
        problem.to_vector(plain.evaluation.parameters),
        atol=1e-5,
    )


def test_a_point_that_is_not_finite_is_worse_than_any():
    problem = make_logits().problem
    evaluate, count = problem.evaluate, []

    def broken(parameters):
        count.append(1)
        found = evaluate(parameters)
        return replace(found, objective=np.nan) if len(count) == 2 else found

    problem.evaluate = broken
    outcome = climb(problem)
    assert outcome.converged
    assert np.all(np.isfinite(outcome.history))
