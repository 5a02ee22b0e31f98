"""What the Gaussian families share on the host: scatters, fixed priors, natural parameters."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from labelief._typing import Array, FloatArray, IntArray
from labelief.blocks.frames import Whitening, whitening
from labelief.blocks.moments import measure_moments
from labelief.blocks.source import BlockSource
from labelief.kernels.features import whitened
from labelief.models.exponential import ExponentialFamily
from labelief.models.shrinkage import Strength

__all__ = [
    "LOG_2PI",
    "MatrixGaussian",
    "MatrixParameters",
    "MatrixPrior",
    "cholesky_or_explain",
    "log_cholesky",
    "log_determinants",
    "means_of",
    "scatters_of",
    "triangle_from_log",
    "unpack_products",
]

LOG_2PI = float(np.log(2.0 * np.pi))
# A variance that sums of products leave where there is none, per direction of the frame.
_ROUNDING = 16 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class MatrixPrior:
    """A conjugate prior on a covariance matrix: ν and ν T, in the frame."""

    count: float
    scatter: FloatArray

    def log_density(self, parameters: MatrixParameters, log_volume: float) -> float:
        """Return ``-½ ν Σ_j (log|Σ_j| + tr Σ_j⁻¹ T)``, determinants in the features' units."""
        if self.count == 0:
            return 0.0
        trace = np.sum(parameters.precisions * self.scatter)
        log_det = np.sum(log_determinants(parameters.factors))
        log_det += 2.0 * log_volume * len(parameters.factors)
        return float(-0.5 * (self.count * log_det + trace))


@dataclass(frozen=True)
class MatrixParameters:
    """Means and Cholesky factors of covariances, in the frame.

    Attributes
    ----------
    means : (J, r) array
    factors : (J, r, r) array, or (1, r, r) where the covariance is common
    """

    means: FloatArray
    factors: FloatArray

    @cached_property
    def inverse_factors(self) -> FloatArray:
        """Inverses of the Cholesky factors, (J, r, r) or (1, r, r)."""
        return np.asarray(np.linalg.inv(self.factors), dtype=np.float64)

    @cached_property
    def precisions(self) -> FloatArray:
        """``Σ_j⁻¹``, (J, r, r) or (1, r, r)."""
        return np.asarray(np.swapaxes(self.inverse_factors, -1, -2) @ self.inverse_factors)


def means_of(counts: FloatArray, sums: FloatArray) -> FloatArray:
    """Return means, (J, r); a component without weight sits at the centre of the features.

    Counts are (J,), or (J, 1) or (J, r) where they differ between features.
    """
    counts = counts[:, None] if counts.ndim == 1 else counts
    return np.asarray(sums / np.where(counts > 0, counts, 1.0))


def unpack_products(products: FloatArray, rank: int) -> FloatArray:
    """Return symmetric matrices from their upper triangles: ``(r(r+1)/2, J) -> (J, r, r)``."""
    rows, columns = np.triu_indices(rank)
    out = np.empty((products.shape[1], rank, rank))
    out[:, rows, columns] = products.T
    out[:, columns, rows] = products.T
    return out


def scatters_of(record: FloatArray, rank: int) -> tuple[FloatArray, FloatArray]:
    """Return means, (J, r), and scatters about them, (J, r, r), of a record of all products."""
    counts = record[0]
    means = means_of(counts, record[1 : rank + 1].T)
    scatters = unpack_products(record[rank + 1 :], rank)
    return means, scatters - counts[:, None, None] * means[:, :, None] * means[:, None, :]


def cholesky_or_explain(covariances: FloatArray) -> FloatArray:
    """Return Cholesky factors, or say which component has no covariance.

    Covariances are in a frame where the total covariance is I: what is left of it by rounding alone
    is nothing.
    """
    try:
        factors: FloatArray = np.asarray(np.linalg.cholesky(covariances), dtype=np.float64)
        pivots = np.diagonal(factors, axis1=-2, axis2=-1)
        if np.all(np.isfinite(factors)) and np.all(pivots**2 > _ROUNDING * factors.shape[-1]):
            return factors
    except np.linalg.LinAlgError:
        pass
    smallest = [
        np.linalg.eigvalsh(covariance)[0] if np.all(np.isfinite(covariance)) else -np.inf
        for covariance in covariances
    ]
    raise ValueError(
        f"The covariance of component {int(np.argmin(smallest))} is singular: too few rows bear on "
        "it. Use ridge > 0 (default 1e-6), shrinkage='auto', or a simpler density."
    )


def log_determinants(factors: FloatArray) -> FloatArray:
    """Return ``log|Σ_j|`` from Cholesky factors."""
    return np.asarray(2.0 * np.sum(np.log(np.diagonal(factors, axis1=-2, axis2=-1)), axis=-1))


def log_cholesky(factors: FloatArray) -> FloatArray:
    """Return log-Cholesky coordinates: lower triangles, logarithms on the diagonal."""
    rank = factors.shape[-1]
    rows, columns = np.tril_indices(rank)
    out = factors[:, rows, columns].copy()
    out[:, rows == columns] = np.log(out[:, rows == columns])
    return out.ravel()


def triangle_from_log(vector: FloatArray, n_matrices: int, rank: int) -> FloatArray:
    """Return Cholesky factors from log-Cholesky coordinates."""
    rows, columns = np.tril_indices(rank)
    entries = vector.reshape(n_matrices, len(rows)).copy()
    on_diagonal = rows == columns
    entries[:, on_diagonal] = np.exp(entries[:, on_diagonal])
    out = np.zeros((n_matrices, rank, rank))
    out[:, rows, columns] = entries
    return out


class MatrixGaussian(ExponentialFamily):
    """What Gaussians with covariance matrices share: whitened coordinates, log-Cholesky vectors."""

    tied: bool

    def frame(self, blocks: BlockSource) -> Whitening:
        """Whiten the rows by their total covariance."""
        return whitening(blocks, measure_moments(blocks, full=True))

    def coordinates(self, X: Array, arrays: tuple[Array, ...]) -> Array:
        """Kernel: return the whitened rows, (b, r)."""
        return whitened(X, *arrays[:2])

    def fixed_prior(self, frame: Whitening, strength: Strength) -> MatrixPrior:
        """Return ν and ν T: in whitened coordinates the total covariance is I."""
        scatter = strength.total * np.eye(frame.rank)
        if strength.diagonal > 0:
            scatter = scatter + strength.diagonal * strength.ratio * frame.diagonal
        return MatrixPrior(strength.count, scatter)

    def log_prior(
        self, parameters: MatrixParameters, frame: Whitening, prior: MatrixPrior
    ) -> float:
        """Return the log density of the fixed prior."""
        return prior.log_density(parameters, frame.log_volume)

    def to_vector(self, parameters: MatrixParameters) -> FloatArray:
        """Return means and log-Cholesky factors."""
        return np.concatenate([parameters.means.ravel(), log_cholesky(parameters.factors)])

    def from_vector(
        self, vector: FloatArray, n_components: int, frame: Whitening
    ) -> MatrixParameters:
        """Return the parameters of a vector."""
        size = n_components * frame.rank
        means = vector[:size].reshape(n_components, frame.rank)
        n_matrices = 1 if self.tied else n_components
        return MatrixParameters(means, triangle_from_log(vector[size:], n_matrices, frame.rank))

    def reordered(self, parameters: MatrixParameters, order: IntArray) -> MatrixParameters:
        """Return the parameters with components in another order."""
        factors = parameters.factors if self.tied else parameters.factors[order]
        return MatrixParameters(parameters.means[order], factors)

    def means(self, parameters: MatrixParameters, frame: Whitening) -> FloatArray:
        """Return component means in the units of the features, (J, d)."""
        return frame.locations(parameters.means)

    def covariances(self, parameters: MatrixParameters, frame: Whitening) -> FloatArray:
        """Return component covariances in the units of the features, (J, d, d)."""
        factors = parameters.factors
        covariances = frame.covariances(factors @ np.swapaxes(factors, -1, -2))
        return np.ascontiguousarray(
            np.broadcast_to(covariances, (len(parameters.means), *covariances.shape[1:]))
        )

    def n_parameters(self, n_components: int, frame: Whitening) -> int:
        """Return the number of free parameters."""
        r = frame.rank
        return n_components * r + (1 if self.tied else n_components) * r * (r + 1) // 2
