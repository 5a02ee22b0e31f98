"""Gaussian components whose covariances share volumes, shapes or axes of any direction."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from labelief._typing import FloatArray, IntArray
from labelief.blocks.frames import Whitening
from labelief.blocks.source import BlockSource
from labelief.models.abilities import PlainDensity
from labelief.models.decomposition import Decomposition
from labelief.models.full import FullGaussian
from labelief.models.gaussian import (
    MatrixParameters,
    MatrixPrior,
    cholesky_or_explain,
    scatters_of,
)
from labelief.models.structure import Structure

__all__ = ["OrientedGaussian", "OrientedParameters"]

# Directions whose spread in the features' own units is below this share of the largest have no
# digits left for the angles between them and others.
_NARROW = 1e-9


@dataclass(frozen=True)
class OrientedParameters(MatrixParameters):
    """Means and Cholesky factors in the frame, and the parts that the covariances are made of."""

    parts: Decomposition


class OrientedGaussian(FullGaussian):
    """Gaussians with covariances of a structure: rows as `FullGaussian` has them, another M-step.

    A structure that no linear map of the features leaves as it is (equal determinants, proportional
    covariances) is fitted in whitened coordinates; a rigid one in orthonormal coordinates of the
    features' own units.  Rows are complete.
    """

    missing = False
    opened = PlainDensity.opened
    m_step_in = PlainDensity.m_step_in

    def __init__(self, structure: Structure) -> None:
        self.structure = structure

    def frame(self, blocks: BlockSource) -> Whitening:
        """Whiten the rows; refuse units too far apart for the structure."""
        frame = super().frame(blocks)
        if self.structure.rigid and frame.rank:
            sizes = np.linalg.svd(frame.to_scale, compute_uv=False)
            if not sizes[-1] >= _NARROW * sizes[0]:
                raise ValueError(
                    "The features' units are too far apart for covariances of equal shapes or "
                    "axes, which hold in the units given: some direction's spread is less than "
                    f"{_NARROW:g} of another's. Scale the features (StandardScaler), leave nearly "
                    "dependent columns out, or choose another family."
                )
        return frame

    def maximise(
        self,
        record: FloatArray,
        parameters: MatrixParameters | None,
        frame: Whitening,
        prior: MatrixPrior,
    ) -> OrientedParameters:
        """Return means and the structure's best covariances under ``S_j + ν T``, ``n_j + ν``."""
        means, scatters = scatters_of(record, frame.rank)
        values, vectors = np.linalg.eigh(scatters + prior.scatter)
        roots = vectors * np.sqrt(np.maximum(values, 0.0))[:, None, :]
        if self.structure.rigid:
            roots = frame.to_scale @ roots
        before = parameters.parts if isinstance(parameters, OrientedParameters) else None
        parts = self.structure.turned(record[0] + prior.count, roots, before)
        return self._assembled(means, parts, frame)

    def to_vector(self, parameters: MatrixParameters) -> FloatArray:
        """Return means and the free coordinates of the parts."""
        assert isinstance(parameters, OrientedParameters)
        return np.concatenate(
            [parameters.means.ravel(), self.structure.form.to_vector(parameters.parts)]
        )

    def from_vector(
        self, vector: FloatArray, n_components: int, frame: Whitening
    ) -> OrientedParameters:
        """Return the parameters of a vector."""
        size = n_components * frame.rank
        parts = self.structure.form.from_vector(vector[size:], n_components, frame.rank)
        return self._assembled(vector[:size].reshape(n_components, frame.rank), parts, frame)

    def reordered(self, parameters: MatrixParameters, order: IntArray) -> OrientedParameters:
        """Return the parameters with components in another order."""
        assert isinstance(parameters, OrientedParameters)
        parts = self.structure.form.reordered(parameters.parts, order)
        return OrientedParameters(parameters.means[order], parameters.factors[order], parts)

    def n_parameters(self, n_components: int, frame: Whitening) -> int:
        """Return the number of free parameters."""
        covariances = self.structure.form.n_parameters(n_components, frame.rank)
        return n_components * frame.rank + covariances

    def _assembled(
        self, means: FloatArray, parts: Decomposition, frame: Whitening
    ) -> OrientedParameters:
        roots: FloatArray = np.broadcast_to(parts.roots, (len(means), frame.rank, frame.rank))
        if self.structure.rigid:
            roots = np.asarray(np.linalg.solve(frame.to_scale, roots), dtype=np.float64)
        covariances = roots @ np.swapaxes(roots, 1, 2)
        return OrientedParameters(means, cholesky_or_explain(covariances), parts)
