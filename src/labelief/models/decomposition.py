"""Covariances as volume, shape and axes: ``Σ_j = λ_j D_j A_j D_jᵀ`` (Celeux and Govaert 1995).

``λ_j = |Σ_j|^{1/r}`` is the volume, ``A_j``, diagonal with determinant 1, the shape, and the
columns of D_j are the axes.  Each of the three is common to all components, or each component's
own; shape and axes may also be held at the identity.  Parameters are counted, and turned to free
coordinates, by these rules alone, so that no family does it anew.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from labelief._typing import FloatArray, IntArray
from labelief.models.rotations import rotation_vectors, rotations

__all__ = ["Decomposition", "Form"]


@dataclass(frozen=True)
class Decomposition:
    """Volumes, shapes and axes.

    Attributes
    ----------
    volumes : (J,) array, or (1,) where common
    shapes : (J, r) array, or (1, r) where common
        Diagonals of A_j, their product 1.
    axes : (J, r, r) array, or (1, r, r) where common, or None where the axes are the coordinates'
        Rotations.
    """

    volumes: FloatArray
    shapes: FloatArray
    axes: FloatArray | None = None

    @property
    def variances(self) -> FloatArray:
        """Variances along the axes, ``λ_j A_j``, (J, r), or (1, r) where common."""
        return np.asarray(self.volumes[:, None] * self.shapes)

    @property
    def roots(self) -> FloatArray:
        """``D_j (λ_j A_j)^{1/2}``, (J, r, r): ``Σ_j`` is a root times its transpose."""
        assert self.axes is not None
        return np.asarray(self.axes * np.sqrt(self.variances)[:, None, :])


@dataclass(frozen=True)
class Form:
    """What is each component's own (True), common (False), or held at the identity (None)."""

    own_volumes: bool
    own_shapes: bool | None
    own_axes: bool | None

    @property
    def tied(self) -> bool:
        """Whether one covariance serves all components."""
        return not (self.own_volumes or self.own_shapes or self.own_axes)

    def n_parameters(self, n_components: int, rank: int) -> int:
        """Return the number of free parameters of the covariances (Celeux and Govaert 1995)."""
        return sum(rows * size for rows, size in self._sizes(n_components, rank))

    def reordered(self, parts: Decomposition, order: IntArray) -> Decomposition:
        """Return the parts with components in another order, or some of them, or some again."""
        axes = parts.axes[order] if self.own_axes and parts.axes is not None else parts.axes
        return Decomposition(
            parts.volumes[order] if self.own_volumes else parts.volumes,
            parts.shapes[order] if self.own_shapes else parts.shapes,
            axes,
        )

    def to_vector(self, parts: Decomposition) -> FloatArray:
        """Return log volumes, log shapes but for the last of each, and rotation vectors."""
        pieces: list[FloatArray] = []
        if parts.shapes.shape[1]:
            pieces.append(np.log(parts.volumes))
        if self.own_shapes is not None:
            pieces.append(np.log(parts.shapes[:, :-1]).ravel())
        if parts.axes is not None:
            pieces.append(rotation_vectors(parts.axes).ravel())
        return np.concatenate(pieces) if pieces else np.empty(0)

    def from_vector(self, vector: FloatArray, n_components: int, rank: int) -> Decomposition:
        """Return the parts of a vector."""
        sizes = self._sizes(n_components, rank)
        ends = np.cumsum([rows * size for rows, size in sizes])
        pieces = [
            piece.reshape(rows, size)
            for piece, (rows, size) in zip(np.split(vector, ends[:-1]), sizes, strict=True)
        ]
        sized, logs, turns = pieces
        volumes = np.exp(sized[:, 0]) if rank else np.ones(sizes[0][0])
        if self.own_shapes is None or rank == 0:
            shapes = np.ones((1 if not self.own_shapes else n_components, rank))
        else:
            shapes = np.exp(np.hstack([logs, -np.sum(logs, axis=1, keepdims=True)]))
        axes = None if self.own_axes is None else rotations(turns, rank)
        return Decomposition(volumes, shapes, axes)

    def _sizes(self, n_components: int, rank: int) -> list[tuple[int, int]]:
        """Return rows and free numbers of each row: of volumes, shapes and axes."""
        free = [min(rank, 1), max(rank - 1, 0), rank * (rank - 1) // 2]
        own = [self.own_volumes, self.own_shapes, self.own_axes]
        return [
            (n_components if o else 1, 0 if o is None else size)
            for o, size in zip(own, free, strict=True)
        ]
