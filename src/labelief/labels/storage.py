"""The contract of a batch of mass functions, however it is stored.

A batch holds n mass functions over one frame of K classes.  Three storages keep it:

``FocalSets``
    any mass functions, as explicit sparse lists of focal sets;
``Consonant``
    possibility distributions (nested focal sets), as their dense contour;
``QuasiBayesian``
    mass on single classes and on the frame only, as a dense matrix and a vector.

All of them answer the questions below directly, in batches and without listing subsets, so that a
dense contour over 300 classes never becomes 300 focal sets a row unless somebody asks for them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from labelief._typing import BoolArray, FloatArray, IntArray
from labelief.labels.class_names import Codes

if TYPE_CHECKING:
    from labelief.labels.focal import FocalSets
    from labelief.labels.quasi_bayesian import QuasiBayesian


class MassFunctions(Protocol):
    """A batch of n mass functions over K classes (quost2017 section 2.1).

    Every method returns a new array or a read-only one; none changes the batch.
    """

    @property
    def n_classes(self) -> int:
        """Size K of the frame."""

    def __len__(self) -> int:
        """Return the number n of mass functions."""

    def plausibilities(self) -> FloatArray:
        """Return the contour, Σ_{A∋k} m(A), shape (n, K)."""

    def beliefs(self) -> FloatArray:
        """Return the mass of each singleton, shape (n, K)."""

    def pignistic(self) -> FloatArray:
        """Return Σ_{A∋k} m(A)/|A| divided by 1 - m(∅), shape (n, K)."""

    def nonspecificity(self) -> FloatArray:
        """Return Σ_A m(A) log|A|, shape (n,)."""

    def empty_mass(self) -> FloatArray:
        """Return m(∅), shape (n,)."""

    def bel(self, sets: BoolArray) -> FloatArray:
        """Return the belief in each of m subsets, given as (m, K) membership; shape (n, m)."""

    def pl(self, sets: BoolArray) -> FloatArray:
        """Return the plausibility of each of m subsets, given as (m, K); shape (n, m)."""

    def codes(self) -> Codes | None:
        """Return class codes (-1 = vacuous) where every row is crisp or vacuous, else None."""

    def discount(self, rates: FloatArray) -> MassFunctions:
        """Return (1 - α) m + α [frame], with one rate α per row, shape (n,)."""

    def take(self, rows: IntArray) -> MassFunctions:
        """Return the given rows, in the given order."""

    def permute(self, columns: IntArray) -> MassFunctions:
        """Return the batch over reordered classes: new class j is old class ``columns[j]``."""

    def focal(self) -> FocalSets:
        """Return the explicit focal sets."""

    def quasi_bayesian(self) -> QuasiBayesian | None:
        """Return the batch itself where all mass is kept on singletons and the frame."""
