"""Sets of classes as people write them: sets, tuples, lists, single names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any

import numpy as np

from labelief._typing import BoolArray, IntArray
from labelief.labels.class_names import Codes, Names, as_classes, is_missing
from labelief.labels.encoding import encode

Collection = (set, frozenset, list, tuple, np.ndarray)


def as_list(values: Any, name: str) -> list[Any]:
    """Read a list with one entry per row.

    Parameters
    ----------
    values : iterable
        The entries.
    name : str
        What they are, for messages.

    Returns
    -------
    list
        The entries.
    """
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise ValueError(f"{name} must be a list with one entry per row, got {values!r}")
    return list(values)


def is_unknown(group: Any) -> bool:
    """Say whether an entry means that nothing is known of its row.

    Parameters
    ----------
    group : object
        An entry.

    Returns
    -------
    bool
        True for None, NaN and NA.
    """
    return not isinstance(group, Collection) and is_missing(group)


def _members(group: Any) -> Any:
    if group is None:
        return ()
    if isinstance(group, np.ndarray):
        return group.tolist()
    return group if isinstance(group, Collection) else (group,)


def flatten(groups: list[Any]) -> tuple[IntArray, list[Any], int]:
    """List the members of collections one after the other, with the collection of each.

    Parameters
    ----------
    groups : list of F collections
        Sets of classes; a single name is a set of its own, None an empty one.

    Returns
    -------
    group : (M,) int64 array
        Collection of each member.
    members : list of M
        Class names.
    n_groups : int
        F.
    """
    members = [_members(group) for group in groups]
    sizes = np.fromiter(map(len, members), dtype=np.int64, count=len(members))
    return (
        np.repeat(np.arange(len(members)), sizes),
        list(chain.from_iterable(members)),
        len(groups),
    )


def encode_members(members: list[Any], rows: IntArray, classes: Any) -> tuple[Names, Codes]:
    """Code class names that stand in rows, naming the row in a refusal.

    Parameters
    ----------
    members : list of M
        Class names.
    rows : (M,) int64 array
        Row of each.
    classes : array-like or None
        All classes; by default those that occur, sorted.

    Returns
    -------
    names : (K,) array
        The classes.
    codes : (M,) int32 array
        Position of each member among them.
    """
    names = None if classes is None else as_classes(classes)
    for position, member in enumerate(members):
        if is_missing(member) or isinstance(member, Collection):
            raise ValueError(
                f"{member!r} in row {rows[position]} is not a class: a set of classes holds names"
            )
    if names is None:
        names, codes = encode(members, None, name="the sets")
        return names, codes
    place = {name: i for i, name in enumerate(names.tolist())}
    strange = set(members) - set(place)
    if strange:
        position = next(i for i, member in enumerate(members) if member in strange)
        raise ValueError(
            f"{members[position]!r} in row {rows[position]} is not among the classes "
            f"{names.tolist()}"
        )
    codes = np.fromiter(map(place.__getitem__, members), dtype=np.int32, count=len(members))
    return names, codes


def read_sets(sets: Any, classes: Names) -> tuple[BoolArray, bool]:
    """Read one subset of the classes, or a list of several.

    Parameters
    ----------
    sets : set, frozenset, tuple or class name; list of such; (K,) or (m, K) bool array
        The subsets.
    classes : (K,) array
        Names of the classes.

    Returns
    -------
    members : (m, K) bool array
        Membership.
    single : bool
        Whether one subset was given, not a list.
    """
    if isinstance(sets, np.ndarray) and sets.dtype == np.bool_ and sets.shape[-1:] == classes.shape:
        return np.atleast_2d(sets), sets.ndim == 1
    single = not isinstance(sets, list | np.ndarray)
    groups = [sets] if single else list(sets)
    subset, members, n = flatten(groups)
    place = {name: i for i, name in enumerate(classes.tolist())}
    for member in members:
        if isinstance(member, Collection) or member not in place:
            raise ValueError(f"{member!r} is not among the classes {classes.tolist()}")
    out = np.zeros((n, classes.size), dtype=np.bool_)
    out[subset, [place[member] for member in members]] = True
    return out, single
