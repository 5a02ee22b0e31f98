from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from labelief.blocks.arrays import ArrayBlocks
from labelief.blocks.class_moments import class_counts, measure_class_moments, measure_spreads
from labelief.blocks.evidence import Dense, Symbols

RNG = np.random.default_rng(0)
N, D, K = 500, 5, 3
# near 0, sparse, far away, tiny and huge
X = RNG.normal(size=(N, D)) * [1, 1, 1, 1e-90, 1e90] + [0, 0, 1e7, 0, 1e91]
X[:, 1] *= RNG.random(N) < 0.1
P = RNG.dirichlet(np.ones(K), N)
CODES = RNG.integers(K + 1, size=N)


def spreads_of(X, evidence, weights=None, **more):
    counts = class_counts(evidence, N, weights, K)
    return measure_spreads(ArrayBlocks(X, evidence, weights, **more), counts)


def exact(X, P):
    """``½ Σ_ij P_ik P_jk (x_i - x_j)²`` and the same over all classes, pair by pair."""
    apart = (X[:, None, :] - X[None, :, :]) / SCALE
    squares = apart**2
    within = 0.5 * np.einsum("ik,jk,ijr->kr", P, P, squares)
    weights = P.sum(axis=1)
    return within, 0.5 * np.einsum("i,j,ijr->r", weights, weights, squares)


SCALE = np.array([1, 1, 1, 1e-90, 1e90])


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("form", ["shares", "codes"])
@pytest.mark.parametrize("rows", ["C", "F", "sparse"])
def test_spreads_are_those_of_all_pairs(rows, form, weighted):
    weights = RNG.random(N) * (RNG.random(N) < 0.8) if weighted else None
    shares = P if form == "shares" else np.vstack([np.eye(K), np.full(K, 1 / K)])[CODES]
    evidence = Dense(3.0 * P) if form == "shares" else Symbols(CODES, K)
    stored = csr_array(X) if rows == "sparse" else np.asarray(X, order=rows)
    blocks = ArrayBlocks(stored, evidence, weights, block_rows=64)
    moments = measure_class_moments(blocks, K)
    w = np.ones(N) if weights is None else weights
    within, total = exact(X, shares * w[:, None])
    unit = (moments.factor * SCALE) ** 2
    np.testing.assert_allclose(moments.counts, (shares * w[:, None]).sum(axis=0))
    np.testing.assert_allclose(moments.within() / unit, within, rtol=1e-9)
    spreads = spreads_of(stored, evidence, weights, block_rows=64)
    np.testing.assert_allclose(spreads.alike / unit, within.sum(axis=0), rtol=1e-9)
    np.testing.assert_allclose(spreads.total / unit, total, rtol=1e-9)
    np.testing.assert_array_equal(spreads.factor, moments.factor)


@pytest.mark.parametrize("value", [0.0, 0.1, 1e300, -1e-300])
@pytest.mark.parametrize("sparse", [False, True])
def test_a_constant_feature_has_no_spread_at_all(value, sparse):
    X = np.column_stack([np.full(N, value), RNG.normal(size=N)])
    X = csr_array(X) if sparse else X
    spreads = spreads_of(X, Dense(P))
    within = measure_class_moments(ArrayBlocks(X, Dense(P)), K).within()
    assert spreads.total[0] == spreads.alike[0] == 0
    assert np.all(within[:, 0] == 0)
    assert spreads.total[1] > 0
    assert np.all(within[:, 1] > 0)


def test_a_feature_that_varies_by_rounding_only_is_constant():
    third = 0.1 * 3.0 - 0.3  # the spacing of numbers near 0.3
    X = np.column_stack([0.3 + third * RNG.integers(2, size=N), 0.3 + 1e-12 * RNG.random(N)])
    assert len(set(X[:, 0])) == 2
    total = spreads_of(X, Dense(P)).total
    assert total[0] == 0
    assert total[1] > 0
    within = measure_class_moments(ArrayBlocks(X, Dense(P)), K).within()
    assert np.all(within[:, 0] == 0)
    assert np.all(within[:, 1] > 0)


def test_float32_and_memory_mapped_rows(tmp_path):
    small = X[:, :3].astype(np.float32)
    np.save(tmp_path / "X.npy", small)
    expected = measure_class_moments(ArrayBlocks(small.astype(float), Dense(P)), K)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    got = measure_class_moments(ArrayBlocks(mapped, Dense(P)), K)
    np.testing.assert_array_equal(got.within(), expected.within())


def test_what_is_not_finite_shows():
    bad = RNG.normal(size=(N, 2))
    bad[300, 1] = np.nan
    total = spreads_of(bad, Dense(P)).total
    assert np.isfinite(total[0])
    assert not np.isfinite(total[1])


def test_other_array_libraries(xp):
    there = ArrayBlocks(xp.asarray(X), Dense(P))
    expected = measure_class_moments(ArrayBlocks(X, Dense(P)), K)
    got = measure_class_moments(there, K)
    np.testing.assert_allclose(got.within(), expected.within(), rtol=1e-9)
    codes = measure_class_moments(ArrayBlocks(xp.asarray(X), Symbols(CODES, K)), K)
    expected = measure_class_moments(ArrayBlocks(X, Symbols(CODES, K)), K)
    np.testing.assert_allclose(codes.within(), expected.within(), rtol=1e-9)
    expected = spreads_of(X, Dense(P))
    got = spreads_of(xp.asarray(X), Dense(P))
    np.testing.assert_allclose(got.alike, expected.alike, rtol=1e-9)
    np.testing.assert_allclose(got.total, expected.total, rtol=1e-9)
