from __future__ import annotations

import numpy as np

from labelief import Trusted
from labelief.blocks import Symbols
from labelief.channels.trusted import symbol_table

EVIDENCE = Symbols(np.array([0, 1]), 2)


def test_nothing_is_learned():
    bound = Trusted().bind(2, EVIDENCE)
    assert not bound.learned and bound.transparent
    assert bound.start() is None
    assert bound.maximise(np.ones((2, 2)), None) is None
    assert bound.log_prior(None) == 0.0
    assert bound.n_parameters() == 0
    assert bound.naming(np.ones((2, 2)), np.ones(2)) is None
    assert len(bound.to_vector(None)) == len(bound.gradient(np.ones((2, 2)), None)) == 0
    assert isinstance(Trusted().fitted(bound, None), Trusted)


def test_labels_are_their_own_likelihood():
    bound = Trusted().bind(2, EVIDENCE)
    assert bound.likelihoods(None).matrix is None
    table = np.exp(bound.likelihoods(None).log_table)
    np.testing.assert_array_equal(table, [[1, 0, 1, 1, 0, 1], [0, 1, 1, 0, 1, 1]])


def test_symbol_table_of_a_matrix():
    matrix = np.array([[0.7, 0.3], [0.0, 1.0]])
    table = symbol_table(matrix)
    assert table.shape == (2, 6)
    np.testing.assert_allclose(np.exp(table[:, :2]), matrix)
    assert table[1, 0] == -np.inf
