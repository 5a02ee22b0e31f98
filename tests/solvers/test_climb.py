from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from labelief.blocks import ArrayBlocks, Symbols
from labelief.channels import FlipNoise, Trusted
from labelief.models import ComponentModel, FullGaussian
from labelief.models.components import ComponentParameters
from labelief.models.gaussian import MatrixParameters
from labelief.models.shrinkage import Strength
from labelief.solvers import Parameters, Problem, climb

CENTERS = np.array([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]])


@dataclass
class Limits:
    max_iter: int = 200
    tol: float = 1e-6
    acceleration: str | None = None
    verbose: int = 0


def permuted(order, channel=None, component_class=(0, 1, 2), seed=0):
    """Return a problem of clear clusters and noisy labels, and a start whose classes are permuted.

    Component j of the start sits on cluster ``order[j]``.
    """
    rng = np.random.default_rng(seed)
    truth = np.arange(240) % 3
    X = CENTERS[truth] + rng.normal(size=(240, 2))
    seen = np.where(rng.random(240) < 0.25, rng.integers(0, 3, 240), truth)
    classes = np.array(component_class)
    blocks = ArrayBlocks(X, Symbols(seen, 3))
    density = FullGaussian()
    frame = density.frame(blocks)
    model = ComponentModel(density, frame, density.fixed_prior(frame, Strength(1e-3)), classes)
    bound = (channel or FlipNoise()).bind(3, blocks.evidence)
    means = (CENTERS[list(order)] - frame.moments.mean) @ frame.basis
    factors = np.tile(0.3 * np.eye(2), (len(classes), 1, 1))
    weights = np.full(len(classes), 1.0 / len(classes))
    theta = ComponentParameters(weights, MatrixParameters(means, factors))
    return Problem(blocks, model, bound, 3), Parameters(theta, bound.start())


def means_of(problem, outcome):
    model = problem.model
    return model.density.means(outcome.evaluation.parameters.model.density, model.frame)


ONES = np.ones(3, dtype=int)


@pytest.mark.parametrize("acceleration", [None, "squarem"])
@pytest.mark.parametrize("kind", ["full", "symmetric"])
@pytest.mark.parametrize("order", [(0, 1, 2), (1, 2, 0), (2, 1, 0)])
def test_classes_are_named_by_their_labels(order, kind, acceleration):
    problem, start = permuted(order, FlipNoise(kind))
    outcome = climb(problem, start, Limits(acceleration=acceleration), ONES, named=False)
    assert outcome.converged
    np.testing.assert_allclose(means_of(problem, outcome), CENTERS, atol=0.5)
    gamma = outcome.evaluation.parameters.channel
    assert np.all(np.diagonal(gamma) > 0.7)
    assert outcome.evaluation.objective == outcome.history[-1]
    assert np.all(np.diff(outcome.history) >= -1e-9)


def test_names_that_something_else_fixes_are_left():
    problem, start = permuted((1, 2, 0))
    outcome = climb(problem, start, Limits(), ONES, named=True)
    np.testing.assert_allclose(means_of(problem, outcome), CENTERS[[1, 2, 0]], atol=0.5)


def test_a_trusted_label_names_its_class_itself():
    problem, start = permuted((0, 1, 2), Trusted())
    outcome = climb(problem, start, Limits(), ONES, named=False)
    assert outcome.converged
    assert outcome.evaluation.counts is None


def test_only_classes_with_equal_numbers_of_components_exchange_names():
    # Class 0 has two components: its name cannot go to classes 1 and 2.
    sizes = np.array([2, 1, 1])
    problem, start = permuted((0, 0, 2, 1), component_class=(0, 0, 1, 2))
    start.model.density.means[1] += 0.05
    outcome = climb(problem, start, Limits(), sizes, named=False)
    means = means_of(problem, outcome)
    np.testing.assert_allclose(means[2:], CENTERS[1:], atol=0.5)
    problem, start = permuted((1, 1, 0, 2), component_class=(0, 0, 1, 2))
    start.model.density.means[1] += 0.05
    means = means_of(problem, climb(problem, start, Limits(), sizes, named=False))
    np.testing.assert_allclose(means[2:], CENTERS[[0, 2]], atol=0.5)


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 2, 0)])
@pytest.mark.parametrize("max_iter", [1, 3])
def test_the_cap_is_a_cap(order, max_iter):
    problem, start = permuted(order)
    outcome = climb(problem, start, Limits(max_iter=max_iter, tol=0.0), ONES, named=False)
    assert not outcome.converged
    assert 1 <= len(outcome.history) <= max_iter
    # The start, a pass an iteration; and where names change, a new start and one step at least.
    assert problem.n_passes <= max_iter + 3


def test_one_step_is_never_convergence_where_a_channel_was_held():
    problem, start = permuted((0, 1, 2))
    outcome = climb(problem, start, Limits(tol=1e9), ONES, named=False)
    assert outcome.converged
    assert len(outcome.history) == 2
    problem, start = permuted((0, 1, 2), Trusted())
    assert len(climb(problem, start, Limits(tol=1e9), ONES, named=False).history) == 1


def test_progress_is_printed_when_asked_for(capsys):
    problem, start = permuted((0, 1, 2))
    outcome = climb(problem, start, Limits(verbose=1), ONES, named=False)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(outcome.history)
    assert lines[0].startswith("iteration    1")
    assert float(lines[-1].split()[-1]) == pytest.approx(outcome.history[-1] / 240, rel=1e-8)
    climb(*permuted((0, 1, 2)), Limits(), ONES, named=False)
    assert capsys.readouterr().out == ""
