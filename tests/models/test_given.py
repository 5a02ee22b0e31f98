from __future__ import annotations

import numpy as np
import pytest

from labelief.blocks import ArrayBlocks
from labelief.blocks.evidence import Dense
from labelief.channels.trusted import BoundTrust
from labelief.models import GivenProbabilities
from labelief.solvers import Parameters, Problem


def test_the_objective_is_that_of_the_probabilities():
    rng = np.random.default_rng(0)
    pl, weights, proba = rng.random((50, 3)), rng.random(50), rng.dirichlet(np.ones(3), 50)
    blocks = ArrayBlocks(np.log(proba), Dense(pl), weights, block_rows=7)
    problem = Problem(blocks, GivenProbabilities(3), BoundTrust(3), 3)
    evaluation = problem.evaluate(Parameters(None, None))
    product = pl * proba
    assert evaluation.log_likelihood == pytest.approx(weights @ np.log(product.sum(axis=1)))
    posterior = product / product.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(evaluation.record, weights @ posterior)
    # Rows need not be normalised: they are divided by their sum.
    shifted = ArrayBlocks(np.log(proba) + rng.normal(size=(50, 1)), Dense(pl), weights)
    again = Problem(shifted, GivenProbabilities(3), BoundTrust(3), 3)
    assert again.evaluate(Parameters(None, None)).objective == pytest.approx(evaluation.objective)


def test_responsibilities_are_its_parameters():
    model = GivenProbabilities(3)
    zeta = np.array([[0.5, 0.3, 0.2]])
    assert model.renamed(zeta, np.array([1, 2, 0])).tolist() == [[0.2, 0.5, 0.3]]
    assert model.maximise(None, zeta) is zeta
    assert model.factors(zeta) == ()
    assert model.row_term_total(zeta) == model.log_prior(zeta) == 0.0
    assert len(model.to_vector(zeta)) == 0 and model.from_vector(np.empty(0)) is None
    np.testing.assert_array_equal(model.row_term(np.ones((4, 3)), ()), np.zeros(4))
    assert model.m_step == "refit" and model.conditional
