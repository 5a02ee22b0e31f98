"""Names of things that are no classes: items and annotators, of any hashable kind."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import narwhals as nw
import numpy as np

from labelief.labels.class_names import Codes, Names, as_vector, freeze, is_missing, name_array
from labelief.labels.encoding import UNKNOWN, code_values


def as_cells(values: Any, name: str) -> Names:
    """Read a column whose cells may be collections, as a 1-D array.

    Parameters
    ----------
    values : array-like, series or iterable
        Scalars, tuples, sets or lists, one per row; None and NaN may stand among them.
    name : str
        What they are, for messages.

    Returns
    -------
    (n,) array
        An object array where a cell is a collection, else what ``as_vector`` returns.
    """
    if nw.dependencies.is_into_series(values):
        series = nw.from_native(values, series_only=True)
        if not (series.dtype.is_nested() or series.dtype == nw.Object):
            return as_vector(values, name)
        values = series.to_list()
    elif isinstance(values, np.ndarray | str | bytes | Mapping):
        return as_vector(values, name)
    elif isinstance(values, Iterable) and not hasattr(values, "__array__"):
        values = list(values)
    if isinstance(values, list) and any(isinstance(cell, Iterable) for cell in values):
        cells = np.empty(len(values), dtype=object)
        for row, cell in enumerate(values):
            cells[row] = cell
        return cells
    return as_vector(values, name)


def code_keys(values: Any, name: str) -> tuple[Names, Codes]:
    """Code names by their distinct values: sorted, or in the order met where they have none.

    Parameters
    ----------
    values : (n,) array-like
        Anything hashable: text, numbers, tuples, dates...; None, NaN and NA are missing.
    name : str
        What they are, for messages.

    Returns
    -------
    found : (m,) array
        Distinct values.
    codes : (n,) int32 array
        Position of each in ``found``, -1 where missing.

    Examples
    --------
    >>> code_keys([("b", 1), ("a", 2), ("b", 1)], "item")[1]
    array([1, 0, 1], dtype=int32)
    """
    cells = as_cells(values, name)
    if cells.dtype.kind in "iub":
        return code_values(cells, name)
    listed = cells.tolist()
    try:
        distinct = list(dict.fromkeys(listed))
    except TypeError:
        row = next(i for i, cell in enumerate(listed) if not _is_hashable(cell))
        raise ValueError(
            f"{name} has {listed[row]!r} at row {row}, which cannot be hashed: write a tuple for "
            "a list, and text or numbers for other objects"
        ) from None
    known = [key for key in distinct if not is_missing(key)]
    found = name_array(_sorted(known))
    place = {key: i for i, key in enumerate(found.tolist())}
    table = {key: place.get(key, UNKNOWN) for key in distinct}
    codes = np.fromiter(map(table.__getitem__, listed), dtype=np.int32, count=len(listed))
    return freeze(found), codes


def item_places(names: Names) -> dict[Any, int]:
    """Return where each name stands; one that cannot be hashed is refused.

    Parameters
    ----------
    names : (n,) array
        Names.

    Returns
    -------
    dict
        Name to position; shorter than ``names`` where one occurs twice.
    """
    listed = names.tolist()
    try:
        return {name: i for i, name in enumerate(listed)}
    except TypeError:
        row = next(i for i, name in enumerate(listed) if not _is_hashable(name))
        raise ValueError(
            f"items has {listed[row]!r} at row {row}, which cannot be hashed"
        ) from None


def _sorted(keys: list[Any]) -> list[Any]:
    if any(isinstance(key, frozenset) for key in keys):
        # Sets compare, but by inclusion, which puts nothing in order.
        return keys
    try:
        return sorted(keys)
    except TypeError:
        return keys


def _is_hashable(key: Any) -> bool:
    try:
        hash(key)
    except TypeError:
        return False
    return True
