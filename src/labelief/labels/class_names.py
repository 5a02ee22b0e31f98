"""The names of the classes: reading them, coding labels by them, marking "none of them"."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from labelief._typing import IntArray
from labelief.labels.messages import name_classes

Names = NDArray[Any]
Codes = NDArray[np.int32]

UNKNOWN = -1
# A table over at most this many consecutive integers replaces a sort.
TABLE = 1 << 20


def is_missing(value: Any) -> bool:
    """Say whether a value stands for "not known": None, NaN, NA or NaT.

    Parameters
    ----------
    value : object
        A scalar.

    Returns
    -------
    bool
        True for a missing value.

    Examples
    --------
    >>> is_missing(None), is_missing(float("nan")), is_missing(0)
    (True, True, False)
    """
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(value, float | np.floating | np.datetime64 | np.timedelta64):
        return bool(value != value)
    return False


def as_vector(values: Any, name: str = "y") -> Names:
    """Read a list, array or series of scalars as a 1-D array, without turning numbers into text.

    Parameters
    ----------
    values : array-like
        Scalars; None and NaN may stand among them.
    name : str, default="y"
        What the values are, for messages.

    Returns
    -------
    (n,) array
        The values; an object array where their types differ.
    """
    if isinstance(values, str | bytes | dict):
        raise ValueError(f"{name} must be a list or an array of labels, got {values!r}")
    if nw.dependencies.is_into_series(values):
        series = nw.from_native(values, series_only=True)
        if series.null_count() and not series.dtype.is_float():
            # to_numpy would turn integers with a gap into floats
            return np.array([*series.to_list(), None], dtype=object)[:-1]
        array = np.asarray(series.to_numpy())
    elif isinstance(values, np.ndarray):
        array = values
    elif isinstance(values, Iterable) and not hasattr(values, "__array__"):
        values = list(values)
        array = _from_list(values, name)
    else:
        array = np.asarray(values)
    if array.ndim != 1:
        raise ValueError(
            f"{name} should be a 1d array, got an array of shape {array.shape} instead."
        )
    return array


def _from_list(values: list[Any], name: str) -> Names:
    try:
        array = np.asarray(values)
    except ValueError:
        raise ValueError(f"{name} is ragged: its entries must be single labels") from None
    if array.ndim == 1 and array.dtype.kind in "US":
        # NumPy writes numbers and NaN beside text as text
        array = np.array([*values, None], dtype=object)[:-1]
    return array


def as_classes(classes: Any) -> Names:
    """Read the names of the classes, in the order given.

    Parameters
    ----------
    classes : array-like
        Distinct names: text, integers, or anything that can be sorted.

    Returns
    -------
    (K,) array
        A read-only copy.

    Examples
    --------
    >>> as_classes(["dog", "cat"])
    array(['dog', 'cat'], dtype='<U3')
    """
    values = as_vector(classes, "classes").tolist()
    if not values:
        raise ValueError("classes is empty: name at least one class")
    if any(is_missing(value) for value in values):
        raise ValueError("classes holds a missing value: every class needs a name")
    _refuse_collections(values, "classes")
    if len(set(values)) < len(values):
        twice = sorted({value for value in values if values.count(value) > 1}, key=values.index)
        raise ValueError(f"classes holds {name_classes(twice)} more than once")
    return _freeze(_name_array(values))


def sorted_classes(classes: Names) -> tuple[Names, IntArray]:
    """Put class names in ``np.unique`` order.

    Parameters
    ----------
    classes : (K,) array
        Distinct names.

    Returns
    -------
    names : (K,) array
        The names in order.
    positions : (K,) int64 array
        Where each of them stood: ``names = classes[positions]``.
    """
    try:
        positions = np.argsort(classes, kind="stable")
    except TypeError:
        raise ValueError(
            f"class names of different types cannot be put in order: {name_classes(classes)}"
        ) from None
    return _freeze(classes[positions]), positions


def match_classes(names: Names, classes: Names, what: str) -> IntArray:
    """Find each of ``classes`` among ``names``, which must be the same set.

    Parameters
    ----------
    names : (K,) array
        Names in one order.
    classes : (K,) array
        The order wanted.
    what : str
        What carries ``names``, for messages.

    Returns
    -------
    (K,) int64 array
        ``positions`` with ``names[positions] == classes``.
    """
    wanted = classes.tolist()
    place = {name: i for i, name in enumerate(names.tolist())}
    if not set(wanted) & set(place):
        # columns of some frames can only be text
        place = {name: place[str(name)] for name in wanted if str(name) in place} or place
    absent = [name for name in wanted if name not in place]
    extra = [name for name in place if name not in set(wanted)]
    if absent or extra:
        parts = []
        if absent:
            parts.append(f"lacks {name_classes(absent)}")
        if extra:
            parts.append(f"has {name_classes(extra)} besides")
        raise ValueError(
            f"{what} and the classes {name_classes(classes)} differ: {what} {' and '.join(parts)}. "
            "Give classes= where it is made, so that it names every class"
        )
    return np.array([place[name] for name in wanted], dtype=np.int64)


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
    values = as_vector(y, name)
    kind = values.dtype.kind
    if kind == "b":
        found, codes = _tabulate(values.view(np.uint8))
        found = found.astype(np.bool_)
    elif kind in "iu":
        found, codes = _tabulate(values)
    elif kind == "f":
        found, codes = _floats(values, name)
    elif kind == "c":
        raise ValueError(f"Complex data not supported: {name} holds complex numbers")
    else:
        found, codes = _hash(values, name)
    names = None if classes is None else as_classes(classes)
    return _name_codes(found, codes, names, missing, name)


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
            return _freeze(found), codes
        names = _name_array(kept)
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
    return _freeze(names), table[codes]


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
    # unsigned and narrow types would wrap around
    offset = values - low if low == 0 else values.astype(np.int64) - low
    present = np.zeros(high - low + 1, dtype=np.bool_)
    present[offset] = True
    table = np.cumsum(present, dtype=np.int32) - np.int32(1)
    found = (np.flatnonzero(present) + low).astype(values.dtype)
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
        found, inside = np.unique(whole, return_inverse=True)
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
    _refuse_collections(known, name)
    try:
        found = _name_array(sorted(known))
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


def _refuse_collections(values: list[Any], name: str) -> None:
    for value in values:
        if isinstance(value, bytes):
            raise ValueError(f"{name} holds bytes ({value!r}): convert labels to text or integers")
        if isinstance(value, list | tuple | set | frozenset | dict | np.ndarray):
            raise ValueError(
                f"{name} holds the collection {value!r}: a label must be a single class. For "
                "several candidates use SoftLabels.from_candidates"
            )


def _name_array(values: list[Any]) -> Names:
    """Make an array of names that gives the same values back."""
    array = np.array(values) if values else np.array([], dtype=object)
    if array.ndim != 1 or array.tolist() != values:
        array = np.array([*values, None], dtype=object)[:-1]
    if array.dtype.kind in "US" and not all(isinstance(value, str) for value in values):
        array = np.array([*values, None], dtype=object)[:-1]
    return array


def _freeze(names: Names) -> Names:
    names = names.view()
    names.flags.writeable = False
    return names


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


def unnamed_marker(classes: Names) -> Any:
    """Choose a value that no class has, to stand for "no single class".

    Parameters
    ----------
    classes : (K,) array
        Names of the classes.

    Returns
    -------
    int, float or str
        -1 for integers and bools, -1.0 for floats (one below the smallest class where -1 is a
        class), ``"?"`` for text and everything else (``"??"``... where that is a class).

    Examples
    --------
    >>> import numpy as np
    >>> unnamed_marker(np.array([0, 1])), unnamed_marker(np.array([-1, 1]))
    (-1, -2)
    """
    if classes.dtype.kind in "biu":
        taken = [int(value) for value in classes]
        return -1 if -1 not in taken else min(taken) - 1
    if classes.dtype.kind == "f":
        return -1.0 if -1.0 not in classes else float(np.floor(classes.min())) - 1.0
    marker = "?"
    while marker in {str(value) for value in classes}:
        marker += "?"
    return marker


def decode(codes: NDArray[np.signedinteger], classes: Names) -> Names:
    """Turn codes into class names, -1 into the marker of :func:`unnamed_marker`.

    Parameters
    ----------
    codes : (n,) integer array
        Classes, -1 for none.
    classes : (K,) array
        Their names.

    Returns
    -------
    (n,) array
        Integers, floats or text: always something that can be sorted.

    Examples
    --------
    >>> import numpy as np
    >>> decode(np.array([1, -1]), np.array(["cat", "dog"]))
    array(['dog', '?'], dtype='<U3')
    """
    marker = unnamed_marker(classes)
    if classes.dtype.kind in "biu":
        names = np.array([*(int(value) for value in classes), marker])
    elif classes.dtype.kind == "f":
        names = np.array([*(float(value) for value in classes), marker])
    else:
        names = np.array([*(str(value) for value in classes), marker])
    return names[codes]
