"""The channel of an audit against its formula, written with loops."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from scipy.optimize import minimize

from labelief.audit.mistakes import EvenFlips, LabelledProbabilities, Mistakes, alike
from labelief.blocks import ArrayBlocks
from labelief.channels.contract import BoundChannel
from labelief.channels.flip_noise import FullFlips, SymmetricFlips
from labelief.models import HeldOut
from labelief.solvers import Parameters, Problem
from labelief.solvers.em import em_step, squarem_step
from labelief.solvers.loop import State

KINDS = [SymmetricFlips, EvenFlips, FullFlips]


def rows(n=40, n_classes=3, seed=0, kind="soft"):
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.ones(n_classes), n)
    pl = rng.random((n, n_classes))
    if kind == "crisp":
        pl = np.eye(n_classes)[rng.integers(0, n_classes, n)]
    pl[:3] = 1.0
    verified = rng.random(n) < 0.2
    return p, pl, verified


def some_parameters(n_classes, seed=1):
    rng = np.random.default_rng(seed)
    flips = np.eye(n_classes) * 2 + rng.random((n_classes, n_classes))
    flips /= flips.sum(axis=1, keepdims=True)
    return np.column_stack([flips, np.full(n_classes, 0.13)])


def chance(j, k, p, parameters):
    """Pr(observed j | true k) for a row with probabilities p: the module's formula."""
    slip = parameters[0, -1]
    out = (1 - slip) * parameters[k, j]
    if j != k:
        out += slip * p[j] / (1 - p[k])
    return out


def brute_weights(p, pl, verified, parameters):
    n, n_classes = p.shape
    out = np.empty((n, n_classes))
    for i in range(n):
        for k in range(n_classes):
            chances = [pl[i, j] * chance(j, k, p[i], parameters) for j in range(n_classes)]
            out[i, k] = pl[i, k] if verified[i] else sum(chances)
    return out


@pytest.mark.parametrize("kind", ["soft", "crisp"])
@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_weights_are_those_of_the_formula(kind, n_classes):
    p, pl, verified = rows(n_classes=n_classes, kind=kind)
    channel, parameters = Mistakes(FullFlips(n_classes)), some_parameters(n_classes)
    evidence = LabelledProbabilities(pl, alike(pl, p), verified)
    likelihoods = channel.likelihoods(parameters)
    expected = brute_weights(p, pl, verified, parameters)
    np.testing.assert_allclose(evidence.weights(likelihoods), expected, rtol=1e-10)
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(
            evidence.log_weights(likelihoods), np.log(expected), rtol=1e-9, atol=1e-12
        )
    unmarked = LabelledProbabilities(pl, alike(pl, p)).weights(likelihoods)
    np.testing.assert_allclose(
        unmarked, brute_weights(p, pl, np.zeros(len(p), bool), parameters), rtol=1e-10
    )


def test_what_a_label_may_be_sums_to_one():
    p, _, _ = rows(n_classes=4)
    parameters = some_parameters(4)
    sums = [sum(chance(j, k, row, parameters) for j in range(4)) for row in p for k in range(4)]
    np.testing.assert_allclose(sums, 1.0)
    vacuous = LabelledProbabilities(np.ones_like(p), alike(np.ones_like(p), p))
    told = vacuous.weights(Mistakes(FullFlips(4)).likelihoods(parameters))
    np.testing.assert_allclose(told, 1.0)
    assert not vacuous.told(Mistakes(FullFlips(4)).likelihoods(parameters)).any()


def test_a_sure_prediction_makes_no_nan():
    p = np.array([[1.0, 0.0, 0.0], [0.0, 0.5, 0.5]])
    evidence = LabelledProbabilities(np.eye(3)[[1, 0]], alike(np.eye(3)[[1, 0]], p))
    channel = Mistakes(FullFlips(3))
    weights = evidence.weights(channel.likelihoods(some_parameters(3)))
    assert np.all(np.isfinite(weights)) and np.all(weights >= 0) and np.all(weights <= 1)


@pytest.mark.parametrize("kind", ["soft", "crisp"])
def test_counts_are_expected_over_all_hidden_events(kind):
    """Sum over true class, observed class and the way it came about: posterior by Bayes."""
    p, pl, verified = rows(n=12, kind=kind)
    channel, parameters = Mistakes(FullFlips(3)), some_parameters(3)
    evidence = LabelledProbabilities(pl, alike(pl, p), verified)
    likelihoods = channel.likelihoods(parameters)
    q = np.random.default_rng(4).dirichlet(np.ones(3), 12)
    weights = brute_weights(p, pl, verified, parameters)
    posterior = q * weights / np.sum(q * weights, axis=1, keepdims=True)
    found = evidence.counts(posterior, likelihoods)
    expected = np.zeros((3, 4))
    slip = parameters[0, -1]
    for i in range(12):
        if verified[i] or np.ptp(pl[i]) == 0:
            continue
        events = np.zeros((3, 4))
        for k in range(3):
            for j in range(3):
                events[k, j] = q[i, k] * (1 - slip) * parameters[k, j] * pl[i, j]
                if j != k:
                    events[k, 3] += q[i, k] * slip * p[i, j] / (1 - p[i, k]) * pl[i, j]
        expected += events / events.sum()
    np.testing.assert_allclose(found, expected, rtol=1e-9)


@pytest.mark.parametrize("flips", KINDS)
def test_the_m_step_is_the_maximum(flips):
    counts = np.array([[20.0, 3.0, 1.0, 2.0], [2.0, 30.0, 0.5, 1.0], [0.0, 4.0, 9.0, 0.3]])
    channel = Mistakes(flips(3))

    def expected_objective(vector):
        parameters = channel.from_vector(vector)
        flips, slip = parameters[:, :3], parameters[0, 3]
        likelihood = np.sum(counts[:, :3] * np.log((1 - slip) * flips))
        likelihood += np.sum(counts[:, 3]) * np.log(slip)
        return likelihood + channel.log_prior(parameters)

    start = channel.to_vector(channel.start())
    best = minimize(lambda v: -expected_objective(v), start, method="BFGS", options={"gtol": 1e-9})
    found = channel.maximise(counts, channel.start())
    assert expected_objective(channel.to_vector(found)) == pytest.approx(-best.fun, abs=1e-7)
    np.testing.assert_allclose(found, channel.from_vector(best.x), atol=1e-4)
    # the gradient is that of the same objective
    vector = channel.to_vector(channel.start()) + np.linspace(-0.5, 0.7, channel_size(channel))
    steps = 1e-6 * np.eye(len(vector))
    central = [
        (expected_objective(vector + s) - expected_objective(vector - s)) / 2e-6 for s in steps
    ]
    np.testing.assert_allclose(
        channel.gradient(counts, channel.from_vector(vector)), central, rtol=1e-5, atol=1e-7
    )


def channel_size(channel):
    return len(channel.to_vector(channel.start()))


@pytest.mark.parametrize("flips", KINDS)
@pytest.mark.parametrize("step", [em_step, squarem_step])
@pytest.mark.parametrize("kind", ["soft", "crisp"])
def test_the_likelihood_never_falls(step, kind, flips):
    p, pl, verified = rows(n=80, n_classes=4, kind=kind)
    blocks = ArrayBlocks(np.log(p), LabelledProbabilities(pl, alike(pl, p), verified), block_rows=9)
    channel = Mistakes(flips(4))
    problem = Problem(blocks, HeldOut(4), channel, 4)
    state = State(problem.evaluate(Parameters(0.0, channel.start())))
    for _ in range(40):
        before = state.evaluation.objective
        state, info = step(problem, state)
        assert not info.fell
        assert state.evaluation.objective >= before - 1e-9


@pytest.mark.parametrize("flips", KINDS)
def test_it_keeps_the_contract_of_a_channel(flips):
    channel = Mistakes(flips(3))
    promised = set(BoundChannel.__annotations__) | {
        name
        for name, value in vars(BoundChannel).items()
        if inspect.isfunction(value) and not name.startswith("_")
    }
    assert all(hasattr(channel, name) for name in promised)
    vector = np.linspace(-1.0, 1.5, channel_size(channel))
    parameters = channel.from_vector(vector)
    np.testing.assert_allclose(
        channel.from_vector(channel.to_vector(parameters)), parameters, atol=1e-12
    )
    np.testing.assert_allclose(parameters[:, :3].sum(axis=1), 1.0)
    assert channel.naming(np.ones((3, 4)), np.ones(3, dtype=np.int64)) is None
    # free rates: 1, K or K (K - 1), and that of slips
    free = {SymmetricFlips: 1, EvenFlips: 3, FullFlips: 6}[flips] + 1
    assert channel.n_parameters() == free
    p, pl, verified = rows()
    evidence = LabelledProbabilities(pl, alike(pl, p), verified)
    assert channel.aligned(evidence) is evidence
    assert channel.first_look().matrix.sum(axis=1) == pytest.approx(np.full(3, 0.95))


def test_rates_of_a_class_are_spread_evenly():
    counts = np.array([[8.0, 2.0, 0.0], [0.0, 10.0, 0.0], [1.0, 3.0, 6.0]])
    found = EvenFlips(3).maximise(counts, EvenFlips(3).start())
    # prior counts: 1 on the diagonal, 0.1 twice beside it
    rates = np.array([2.2 / 11.2, 0.2 / 11.2, 4.2 / 11.2])
    expected = np.where(np.eye(3, dtype=bool), 1 - rates[:, None], rates[:, None] / 2)
    np.testing.assert_allclose(found, expected)


def test_names_move_with_the_rows():
    channel, parameters = Mistakes(FullFlips(3)), some_parameters(3)
    renamed = channel.renamed(parameters, np.array([2, 0, 1]))
    np.testing.assert_array_equal(renamed[[2, 0, 1]], parameters)


def test_products_run_in_every_array_library(xp):
    p, pl, verified = rows(n=11)
    ours = LabelledProbabilities(pl, alike(pl, p), verified)
    theirs = ours.rows(slice(None)).moved(xp.asarray)
    slipped = alike(xp.asarray(pl), xp.asarray(p))
    np.testing.assert_allclose(np.asarray(slipped), alike(pl, p))
    channel = Mistakes(FullFlips(3))
    likelihoods = channel.likelihoods(some_parameters(3))
    moved = type(likelihoods)(*(xp.asarray(part) for part in likelihoods))
    for product in ("weights", "log_weights", "told"):
        np.testing.assert_allclose(
            np.asarray(getattr(theirs, product)(moved)), getattr(ours, product)(likelihoods)
        )
    np.testing.assert_allclose(
        np.asarray(theirs.counts(xp.asarray(p), moved)), ours.counts(p, likelihoods)
    )
    part = ours.rows(np.array([3, 5]))
    np.testing.assert_array_equal(part.plausibilities, pl[[3, 5]])
    np.testing.assert_array_equal(part.verified, verified[[3, 5]])
