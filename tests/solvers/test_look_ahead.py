from __future__ import annotations

import numpy as np
import pytest
from tests.models.logits import make_logits

from labelief.solvers import Parameters, look_ahead
from labelief.solvers.loop import State
from labelief.solvers.quasi_newton import flat, lbfgs

ahead = look_ahead.look_ahead


def start_of(problem):
    return Parameters(problem.model.start(), problem.channel.start())


@pytest.fixture
def many(monkeypatch):
    """A problem with rows enough for a sample."""
    monkeypatch.setattr(look_ahead, "_ROWS", 20)
    return make_logits(labels="crisp", n=6000).problem


def test_few_rows_are_not_sampled():
    problem = make_logits(labels="crisp").problem
    start = start_of(problem)
    assert ahead(problem, start) == (start, None)
    assert problem.n_passes == 0


def test_a_sample_that_would_fill_much_is_not_drawn(many, monkeypatch):
    monkeypatch.setattr(look_ahead, "_DOUBLES", 100)
    assert ahead(many, start_of(many))[1] is None


def test_the_start_lies_nearer_and_the_metric_fits(many):
    start = start_of(many)
    nearer, metric = ahead(many, start)
    objectives = [many.evaluate(parameters).objective for parameters in (start, nearer)]
    assert objectives[1] > objectives[0]

    def climb(from_, metric):
        passes = many.n_passes
        outcome = lbfgs(
            many,
            from_,
            max_iter=200,
            optimal=lambda before, after: flat(many, after.evaluation, 1e-6),
            metric=metric,
        )
        assert outcome.converged
        return outcome, many.n_passes - passes

    plain, far = climb(start, None)
    led, near = climb(nearer, metric)
    assert near < far
    assert led.evaluation.objective == pytest.approx(plain.evaluation.objective, rel=1e-9)


def test_the_sample_bears_its_share_of_the_penalty(many, monkeypatch):
    seen = []
    true_lbfgs = look_ahead.lbfgs

    def spy(problem, start, **settings):
        seen.append((problem.model.penalty, problem.weight, problem.blocks.n_rows))
        outcome = true_lbfgs(problem, start, **settings)
        assert settings["optimal"](None, State(outcome.evaluation))
        return outcome

    monkeypatch.setattr(look_ahead, "lbfgs", spy)
    ahead(many, start_of(many))
    [(penalty, weight, rows)] = seen
    assert rows == 20 * len(many.to_vector(start_of(many)))
    assert penalty == pytest.approx(many.model.penalty * weight / many.weight)
    assert np.isclose(weight, rows * many.weight / many.blocks.n_rows, rtol=0.1)
