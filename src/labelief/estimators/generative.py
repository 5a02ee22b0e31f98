"""Generative classifiers: a density per component, components in classes, a channel for labels."""

from __future__ import annotations

import warnings
from dataclasses import replace
from numbers import Real
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from labelief._typing import Array, BoolArray, FloatArray, IntArray
from labelief.blocks.arrays import ArrayBlocks
from labelief.estimators.base import SoftClassifier
from labelief.estimators.fitting import Fit, Settings, fit_components, warn_unless_converged
from labelief.estimators.validation import (
    check_amount,
    check_count,
    check_finite,
    check_limits,
    evidence_for,
    read_gappy_rows,
    read_responsibilities,
    read_weights,
    told_weight,
)
from labelief.kernels.namespace import take_rows, to_host
from labelief.labels.targets import Target, read_target
from labelief.models.components import ComponentModel
from labelief.models.contract import Density
from labelief.solvers import views

__all__ = ["ComponentClassifier"]


class ComponentClassifier(SoftClassifier):
    """Base of the generative classifiers; subclasses choose the density and the components.

    Parameters
    ----------
    channel : Channel, default=None
        What an observed label says about the true class; None trusts it.
    priors : (K,) array-like, default=None
        Class priors that are held, in the order of `classes` if given, else of ``classes_``; None
        learns them.
    classes : array-like, default=None
        All classes, also such as no label names; None takes those that occur.
    init : {"auto", "labels", "kmeans", "random"}, default="auto"
        The start; "auto" is deterministic.  A start of your own: ``fit(..., responsibilities=R)``.
    n_init : int, default=1
        Starts; the best is kept.
    max_iter : int, default=200
    tol : float, default=1e-6
        Stop when an iteration gains less than this in mean objective per row.
    acceleration : {None, "squarem"}, default=None
    ridge : float, default=1e-6
        Strength of the pull of each covariance towards the total covariance, per row.
    shrinkage : None, "auto" or float in [0, 1), default=None
        Pull of covariances towards the diagonal of total variances; "auto" is Ledoit and Wolf's
        amount.  Where features are uncorrelated already, such as principal components, "auto" pulls
        nearly all the way: give a number there, such as 0.1.
    random_state : int, RandomState or None, default=None
        For random starts only.
    verbose : int, default=0
        1 prints the objective after each iteration.

    Attributes
    ----------
    classes_ : (K,) array
    priors_ : (K,) array
    weights_ : (J,) array
        Weights of components, summing to 1 within each class.
    component_class_ : (J,) array
        Index into ``classes_`` of each component's class.
    means_ : (J, d) array
    covariances_ : (J, d, d) array
    channel_ : Channel
        With what it learned.
    log_likelihood_ : float
        ``Σ_i w_i log Σ_k pl_i(k) p_k(x_i)``, natural logarithm, pl as given, without the priors.
    history_ : list of float
        Objective, priors included, after each iteration.
    n_iter_ : int
    converged_ : bool
    n_passes_ : int
        Passes over X that evaluated the objective, all starts together.
    n_features_in_ : int
    """

    def __init__(
        self,
        *,
        channel: Any = None,
        priors: Any = None,
        classes: Any = None,
        init: str = "auto",
        n_init: int = 1,
        max_iter: int = 200,
        tol: float = 1e-6,
        acceleration: str | None = None,
        ridge: float = 1e-6,
        shrinkage: float | str | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.channel = channel
        self.priors = priors
        self.classes = classes
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.acceleration = acceleration
        self.ridge = ridge
        self.shrinkage = shrinkage
        self.random_state = random_state
        self.verbose = verbose

    _model: ComponentModel

    def _density(self) -> Density:
        """Return the density of the components."""
        raise TypeError(f"{type(self).__name__} names no density.")

    def _takes_missing(self) -> bool:
        """Whether rows may have missing features."""
        return bool(self._density().missing)

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, responsibilities: Any = None
    ) -> Self:
        """Fit by evidential EM.

        Parameters
        ----------
        X : (n, d) array, frame or list
        y : labels
            1-D class labels (None or NaN = unknown), :class:`SoftLabels`, or an (n, K) floating or
            bool array or frame of plausibilities; a :class:`Votes` for AnnotatorNoise.
        sample_weight : (n,) array-like, default=None
            A weight of 2 is the row twice, 0 is the row left out.
        responsibilities : (n, J) array-like, default=None
            A start of your own.

        Returns
        -------
        self
        """
        settings = _settings(self)
        rows, target, weights, R, gaps = self._read_fit(X, y, sample_weight, responsibilities)
        settings = replace(settings, gaps=gaps)
        self.classes_ = target.classes
        self._told = told_weight(target, weights)
        self._store(self._best_fit(rows, target, weights, R, settings))
        return self

    def _read_fit(
        self, X: Any, y: Any, sample_weight: Any, responsibilities: Any
    ) -> tuple[Array, Target, FloatArray | None, FloatArray | None, bool]:
        """Return rows, labels, weights, start and whether features are missing.

        Rows of weight 0 are dropped.
        """
        missing = self._takes_missing()
        rows, gaps = read_gappy_rows(self, X, reset=True, missing=missing)
        target = read_target(y, n_rows=rows.shape[0], classes=self.classes)
        weights = read_weights(sample_weight, rows)
        start = read_responsibilities(responsibilities, rows.shape[0])
        if weights is not None and np.any(weights == 0):
            kept = np.flatnonzero(weights > 0)
            rows, target, weights = take_rows(rows, kept), target.take(kept), weights[kept]
            start = None if start is None else start[kept]
            gaps = gaps and check_finite(rows, type(self).__name__, missing=missing)
        return rows, target, weights, start, gaps

    def _best_fit(
        self,
        rows: Array,
        target: Target,
        weights: FloatArray | None,
        responsibilities: Any,
        settings: Settings,
    ) -> Fit:
        """Fit with as many components in each class as are asked for: one."""
        sizes = np.ones(len(target.classes), dtype=np.int64)
        return self._fit_sizes(
            rows, target, weights, responsibilities, sizes, settings, self._density()
        )

    def _fit_sizes(
        self,
        rows: Array,
        target: Target,
        weights: FloatArray | None,
        responsibilities: Any,
        sizes: IntArray,
        settings: Settings,
        density: Density,
    ) -> Fit:
        n_classes = len(target.classes)
        component_class = np.repeat(np.arange(n_classes), sizes)
        channel = self._chosen_channel()
        evidence = evidence_for(channel, target)
        bound = channel.bind(n_classes, evidence)
        start = read_responsibilities(responsibilities, rows.shape[0], len(component_class))
        crisp = target.codes is not None and bool(np.all(target.codes >= 0))
        priors = _priors(self.priors, self.classes, target.classes)
        return fit_components(
            ArrayBlocks(rows, evidence, weights, start, gaps=settings.gaps),
            density.named(getattr(self, "feature_names_in_", None)),
            bound,
            component_class,
            n_classes,
            settings,
            priors=priors,
            given=start is not None,
            exact=crisp and bound.transparent and len(component_class) == n_classes,
            named=priors is not None or target.verified is not None,
            random_state=self.random_state,
        )

    def _store(self, fit: Fit) -> None:
        """Copy what was fitted to public attributes."""
        evaluation, model, n_classes = fit.outcome.evaluation, fit.model, len(self.classes_)
        parameters = evaluation.parameters
        self._model, self._channel, self._parameters = model.opened(), fit.channel, parameters
        self.component_class_ = model.component_class
        self.priors_ = model.class_priors(parameters.model, n_classes)
        self.weights_ = model.within_class(parameters.model, n_classes)
        self.means_ = model.density.means(parameters.model.density, model.frame)
        self.covariances_ = model.density.covariances(parameters.model.density, model.frame)
        self.channel_ = self._chosen_channel().fitted(fit.channel, parameters.channel)
        self.log_likelihood_ = evaluation.log_likelihood
        self.history_ = fit.outcome.history
        self.n_iter_ = len(fit.outcome.history)
        self.converged_ = fit.outcome.converged
        self.n_passes_ = fit.n_passes
        cut = model.frame.n_cut
        if cut:
            warnings.warn(
                f"X has {cut} directions without variance (constant or dependent columns, or fewer "
                "rows than features); they are left out of the densities.",
                UserWarning,
                stacklevel=3,
            )
        warn_unless_converged(fit.outcome, stacklevel=4)

    def score_samples(self, X: Any) -> Array:
        """Return the log density of each row, ``log Σ_k π_k f_k(x)``.

        Parameters
        ----------
        X : (n, d) array, frame or list

        Returns
        -------
        (n,) array
        """
        return self._map(views.log_density, self._read(X))

    def bic(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return ``-2 log L + p log n``; lower is better.

        Parameters
        ----------
        X : (n, d) array, frame or list
        y : labels of any kind that ``fit`` takes
        sample_weight : (n,) array-like, default=None

        Returns
        -------
        float
        """
        log_likelihood, _, weight = self._sums(X, y, sample_weight)
        return -2.0 * log_likelihood + self._n_parameters() * float(np.log(weight))

    def icl(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return BIC plus twice the entropy of the responsibilities; lower is better.

        Parameters
        ----------
        X : (n, d) array, frame or list
        y : labels of any kind that ``fit`` takes
        sample_weight : (n,) array-like, default=None

        Returns
        -------
        float
        """
        log_likelihood, entropy, weight = self._sums(X, y, sample_weight)
        penalty = self._n_parameters() * float(np.log(weight))
        return -2.0 * log_likelihood + penalty + 2.0 * entropy

    def _n_parameters(self) -> int:
        return self._model.n_parameters() + self._channel.n_parameters()

    def _read(self, X: Any) -> Array:
        if not hasattr(self, "_model"):
            check_is_fitted(self)
        frame = self._model.frame
        rows, gaps = read_gappy_rows(self, X, reset=False, missing=frame.gaps)
        self._model.density.check(ArrayBlocks(rows, gaps=gaps), frame)
        return rows

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._takes_missing()
        return tags


def _settings(estimator: ComponentClassifier) -> Settings:
    """Return validated settings, or say which parameter is wrong."""
    e = estimator
    if e.init not in ("auto", "labels", "kmeans", "random"):
        raise ValueError(f"init must be 'auto', 'labels', 'kmeans' or 'random', got {e.init!r}.")
    check_limits(e)
    check_count("n_init", e.n_init)
    check_amount("ridge", e.ridge)
    shrinkage = e.shrinkage
    if not (shrinkage is None or shrinkage == "auto") and not (
        isinstance(shrinkage, Real) and 0 <= shrinkage < 1
    ):
        raise ValueError(f"shrinkage must be None, 'auto' or in [0, 1), got {shrinkage!r}.")
    return Settings(
        e.init,
        int(e.n_init),
        int(e.max_iter),
        float(e.tol),
        e.acceleration,
        float(e.ridge),
        shrinkage,
        e.verbose,
    )


def _priors(priors: Any, named: Any, classes: Any) -> FloatArray | None:
    """Return held priors in the order of the sorted classes."""
    if priors is None:
        return None
    held = to_host(np.asarray(priors, dtype=np.float64))
    if held.shape != (len(classes),):
        raise ValueError(
            f"priors must hold one number for each of the {len(classes)} classes, "
            f"got shape {held.shape}."
        )
    bad: BoolArray = ~np.isfinite(held) | (held < 0)
    if np.any(bad) or abs(np.sum(held) - 1.0) > 1e-6:
        raise ValueError(f"priors must be 0 or more and sum to 1, got {priors!r}.")
    if named is not None:
        held = held[np.argsort(np.asarray(named), kind="stable")]
    return held / np.sum(held)
