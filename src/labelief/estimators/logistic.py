"""Logistic regression from soft and noisy labels."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from numbers import Real
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from labelief._typing import Array, FloatArray
from labelief.blocks.arrays import ArrayBlocks
from labelief.blocks.evidence import Likelihoods
from labelief.blocks.source import Block, BlockSource
from labelief.channels.contract import BoundChannel
from labelief.estimators.base import SoftClassifier
from labelief.estimators.validation import (
    check_amount,
    check_count,
    evidence_for,
    read_rows,
    read_weights,
    told_weight,
)
from labelief.kernels.namespace import is_sparse, namespace, take_rows
from labelief.labels.targets import Target, read_target
from labelief.models.conditioning import condition
from labelief.models.logistic import LogisticModel, LogisticParameters
from labelief.models.newton import Measure, complete_curvature, no_curvature, observed_curvature
from labelief.solvers.climb import named_run
from labelief.solvers.em import em_step
from labelief.solvers.lead_in import curved_step, led_lbfgs
from labelief.solvers.look_ahead import look_ahead
from labelief.solvers.loop import Outcome, State, run
from labelief.solvers.problem import Parameters, Problem
from labelief.solvers.quasi_newton import flat, lbfgs, settled

__all__ = ["LogisticRegression"]

# The intercept reported for a class of probability 0: the scores sum to 0, so that some other is at
# least 0 everywhere, and exp(-1000) is 0 in double precision.
_NEVER = -1000.0
# Rows without a label are left out where the rest is small enough to be copied.
_COPY_BYTES = 2**25


class _Solver(NamedTuple):
    """A way to climb, and the curvature that a pass measures for it."""

    drive: Callable[..., Outcome]
    curvatures: Measure


def _from_ahead(problem: Problem, start: Parameters, **settings: Any) -> Outcome:
    """Climb by L-BFGS from where a sample of the rows leads."""
    ahead, metric = look_ahead(problem, start)
    return lbfgs(problem, ahead, metric=metric, **settings)


_NEWTON = partial(run, step=em_step)
_SOLVERS = {
    "lbfgs": _Solver(led_lbfgs, no_curvature),
    "newton": _Solver(partial(run, step=curved_step), observed_curvature),
    "em": _Solver(_NEWTON, complete_curvature),
}
# Where every label is crisp and trusted nothing is missing: the objective has one maximum, and
# its Hessian is the complete-data one.
_DECIDED = _SOLVERS | {
    "lbfgs": _Solver(_from_ahead, no_curvature),
    "newton": _Solver(_NEWTON, complete_curvature),
}


class LogisticRegression(SoftClassifier):
    """Logistic regression from soft labels (quost2017 §3.3); with FlipNoise it is rLR and rmLR.

    Maximises ``Σ_i w_i log Σ_k pl_i(k; γ) Pr(k | x_i) - ‖coef‖² / (2 C)``, with
    ``Pr(k | x) ∝ exp(intercept_k + coef_k · x)``, from equal probabilities.  Two classes have one
    row of coefficients, more have one row each, as in scikit-learn, whose fit is what crisp labels
    give.  (quost2017 eq. 20 and 22 lack the exponential inside the logarithm's sum, and penalise
    K - 1 rows against a reference class.)

    Where labels are soft or noisy the objective has several maxima.  The fit goes up from the
    start, at every step, until the slope is below `tol`; every solver goes to where EM does unless
    the problem is large (below).  Rows whose label says nothing bear on nothing.  A class that no
    label supports is left out of the fit and has probability 0.

    Parameters
    ----------
    C : float, default=1.0
        Inverse strength of the penalty on the summed log-likelihood; ``np.inf`` for none.
    channel : Channel, default=None
        What an observed label says about the true class; None trusts it.
    classes : array-like, default=None
        All classes, also such as no label names; None takes those that occur.
    solver : {"lbfgs", "newton", "em"}, default="lbfgs"
        "lbfgs": quasi-Newton on the objective itself, one pass over X for each evaluation and
        nothing held that is larger than the coefficients.  Where labels are soft or noisy, EM's
        steps come first if a Hessian costs little, ``n (K (d + 1))² < 2e8``; where labels are crisp
        and rows many, a sample of them leads the way.  "em": one Newton step on the expected
        complete-data likelihood after each E-step (quost2017 eq. 22-24).  "newton": steps as near
        to Newton's on the objective as lead to the same maximum.  Both hold a Hessian of
        ``(K (d + 1))²`` numbers.
    max_iter : int, default=1000
    tol : float, default=1e-6
        Stop when no entry of the gradient, divided by the sum of the weights, exceeds this: in
        ``coef_`` and ``intercept_``, and in coordinates free of the features' units.
    verbose : int, default=0
        1 prints the objective after each iteration.

    Attributes
    ----------
    classes_ : (K,) array
    coef_ : (1, d) array for two classes, else (K, d)
    intercept_ : (1,) or (K,) array
        For a class that no label supports the coefficients are 0 and the intercept is -1000.
    channel_ : Channel
        With what it learned.
    log_likelihood_ : float
        ``Σ_i w_i log Σ_k pl_i(k) Pr(k | x_i)``, natural logarithm, pl as given, without penalties.
    history_ : list of float
        Objective, penalties included, after each iteration.
    n_iter_ : int
    converged_ : bool
    n_passes_ : int
        Passes over X that evaluated the objective.
    n_features_in_ : int

    Examples
    --------
    >>> import numpy as np
    >>> from labelief import FlipNoise, LogisticRegression, SoftLabels
    >>> X = np.array([[0.0], [1.0], [2.0], [6.0], [7.0], [8.0]])
    >>> y = SoftLabels.from_confidences(["a", "a", "b", "b", "b", "b"], [1, 1, 0.2, 1, 1, 0.8])
    >>> model = LogisticRegression().fit(X, y)
    >>> model.predict([[2.0], [6.5]])
    array(['a', 'b'], dtype='<U1')

    Labels flipped at a rate that is learned:

    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(2000, 2))
    >>> truth = 4.0 * X[:, 0] > rng.logistic(size=2000)
    >>> seen = np.where(rng.random(2000) < 0.2, ~truth, truth)
    >>> robust = LogisticRegression(channel=FlipNoise("symmetric")).fit(X, seen)
    >>> bool(abs(robust.channel_.matrix_[0, 1] - 0.2) < 0.03)
    True
    """

    _sparse = True
    _model: LogisticModel

    def __init__(
        self,
        C: float = 1.0,
        *,
        channel: Any = None,
        classes: Any = None,
        solver: str = "lbfgs",
        max_iter: int = 1000,
        tol: float = 1e-6,
        verbose: int = 0,
    ) -> None:
        self.C = C
        self.channel = channel
        self.classes = classes
        self.solver = solver
        self.max_iter = max_iter
        self.tol = tol
        self.verbose = verbose

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit from equal probabilities.

        Parameters
        ----------
        X : (n, d) array, CSR matrix, frame or list
        y : labels
            1-D class labels (None or NaN = unknown), :class:`SoftLabels`, or an (n, K) floating or
            bool array or frame of plausibilities; a :class:`Votes` for AnnotatorNoise.
        sample_weight : (n,) array-like, default=None
            A weight of 2 is the row twice, 0 is the row left out.

        Returns
        -------
        self
        """
        self._check()
        rows = read_rows(self, X, reset=True, sparse=True)
        target = read_target(y, n_rows=rows.shape[0], classes=self.classes)
        rows, target, weights = _kept(rows, target, read_weights(sample_weight, rows))
        self.classes_ = target.classes
        self._told = told_weight(target, weights)
        n_classes = len(target.classes)
        channel = self._chosen_channel()
        evidence = evidence_for(channel, target)
        bound = channel.bind(n_classes, evidence)
        blocks = ArrayBlocks(rows, evidence, weights)
        supported = np.flatnonzero(_support(blocks, bound) > 0)
        if not len(supported):
            raise ValueError(
                "No label says anything about its row's class: a discriminative fit has nothing to "
                "learn from such rows. Give some labels, or use a generative classifier."
            )
        decided = bound.transparent and target.codes is not None and np.min(target.codes) >= 0
        solver = (_DECIDED if decided else _SOLVERS)[self.solver]
        # One row of coefficients t stands for two of ±t/2.
        penalty = (2.0 if n_classes == 2 else 1.0) / float(self.C)
        model = LogisticModel(
            condition(blocks, penalty, len(supported)),
            penalty,
            supported,
            solver.curvatures,
        )
        problem = Problem(blocks, model, bound, n_classes)
        start = Parameters(model.start(), bound.start())
        named = target.verified is not None
        self._store(model, problem, self._run(problem, start, solver, named=named))
        return self

    def _check(self) -> None:
        if not isinstance(self.C, Real) or not float(self.C) > 0:
            raise ValueError(f"C must be a number above 0 (np.inf: no penalty), got {self.C!r}.")
        check_count("max_iter", self.max_iter)
        check_amount("tol", self.tol)
        if self.solver not in _SOLVERS:
            raise ValueError(f"solver must be 'lbfgs', 'newton' or 'em', got {self.solver!r}.")

    def _run(self, problem: Problem, start: Parameters, solver: _Solver, *, named: bool) -> Outcome:
        """Climb from equal probabilities until the slope is below `tol`."""

        def optimal(before: State, after: State) -> bool:
            return flat(problem, after.evaluation, self.tol)

        def report(state: State) -> None:
            mean = state.evaluation.objective / problem.weight
            print(f"iteration {state.iteration:4d}  objective per row {mean:.9g}", flush=True)

        report_or_none = report if self.verbose else None
        go = partial(solver.drive, problem, optimal=optimal, report=report_or_none)
        sizes = np.bincount(problem.model.component_class, minlength=problem.n_classes)
        outcome = named_run(problem, start, go, self.max_iter, sizes, named=named)
        return settled(problem, outcome, self.tol)

    def _store(self, model: LogisticModel, problem: Problem, outcome: Outcome) -> None:
        """Copy what was fitted to public attributes."""
        evaluation = outcome.evaluation
        parameters = evaluation.parameters
        self._model, self._channel, self._parameters = model, problem.channel, parameters
        self.coef_, self.intercept_ = _public(model, parameters.model, problem.n_classes)
        self.channel_ = self._chosen_channel().fitted(problem.channel, parameters.channel)
        self.log_likelihood_ = evaluation.log_likelihood
        self.history_ = outcome.history
        self.n_iter_ = len(outcome.history)
        self.converged_ = outcome.converged
        self.n_passes_ = problem.n_passes
        if not self.converged_:
            warnings.warn(
                f"The fit ended by: {outcome.status.value}, after {self.n_iter_} iterations, with "
                f"a slope above tol={self.tol:g}. Increase max_iter or loosen tol.",
                ConvergenceWarning,
                stacklevel=3,
            )


def _kept(
    rows: Array, target: Target, weights: FloatArray | None
) -> tuple[Array, Target, FloatArray | None]:
    """Leave out rows of weight 0, and rows without a label where the rest is a small copy."""
    out = np.zeros(len(target), dtype=bool) if weights is None else weights == 0
    if target.codes is not None and np.min(target.codes) < 0:
        unknown = target.codes < 0
        share = 1.0 - float(np.mean(unknown))
        size = rows.nnz if is_sparse(rows) else rows.shape[0] * rows.shape[1]
        if 0.0 < share * size * 8 <= _COPY_BYTES:
            out = out | unknown
    if not np.any(out) or np.all(out):
        return rows, target, weights
    kept = np.flatnonzero(~out)
    return take_rows(rows, kept), target.take(kept), None if weights is None else weights[kept]


def _support(blocks: BlockSource, channel: BoundChannel) -> FloatArray:
    """Return what the labels tell in favour of each class, (K,)."""
    look = channel.first_look() if channel.learned else channel.likelihoods(channel.start())
    support: FloatArray = blocks.map_reduce(_told, look, 6 * look.log_table.shape[0])
    return support


def _told(block: Block, look: Likelihoods) -> Array:
    assert block.evidence is not None
    told = block.evidence.told(look)
    return namespace(told).sum(told, axis=0)


def _public(
    model: LogisticModel, parameters: LogisticParameters, n_classes: int
) -> tuple[FloatArray, FloatArray]:
    """Return coefficients and intercepts at ``x = 0``, one row for two classes."""
    coefficients = np.zeros((n_classes, len(parameters.coefficients)))
    intercepts = np.full(n_classes, _NEVER)
    coefficients[model.component_class] = parameters.coefficients.T
    intercepts[model.component_class] = (
        parameters.intercepts - model.frame.center @ parameters.coefficients
    )
    if n_classes == 2:
        return coefficients[1:] - coefficients[:1], intercepts[1:] - intercepts[:1]
    return coefficients, intercepts
