"""Possibility distributions: mass functions with nested focal sets, kept as their contour."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from labelief._typing import BoolArray, FloatArray, IntArray
from labelief.kernels import bits
from labelief.labels.class_names import Codes, freeze
from labelief.labels.focal import CELLS, FocalSets


@dataclass(frozen=True, eq=False)
class Consonant:
    """n possibility distributions over K classes.

    With the contour of a row sorted downwards, l_1 = 1 ≥ l_2 ≥ ... ≥ l_K ≥ l_{K+1} = 0, the focal
    sets are the j most plausible classes, with mass l_j - l_{j+1}.  Hence Pl(A) = max_{k∈A} pl(k)
    and Bel(A) = 1 - max_{k∉A} pl(k).

    Parameters
    ----------
    contour : (n, K) float64 array
        Plausibility of each class; every row's maximum is exactly 1.

    Examples
    --------
    >>> import numpy as np
    >>> Consonant(np.array([[1.0, 0.4]])).pignistic()
    array([[0.8, 0.2]])
    """

    contour: FloatArray

    def __post_init__(self) -> None:
        """Make the contour read-only: it is shared between batches and handed out."""
        object.__setattr__(self, "contour", freeze(self.contour))

    def __reduce__(self) -> tuple[type[Consonant], tuple[FloatArray]]:
        return Consonant, (self.contour,)

    @property
    def n_classes(self) -> int:
        """Size K of the frame."""
        return int(self.contour.shape[1])

    def __len__(self) -> int:
        """Return the number n of mass functions."""
        return int(self.contour.shape[0])

    def _blocks(self, words_per_cell: int = 1) -> Iterator[slice]:
        step = max(1, CELLS // (self.n_classes * words_per_cell))
        for start in range(0, len(self), step):
            yield slice(start, min(start + step, len(self)))

    def plausibilities(self) -> FloatArray:
        """Return the contour, shape (n, K), not a copy."""
        return self.contour

    def beliefs(self) -> FloatArray:
        """Return the mass of each singleton: 1 - the second level, on the top class."""
        out = np.zeros(self.contour.shape)
        for part in self._blocks():
            top = self.contour[part].argmax(axis=1)
            rows = np.arange(top.size)
            rest = self.contour[part].copy()
            rest[rows, top] = 0.0
            out[part][rows, top] = 1.0 - rest.max(axis=1)
        return out

    def pignistic(self) -> FloatArray:
        """Return Σ_{j≥rank(k)} (l_j - l_{j+1})/j, shape (n, K)."""
        out = np.empty(self.contour.shape)
        sizes = np.arange(1, self.n_classes + 1)
        for part in self._blocks():
            order = np.argsort(-self.contour[part], axis=1)
            levels = np.take_along_axis(self.contour[part], order, axis=1)
            share = -np.diff(levels, axis=1, append=0.0) / sizes
            tail = np.cumsum(share[:, ::-1], axis=1)[:, ::-1]
            np.put_along_axis(out[part], order, tail, axis=1)
        return out

    def nonspecificity(self) -> FloatArray:
        """Return Σ_j (l_j - l_{j+1}) log j, shape (n,)."""
        out = np.empty(len(self))
        log_sizes = np.log(np.arange(1, self.n_classes + 1))
        for part in self._blocks():
            levels = -np.sort(-self.contour[part], axis=1)
            out[part] = -np.diff(levels, axis=1, append=0.0) @ log_sizes
        return out

    def empty_mass(self) -> FloatArray:
        """Return m(∅) = 0, shape (n,)."""
        return np.zeros(len(self))

    def bel(self, sets: BoolArray) -> FloatArray:
        """Return Bel(A) = 1 - max_{k∉A} pl(k) for m subsets (m, K), shape (n, m)."""
        return 1.0 - self.pl(~sets)

    def pl(self, sets: BoolArray) -> FloatArray:
        """Return Pl(A) = max_{k∈A} pl(k) for m subsets (m, K), shape (n, m)."""
        out = np.empty((len(self), sets.shape[0]))
        for j, subset in enumerate(sets):
            out[:, j] = self.contour[:, subset].max(axis=1, initial=0.0)
        return out

    def codes(self) -> Codes | None:
        """Return class codes (-1 = vacuous) where every row is crisp or vacuous, else None."""
        codes = np.empty(len(self), dtype=np.int32)
        for part in self._blocks():
            block = self.contour[part]
            if not ((block == 0.0) | (block == 1.0)).all():
                return None
            support = block.sum(axis=1)
            if not ((support == 1.0) | (support == self.n_classes)).all():
                return None
            codes[part] = np.where(support == 1.0, block.argmax(axis=1), -1)
        return codes

    def discount(self, rates: FloatArray) -> Consonant:
        """Return (1 - α) pl + α, with one rate α per row, shape (n,)."""
        contour = self.contour * (1.0 - rates)[:, None]
        contour += rates[:, None]
        # the top level stays exactly 1: (1 - α) + α rounds to 1 for every α in [0, 1]
        return Consonant(contour)

    def take(self, rows: IntArray) -> Consonant:
        """Return the given rows, in the given order."""
        return Consonant(self.contour[rows])

    def permute(self, columns: IntArray) -> Consonant:
        """Return the batch over reordered classes: new class j is old class ``columns[j]``."""
        return Consonant(np.ascontiguousarray(self.contour[:, columns]))

    def focal(self) -> FocalSets:
        """Return the nested focal sets: at most K a row, one per distinct level."""
        width = bits.n_words(self.n_classes)
        if len(self) == 0:
            return FocalSets.one_per_row(np.zeros((0, width), dtype=np.uint64), self.n_classes)
        return FocalSets.concatenate([self._nested(part, width) for part in self._blocks(width)])

    def _nested(self, part: slice, width: int) -> FocalSets:
        order = np.argsort(-self.contour[part], axis=1)
        levels = np.take_along_axis(self.contour[part], order, axis=1)
        mass = -np.diff(levels, axis=1, append=0.0)
        single = bits.singletons(order.ravel(), self.n_classes)
        nested = np.bitwise_or.accumulate(single.reshape(*order.shape, width), axis=1)
        row, size = np.nonzero(mass > 0)
        return FocalSets.from_elements(
            row, nested[row, size], mass[row, size], order.shape[0], self.n_classes
        )

    def quasi_bayesian(self) -> None:
        """Return None: the focal sets are nested."""
        return None
