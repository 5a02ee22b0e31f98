"""A model of J components in K classes: priors, weights within classes, and any density."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from labelief._typing import Array, FloatArray, IntArray
from labelief.models.contract import Density, MStep

__all__ = ["ComponentModel", "ComponentParameters"]

_TINY = 1e-300


@dataclass(frozen=True)
class ComponentParameters:
    """Joint weights ``π_c w_j``, (J,), summing to one, and the density's parameters."""

    weights: FloatArray
    density: Any


class ComponentModel:
    """Generative model ``p_k(x) = π_k Σ_{j ∈ k} w_j f_j(x)`` (quost2017 eq. 14, liu2022 eq. 1).

    Parameters
    ----------
    density : Density
    frame, prior : records of the density
        Coordinates and fixed prior of this fit.
    component_class : (J,) integer array
    priors : (K,) array, default=None
        Class priors that are held; None learns them.
    """

    def __init__(
        self,
        density: Density,
        frame: Any,
        prior: Any,
        component_class: IntArray,
        priors: FloatArray | None = None,
    ) -> None:
        self.density = density
        self.frame = frame
        self.prior = prior
        self.component_class = component_class
        self.priors = priors
        self.m_step: MStep = density.m_step_in(frame)
        self.conditional = False

    @property
    def width(self) -> int:
        """Doubles that a pass holds for each row."""
        return self.density.width(self.frame, len(self.component_class))

    def factors(self, parameters: ComponentParameters) -> tuple[Any, Any]:
        """Return the frame's arrays and the density's factors."""
        with np.errstate(divide="ignore"):
            log_weights = np.log(parameters.weights)
        return self.frame.arrays, self.density.factors(parameters.density, self.frame, log_weights)

    def features(self, X: Array, factors: tuple[Any, Any]) -> Array:
        """Kernel: return the density's features."""
        return self.density.features(X, factors[0])

    def log_joint(self, features: Array, factors: tuple[Any, Any]) -> Array:
        """Kernel: return ``log π_c w_j f_j(x)`` but for the row term."""
        return self.density.log_density(features, factors[1])

    def row_term(self, features: Array, factors: tuple[Any, Any]) -> Array:
        """Kernel: return the term common to all components."""
        return self.density.row_term(features, *factors)

    def statistics(
        self, features: Array, R: Array, likelihood: Array, factors: tuple[Any, Any]
    ) -> Any:
        """Kernel: return the density's record."""
        return self.density.statistics(features, R, factors[1])

    def row_term_total(self, parameters: ComponentParameters) -> float:
        """Return the sum of the row terms over the fit."""
        return self.density.row_term_total(parameters.density, self.frame)

    def start(self, record: Any, *, exact: bool) -> ComponentParameters:
        """Return first parameters; `exact` where the responsibilities are already the last."""
        if exact:
            density = self.density.maximise(record, None, self.frame, self.prior)
        else:
            density = self.density.start(record, self.frame, self.prior)
        return ComponentParameters(self._weights(self.density.counts(record)), density)

    def expected_log_joint(self, record: Any, parameters: ComponentParameters) -> float:
        """Return ``Σ_ij r_ij log π_c w_j f_j(x_i)``, for densities whose M-step is exact."""
        density = self.density.expected_log_density(record, self.factors(parameters)[1])
        return density + self.row_term_total(parameters)

    def maximise(self, record: Any, parameters: ComponentParameters) -> ComponentParameters:
        """Return weights and density parameters under the record (quost2017 eq. 17a)."""
        return ComponentParameters(
            self._weights(self.density.counts(record)),
            self.density.maximise(record, parameters.density, self.frame, self.prior),
        )

    def log_prior(self, parameters: ComponentParameters) -> float:
        """Return the log of the fixed prior."""
        return self.density.log_prior(parameters.density, self.frame, self.prior)

    def to_vector(self, parameters: ComponentParameters) -> FloatArray:
        """Return log weights and the density's vector."""
        logs = np.log(np.maximum(parameters.weights, _TINY))
        return np.concatenate([logs, self.density.to_vector(parameters.density)])

    def from_vector(self, vector: FloatArray) -> ComponentParameters:
        """Return the parameters of a vector."""
        n_components = len(self.component_class)
        logs = vector[:n_components]
        weights = np.exp(logs - np.max(logs))
        weights = np.where(weights <= 1e-290, 0.0, weights)
        density = self.density.from_vector(vector[n_components:], n_components, self.frame)
        return ComponentParameters(self._weights(weights), density)

    def renamed(self, parameters: ComponentParameters, names: IntArray) -> ComponentParameters:
        """Return the parameters with class k called ``names[k]``, its components moving along."""
        order = np.empty(len(self.component_class), dtype=np.int64)
        for old, new in enumerate(names):
            order[self.component_class == new] = np.flatnonzero(self.component_class == old)
        density = self.density.reordered(parameters.density, order)
        return ComponentParameters(parameters.weights[order], density)

    def opened(self) -> ComponentModel:
        """Return the model for rows to come, which may miss features that the fit's rows had."""
        frame = self.density.opened(self.frame)
        return ComponentModel(self.density, frame, self.prior, self.component_class, self.priors)

    def n_parameters(self) -> int:
        """Return the number of free parameters."""
        n_components = len(self.component_class)
        weights = n_components - 1
        if self.priors is not None:
            weights -= len(self.priors) - 1
        return weights + self.density.n_parameters(n_components, self.frame)

    def class_priors(self, parameters: ComponentParameters, n_classes: int) -> FloatArray:
        """Return π, (K,)."""
        weights = parameters.weights
        return np.asarray(
            np.bincount(self.component_class, weights, minlength=n_classes), dtype=np.float64
        )

    def within_class(self, parameters: ComponentParameters, n_classes: int) -> FloatArray:
        """Return the weights within classes, (J,); equal ones in a class without prior."""
        return _within(parameters.weights, self.component_class, n_classes)

    def _weights(self, counts: FloatArray) -> FloatArray:
        if self.priors is None:
            return np.asarray(counts / np.sum(counts))
        within = _within(counts, self.component_class, len(self.priors))
        return np.asarray(self.priors[self.component_class] * within)


def _within(weights: FloatArray, component_class: IntArray, n_classes: int) -> FloatArray:
    """Divide weights by their class's sum; a class without any shares evenly."""
    totals = np.bincount(component_class, weights, minlength=n_classes)[component_class]
    members = np.bincount(component_class, minlength=n_classes)[component_class]
    return np.where(totals > 0, weights / np.where(totals > 0, totals, 1.0), 1.0 / members)
