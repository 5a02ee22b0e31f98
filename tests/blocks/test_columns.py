from __future__ import annotations

import numpy as np

from labelief.blocks import ArrayBlocks
from labelief.blocks.columns import ColumnBlocks, first_missing, missing_counts
from labelief.kernels.namespace import to_host

RNG = np.random.default_rng(0)
X = RNG.normal(size=(50, 4))
WEIGHTS = RNG.uniform(0.5, 2.0, 50)


def seen(block, parameters):
    (shift,) = parameters
    rows = block.X + shift
    return (rows * block.weights[:, None]).T @ rows


def rows_of(block, parameters):
    return block.X


def test_kernels_see_the_columns_only(xp):
    blocks = ArrayBlocks(xp.asarray(X), weights=WEIGHTS, block_rows=7)
    part = ColumnBlocks(blocks, np.array([3, 1]), gaps=False)
    shift = np.array([1.0, -2.0])
    rows = X[:, [3, 1]] + shift
    got = part.map_reduce(seen, (shift,), 4)
    np.testing.assert_allclose(got, (rows * WEIGHTS[:, None]).T @ rows, rtol=1e-12)
    np.testing.assert_array_equal(to_host(part.map_rows(rows_of, (), 4)), X[:, [3, 1]])
    np.testing.assert_array_equal(part.sample(10)[0], blocks.sample(10)[0][:, [3, 1]])
    assert (part.n_rows, part.n_columns, part.sparse) == (50, 2, False)
    assert part.total_weight == blocks.total_weight


def test_columns_keep_their_users_numbers():
    outer = ColumnBlocks(ArrayBlocks(X), np.array([3, 1, 0]), gaps=False)
    inner = ColumnBlocks(outer, np.array([2, 0]), gaps=False)
    assert [outer.column(i) for i in range(3)] == [3, 1, 0]
    assert [inner.column(i) for i in range(2)] == [0, 3]
    np.testing.assert_array_equal(inner.map_rows(rows_of, (), 4), X[:, [0, 3]])


def test_missing_features_are_counted_and_found():
    rows = X.copy()
    rows[[8, 9], 1], rows[30, 3] = np.nan, np.nan
    blocks = ArrayBlocks(rows, block_rows=7, gaps=True)
    np.testing.assert_array_equal(missing_counts(blocks), [0, 2, 0, 1])
    assert first_missing(blocks) == (8, 1)
    assert first_missing(ColumnBlocks(blocks, np.array([0, 3]), gaps=True)) == (30, 3)
