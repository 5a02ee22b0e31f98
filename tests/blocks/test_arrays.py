from __future__ import annotations

import tracemalloc
from typing import NamedTuple

import numpy as np
import pytest
from scipy.sparse import csr_array

from labelief.blocks import ArrayBlocks, Dense, Symbols, measure_moments
from labelief.kernels.namespace import namespace, to_float64

RNG = np.random.default_rng(0)
X = RNG.normal(size=(1000, 4))
W = RNG.uniform(0.5, 2.0, 1000)


class Record(NamedTuple):
    count: float
    sums: object
    nested: tuple


def sums(block, parameters):
    (center,) = parameters
    z = to_float64(block.X) - center
    w = block.weights[:, None]
    xp = namespace(z)
    return Record(block.X.shape[0], xp.sum(w * z, axis=0), ((z * w).T @ z, None))


def rows(block, parameters):
    return to_float64(block.X) * parameters[0]


CENTER = (X[0],)


def expected():
    z = X - X[0]
    return W @ z, (z * W[:, None]).T @ z


@pytest.mark.parametrize("n_threads", [1, 2, 5])
@pytest.mark.parametrize("block_rows", [1, 3, 256, 999, 1000, 5000, None])
def test_sums_do_not_depend_on_blocks_or_threads(block_rows, n_threads):
    blocks = ArrayBlocks(X, weights=W, block_rows=block_rows, n_threads=n_threads)
    record = blocks.map_reduce(sums, CENTER, width=10)
    first, second = expected()
    assert record.count == 1000
    np.testing.assert_allclose(record.sums, first, rtol=1e-11, atol=1e-9)
    np.testing.assert_allclose(record.nested[0], second, rtol=1e-11, atol=1e-9)
    assert record.nested[1] is None


@pytest.mark.parametrize("block_rows", [7, 100])
def test_sums_are_the_same_bit_by_bit_on_any_number_of_threads(block_rows):
    records = [
        ArrayBlocks(X, weights=W, block_rows=block_rows, n_threads=t).map_reduce(sums, CENTER, 10)
        for t in (1, 2, 3, 8)
    ]
    for record in records[1:]:
        np.testing.assert_array_equal(record.sums, records[0].sums)
        np.testing.assert_array_equal(record.nested[0], records[0].nested[0])


@pytest.mark.parametrize("block_rows", [1, 33, 1000, None])
@pytest.mark.parametrize("n_threads", [1, 3])
def test_rows_come_back_in_order(block_rows, n_threads):
    blocks = ArrayBlocks(X, block_rows=block_rows, n_threads=n_threads)
    got = blocks.map_rows(rows, (np.array(2.0),), width=4)
    np.testing.assert_array_equal(got, 2.0 * X)
    assert got.flags.c_contiguous


def test_every_part_of_a_row_stays_together():
    codes = np.arange(1000) % 7
    R = np.column_stack([codes, -codes]).astype(float)
    blocks = ArrayBlocks(
        np.column_stack([codes, codes]), Symbols(codes, 7), codes * 1.0, R, block_rows=13
    )

    def kernel(block, parameters):
        same = block.X[:, 0] == block.evidence.codes
        same &= block.weights == block.evidence.codes
        same &= block.responsibilities[:, 1] == -block.weights
        return np.sum(~same)

    assert blocks.map_reduce(kernel, (), 4) == 0


@pytest.mark.parametrize("library", ["array_api_strict", "torch"])
def test_other_arrays_are_computed_in_their_own_library(library):
    xp = pytest.importorskip(library)
    native = xp.asarray(X)
    seen = []

    def watched(block, parameters):
        seen.append({type(block.X), type(block.weights), type(parameters[0])})
        return sums(block, parameters)

    blocks = ArrayBlocks(native, weights=W, block_rows=300)
    record = blocks.map_reduce(watched, CENTER, width=10)
    assert seen == [{type(native)}] * 4
    assert type(record.sums) is np.ndarray
    assert type(record.count) is float
    np.testing.assert_allclose(record.sums, expected()[0], rtol=1e-11, atol=1e-9)
    assert type(blocks.map_rows(rows, (np.array(2.0),), 4)) is type(native)
    assert type(blocks.sample(10)[0]) is np.ndarray


def test_sparse_rows():
    dense = X * (RNG.random(X.shape) < 0.3)
    blocks = ArrayBlocks(csr_array(dense), block_rows=77)
    got = blocks.map_reduce(lambda block, _: block.X.T @ np.ones(block.X.shape[0]), (), 4)
    np.testing.assert_allclose(got, dense.sum(axis=0), rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(blocks.sample(1000)[0], dense)


def test_sample_is_spread_evenly_and_keeps_rows_together():
    codes = np.arange(1000)
    blocks = ArrayBlocks(X, Dense(np.column_stack([codes, codes])), codes * 2.0)
    part, evidence, weights = blocks.sample(10)
    assert len(part) == 10
    np.testing.assert_array_equal(evidence.plausibilities[:, 0] * 2, weights)
    np.testing.assert_array_equal(part, X[(weights / 2).astype(int)])
    assert weights[0] == 0 and weights[-1] == 2 * 999
    assert len(blocks.sample(5000)[0]) == 1000
    np.testing.assert_array_equal(ArrayBlocks(X).sample(3)[2], np.ones(3))


def test_counts_and_weights():
    blocks = ArrayBlocks(X, weights=W)
    assert (blocks.n_rows, blocks.n_columns) == X.shape
    assert blocks.total_weight == pytest.approx(W.sum())
    assert ArrayBlocks(X).total_weight == 1000.0


def test_an_error_on_a_thread_is_raised():
    def kernel(block, parameters):
        raise ValueError("column 3")

    with pytest.raises(ValueError, match="column 3"):
        ArrayBlocks(X, block_rows=10, n_threads=3).map_reduce(kernel, (), 4)


def peak(work):
    """Return the most MiB that a call held at once."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1] / 2**20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("n_threads", [1, 2])
def test_a_pass_over_a_file_holds_blocks_alone(tmp_path, n_threads):
    # 18 MiB in doubles; a kernel that says how much it holds gets blocks of 4 MiB.
    written = np.memmap(tmp_path / "X", np.float32, "w+", shape=(150_000, 16))
    written[:] = RNG.random((1, 16)) + np.arange(150_000)[:, None] % 7
    written.flush()
    mapped = np.memmap(tmp_path / "X", np.float32, "r", shape=(150_000, 16))
    blocks = ArrayBlocks(mapped, n_threads=n_threads)
    assert peak(lambda: blocks.map_reduce(rows_by_columns, (), 16)) < 4.5 * n_threads
    assert peak(lambda: measure_moments(blocks, full=True)) < 4.5 * n_threads + 1.0
    whole = np.asarray(mapped, dtype=np.float64).sum(axis=0)
    np.testing.assert_allclose(blocks.map_reduce(rows_by_columns, (), 16), whole, rtol=1e-12)


def rows_by_columns(block, parameters):
    return to_float64(block.X).sum(axis=0)


@pytest.mark.parametrize("width", [1, 10, 100, 10_000, 10**7])
def test_blocks_are_sized_by_what_a_kernel_holds(width):
    seen = []
    blocks = ArrayBlocks(np.zeros((40_000, 1)), n_threads=1)
    blocks.map_reduce(lambda block, _: seen.append(len(block.X)) or 0.0, (), width)
    assert sum(seen) == 40_000
    assert max(seen) <= 16_384
    assert max(seen) * width * 8 <= 4 * 2**20 or max(seen) == 256


@pytest.mark.parametrize("n", [1, 31, 32, 33, 64, 65, 97])
def test_every_row_is_seen_once_however_blocks_fall(n):
    blocks = ArrayBlocks(np.arange(float(n))[:, None], block_rows=1, n_threads=1)
    seen = []
    blocks.map_reduce(lambda block, _: seen.extend(block.X[:, 0].tolist()) or 0.0, (), 1)
    assert seen == list(range(n))


@pytest.mark.parametrize("layout", ["C", "F", "strided", "reversed"])
def test_rows_lie_in_any_order(layout):
    wide = np.zeros((2000, 12))
    wide[::2, 1::3] = X
    same = {
        "C": X,
        "F": np.asfortranarray(X),
        "strided": wide[::2, 1::3],
        "reversed": np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1],
    }[layout]
    record = ArrayBlocks(same, weights=W, block_rows=77).map_reduce(sums, CENTER, 10)
    np.testing.assert_allclose(record.sums, expected()[0], rtol=1e-11, atol=1e-9)
    np.testing.assert_allclose(record.nested[0], expected()[1], rtol=1e-11, atol=1e-9)


@pytest.mark.parametrize("n_threads", [1, 2])
def test_infinities_in_a_kernel_are_no_warning(n_threads):
    def kernel(block, parameters):
        return to_float64(block.X) - np.inf - np.inf, np.inf - np.abs(block.X[:, 0]) * np.inf

    blocks = ArrayBlocks(X, block_rows=100, n_threads=n_threads)
    low, lost = blocks.map_rows(kernel, (), width=10)
    assert np.all(low == -np.inf) and np.all(np.isnan(lost))
    with pytest.raises(RuntimeWarning):
        kernel(blocks._block(0, 1), ())
