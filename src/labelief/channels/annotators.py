"""Several annotators who vote: a learned confusion matrix γ_a(answer | true class) for each."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, clone

from labelief._typing import FloatArray, IntArray
from labelief.blocks.evidence import Evidence, Indicator, Likelihoods
from labelief.channels.confusion import (
    best_names,
    from_logits,
    logit_gradient,
    near_identity,
    pseudo_counts,
    row_shares,
    warn_of_doubtful_names,
)

__all__ = ["AnnotatorMatrices", "AnnotatorNoise", "as_table"]


class AnnotatorMatrices:
    """A (K, S) matrix per annotator; parameters are an (A, K, S) array, rows = true class.

    Parameters
    ----------
    n_classes : int
    annotators : (A,) array
        Their names, in the order of the evidence's columns.
    answers : (S,) array
        What they may say: the K classes, and perhaps "unsure".
    """

    learned = True
    transparent = False

    def __init__(self, n_classes: int, annotators: NDArray[Any], answers: NDArray[Any]) -> None:
        self.n_classes = n_classes
        self.annotators = annotators
        self.answers = answers
        self.shape = (len(annotators), n_classes, len(answers))
        self.pseudo_counts = pseudo_counts(n_classes, len(answers))

    def aligned(self, evidence: Evidence) -> Indicator:
        """Return votes with the columns of this channel: annotators and answers go by their names.

        Annotators without a vote may be strangers; a vote by a stranger is refused.
        """
        assert isinstance(evidence, Indicator)
        annotators = _places(evidence.annotators, self.annotators)
        answers = _places(evidence.answers, self.answers)
        votes = evidence.votes
        who, said = np.divmod(votes.indices, len(evidence.answers))
        for names, places, used, kind in (
            (evidence.annotators, annotators, who, "annotator"),
            (evidence.answers, answers, said, "answer"),
        ):
            unknown = np.flatnonzero(places[used] < 0)
            if len(unknown):
                row = int(np.searchsorted(votes.indptr, unknown[0], side="right")) - 1
                name = names.tolist()[used[unknown[0]]]
                raise ValueError(
                    f"Row {row} has a vote of the {kind} {name!r}, which the fit did not know: "
                    "leave such votes out, or fit with them."
                )
        columns = annotators[who] * len(self.answers) + answers[said]
        shape = (votes.shape[0], len(self.annotators) * len(self.answers))
        return replace(
            evidence,
            votes=csr_array((votes.data, columns, votes.indptr), shape=shape),
            annotators=self.annotators,
            answers=self.answers,
        )

    def start(self) -> FloatArray:
        """Return matrices near the identity."""
        return np.broadcast_to(near_identity(*self.shape[1:]), self.shape).copy()

    def first_look(self) -> Likelihoods:
        """Return the start: votes count alike, and none is taken at its word."""
        return self.likelihoods(self.start())

    def likelihoods(self, parameters: FloatArray) -> Likelihoods:
        """Return ``log γ_a(s | k)`` as a (K, A·S) table."""
        return Likelihoods(None, as_table(np.log(parameters)))

    def maximise(self, counts: FloatArray, parameters: FloatArray) -> FloatArray:
        """Return ``γ_a(s | k) ∝ Σ_i ζ_ik V_i,as + prior count``."""
        return row_shares(self._matrices(counts) + self.pseudo_counts)

    def log_prior(self, parameters: FloatArray) -> float:
        """Return ``Σ_aks b_ks log γ_a(s | k)``."""
        return float(np.sum(self.pseudo_counts * np.log(parameters)))

    def gradient(self, counts: FloatArray, parameters: FloatArray) -> FloatArray:
        """Return the gradient in logits."""
        return logit_gradient(self._matrices(counts) + self.pseudo_counts, parameters).ravel()

    def to_vector(self, parameters: FloatArray) -> FloatArray:
        """Return logits."""
        return np.log(parameters).ravel()

    def from_vector(self, vector: FloatArray) -> FloatArray:
        """Return the matrices of logits."""
        return from_logits(vector.reshape(self.shape))

    def naming(self, counts: FloatArray, sizes: IntArray) -> IntArray | None:
        """Assign names that maximise the expected agreement, summed over annotators."""
        return best_names(np.sum(self._matrices(counts), axis=0)[:, : self.n_classes], sizes)

    def renamed(self, parameters: FloatArray, names: IntArray) -> FloatArray:
        """Return the matrices with latent class k called ``names[k]``."""
        out = np.empty_like(parameters)
        out[:, names] = parameters
        return out

    def n_parameters(self) -> int:
        """Return A K (S - 1)."""
        return self.shape[0] * self.shape[1] * (self.shape[2] - 1)

    def _matrices(self, counts: FloatArray) -> FloatArray:
        """Return expected counts, (K, A·S), by annotator: (A, K, S)."""
        return counts.reshape(self.n_classes, self.shape[0], self.shape[2]).swapaxes(0, 1)


class AnnotatorNoise(BaseEstimator):
    """Votes of several annotators, whose confusion matrices are learned with the classifier.

    ``pl_i(k) = Π_a γ_a(v_ia | k)`` over the votes v_ia that exist (Dawid and Skene 1979; Raykar et
    al. 2010 with features): votes are independent given the true class.  The matrices start near
    the identity, under a Dirichlet prior (1 pseudo-count on the diagonal, 0.1 elsewhere).  ``y`` is
    a :class:`Votes`; a vote's confidence is the power to which its likelihood is raised, and
    "unsure" is an answer like any other where ``Votes(unsure="answer")`` makes it one.

    Attributes
    ----------
    matrices_ : (A, K, S) array
        On the fitted ``channel_``: ``matrices_[a, k, s]`` is the chance that annotator a answers s
        where class k is true; S is K unless "unsure" is an answer.
    annotators_ : (A,) array
        Names of the annotators.
    answers_ : (S,) array
        Names of the answers: the classes in the order of ``classes_``, and perhaps "unsure".

    Examples
    --------
    >>> import numpy as np
    >>> from labelief import AnnotatorNoise, LinearDiscriminantAnalysis, Votes
    >>> rng = np.random.default_rng(0)
    >>> truth = np.repeat([0, 1], 100)
    >>> X = rng.normal(size=(200, 2)) + 3.0 * truth[:, None]
    >>> item, who = np.repeat(np.arange(200), 3), np.tile(["ann", "bob", "cat"], 200)
    >>> wrong = rng.random(600) < np.tile([0.1, 0.2, 0.5], 200)
    >>> table = {"item": item, "who": who, "says": np.where(wrong, 1 - truth[item], truth[item])}
    >>> votes = Votes(table, item="item", annotator="who", label="says")
    >>> model = LinearDiscriminantAnalysis(channel=AnnotatorNoise()).fit(X, votes)
    >>> right = model.channel_.matrices_[:, [0, 1], [0, 1]].mean(axis=1)
    >>> dict(zip(model.channel_.annotators_.tolist(), right.round(1).tolist()))
    {'ann': 0.9, 'bob': 0.8, 'cat': 0.5}
    """

    form = "votes"

    def bind(self, n_classes: int, evidence: Evidence) -> AnnotatorMatrices:
        """Return the part that a fit to these annotators' votes works with."""
        assert isinstance(evidence, Indicator)
        return AnnotatorMatrices(n_classes, evidence.annotators, evidence.answers)

    def fitted(self, bound: AnnotatorMatrices, parameters: FloatArray) -> AnnotatorNoise:
        """Return a copy that carries the matrices and the names of their axes."""
        copy: AnnotatorNoise = clone(self)
        copy.matrices_ = parameters.copy()
        copy.annotators_ = bound.annotators
        copy.answers_ = bound.answers
        if len(parameters):
            called = np.mean(parameters, axis=0)[:, : bound.n_classes]
            warn_of_doubtful_names(called, "The average annotator")
        return copy


def as_table(matrices: FloatArray) -> FloatArray:
    """Lay (A, K, S) matrices side by side: (K, A·S), the columns of the evidence."""
    return np.ascontiguousarray(matrices.swapaxes(0, 1).reshape(matrices.shape[1], -1))


def _places(names: NDArray[Any], among: NDArray[Any]) -> IntArray:
    """Return where each name stands among others, -1 where it does not."""
    place = {name: i for i, name in enumerate(among.tolist())}
    return np.array([place.get(name, -1) for name in names.tolist()], dtype=np.int64)
