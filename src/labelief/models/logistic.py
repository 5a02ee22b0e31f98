"""Class probabilities that are soft-max functions of linear scores (quost2017 §3.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from labelief._typing import Array, FloatArray, IntArray
from labelief.kernels.namespace import namespace, to_float64
from labelief.kernels.softmax import (
    Curvature,
    LinearSums,
    augmented,
    linear_sums,
    log_normaliser,
    scores,
)
from labelief.models.conditioning import Conditioning
from labelief.models.contract import MStep
from labelief.models.newton import (
    Measure,
    newton_step,
    no_curvature,
    observed_curvature,
    uphill_step,
)

__all__ = ["LogisticModel", "LogisticParameters", "LogisticRecord"]


@dataclass(frozen=True)
class LogisticParameters:
    """Scores ``η_j(x) = a_j + (x - m)ᵀ b_j``, m the centre of the fit; each sums to 0 over j.

    Attributes
    ----------
    intercepts : (J,) array
    coefficients : (d, J) array, in the units of the features
    """

    intercepts: FloatArray
    coefficients: FloatArray


class LogisticRecord(NamedTuple):
    """Additive record: the slope, and where Newton steps are taken the curvature.

    Attributes
    ----------
    slope : LinearSums
        ``Σ_i (ζ_ij - p_ij) (1, x_i - shift)``, all scores but the first: their sum is 0.
    complete, observed : Curvature or None
        Under ``s = p``, and under ``s = ζ``: see :func:`labelief.kernels.softmax.curvature`.
    """

    slope: LinearSums
    complete: Curvature | None
    observed: Curvature | None


class LogisticModel:
    """``Pr(j | x) = exp η_j(x) / Σ_l exp η_l(x)`` (quost2017 eq. 18-20), with a penalty on slopes.

    The log prior is ``-λ/2 Σ_j ‖b_j‖²``; intercepts are free.  Vectors are orthonormal contrasts of
    the J scores in the coordinates of a :class:`Conditioning`: the redundant direction, all scores
    alike, is not there, and the curvature at 0 is about W in each.

    Parameters
    ----------
    frame : Conditioning
    penalty : float
        λ.
    component_class : (J,) integer array
        The classes that labels support, in increasing order; others have probability 0.
    curvatures : Measure
        Which second moments a pass measures: none, or what Newton steps need.
    """

    m_step: MStep = "improves"
    conditional = True

    def __init__(
        self,
        frame: Conditioning,
        penalty: float,
        component_class: IntArray,
        curvatures: Measure = no_curvature,
    ) -> None:
        self.frame = frame
        self.penalty = penalty
        self.component_class = component_class
        self.curvatures = curvatures
        self.contrasts = _contrasts(len(component_class))

    @property
    def width(self) -> int:
        """Doubles that a pass holds for each row."""
        d, n_components = len(self.frame.center), len(self.component_class)
        outer = 0 if self.curvatures is no_curvature else (n_components + 2) * d
        return d + 6 * n_components + outer

    def start(self) -> LogisticParameters:
        """Return 0: equal probabilities."""
        return self.from_vector(np.zeros((1 + self.frame.rank) * self.contrasts.shape[1]))

    def factors(self, parameters: LogisticParameters) -> tuple[Any, ...]:
        """Return shift, coefficients and intercepts over those of the first, and inverse scales."""
        intercepts = parameters.intercepts - self.frame.offset @ parameters.coefficients
        coefficients = parameters.coefficients[:, 1:] - parameters.coefficients[:, :1]
        return (
            self.frame.shift,
            coefficients,
            intercepts[1:] - intercepts[0],
            1.0 / self.frame.scale,
        )

    def features(self, X: Array, factors: tuple[Any, ...]) -> Array:
        """Kernel: return ``x - shift``, the rows themselves where there is no shift."""
        return to_float64(X) if factors[0] is None else to_float64(X) - factors[0]

    def log_joint(self, features: Array, factors: tuple[Any, ...]) -> Array:
        """Kernel: return ``log Pr(j | x)`` but for the row term, (b, J)."""
        return scores(features, factors[1], factors[2])

    def row_term(self, features: Array, factors: tuple[Any, ...]) -> Array:
        """Kernel: return ``-log Σ_j exp η_j``, (b,)."""
        return -log_normaliser(self.log_joint(features, factors))

    def statistics(
        self, features: Array, R: Array, likelihood: Array, factors: tuple[Any, ...]
    ) -> LogisticRecord:
        """Kernel: return the slope, and the curvatures asked for."""
        xp = namespace(R)
        scale = (xp.sum(R, axis=1) / xp.sum(likelihood, axis=1))[:, None]
        slope = linear_sums(features, R[:, 1:] - likelihood[:, 1:] * scale)
        curvatures = self.curvatures(
            lambda: augmented(features, factors[3]), lambda: likelihood * scale, R
        )
        return LogisticRecord(slope, *curvatures)

    def row_term_total(self, parameters: LogisticParameters) -> float:
        """Return 0: a conditional model's row terms are part of its pass."""
        return 0.0

    def log_prior(self, parameters: LogisticParameters) -> float:
        """Return ``-λ/2 Σ_j ‖b_j‖²``."""
        if self.penalty == 0.0:
            return 0.0
        return float(-0.5 * self.penalty * np.sum(parameters.coefficients**2))

    def slope(self, record: LogisticRecord, parameters: LogisticParameters) -> FloatArray:
        """Return the gradient in the intercepts at ``x = 0`` and the coefficients, (1 + d, J)."""
        zeroth, first = (_with_first(sums) for sums in record.slope)
        if self.frame.shift is not None:
            first = first + np.outer(self.frame.shift, zeroth)
        return np.vstack([zeroth, first - self.penalty * parameters.coefficients])

    def gradient(self, record: LogisticRecord, parameters: LogisticParameters) -> FloatArray:
        """Return the gradient of the objective in the coordinates of `to_vector`."""
        zeroth, first = (_with_first(sums) for sums in record.slope)
        centered = first - np.outer(self.frame.offset, zeroth)
        slopes = self.frame.pulled(centered - self.penalty * parameters.coefficients)
        return np.asarray(
            (np.vstack([self.frame.spread * zeroth, slopes]) @ self.contrasts).ravel()
        )

    def maximise(
        self, record: LogisticRecord, parameters: LogisticParameters
    ) -> LogisticParameters:
        """Return one Newton step: on the likelihood near a maximum, else as EM does."""
        assert record.complete is not None
        gradient = self.gradient(record, parameters)
        doubt = None if record.observed is None else self.hessian(record.observed)
        step = uphill_step(gradient, self.curvature(record), doubt, record.complete.weight)
        return self.from_vector(self.to_vector(parameters) + step)

    def near_maximum(self, record: LogisticRecord, parameters: LogisticParameters) -> bool:
        """Say whether the nearest maximum is that of the quadratic that fits here."""
        assert record.complete is not None
        assert record.observed is not None
        hessian = self.curvature(record) - self.hessian(record.observed)
        gradient = self.gradient(record, parameters)
        return newton_step(gradient, hessian, record.complete.weight) is not None

    @property
    def hessian_entries(self) -> int:
        """Return how many numbers a record of the curvature holds."""
        return (len(self.component_class) * (1 + len(self.frame.center))) ** 2

    def thinned(self, share: float) -> LogisticModel:
        """Return the model for a sample that holds this share of the rows' weight."""
        return LogisticModel(self.frame, share * self.penalty, self.component_class)

    def curved(self) -> LogisticModel:
        """Return the model with records that hold the curvature."""
        return LogisticModel(self.frame, self.penalty, self.component_class, observed_curvature)

    def curvature(self, record: LogisticRecord) -> FloatArray:
        """Return minus the complete-data Hessian, prior included (quost2017 eq. 24)."""
        assert record.complete is not None
        return self.hessian(record.complete) + self.prior_hessian()

    def hessian(self, moments: Curvature) -> FloatArray:
        """Return ``Σ_i φφᵀ ⊗ (diag s - s sᵀ / Σ s)`` in the coordinates of `to_vector`."""
        own, cross = moments
        n_components, p = len(self.component_class), own.shape[1]
        second = -cross.reshape(n_components, p, n_components, p)
        for j, block in enumerate(own.reshape(n_components, p, p)):
            second[j, :, j, :] += block
        design, contrasts = self.frame.design(), self.contrasts
        half = np.einsum("jakb,jc,kd->acbd", second, contrasts, contrasts, optimize=True)
        out = np.einsum("acbd,ar,bs->rcsd", half, design, design, optimize=True)
        size = design.shape[1] * contrasts.shape[1]
        return np.asarray(out.reshape(size, size))

    def prior_hessian(self) -> FloatArray:
        """Return minus the Hessian of the log prior in the coordinates of `to_vector`."""
        rank, n_contrasts = self.frame.rank, self.contrasts.shape[1]
        out = np.zeros((1 + rank, 1 + rank))
        if self.penalty > 0.0:
            out[1:, 1:] = self.penalty * self.frame.pulled(self.frame.slopes(np.eye(rank)))
        return np.asarray(np.kron(out, np.eye(n_contrasts)), dtype=np.float64)

    def to_vector(self, parameters: LogisticParameters) -> FloatArray:
        """Return contrasts of intercepts and slopes, by rows, in conditioned coordinates."""
        slopes = self.frame.coordinates(parameters.coefficients)
        intercepts = parameters.intercepts / self.frame.spread
        return np.asarray((np.vstack([intercepts, slopes]) @ self.contrasts).ravel())

    def from_vector(self, vector: FloatArray) -> LogisticParameters:
        """Return the parameters of a vector."""
        scores = vector.reshape(1 + self.frame.rank, -1) @ self.contrasts.T
        return LogisticParameters(self.frame.spread * scores[0], self.frame.slopes(scores[1:]))

    def renamed(self, parameters: LogisticParameters, names: IntArray) -> LogisticParameters:
        """Return the parameters with class k called ``names[k]``."""
        place = {int(k): j for j, k in enumerate(self.component_class)}
        order = np.empty(len(place), dtype=np.int64)
        for k, j in place.items():
            order[place[int(names[k])]] = j
        return LogisticParameters(parameters.intercepts[order], parameters.coefficients[:, order])

    def n_parameters(self) -> int:
        """Return (J - 1) (1 + d)."""
        return (len(self.component_class) - 1) * (1 + len(self.frame.center))


def _with_first(sums: FloatArray) -> FloatArray:
    """Return sums over residuals, (..., J - 1), with those of the first score: all sum to 0."""
    return np.concatenate([-np.sum(sums, axis=-1, keepdims=True), sums], axis=-1)


def _contrasts(n_components: int) -> FloatArray:
    """Return orthonormal columns that each sum to zero, (J, J - 1): Helmert's."""
    out = np.zeros((n_components, n_components - 1))
    for c in range(1, n_components):
        out[:c, c - 1] = -1.0
        out[c, c - 1] = c
        out[:, c - 1] /= np.sqrt(c * (c + 1))
    return out
