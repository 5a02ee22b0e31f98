"""Independent Gaussian features given the component: Gaussian naive Bayes with soft labels."""

from __future__ import annotations

from typing import Any

import numpy as np

from labelief._typing import Array, FloatArray
from labelief.blocks.frames import Axes, axes
from labelief.blocks.moments import measure_moments
from labelief.blocks.source import BlockSource
from labelief.kernels.features import with_squares
from labelief.models.axis_gaussian import (
    AxisGaussian,
    AxisParameters,
    AxisPrior,
    positive_or_explain,
)
from labelief.models.gaussian import means_of

__all__ = ["DiagonalGaussian"]


class DiagonalGaussian(AxisGaussian):
    """Gaussian components with diagonal covariances.

    ``log f_j(x) = Σ_a [-½ (x_a - μ_ja)² / v_ja - ½ log 2π v_ja]``, linear in ``(1, x, x²)``.
    M-step: weighted means and variances, ``v_ja = (S_ja + ν T_a) / (n_j + ν)``.  Missing features
    (NaN) are left out of the sum over a; sums and n_j are then over the rows that have the feature.

    Examples
    --------
    >>> from labelief import GenerativeClassifier
    >>> from labelief.densities import DiagonalGaussian
    >>> X = [[0.0, 1.0], [1.0, 0.0], [4.0, 5.0], [5.0, 4.0]]
    >>> GenerativeClassifier(DiagonalGaussian()).fit(X, [0, 0, 1, 1]).predict([[1.0, 1.0]])
    array([0])
    """

    def frame(self, blocks: BlockSource) -> Axes:
        """Scale each feature by its standard deviation."""
        return axes(measure_moments(blocks, full=False), gaps=blocks.gaps)

    def width(self, frame: Axes, n_components: int) -> int:
        """Return how many doubles a pass holds for each row."""
        return 4 * frame.rank + 4 * n_components

    def feature_map(self, z: Array) -> Array:
        """Kernel: return ``(1, z, z²)`` of the scaled rows."""
        return with_squares(z)

    def n_features(self, arrays: tuple[Any, ...]) -> int:
        """Return how many features `feature_map` makes."""
        return 1 + 2 * int(arrays[1].shape[0])

    def factors(
        self, parameters: AxisParameters, frame: Axes, log_weights: FloatArray
    ) -> tuple[FloatArray]:
        """Return the coefficients, (1 + 2r, J)."""
        precision = np.broadcast_to(1.0 / parameters.variances, parameters.means.shape)
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
        """Return means and variances."""
        r, counts = frame.rank, self.observed(record, frame)
        means = means_of(counts, record[1 : r + 1].T)
        scatter = record[r + 1 : 2 * r + 1].T - counts * means**2
        nothing = counts + prior.count == 0
        variances = (scatter + prior.scatter + nothing) / (counts + prior.count + nothing)
        return AxisParameters(means, positive_or_explain(variances))

    def n_parameters(self, n_components: int, frame: Axes) -> int:
        """Return the number of free parameters."""
        return 2 * n_components * frame.rank
