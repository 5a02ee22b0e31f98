"""One-hot label sets are single labels: both classifiers give the same unnormalised masses."""

from __future__ import annotations

import numpy as np
import pytest

from labelief import EvidentialKNN, EvidentialMultilabelKNN

GAMMA, K = 0.7, 4


@pytest.mark.parametrize("n_neighbors", [1, 5, 30])
def test_unnormalised_masses_are_those_of_single_labels(n_neighbors):
    rng = np.random.default_rng(0)
    codes = rng.integers(K, size=80)
    X, queries = rng.normal(size=(80, 2)) + 0.5 * codes[:, None], rng.normal(size=(40, 2)) + 1.0
    # One weighs by α exp(-γ d²), the other by α exp(-γ d): squared distances make them meet.
    many = EvidentialMultilabelKNN(n_neighbors, gamma=GAMMA, metric="sqeuclidean")
    one = EvidentialKNN(n_neighbors, gamma=np.full(K, GAMMA))
    beliefs = many.fit(X, np.eye(K)[codes]).beliefs(queries)
    one.fit(X, codes)
    possible = (1.0 - one.conflict(queries))[:, None]
    masses = one.predict_mass(queries)
    np.testing.assert_allclose(beliefs[:, :, 0], masses.beliefs * possible, rtol=1e-9, atol=1e-15)
    # "Not q" is believed where another class is.
    others = masses.bel([set(range(K)) - {q} for q in range(K)]) * possible
    np.testing.assert_allclose(beliefs[:, :, 1], others, rtol=1e-9, atol=1e-15)
