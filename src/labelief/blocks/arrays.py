"""Rows in one array: NumPy (also memory-mapped), SciPy CSR, PyTorch or CuPy."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from itertools import pairwise
from typing import Any

import numpy as np
from array_api_compat import device, is_array_api_obj, is_numpy_array

from labelief._typing import Array, FloatArray
from labelief.blocks.evidence import Evidence
from labelief.blocks.records import add, map_leaves, record_to_host
from labelief.blocks.source import Block
from labelief.blocks.threads import thread_count, threaded_map
from labelief.kernels.namespace import is_sparse, namespace, take_rows, to_host

__all__ = ["ArrayBlocks"]

# What a block may fill: a share of the last-level cache that two threads do not quarrel about, and
# large enough that a thread seldom asks for the interpreter's lock.
_CACHE_BYTES = 4 * 2**20
_SMALLEST, _LARGEST = 256, 16_384
# An accelerator wants blocks that are large beside the cost of starting a kernel.
_DEVICE_BYTES = 256 * 2**20
# The number of runs of blocks does not depend on the threads, so neither does the sum.
_CHUNKS = 32


class ArrayBlocks:
    """Rows of arrays that are cut into blocks of a size that the cache holds.

    Parameters
    ----------
    X : (n, d) array or CSR matrix
    evidence : Evidence, default=None
    weights : (n,) array, default=None
    responsibilities : (n, J) array, default=None
    block_rows : int, default=None
        Rows in a block; None chooses by the kernel's width.
    n_threads : int, default=None
        None takes as many threads as BLAS may use.
    gaps : bool, default=False
        Whether features may be missing (NaN).
    """

    def __init__(
        self,
        X: Array,
        evidence: Evidence | None = None,
        weights: FloatArray | None = None,
        responsibilities: FloatArray | None = None,
        *,
        block_rows: int | None = None,
        n_threads: int | None = None,
        gaps: bool = False,
    ) -> None:
        self.X = X
        self.evidence = evidence
        self.weights = weights
        self.responsibilities = responsibilities
        self.block_rows = block_rows
        self.gaps = gaps
        self.n_threads = n_threads or thread_count()
        self._on_host = is_numpy_array(X) or is_sparse(X)
        self._on_accelerator = not self._on_host and "cpu" not in str(device(X)).lower()
        self.total_weight = float(X.shape[0] if weights is None else np.sum(weights))

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.X.shape[0])

    @property
    def n_columns(self) -> int:
        """Number of features."""
        return int(self.X.shape[1])

    @property
    def sparse(self) -> bool:
        """Whether the rows are CSR."""
        return is_sparse(self.X)

    def column(self, index: int) -> int:
        """Return what users call the column at `index`."""
        return int(index)

    def map_reduce(self, kernel: Callable[..., Any], parameters: Any, width: int) -> Any:
        """Add up the records ``kernel(block, parameters)`` of all blocks, on the host."""
        native = map_leaves(self._move, parameters)

        def run(chunk: range) -> Any:
            records = (kernel(self._block(start, chunk.step), native) for start in chunk)
            return record_to_host(reduce(add, records))

        return reduce(add, self._run(run, width))

    def map_rows(self, kernel: Callable[..., Any], parameters: Any, width: int) -> Any:
        """Concatenate the per-row arrays ``kernel(block, parameters)`` of all blocks.

        NumPy rows give C-ordered NumPy arrays; other arrays stay in their own namespace.
        """
        native = map_leaves(self._move, parameters)

        def run(chunk: range) -> list[Any]:
            return [kernel(self._block(start, chunk.step), native) for start in chunk]

        parts = [part for parts in self._run(run, width) for part in parts]
        return map_leaves(lambda *leaves: namespace(leaves[0]).concat(leaves, axis=0), *parts)

    def sample(self, size: int) -> tuple[FloatArray, Evidence | None, FloatArray]:
        """Return at most `size` evenly spaced rows, dense, on the host."""
        n = self.n_rows
        index = np.unique(np.linspace(0, n - 1, min(n, size)).round().astype(np.int64))
        X = take_rows(self.X, index)
        X = X.toarray() if is_sparse(X) else X
        weights = np.ones(len(index)) if self.weights is None else np.asarray(self.weights)[index]
        evidence = None if self.evidence is None else self.evidence.rows(index)
        return to_host(X), evidence, weights

    def _block(self, start: int, rows: int) -> Block:
        part = slice(start, min(start + rows, self.n_rows))

        def cut(array: Any) -> Any:
            return None if array is None else self._move(array[part])

        evidence = None
        if self.evidence is not None:
            evidence = self.evidence.rows(part)
            if not self._on_host:
                evidence = evidence.moved(self._move)
        # The standard wants every axis named; SciPy's matrices want one.
        X = self.X[part] if self._on_host else self.X[part, ...]
        return Block(X, evidence, cut(self.weights), cut(self.responsibilities))

    def _move(self, array: Any) -> Any:
        """Put an array beside the rows."""
        if self._on_host or not is_array_api_obj(array):
            return array
        # PyTorch warns of memory that it may not write to.
        ours = np.require(array, requirements=("C", "W"))
        return namespace(self.X).asarray(ours, device=self.X.device)

    def _run(self, run: Callable[[range], Any], width: int) -> Any:
        rows = self.block_rows or self._rows_for(width)
        blocks = -(-self.n_rows // rows)
        chunks = min(_CHUNKS, blocks)
        edges = [rows * (i * blocks // chunks) for i in range(chunks)] + [self.n_rows]
        pieces = [range(a, b, rows) for a, b in pairwise(edges)]

        def quietly(chunk: range) -> Any:
            # Infinities are numbers here, and BLAS raises flags for lanes that nobody asked for.
            with np.errstate(over="ignore", under="ignore", invalid="ignore"):
                return run(chunk)

        return threaded_map(quietly, pieces, self.n_threads if self._on_host else 1)

    def _rows_for(self, width: int) -> int:
        """Return the rows of a block whose kernel holds `width` doubles for each row."""
        if self._on_accelerator:
            return max(_SMALLEST, _DEVICE_BYTES // (8 * max(width, 1)))
        return int(np.clip(_CACHE_BYTES // (8 * max(width, 1)), _SMALLEST, _LARGEST))
