"""What annotators may say, in terms of the answers that their matrices speak of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelief._typing import BoolArray, FloatArray
from labelief.blocks.evidence import Indicator

__all__ = ["AnswerSymbols", "as_table", "by_annotator"]


@dataclass(frozen=True, eq=False)
class AnswerSymbols:
    """S plain answers (the classes, perhaps "unsure") and T sets of them.

    An annotator who answers a set A is read as having a plain answer in mind that lies in A:
    ``γ_a(A | k) = Σ_{j∈A} γ_a(j | k)``.  The set of all classes says nothing and has likelihood 1.

    Parameters
    ----------
    plain : (S,) array
        Names of the plain answers.
    sets : (T, S) bool array
        Plain answers in each set.
    names : (S + T,) array
        Names of all answers.
    """

    plain: NDArray[Any]
    sets: BoolArray
    names: NDArray[Any]

    @classmethod
    def of(cls, evidence: Indicator, n_classes: int) -> AnswerSymbols:
        """Return the answers of some evidence."""
        T = 0 if evidence.sets is None else len(evidence.sets)
        S = len(evidence.answers) - T
        sets = np.zeros((T, S), dtype=np.bool_)
        if evidence.sets is not None:
            sets[:, :n_classes] = evidence.sets
            # Whoever allows every class has said nothing, not even that he is sure.
            sets[evidence.sets.all(axis=1)] = True
        plain = evidence.answers[:S]
        if plain.dtype == object:
            listed = plain.tolist()
            own = np.array(listed)
            plain = own if own.shape == plain.shape and own.tolist() == listed else plain
        return cls(plain, sets, evidence.answers)

    @property
    def _telling(self) -> FloatArray:
        """Sets that are not the whole frame, and zeros for those that are, (T, S)."""
        return np.where(self.sets.all(axis=1, keepdims=True), 0.0, self.sets)

    def log_table(self, matrices: FloatArray) -> FloatArray:
        """Return ``log γ_a(s | k)`` of all answers as a (K, A·(S + T)) table.

        Parameters
        ----------
        matrices : (A, K, S) array
        """
        if not len(self.sets):
            return as_table(np.log(matrices))
        chances = matrices @ self.sets.T
        chances[:, :, self.sets.all(axis=1)] = 1.0
        return as_table(np.log(np.concatenate([matrices, chances], axis=2)))

    def plain_counts(self, counts: FloatArray, matrices: FloatArray) -> FloatArray:
        """Share the expected counts of sets between their plain answers, (A, K, S).

        ``share_k(j) = γ(j | k) / Σ_{l∈A} γ(l | k)`` (methods.md §1); the set of all classes counts
        for nothing.

        Parameters
        ----------
        counts : (K, A·(S + T)) array
        matrices : (A, K, S) array
        """
        said = by_annotator(counts, len(matrices), len(self.names))
        if not len(self.sets):
            return said
        S, telling = len(self.plain), self._telling
        chances = matrices @ telling.T
        ratio = said[:, :, S:] / np.where(chances > 0, chances, 1.0)
        return np.asarray(said[:, :, :S] + matrices * (ratio @ telling))

    def even_counts(self, counts: FloatArray, n_annotators: int) -> FloatArray:
        """Share the expected counts of sets evenly between their plain answers, (A, K, S)."""
        said = by_annotator(counts, n_annotators, len(self.names))
        S, telling = len(self.plain), self._telling
        size = np.maximum(np.sum(telling, axis=1, keepdims=True), 1.0)
        return np.asarray(said[:, :, :S] + said[:, :, S:] @ (telling / size))


def as_table(matrices: FloatArray) -> FloatArray:
    """Lay (A, K, S) matrices side by side: (K, A·S), the columns of the evidence."""
    return np.ascontiguousarray(matrices.swapaxes(0, 1).reshape(matrices.shape[1], -1))


def by_annotator(table: FloatArray, n_annotators: int, n_answers: int) -> FloatArray:
    """Take a (K, A·S) table apart: (A, K, S)."""
    return table.reshape(len(table), n_annotators, n_answers).swapaxes(0, 1)
