"""The names of the classes: reading and ordering them, and marking "none of them"."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from labelief._typing import IntArray
from labelief.labels.messages import name_classes

Names = NDArray[Any]
Codes = NDArray[np.int32]


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
    if array.dtype.kind == "M":
        # finer units than this turn into bare integers
        array = array.astype("M8[us]").astype(object)
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
    refuse_collections(values, "classes")
    if len(set(values)) < len(values):
        twice = sorted({value for value in values if values.count(value) > 1}, key=values.index)
        raise ValueError(f"classes holds {name_classes(twice)} more than once")
    return freeze(name_array(values))


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
    return freeze(classes[positions]), positions


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


def match_columns(columns: Names, classes: Names, what: str) -> NDArray[np.int64]:
    """Find each of ``classes`` among the columns of a frame, which in some libraries are text.

    Parameters
    ----------
    columns : (K,) array
        Names of the columns.
    classes : (K,) array
        The order wanted; numbers are found under their text where no name is found as it is.
    what : str
        What has the columns, for messages.

    Returns
    -------
    (K,) int64 array
        As :func:`match_classes` returns.
    """
    if not set(classes.tolist()) & set(columns.tolist()):
        numbers = {str(name): name for name in classes.tolist()}
        columns = name_array([numbers.get(name, name) for name in columns.tolist()])
    return match_classes(columns, classes, what)


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
    decoded: Names = names[codes]
    return decoded


def refuse_collections(values: list[Any], name: str) -> None:
    """Refuse labels that are no single class: bytes, sets, lists, arrays.

    Parameters
    ----------
    values : list
        Labels or names.
    name : str
        What they are, for messages.
    """
    for value in values:
        if isinstance(value, bytes):
            raise ValueError(f"{name} holds bytes ({value!r}): convert labels to text or integers")
        if isinstance(value, list | tuple | set | frozenset | dict | np.ndarray):
            raise ValueError(
                f"{name} holds the collection {value!r}: a label must be a single class. For "
                "several candidates use SoftLabels.from_candidates"
            )


def name_array(values: list[Any]) -> Names:
    """Make an array of names that gives the same values back.

    Parameters
    ----------
    values : list
        Names.

    Returns
    -------
    (K,) array
        Of NumPy's own type for text and numbers, of objects otherwise.
    """
    array = np.array(values) if values else np.array([], dtype=object)
    if array.ndim != 1 or array.tolist() != values:
        array = np.array([*values, None], dtype=object)[:-1]
    if array.dtype.kind in "US" and not all(isinstance(value, str) for value in values):
        array = np.array([*values, None], dtype=object)[:-1]
    return array


def freeze(array: NDArray[Any]) -> NDArray[Any]:
    """Return a read-only view.

    Parameters
    ----------
    array : array
        Any array.

    Returns
    -------
    array
        The same data, not to be written to.
    """
    view = array.view()
    view.flags.writeable = False
    return view
