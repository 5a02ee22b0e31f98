"""Votes of several annotators: who said what about which object."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray
from scipy import sparse

from labelief._typing import FloatArray, IntArray
from labelief.labels.class_names import Codes, Names, as_classes, as_vector, decode, freeze
from labelief.labels.encoding import code_values, encode
from labelief.labels.indexing import row_numbers
from labelief.labels.messages import name_classes, name_rows
from labelief.labels.tables import table_column
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
        Names of the columns that say about what, who, and what.
    confidence : str, default=None
        Name of a column of numbers in [0, 1]: the vote puts that much mass on its label.
    items : array-like, default=None
        The items in the row order of X; those without votes are vacuous. Without it the items
        must be numbered 0..n-1.
    classes : array-like, default=None
        The classes; by default those voted for, sorted.
    unsure : {"abstain", "answer"}, default="abstain"
        What the label "unsure" is, where no class has that name: an abstention as None and NaN
        are, which is dropped; or an answer of its own, the last one of ``answers``.

    Attributes
    ----------
    items, annotators, classes, answers : arrays
        Names. ``answers`` are the classes, and "unsure" where it is an answer of its own.
    indptr : (n + 1,) int64 array
        Where the votes on each item begin.
    annotator_codes, label_codes : (V,) integer arrays
        Who voted, and for which of ``answers``.
    confidences : (V,) float64 array or None
        Confidence of each vote.

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
    ) -> None:
        if unsure not in ("abstain", "answer"):
            raise ValueError(f"unsure must be 'abstain' or 'answer', got {unsure!r}")
        names, item_codes = _item_codes(as_vector(table_column(table, item, "item"), "item"), items)
        people, who = code_values(table_column(table, annotator, "annotator"), "annotator")
        if (who < 0).any():
            raise ValueError(f"annotator is missing in {name_rows(np.flatnonzero(who < 0))}")
        kinds, answers, said = _answers(table_column(table, label, "label"), classes, unsure)
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
            classes=kinds,
            answers=answers,
            indptr=_pointers(np.bincount(item_codes[order], minlength=names.size)),
            annotator_codes=who[order],
            label_codes=said[order],
            confidences=None if weights is None else weights[order],
        )

    def _set(
        self,
        *,
        items: Names,
        annotators: Names,
        classes: Names,
        answers: Names,
        indptr: IntArray,
        annotator_codes: Codes,
        label_codes: Codes,
        confidences: FloatArray | None,
    ) -> Votes:
        self.items = freeze(items)
        self.annotators = freeze(annotators)
        self.classes = freeze(classes)
        self.answers = freeze(answers)
        self.indptr = freeze(indptr)
        self.annotator_codes = freeze(annotator_codes)
        self.label_codes = freeze(label_codes)
        self.confidences = None if confidences is None else freeze(confidences)
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
        """Number of votes for each class on each item, whatever their confidence, (n, K)."""
        n, K = self.shape
        for_class = self.label_codes < K
        cells = self.item_codes[for_class] * K + self.label_codes[for_class]
        return np.bincount(cells, minlength=n * K).reshape(n, K).astype(np.int64)

    def indicator(self) -> sparse.csr_array:
        """Return V, the sparse matrix over (annotator, answer) that a channel multiplies by.

        Returns
        -------
        (n, A * S) CSR array of float64
            ``V[i, a * S + s]`` is the number of times that annotator a gave answer s about item
            i, or the sum of their confidences; S = ``len(answers)``, K unless "unsure" is one.

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
        own = self.answers.tolist()[len(old) :]
        table = np.array(
            [place[name] for name in old] + [names.size + j for j in range(len(own))],
            dtype=np.int32,
        )
        return self._replace(
            classes=names,
            answers=as_classes([*names.tolist(), *own]),
            label_codes=table[self.label_codes],
        )

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
        )

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        """Give the class with most votes on each item; a marker (-1 or "?") where several tie."""
        if copy is False:
            raise ValueError("Votes cannot be read as an array without a copy")
        counts = self.counts
        codes = counts.argmax(axis=1)
        tied = np.count_nonzero(counts == counts.max(axis=1, keepdims=True), axis=1) > 1
        codes[tied] = -1
        return np.asarray(decode(codes, self.classes), dtype=dtype)

    def __repr__(self) -> str:
        return (
            f"Votes: {self.label_codes.size} votes of {self.annotators.size} annotators on "
            f"{len(self)} items, classes {name_classes(self.classes)}"
        )


def _item_codes(column: Names, items: Any) -> tuple[Names, IntArray]:
    """Find the row of X that each vote is about."""
    found, codes = code_values(column, "item")
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
    names = as_vector(items, "items")
    place = {name: i for i, name in enumerate(names.tolist())}
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


def _answers(column: Any, classes: Any, unsure: str) -> tuple[Names, Names, Codes]:
    """Code the answers: classes first, then "unsure" where it is an answer of its own."""
    vague = "unsure"
    values = as_vector(column, "label")
    if classes is not None and vague in as_classes(classes).tolist():
        names, said = encode(values, classes, name="label")
        return names, names, said
    if unsure == "abstain":
        names, said = encode(values, classes, missing=vague, name="label")
        return names, names, said
    listed = values.tolist()
    is_vague = np.fromiter((value == vague for value in listed), np.bool_, count=len(listed))
    names, said = encode(values, classes, missing=vague, name="label")
    said[is_vague] = names.size
    return names, as_classes([*names.tolist(), vague]), said


def _pointers(counts: IntArray) -> IntArray:
    return np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
