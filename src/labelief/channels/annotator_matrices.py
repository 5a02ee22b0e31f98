"""What all forms of annotators' matrices share: names, symbols, alignment, the start.

Whatever the form, parameters are an (A, K, S) array of matrices over the plain answers, rows = true
class.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from labelief._typing import BoolArray, FloatArray, IntArray
from labelief.blocks.evidence import Evidence, Indicator, Likelihoods
from labelief.channels.answer_symbols import AnswerSymbols
from labelief.channels.confusion import best_names, near_identity, pseudo_counts
from labelief.channels.pooling import pooled

__all__ = ["AnnotatorMatrices"]


class AnnotatorMatrices:
    """The votes' side of a channel; a form adds its M-step, its prior and its coordinates.

    Parameters
    ----------
    n_classes : int
    evidence : Indicator
        The votes of the fit: annotators, answers, and who voted at all.
    pooling : float
        Pseudo-votes τ by which each row is pulled to the pooled one; 0 for none.
    start : (A, K, S) array, default=None
        First matrices; near the identity by default.
    """

    learned = True
    transparent = False

    def __init__(
        self,
        n_classes: int,
        evidence: Indicator,
        pooling: float,
        start: FloatArray | None = None,
    ) -> None:
        self.n_classes = n_classes
        self.pooling = pooling
        self.annotators = evidence.annotators
        self.symbols = AnswerSymbols.of(evidence, n_classes)
        self.shape = (len(self.annotators), n_classes, len(self.symbols.plain))
        cast = evidence.votes.indices[evidence.votes.data > 0]
        voted = np.unique(cast // max(len(self.symbols.names), 1))
        self.active: BoolArray = np.zeros(self.shape[0], dtype=np.bool_)
        self.active[voted] = True
        if not voted.size:
            self.active[:] = True
        own = pseudo_counts(n_classes, self.shape[2])
        # Annotators pulled together share one prior; each of the others has his own.
        self.pseudo_counts = own / max(int(np.sum(self.active)), 1) if pooling > 0 else own
        self._start = start

    @property
    def answers(self) -> NDArray[Any]:
        """Names of the plain answers, (S,)."""
        return self.symbols.plain

    def aligned(self, evidence: Evidence) -> Indicator:
        """Return votes with the annotators and plain answers of this channel, by their names.

        Annotators without a vote may be strangers; a vote by a stranger is refused.  Sets of
        classes need not be those of the fit.
        """
        assert isinstance(evidence, Indicator)
        theirs = AnswerSymbols.of(evidence, self.n_classes)
        annotators = _places(evidence.annotators, self.annotators)
        S, T = len(self.answers), len(theirs.sets)
        answers = np.concatenate((_places(theirs.plain, self.answers), S + np.arange(T)))
        votes = evidence.votes
        who, said = np.divmod(votes.indices, len(theirs.names))
        for names, places, used, kind in (
            (evidence.annotators, annotators, who, "annotator"),
            (theirs.names, answers, said, "answer"),
        ):
            unknown = np.flatnonzero(places[used] < 0)
            if len(unknown):
                row = int(np.searchsorted(votes.indptr, unknown[0], side="right")) - 1
                name = names.tolist()[used[unknown[0]]]
                raise ValueError(
                    f"Row {row} has a vote of the {kind} {name!r}, which the fit did not know: "
                    "leave such votes out, or fit with them."
                )
        columns = annotators[who] * (S + T) + answers[said]
        shape = (votes.shape[0], len(self.annotators) * (S + T))
        names = np.concatenate((self.answers.astype(object), theirs.names[len(theirs.plain) :]))
        return replace(
            evidence,
            votes=csr_array((votes.data, columns, votes.indptr), shape=shape),
            annotators=self.annotators,
            answers=names if T else self.answers,
        )

    def reading(self, evidence: Evidence) -> Self:
        """Return the channel with a symbol for each set of classes in aligned evidence."""
        assert isinstance(evidence, Indicator)
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.symbols = AnswerSymbols.of(evidence, self.n_classes)
        return other

    def start(self) -> FloatArray:
        """Return the matrices of an earlier fit, or such as are near the identity."""
        if self._start is not None:
            return self._start.copy()
        return np.broadcast_to(near_identity(*self.shape[1:]), self.shape).copy()

    def first_look(self) -> Likelihoods:
        """Return the start: none is taken at his word."""
        return self.likelihoods(self.start())

    def likelihoods(self, parameters: FloatArray) -> Likelihoods:
        """Return ``log γ_a(s | k)`` as a (K, A·S) table, sets among the columns."""
        return Likelihoods(None, self.symbols.log_table(parameters))

    def naming(self, counts: FloatArray, sizes: IntArray) -> IntArray | None:
        """Assign names that maximise the expected agreement, summed over annotators."""
        said = self.symbols.even_counts(counts, self.shape[0])
        return best_names(np.sum(said, axis=0)[:, : self.n_classes], sizes)

    def renamed(self, parameters: FloatArray, names: IntArray) -> FloatArray:
        """Return the matrices with latent class k called ``names[k]``."""
        out = np.empty_like(parameters)
        out[:, names] = parameters
        return out

    def pooled(self, parameters: FloatArray) -> FloatArray:
        """Return the pooled matrix, (K, S): the geometric mean of those who voted."""
        if not len(parameters):
            return near_identity(*self.shape[1:])
        return pooled(parameters[self.active])

    def _filled(self, matrices: FloatArray) -> FloatArray:
        """Give the pooled matrix to annotators who never voted."""
        if self.pooling > 0 and not np.all(self.active):
            matrices[~self.active] = pooled(matrices[self.active])
        return matrices


def _places(names: NDArray[Any], among: NDArray[Any]) -> IntArray:
    """Return where each name stands among others, -1 where it does not."""
    place = {name: i for i, name in enumerate(among.tolist())}
    return np.array([place.get(name, -1) for name in names.tolist()], dtype=np.int64)
