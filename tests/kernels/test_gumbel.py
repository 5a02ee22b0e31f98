from __future__ import annotations

import numpy as np
import pytest

from labelief.kernels.gumbel import exponential_sums, hazards
from labelief.kernels.namespace import to_host

RNG = np.random.default_rng(0)
U = RNG.normal(size=(9, 2))
SHAPES = RNG.uniform(0.5, 3.0, (3, 2))
LOCATIONS = RNG.normal(size=(3, 2))
R = RNG.dirichlet(np.ones(3), 9)


def test_hazards_by_hand(xp):
    got = hazards(xp.asarray(U), xp.asarray(SHAPES), xp.asarray(LOCATIONS))
    expected = [
        [sum(np.exp(SHAPES[j, a] * u[a] - LOCATIONS[j, a]) for a in range(2)) for j in range(3)]
        for u in U
    ]
    np.testing.assert_allclose(to_host(got), expected, rtol=1e-14)


def test_sums_by_hand(xp):
    features = np.hstack([np.ones((9, 1)), U])
    got = exponential_sums(*(xp.asarray(a) for a in (features, R, SHAPES, LOCATIONS)))
    e = np.exp(SHAPES[None] * U[:, None, :] - LOCATIONS[None])
    for q, sums in enumerate((got.zeroth, got.first, got.second)):
        expected = np.einsum("ij,ija,ia->ja", R, e, U**q)
        np.testing.assert_allclose(to_host(sums), expected, rtol=1e-13)
    np.testing.assert_allclose(to_host(got.linear), features.T @ R, rtol=1e-14)


@pytest.mark.parametrize("large", [1e3, 1e6])
def test_exponentials_never_overflow(large):
    u = np.array([[large], [-large]])
    got = hazards(u, np.ones((1, 1)), np.zeros((1, 1)))
    assert np.all(np.isfinite(got))
    assert got[1, 0] == 0.0
    assert got[0, 0] > 1e290
