from __future__ import annotations

import numpy as np
import pytest
from tests.models.logits import CHANNELS, make_logits

from labelief.models.newton import complete_curvature, observed_curvature
from labelief.solvers import Parameters, Status, em_step, lead_in, run
from labelief.solvers.lead_in import curved_step, led_lbfgs
from labelief.solvers.quasi_newton import flat, lbfgs

TOL = 1e-7


def start_of(problem):
    return Parameters(problem.model.start(), problem.channel.start())


def drive(problem, go, max_iter=3000, **settings):
    def optimal(before, after):
        return flat(problem, after.evaluation, TOL)

    return go(problem, start_of(problem), max_iter=max_iter, optimal=optimal, **settings)


def by_em(problem, start, **settings):
    return run(problem, start, em_step, **settings)


def by_curved_steps(problem, start, **settings):
    return run(problem, start, curved_step, **settings)


@pytest.mark.parametrize("penalty", [0.01, 2.0])
@pytest.mark.parametrize("K", [2, 4])
@pytest.mark.parametrize("channel", CHANNELS)
def test_all_ways_lead_to_the_maximum_of_em(channel, K, penalty):
    def case(curvatures=None):
        extra = {} if curvatures is None else {"curvatures": curvatures}
        return make_logits(channel, K, penalty=penalty, n=150, **extra).problem

    em = drive(case(complete_curvature), by_em)
    led = drive(case(), led_lbfgs)
    newton = drive(case(observed_curvature), by_curved_steps)
    for outcome in (led, newton):
        assert outcome.converged
        assert outcome.evaluation.objective >= em.evaluation.objective - 1e-6
        assert np.all(np.diff(outcome.history) >= -1e-9)


@pytest.mark.parametrize("channel", CHANNELS)
def test_it_takes_fewer_passes_than_em(channel):
    em = make_logits(channel, n=150, curvatures=complete_curvature).problem
    led = make_logits(channel, n=150).problem
    drive(em, by_em)
    drive(led, led_lbfgs)
    assert led.n_passes < em.n_passes


def test_passes_of_the_lead_are_counted_and_reported():
    problem = make_logits(n=150).problem
    states = []
    outcome = drive(problem, led_lbfgs, report=states.append)
    assert [state.iteration for state in states] == list(range(1, len(outcome.history) + 1))
    assert problem.n_passes >= len(outcome.history)


def test_the_cap_holds_for_lead_and_rest_together():
    outcome = drive(make_logits("full", n=150).problem, led_lbfgs, max_iter=3)
    assert outcome.status is Status.ITERATION_CAP
    assert len(outcome.history) == 3


@pytest.mark.parametrize("channel", CHANNELS)
def test_where_a_hessian_costs_much_none_is_measured(channel, monkeypatch):
    monkeypatch.setattr(lead_in, "_WORK", 0.0)
    monkeypatch.setattr(lead_in, "_by_em", None)
    problem = make_logits(channel, n=150).problem
    outcome = drive(problem, led_lbfgs)
    assert outcome.converged
    if channel == "trusted":
        start = start_of(problem)
        plain = drive(problem, lbfgs)
        assert outcome.history == plain.history
        assert outcome.history[0] > problem.evaluate(start).objective


def test_the_first_step_of_a_learned_channel_leaves_the_channel_alone(monkeypatch):
    monkeypatch.setattr(lead_in, "_WORK", 0.0)
    problem = make_logits("full", n=150).problem
    states = []
    drive(problem, led_lbfgs, max_iter=1, report=states.append)
    np.testing.assert_array_equal(states[0].evaluation.parameters.channel, problem.channel.start())
    assert np.any(states[0].evaluation.parameters.model.coefficients != 0.0)
