"""Additive records: nested (named) tuples of arrays and numbers, summed leaf by leaf."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from labelief.kernels.namespace import to_host

__all__ = ["add", "map_leaves", "record_to_host"]


def map_leaves(function: Callable[..., Any], *records: Any) -> Any:
    """Apply `function` to corresponding leaves of records of one shape; None stays None."""
    first = records[0]
    if first is None:
        return None
    if isinstance(first, tuple):
        parts = [map_leaves(function, *leaves) for leaves in zip(*records, strict=True)]
        return type(first)(*parts) if hasattr(first, "_fields") else tuple(parts)
    return function(*records)


def add(left: Any, right: Any) -> Any:
    """Return the sum of two additive records."""
    return map_leaves(lambda a, b: a + b, left, right)


def record_to_host(record: Any) -> Any:
    """Return the record with NumPy doubles as leaves."""
    return map_leaves(lambda leaf: to_host(leaf) if np.ndim(leaf) else float(leaf), record)
