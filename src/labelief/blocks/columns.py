"""Some columns of rows that live elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from labelief._typing import Array, FloatArray, IntArray
from labelief.blocks.evidence import Evidence
from labelief.blocks.source import Block, BlockSource
from labelief.kernels.namespace import take_features

__all__ = ["ColumnBlocks"]


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
