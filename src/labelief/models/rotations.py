"""Orthogonal matrices: free coordinates of rotations, and axes that follow others."""

from __future__ import annotations

import numpy as np
from scipy.linalg import expm, schur

from labelief._typing import FloatArray

__all__ = ["aligned", "rotation_vectors", "rotations"]


def rotation_vectors(turns: FloatArray) -> FloatArray:
    """Return the lower triangles of the skew logarithms: ``(m, r, r) -> (m, r(r-1)/2)``."""
    rows, columns = np.tril_indices(turns.shape[-1], -1)
    return np.array([_logarithm(turn)[rows, columns] for turn in turns]).reshape(
        len(turns), len(rows)
    )


def rotations(vectors: FloatArray, rank: int) -> FloatArray:
    """Return the rotations with these coordinates, the exponentials: ``(m, r, r)``."""
    rows, columns = np.tril_indices(rank, -1)
    skew = np.zeros((len(vectors), rank, rank))
    skew[:, rows, columns] = vectors
    if not skew.size:
        return skew
    return np.asarray(expm(skew - np.swapaxes(skew, 1, 2)), dtype=np.float64)


def aligned(axes: FloatArray, reference: FloatArray) -> FloatArray:
    """Give axes the signs that point along the reference, and the determinant 1.

    Signs are free; with these, coordinates of neighbouring axes are neighbours.

    Parameters
    ----------
    axes, reference : (m, r, r) arrays
        Orthogonal matrices, one axis per column.
    """
    along = np.sum(axes * reference, axis=1)
    axes = axes * np.where(along < 0, -1.0, 1.0)[:, None, :]
    if not axes.size:
        return axes
    # Where that is a reflection, the axis that follows its reference least is turned.
    least = np.argmin(np.abs(along), axis=1)
    sign = np.ones(along.shape)
    sign[np.arange(len(axes)), least] = np.where(np.linalg.det(axes) < 0, -1.0, 1.0)
    return np.asarray(axes * sign[:, None, :])


def _logarithm(turn: FloatArray) -> FloatArray:
    """Return the skew logarithm of a rotation, angles at most π.

    The real Schur form of a rotation is made of plane rotations, of 1s and of pairs of -1.
    """
    rank = len(turn)
    if rank < 2:
        return np.zeros((rank, rank))
    form, basis = schur(turn, output="real")
    skew = np.zeros((rank, rank))
    reversed_: list[int] = []
    i = 0
    while i < rank:
        if i + 1 < rank and form[i + 1, i] != 0.0:
            skew[i + 1, i] = np.arctan2(form[i + 1, i], form[i, i])
            i += 2
            continue
        if form[i, i] < 0:
            reversed_.append(i)
        i += 1
    for one, other in zip(reversed_[::2], reversed_[1::2], strict=False):
        skew[other, one] = np.pi
    return np.asarray(basis @ (skew - skew.T) @ basis.T, dtype=np.float64)
