"""``LabelSets``: what is believed about the label set of each of n objects.

Like ``SoftLabels``, long because each method is documented with its formula and an example.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from labelief._typing import BoolArray, FloatArray
from labelief.kernels import bits
from labelief.labels import combination, label_set_rows
from labelief.labels.class_names import Names, as_classes, freeze
from labelief.labels.class_sets import read_sets
from labelief.labels.display import aligned, describe_label_sets, shown_rows
from labelief.labels.focal import FocalSets
from labelief.labels.html import html_table
from labelief.labels.indexing import row_numbers
from labelief.labels.label_matrix import LabelMatrix
from labelief.labels.messages import name_classes, name_rows


class LabelSets:
    """A batch of n mass functions over label sets, for objects that may have several of Q labels.

    All mass lies on the sets φ(A, B) of label sets that contain all of A and none of B, and on the
    empty set, the conflict.  φ(∅, ∅) says nothing, φ(A, Ω - A) that the label set is A.  Each
    φ(A, B) takes two bit sets, each row only as many as it has, so that a frame of 2^(2^Q)
    statements costs no more than what is said.  Made by the ``from_...`` methods, never changed.

    Notes
    -----
    For disjoint A and B (younes2010 eq. 10-12; ∅ is never counted)

        bel(A, B) = Σ_{A' ⊇ A, B' ⊇ B} m(A', B'),    pl(A, B) = Σ_{A' ∩ B = ∅ = A ∩ B'} m(A', B')

        (m1 ∩ m2)(A, B) = Σ m1(A', B') m2(A'', B'')   over  A' ∪ A'' = A,  B' ∪ B'' = B

    where what demands and forbids the same label goes to the conflict.

    Examples
    --------
    >>> first = LabelSets.from_matrix([[1, 0, None]], 0.5, labels=["happy", "sad", "calm"])
    >>> second = LabelSets.from_matrix([[1, 1, None]], 0.5, labels=["happy", "sad", "calm"])
    >>> both = first.combine(second)
    >>> both
    LabelSets: 1 row, labels 'happy', 'sad', 'calm'
      0  anything 0.25, {happy, sad} 0.25, {happy, not sad} 0.25, conflict 0.25
    >>> both.bel({"happy"}), both.pl({"happy"}, {"sad"}), both.empty_mass
    (array([0.5]), array([0.5]), array([0.25]))
    """

    __slots__ = ("_focal", "_labels")

    _focal: FocalSets
    _labels: Names

    def __init__(self, labels: ArrayLike, focal: FocalSets) -> None:
        """Wrap focal elements; use the ``from_...`` methods to make them from data.

        Parameters
        ----------
        labels : (Q,) array-like
            Names of the labels.
        focal : FocalSets
            Words of A followed by the words of B; every bit is set in the empty set.
        """
        self._labels = as_classes(labels)
        if focal.words.shape[1] != 2 * bits.n_words(self._labels.size):
            raise ValueError(f"{self._labels.size} label names do not fit the focal elements")
        self._focal = focal

    # ------------------------------------------------------------------ made from

    @classmethod
    def from_matrix(
        cls, y: Any, confidence: ArrayLike = 1.0, labels: ArrayLike | None = None
    ) -> LabelSets:
        """Take one statement per row: mass c on it, and 1 - c on "anything".

        Parameters
        ----------
        y : (n, Q) array-like or data frame
            1 where a row has the label (A), 0 where it has not (B), NaN or None if undecided.
        confidence : float or (n,) array-like, default=1.0
            c, between 0 (the row says nothing) and 1 (it is certain).
        labels : array-like, default=None
            Names of an array's columns, 0..Q-1 by default; the order wanted of a frame's.

        Returns
        -------
        LabelSets
            Two focal elements per row at most.

        Examples
        --------
        >>> LabelSets.from_matrix([[1, 0], [None, 0]], [0.75, 1.0]).beliefs[:, :, 1]
        array([[0.  , 0.75],
               [0.  , 1.  ]])
        """
        return cls(*label_set_rows.statements(y, confidence, labels))

    @classmethod
    def from_elements(
        cls,
        rows: ArrayLike,
        contains: ArrayLike,
        avoids: ArrayLike,
        mass: ArrayLike,
        labels: ArrayLike | None = None,
        n_rows: int | None = None,
    ) -> LabelSets:
        """Take any focal elements, one after the other.

        Parameters
        ----------
        rows : (F,) array-like of integers
            Row that each element belongs to, in any order.
        contains, avoids : (F, Q) array-like of bool
            A and B of each element. Where they overlap the element is the empty set.
        mass : (F,) array-like
            Masses, not negative; those of each row sum to 1 within 1e-6.
        labels : array-like, default=None
            Names of the labels, 0..Q-1 by default.
        n_rows : int, default=None
            Number of rows, by default one more than the last that occurs.

        Returns
        -------
        LabelSets
            The mass functions; equal elements of a row are merged.

        Examples
        --------
        >>> sets = LabelSets.from_elements([0, 0], [[1, 0], [0, 0]], [[0, 0], [1, 0]], [0.7, 0.3])
        >>> sets
        LabelSets: 1 row, labels 0, 1
          0  {0} 0.7, {not 0} 0.3
        """
        return cls(*label_set_rows.elements(rows, contains, avoids, mass, labels, n_rows))

    @staticmethod
    def concatenate(parts: Iterable[LabelSets]) -> LabelSets:
        """Stack batches over the same labels, one after the other.

        Parameters
        ----------
        parts : iterable of LabelSets
            At least one.

        Returns
        -------
        LabelSets
            All rows.
        """
        batches = list(parts)
        if not batches:
            raise ValueError("concatenate needs at least one batch")
        for batch in batches[1:]:
            batches[0]._check_labels(batch)
        return LabelSets(
            batches[0]._labels, FocalSets.concatenate([batch._focal for batch in batches])
        )

    # ------------------------------------------------------------------ views

    @property
    def labels(self) -> Names:
        """Names of the labels, (Q,)."""
        return self._labels

    @property
    def shape(self) -> tuple[int, int]:
        """``(n, Q)``."""
        return len(self), int(self._labels.size)

    @property
    def empty_mass(self) -> FloatArray:
        """Mass of the empty set, (n,): how much the combined statements contradict each other."""
        return self._focal.row_sums(np.where(self._conflict, self._focal.mass, 0.0))

    @property
    def beliefs(self) -> FloatArray:
        """bel({q}, ∅) and bel(∅, {q}) of each label, (n, Q, 2): sure to have it, sure not to."""
        spread = self._focal.spread(np.where(self._conflict, 0.0, self._focal.mass))
        Q = self._labels.size
        return np.minimum(np.stack((spread[:, :Q], spread[:, -Q:]), axis=2), 1.0)

    def masses(self, i: int) -> dict[tuple[frozenset[Any], frozenset[Any]], float]:
        """Return the mass function of one row.

        Parameters
        ----------
        i : int
            Row number.

        Returns
        -------
        dict
            (A, B) to mass; the empty set is (Ω, Ω).

        Examples
        --------
        >>> LabelSets.from_matrix([[1, 0, None]]).masses(0)
        {(frozenset({0}), frozenset({1})): 1.0}
        """
        row = self[i]
        if len(row) != 1:
            raise IndexError("masses(i) takes one row number")
        names = self._labels.tolist()

        def named(members: BoolArray) -> frozenset[Any]:
            return frozenset(names[q] for q in np.flatnonzero(members))

        Q = self._labels.size
        return {
            (named(members[:Q]), named(members[Q:])): float(mass)
            for members, mass in zip(row._members, row._focal.mass, strict=True)
        }

    def bel(self, contains: Any = (), avoids: Any = ()) -> FloatArray:
        """Return bel(A, B): belief that the label set contains A and avoids B (eq. 10).

        Parameters
        ----------
        contains, avoids : set of labels, or list of m such
            A and B, as sets, frozensets or tuples of names, or one name; or lists of them; or bool
            arrays, (Q,) or (m, Q). One set goes with each of a list.

        Returns
        -------
        (n,) or (n, m) float64 array
            One column per set of a list.

        Examples
        --------
        >>> LabelSets.from_matrix([[1, 0, None]], 0.9).bel({0}, [{1}, {2}])
        array([[0.9, 0. ]])
        """

        def inside(words: bits.Words, contains: bits.Words, avoids: bits.Words) -> BoolArray:
            asked = np.concatenate((contains, avoids))
            return np.asarray(((asked & ~words) == 0).all(axis=1))

        return self._asked(contains, avoids, inside)

    def pl(self, contains: Any = (), avoids: Any = ()) -> FloatArray:
        """Return pl(A, B): how plausible it is that the label set contains A and avoids B (eq. 11).

        Parameters
        ----------
        contains, avoids : set of labels, or list of m such
            As for :meth:`bel`.

        Returns
        -------
        (n,) or (n, m) float64 array
            1 - m(∅) where nothing speaks against it.

        Examples
        --------
        >>> LabelSets.from_matrix([[1, 0, None]], 0.75).pl([{0}, {1}, {2}])
        array([[1.  , 0.25, 1.  ]])
        """

        def meets(words: bits.Words, contains: bits.Words, avoids: bits.Words) -> BoolArray:
            against = np.concatenate((avoids, contains))
            return np.asarray(((against & words) == 0).all(axis=1))

        return self._asked(contains, avoids, meets)

    def statements(self) -> LabelMatrix:
        """Return the one statement that each row makes, with its confidence.

        Returns
        -------
        LabelMatrix
            What :meth:`from_matrix` was given. Rows that make several statements, as combined ones
            do, or are partly in conflict are refused by number.
        """
        focal, Q = self._focal, self._labels.size
        says = focal.words.any(axis=1)
        counted = says.astype(np.float64) + self._conflict
        bad = np.flatnonzero(focal.row_sums(counted) > 1)
        if bad.size:
            raise ValueError(
                f"{name_rows(bad)} of the label sets make{'s' if bad.size == 1 else ''} more than "
                "one statement, or a contradictory one: one per row is needed here"
            )
        stated = np.zeros((len(self), 2 * Q), dtype=np.bool_)
        stated[focal.rows[says]] = self._members[says]
        confidence = focal.row_sums(np.where(says, focal.mass, 0.0))
        # a row that says nothing does so with certainty
        confidence[~stated.any(axis=1)] = 1.0
        return LabelMatrix(
            self._labels,
            freeze(stated[:, :Q]),
            freeze(stated[:, Q:]),
            True,
            None if (confidence == 1).all() else freeze(confidence),
        )

    # ------------------------------------------------------------------ combined

    def combine(
        self, other: LabelSets, rule: Literal["conjunctive", "dempster"] = "conjunctive"
    ) -> LabelSets:
        """Combine with other evidence about the same objects, row by row (eq. 12).

        Parameters
        ----------
        other : LabelSets
            As many rows, over the same labels.
        rule : {"conjunctive", "dempster"}, default="conjunctive"
            "conjunctive" leaves the mass of conflict on the empty set; "dempster" normalises.

        Returns
        -------
        LabelSets
            The combined mass functions.

        Examples
        --------
        >>> yes, no = LabelSets.from_matrix([[1]], 0.5), LabelSets.from_matrix([[0]], 0.5)
        >>> yes.combine(no).empty_mass, yes.combine(no, "dempster").bel({0})
        (array([0.25]), array([0.33333333]))
        """
        if rule not in ("conjunctive", "dempster"):
            raise ValueError(f"rule must be 'conjunctive' or 'dempster', got {rule!r}")
        self._check_labels(other)
        if len(self) != len(other):
            raise ValueError(f"{len(self)} rows cannot be combined with {len(other)}")
        # What both demand is the union of the demands; ∅ has every bit, and absorbs.
        made = combination.disjunctive(self._focal, other._focal)
        focal = label_set_rows.assembled(
            made.rows, made.words, made.mass, len(self), self._labels.size
        )
        combined = LabelSets(self._labels, focal)
        return combined.normalise() if rule == "dempster" else combined

    def normalise(self) -> LabelSets:
        """Take the mass of conflict away and scale the rest to 1.

        Returns
        -------
        LabelSets
            Without mass on the empty set. Rows of nothing but conflict are refused by number.
        """
        focal, kept = self._focal, ~self._conflict
        left = focal.row_sums(np.where(kept, focal.mass, 0.0))
        nothing = np.flatnonzero(left == 0)
        if nothing.size:
            raise ValueError(
                f"total conflict in {name_rows(nothing)}: no label set is possible. Give the "
                "statements a confidence below 1 before they are combined"
            )
        rows = focal.rows[kept]
        return LabelSets(
            self._labels,
            FocalSets.from_elements(
                rows, focal.words[kept], focal.mass[kept] / left[rows], len(self), focal.n_classes
            ),
        )

    # ------------------------------------------------------------------ as a container

    def __len__(self) -> int:
        """Return the number n of objects."""
        return len(self._focal)

    def __getitem__(self, key: Any) -> LabelSets:
        """Return some rows; ``sets[3]`` is a batch of one."""
        return LabelSets(self._labels, self._focal.take(row_numbers(key, len(self))))

    def __array__(
        self, dtype: DTypeLike | None = None, copy: bool | None = None
    ) -> NDArray[np.int8]:
        """Return each row's statement without its confidence: 1, 0, and -1 where it is undecided.

        scikit-learn looks at it to make the folds of an integer ``cv``.
        """
        stated = self.statements()
        made = np.where(stated.decided, stated.inside, np.int8(-1)).astype(np.int8)
        return made if dtype is None else made.astype(dtype)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LabelSets):
            return NotImplemented
        mine, its = self._focal, other._focal
        return (
            self._labels.tolist() == other._labels.tolist()
            and np.array_equal(mine.indptr, its.indptr)
            and np.array_equal(mine.words, its.words)
            and np.array_equal(mine.mass, its.mass)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return "\n".join([self._headline, *aligned(self._lines())])

    def _repr_html_(self) -> str:
        return html_table(self._headline, ("row", "masses"), self._lines())

    # ------------------------------------------------------------------ inner parts

    @property
    def _headline(self) -> str:
        return f"LabelSets: {_count(len(self))}, labels {name_classes(self._labels)}"

    def _lines(self) -> list[tuple[str, str]]:
        """Return numbers and masses of the rows that are written out."""
        shown = shown_rows(len(self))
        part = self[shown]
        focal = part._focal
        return list(
            describe_label_sets(shown, focal.indptr, part._members, focal.mass, part.labels)
        )

    @property
    def _conflict(self) -> BoolArray:
        """Which focal elements are the empty set, (F,): all others forbid nothing they demand."""
        half = self._focal.words.shape[1] // 2
        return np.asarray((self._focal.words[:, :half] & self._focal.words[:, half:]).any(axis=1))

    @property
    def _members(self) -> BoolArray:
        """A, then B, of each focal element as membership, (F, 2Q)."""
        words, half = self._focal.words, self._focal.words.shape[1] // 2
        Q = self._labels.size
        return np.hstack((bits.unpack(words[:, :half], Q), bits.unpack(words[:, half:], Q)))

    def _asked(self, contains: Any, avoids: Any, test: Any) -> FloatArray:
        inside, single_in = read_sets(contains, self._labels)
        outside, single_out = read_sets(avoids, self._labels)
        if 1 not in (len(inside), len(outside)) and len(inside) != len(outside):
            raise ValueError(f"contains lists {len(inside)} sets, but avoids {len(outside)}")
        if np.any(inside & outside):
            raise ValueError("contains and avoids share a label: no label set does both")
        heavy = np.where(self._conflict, 0.0, self._focal.mass)
        words = self._focal.words
        sums = [
            self._focal.row_sums(np.where(test(words, *asked), heavy, 0.0))
            for asked in zip(
                *np.broadcast_arrays(bits.pack(inside), bits.pack(outside)), strict=True
            )
        ]
        answer = np.minimum(np.array(sums).reshape(len(sums), len(self)).T, 1.0)
        return answer[:, 0] if single_in and single_out else answer

    def _check_labels(self, other: LabelSets) -> None:
        if self._labels.tolist() != other._labels.tolist():
            raise ValueError("the two batches have different labels, or in another order")


def _count(n: int) -> str:
    return "1 row" if n == 1 else f"{n} rows"
