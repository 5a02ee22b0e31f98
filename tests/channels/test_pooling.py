"""Rows pulled together: the prior by its definition, its maximum, its limits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from labelief.channels.pooling import log_affinity, pooled, shrunk


def rows_of(rng, A=4, R=2, S=3, spread=1.0):
    return rng.dirichlet(np.full(S, spread), (A, R))


def divergence(M, rows):
    """Return ``Σ_a KL(M ‖ γ_a)`` summed over rows."""
    return float(np.sum(M * (np.log(M) - np.log(rows))))


@given(st.integers(0, 2**31))
def test_the_affinity_is_the_least_divergence(seed):
    rng = np.random.default_rng(seed)
    rows = rows_of(rng) + 1e-3
    rows /= rows.sum(axis=-1, keepdims=True)
    center = pooled(rows)
    np.testing.assert_allclose(center.sum(axis=-1), 1.0)
    assert len(rows) * log_affinity(rows) == pytest.approx(-divergence(center, rows), abs=1e-10)
    for _ in range(5):
        other = center * np.exp(rng.normal(0, 0.2, center.shape))
        other /= other.sum(axis=-1, keepdims=True)
        assert divergence(other, rows) > divergence(center, rows)
    assert log_affinity(np.repeat(rows[:1], 3, axis=0)) == pytest.approx(0.0, abs=1e-12)


@given(st.integers(0, 2**31), st.sampled_from([0.05, 1.0, 20.0]))
def test_the_maximum_is_one(seed, strength):
    rng = np.random.default_rng(seed)
    A, R, S = 3, 2, 3
    counts = rng.gamma(0.5, 4.0, (A, R, S)) + 0.01
    rows, center = shrunk(counts, strength, np.full((R, S), 1 / S))

    def objective(rows):
        return float(np.sum(counts * np.log(rows))) + strength * A * log_affinity(rows)

    # A fixed point of both steps ...
    expected = counts + strength * center
    np.testing.assert_allclose(rows, expected / expected.sum(axis=-1, keepdims=True), rtol=1e-12)
    np.testing.assert_allclose(center, pooled(rows), rtol=1e-7)

    # ... from wherever it starts, and a direct search finds nothing better.
    again, _ = shrunk(counts, strength, pooled(rows_of(rng, 1, R, S) + 1e-3))
    np.testing.assert_allclose(again, rows, rtol=1e-6)

    def minus(logits):
        logs = logits.reshape(A, R, S)
        logs = logs - np.logaddexp.reduce(logs, axis=-1, keepdims=True)
        return -objective(np.exp(logs))

    found = minimize(minus, np.log(rows).ravel() + rng.normal(0, 0.1, rows.size))
    assert -found.fun <= objective(rows) + 1e-6 * abs(objective(rows))


@pytest.mark.parametrize("spread", [1.0, 1e-3])
def test_few_counts_in_many_rows(spread):
    # Rows without counts, beside rows with many: nothing overflows, and all sums are one.
    rng = np.random.default_rng(0)
    counts = np.full((200, 3, 4), spread)
    counts[:5] += rng.gamma(1.0, 50.0, (5, 3, 4))
    rows, center = shrunk(counts, 4.0, np.full((3, 4), 0.25))
    assert np.all(rows > 0) and np.all(np.isfinite(rows))
    np.testing.assert_allclose(rows.sum(axis=-1), 1.0)
    np.testing.assert_allclose(center, pooled(rows), rtol=1e-6)


def test_strength_goes_from_own_rows_to_one_row_for_all():
    rng = np.random.default_rng(1)
    counts = rng.gamma(1.0, 10.0, (5, 2, 3)) + 0.1
    start = np.full((2, 3), 1 / 3)
    own = counts / counts.sum(axis=-1, keepdims=True)
    np.testing.assert_allclose(shrunk(counts, 1e-9, start)[0], own, atol=1e-8)
    total = counts.sum(axis=0)
    one = total / total.sum(axis=-1, keepdims=True)
    np.testing.assert_allclose(shrunk(counts, 1e7, start)[0], np.repeat(one[None], 5, 0), atol=1e-4)


def test_one_row_is_pulled_nowhere():
    counts = np.array([[[3.0, 1.0, 0.5]]])
    rows, center = shrunk(counts, 7.0, np.full((1, 3), 1 / 3))
    np.testing.assert_allclose(rows[0], counts[0] / 4.5, rtol=1e-9)
    np.testing.assert_allclose(center, rows[0], rtol=1e-9)
