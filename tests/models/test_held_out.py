from __future__ import annotations

import numpy as np
import pytest
from array_api_compat import array_namespace
from scipy.optimize import minimize_scalar
from scipy.special import softmax

from labelief.blocks import ArrayBlocks
from labelief.blocks.evidence import Dense
from labelief.channels.trusted import BoundTrust
from labelief.models import HeldOut
from labelief.solvers import Parameters, Problem
from labelief.solvers.em import em_step
from labelief.solvers.loop import State


def rows(n=60, n_classes=3, seed=0):
    rng = np.random.default_rng(seed)
    return np.log(rng.dirichlet(np.ones(n_classes), n)), rng.random((n, n_classes)), rng.random(n)


def problem_of(X, pl, weights):
    n_classes = X.shape[1]
    blocks = ArrayBlocks(X, Dense(pl), weights, block_rows=7)
    return Problem(blocks, HeldOut(n_classes), BoundTrust(n_classes), n_classes)


def objective(t, X, pl, weights):
    """Straight from the formula, prior included."""
    q = softmax(np.exp(t) * X, axis=1)
    return float(weights @ np.log(np.sum(q * pl, axis=1)) - 0.5 * t * t)


@pytest.mark.parametrize("t", [-1.3, 0.0, 0.8])
def test_likelihood_and_slope_are_those_of_the_formula(t):
    X, pl, weights = rows()
    evaluation = problem_of(X, pl, weights).evaluate(Parameters(t, None))
    assert evaluation.objective == pytest.approx(objective(t, X, pl, weights))
    slope = HeldOut(3).gradient(evaluation.record, t)[0]
    step = 1e-6
    central = (objective(t + step, X, pl, weights) - objective(t - step, X, pl, weights)) / (
        2 * step
    )
    assert slope == pytest.approx(central, rel=1e-5)


def test_curvature_is_that_of_the_complete_data():
    X, pl, weights = rows()
    model, t = HeldOut(3), 0.4
    record = problem_of(X, pl, weights).evaluate(Parameters(t, None)).record
    q = softmax(np.exp(t) * X, axis=1)
    spread = np.sum(q * X**2, axis=1) - np.sum(q * X, axis=1) ** 2
    assert record[1] == pytest.approx(weights @ spread)
    joint = q * pl
    r = weights[:, None] * joint / joint.sum(axis=1, keepdims=True)
    assert record[0] == pytest.approx(np.sum((r - weights[:, None] * q) * X))
    assert model.row_term(X, model.factors(t)) == pytest.approx(
        -np.log(np.sum(np.exp(np.exp(t) * X), axis=1))
    )


def test_steps_lead_to_the_maximum():
    X, pl, weights = rows(seed=3)
    problem = problem_of(X, pl, weights)
    state = State(problem.evaluate(Parameters(0.0, None)))
    for _ in range(60):
        before = state.evaluation.objective
        state, info = em_step(problem, state)
        assert not info.fell
        assert state.evaluation.objective >= before
    best = minimize_scalar(lambda t: -objective(t, X, pl, weights), bounds=(-6, 6))
    assert state.evaluation.parameters.model == pytest.approx(best.x, abs=1e-3)


def test_one_step_changes_the_exponent_by_a_factor_of_two_at_most():
    model = HeldOut(2)
    assert model.maximise(np.array([1e6, 1.0]), 0.0) == pytest.approx(np.log(2.0))
    assert model.maximise(np.array([-1e6, 1.0]), 0.0) == pytest.approx(-np.log(2.0))


def test_probabilities_that_are_right_are_left_alone():
    rng = np.random.default_rng(1)
    p = rng.dirichlet([0.5, 0.5, 0.5], 20_000)
    truth = (rng.random((20_000, 1)) > np.cumsum(p, axis=1)).sum(axis=1)
    for power, expected in ((1.0, 1.0), (0.5, 2.0), (2.0, 0.5)):
        given = p**power / np.sum(p**power, axis=1, keepdims=True)
        problem = problem_of(np.log(np.maximum(given, 1e-300)), np.eye(3)[truth], None)
        state = State(problem.evaluate(Parameters(0.0, None)))
        for _ in range(20):
            state, _ = em_step(problem, state)
        beta = np.exp(state.evaluation.parameters.model)
        assert beta == pytest.approx(expected, rel=0.05)


def test_kernels_run_in_every_array_library(xp):
    X, R, _ = rows(9)
    model = HeldOut(3)
    ours = model.factors(0.3)
    theirs = (xp.asarray(ours[0]),)
    features = model.features(xp.asarray(X), theirs)
    joint = model.log_joint(features, theirs)
    likelihood = array_namespace(joint).exp(joint)
    found = model.statistics(features, xp.asarray(R), likelihood, theirs)
    expected = model.statistics(X, R, np.exp(X * ours[0]), ours)
    np.testing.assert_allclose(np.asarray(found), expected)
    np.testing.assert_allclose(
        np.asarray(model.row_term(features, theirs)), model.row_term(X, ours)
    )


def test_the_parameter_is_its_own_vector():
    model = HeldOut(4)
    assert model.from_vector(model.to_vector(0.7)) == 0.7
    assert model.renamed(0.7, np.array([1, 0, 2, 3])) == 0.7
    assert model.n_parameters() == 1 and model.row_term_total(0.7) == 0.0
    assert model.component_class.tolist() == [0, 1, 2, 3] and model.width >= 12
