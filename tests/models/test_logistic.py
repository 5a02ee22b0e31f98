from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from scipy.sparse import csr_array
from tests.models.logits import make_logits, some_vector

from labelief.blocks import ArrayBlocks, Block, Dense
from labelief.blocks.evidence import Likelihoods
from labelief.channels.trusted import symbol_table
from labelief.kernels.namespace import to_host
from labelief.models.conditioning import condition
from labelief.models.logistic import LogisticModel, LogisticParameters
from labelief.models.newton import complete_curvature, observed_curvature
from labelief.solvers import Parameters
from labelief.solvers.problem import _pass
from labelief.solvers.quasi_newton import gradient
from labelief.solvers.views import log_evidence, probabilities

CHANNELS = ["trusted", "full", "symmetric"]
PROBLEMS = {
    "three classes": {},
    "two classes": {"K": 2},
    "five classes": {"K": 5},
    "crisp": {"labels": "crisp"},
    "unpenalised": {"penalty": 0.0},
    "sparse": {"sparse": True},
    "far": {"shift": 1e5},
    "an absent class": {"K": 4, "absent": (1,)},
    "blocks": {"block_rows": 7, "n_threads": 2},
}


@pytest.mark.parametrize("channel", CHANNELS)
@pytest.mark.parametrize("kind", PROBLEMS)
def test_objective_by_rows(kind, channel):
    case = make_logits(channel, **PROBLEMS[kind])
    for seed in range(2):
        vector = some_vector(case, seed)
        evaluation = case.problem.evaluate(case.problem.from_vector(vector))
        assert evaluation.objective == pytest.approx(case.objective(vector), rel=1e-9)


@pytest.mark.parametrize("channel", CHANNELS)
@pytest.mark.parametrize("kind", PROBLEMS)
def test_gradient_is_the_numerical_derivative(kind, channel):
    case = make_logits(channel, **PROBLEMS[kind])
    vector = some_vector(case)
    evaluation = case.problem.evaluate(case.problem.from_vector(vector))
    numerical = approx_fprime(vector, case.objective, 1e-6)
    np.testing.assert_allclose(gradient(case.problem, evaluation), numerical, atol=3e-3)


@pytest.mark.parametrize("kind", PROBLEMS)
def test_slope_is_the_derivative_in_intercepts_and_coefficients(kind):
    case = make_logits(**PROBLEMS[kind])
    model, center = case.problem.model, case.problem.model.frame.center
    parameters = case.problem.from_vector(some_vector(case)).model
    plain = np.vstack(
        [parameters.intercepts - center @ parameters.coefficients, parameters.coefficients]
    )

    def objective(flat):
        seen = flat.reshape(plain.shape)
        moved = LogisticParameters(seen[0] + center @ seen[1:], seen[1:])
        return case.problem.evaluate(Parameters(moved, None)).objective

    record = case.problem.evaluate(Parameters(parameters, None)).record
    numerical = approx_fprime(plain.ravel(), objective, 1e-7 if kind != "far" else 1e-11)
    got = model.slope(record, parameters)
    np.testing.assert_allclose(got, numerical.reshape(plain.shape), rtol=1e-3, atol=2e-2)


@pytest.mark.parametrize("kind", PROBLEMS)
def test_hessians_are_numerical_derivatives_of_the_gradient(kind):
    case = make_logits(**PROBLEMS[kind], curvatures=observed_curvature)
    problem, vector = case.problem, some_vector(case)
    model = problem.model

    def slope(v):
        evaluation = problem.evaluate(problem.from_vector(v))
        return gradient(problem, evaluation)

    steps = 1e-5 * np.eye(len(vector))
    numerical = np.array([(slope(vector + h) - slope(vector - h)) / 2e-5 for h in steps])
    record = problem.evaluate(problem.from_vector(vector)).record
    got = model.curvature(record) - model.hessian(record.observed)
    np.testing.assert_allclose(-got, numerical, atol=2e-4)


@pytest.mark.parametrize("kind", ["three classes", "two classes", "sparse", "an absent class"])
def test_complete_curvature_is_that_of_the_expected_complete_data(kind):
    """Hold the responsibilities: then the likelihood is that of crisp labels, weighed."""
    case = make_logits(**PROBLEMS[kind], curvatures=complete_curvature)
    problem, vector = case.problem, some_vector(case)
    here = problem.evaluate(problem.from_vector(vector))
    curvature = problem.model.curvature(here.record)
    np.testing.assert_allclose(curvature, curvature.T, atol=1e-9)
    factors = problem.model.factors(here.parameters.model)
    features = problem.model.features(case.X, factors)
    joint = problem.model.log_joint(features, factors)
    P = np.exp(joint) / np.exp(joint).sum(axis=1, keepdims=True)
    held = case.pl[:, case.classes] * P
    held = case.weights[:, None] * held / held.sum(axis=1, keepdims=True)

    def slope(v):
        parameters = problem.model.from_vector(v)
        factors = problem.model.factors(parameters)
        rows = problem.model.features(case.X, factors)
        likelihood = np.exp(problem.model.log_joint(rows, factors))
        record = problem.model.statistics(rows, held, likelihood, factors)
        return problem.model.gradient(record, parameters)

    steps = 1e-5 * np.eye(len(vector))
    numerical = np.array([(slope(vector + h) - slope(vector - h)) / 2e-5 for h in steps])
    np.testing.assert_allclose(-curvature, numerical, atol=2e-4)


@pytest.mark.parametrize("kind", PROBLEMS)
@pytest.mark.parametrize("curvatures", [complete_curvature, observed_curvature])
def test_a_step_leads_upwards(kind, curvatures):
    case = make_logits(**PROBLEMS[kind], curvatures=curvatures)
    for seed in range(3):
        here = case.problem.evaluate(case.problem.from_vector(some_vector(case, seed)))
        step = case.problem.to_vector(case.problem.maximise(here)) - case.problem.to_vector(
            here.parameters
        )
        assert step @ gradient(case.problem, here) > 0


@pytest.mark.parametrize("kind", PROBLEMS)
def test_vectors_and_parameters_go_both_ways(kind):
    case = make_logits(**PROBLEMS[kind])
    model = case.problem.model
    vector = np.random.default_rng(0).normal(size=len(some_vector(case)))
    parameters = model.from_vector(vector)
    np.testing.assert_allclose(model.to_vector(parameters), vector, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(parameters.intercepts.sum(), 0.0, atol=1e-12)
    np.testing.assert_allclose(parameters.coefficients.sum(axis=1), 0.0, atol=1e-12)
    start = model.start()
    assert not np.any(start.intercepts) and not np.any(start.coefficients)
    assert model.n_parameters() == len(vector)


def test_names_move_columns_along():
    case = make_logits(K=5, absent=(2,))
    model = case.problem.model
    parameters = model.from_vector(np.random.default_rng(0).normal(size=15))
    names = np.array([1, 3, 2, 0, 4])
    renamed = model.renamed(parameters, names)
    column = {int(k): j for j, k in enumerate(case.classes)}
    for old, new in enumerate(names):
        if old != 2:
            j, i = column[old], column[int(new)]
            np.testing.assert_array_equal(renamed.coefficients[:, i], parameters.coefficients[:, j])
            assert renamed.intercepts[i] == parameters.intercepts[j]


def test_sparse_rows_give_what_dense_ones_give():
    case = make_logits(sparse=True, curvatures=observed_curvature)
    dense = ArrayBlocks(case.X, Dense(case.pl), case.weights)
    vector = some_vector(case)
    from_sparse = case.problem.evaluate(case.problem.from_vector(vector))
    case.problem.blocks = dense
    from_dense = case.problem.evaluate(case.problem.from_vector(vector))
    assert from_sparse.objective == pytest.approx(from_dense.objective, rel=1e-12)
    for got, expected in zip(from_sparse.record, from_dense.record, strict=True):
        for a, b in zip(got, expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-10)


def test_features_far_from_zero_lose_no_digits():
    near, far = make_logits(n=80), make_logits(n=80, shift=1e9)
    vector = some_vector(near)
    a = near.problem.evaluate(near.problem.from_vector(vector)).objective
    assert far.problem.model.frame.shift is not None
    rows = near.problem.model.frame
    b = far.problem.evaluate(Parameters(near.problem.from_vector(vector).model, None)).objective
    # 1e9 + x keeps x to 1e-7.
    assert a == pytest.approx(b, rel=1e-5)
    np.testing.assert_allclose(far.problem.model.frame.scale, rows.scale, rtol=1e-6)


@pytest.mark.parametrize("shift", [0.0, 1e6])
def test_the_pass_runs_in_every_array_library(xp, shift):
    case = make_logits(shift=shift, curvatures=observed_curvature)
    model = case.problem.model
    parameters = case.problem.from_vector(some_vector(case)).model
    likelihoods = Likelihoods(None, symbol_table(np.eye(3)))
    expected = case.problem.evaluate(Parameters(parameters, None))

    def move(array):
        return None if array is None else xp.asarray(array)

    block = Block(move(case.X), Dense(case.pl).moved(move), move(case.weights))
    factors = tuple(move(factor) for factor in model.factors(parameters))
    native = (factors, Likelihoods(None, move(likelihoods.log_table)), None, None)
    got = _pass(model, False, block, native)
    assert float(got.log_likelihood) == pytest.approx(expected.log_likelihood, rel=1e-12)
    for mine, theirs in zip(got.record, expected.record, strict=True):
        for a, b in zip(mine, theirs, strict=True):
            np.testing.assert_allclose(to_host(a), b, rtol=1e-9, atol=1e-9)
    views = to_host(probabilities(model, block, native))
    np.testing.assert_allclose(views.sum(axis=1), 1.0)
    rows = to_host(log_evidence(model, block, native))[:, 0]
    assert case.weights @ rows == pytest.approx(expected.log_likelihood, rel=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.int64, bool])
def test_rows_of_other_numbers_are_read_as_doubles(dtype):
    case = make_logits()
    rows = (3.0 * case.X).astype(dtype)
    got, expected = (
        case.problem.model.features(X, case.problem.model.factors(case.problem.model.start()))
        for X in (rows, rows.astype(float))
    )
    assert got.dtype == np.float64
    np.testing.assert_array_equal(got, expected)


def test_a_single_class_has_nothing_to_learn():
    rows = csr_array(np.eye(3))
    frame = condition(ArrayBlocks(rows), 1.0, 1)
    model = LogisticModel(frame, 1.0, np.array([1]))
    assert model.start().coefficients.shape == (3, 1)
    assert model.to_vector(model.start()).shape == (0,)
    assert model.n_parameters() == 0
