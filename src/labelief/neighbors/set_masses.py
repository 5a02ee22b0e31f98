"""Neighbours whose labels have any focal sets, combined set by set, with derivatives on the way."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from labelief._typing import BoolArray, FloatArray, IntArray
from labelief.kernels import bits
from labelief.labels.focal import FocalSets
from labelief.neighbors.label_masses import Combined, Slope

__all__ = ["SetLabels"]

# Pairs of sets that are formed together, about; each carries 1 + K numbers in a fit of γ.
_CELLS = 1 << 19
# More pairs than this are formed for fewer queries together, and refused for one.
_MOST_PAIRS = 1 << 22


@dataclass(frozen=True)
class _Carried:
    """Sets of b mass functions, row after row, each with its mass and the derivatives of it.

    Attributes
    ----------
    indptr : (b + 1,) int array
    words : (F, W) uint64 array
    values : (F, 1 + q) array
    """

    indptr: IntArray
    words: bits.Words
    values: FloatArray

    @property
    def rows(self) -> IntArray:
        return np.repeat(np.arange(len(self.indptr) - 1), np.diff(self.indptr))


class _TooManyPairsError(ValueError):
    """More pairs of sets than memory should hold."""


class SetLabels:
    """Labels with any focal sets.

    Neighbours are combined one after the other; equal intersections are merged at each step, so
    that F sets are left of at most ``2^K - 1``.  A query costs O(k F f), f being the most focal
    sets of a label.

    Parameters
    ----------
    focal : FocalSets
        The labels, without mass on the empty set.
    """

    def __init__(self, focal: FocalSets) -> None:
        self.n_classes = focal.n_classes
        self._focal = focal
        inner = focal.cardinality < self.n_classes
        rows = focal.rows[inner]
        n = len(focal)
        self._words, self._mass = focal.words[inner], focal.mass[inner]
        self._indptr = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=n))))
        self._said = np.bincount(rows, self._mass, minlength=n)
        self._longest = int(np.diff(self._indptr).max(initial=0)) + 1

    def pignistic(self) -> FloatArray:
        """Return pignistic probabilities, (n, K)."""
        return self._focal.pignistic()

    def telling(self) -> BoolArray:
        """Say whose label says something, (n,)."""
        return np.asarray(self._said > 0)

    def rows_at_once(self, n_neighbors: int) -> int:
        """Return how many queries to combine together."""
        sets = min(2.0 ** min(self.n_classes, 12), float(self._longest) ** min(n_neighbors, 12))
        return int(np.clip(_CELLS // (sets * self._longest), 1, 1 << 14))

    def combine(self, neighbours: IntArray, weights: FloatArray) -> Combined:
        """Combine the labels of each query's neighbours."""
        made, log_scale = self._combine(neighbours, weights, np.empty((*weights.shape, 0)))
        masses = FocalSets.from_elements(
            made.rows, made.words, made.values[:, 0], len(neighbours), self.n_classes
        )
        return Combined(masses, log_scale)

    def slope(
        self, neighbours: IntArray, weights: FloatArray, slopes: FloatArray, target: FloatArray
    ) -> Slope:
        """Return the squared error and its derivatives."""
        made, _ = self._combine(neighbours, weights, slopes)
        share = bits.unpack(made.words, self.n_classes) / bits.popcount(made.words)[:, None]
        spread = np.stack(
            [
                np.add.reduceat(share * column[:, None], made.indptr[:-1], axis=0)
                for column in made.values.T
            ]
        )
        total = spread[0].sum(axis=1)
        betp = spread[0] / total[:, None]
        rise = (spread[1:] - betp * spread[1:].sum(axis=2)[:, :, None]) / total[:, None]
        apart = betp - target
        gradient = 2.0 * np.einsum("bk,qbk->q", apart, rise)
        return Slope(float(np.einsum("bk,bk->", apart, apart)), gradient)

    def _combine(
        self, neighbours: IntArray, weights: FloatArray, slopes: FloatArray
    ) -> tuple[_Carried, FloatArray]:
        """Return the combined masses with derivatives, and the log of what they were divided by."""
        try:
            return self._in_turn(neighbours, weights, slopes)
        except _TooManyPairsError:
            half = len(neighbours) // 2
            if half == 0:
                raise
        parts = (
            self._combine(neighbours[part], weights[part], slopes[part])
            for part in (slice(half), slice(half, None))
        )
        (one, one_scale), (other, other_scale) = parts
        indptr = np.concatenate((one.indptr, other.indptr[1:] + one.indptr[-1]))
        words = np.concatenate((one.words, other.words))
        values = np.concatenate((one.values, other.values))
        return _Carried(indptr, words, values), np.concatenate((one_scale, other_scale))

    def _in_turn(
        self, neighbours: IntArray, weights: FloatArray, slopes: FloatArray
    ) -> tuple[_Carried, FloatArray]:
        """Combine the neighbours one after the other."""
        made = self._discounted(neighbours[:, 0], weights[:, 0], slopes[:, 0])
        log_scale = np.zeros(len(neighbours))
        for j in range(1, neighbours.shape[1]):
            other = self._discounted(neighbours[:, j], weights[:, j], slopes[:, j])
            made, scale = _meet(made, other)
            log_scale += np.log(scale)
        return made, log_scale

    def _discounted(self, labels: IntArray, weight: FloatArray, slope: FloatArray) -> _Carried:
        """Return ``w m + (1 - w) [frame]`` of one label a row, the frame as each row's last set."""
        counts = np.diff(self._indptr)[labels]
        indptr = np.concatenate(([0], np.cumsum(counts + 1)))
        last = indptr[1:] - 1
        inner = np.ones(indptr[-1], dtype=bool)
        inner[last] = False
        within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        element = np.repeat(self._indptr[labels], counts) + within
        words = np.empty((indptr[-1], self._words.shape[1]), dtype=np.uint64)
        words[inner], words[last] = self._words[element], bits.full(self.n_classes)
        values = np.empty((indptr[-1], 1 + slope.shape[1]))
        full = np.column_stack([weight, slope])
        values[inner] = np.repeat(full, counts, axis=0) * self._mass[element, None]
        values[last] = -full * self._said[labels, None]
        values[last, 0] += 1.0
        return _Carried(indptr, words, values)


def _meet(one: _Carried, other: _Carried) -> tuple[_Carried, FloatArray]:
    """Combine two batches by intersections; return them scaled to mass 1, and the scales.

    Empty intersections are left out: they never become anything else.  The scale counts as a
    constant, because what follows depends on ratios only.
    """
    left, right = np.diff(one.indptr), np.diff(other.indptr)
    pairs = int(left @ right)
    if pairs > _MOST_PAIRS:
        raise _TooManyPairsError(
            f"combining the neighbours of one row would form {pairs} pairs of focal sets: labels "
            "over many classes with many levels of plausibility have that many. Use fewer "
            "neighbours, or labels made by SoftLabels.from_probabilities or from_confidences."
        )
    row = np.repeat(one.rows, np.repeat(right, left))
    a = np.repeat(np.arange(len(one.words)), np.repeat(right, left))
    begin = np.repeat(np.cumsum(np.repeat(right, left)) - np.repeat(right, left), right[one.rows])
    b = other.indptr[row] + np.arange(pairs) - begin
    words = one.words[a] & other.words[b]
    filled = np.flatnonzero((words != 0).any(axis=1))
    row, a, b, words = row[filled], a[filled], b[filled], words[filled]
    order = np.lexsort((*words.T, row))
    row, a, b, words = row[order], a[order], b[order], words[order]
    values = one.values[a] * other.values[b, :1]
    values[:, 1:] += one.values[a, :1] * other.values[b, 1:]
    new = np.ones(len(row), dtype=bool)
    new[1:] = (row[1:] != row[:-1]) | (words[1:] != words[:-1]).any(axis=1)
    first = np.flatnonzero(new)
    values = np.add.reduceat(values, first, axis=0)
    row, words = row[first], words[first]
    counts = np.bincount(row, minlength=len(left))
    indptr = np.concatenate(([0], np.cumsum(counts)))
    scale = np.add.reduceat(values[:, 0], indptr[:-1])
    return _Carried(indptr, words, values / scale[row, None]), scale
