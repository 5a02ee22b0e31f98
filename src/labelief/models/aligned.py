"""Gaussian components whose axes are the features', with volumes or shapes shared."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from labelief._typing import FloatArray, IntArray
from labelief.blocks.frames import Axes, axes
from labelief.blocks.moments import measure_moments
from labelief.blocks.source import BlockSource
from labelief.models.abilities import PlainDensity
from labelief.models.axis_gaussian import (
    AxisParameters,
    AxisPrior,
    axis_scatters_of,
    positive_or_explain,
)
from labelief.models.decomposition import Decomposition
from labelief.models.diagonal import DiagonalGaussian
from labelief.models.structure import Structure

__all__ = ["AlignedGaussian", "AlignedParameters"]


@dataclass(frozen=True)
class AlignedParameters(AxisParameters):
    """Means and variances in the frame, and the parts that the variances are made of."""

    parts: Decomposition


class AlignedGaussian(DiagonalGaussian):
    """Gaussians with diagonal covariances of a structure: rows as `DiagonalGaussian` has them.

    The rules of a structure take one weight a component, not one a feature: rows are complete.
    """

    missing = False
    opened = PlainDensity.opened
    m_step_in = PlainDensity.m_step_in

    def __init__(self, structure: Structure) -> None:
        self.structure = structure
        self.tied = structure.form.tied

    def frame(self, blocks: BlockSource) -> Axes:
        """Scale each feature by its standard deviation, or all by one where units matter."""
        moments = measure_moments(blocks, full=False)
        return axes(moments, common_scale=self.structure.rigid)

    def maximise(
        self, record: FloatArray, parameters: AxisParameters | None, frame: Axes, prior: AxisPrior
    ) -> AlignedParameters:
        """Return means and the structure's best variances under ``S_j + ν T``, ``n_j + ν``."""
        means, scatters = axis_scatters_of(record, frame.rank)
        counts = record[0]
        if self.tied:
            # One covariance: its prior counts once.
            counts, scatters = np.sum(counts, keepdims=True), np.sum(scatters, 0, keepdims=True)
        parts = self.structure.along_axes(counts + prior.count, scatters + prior.scatter)
        return _assembled(means, parts)

    def to_vector(self, parameters: AxisParameters) -> FloatArray:
        """Return means and the free coordinates of the parts."""
        assert isinstance(parameters, AlignedParameters)
        return np.concatenate(
            [parameters.means.ravel(), self.structure.form.to_vector(parameters.parts)]
        )

    def from_vector(self, vector: FloatArray, n_components: int, frame: Axes) -> AlignedParameters:
        """Return the parameters of a vector."""
        size = n_components * frame.rank
        parts = self.structure.form.from_vector(vector[size:], n_components, frame.rank)
        return _assembled(vector[:size].reshape(n_components, frame.rank), parts)

    def reordered(self, parameters: AxisParameters, order: IntArray) -> AlignedParameters:
        """Return the parameters with components in another order."""
        assert isinstance(parameters, AlignedParameters)
        parts = self.structure.form.reordered(parameters.parts, order)
        return _assembled(parameters.means[order], parts)

    def n_parameters(self, n_components: int, frame: Axes) -> int:
        """Return the number of free parameters."""
        covariances = self.structure.form.n_parameters(n_components, frame.rank)
        return n_components * frame.rank + covariances


def _assembled(means: FloatArray, parts: Decomposition) -> AlignedParameters:
    return AlignedParameters(means, positive_or_explain(parts.variances), parts)
