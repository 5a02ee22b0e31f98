"""What every classifier of the library shares once it is fitted: predictions and likelihoods."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from labelief._typing import Array, FloatArray
from labelief.blocks.arrays import ArrayBlocks
from labelief.blocks.evidence import Evidence
from labelief.channels.contract import BoundChannel
from labelief.channels.trusted import Trusted
from labelief.estimators.cautious import CautiousPredictions
from labelief.estimators.scoring import ExpectedErrorScore
from labelief.estimators.set_rules import evidence_bounds
from labelief.estimators.validation import evidence_for, read_rows, read_weights
from labelief.kernels.namespace import to_host
from labelief.labels.targets import read_target
from labelief.models.contract import Model
from labelief.solvers import views
from labelief.solvers.problem import Parameters, component_arrays

__all__ = ["SoftClassifier"]


class SoftClassifier(ExpectedErrorScore, CautiousPredictions, ClassifierMixin, BaseEstimator):
    """Base of classifiers that learn from soft labels through a model and a channel.

    A fit leaves ``_model``, ``_channel`` (bound), ``_parameters`` and ``_told`` (weight of the rows
    whose label says something); everything below reads them.
    """

    channel: Any
    channel_: Any
    classes: Any
    classes_: Any
    _model: Model
    _channel: BoundChannel
    _parameters: Parameters
    _told: float
    _sparse = False

    def predict(self, X: Any) -> Any:
        """Return the most probable class of each row.

        Parameters
        ----------
        X : (n, d) array, frame or list

        Returns
        -------
        (n,) array of class labels
        """
        chosen = np.argmax(to_host(self.predict_proba(X)), axis=1)
        return self.classes_[chosen]

    def predict_proba(self, X: Any) -> Array:
        """Return ``Pr(k | x)``: the channel, which speaks of labels, is not used.

        Parameters
        ----------
        X : (n, d) array, frame or list

        Returns
        -------
        (n, K) array
            Columns in the order of ``classes_``.
        """
        return self._map(views.probabilities, self._read(X))

    def predict_log_proba(self, X: Any) -> Array:
        """Return ``log Pr(k | x)``, exact also where the probability underflows.

        Parameters
        ----------
        X : (n, d) array, frame or list

        Returns
        -------
        (n, K) array
        """
        return self._map(views.log_probabilities, self._read(X))

    def posterior(self, X: Any, y: Any) -> Array:
        """Return class probabilities given the features *and* the label that was observed.

        ``ζ_ik = pl_i(k; γ) p_k(x_i) / Σ_l pl_i(l; γ) p_l(x_i)`` (quost2017 eq. 16, 23), with the
        channel that was learned.

        Parameters
        ----------
        X : (n, d) array, frame or list
        y : labels of any kind that ``fit`` takes

        Returns
        -------
        (n, K) array
        """
        X, evidence = self._read_labelled(X, y)
        return self._map(views.posteriors, X, evidence)

    def label_log_likelihood(self, X: Any, y: Any) -> FloatArray:
        """Return ``log Σ_k Pr(k | x_i) pl_i(k; γ)`` of each row: how well labels are foretold.

        Parameters
        ----------
        X : (n, d) array, frame or list
        y : labels of any kind that ``fit`` takes

        Returns
        -------
        (n,) array
        """
        X, evidence = self._read_labelled(X, y)
        joint = to_host(self._map(views.log_evidence, X, evidence))[:, 0]
        return joint - to_host(self._map(views.log_density, X))

    def log_likelihood(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return ``Σ_i w_i log Σ_k pl_i(k; γ) p_k(x_i)``, natural logarithm, pl as given.

        Parameters
        ----------
        X : (n, d) array, frame or list
        y : labels of any kind that ``fit`` takes
        sample_weight : (n,) array-like, default=None

        Returns
        -------
        float
        """
        return self._sums(X, y, sample_weight)[0]

    def _sums(self, X: Any, y: Any, sample_weight: Any = None) -> tuple[float, float, float]:
        """Return log-likelihood, entropy of responsibilities, and weight."""
        X, evidence = self._read_labelled(X, y)
        weights = read_weights(sample_weight, X)
        weights = np.ones(X.shape[0]) if weights is None else weights
        sums = (
            weights[weights > 0] @ to_host(self._map(views.log_evidence, X, evidence))[weights > 0]
        )
        return float(sums[0]), float(sums[1]), float(np.sum(weights))

    def _bounds(self, X: Any, strength: float) -> tuple[FloatArray, FloatArray]:
        """Return the bounds of probabilities that rest on the mean number of rows."""
        proba = self._float_probabilities(X)
        contrasts = max(len(self.classes_) - 1, 1)
        n_rows = self._told * contrasts / max(self._n_free(), 1)
        return evidence_bounds(proba, n_rows, strength)

    def _n_free(self) -> int:
        """Return the number of free parameters behind probabilities."""
        return self._model.n_parameters()

    def _fitted_part(self) -> Any:
        return self._parameters

    def _read(self, X: Any) -> Array:
        return read_rows(self, X, reset=False, sparse=self._sparse)

    def _read_labelled(self, X: Any, y: Any) -> tuple[Array, Evidence]:
        rows = self._read(X)
        target = read_target(y, n_rows=rows.shape[0], classes=self._columns)
        evidence = evidence_for(self.channel_, target)
        return rows, self._channel.aligned(evidence)

    def _map(
        self, kernel: Callable[..., Array], X: Array, evidence: Evidence | None = None
    ) -> Array:
        """Run a view on every block of rows."""
        factors = self._model.factors(self._parameters.model)
        channel = self._channel if evidence is None else self._channel.reading(evidence)
        likelihoods = channel.likelihoods(self._parameters.channel)
        arrays = component_arrays(self._model.component_class, len(self.classes_))
        blocks = ArrayBlocks(X, evidence)
        return blocks.map_rows(
            partial(kernel, self._model), (factors, likelihoods, *arrays), self._model.width
        )

    def _chosen_channel(self) -> Any:
        return Trusted() if self.channel is None else self.channel
