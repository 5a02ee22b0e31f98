"""Dawid and Skene's model: true classes and annotators' confusion matrices from votes alone.

Importing this module registers the pooling rule "dawid_skene" of ``SoftLabels.from_votes``.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from labelief._typing import Array, FloatArray
from labelief.blocks.arrays import ArrayBlocks
from labelief.blocks.evidence import Indicator, Likelihoods
from labelief.blocks.source import Block
from labelief.channels.annotators import AnnotatorMatrices, AnnotatorNoise, as_table
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
    >>> model = DawidSkene().fit(votes)
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
    ) -> None:
        self.max_iter = max_iter
        self.tol = tol
        self.acceleration = acceleration
        self.verbose = verbose

    _model: Featureless
    _channel: AnnotatorMatrices
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
        self.classes_, evidence = _read(votes)
        n_classes = len(self.classes_)
        channel = AnnotatorNoise()
        self._model = Featureless(n_classes)
        self._channel = channel.bind(n_classes, evidence)
        nothing = np.empty((len(votes), 0))
        blocks = ArrayBlocks(nothing, evidence, read_weights(sample_weight, nothing))
        problem = Problem(blocks, self._model, self._channel, n_classes)
        start = Parameters(self._model.start(), self._channel.start())
        outcome = climb(problem, start, self, np.ones(n_classes, dtype=np.int64), named=False)
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
        likelihoods = self._channel.likelihoods(self._parameters.channel)
        return self._map(kernel, evidence, (factors, likelihoods, None, None))

    def _labels(self, evidence: Indicator, discount: FloatArray) -> SoftLabels:
        """Return what votes say as possibility distributions (quost2017 eq. 32)."""
        contours = self.matrices_ / np.max(self.matrices_, axis=1, keepdims=True)
        rate = discount[:, None, None]
        table = as_table(np.log(rate + (1.0 - rate) * contours))
        plausibilities = self._map(_plausibilities, evidence, Likelihoods(None, table))
        return SoftLabels.from_plausibilities(plausibilities, self.classes_)

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
