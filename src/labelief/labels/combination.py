"""Combination of two batches of mass functions, row by row (quost2017 section 2.1).

    conjunctive   m(C) = Σ_{A∩B=C} m1(A) m2(B), mass of conflict left on ∅       (eq. 2)
    conflict      κ = Σ_{A∩B=∅} m1(A) m2(B)                                     (eq. 3)
    Dempster      the conjunctive sum with ∅ taken out, divided by 1 - κ        (eq. 4)
    disjunctive   m(C) = Σ_{A∪B=C} m1(A) m2(B)

Where one side keeps its mass on singletons and the frame, the intersections are known without
listing pairs of focal sets: {k} ∩ B is {k} or empty, so {k} gets m1({k}) pl2(k).  With a Bayesian
side that is all there is (eq. 5), and the result is Bayesian.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from labelief._typing import FloatArray, IntArray
from labelief.kernels import bits
from labelief.labels.focal import FocalSets
from labelief.labels.mass_rows import refuse_all_empty
from labelief.labels.messages import name_rows
from labelief.labels.quasi_bayesian import QuasiBayesian
from labelief.labels.storage import MassFunctions

# Pairs of focal sets formed together; bounds the memory beside the result.
PAIRS = 1 << 18
# More pairs than this are refused: the result would not fit into memory.
MOST_PAIRS = 1 << 29


def dempster(first: MassFunctions, second: MassFunctions) -> MassFunctions:
    """Combine by Dempster's rule, eq. 2-4.

    Parameters
    ----------
    first, second : MassFunctions
        Batches of n rows over the same frame.

    Returns
    -------
    MassFunctions
        Normalised; the mass that is left is summed, never computed as 1 - κ.

    Raises
    ------
    ValueError
        Where two rows contradict each other wholly; the message names the rows.
    """
    points, other = _points_first(first, second)
    if points is None:
        return _normalise(_by_pairs(first.focal(), second.focal(), np.bitwise_and))
    singletons, frame = _on_points(points, other)
    if (points.frame == 0).all() or other.quasi_bayesian() is not None:
        total = singletons.sum(axis=1) + frame
        _refuse_conflict(total)
        return QuasiBayesian(singletons / total[:, None], frame / total)
    return _normalise(_assemble(singletons, points, other))


def conjunctive(first: MassFunctions, second: MassFunctions) -> FocalSets:
    """Combine without normalisation, eq. 2: conflict stays as m(∅).

    Parameters
    ----------
    first, second : MassFunctions
        Batches of n rows over the same frame.

    Returns
    -------
    FocalSets
        Mass functions that may have mass on the empty set.
    """
    points, other = _points_first(first, second)
    if points is None:
        made = _by_pairs(first.focal(), second.focal(), np.bitwise_and)
    else:
        singletons, _ = _on_points(points, other)
        made = _assemble(singletons, points, other)
        kappa = conflict(first, second)
        empty = np.zeros((len(first), made.words.shape[1]), dtype=np.uint64)
        filled = (made.words != 0).any(axis=1)
        made = FocalSets.from_elements(
            np.concatenate((made.rows[filled], np.arange(len(first)))),
            np.concatenate((made.words[filled], empty)),
            np.concatenate((made.mass[filled], kappa)),
            len(first),
            first.n_classes,
        )
    return refuse_all_empty(made)


def disjunctive(first: MassFunctions, second: MassFunctions) -> FocalSets:
    """Combine by unions: at least one of the two sources is right.

    Parameters
    ----------
    first, second : MassFunctions
        Batches of n rows over the same frame.

    Returns
    -------
    FocalSets
        The mass functions.
    """
    return _by_pairs(first.focal(), second.focal(), np.bitwise_or)


def conflict(first: MassFunctions, second: MassFunctions) -> FloatArray:
    """Measure the conflict κ of each pair of rows, eq. 3.

    Parameters
    ----------
    first, second : MassFunctions
        Batches of n rows over the same frame.

    Returns
    -------
    (n,) float64 array
        κ, between 0 and 1.
    """
    points, other = _points_first(first, second)
    if points is not None:
        contrary = other.empty_mass()[:, None] + _not_plausible(other)
        kappa = np.einsum("nk,nk->n", points.singletons, contrary)
        kappa += points.frame * other.empty_mass()
    else:
        kappa = np.zeros(len(first))
        for rows, words, mass in _pairs(first.focal(), second.focal(), np.bitwise_and):
            clash = (words == 0).all(axis=1)
            kappa += np.bincount(rows[clash], weights=mass[clash], minlength=len(first))
    return np.asarray(np.clip(kappa, 0.0, 1.0), dtype=np.float64)


RULES: dict[str, Callable[[MassFunctions, MassFunctions], MassFunctions]] = {
    "dempster": dempster,
    "conjunctive": conjunctive,
    "disjunctive": disjunctive,
}


def _points_first(
    first: MassFunctions, second: MassFunctions
) -> tuple[QuasiBayesian | None, MassFunctions]:
    """Put the side forward that keeps its mass on singletons and the frame, if there is one."""
    points = first.quasi_bayesian()
    return (points, second) if points is not None else (second.quasi_bayesian(), first)


def _not_plausible(other: MassFunctions) -> FloatArray:
    """Return the mass of the non-empty sets without k: 1 - m(∅) - pl(k)."""
    return np.maximum(1.0 - other.empty_mass()[:, None] - other.plausibilities(), 0.0)


def _on_points(points: QuasiBayesian, other: MassFunctions) -> tuple[FloatArray, FloatArray]:
    """Return the mass that goes to each {k}, and to the frame from both frames."""
    singletons = points.singletons * other.plausibilities()
    second = other.quasi_bayesian()
    if second is None:
        return singletons, np.zeros(len(points))
    singletons += points.frame[:, None] * second.singletons
    return singletons, points.frame * second.frame


def _assemble(singletons: FloatArray, points: QuasiBayesian, other: MassFunctions) -> FocalSets:
    """Put {k} and the other side's focal sets, met by the frame, together; not normalised."""
    n, n_classes = singletons.shape
    row, code = np.nonzero(singletons)
    second = other.quasi_bayesian()
    if second is not None:
        # its singletons are counted in ``singletons``: only frame meets frame
        rest_row = np.flatnonzero(points.frame * second.frame)
        words = np.broadcast_to(bits.full(n_classes), (rest_row.size, bits.n_words(n_classes)))
        mass = (points.frame * second.frame)[rest_row]
    else:
        kept = np.flatnonzero(points.frame)
        rest = other.take(kept).focal()
        rest_row, words = kept[rest.rows], rest.words
        mass = rest.mass * points.frame[rest_row]
    return FocalSets.from_elements(
        np.concatenate((row, rest_row)),
        np.concatenate((bits.singletons(code, n_classes), words)),
        np.concatenate((singletons[row, code], mass)),
        n,
        n_classes,
    )


def _normalise(made: FocalSets) -> FocalSets:
    """Take the empty set out and scale what is left to 1."""
    filled = (made.words != 0).any(axis=1)
    rows = made.rows[filled]
    total = np.bincount(rows, weights=made.mass[filled], minlength=len(made)).astype(np.float64)
    _refuse_conflict(total)
    return FocalSets.from_elements(
        rows,
        made.words[filled],
        made.mass[filled] / total[rows],
        len(made),
        made.n_classes,
    )


def _refuse_conflict(total: FloatArray) -> None:
    nothing = np.flatnonzero(total == 0)
    if nothing.size:
        raise ValueError(
            f"total conflict in {name_rows(nothing)}: the two labels leave no class possible. "
            "Discount one of them first, or combine by rule='disjunctive'"
        )


def _by_pairs(
    first: FocalSets,
    second: FocalSets,
    meet: Callable[[bits.Words, bits.Words], bits.Words],
) -> FocalSets:
    """Combine explicit focal sets, every one of a row with every one of the other's."""
    n, n_classes = len(first), first.n_classes
    parts: list[FocalSets] = []
    done = 0
    for rows, words, mass in _pairs(first, second, meet):
        last = int(rows[-1]) + 1
        parts.append(FocalSets.from_elements(rows - done, words, mass, last - done, n_classes))
        done = last
    return FocalSets.concatenate(parts) if parts else first.take(np.arange(n))


def _pairs(
    first: FocalSets,
    second: FocalSets,
    meet: Callable[[bits.Words, bits.Words], bits.Words],
) -> Iterator[tuple[IntArray, bits.Words, FloatArray]]:
    """Yield (row, set, mass) of all pairs, some rows at a time."""
    left, right = np.diff(first.indptr), np.diff(second.indptr)
    ends = np.concatenate(([0], np.cumsum(left * right)))
    if ends[-1] > MOST_PAIRS:
        raise ValueError(
            f"combining would form {ends[-1]} pairs of focal sets: labels with many levels of "
            "plausibility have that many. Combine their contours by labelief.labels."
            "pool_plausibilities, or fewer rows at a time"
        )
    start = 0
    while start < len(first):
        stop = int(np.searchsorted(ends, ends[start] + PAIRS, side="right")) - 1
        stop = min(max(stop, start + 1), len(first))
        # element of the left row, repeated once for each element of the right row
        one = np.arange(first.indptr[start], first.indptr[stop])
        repeats = np.repeat(right[start:stop], left[start:stop])
        row = np.repeat(np.repeat(np.arange(start, stop), left[start:stop]), repeats)
        begin = np.cumsum(repeats) - repeats
        within = np.arange(row.size) - np.repeat(begin, repeats)
        a = np.repeat(one, repeats)
        b = second.indptr[row] + within
        yield row, meet(first.words[a], second.words[b]), first.mass[a] * second.mass[b]
        start = stop
