"""1-D labels as codes: the position of each label among the classes."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from labelief.labels.class_names import (
    Codes,
    Names,
    as_classes,
    as_vector,
    freeze,
    is_missing,
    name_array,
    refuse_collections,
)
from labelief.labels.messages import name_classes

UNKNOWN = -1
# A table over at most this many consecutive integers replaces a sort.
TABLE = 1 << 20


def encode(
    y: Any, classes: Any = None, missing: Any = None, name: str = "y"
) -> tuple[Names, Codes]:
    """Code 1-D labels by class.

    Parameters
    ----------
    y : (n,) array-like
        Labels; None, NaN and NA are unknown.
    classes : array-like, default=None
        The classes; by default those that occur, in ``np.unique`` order.
    missing : scalar, default=None
        A further value that means unknown.
    name : str, default="y"
        What the labels are, for messages.

    Returns
    -------
    classes : (K,) array
        Names of the classes, in the order given or else sorted.
    codes : (n,) int32 array
        Position of each label in ``classes``, -1 where unknown.

    Examples
    --------
    >>> encode(["b", None, "a"])
    (array(['a', 'b'], dtype='<U1'), array([ 1, -1,  0], dtype=int32))
    """
    found, codes = code_values(y, name)
    names = None if classes is None else as_classes(classes)
    return _name_codes(found, codes, names, missing, name)


def code_values(y: Any, name: str) -> tuple[Names, Codes]:
    """Code scalars by their sorted distinct values, of which there may be none.

    Parameters
    ----------
    y : (n,) array-like
        Labels, or names of anything else; None, NaN and NA are unknown.
    name : str
        What they are, for messages.

    Returns
    -------
    found : (m,) array
        Distinct values in ``np.unique`` order.
    codes : (n,) int32 array
        Position of each in ``found``, -1 where unknown.
    """
    values = as_vector(y, name)
    kind = values.dtype.kind
    if kind == "b":
        found, codes = _tabulate(values.view(np.uint8))
        return found.astype(np.bool_), codes
    if kind in "iu":
        return _tabulate(values)
    if kind == "f":
        return _floats(values, name)
    if kind == "c":
        raise ValueError(f"Complex data not supported: {name} holds complex numbers")
    return _hash(values, name)


def _name_codes(
    found: Names, codes: Codes, names: Names | None, missing: Any, name: str
) -> tuple[Names, Codes]:
    """Turn codes into ``found`` (sorted) into codes into ``names``."""
    labels = found.tolist()
    known = [missing is None or not _equal(label, missing) for label in labels]
    if names is None:
        kept = [label for label, is_known in zip(labels, known, strict=True) if is_known]
        if not kept:
            raise ValueError(
                f"Input {name} contains NaN or None only: no class is named. "
                "Say which classes there are by classes="
            )
        _warn_minus_one(kept, name)
        if len(kept) == len(labels):
            return freeze(found), codes
        names = name_array(kept)
    place = {value: i for i, value in enumerate(names.tolist())}
    table = np.full(len(labels) + 1, UNKNOWN, dtype=np.int32)
    for i, (label, is_known) in enumerate(zip(labels, known, strict=True)):
        if is_known and label not in place:
            row = int(np.flatnonzero(codes == i)[0])
            raise ValueError(
                f"{name} has {label!r} at row {row}, which is not among the classes "
                f"{name_classes(names)}"
            )
        if is_known:
            table[i] = place[label]
    return freeze(names), table[codes]


def _equal(label: Any, missing: Any) -> bool:
    return bool(label == missing) and isinstance(label, str) == isinstance(missing, str)


def _tabulate(values: Names) -> tuple[Names, Codes]:
    """Code integers, by a table where their range is small."""
    if values.size == 0:
        return values, np.empty(0, dtype=np.int32)
    low, high = int(values.min()), int(values.max())
    if high - low >= TABLE:
        found, inverse = np.unique(values, return_inverse=True)
        return found, inverse.astype(np.int32)
    # wide enough that no difference wraps around
    wide = np.uint64 if values.dtype.kind == "u" else np.int64
    offset = values.astype(wide, copy=False) - wide(low) if low else values
    present = np.zeros(high - low + 1, dtype=np.bool_)
    present[offset] = True
    table = np.cumsum(present, dtype=np.int32) - np.int32(1)
    found = (np.flatnonzero(present).astype(wide) + wide(low)).astype(values.dtype)
    return found, table[offset]


def _floats(values: Names, name: str) -> tuple[Names, Codes]:
    """Code whole numbers kept as floats; NaN is unknown."""
    known = ~np.isnan(values)
    whole = values if known.all() else values[known]
    if np.isinf(whole).any():
        row = int(np.flatnonzero(np.isinf(values))[0])
        raise ValueError(
            f"Input {name} contains infinity or a value too large for {values.dtype!r} (row {row})."
        )
    if (whole != np.floor(whole)).any():
        raise ValueError(
            f"Unknown label type: continuous. {name} holds real numbers, and a classifier expects "
            "discrete classes. Plausibilities are given as an (n, K) array, one column per class"
        )
    if whole.size and np.abs(whole).max() < 2.0**53:
        found, inside = _tabulate(whole.astype(np.int64))
    else:
        found, inverse = np.unique(whole, return_inverse=True)
        inside = inverse.astype(np.int32)
    codes = np.full(values.size, UNKNOWN, dtype=np.int32)
    codes[known] = inside
    return found.astype(values.dtype), codes


def _hash(values: Names, name: str) -> tuple[Names, Codes]:
    """Code text and objects through a dictionary."""
    labels = values.tolist()
    try:
        distinct = list(dict.fromkeys(labels))
    except TypeError:
        row = next(i for i, label in enumerate(labels) if not _is_hashable(label))
        raise ValueError(
            f"{name} has {labels[row]!r} at row {row}: a label must be a single class. For several "
            "candidates use SoftLabels.from_candidates"
        ) from None
    known = [label for label in distinct if not is_missing(label)]
    refuse_collections(known, name)
    try:
        found = name_array(sorted(known))
    except TypeError:
        raise ValueError(
            f"{name} mixes labels of different types: {name_classes(known)}. "
            "Write them all as text, or all as numbers"
        ) from None
    place = {label: i for i, label in enumerate(found.tolist())}
    table = {label: place.get(label, UNKNOWN) for label in distinct}
    return found, np.fromiter(map(table.__getitem__, labels), dtype=np.int32, count=len(labels))


def _is_hashable(label: Any) -> bool:
    try:
        hash(label)
    except TypeError:
        return False
    return True


def _warn_minus_one(labels: list[Any], name: str) -> None:
    """-1 means "unknown" elsewhere, here it is a class: say so where it may be a slip."""
    whole = [label for label in labels if isinstance(label, int | float)]
    if -1 in whole and len(whole) == len(labels) >= 3:
        warnings.warn(
            f"{name} holds -1 beside {len(labels) - 1} other integer classes: it is taken as a "
            "class. Write None or NaN for unknown labels, or name the classes by classes=",
            UserWarning,
            stacklevel=4,
        )
