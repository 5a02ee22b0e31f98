"""Some columns of rows that live elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from labelief._typing import Array, FloatArray, IntArray
from labelief.blocks.evidence import Evidence
from labelief.blocks.source import Block, BlockSource
from labelief.kernels.gaps import filled
from labelief.kernels.namespace import namespace, take_features, to_float64, to_host

__all__ = ["ColumnBlocks", "first_missing", "missing_counts"]


class ColumnBlocks:
    """The rows of a source, of which kernels see some columns only.

    Parameters
    ----------
    blocks : BlockSource
    columns : (r,) integer array
    gaps : bool
        Whether features may be missing in these columns.
    """

    def __init__(self, blocks: BlockSource, columns: IntArray, *, gaps: bool) -> None:
        self.blocks = blocks
        self.columns = columns
        self.gaps = gaps
        self.sparse = blocks.sparse
        self.n_rows = blocks.n_rows
        self.n_columns = len(columns)
        self.total_weight = blocks.total_weight

    def column(self, index: int) -> int:
        """Return what users call the column at `index`."""
        return self.blocks.column(int(self.columns[index]))

    def map_reduce(self, kernel: Callable[..., Any], parameters: Any, width: int) -> Any:
        """Add up the records ``kernel(block, parameters)`` of all blocks, on the host."""
        width += self.n_columns
        return self.blocks.map_reduce(partial(_seen, kernel), (self.columns, parameters), width)

    def map_rows(self, kernel: Callable[..., Any], parameters: Any, width: int) -> Any:
        """Concatenate the per-row arrays ``kernel(block, parameters)`` of all blocks."""
        width += self.n_columns
        return self.blocks.map_rows(partial(_seen, kernel), (self.columns, parameters), width)

    def sample(self, size: int) -> tuple[FloatArray, Evidence | None, FloatArray]:
        """Return at most `size` evenly spaced rows, dense, on the host."""
        X, evidence, weights = self.blocks.sample(size)
        return X[:, self.columns], evidence, weights


def _seen(kernel: Callable[..., Any], block: Block, parameters: tuple[Array, Any]) -> Any:
    columns, inner = parameters
    return kernel(replace(block, X=take_features(block.X, columns)), inner)


def missing_counts(blocks: BlockSource) -> FloatArray:
    """Return how many rows miss each feature, (d,)."""
    counts: FloatArray = blocks.map_reduce(_missing_counts, (), 3 * blocks.n_columns)
    return counts


def first_missing(blocks: BlockSource) -> tuple[int, int]:
    """Return row and column, as users call it, of the first missing feature."""
    gone = to_host(blocks.map_rows(_missing, (), 3 * blocks.n_columns))
    row, column = np.argwhere(gone)[0]
    return int(row), blocks.column(int(column))


def _missing(block: Block, parameters: tuple[()]) -> Array:
    """Kernel: return 1 for each feature that a row misses, (b, d)."""
    return filled(to_float64(block.X))[1]


def _missing_counts(block: Block, parameters: tuple[()]) -> Array:
    gone = _missing(block, parameters)
    return namespace(gone).sum(gone, axis=0)
