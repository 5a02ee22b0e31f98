"""Coordinates in which densities are fitted: centred and scaled, so that nothing cancels.

Whitened coordinates make the answer independent of any affine change of the features; axis
coordinates only scale, for families that are tied to the axes.  Directions without variance are
cut: covariances are zero across them and a new row is judged by its projection.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.linalg import qr, solve_triangular

from labelief._typing import Array, BoolArray, FloatArray, IntArray
from labelief.blocks.moments import Moments
from labelief.blocks.source import Block, BlockSource
from labelief.kernels.namespace import namespace, to_float64

__all__ = ["Axes", "Whitening", "axes", "standardised", "whitening"]

# A direction whose singular value in the standardised features is below this share of the largest
# has no variance.
_CUT = 1e-12
# Below this share an eigenvalue of the correlation matrix may be mostly rounding: measure it again.
_DOUBTFUL = 1e-9


@dataclass(frozen=True)
class Whitening:
    """Coordinates ``z = (x - center) @ basis`` with total covariance I, over r directions.

    Attributes
    ----------
    moments : Moments
        What was measured of the features.
    basis : (d, r) array
    inverse : (r, d) array
        ``x = center + z @ inverse`` along the directions kept.
    log_volume : float
        Log volume of a unit cube of z, measured in x.
    gaps : bool
        Whether rows may have missing features.
    """

    moments: Moments
    basis: FloatArray
    inverse: FloatArray
    log_volume: float
    gaps: bool = False

    @property
    def rank(self) -> int:
        """Number of directions kept."""
        return int(self.basis.shape[1])

    @property
    def n_cut(self) -> int:
        """Number of directions without variance."""
        return len(self.moments.mean) - self.rank

    @property
    def columns(self) -> IntArray:
        """The columns with variance."""
        return np.flatnonzero(self.moments.scale > 0)

    @property
    def arrays(self) -> tuple[Any, ...]:
        """What a kernel needs: center, basis and shift.

        Where features may be missing, also the columns with variance and their inverse scales.
        """
        plain = (self.moments.mean, self.basis, self.moments.shift)
        if not self.gaps:
            return plain
        return (*plain, self.columns, 1.0 / self.moments.scale[self.columns])

    @property
    def diagonal(self) -> FloatArray:
        """The diagonal matrix of the features' total variances, in z: (r, r)."""
        scaled = self.basis * self.moments.scale[:, None]
        return np.asarray(scaled.T @ scaled)

    @cached_property
    def to_scale(self) -> FloatArray:
        """The map from z to the features' own units but for one scale, over orthonormal axes.

        Upper triangular, (r, r), its largest singular value 1: ``u = to_scale z`` is ``x - center``
        up to a turn and a common factor, so angles and ratios of lengths are those among features.
        """
        largest = np.max(np.abs(self.inverse), initial=0.0)
        if largest == 0:
            return np.eye(self.rank)
        triangle = np.asarray(qr(self.inverse.T / largest, mode="r")[0][: self.rank])
        return np.asarray(triangle / np.linalg.norm(triangle, 2), dtype=np.float64)

    def locations(self, z: FloatArray) -> FloatArray:
        """Return points in the units of the features: ``(..., r) -> (..., d)``."""
        return np.asarray(self.moments.mean + z @ self.inverse)

    def covariances(self, z: FloatArray) -> FloatArray:
        """Return covariances in the units of the features: ``(..., r, r) -> (..., d, d)``."""
        covariance = self.inverse.T @ z @ self.inverse
        return np.asarray((covariance + np.swapaxes(covariance, -1, -2)) / 2)


@dataclass(frozen=True)
class Axes:
    """Coordinates ``z = (x[columns] - center) / scale``.

    Attributes
    ----------
    moments : Moments
        What was measured of the features.
    columns : (r,) integer array
        The columns with variance.
    center, scale : (r,) arrays
    gaps : bool
        Whether rows may have missing features.
    """

    moments: Moments
    columns: IntArray
    center: FloatArray
    scale: FloatArray
    gaps: bool = False

    @property
    def rank(self) -> int:
        """Number of columns kept."""
        return len(self.columns)

    @property
    def n_cut(self) -> int:
        """Number of columns without variance."""
        return len(self.moments.mean) - self.rank

    @property
    def arrays(self) -> tuple[Any, ...]:
        """What a kernel needs: columns (None = all), center and inverse scale.

        A fourth array says that features may be missing.
        """
        columns = self.columns if self.rank < len(self.moments.mean) else None
        plain = (columns, self.center, 1.0 / self.scale)
        return (*plain, np.ones(1)) if self.gaps else plain

    @property
    def log_volume(self) -> float:
        """Log volume of a unit cube of z, measured in x."""
        return float(np.sum(np.log(self.scale)))

    def locations(self, z: FloatArray) -> FloatArray:
        """Return points in the units of the features: ``(..., r) -> (..., d)``."""
        mean = self.moments.mean
        out = np.broadcast_to(mean, (*z.shape[:-1], len(mean))).copy()
        out[..., self.columns] = self.center + z * self.scale
        return out

    def covariances(self, variances: FloatArray) -> FloatArray:
        """Return diagonal covariances in the units of the features: ``(J, r) -> (J, d, d)``."""
        d = len(self.moments.mean)
        out = np.zeros((len(variances), d, d))
        out[:, self.columns, self.columns] = variances * self.scale**2
        return out


def axes(moments: Moments, *, common_scale: bool = False, gaps: bool = False) -> Axes:
    """Return the axis coordinates of features with these moments.

    With `common_scale`, every axis keeps its unit relative to the others.
    """
    columns = np.flatnonzero(moments.scale > 0)
    scale = moments.scale[columns]
    if common_scale and len(columns):
        largest = scale.max()
        scale = np.full(len(columns), largest * np.sqrt(np.mean((scale / largest) ** 2)))
    return Axes(moments, columns, moments.mean[columns], scale, gaps)


def standardised(moments: Moments) -> Whitening:
    """Return coordinates along the features, each of variance 1, for rows with missing features.

    What is missing in x is missing in z, which whitened coordinates would mix with what is not.
    """
    columns = np.flatnonzero(moments.scale > 0)
    unit = np.eye(len(moments.scale))[:, columns]
    scale = moments.scale[columns]
    return Whitening(
        moments, unit / scale, (unit * scale).T, float(np.sum(np.log(scale))), gaps=True
    )


def whitening(blocks: BlockSource, moments: Moments) -> Whitening:
    """Return coordinates in which the rows have total covariance I.

    Eigenvalues of the correlation matrix are sure to 1e-16 only, singular values of the features to
    1e-8; where some are that small, their directions are blown up and measured by a second pass.
    """
    assert moments.correlation is not None
    scale = moments.scale
    varying = np.flatnonzero(scale > 0)
    values, turn = np.linalg.eigh(moments.correlation[np.ix_(varying, varying)])
    values, vectors = values[::-1], np.zeros((len(scale), len(varying)))
    vectors[varying] = turn[:, ::-1]
    largest = values[0] if len(values) else 0.0
    sure = values > _DOUBTFUL * largest
    size = np.sqrt(np.maximum(values, 1e-20 * largest))
    safe = np.where(scale > 0, scale, np.inf)
    basis = vectors / safe[:, None] / size
    inverse = (vectors * scale[:, None]).T * size[:, None]
    if not np.all(sure):
        sums = blocks.map_reduce(_moment_sums, (moments.mean, basis), width=4 * blocks.n_columns)
        first, second = (moment / moments.weight for moment in sums)
        basis, inverse = _measured_again(first, second, sure, size, basis, inverse)
    return Whitening(moments, basis, inverse, _log_volume(inverse, scale))


def _measured_again(
    first: FloatArray,
    second: FloatArray,
    sure: BoolArray,
    size: FloatArray,
    basis: FloatArray,
    inverse: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """Turn the doubtful directions to their own axes, given moments in the blown-up basis.

    Only what the sure directions do not explain counts; what then has no variance is cut.
    """
    # A rounded centre is an offset that all rows share, not variance.
    covariance = second - np.outer(first, first)
    across = covariance[np.ix_(sure, ~sure)]
    rest = covariance[np.ix_(~sure, ~sure)] - across.T @ np.linalg.solve(
        covariance[np.ix_(sure, sure)], across
    )
    unit = size[~sure]
    values, turn = np.linalg.eigh(unit[:, None] * rest * unit)
    alive = values > (_CUT * size[0]) ** 2
    new_size, turn = np.sqrt(values[alive]), turn[:, alive]
    basis = np.hstack([basis[:, sure], (basis[:, ~sure] * unit) @ turn / new_size])
    inverse = np.vstack(
        [inverse[sure], (turn.T @ (inverse[~sure] / unit[:, None])) * new_size[:, None]]
    )
    mix = unit[:, None] * turn / new_size
    change = np.zeros((len(size), basis.shape[1]))
    change[np.flatnonzero(sure), np.arange(sure.sum())] = 1.0
    change[~sure, sure.sum() :] = mix
    factor = np.linalg.cholesky(change.T @ second @ change)
    return solve_triangular(factor, basis.T, lower=True).T, factor.T @ inverse


def _moment_sums(block: Block, parameters: tuple[Array, Array]) -> tuple[Array, Array]:
    center, basis = parameters
    z = (to_float64(block.X) - center) @ basis
    weighted = z if block.weights is None else z * block.weights[:, None]
    return namespace(z).sum(weighted, axis=0), weighted.T @ z


def _log_volume(inverse: FloatArray, scale: FloatArray) -> float:
    """Return the log volume spanned by the rows of `inverse`, columns of any magnitude."""
    if not len(inverse):
        return 0.0
    if len(inverse) == len(scale):
        return float(np.linalg.slogdet(inverse / scale)[1] + np.sum(np.log(scale)))
    # Columns sorted by magnitude and pivoted: a graded matrix keeps its small rows (Cox and Higham
    # 1998), where singular values would lose them.
    graded = inverse.T[np.argsort(-scale)]
    (triangle,) = qr(graded, mode="r", pivoting=True)[:1]
    return float(np.sum(np.log(np.abs(np.diagonal(triangle)))))
