"""From what people give to mass functions: one function per way of stating a label.

Each reads and checks its input and returns ``(classes, mass functions)``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelief._typing import BoolArray
from labelief.kernels import bits
from labelief.labels.class_matrix import class_matrix
from labelief.labels.class_names import Codes, Names
from labelief.labels.class_sets import as_list, encode_members, flatten, is_unknown
from labelief.labels.consonant import Consonant
from labelief.labels.encoding import encode
from labelief.labels.focal import FocalSets
from labelief.labels.messages import name_rows
from labelief.labels.quasi_bayesian import QuasiBayesian
from labelief.labels.tables import is_frame
from labelief.labels.weights import as_unit_interval, check_sums, check_weights, row_blocks


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
        groups = [None if is_unknown(group) else group for group in as_list(sets, "sets")]
        subset, members, n = flatten(groups)
        names, codes = encode_members(members, subset, classes)
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
    return np.asarray(matrix != 0, dtype=np.bool_)


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
