from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelief.blocks import ArrayBlocks
from labelief.blocks.evidence import Dense
from labelief.channels.trusted import BoundTrust
from labelief.models import Featureless
from labelief.solvers import Parameters, Problem


def test_it_is_a_mixture_of_labels_alone():
    rng = np.random.default_rng(0)
    pl, weights = rng.random((50, 3)), rng.random(50)
    model = Featureless(3)
    blocks = ArrayBlocks(np.empty((50, 0)), Dense(pl), weights, block_rows=7)
    problem = Problem(blocks, model, BoundTrust(3), 3)
    priors = np.array([0.2, 0.5, 0.3])
    evaluation = problem.evaluate(Parameters(priors, None))
    assert evaluation.log_likelihood == pytest.approx(weights @ np.log(pl @ priors))
    assert evaluation.objective == evaluation.log_likelihood
    posterior = pl * priors / (pl @ priors)[:, None]
    np.testing.assert_allclose(evaluation.record, weights @ posterior)
    expected = weights @ posterior / weights.sum()
    np.testing.assert_allclose(problem.maximise(evaluation).model, expected)


def test_it_starts_from_equal_priors():
    np.testing.assert_array_equal(Featureless(4).start(), 0.25)
    assert Featureless(4).n_parameters() == 3
    assert Featureless(4).component_class.tolist() == [0, 1, 2, 3]


def test_classes_are_renamed():
    renamed = Featureless(3).renamed(np.array([0.5, 0.3, 0.2]), np.array([1, 2, 0]))
    assert renamed.tolist() == [0.2, 0.5, 0.3]


@given(st.integers(1, 5), st.integers(0, 2**31))
def test_vectors_are_coordinates(n_classes, seed):
    model = Featureless(n_classes)
    priors = np.random.default_rng(seed).dirichlet(np.ones(n_classes))
    back = model.from_vector(model.to_vector(priors) + 3.0)
    np.testing.assert_allclose(back, priors, atol=1e-14)


def test_a_class_without_prior_has_none_again():
    model = Featureless(2)
    priors = np.array([1.0, 0.0])
    np.testing.assert_array_equal(model.from_vector(model.to_vector(priors)), priors)
    assert model.factors(priors)[0].tolist() == [0.0, -np.inf]


def test_rows_have_no_term_in_common():
    model = Featureless(2)
    factors = model.factors(model.start())
    np.testing.assert_array_equal(model.row_term(np.empty((5, 0)), factors), np.zeros(5))
    assert model.row_term_total(model.start()) == 0.0
    assert model.log_prior(model.start()) == 0.0
