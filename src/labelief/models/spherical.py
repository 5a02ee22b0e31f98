"""Gaussian components with one variance for all features."""

from __future__ import annotations

from typing import Any

import numpy as np

from labelief._typing import Array, FloatArray
from labelief.blocks.frames import Axes, axes
from labelief.blocks.moments import measure_moments
from labelief.blocks.source import BlockSource
from labelief.kernels.features import with_squared_norm
from labelief.models.axis_gaussian import (
    AxisGaussian,
    AxisParameters,
    AxisPrior,
    positive_or_explain,
)
from labelief.models.gaussian import means_of

__all__ = ["SphericalGaussian"]


class SphericalGaussian(AxisGaussian):
    """Gaussian components with covariance ``v_j I``.

    ``log f_j(x) = -½ ‖x - μ_j‖² / v_j - ½ d log 2π v_j``, linear in ``(1, x, ‖x‖²)``.  Features are
    centred and divided by one common scale, which changes nothing in the family.  Missing features
    (NaN) are left out of the norm and of d.

    Examples
    --------
    >>> from labelief import GenerativeClassifier
    >>> from labelief.densities import SphericalGaussian
    >>> X = [[0.0, 1.0], [1.0, 0.0], [4.0, 5.0], [5.0, 4.0]]
    >>> GenerativeClassifier(SphericalGaussian()).fit(X, [0, 0, 1, 1]).predict([[1.0, 1.0]])
    array([0])
    """

    def frame(self, blocks: BlockSource) -> Axes:
        """Scale all features by one common scale."""
        moments = measure_moments(blocks, full=False)
        return axes(moments, common_scale=True, gaps=blocks.gaps)

    def width(self, frame: Axes, n_components: int) -> int:
        """Return how many doubles a pass holds for each row."""
        return 3 * frame.rank + 4 * n_components

    def feature_map(self, z: Array) -> Array:
        """Kernel: return ``(1, z, ‖z‖²)`` of the scaled rows."""
        return with_squared_norm(z)

    def n_features(self, arrays: tuple[Any, ...]) -> int:
        """Return how many features `feature_map` makes."""
        return 2 + int(arrays[1].shape[0])

    def factors(
        self, parameters: AxisParameters, frame: Axes, log_weights: FloatArray
    ) -> tuple[FloatArray]:
        """Return the coefficients, (2 + r, J)."""
        precision = 1.0 / parameters.variances
        constant = self.constants(parameters, frame, log_weights)
        plain = [constant, (parameters.means * precision).T, -0.5 * precision.T]
        gaps = [self.normalisers(parameters, frame).T] if frame.gaps else []
        return (np.vstack([*plain, *gaps]),)

    def start(self, record: FloatArray, frame: Axes, prior: AxisPrior) -> AxisParameters:
        """Return means and variances, held by a few more rows."""
        held = AxisPrior(prior.count + 3.0, prior.scatter + 3.0)
        return self.maximise(record, None, frame, held)

    def maximise(
        self, record: FloatArray, parameters: AxisParameters | None, frame: Axes, prior: AxisPrior
    ) -> AxisParameters:
        """Return means and ``v_j = (Σ_a S_ja + ν Σ_a T_a) / (r (n_j + ν))``."""
        r = frame.rank
        means = means_of(self.observed(record, frame), record[1 : r + 1].T)
        counts = np.broadcast_to(self.observed(record, frame), means.shape)
        scatter = record[r + 1] - np.sum(counts * means**2, axis=1)
        held = np.sum(counts, axis=1) + r * prior.count
        nothing = held == 0
        variances = (scatter + np.sum(prior.scatter) + nothing) / (held + nothing)
        return AxisParameters(means, positive_or_explain(variances[:, None]))

    def n_parameters(self, n_components: int, frame: Axes) -> int:
        """Return the number of free parameters."""
        return n_components * (frame.rank + 1)
