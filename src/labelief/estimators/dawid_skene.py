"""Dawid and Skene's model: true classes and annotators' confusion matrices from votes alone.

Importing this module registers the pooling rule "dawid_skene" of ``SoftLabels.from_votes``.
"""

from __future__ import annotations

from copy import copy
from functools import partial
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from labelief._typing import Array, FloatArray
from labelief.blocks.arrays import ArrayBlocks
from labelief.blocks.evidence import Indicator, Likelihoods
from labelief.blocks.source import Block
from labelief.channels.annotator_kinds import BoundAnnotators
from labelief.channels.annotators import AnnotatorNoise
from labelief.estimators.fitting import warn_unless_converged
from labelief.estimators.validation import check_limits, evidence_for, read_weights
from labelief.kernels.namespace import namespace
from labelief.labels.soft_labels import SoftLabels
from labelief.labels.targets import read_target
from labelief.labels.vote_rules import VOTE_RULES
from labelief.labels.votes import Votes
from labelief.models.featureless import Featureless
from labelief.solvers import views
from labelief.solvers.climb import climb
from labelief.solvers.problem import Parameters, Problem

__all__ = ["DawidSkene", "pool_by_dawid_skene"]


class DawidSkene(BaseEstimator):
    """Learn who to believe from votes alone (Dawid and Skene 1979; methods.md §1, last form).

    ``L(π, γ) = Π_i Σ_k π_k Π_a γ_a(v_ia | k)``: :class:`AnnotatorNoise` without features, climbed
    by EM from equal priors and matrices near the identity, so that the first E-step is a softened
    majority vote.

    Parameters
    ----------
    max_iter : int, default=200
    tol : float, default=1e-6
        Stop when an iteration gains less than this in mean objective per item.
    acceleration : {None, "squarem"}, default=None
    verbose : int, default=0
        1 prints the objective after each iteration.
    kind : {"full", "one_coin", "shared"}, default="full"
        Form of the matrices, see :class:`AnnotatorNoise`.
    pooling : float, default=4.0
        Pull of the annotators' matrices towards one another, see :class:`AnnotatorNoise`; 0 for
        Dawid and Skene's own model.
    warm_start : bool, default=False
        Start from what the last call of ``fit`` learned, where there was one over the same classes:
        with new votes, items or annotators added it takes few iterations.  New annotators start
        from the pooled matrix.

    Attributes
    ----------
    classes_ : (K,) array
    annotators_ : (A,) array
    priors_ : (K,) array
        Shares of the classes, π.
    matrices_ : (A, K, S) array
        ``matrices_[a, k, s]`` is the chance that annotator a answers s where class k is true; S is
        K unless "unsure" is an answer.
    probabilities_ : (n, K) array
        Posterior of each item's class given its votes, priors included: for decisions.
    labels_ : SoftLabels
        What the votes alone say, priors left out: for training.  The same labels as
        ``SoftLabels.from_votes(votes, rule="dawid_skene")``.
    channel_ : AnnotatorNoise
        With what it learned.
    log_likelihood_ : float
        ``log L``, natural logarithm, without the prior on the matrices.
    history_ : list of float
        Objective, prior included, after each iteration.
    n_iter_ : int
    converged_ : bool

    Examples
    --------
    >>> from labelief import DawidSkene, Votes
    >>> photo, who = [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3], ["ann", "bob", "cat"] * 4
    >>> says = list("xxyyyxxxxyyx")
    >>> votes = Votes({"photo": photo, "who": who, "says": says}, "photo", "who", "says")
    >>> model = DawidSkene(pooling=0).fit(votes)
    >>> model.predict(votes)
    array(['x', 'y', 'x', 'y'], dtype='<U1')
    >>> model.matrices_[:, [0, 1], [0, 1]].mean(axis=1).round(1)
    array([1. , 1. , 0.5])
    """

    def __init__(
        self,
        max_iter: int = 200,
        tol: float = 1e-6,
        acceleration: str | None = None,
        verbose: int = 0,
        *,
        kind: str = "full",
        pooling: float = 4.0,
        warm_start: bool = False,
    ) -> None:
        self.max_iter = max_iter
        self.tol = tol
        self.acceleration = acceleration
        self.verbose = verbose
        self.kind = kind
        self.pooling = pooling
        self.warm_start = warm_start

    _model: Featureless
    _channel: BoundAnnotators
    _parameters: Parameters

    def fit(self, votes: Votes, sample_weight: Any = None) -> Self:
        """Fit by EM.

        Parameters
        ----------
        votes : Votes
            Items without votes are allowed; they bear on nothing.
        sample_weight : (n,) array-like, default=None
            Weights of the items.

        Returns
        -------
        self
        """
        check_limits(self)
        classes, evidence = _read(votes)
        n_classes = len(classes)
        learned = self._learned(classes)
        channel = AnnotatorNoise(self.kind, self.pooling) if learned is None else learned
        self.classes_ = classes
        self._model = Featureless(n_classes)
        weights = read_weights(sample_weight, np.empty((len(votes), 0)))
        counted = evidence
        if weights is not None and np.any(weights == 0):
            kept = np.flatnonzero(weights > 0)
            counted, weights = evidence.rows(kept), weights[kept]
        self._channel = channel.bind(n_classes, counted)
        blocks = ArrayBlocks(np.empty((counted.votes.shape[0], 0)), counted, weights)
        problem = Problem(blocks, self._model, self._channel, n_classes)
        priors = self._model.start() if learned is None else self.priors_
        start = Parameters(priors, self._channel.start())
        named = evidence.truth is not None
        outcome = climb(problem, start, self, np.ones(n_classes, dtype=np.int64), named=named)
        self._parameters = outcome.evaluation.parameters
        self.priors_: FloatArray = self._parameters.model
        self.channel_ = channel.fitted(self._channel, self._parameters.channel)
        self.matrices_ = self.channel_.matrices_
        self.annotators_ = self.channel_.annotators_
        self.log_likelihood_ = outcome.evaluation.log_likelihood
        self.history_ = outcome.history
        self.n_iter_ = len(outcome.history)
        self.converged_ = outcome.converged
        self.probabilities_ = self._posteriors(evidence)
        self.labels_ = self._labels(evidence, np.zeros(len(self.annotators_)))
        warn_unless_converged(outcome, stacklevel=3)
        return self

    def _learned(self, classes: Any) -> AnnotatorNoise | None:
        """Return the channel of the last fit, with the present settings, where it is a start."""
        if not (self.warm_start and hasattr(self, "channel_")):
            return None
        if classes.tolist() != self.classes_.tolist():
            return None
        learned: AnnotatorNoise = copy(self.channel_)
        learned.set_params(kind=self.kind, pooling=self.pooling)
        return learned

    def predict_proba(self, votes: Votes) -> FloatArray:
        """Return the class probabilities of items given their votes, by annotators of the fit.

        Parameters
        ----------
        votes : Votes

        Returns
        -------
        (n, K) array
            Columns in the order of ``classes_``; the priors for an item without votes.
        """
        check_is_fitted(self)
        _, evidence = _read(votes, self.classes_)
        return self._posteriors(self._channel.aligned(evidence))

    def predict(self, votes: Votes) -> Any:
        """Return the most probable class of items given their votes, by annotators of the fit.

        Parameters
        ----------
        votes : Votes

        Returns
        -------
        (n,) array of class labels
        """
        best = np.argmax(self.predict_proba(votes), axis=1)
        return self.classes_[best]

    def _posteriors(self, evidence: Indicator) -> FloatArray:
        kernel = partial(views.posteriors, self._model)
        factors = self._model.factors(self._parameters.model)
        channel = self._channel.reading(evidence)
        likelihoods = channel.likelihoods(self._parameters.channel)
        return self._map(kernel, evidence, (factors, likelihoods, None, None))

    def _labels(self, evidence: Indicator, discount: FloatArray) -> SoftLabels:
        """Return what votes say as possibility distributions (quost2017 eq. 32)."""
        table = self._channel.reading(evidence).likelihoods(self.matrices_).log_table
        contours = np.exp(table - np.max(table, axis=0))
        rate = np.repeat(discount, len(evidence.answers))
        table = np.log(rate + (1.0 - rate) * contours)
        plausibilities = self._map(_plausibilities, evidence, Likelihoods(None, table))
        labels = SoftLabels.from_plausibilities(plausibilities, self.classes_)
        if evidence.truth is None:
            return labels
        return labels.with_verified(evidence.truth < len(self.classes_))

    def _map(self, kernel: Any, evidence: Indicator, parameters: Any) -> FloatArray:
        """Run a kernel on blocks of items."""
        blocks = ArrayBlocks(np.empty((evidence.votes.shape[0], 0)), evidence)
        rows: FloatArray = blocks.map_rows(kernel, parameters, self._model.width)
        return rows


def pool_by_dawid_skene(votes: Votes, discount: FloatArray) -> SoftLabels:
    """Pool votes by the confusion matrices that Dawid and Skene's model learns from them.

        pl_i(k) ∝ Π_a [δ_a + (1 - δ_a) γ_a(v_ia | k) / max_l γ_a(v_ia | l)]

    Without discount this is the likelihood of the votes if the true class is k, rescaled to maximum
    1: the posterior of the model with the class shares divided out, because a classifier that
    learns from these labels brings shares of its own and would count them twice.  A discount is
    applied after the matrices are learned, vote by vote (quost2017 eq. 32).

    Parameters
    ----------
    votes : Votes
        Who said what.
    discount : (n_annotators,) float64 array
        Discount rates δ_a.

    Returns
    -------
    SoftLabels
        Possibility distributions; vacuous for an item without votes.

    Examples
    --------
    >>> from labelief import SoftLabels, Votes
    >>> table = {"i": [0, 0, 1, 1, 2, 2], "a": ["x", "y"] * 3, "l": list("bbccbc")}
    >>> votes = Votes(table, "i", "a", "l", items=range(4))
    >>> SoftLabels.from_votes(votes, rule="dawid_skene").plausibilities.round(1)
    array([[1., 0.],
           [0., 1.],
           [1., 1.],
           [1., 1.]])
    """
    model = DawidSkene(max_iter=1000, acceleration="squarem").fit(votes)
    return model._labels(_read(votes)[1], discount).reorder(votes.classes)


def _read(votes: Any, classes: Any = None) -> tuple[Any, Indicator]:
    """Return the classes in order, and the votes as evidence over them."""
    if not isinstance(votes, Votes):
        raise ValueError(f"DawidSkene learns from Votes, got {type(votes).__name__}.")
    if len(votes) == 0:
        raise ValueError("votes has no items: there is nothing to learn from.")
    target = read_target(votes, classes=classes)
    evidence = evidence_for(AnnotatorNoise(), target)
    assert isinstance(evidence, Indicator)
    return target.classes, evidence


def _plausibilities(block: Block, likelihoods: Likelihoods) -> Array:
    """Kernel: return ``pl_i(k)``, (b, K), each row's maximum 1."""
    assert block.evidence is not None
    logs = block.evidence.log_weights(likelihoods)
    xp = namespace(logs)
    return xp.exp(logs - xp.max(logs, axis=1, keepdims=True))


VOTE_RULES["dawid_skene"] = pool_by_dawid_skene
