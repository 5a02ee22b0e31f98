from __future__ import annotations

import numpy as np
import pytest
from tests.models.families import FAMILIES, GAUSSIANS
from tests.solvers.settings import CHANNELS, K, make_setting

from labelief.blocks import ArrayBlocks, Dense
from labelief.solvers import Parameters, Problem
from labelief.solvers.problem import component_arrays


@pytest.mark.parametrize("channel", CHANNELS)
@pytest.mark.parametrize("name", FAMILIES)
def test_the_likelihood_is_that_of_the_rows(name, channel):
    setting = make_setting(name, channel)
    got = setting.problem.evaluate(setting.parameters)
    expected = setting.case.weights @ setting.log_evidence
    assert got.log_likelihood == pytest.approx(expected, rel=1e-10)
    model, bound = setting.problem.model, setting.problem.channel
    priors = model.log_prior(setting.parameters.model)
    priors += bound.log_prior(setting.parameters.channel)
    assert got.objective == pytest.approx(expected + priors, rel=1e-10)
    assert got.parameters is setting.parameters


@pytest.mark.parametrize("name", GAUSSIANS)
def test_the_objective_counts_the_priors(name):
    setting = make_setting(name, "full")
    got = setting.problem.evaluate(setting.parameters)
    dirichlet = np.sum((0.1 + 0.9 * np.eye(K)) * np.log(setting.matrix))
    expected = got.log_likelihood + setting.log_prior + dirichlet
    assert got.objective == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("channel", ["full", "symmetric"])
def test_counts_are_expected_flips(channel):
    setting = make_setting("full", channel)
    got = setting.problem.evaluate(setting.parameters).counts
    zeta = setting.by_class(setting.responsibilities)
    expected = np.zeros((K, K))
    for i, pl in enumerate(setting.pl):
        if setting.verified[i] or pl.min() == pl.max():
            continue
        for k in range(K):
            share = pl * setting.matrix[k] / np.sum(pl * setting.matrix[k])
            expected[k] += setting.case.weights[i] * zeta[i, k] * share
    np.testing.assert_allclose(got, expected, rtol=1e-9)


def test_a_channel_that_learns_nothing_counts_nothing():
    for channel in ("trusted", "fixed"):
        setting = make_setting("full", channel)
        assert setting.problem.evaluate(setting.parameters).counts is None


@pytest.mark.parametrize("name", FAMILIES)
def test_the_record_holds_the_responsibilities(name):
    setting = make_setting(name)
    record = setting.problem.evaluate(setting.parameters).record
    expected = setting.case.weights @ setting.responsibilities
    np.testing.assert_allclose(setting.case.density.counts(record), expected, rtol=1e-9)


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize(("block_rows", "n_threads"), [(1, 1), (7, 1), (7, 2), (64, 3)])
def test_neither_blocks_nor_threads_change_an_evaluation(name, block_rows, n_threads):
    whole, cut = (
        make_setting(name, "full", n=200, block_rows=rows, n_threads=threads)
        for rows, threads in ((None, 1), (block_rows, n_threads))
    )
    left, right = (s.problem.evaluate(s.parameters) for s in (whole, cut))
    assert left.objective == pytest.approx(right.objective, rel=1e-12)
    np.testing.assert_allclose(left.counts, right.counts, rtol=1e-11)
    moved = [s.problem.maximise(e) for s, e in ((whole, left), (cut, right))]
    vectors = [whole.problem.to_vector(m) for m in moved]
    np.testing.assert_allclose(vectors[0], vectors[1], rtol=1e-10, atol=1e-11)


@pytest.mark.parametrize("channel", CHANNELS)
@pytest.mark.parametrize("name", FAMILIES)
def test_vectors_and_back(name, channel):
    setting = make_setting(name, channel)
    problem = setting.problem
    back = problem.from_vector(problem.to_vector(setting.parameters))
    one, two = problem.evaluate(setting.parameters), problem.evaluate(back)
    assert two.objective == pytest.approx(one.objective, rel=1e-12)


@pytest.mark.parametrize("name", GAUSSIANS)
def test_an_m_step_raises_the_objective(name):
    setting = make_setting(name, "full")
    first = setting.problem.evaluate(setting.parameters)
    second = setting.problem.evaluate(setting.problem.maximise(first))
    assert second.objective > first.objective + 1.0


def test_a_channel_can_be_left_alone():
    setting = make_setting("full", "full")
    first = setting.problem.evaluate(setting.parameters)
    held = setting.problem.maximise(first, learn_channel=False)
    assert held.channel is setting.parameters.channel
    learned = setting.problem.maximise(first)
    counts = first.counts + 0.1 + 0.9 * np.eye(K)
    np.testing.assert_allclose(learned.channel, counts / counts.sum(axis=1, keepdims=True))
    np.testing.assert_array_equal(held.model.weights, learned.model.weights)


def test_passes_are_counted():
    setting = make_setting()
    assert setting.problem.n_passes == 0
    for _ in range(3):
        setting.problem.evaluate(setting.parameters)
    assert setting.problem.n_passes == 3


def test_an_impossible_label_makes_the_objective_minus_infinity_without_a_warning():
    setting = make_setting()
    weights = setting.weights * (setting.component_class != 2)
    model = type(setting.parameters.model)(weights, setting.parameters.model.density)
    got = setting.problem.evaluate(Parameters(model, None))
    assert got.objective == -np.inf


def test_membership_is_needed_only_where_components_are_not_the_classes():
    assert component_arrays(np.arange(3), 3) == (None, None)
    index, membership = component_arrays(np.array([0, 0, 1]), 2)
    np.testing.assert_array_equal(index, [0, 0, 1])
    np.testing.assert_array_equal(membership, [[1, 0], [1, 0], [0, 1]])
    # Two components, three classes: the last class has none.
    assert component_arrays(np.array([0, 1]), 3)[1].shape == (2, 3)


def test_a_scaled_row_of_plausibilities_adds_its_logarithm():
    setting = make_setting("full", "full")
    factor = np.random.default_rng(0).uniform(0.1, 9.0, len(setting.pl))
    case = setting.case
    scaled = ArrayBlocks(
        case.X, Dense(setting.pl * factor[:, None], setting.verified), case.weights
    )
    other = Problem(scaled, setting.problem.model, setting.problem.channel, K)
    one, two = setting.problem.evaluate(setting.parameters), other.evaluate(setting.parameters)
    shift = case.weights @ np.log(factor)
    assert two.log_likelihood == pytest.approx(one.log_likelihood + shift, rel=1e-12)
    np.testing.assert_allclose(two.counts, one.counts, rtol=1e-12)
    np.testing.assert_allclose(two.record, one.record, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("channel", ["trusted", "full"])
@pytest.mark.parametrize("far", [10.0, 1e3, 1e6])
def test_rows_far_from_the_classes_that_their_labels_allow(channel, far):
    # Relative likelihoods underflow in some blocks and not in others.
    setting = make_setting("full", channel, block_rows=5)
    setting.case.X[::4] += far * np.random.default_rng(1).normal(size=(10, 3))
    setting.pl[:] = np.maximum(setting.pl, 1e-12)
    setting.pl[::2] = np.eye(K)[np.arange(20) % K]
    got = setting.problem.evaluate(setting.parameters)
    expected = setting.case.weights @ setting.log_evidence
    assert np.isfinite(expected)
    assert got.log_likelihood == pytest.approx(expected, rel=1e-8)
    counts = setting.case.density.counts(got.record)
    np.testing.assert_allclose(
        counts, setting.case.weights @ setting.responsibilities, rtol=1e-6, atol=1e-6
    )


@pytest.mark.parametrize("channel", ["full", "symmetric"])
def test_counts_give_the_slope_of_the_objective_in_the_channel(channel):
    # Fisher's identity: the expected counts are those of the objective itself.
    setting = make_setting("diagonal", channel)
    problem, theta = setting.problem, setting.parameters
    first = problem.evaluate(theta)
    slope = problem.channel.gradient(first.counts, theta.channel)
    vector = problem.channel.to_vector(theta.channel)
    for p in range(len(vector)):
        step = 1e-5 * (np.arange(len(vector)) == p)
        up, down = (
            problem.evaluate(Parameters(theta.model, problem.channel.from_vector(vector + s)))
            for s in (step, -step)
        )
        assert slope[p] == pytest.approx((up.objective - down.objective) / 2e-5, abs=1e-5)
