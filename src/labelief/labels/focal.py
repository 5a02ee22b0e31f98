"""Explicit focal sets of a batch of mass functions, row after row as in a CSR matrix."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from labelief._typing import BoolArray, FloatArray, IntArray
from labelief.kernels import bits
from labelief.labels.class_names import Codes, freeze

# Cells of a temporary (elements x classes) array; larger batches are worked off in pieces.
CELLS = 1 << 19


@dataclass(frozen=True, eq=False)
class FocalSets:
    """Focal sets of n mass functions over K classes.

    Row i holds the focal elements ``indptr[i]:indptr[i + 1]``; within a row they are distinct,
    have positive mass and stand in the order of their bit sets read as integers.  Every row has
    at least one, and its masses sum to 1.  The empty set may be a focal element.

    Parameters
    ----------
    indptr : (n + 1,) int64 array
        Where each row's focal elements begin.
    words : (F, W) uint64 array
        The focal sets as bits (:mod:`labelief.kernels.bits`).
    mass : (F,) float64 array
        Their masses.
    n_classes : int
        Size K of the frame.

    Examples
    --------
    >>> import numpy as np
    >>> sets = FocalSets.from_elements(
    ...     np.array([0, 0]),
    ...     bits.pack(np.array([[1, 0], [1, 1]], dtype=bool)),
    ...     np.array([0.7, 0.3]),
    ...     n_rows=1,
    ...     n_classes=2,
    ... )
    >>> sets.plausibilities()
    array([[1. , 0.3]])
    """

    indptr: IntArray
    words: bits.Words
    mass: FloatArray
    n_classes: int

    def __post_init__(self) -> None:
        """Make the arrays read-only: they are shared between batches and handed out."""
        for name in ("indptr", "words", "mass"):
            object.__setattr__(self, name, freeze(getattr(self, name)))

    def __reduce__(self) -> tuple[type[FocalSets], tuple[Any, ...]]:
        return FocalSets, (self.indptr, self.words, self.mass, self.n_classes)

    @classmethod
    def from_elements(
        cls, rows: IntArray, words: bits.Words, mass: FloatArray, n_rows: int, n_classes: int
    ) -> FocalSets:
        """Sort focal elements given in any order, merge equal ones and drop those of mass 0.

        Parameters
        ----------
        rows : (F,) int64 array
            Row of each element.
        words : (F, W) uint64 array
            The sets.
        mass : (F,) float64 array
            Their masses, not negative.
        n_rows, n_classes : int
            Numbers n of rows and K of classes.

        Returns
        -------
        FocalSets
            The same mass functions in canonical form.
        """
        keep = mass > 0
        if not keep.all():
            rows, words, mass = rows[keep], words[keep], mass[keep]
        order = np.lexsort((*words.T, rows))
        rows, words, mass = rows[order], words[order], mass[order]
        if rows.size:
            same = (rows[1:] == rows[:-1]) & (words[1:] == words[:-1]).all(axis=1)
            if same.any():
                first = np.flatnonzero(np.concatenate(([True], ~same)))
                rows, words, mass = rows[first], words[first], np.add.reduceat(mass, first)
        counts = np.bincount(rows, minlength=n_rows)
        indptr = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
        return cls(indptr, words, mass, n_classes)

    @classmethod
    def one_per_row(cls, words: bits.Words, n_classes: int) -> FocalSets:
        """Put all mass of row i on the set ``words[i]``.

        Parameters
        ----------
        words : (n, W) uint64 array
            One set per row.
        n_classes : int
            Size K of the frame.

        Returns
        -------
        FocalSets
            n categorical mass functions.
        """
        n = words.shape[0]
        return cls(np.arange(n + 1, dtype=np.int64), words, np.ones(n), n_classes)

    @classmethod
    def concatenate(cls, parts: Sequence[FocalSets]) -> FocalSets:
        """Stack batches over the same frame, one after the other.

        Parameters
        ----------
        parts : sequence of FocalSets
            At least one batch.

        Returns
        -------
        FocalSets
            All rows.
        """
        counts = np.concatenate([np.diff(part.indptr) for part in parts])
        return cls(
            np.concatenate(([0], np.cumsum(counts))).astype(np.int64),
            np.concatenate([part.words for part in parts]),
            np.concatenate([part.mass for part in parts]),
            parts[0].n_classes,
        )

    def __len__(self) -> int:
        """Return the number n of mass functions."""
        return int(self.indptr.size - 1)

    @property
    def rows(self) -> IntArray:
        """Row of each focal element, shape (F,)."""
        return np.repeat(np.arange(len(self)), np.diff(self.indptr))

    @property
    def cardinality(self) -> IntArray:
        """Number of classes in each focal element, shape (F,)."""
        return bits.popcount(self.words)

    @property
    def members(self) -> BoolArray:
        """Membership of each class in each focal element, shape (F, K)."""
        return bits.unpack(self.words, self.n_classes)

    def row_sums(self, weights: FloatArray) -> FloatArray:
        """Add one number per focal element up within each row.

        Parameters
        ----------
        weights : (F,) float64 array
            A number per focal element.

        Returns
        -------
        (n,) float64 array
            Σ over the row's focal elements.
        """
        if weights.size == len(self):
            return weights.astype(np.float64, copy=True)
        return np.add.reduceat(weights, self.indptr[:-1])

    def _blocks(self) -> Iterator[tuple[int, int]]:
        """Cut the rows into runs of at most ``CELLS`` (element, class) cells, or one row."""
        limit = max(1, CELLS // max(1, self.n_classes))
        start = 0
        while start < len(self):
            stop = int(np.searchsorted(self.indptr, self.indptr[start] + limit, side="right")) - 1
            stop = min(max(stop, start + 1), len(self))
            yield start, stop
            start = stop

    def spread(self, weights: FloatArray) -> FloatArray:
        """Spread one number per focal element over its classes and add up within each row.

        Parameters
        ----------
        weights : (F,) float64 array
            A number per focal element.

        Returns
        -------
        (n, K) float64 array
            Σ_{A∋k} weight(A).
        """
        out = np.empty((len(self), self.n_classes))
        for start, stop in self._blocks():
            first, last = self.indptr[start], self.indptr[stop]
            cells = bits.unpack(self.words[first:last], self.n_classes) * weights[first:last, None]
            if last - first == stop - start:
                out[start:stop] = cells
            else:
                np.add.reduceat(cells, self.indptr[start:stop] - first, axis=0, out=out[start:stop])
        return out

    def plausibilities(self) -> FloatArray:
        """Return the contour, Σ_{A∋k} m(A), shape (n, K)."""
        contour = self.spread(self.mass)
        return np.minimum(contour, 1.0, out=contour)

    def beliefs(self) -> FloatArray:
        """Return the mass of each singleton, shape (n, K)."""
        out = np.zeros((len(self), self.n_classes))
        single = self.cardinality == 1
        out[self.rows[single], bits.singleton_codes(self.words[single])] = self.mass[single]
        return out

    def pignistic(self) -> FloatArray:
        """Return Σ_{A∋k} m(A)/|A| divided by 1 - m(∅), shape (n, K)."""
        size = self.cardinality
        share = np.where(size > 0, self.mass / np.maximum(size, 1), 0.0)
        spread = self.spread(share)
        # 1 - m(∅) as a sum of what is left: exact also where little is left
        spread /= self.row_sums(np.where(size > 0, self.mass, 0.0))[:, None]
        return spread

    def nonspecificity(self) -> FloatArray:
        """Return Σ_A m(A) log|A|, natural logarithm, shape (n,)."""
        return self.row_sums(self.mass * np.log(np.maximum(self.cardinality, 1)))

    def empty_mass(self) -> FloatArray:
        """Return m(∅), shape (n,)."""
        return self.row_sums(np.where((self.words == 0).all(axis=1), self.mass, 0.0))

    def bel(self, sets: BoolArray) -> FloatArray:
        """Return Bel(A) = Σ_{∅≠B⊆A} m(B) for m subsets (m, K), shape (n, m)."""
        out = np.empty((len(self), sets.shape[0]))
        filled = (self.words != 0).any(axis=1)
        for j, subset in enumerate(bits.pack(sets)):
            inside = filled & ((self.words & ~subset) == 0).all(axis=1)
            out[:, j] = self.row_sums(np.where(inside, self.mass, 0.0))
        return np.minimum(out, 1.0)

    def pl(self, sets: BoolArray) -> FloatArray:
        """Return Pl(A) = Σ_{B∩A≠∅} m(B) for m subsets (m, K), shape (n, m)."""
        out = np.empty((len(self), sets.shape[0]))
        for j, subset in enumerate(bits.pack(sets)):
            meets = ((self.words & subset) != 0).any(axis=1)
            out[:, j] = self.row_sums(np.where(meets, self.mass, 0.0))
        return np.minimum(out, 1.0)

    def codes(self) -> Codes | None:
        """Return class codes (-1 = vacuous) where every row is crisp or vacuous, else None."""
        if self.mass.size != len(self):
            return None
        codes = np.full(len(self), -1, dtype=np.int32)
        for start in range(0, len(self), CELLS):
            words = self.words[start : start + CELLS]
            size = bits.popcount(words)
            single = size == 1
            if not (single | (size == self.n_classes)).all():
                return None
            codes[start : start + CELLS][single] = bits.singleton_codes(words[single])
        return codes

    def discount(self, rates: FloatArray) -> FocalSets:
        """Return (1 - α) m + α [frame], with one rate α per row, shape (n,)."""
        n = len(self)
        frame = np.broadcast_to(bits.full(self.n_classes), (n, self.words.shape[1]))
        return FocalSets.from_elements(
            np.concatenate((self.rows, np.arange(n))),
            np.concatenate((self.words, frame)),
            np.concatenate((self.mass * np.repeat(1.0 - rates, np.diff(self.indptr)), rates)),
            n,
            self.n_classes,
        )

    def take(self, rows: IntArray) -> FocalSets:
        """Return the given rows, in the given order."""
        counts = np.diff(self.indptr)[rows]
        indptr = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
        element = np.arange(indptr[-1]) + np.repeat(self.indptr[rows] - indptr[:-1], counts)
        return FocalSets(indptr, self.words[element], self.mass[element], self.n_classes)

    def permute(self, columns: IntArray) -> FocalSets:
        """Return the batch over reordered classes: new class j is old class ``columns[j]``."""
        words = np.empty_like(self.words)
        step = max(1, CELLS // max(1, self.n_classes))
        for start in range(0, words.shape[0], step):
            part = bits.unpack(self.words[start : start + step], self.n_classes)
            words[start : start + step] = bits.pack(part[:, columns])
        return FocalSets.from_elements(self.rows, words, self.mass, len(self), self.n_classes)

    def focal(self) -> FocalSets:
        """Return the batch itself."""
        return self

    def quasi_bayesian(self) -> None:
        """Return None: explicit sets are not inspected."""
        return None
