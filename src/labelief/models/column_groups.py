"""Which columns belong to which group of a table of mixed types."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np

from labelief._typing import IntArray
from labelief.blocks.moments import Moments

__all__ = ["ColumnsFrame", "grouped", "indices", "positions"]


@dataclass(frozen=True)
class ColumnsFrame:
    """The frames of the groups.

    Attributes
    ----------
    columns : tuple of integer arrays
    frames : tuple of records of the groups' densities
    moments : Moments
        Those of all columns.
    """

    columns: tuple[IntArray, ...]
    frames: tuple[Any, ...]
    moments: Moments

    @property
    def rank(self) -> int:
        """Directions kept in all groups."""
        return sum(frame.rank for frame in self.frames)

    @property
    def n_cut(self) -> int:
        """Directions without variance in all groups."""
        return sum(frame.n_cut for frame in self.frames)

    @property
    def gaps(self) -> bool:
        """Whether rows may have missing features in some group."""
        return any(frame.gaps for frame in self.frames)

    @property
    def arrays(self) -> tuple[tuple[IntArray, Any], ...]:
        """What kernels need: columns and arrays of each group."""
        pairs = zip(self.columns, self.frames, strict=True)
        return tuple((columns, frame.arrays) for columns, frame in pairs)


def positions(columns: Any, names: Any) -> Any:
    """Return columns by their positions where they are given by name.

    Parameters
    ----------
    columns : str, list of str, or anything else, which is returned
    names : (d,) array of str, or None
    """
    wanted = [columns] if isinstance(columns, str) else columns
    if not isinstance(wanted, list | tuple | np.ndarray) or not any(
        isinstance(column, str) for column in wanted
    ):
        return columns
    if names is None:
        raise ValueError(
            f"Columns names {list(wanted)!r}, but X has no names of columns: fit with a data frame "
            "whose columns are text, or give positions."
        )
    place = {str(name): i for i, name in enumerate(names)}
    unknown = [column for column in wanted if column not in place]
    if unknown:
        raise ValueError(f"Columns names {unknown!r}, which X lacks; it has {list(place)!r}.")
    return [place[column] for column in wanted]


def grouped(groups: Any, remainder: Any, n_columns: int) -> list[tuple[Any, IntArray]]:
    """Return density and columns of each group; the remainder's are left out if there are none.

    Every column must belong to exactly one.
    """
    owner = np.full(n_columns, -1)
    out = []
    for g, (density, columns) in enumerate(groups):
        index = indices(columns, n_columns)
        if not len(index):
            raise ValueError(f"Group {g} of Columns has no columns: leave it out.")
        for column in index:
            if owner[column] >= 0:
                raise ValueError(
                    f"Column {column} of X stands in groups {owner[column]} and {g} of Columns; "
                    "each column belongs to one."
                )
            owner[column] = g
        out.append((density, index))
    rest = np.flatnonzero(owner < 0)
    if len(rest) and remainder is None:
        raise ValueError(
            f"Columns {rest.tolist()} of X stand in no group of Columns: add them to one, or give "
            "a density for the rest as `remainder`."
        )
    if len(rest):
        out.append((remainder, rest))
    return out


def indices(columns: Any, n_columns: int) -> IntArray:
    """Return positions from an index, a slice, a mask or a list of indices."""
    if isinstance(columns, slice):
        return np.arange(n_columns)[columns]
    index = np.atleast_1d(np.asarray(columns))
    if index.dtype.kind == "b":
        if index.shape != (n_columns,):
            raise ValueError(
                f"A mask of columns must have one entry for each of the {n_columns} columns of X, "
                f"got {len(index)}."
            )
        return np.flatnonzero(index)
    if index.size == 0:
        return np.empty(0, dtype=np.int64)
    if index.ndim != 1 or not all(isinstance(column, Integral) for column in index.tolist()):
        raise ValueError(
            "The columns of a group must be an index, a slice, a bool mask, a list of indices, or "
            f"names of a frame's columns; got {columns!r}."
        )
    if np.any(index >= n_columns) or np.any(index < -n_columns):
        raise ValueError(f"Columns names {columns!r}, but X has {n_columns} columns.")
    return np.asarray(index % n_columns, dtype=np.int64)
