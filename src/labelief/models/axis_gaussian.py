"""What Gaussians with axis-aligned covariances share: scaled coordinates, variances, a prior."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from labelief._typing import Array, FloatArray, IntArray
from labelief.blocks.frames import Axes
from labelief.kernels.features import scaled
from labelief.kernels.gaps import filled
from labelief.models.gap_family import GapFamily
from labelief.models.gaussian import LOG_2PI, means_of
from labelief.models.shrinkage import Strength

__all__ = [
    "AxisGaussian",
    "AxisParameters",
    "AxisPrior",
    "axis_scatters_of",
    "positive_or_explain",
]


@dataclass(frozen=True)
class AxisParameters:
    """Means and variances in the frame.

    Attributes
    ----------
    means : (J, r) array
    variances : (J, r) array, or (J, 1) where all axes share one, or (1, r) where all components do
    """

    means: FloatArray
    variances: FloatArray


@dataclass(frozen=True)
class AxisPrior:
    """A conjugate prior on variances: ν and ν T, (r,), in the frame."""

    count: float
    scatter: FloatArray


class AxisGaussian(GapFamily):
    """Base of `DiagonalGaussian` and `SphericalGaussian`: everything but features and M-step.

    A missing feature is left out of the product: its term of the constant is taken out again.
    """

    tied = False

    def rows(self, X: Array, arrays: tuple[Any, ...]) -> Array:
        """Kernel: return the scaled rows, (b, r)."""
        return scaled(X, *arrays[:3])

    def may_miss(self, arrays: tuple[Any, ...]) -> bool:
        """Whether the frame's rows may have missing features."""
        return len(arrays) > 3

    def opened(self, frame: Axes) -> Axes:
        """Return the frame for rows that may have missing features."""
        return replace(frame, gaps=True)

    def coordinates(self, X: Array, arrays: tuple[Any, ...]) -> Array:
        """Kernel: return the scaled rows, (b, r); a missing feature lies at the column's mean."""
        z = self.rows(X, arrays)
        return filled(z)[0] if self.may_miss(arrays) else z

    def constants(
        self, parameters: AxisParameters, frame: Axes, log_weights: FloatArray
    ) -> FloatArray:
        """Return the constant of each component's log density, (J,)."""
        return np.asarray(log_weights - np.sum(self.normalisers(parameters, frame), axis=1))

    def normalisers(self, parameters: AxisParameters, frame: Axes) -> FloatArray:
        """Return what each feature takes from the constant, (J, r)."""
        precision = np.broadcast_to(1.0 / parameters.variances, parameters.means.shape)
        terms = parameters.means**2 * precision - np.log(precision) + LOG_2PI
        return np.asarray(0.5 * terms + np.log(frame.scale))

    def fixed_prior(self, frame: Axes, strength: Strength) -> AxisPrior:
        """Return ν and ν T on each axis."""
        total = (frame.moments.scale[frame.columns] / frame.scale) ** 2
        scatter = (strength.total + strength.diagonal * strength.ratio) * total
        return AxisPrior(strength.count, scatter)

    def log_prior(self, parameters: AxisParameters, frame: Axes, prior: AxisPrior) -> float:
        """Return ``-½ ν Σ_j (log|Σ_j| + tr Σ_j⁻¹ T)``, determinants in the features' units."""
        variances = parameters.variances
        variances = np.broadcast_to(variances, (len(variances), frame.rank))
        log_det = np.sum(np.log(variances)) + 2.0 * frame.log_volume * len(variances)
        return float(-0.5 * (prior.count * log_det + np.sum(prior.scatter / variances)))

    def to_vector(self, parameters: AxisParameters) -> FloatArray:
        """Return means and log variances."""
        return np.concatenate([parameters.means.ravel(), np.log(parameters.variances).ravel()])

    def from_vector(self, vector: FloatArray, n_components: int, frame: Axes) -> AxisParameters:
        """Return the parameters of a vector."""
        size = n_components * frame.rank
        return AxisParameters(
            vector[:size].reshape(n_components, frame.rank),
            np.exp(vector[size:]).reshape(n_components, -1),
        )

    def reordered(self, parameters: AxisParameters, order: IntArray) -> AxisParameters:
        """Return the parameters with components in another order."""
        return AxisParameters(parameters.means[order], parameters.variances[order])

    def means(self, parameters: AxisParameters, frame: Axes) -> FloatArray:
        """Return component means in the units of the features, (J, d)."""
        return frame.locations(parameters.means)

    def covariances(self, parameters: AxisParameters, frame: Axes) -> FloatArray:
        """Return component covariances in the units of the features, (J, d, d)."""
        return frame.covariances(np.broadcast_to(parameters.variances, parameters.means.shape))


def axis_scatters_of(record: FloatArray, rank: int) -> tuple[FloatArray, FloatArray]:
    """Return means and scatters about them, both (J, r), of a record of all squares."""
    means = means_of(record[0], record[1 : rank + 1].T)
    return means, record[rank + 1 :].T - record[0][:, None] * means**2


def positive_or_explain(variances: FloatArray) -> FloatArray:
    """Return the variances, or say which component has none."""
    bad = ~np.all((variances > 0) & np.isfinite(variances), axis=1)
    if np.any(bad):
        raise ValueError(
            f"Component {int(np.argmax(bad))} has a feature without variance: too few rows bear on "
            "it. Use ridge > 0 (default 1e-6) or shrinkage='auto'."
        )
    return variances
