"""From what people give to mass functions: one function per way of stating a label.

Each reads and checks its input and returns ``(classes, mass functions)``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelief._typing import BoolArray, FloatArray, IntArray
from labelief.kernels import bits
from labelief.labels.class_names import Codes, Names, as_classes, encode, is_missing, match_classes
from labelief.labels.consonant import Consonant
from labelief.labels.focal import FocalSets
from labelief.labels.messages import name_rows
from labelief.labels.quasi_bayesian import QuasiBayesian
from labelief.labels.tables import frame_matrix, is_frame, table_column
from labelief.labels.weights import as_unit_interval, check_sums, check_weights, row_blocks

Collection = (set, frozenset, list, tuple, np.ndarray)


def crisp(y: Any, classes: Any, missing: Any) -> tuple[Names, FocalSets]:
    """Put all mass on the label, or on the frame where there is none.

    Parameters
    ----------
    y, classes, missing
        As for :func:`labelief.labels.class_names.encode`.

    Returns
    -------
    classes, FocalSets
        One focal set per row.
    """
    names, codes = encode(y, classes, missing)
    return names, FocalSets.one_per_row(_sets_of_codes(codes, names.size), names.size)


def _sets_of_codes(codes: Codes, n_classes: int) -> bits.Words:
    words = bits.singletons(np.maximum(codes, 0), n_classes)
    words[codes < 0] = bits.full(n_classes)
    return words


def confidences(y: Any, confidence: Any, classes: Any) -> tuple[Names, FocalSets]:
    """Put mass c on the label and 1 - c on the frame.

    Parameters
    ----------
    y, classes
        As for :func:`labelief.labels.class_names.encode`.
    confidence : float or (n,) array-like
        c, between 0 and 1.

    Returns
    -------
    classes, FocalSets
        Two focal sets a row at most.
    """
    names, codes = encode(y, classes)
    n = codes.size
    c = as_unit_interval(confidence, n, "confidence")
    frame = np.broadcast_to(bits.full(names.size), (n, bits.n_words(names.size)))
    rows = np.arange(n)
    return names, FocalSets.from_elements(
        np.concatenate((rows, rows)),
        np.concatenate((_sets_of_codes(codes, names.size), frame)),
        np.concatenate((c, 1.0 - c)),
        n,
        names.size,
    )


def candidates(sets: Any, classes: Any) -> tuple[Names, FocalSets]:
    """Put all mass on the set of candidates, or on the frame where nothing is known.

    Parameters
    ----------
    sets : list of collections, or (n, K) matrix of zeros and ones
        The candidates.
    classes : array-like or None
        Names of the classes.

    Returns
    -------
    classes, FocalSets
        One focal set per row.
    """
    if is_frame(sets) or (isinstance(sets, np.ndarray) and sets.ndim == 2):
        names, matrix = class_matrix(sets, classes, "sets")
        words = bits.pack(_as_bool(matrix))
    else:
        groups = [None if _is_unknown(group) else group for group in _listed(sets, "sets")]
        subset, members, n = _flatten(groups)
        names, codes = _encode_members(members, subset, classes)
        words = bits.from_members(subset, codes, n, names.size)
        words[[group is None for group in groups]] = bits.full(names.size)
    empty = np.flatnonzero((words == 0).all(axis=1))
    if empty.size:
        raise ValueError(
            f"sets is empty in {name_rows(empty)}: an object has at least one candidate class; "
            "None means that nothing is known"
        )
    return names, FocalSets.one_per_row(words, names.size)


def _as_bool(matrix: NDArray[Any]) -> BoolArray:
    wrong = (matrix != 0) & (matrix != 1)
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        raise ValueError(
            f"a candidate matrix holds 0 and 1, got {matrix[row, column]} at row {row}, column "
            f"{column}"
        )
    return np.not_equal(matrix, 0)


def _listed(values: Any, name: str) -> list[Any]:
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise ValueError(f"{name} must be a list with one entry per row, got {values!r}")
    return list(values)


def _is_unknown(group: Any) -> bool:
    return not isinstance(group, Collection) and is_missing(group)


def _members(group: Any) -> Any:
    if group is None:
        return ()
    if isinstance(group, np.ndarray):
        return group.tolist()
    return group if isinstance(group, Collection) else (group,)


def _flatten(groups: list[Any]) -> tuple[IntArray, list[Any], int]:
    """List the members of collections one after the other, with the collection of each."""
    members = [_members(group) for group in groups]
    sizes = np.fromiter(map(len, members), dtype=np.int64, count=len(members))
    return (
        np.repeat(np.arange(len(members)), sizes),
        list(chain.from_iterable(members)),
        len(groups),
    )


def _encode_members(members: list[Any], rows: IntArray, classes: Any) -> tuple[Names, IntArray]:
    """Code class names that stand in rows, naming the row in a refusal."""
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
    codes = np.fromiter(map(place.__getitem__, members), dtype=np.int64, count=len(members))
    return names, codes


def class_matrix(values: Any, classes: Any, name: str) -> tuple[Names, NDArray[Any]]:
    """Read an (n, K) matrix of numbers, whose columns are classes.

    Parameters
    ----------
    values : (n, K) array-like or data frame
        Numbers. A frame's columns name the classes.
    classes : array-like or None
        Names of the columns of an array, 0..K-1 by default; the order wanted of a frame's.
    name : str
        Parameter name, for messages.

    Returns
    -------
    classes : (K,) array
        Names of the columns of ``matrix``.
    matrix : (n, K) array
        Boolean, integer or floating numbers, not checked further.
    """
    names = None if classes is None else as_classes(classes)
    if is_frame(values):
        columns, matrix = frame_matrix(values, name)
        if names is not None:
            matrix = matrix[:, match_classes(columns, names, f"the frame {name}")]
        names = columns if names is None else names
    else:
        try:
            matrix = np.asarray(values)
        except ValueError:
            raise ValueError(f"{name} is ragged: every row needs one number per class") from None
        if matrix.ndim != 2:
            raise ValueError(f"{name} must be (n, K), got an array of shape {matrix.shape}")
        names = as_classes(range(matrix.shape[1])) if names is None else names
    if matrix.shape[1] != names.size:
        raise ValueError(f"{name} has {matrix.shape[1]} columns but there are {names.size} classes")
    if matrix.dtype.kind == "O":
        try:
            matrix = matrix.astype(np.float64)
        except (TypeError, ValueError):
            raise ValueError(f"{name} holds something that is not a number") from None
    if matrix.dtype.kind not in "biuf":
        raise ValueError(f"{name} must hold numbers, got the type {matrix.dtype}")
    return names, matrix


def plausibilities(pl: Any, classes: Any) -> tuple[Names, Consonant]:
    """Read a contour as a possibility distribution, every row rescaled to maximum 1.

    Parameters
    ----------
    pl : (n, K) array-like or data frame
        Plausibilities.
    classes : array-like or None
        Names of the columns.

    Returns
    -------
    classes, Consonant
        Nested focal sets.
    """
    names, matrix = class_matrix(pl, classes, "pl")
    check_weights(matrix, names, "pl")
    contour = np.array(matrix, dtype=np.float64, order="C")
    for part in row_blocks(contour.shape):
        contour[part] /= contour[part].max(axis=1, keepdims=True)
    return names, Consonant(contour)


def probabilities(p: Any, classes: Any, base_rates: Any) -> tuple[Names, QuasiBayesian]:
    """Read probabilities, if asked with the base rates that they contain divided out.

    Parameters
    ----------
    p : (n, K) array-like or data frame
        Rows that sum to 1.
    classes : array-like or None
        Names of the columns.
    base_rates : (K,) array-like or None
        What the experts held for the frequencies of the classes.

    Returns
    -------
    classes, QuasiBayesian
        Bayesian mass functions.
    """
    names, matrix = class_matrix(p, classes, "p")
    check_weights(matrix, names, "p")
    mass = np.array(matrix, dtype=np.float64, order="C")
    check_sums(mass.sum(axis=1), "p")
    if base_rates is not None:
        rates = np.asarray(base_rates, dtype=np.float64)
        if rates.shape != (names.size,) or not (np.isfinite(rates) & (rates > 0)).all():
            raise ValueError(
                f"base_rates must be {names.size} positive numbers, one per class, got {base_rates}"
            )
        mass /= rates
    mass /= mass.sum(axis=1, keepdims=True)
    return names, QuasiBayesian(mass, np.zeros(mass.shape[0]))


def masses(rows: Any, classes: Any) -> tuple[Names, FocalSets]:
    """Read explicit mass functions.

    Parameters
    ----------
    rows : list of dicts {set of classes: mass}, or data frame
        The mass functions. A frame has the columns ``row``, ``focal_set``, ``mass``.
    classes : array-like or None
        Names of the classes; by default those that some set names.

    Returns
    -------
    classes, FocalSets
        General mass functions.
    """
    if is_frame(rows):
        element_row, sets, mass = _mass_frame(rows)
        n = int(element_row.max(initial=-1)) + 1
        vacuous = np.empty(0, dtype=np.int64)
    else:
        listed = [None if _is_unknown(row) else row for row in _listed(rows, "rows")]
        strange = [i for i, row in enumerate(listed) if not isinstance(row, Mapping | None)]
        if strange:
            raise ValueError(
                f"row {strange[0]} is not a dict {{set of classes: mass}}: {listed[strange[0]]!r}"
            )
        n = len(listed)
        vacuous = np.array([i for i, row in enumerate(listed) if row is None], dtype=np.int64)
        given = [row or {} for row in listed]
        element_row = np.repeat(np.arange(n), [len(row) for row in given])
        sets = list(chain.from_iterable(given))
        mass = _as_masses(list(chain.from_iterable(row.values() for row in given)), element_row)
    if not np.isfinite(mass).all() or (mass < 0).any():
        bad = np.flatnonzero(~(np.isfinite(mass) & (mass >= 0)))[0]
        raise ValueError(
            f"the mass of {sets[bad]!r} in row {element_row[bad]} is {mass[bad]}: masses are "
            "finite and not negative"
        )
    element, members, n_elements = _flatten(sets)
    names, codes = _encode_members(members, element_row[element], classes)
    words = bits.from_members(element, codes, n_elements, names.size)
    return names, _complete(element_row, words, mass, vacuous, n, names.size)


def _complete(
    rows: IntArray, words: bits.Words, mass: FloatArray, vacuous: IntArray, n: int, n_classes: int
) -> FocalSets:
    """Check the sums, add vacuous rows and scale rounding away."""
    frame = np.broadcast_to(bits.full(n_classes), (vacuous.size, words.shape[1]))
    rows = np.concatenate((rows, vacuous))
    words = np.concatenate((words, frame))
    mass = np.concatenate((mass, np.ones(vacuous.size)))
    sums = np.bincount(rows, weights=mass, minlength=n).astype(np.float64)
    check_sums(sums, "masses")
    made = FocalSets.from_elements(rows, words, mass / sums[rows], n, n_classes)
    return refuse_all_empty(made)


def refuse_all_empty(made: FocalSets) -> FocalSets:
    """Refuse mass functions that say no class is possible, m(∅) = 1.

    Parameters
    ----------
    made : FocalSets
        Mass functions.

    Returns
    -------
    FocalSets
        The same.
    """
    filled = (made.words != 0).any(axis=1).astype(np.float64)
    nothing = np.flatnonzero(made.row_sums(filled) == 0)
    if nothing.size:
        raise ValueError(
            f"all mass is on the empty set in {name_rows(nothing)}: no class is possible there"
        )
    return made


def _as_masses(values: list[Any], rows: IntArray) -> FloatArray:
    try:
        return np.asarray(values, dtype=np.float64).reshape(len(values))
    except (TypeError, ValueError):
        bad = next(i for i, value in enumerate(values) if not isinstance(value, int | float))
        raise ValueError(f"{values[bad]!r} in row {rows[bad]} is not a mass") from None


def _mass_frame(table: Any) -> tuple[IntArray, list[Any], FloatArray]:
    rows = np.asarray(table_column(table, "row", "rows"))
    if rows.dtype.kind not in "iu" or (rows < 0).any():
        raise ValueError("the column 'row' must hold row numbers 0..n-1")
    sets = [
        group if isinstance(group, str) or not isinstance(group, Iterable) else tuple(group)
        for group in table_column(table, "focal_set", "rows")
    ]
    mass = _as_masses(list(table_column(table, "mass", "rows")), rows)
    return rows.astype(np.int64), sets, mass


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
    subset, members, n = _flatten(groups)
    place = {name: i for i, name in enumerate(classes.tolist())}
    for member in members:
        if isinstance(member, Collection) or member not in place:
            raise ValueError(f"{member!r} is not among the classes {classes.tolist()}")
    out = np.zeros((n, classes.size), dtype=np.bool_)
    out[subset, [place[member] for member in members]] = True
    return out, single
