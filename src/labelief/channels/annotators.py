"""Several annotators who vote: a learned confusion matrix γ_a(answer | true class) for each."""

from __future__ import annotations

from numbers import Real

import numpy as np
from sklearn.base import BaseEstimator, clone

from labelief._typing import FloatArray
from labelief.blocks.evidence import Evidence, Indicator
from labelief.channels.annotator_kinds import (
    BoundAnnotators,
    FullMatrices,
    OneCoin,
    SharedMatrix,
)
from labelief.channels.answer_symbols import AnswerSymbols
from labelief.channels.confusion import warn_of_doubtful_names

__all__ = ["AnnotatorNoise"]

_KINDS: dict[str, type[FullMatrices] | type[OneCoin] | type[SharedMatrix]] = {
    "full": FullMatrices,
    "one_coin": OneCoin,
    "shared": SharedMatrix,
}


class AnnotatorNoise(BaseEstimator):
    """Votes of several annotators, whose confusion matrices are learned with the classifier.

    ``pl_i(k) = Π_a γ_a(v_ia | k)`` over the votes v_ia that exist (Dawid and Skene 1979; Raykar et
    al. 2010 with features): votes are independent given the true class.  ``y`` is a
    :class:`Votes`.

    - A vote for a set A of classes has ``γ_a(A | k) = Σ_{j∈A} γ_a(j | k)``: the annotator had one
      class in mind, and it is in A.  A set of all classes says nothing.
    - A vote's confidence is the power to which its likelihood is raised.
    - "unsure" is an answer like any other where ``Votes(unsure="answer")`` makes it one.
    - Verified items have their true class for certain; votes on them teach the matrices.

    The matrices start near the identity.  The prior is that of flipping matrices (1 pseudo-count on
    the diagonal, 0.1 elsewhere), held once by the crowd, and a pull of its members towards one
    another: few votes do not make a matrix.  With M the pooled matrix, the normalised geometric
    mean of those of the annotators who voted, the pull is

        -τ Σ_a Σ_k KL(M(·|k) ‖ γ_a(·|k))

    as if each had answered τ more questions of every class in the pooled way.  It is a fixed prior,
    so that the objective rises at every step (:mod:`labelief.channels.pooling`).

    Parameters
    ----------
    kind : {"full", "one_coin", "shared"}, default="full"
        A matrix for each annotator; an accuracy for each, errors spread evenly over the other
        answers; or one matrix for all.
    pooling : float, default=4.0
        Strength τ of the pull, in votes for each row of a matrix (or each accuracy).  0: each
        annotator on his own, under a prior of his own.

    Attributes
    ----------
    matrices_ : (A, K, S) array
        On the fitted ``channel_``: ``matrices_[a, k, s]`` is the chance that annotator a answers s
        where class k is true; S is K unless "unsure" is an answer.
    pooled_matrix_ : (K, S) array
        M, the matrix of annotators of whom nothing is known.
    annotators_ : (A,) array
        Names of the annotators.
    answers_ : (S,) array
        Names of the answers: the classes in the order of ``classes_``, and perhaps "unsure".

    Notes
    -----
    A fitted channel may be the ``channel`` of another fit, which then starts from what it learned:
    when votes, items or annotators have been added, ``LinearDiscriminantAnalysis(
    channel=fitted.channel_)`` takes few iterations.  Annotators that it does not know start from
    the pooled matrix.  ``sklearn.base.clone``, and so cross-validation, start afresh.

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

    def __init__(self, kind: str = "full", pooling: float = 4.0) -> None:
        self.kind = kind
        self.pooling = pooling

    def bind(self, n_classes: int, evidence: Evidence) -> BoundAnnotators:
        """Return the part that a fit to these annotators' votes works with."""
        assert isinstance(evidence, Indicator)
        if self.kind not in _KINDS:
            raise ValueError(f"kind must be one of {list(_KINDS)}, got {self.kind!r}.")
        if not isinstance(self.pooling, Real) or not 0 <= float(self.pooling) < np.inf:
            raise ValueError(f"pooling must be a number of 0 or more, got {self.pooling!r}.")
        form = _KINDS[self.kind] if n_classes > 1 else FullMatrices
        pooling = 0.0 if self.kind == "shared" else float(self.pooling)
        return form(n_classes, evidence, pooling, self._learned(n_classes, evidence))

    def _learned(self, n_classes: int, evidence: Indicator) -> FloatArray | None:
        """Return matrices to start from, where an earlier fit over these answers left some."""
        if not hasattr(self, "matrices_"):
            return None
        answers = AnswerSymbols.of(evidence, n_classes).plain.tolist()
        if answers != self.answers_.tolist():
            return None
        place = {name: a for a, name in enumerate(self.annotators_.tolist())}
        rows = [
            self.matrices_[place[name]] if name in place else self.pooled_matrix_
            for name in evidence.annotators.tolist()
        ]
        return np.array(rows).reshape(len(rows), *self.pooled_matrix_.shape)

    def fitted(self, bound: BoundAnnotators, parameters: FloatArray) -> AnnotatorNoise:
        """Return a copy that carries the matrices and the names of their axes."""
        copy: AnnotatorNoise = clone(self)
        copy.matrices_ = parameters.copy()
        copy.pooled_matrix_ = bound.pooled(parameters)
        copy.annotators_ = bound.annotators
        copy.answers_ = bound.answers
        if len(parameters):
            called = np.mean(parameters[bound.active], axis=0)[:, : bound.n_classes]
            warn_of_doubtful_names(called, "The average annotator")
        return copy
