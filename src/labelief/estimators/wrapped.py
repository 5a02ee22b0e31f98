"""Any scikit-learn classifier, taught soft, noisy or crowd labels by re-weighting."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import _safe_indexing, get_tags, indexable
from sklearn.utils.validation import (
    _num_samples,
    check_consistent_length,
    check_is_fitted,
    validate_data,
)

from labelief._typing import Array, BoolArray, FloatArray, IntArray
from labelief.blocks.evidence import Evidence
from labelief.channels.contract import BoundChannel
from labelief.estimators.base import SoftClassifier
from labelief.estimators.fold_dealing import group_codes
from labelief.estimators.learner import Learner
from labelief.estimators.reweighting import (
    check_abilities,
    log_probabilities,
    probabilities,
)
from labelief.estimators.validation import (
    check_amount,
    check_count,
    evidence_for,
    read_weights,
    told_weight,
)
from labelief.labels.targets import read_target
from labelief.models.given import GivenProbabilities
from labelief.solvers.climb import named_run
from labelief.solvers.loop import Outcome, Status
from labelief.solvers.problem import Evaluation, Parameters
from labelief.solvers.refit import RefitProblem, refit

__all__ = ["SoftLabelClassifier"]


class SoftLabelClassifier(SoftClassifier):
    """Any classifier with ``sample_weight`` and ``predict_proba``, taught soft labels.

    In turn: responsibilities ``ζ_ik ∝ pl_i(k; γ) p_k(x_i)`` (quost2017 eq. 23) from the wrapped
    classifier's probabilities; then a clone refitted to copies of the rows, one for each class k
    that still carries weight, labelled k, of weight ``w_i ζ_ik``; the channel learns beside it.
    The first responsibilities are the labels' own shares, ``pl_i(k) / Σ_l pl_i(l)``; rows whose
    label says nothing join in after the first fit.  Where labels are crisp and trusted there is
    nothing to weigh, and the fit is one plain fit of the wrapped classifier.

    Parameters
    ----------
    estimator : classifier
        Cloned.  It sees the classes by their names, ``X`` as it was given (frames, sparse matrices,
        text, NaN: whatever it takes), weights as ``sample_weight`` (in a pipeline, of the last
        step).  Its `cv`, if it has one, is a number of folds or a splitter: copies of a row are
        kept in one fold.  Rows that it sets aside in another way, such as by `early_stopping`, it
        sets aside copy by copy.
    channel : Channel, default=None
        What an observed label says about the true class; None trusts it.
    classes : array-like, default=None
        All classes, also such as no label names; None takes those that occur.
    e_step_cv : int or None, default=5
        Folds for the probabilities in the E-step: each row's come from a clone that did not see
        it, for a flexible classifier would only confirm what it was told.  None takes those of the
        one classifier fitted to all rows: right for rigid ones such as logistic regression.
    min_share : float, default=1e-5
        Classes with no more than this share of a row's largest responsibility get no copy.
    max_iter : int, default=50
        Refits at most; each is `e_step_cv` fits, and a last one is to all rows.
    tol : float, default=1e-4
        Stop when the E-step moves no more than this share of the rows' weight from class to class
        (the wrapped classifier's own tolerance has to be finer than that);
        with `e_step_cv`, also when two iterations in a row raise the objective per row by no more
        than this.
    random_state : int, RandomState or None, default=None
        For dealing rows to folds, once for all iterations.  Give the wrapped classifier a seed of
        its own.
    n_jobs : int, default=None
        Processes for the folds.
    verbose : int, default=0
        1 prints the objective after each iteration.

    Attributes
    ----------
    classes_ : (K,) array
    estimator_ : classifier
        Fitted to all rows, under the responsibilities of the iteration returned: with `e_step_cv`
        that of the highest objective, else the last.
    channel_ : Channel
        With what it learned.
    log_likelihood_ : float
        ``Σ_i w_i log Σ_k pl_i(k) Pr(k | x_i)`` at the iteration returned, natural logarithm, pl as
        given, probabilities from the E-step (out of fold, unless `e_step_cv` is None or there was
        but one fit), and counted as 1e-6 where they are less.
    history_ : list of float
        Objective after each iteration: that sum and the channel's prior, without what the wrapped
        classifier holds against its parameters.
    n_iter_ : int
    converged_ : bool
        Whether the fit came to rest.  False where `max_iter` was reached (with a warning) and where
        the objective fell after the iteration returned.
    n_features_in_ : int
        If X is a table.

    Notes
    -----
    What is guaranteed: crisp, trusted labels give exactly the plain fit, and with `e_step_cv` the
    iteration returned has the highest out-of-fold objective that was seen.  What is not: that the
    objective rises at each step, or has a maximum at what is returned.  A refit maximises the
    expected likelihood only if the wrapped classifier is fitted by (penalised) maximum likelihood;
    logistic regression is, and with ``e_step_cv=None`` the fit is EM, with the answer of
    :class:`LogisticRegression`.  Trees, boosting and calibrated machines are not.

    Memory: the copies of the rows.  Where labels and classifier leave little doubt there are hardly
    more of them than rows, at worst K n; and three (n, K) matrices.

    Rows whose label says nothing bear on nothing in a classifier of ``Pr(k | x)`` that is at rest;
    in one that models features, such as naive Bayes, they do.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from labelief import FlipNoise, SoftLabelClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-1.0, 1.0, size=(600, 2))
    >>> truth = np.sum(X**2, axis=1) < 0.6
    >>> seen = np.where(rng.random(600) < 0.2, ~truth, truth)
    >>> forest = RandomForestClassifier(20, random_state=0)
    >>> model = SoftLabelClassifier(forest, FlipNoise("symmetric"), random_state=0).fit(X, seen)
    >>> bool(model.score(X, truth) > forest.fit(X, seen).score(X, truth) + 0.05)
    True
    """

    _model: GivenProbabilities

    def __init__(
        self,
        estimator: Any,
        channel: Any = None,
        *,
        classes: Any = None,
        e_step_cv: int | None = 5,
        min_share: float = 1e-5,
        max_iter: int = 50,
        tol: float = 1e-4,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.channel = channel
        self.classes = classes
        self.e_step_cv = e_step_cv
        self.min_share = min_share
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self.estimator).input_tags
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None) -> Self:
        """Fit from the labels' own shares.

        Parameters
        ----------
        X : (n, d) array, sparse matrix, frame, or whatever the wrapped classifier takes
        y : labels
            1-D class labels (None or NaN = unknown), :class:`SoftLabels`, or an (n, K) floating or
            bool array or frame of plausibilities; a :class:`Votes` for AnnotatorNoise.
        sample_weight : (n,) array-like, default=None
            A weight of 2 is the row twice, 0 is the row left out.
        groups : (n,) array-like, default=None
            Rows of one group (one patient) stay in one fold of the E-step.

        Returns
        -------
        self
        """
        self._check()
        rows = self._rows(X, reset=True)
        target = read_target(y, n_rows=_num_samples(rows), classes=self.classes)
        weights = read_weights(sample_weight, np.empty((len(target), 0)))
        members = None if groups is None else group_codes(groups)
        check_consistent_length(rows, members)
        if weights is not None and np.any(weights == 0):
            kept = np.flatnonzero(weights > 0)
            rows, target, weights = _safe_indexing(rows, kept), target.take(kept), weights[kept]
            members = None if members is None else members[kept]
        channel = self._chosen_channel()
        evidence = evidence_for(channel, target)
        bound = channel.bind(len(target.classes), evidence)
        told = evidence.told(bound.first_look())
        supported = np.any(told > 0, axis=0)
        if not np.any(supported):
            raise ValueError(
                "No label says anything about its row's class: there is nothing to learn from such "
                "rows. Give some labels."
            )
        learner = Learner(
            self.estimator,
            rows,
            target.classes,
            weights,
            members,
            self.min_share,
            self.n_jobs,
            self.random_state,
        )
        codes = _decided(evidence, bound)
        if codes is None:
            outcome = self._run(learner, evidence, bound, told, named=target.verified is not None)
        else:
            ask = partial(learner.crisp, codes)
            problem = RefitProblem(ask, evidence, learner.row_weights(), bound, supported)
            evaluation = problem.evaluate(Parameters(told, bound.start()))
            outcome = Outcome(evaluation, [evaluation.objective], Status.CONVERGED)
        self.classes_ = target.classes
        self._told = told_weight(target, weights)
        self._store(bound, outcome, learner)
        return self

    def _check(self) -> None:
        check_abilities(self.estimator)
        check_count("max_iter", self.max_iter)
        check_amount("tol", self.tol)
        if self.e_step_cv is not None:
            check_count("e_step_cv", self.e_step_cv)
            if self.e_step_cv < 2:
                raise ValueError("e_step_cv must be None or an integer of 2 or more, got 1.")
        check_amount("min_share", self.min_share)
        if self.min_share >= 1:
            raise ValueError(f"min_share must be below 1, got {self.min_share!r}.")

    def _run(
        self,
        learner: Learner,
        evidence: Evidence,
        channel: BoundChannel,
        told: FloatArray,
        *,
        named: bool,
    ) -> Outcome:
        """Refit in turn until the fit comes to rest."""
        supported = np.any(told > 0, axis=0)
        ask = learner.all if self.e_step_cv is None else learner.out_of_fold(told, self.e_step_cv)
        problem = RefitProblem(ask, evidence, learner.row_weights(), channel, supported)

        def report(iteration: int, evaluation: Evaluation) -> None:
            mean = evaluation.objective / problem.weight
            print(f"iteration {iteration:4d}  objective per row {mean:.9g}", flush=True)

        go = partial(
            refit,
            problem,
            tol=float(self.tol),
            held_out=self.e_step_cv is not None,
            report=report if self.verbose else None,
        )
        sizes = np.ones(len(supported), dtype=np.int64)
        start = Parameters(told, channel.start())
        return named_run(problem, start, go, self.max_iter, sizes, named=named)

    def _store(self, channel: BoundChannel, outcome: Outcome, learner: Learner) -> None:
        """Copy what was fitted to public attributes; fit to all rows if that is still to do."""
        best = outcome.evaluation
        fitted = best.record.fitted
        if fitted is None:
            fitted = learner.all(best.parameters.model).fitted
        self.estimator_ = fitted
        self._model, self._channel = GivenProbabilities(len(self.classes_)), channel
        self._parameters = Parameters(None, best.parameters.channel)
        self.channel_ = self._chosen_channel().fitted(channel, best.parameters.channel)
        self.log_likelihood_ = best.log_likelihood
        self.history_ = outcome.history
        self.n_iter_ = len(outcome.history)
        self.converged_ = outcome.converged
        if outcome.status is Status.ITERATION_CAP:
            warnings.warn(
                f"The fit ended by: {outcome.status.value}, after {self.n_iter_} iterations, while "
                f"labels still moved by more than tol={self.tol:g}. Increase max_iter or loosen "
                "tol.",
                ConvergenceWarning,
                stacklevel=3,
            )

    def predict(self, X: Any) -> Any:
        """Return the wrapped classifier's prediction for each row.

        Parameters
        ----------
        X : rows as in ``fit``

        Returns
        -------
        (n,) array of class labels
        """
        rows = self._rows(X, reset=False)
        return self.estimator_.predict(rows)

    def predict_proba(self, X: Any) -> Array:
        """Return the wrapped classifier's ``Pr(k | x)``; 0 for classes that it was not taught.

        The channel, which speaks of labels, is not used.

        Parameters
        ----------
        X : rows as in ``fit``

        Returns
        -------
        (n, K) array
            Columns in the order of ``classes_``.
        """
        rows = self._rows(X, reset=False)
        return probabilities(self.estimator_, rows, self.classes_)

    def predict_log_proba(self, X: Any) -> Array:
        """Return ``log Pr(k | x)``.

        Parameters
        ----------
        X : rows as in ``fit``

        Returns
        -------
        (n, K) array
        """
        return self._read(X)

    def _n_free(self) -> int:
        """Return the number of parameters of a linear rule on as many features."""
        inner = self.estimator_[-1] if hasattr(self.estimator_, "steps") else self.estimator_
        n_features = getattr(inner, "n_features_in_", getattr(self, "n_features_in_", 0))
        return (len(self.classes_) - 1) * (1 + int(n_features))

    def _read(self, X: Any) -> Array:
        """Return the rows as the model reads them: log probabilities."""
        rows = self._rows(X, reset=False)
        return log_probabilities(self.estimator_, rows, self.classes_)

    def _rows(self, X: Any, *, reset: bool) -> Any:
        """Return X, its rows to be picked by number; the content is the wrapped one's affair."""
        if not reset:
            check_is_fitted(self)
        # One axis: texts, or a single row of numbers, which the wrapped classifier refuses best.
        if reset or getattr(X, "ndim", 2) != 1:
            validate_data(self, X, reset=reset, skip_check_array=True)
        return indexable(X)[0]


def _decided(evidence: Evidence, channel: BoundChannel) -> IntArray | None:
    """Return each row's class where labels leave no choice at all, else None."""
    if channel.learned:
        return None
    possible: BoolArray = evidence.log_weights(channel.likelihoods(channel.start())) > -np.inf
    return np.argmax(possible, axis=1) if np.all(np.sum(possible, axis=1) == 1) else None
