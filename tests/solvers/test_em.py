from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from tests.models.families import FAMILIES
from tests.solvers.settings import CHANNELS, make_setting

from labelief.blocks import ArrayBlocks, Dense
from labelief.channels import Trusted
from labelief.models import ComponentModel, FullGaussian
from labelief.models.components import ComponentParameters
from labelief.models.gaussian import MatrixParameters
from labelief.models.shrinkage import Strength
from labelief.solvers import Parameters, Problem, State, em_step, run, squarem_step
from labelief.solvers.loop import Status, rounding

STEPS = {"em": em_step, "squarem": squarem_step}


def small_gain(problem, tol, before, after):
    held = problem.channel.learned and before.iteration == 0
    gain = after.evaluation.objective - before.evaluation.objective
    return not held and gain < tol * problem.weight


def climb(setting, step, tol=1e-10, max_iter=3000):
    optimal = partial(small_gain, setting.problem, tol)
    return run(setting.problem, setting.parameters, step, max_iter=max_iter, optimal=optimal)


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("channel", CHANNELS)
@pytest.mark.parametrize("name", FAMILIES)
def test_no_step_lowers_the_objective(name, channel, step):
    setting = make_setting(name, channel)
    state = State(setting.problem.evaluate(setting.parameters))
    for _ in range(15):
        new, info = STEPS[step](setting.problem, state)
        assert not info.fell
        before, after = state.evaluation.objective, new.evaluation.objective
        assert after >= before - rounding(setting.problem, before)
        assert new.iteration == state.iteration + 1
        # What a state says of its parameters is true of them.
        again = setting.problem.evaluate(new.evaluation.parameters)
        assert again.objective == pytest.approx(after, rel=1e-13)
        state = new


@pytest.mark.parametrize("channel", ["full", "symmetric"])
def test_the_first_step_leaves_the_channel_alone(channel):
    setting = make_setting("full", channel)
    first, _ = em_step(setting.problem, State(setting.problem.evaluate(setting.parameters)))
    assert first.evaluation.parameters.channel is setting.parameters.channel
    second, _ = em_step(setting.problem, first)
    change = second.evaluation.parameters.channel - setting.parameters.channel
    assert np.abs(change).max() > 1e-4


def test_a_first_step_that_stands_still_is_not_the_end_of_a_channel():
    setting = make_setting("full", "full")
    limits = {"max_iter": 2000, "optimal": partial(small_gain, setting.problem, 1e-15)}
    best = run(setting.problem, setting.parameters, em_step, **limits).evaluation.parameters
    # The model is at its optimum for this channel; the channel is not.
    start = Parameters(best.model, np.array([[0.4, 0.3, 0.3], [0.3, 0.4, 0.3], [0.3, 0.3, 0.4]]))
    state, info = em_step(setting.problem, State(setting.problem.evaluate(start)))
    assert not info.stationary
    state, info = em_step(setting.problem, state)
    assert not info.stationary
    assert state.evaluation.objective > setting.problem.evaluate(start).objective


@pytest.mark.parametrize("step", STEPS)
def test_a_fixed_point_is_stationary(step):
    setting = make_setting("diagonal")
    outcome = climb(setting, em_step, tol=-1.0, max_iter=4000)
    assert outcome.status in (Status.CONVERGED, Status.ITERATION_CAP)
    best = outcome.evaluation
    passes = setting.problem.n_passes
    state, info = STEPS[step](setting.problem, State(best, 5))
    assert info.stationary
    assert not info.fell
    assert state.iteration == 6
    assert state.evaluation is best
    # At most one pass was spent on finding out.
    assert setting.problem.n_passes <= passes + 3


@pytest.mark.parametrize("channel", ["trusted", "full", "symmetric"])
@pytest.mark.parametrize("name", FAMILIES)
def test_acceleration_finds_the_same_optimum(name, channel):
    setting = make_setting(name, channel, (0, 1, 2))
    # Near one of several optima, so that both climb the same.
    near = climb(setting, em_step, max_iter=40, tol=0.0).evaluation.parameters
    setting = replace(setting, parameters=near)
    plain, fast = (climb(setting, STEPS[step]) for step in ("em", "squarem"))
    assert plain.converged and fast.converged
    assert fast.evaluation.objective == pytest.approx(plain.evaluation.objective, rel=1e-6)
    assert np.all(np.diff(fast.history) >= -1e-10)
    assert len(fast.history) <= len(plain.history)


@pytest.mark.parametrize("name", FAMILIES)
def test_the_optimum_is_flat(name):
    setting = make_setting(name, "full", (0, 1, 2))
    problem = setting.problem
    best = climb(setting, squarem_step, tol=1e-13).evaluation
    vector = problem.to_vector(best.parameters)
    for p in range(len(vector)):
        step = 1e-4 * (np.arange(len(vector)) == p)
        up, down = (problem.evaluate(problem.from_vector(vector + s)) for s in (step, -step))
        slope = (up.objective - down.objective) / 2e-4
        assert abs(slope) < 2e-3 * problem.weight, p


def slow_mixture():
    """Two overlapping groups and vacuous labels: EM creeps."""
    rng = np.random.default_rng(0)
    X = np.r_[rng.normal(0.0, 1.0, (600, 1)), rng.normal(2.2, 1.0, (400, 1))]
    blocks = ArrayBlocks(X, Dense(np.ones((1000, 2))))
    density = FullGaussian()
    frame = density.frame(blocks)
    prior = density.fixed_prior(frame, Strength(1e-3))
    model = ComponentModel(density, frame, prior, np.arange(2))
    problem = Problem(blocks, model, Trusted().bind(2, blocks.evidence), 2)
    theta = MatrixParameters(np.array([[-1.0], [1.0]]), np.ones((2, 1, 1)))
    return problem, Parameters(ComponentParameters(np.array([0.5, 0.5]), theta), None)


def test_acceleration_pays_where_em_creeps():
    passes, ends = {}, {}
    for name, step in STEPS.items():
        problem, start = slow_mixture()
        outcome = run(
            problem, start, step, max_iter=5000, optimal=partial(small_gain, problem, 1e-10)
        )
        assert outcome.converged
        passes[name], ends[name] = problem.n_passes, outcome.evaluation.objective
    assert ends["squarem"] >= ends["em"] - 1e-4
    assert passes["squarem"] < passes["em"] / 3


def test_a_proposal_that_has_not_moved_costs_no_pass():
    setting = make_setting("full")
    problem = setting.problem
    current = problem.evaluate(setting.parameters)
    problem.maximise = lambda evaluation, **how: evaluation.parameters
    state, info = em_step(problem, State(current, 3))
    assert info.stationary
    assert state.iteration == 4
    assert state.evaluation is current
    assert problem.n_passes == 1


class Overshooting:
    """A problem whose every extrapolation is worse than what it started from, or no parameter."""

    def __init__(self, problem, how):
        self.problem, self.how, self.refused = problem, how, 0

    def __getattr__(self, name):
        return getattr(self.problem, name)

    def from_vector(self, vector):
        self.refused += 1
        if self.how == "error":
            raise np.linalg.LinAlgError("no such matrix")
        return self.problem.from_vector(vector + 100.0)


@pytest.mark.parametrize("how", ["error", "worse"])
def test_extrapolation_that_fails_gives_way_to_em(how):
    problem, start = slow_mixture()
    plain = State(problem.evaluate(start))
    for _ in range(10):
        plain, _ = em_step(problem, plain)
    broken = Overshooting(problem, how)
    fast, info = squarem_step(broken, State(plain.evaluation, 10))
    for _ in range(2):
        plain, _ = em_step(problem, plain)
    assert broken.refused == 1
    assert not info.fell
    assert fast.evaluation.objective == pytest.approx(plain.evaluation.objective, rel=1e-13)
