"""Votes of several annotators: who said what about which object."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray
from scipy import sparse

from labelief._typing import BoolArray, FloatArray, IntArray
from labelief.labels.answers import answer_names, read_answers
from labelief.labels.class_names import Codes, Names, as_classes, as_vector, decode, freeze
from labelief.labels.display import DOTS, describe_votes, shown_rows
from labelief.labels.encoding import encode
from labelief.labels.html import html_table
from labelief.labels.indexing import row_numbers
from labelief.labels.keys import as_cells, code_keys, item_places
from labelief.labels.messages import name_classes, name_rows
from labelief.labels.tables import table_column
from labelief.labels.truths import known_truth, truth_codes, truth_column
from labelief.labels.weights import as_unit_interval


class Votes:
    """A table of votes, each the answer of one annotator about one item.

    The votes are kept sorted by item, so that those about item i are ``indptr[i]:indptr[i + 1]``
    of the arrays ``annotator_codes``, ``label_codes`` and ``confidences``.

    Parameters
    ----------
    table : data frame or dict of columns
        One row per vote. An annotator may vote on an item several times.
    item, annotator, label : str
        Names of the columns that say about what, who, and what. Items and annotators are anything
        that can be hashed. A label is a class; a set, tuple or list of classes ("one of these");
        "unsure"; or None or NaN, an abstention, which is dropped. A set of all classes says
        nothing.
    confidence : str, default=None
        Name of a column of numbers c in [0, 1], the certainty of each vote. A rule of
        ``SoftLabels.from_votes`` puts the mass c on the class or set and the rest on the frame; a
        learned channel raises the vote's likelihood to the power c.
    items : array-like, default=None
        The items in the row order of X; those without votes are vacuous. Without it the items
        must be numbered 0..n-1.
    classes : array-like, default=None
        The classes; by default those that votes and verified items name, sorted.
    unsure : {"abstain", "answer"}, default="abstain"
        What the label "unsure" is, where no class has that name: an abstention, or an answer of
        its own.
    sep : str, default=None
        What separates classes in the text of a set: with ``"|"`` the label "owl|hawk" is the set
        of the two.
    verified : dict {item: class}, (n,) array-like, or str, default=None
        True classes that are known, of some items: by item, in the order of ``items`` with None
        for the others, or as the name of a column. They are certain in every fit and every rule,
        while the votes on those items go on teaching what the annotators' answers are worth.

    Attributes
    ----------
    items, annotators, classes, answers : arrays
        Names. ``answers`` are the classes, then "unsure" where it is an answer of its own, then
        the candidate sets that occur, as frozensets.
    sets : (T, K) bool array
        The last T answers, sets: which classes each holds.
    indptr : (n + 1,) int64 array
        Where the votes on each item begin.
    annotator_codes, label_codes : (V,) integer arrays
        Who voted, and for which of ``answers``.
    confidences : (V,) float64 array or None
        Confidence of each vote.
    truth_codes : (n,) int32 array
        Class of each verified item, -1 for the others.

    Examples
    --------
    >>> votes = Votes(
    ...     {
    ...         "photo": ["p2", "p1", "p2"],
    ...         "who": ["ann", "ann", "bob"],
    ...         "says": ["cat", "dog", "cat"],
    ...     },
    ...     item="photo",
    ...     annotator="who",
    ...     label="says",
    ...     items=["p1", "p2", "p3"],
    ... )
    >>> votes
    Votes: 3 votes of 2 annotators on 3 items, classes 'cat', 'dog'
    >>> votes.counts
    array([[0, 1],
           [2, 0],
           [0, 0]])

    Candidate sets, and a known truth:

    >>> table = {
    ...     "photo": [0, 0, 1],
    ...     "who": ["ann", "bob", "bob"],
    ...     "says": ["owl|hawk", "owl", "jay"],
    ... }
    >>> votes = Votes(table, "photo", "who", "says", sep="|", verified={1: "hawk"})
    >>> sorted(votes.answers[-1]), votes.verified.tolist()
    (['hawk', 'owl'], [False, True])
    """

    def __init__(
        self,
        table: Any,
        item: str,
        annotator: str,
        label: str,
        confidence: str | None = None,
        items: Any = None,
        classes: Any = None,
        unsure: str = "abstain",
        sep: str | None = None,
        verified: Any = None,
    ) -> None:
        if unsure not in ("abstain", "answer"):
            raise ValueError(f"unsure must be 'abstain' or 'answer', got {unsure!r}")
        names, item_codes = _item_codes(table_column(table, item, "item"), items)
        people, who = code_keys(table_column(table, annotator, "annotator"), "annotator")
        if (who < 0).any():
            raise ValueError(f"annotator is missing in {name_rows(np.flatnonzero(who < 0))}")
        if isinstance(verified, str):
            verified = truth_column(table_column(table, verified, "verified"), item_codes, names)
        truth = known_truth(verified, names)
        also = list(truth.values()) if classes is None else []
        read = read_answers(table_column(table, label, "label"), classes, unsure, sep, also)
        said = read.codes
        if not item_codes.size == who.size == said.size:
            raise ValueError("the columns of the table differ in length")
        weights = None
        if confidence is not None:
            column = as_vector(table_column(table, confidence, "confidence"), "confidence")
            weights = as_unit_interval(column, said.size, "confidence")
        order = np.flatnonzero(said >= 0)
        order = order[np.argsort(item_codes[order], kind="stable")]
        self._set(
            items=names,
            annotators=people,
            classes=read.classes,
            answers=read.names,
            sets=read.sets,
            indptr=_pointers(np.bincount(item_codes[order], minlength=names.size)),
            annotator_codes=who[order],
            label_codes=said[order],
            confidences=None if weights is None else weights[order],
            truth_codes=truth_codes(truth, read.classes, names.size),
        )

    def _set(
        self,
        *,
        items: Names,
        annotators: Names,
        classes: Names,
        answers: Names,
        sets: BoolArray,
        indptr: IntArray,
        annotator_codes: Codes,
        label_codes: Codes,
        confidences: FloatArray | None,
        truth_codes: Codes,
    ) -> Votes:
        self.items = freeze(items)
        self.annotators = freeze(annotators)
        self.classes = freeze(classes)
        self.answers = freeze(answers)
        self.sets = freeze(sets)
        self.indptr = freeze(indptr)
        self.annotator_codes = freeze(annotator_codes)
        self.label_codes = freeze(label_codes)
        self.confidences = None if confidences is None else freeze(confidences)
        self.truth_codes = freeze(truth_codes)
        return self

    @property
    def shape(self) -> tuple[int, int]:
        """``(n, K)``: items and classes."""
        return int(self.items.size), int(self.classes.size)

    @property
    def item_codes(self) -> IntArray:
        """Item of each vote, shape (V,)."""
        return np.repeat(np.arange(len(self)), np.diff(self.indptr))

    @property
    def counts(self) -> IntArray:
        """Number of votes for each single class on each item, whatever their confidence, (n, K)."""
        n, K = self.shape
        for_class = self.label_codes < K
        cells = self.item_codes[for_class] * K + self.label_codes[for_class]
        return np.bincount(cells, minlength=n * K).reshape(n, K).astype(np.int64)

    @property
    def verified(self) -> BoolArray:
        """Items whose true class is known, (n,)."""
        return np.asarray(self.truth_codes >= 0)

    @property
    def answer_sets(self) -> BoolArray:
        """Classes that each answer leaves possible, (S, K): all of them for "unsure"."""
        K = self.classes.size
        own = np.ones((self.answers.size - K - len(self.sets), K), dtype=np.bool_)
        return np.concatenate([np.eye(K, dtype=np.bool_), own, self.sets])

    def indicator(self) -> sparse.csr_array:
        """Return V, the sparse matrix over (annotator, answer) that a channel multiplies by.

        Returns
        -------
        (n, A * S) CSR array of float64
            ``V[i, a * S + s]`` is the number of times that annotator a gave answer s about item
            i, or the sum of their confidences; S = ``len(answers)``, K unless "unsure" or sets are
            among them.

        Examples
        --------
        >>> votes = Votes({"i": [0, 1], "a": ["x", "y"], "l": [1, 0]}, "i", "a", "l")
        >>> votes.indicator().toarray()
        array([[0., 1., 0., 0.],
               [0., 0., 1., 0.]])
        """
        width = int(self.answers.size)
        columns = self.annotator_codes.astype(np.int64) * width + self.label_codes
        ones = np.ones(columns.size) if self.confidences is None else self.confidences.copy()
        made = sparse.csr_array(
            (ones, columns, self.indptr.copy()), shape=(len(self), self.annotators.size * width)
        )
        made.sum_duplicates()
        return made

    def with_classes(self, classes: Any) -> Votes:
        """Name the classes anew: all that are voted for, in any order, and perhaps more.

        Parameters
        ----------
        classes : array-like
            Names that include every class of these votes.

        Returns
        -------
        Votes
            The same votes over these classes.

        Examples
        --------
        >>> votes = Votes({"i": [0, 1], "a": ["x", "y"], "l": [1, 0]}, "i", "a", "l")
        >>> votes.with_classes([2, 1, 0]).counts
        array([[0, 1, 0],
               [0, 0, 1]])
        """
        names = as_classes(classes)
        place = {name: i for i, name in enumerate(names.tolist())}
        old = self.classes.tolist()
        lacking = [name for name in old if name not in place]
        if lacking:
            raise ValueError(
                f"the votes name {name_classes(lacking)}, not among the classes "
                f"{name_classes(names)}"
            )
        own = self.answers[len(old) : self.answers.size - len(self.sets)]
        moved = [place[name] for name in old]
        others = names.size + np.arange(self.answers.size - len(old))
        table = np.concatenate((moved, others)).astype(np.int32)
        sets = np.zeros((len(self.sets), names.size), dtype=np.bool_)
        sets[:, moved] = self.sets
        return self._replace(
            classes=names,
            answers=answer_names(names, own, sets),
            sets=sets,
            label_codes=table[self.label_codes],
            truth_codes=np.append(moved, -1).astype(np.int32)[self.truth_codes],
        )

    def with_verified(self, truth: Any) -> Votes:
        """State which true classes are known, instead of what was stated before.

        Parameters
        ----------
        truth : dict {item: class} or (n,) array-like
            By item, or in the order of the items with None where the class is not known. A class
            that nobody voted for is added to the classes.

        Returns
        -------
        Votes
            The same votes; ``verified`` says which items have a known class.

        Examples
        --------
        >>> votes = Votes({"i": [0, 1], "a": ["x", "y"], "l": [1, 0]}, "i", "a", "l")
        >>> votes.with_verified({0: 1}).verified
        array([ True, False])
        """
        known = known_truth(truth, self.items)
        old = set(self.classes.tolist())
        new = [label for label in known.values() if label not in old]
        votes = self
        if new:
            names, _ = encode([*self.classes.tolist(), *new], name="verified")
            votes = self._replace(truth_codes=np.full(len(self), -1)).with_classes(names)
        return votes._replace(truth_codes=truth_codes(known, votes.classes, len(self)))

    def _replace(self, **changes: Any) -> Votes:
        return Votes.__new__(Votes)._set(**{**self.__dict__, **changes})

    def __len__(self) -> int:
        return int(self.items.size)

    def __getitem__(self, key: Any) -> Votes:
        rows = row_numbers(key, len(self))
        counts = np.diff(self.indptr)[rows]
        indptr = _pointers(counts)
        vote = np.arange(indptr[-1]) + np.repeat(self.indptr[rows] - indptr[:-1], counts)
        return self._replace(
            items=self.items[rows],
            indptr=indptr,
            annotator_codes=self.annotator_codes[vote],
            label_codes=self.label_codes[vote],
            confidences=None if self.confidences is None else self.confidences[vote],
            truth_codes=self.truth_codes[rows],
        )

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        """Give each item's verified class, else that with most votes; -1 or "?" where several tie.

        A vote for a set of classes is shared equally between them.
        """
        if copy is False:
            raise ValueError("Votes cannot be read as an array without a copy")
        sets = self.answer_sets.astype(np.float64)
        said = sparse.csr_array(
            (np.ones(self.label_codes.size), self.label_codes, self.indptr),
            shape=(len(self), self.answers.size),
        )
        shares = said @ (sets / sets.sum(axis=1, keepdims=True))
        codes = shares.argmax(axis=1)
        tied = np.count_nonzero(shares >= shares.max(axis=1, keepdims=True) - 1e-9, axis=1) > 1
        codes[tied] = -1
        codes = np.where(self.verified, self.truth_codes, codes)
        return np.asarray(decode(codes, self.classes), dtype=dtype)

    def __repr__(self) -> str:
        return (
            f"Votes: {self.label_codes.size} votes of {self.annotators.size} annotators on "
            f"{len(self)} items, classes {name_classes(self.classes)}"
        )

    def _repr_html_(self) -> str:
        lines: list[tuple[str, str]] = []
        rows = shown_rows(len(self))
        for i, row in enumerate(rows):
            if i and row != rows[i - 1] + 1:
                lines.append((DOTS, ""))
            votes = slice(*self.indptr[row : row + 2])
            who = self.annotators[self.annotator_codes[votes]]
            said = self.answers[self.label_codes[votes]]
            lines.append((str(self.items[row]), describe_votes(who, said)))
        return html_table(repr(self), ("item", "votes"), lines)


def _item_codes(column: Any, items: Any) -> tuple[Names, IntArray]:
    """Find the row of X that each vote is about."""
    found, codes = code_keys(column, "item")
    if (codes < 0).any():
        raise ValueError(f"item is missing in {name_rows(np.flatnonzero(codes < 0))} of the table")
    if items is None:
        numbered = found.dtype.kind in "iu" and np.array_equal(found, np.arange(found.size))
        if not numbered:
            raise ValueError(
                f"without items= the items must be numbered 0..n-1, each with a vote at least; "
                f"here they are {name_classes(found)}. Give items= in the row order of X"
            )
        return found, codes.astype(np.int64)
    names = as_cells(items, "items")
    place = item_places(names)
    if len(place) < names.size:
        raise ValueError("items holds a name more than once: it is the row order of X")
    rows = np.array([place.get(name, -1) for name in found.tolist()], dtype=np.int64)[codes]
    if (rows < 0).any():
        first = int(np.flatnonzero(rows < 0)[0])
        raise ValueError(
            f"row {first} of the table is about {found.tolist()[codes[first]]!r}, which is not "
            "among items="
        )
    return names, rows


def _pointers(counts: IntArray) -> IntArray:
    return np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
