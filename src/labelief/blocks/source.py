"""The contract of a source of rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from labelief._typing import Array, FloatArray
from labelief.blocks.evidence import Evidence

__all__ = ["Block", "BlockSource"]


@dataclass(frozen=True)
class Block:
    """Consecutive rows: what a kernel sees.

    Attributes
    ----------
    X : (b, d) array or CSR matrix
    evidence : Evidence or None
        What was observed about the classes; None where a kernel needs features only.
    weights : (b,) array or None
        Row weights; None means 1 for each.
    responsibilities : (b, J) array or None
        A start given by the user.
    """

    X: Array
    evidence: Evidence | None = None
    weights: Array | None = None
    responsibilities: Array | None = None


class BlockSource(Protocol):
    """Rows in blocks, on which kernels run.

    A sum must not depend on the size or the order of blocks beyond rounding.
    """

    @property
    def n_rows(self) -> int:
        """Number of rows."""

    @property
    def n_columns(self) -> int:
        """Number of features."""

    @property
    def sparse(self) -> bool:
        """Whether the rows are CSR."""

    @property
    def total_weight(self) -> float:
        """Sum of the row weights."""

    @property
    def gaps(self) -> bool:
        """Whether features may be missing (NaN); where False, nobody looks for them."""

    def column(self, index: int) -> int:
        """Return what users call the column at `index`."""

    def map_reduce(self, kernel: Callable[..., Any], parameters: Any, width: int) -> Any:
        """Add up the additive records ``kernel(block, parameters)`` of all blocks, on the host.

        Parameters
        ----------
        kernel : callable
            A pure function of ``(block, parameters)``.
        parameters : nested tuples of arrays
            Moved to the rows' device once.
        width : int
            Doubles that the kernel holds for each row: what sizes the blocks.
        """

    def map_rows(self, kernel: Callable[..., Any], parameters: Any, width: int) -> Any:
        """Concatenate the per-row arrays ``kernel(block, parameters)`` of all blocks."""

    def sample(self, size: int) -> tuple[FloatArray, Evidence | None, FloatArray]:
        """Return at most `size` evenly spaced rows, dense, on the host: X, evidence, weights."""
