"""The driver of refits: what it stops at and what it returns."""

from __future__ import annotations

import numpy as np
import pytest

from labelief.blocks.evidence import Dense
from labelief.channels.flip_noise import FullFlips
from labelief.channels.trusted import BoundTrust
from labelief.solvers.loop import Status
from labelief.solvers.problem import Parameters
from labelief.solvers.refit import Answer, RefitProblem, refit

PL = np.array([[1.0, 0.5], [0.5, 1.0], [1.0, 1.0]])
START = np.array([[2, 1], [1, 2], [0, 0]]) / np.array([[3], [3], [1]])
WEIGHTS = np.array([1.0, 2.0, 1.0])
YES = np.ones(2, dtype=bool)


def _scripted(probabilities):
    """A classifier that says, at each refit, the next thing in a script."""
    told = []

    def ask(responsibilities):
        told.append(responsibilities)
        p = probabilities[min(len(told), len(probabilities)) - 1]
        return Answer(np.log(np.tile([p, 1.0 - p], (3, 1))), len(told))

    return ask, told


def _run(script, **settings):
    ask, told = _scripted(script)
    problem = RefitProblem(ask, Dense(PL), WEIGHTS, BoundTrust(2), YES)
    settings = {"max_iter": 10, "tol": 1e-3, "held_out": True} | settings
    return refit(problem, Parameters(START, None), **settings), told


def _objective(p):
    return WEIGHTS @ np.log(PL @ np.array([p, 1.0 - p]))


def test_responsibilities_go_round():
    outcome, told = _run([0.5, 0.4, 0.3], max_iter=3)
    np.testing.assert_array_equal(told[0], START)
    for p, responsibilities in zip([0.5, 0.4], told[1:], strict=True):
        product = PL * [p, 1.0 - p]
        np.testing.assert_allclose(responsibilities, product / product.sum(axis=1, keepdims=True))
    assert outcome.history == pytest.approx([_objective(p) for p in (0.5, 0.4, 0.3)])
    assert outcome.status is Status.ITERATION_CAP and not outcome.converged
    assert outcome.evaluation.record.fitted == 3


def test_the_best_of_held_out_iterates_is_returned():
    outcome, told = _run([0.5, 0.1, 0.6, 0.7])
    assert len(told) == 4
    assert outcome.status is Status.OBJECTIVE_FELL
    assert outcome.evaluation.record.fitted == 2
    np.testing.assert_array_equal(outcome.evaluation.parameters.model, told[1])
    assert outcome.evaluation.objective == max(outcome.history)


def test_the_best_is_returned_also_at_the_cap():
    outcome, _ = _run([0.5, 0.1, 0.6], max_iter=3)
    assert outcome.status is Status.ITERATION_CAP
    assert outcome.evaluation.record.fitted == 2
    outcome, _ = _run([0.5, 0.1, 0.6], max_iter=3, held_out=False)
    assert outcome.evaluation.record.fitted == 3


def test_one_fall_is_waited_out():
    outcome, told = _run([0.5, 0.6, 0.1, 0.4, 0.5])
    assert len(told) == 5 and outcome.evaluation.record.fitted == 3


def test_rows_that_were_learned_judge_nothing():
    outcome, told = _run([0.5, 0.1, 0.6, 0.7], held_out=False, max_iter=20)
    # The script goes on with 0.7, and so the responsibilities settle.
    assert outcome.status is Status.CONVERGED
    assert len(told) == 5 and outcome.evaluation.record.fitted == 5
    assert outcome.evaluation.objective == outcome.history[-1] < max(outcome.history)


def test_movement_is_the_share_of_weight_that_changes_class():
    ask, _ = _scripted([0.5])
    problem = RefitProblem(ask, Dense(PL), WEIGHTS, BoundTrust(2), YES)
    evaluation = problem.evaluate(Parameters(START, None))
    # Only the last row moves: from nothing to halves, which counts as half a row.
    assert problem.movement(evaluation) == pytest.approx(0.5 / 4.0)


def test_zeros_are_no_proof_where_labels_support_the_class():
    def ask(responsibilities):
        with np.errstate(divide="ignore"):
            return Answer(np.log(np.array([[1.0, 0.0, 0.0]])), None)

    pl = np.array([[0.0, 1.0, 1.0]])
    supported = np.array([True, True, False])
    problem = RefitProblem(ask, Dense(pl), np.ones(1), BoundTrust(3), supported)
    evaluation = problem.evaluate(Parameters(np.array([[0.0, 1.0, 0.0]]), None))
    assert evaluation.objective == pytest.approx(np.log(1e-6), abs=1e-5)
    np.testing.assert_allclose(evaluation.record.responsibilities, [[0.0, 1.0, 0.0]])


def test_the_channel_learns_beside_the_classifier():
    channel = FullFlips(2)
    ask, _ = _scripted([0.3])
    problem = RefitProblem(ask, Dense(PL), WEIGHTS, channel, YES)
    evaluation = problem.evaluate(Parameters(START, channel.start()))
    through = PL @ channel.start().T @ np.array([0.3, 0.7])
    assert evaluation.log_likelihood == pytest.approx(WEIGHTS @ np.log(through))
    expected = evaluation.log_likelihood + channel.log_prior(channel.start())
    assert evaluation.objective == pytest.approx(expected)
    following = problem.maximise(evaluation)
    np.testing.assert_array_equal(
        following.channel, channel.maximise(evaluation.counts, channel.start())
    )
    assert following.model is evaluation.record.responsibilities
