"""A covariance of its own for each component: quadratic discriminant analysis, mixtures."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from labelief._typing import Array, FloatArray
from labelief.blocks.frames import Whitening, standardised
from labelief.blocks.moments import measure_moments
from labelief.blocks.source import BlockSource
from labelief.kernels.conditional import (
    MixedRows,
    conditional_statistics,
    marginal_log_densities,
    mixed_rows,
)
from labelief.kernels.features import whitened, with_products
from labelief.kernels.gaps import any_missing, filled
from labelief.kernels.namespace import cross_product, namespace, take_features, to_float64
from labelief.models.contract import MStep
from labelief.models.gaussian import (
    LOG_2PI,
    MatrixGaussian,
    MatrixParameters,
    MatrixPrior,
    cholesky_or_explain,
    log_determinants,
    scatters_of,
)

__all__ = ["FullGaussian"]


class FullGaussian(MatrixGaussian):
    """Gaussian components, each with a full covariance of its own (come2008; liu2022 eq. 1).

    ``log f_j(x)`` is linear in ``φ(x) = (1, x, x_a x_b for a ≤ b)``, so that an E-step is one
    matrix product with a block of φ and the sums of the M-step are the transposed product with the
    same block.  M-step: ``Σ_j = (S_j + ν T) / (n_j + ν)``, liu2022 eq. 10-12 read as plain EM.

    A row with missing features (NaN) counts by the density of what is observed, and the sums take
    what is expected of the rest under each component (Ghahramani and Jordan 1994, §3): EM on the
    completed data, whose objective is the likelihood of the observed features, with the prior.
    There T is the diagonal of the features' variances, and columns that depend on others are not
    cut.  A block of b rows costs O(P m (r + m)² + b r²) per component for what its P patterns of at
    most m missing features add; complete rows cost what they always do.

    Examples
    --------
    >>> import numpy as np
    >>> from labelief import GenerativeClassifier
    >>> from labelief.densities import FullGaussian
    >>> X = np.random.default_rng(0).normal(size=(40, 2)) + np.repeat([[0, 0], [4, 4]], 20, axis=0)
    >>> GenerativeClassifier(FullGaussian()).fit(X, [0] * 20 + [1] * 20).predict([[4.0, 4.0]])
    array([1])
    """

    tied = False
    missing = True

    def frame(self, blocks: BlockSource) -> Whitening:
        """Whiten the rows; where features may be missing, scale them only."""
        if blocks.gaps:
            return standardised(measure_moments(blocks, full=False))
        return super().frame(blocks)

    def opened(self, frame: Whitening) -> Whitening:
        """Return the frame for rows that may have missing features.

        Where columns depend on one another there is no density of some of them: the frame stays.
        """
        return replace(frame, gaps=True) if frame.rank == len(frame.columns) else frame

    def m_step_in(self, frame: Whitening) -> MStep:
        """Return "improves" where missing features are expected under the last parameters."""
        return "improves" if frame.gaps else "exact"

    def width(self, frame: Whitening, n_components: int) -> int:
        """Return how many doubles a pass holds for each row."""
        return 1 + 3 * frame.rank + frame.rank * (frame.rank + 1) // 2 + 4 * n_components

    def coordinates(self, X: Array, arrays: tuple[Array, ...]) -> Array:
        """Kernel: return the rows in the frame; a missing feature lies at the column's mean."""
        X = to_float64(X)
        return whitened(X if len(arrays) == 3 else _filled(X, arrays)[0], *arrays[:2])

    def features(self, X: Array, arrays: tuple[Array, ...]) -> Array | MixedRows:
        """Kernel: return ``(1, z, z_a z_b)`` of the whitened rows, and incomplete rows apart."""
        X = to_float64(X)
        if len(arrays) == 3 or not any_missing(X):
            return with_products(whitened(X, *arrays[:2]))
        X, gone = _filled(X, arrays)
        center, basis, _, columns, inverse_scale = arrays
        z = take_features(X - center, columns) * inverse_scale
        mixed = mixed_rows(z, gone)
        if mixed is None:
            return with_products(whitened(X, center, basis))
        complete = namespace(X).take(X, mixed.complete, axis=0)
        return mixed._replace(phi=with_products(whitened(complete, center, basis)))

    def log_density(self, features: Array | MixedRows, factors: Any) -> Array:
        """Kernel: return ``φ·η``, (b, J), and marginal densities of incomplete rows."""
        if not isinstance(features, MixedRows):
            return super().log_density(features, factors)
        whole = super().log_density(features.phi, factors)
        return features.together(whole, marginal_log_densities(features.gaps, *factors[1:]))

    def row_term(self, features: Array | MixedRows, arrays: Any, factors: Any) -> Array:
        """Kernel: return the common term left out: 0."""
        rows = features.order if isinstance(features, MixedRows) else features[:, 0]
        xp = namespace(rows)
        return xp.zeros(rows.shape, dtype=factors[0].dtype, device=factors[0].device)

    def statistics(self, features: Array | MixedRows, R: Array, factors: Any) -> Array:
        """Kernel: return ``Φᵀ R``, (p, J), incomplete rows by what is expected of them."""
        if not isinstance(features, MixedRows):
            return cross_product(features, R)
        complete = namespace(R).take(R, features.complete, axis=0)
        expected = conditional_statistics(features.gaps, R, factors[1], factors[2])
        return cross_product(features.phi, complete) + expected

    def start_statistics(self, X: Array, R: Array, arrays: tuple[Array, ...]) -> Array:
        """Kernel: return ``Φᵀ R``; what is missing has the mean and variance of its column."""
        X = to_float64(X)
        if len(arrays) == 3 or not any_missing(X):
            return super().start_statistics(X, R, arrays)
        X, gone = _filled(X, arrays)
        phi = with_products(whitened(X, *arrays[:2]))
        r = gone.shape[1]
        for a in range(r):
            # The place of z_a² among the products: rows of the triangle are r, r - 1, ... long.
            square = 1 + r + a * r - a * (a - 1) // 2
            phi[:, square] = phi[:, square] + gone[:, a]
        return cross_product(phi, R)

    def factors(
        self, parameters: MatrixParameters, frame: Whitening, log_weights: FloatArray
    ) -> tuple[FloatArray, ...]:
        """Return the coefficients, (p, J); with gaps, also what marginal densities need."""
        precision = parameters.precisions
        slopes = np.einsum("jab,jb->ja", precision, parameters.means)
        constant = (
            log_weights
            - 0.5 * np.sum(slopes * parameters.means, axis=1)
            - 0.5 * log_determinants(parameters.factors)
            - 0.5 * frame.rank * LOG_2PI
            - frame.log_volume
        )
        rows, columns = np.triu_indices(frame.rank)
        products = precision[:, rows, columns] * np.where(rows == columns, -0.5, -1.0)
        coefficients = np.vstack([constant, slopes.T, products.T])
        if not frame.gaps:
            return (coefficients,)
        means, precisions, log_dets = _along_features(parameters, frame)
        normalisers = 0.5 * LOG_2PI + np.log(frame.moments.scale[frame.columns])
        return coefficients, means, precisions, log_weights - 0.5 * log_dets, normalisers

    def start(self, record: FloatArray, frame: Whitening, prior: MatrixPrior) -> MatrixParameters:
        """Return means and covariances, held by as many more rows as a covariance needs."""
        extra = frame.rank + 2.0
        held = MatrixPrior(prior.count + extra, prior.scatter + extra * np.eye(frame.rank))
        return self.maximise(record, None, frame, held)

    def maximise(
        self,
        record: FloatArray,
        parameters: MatrixParameters | None,
        frame: Whitening,
        prior: MatrixPrior,
    ) -> MatrixParameters:
        """Return means and covariances ``(S_j + ν T) / (n_j + ν)``."""
        rank, counts = frame.rank, record[0]
        means, scatter = scatters_of(record, rank)
        # Without weight and without a prior nothing is known: take the total covariance.
        nothing = (counts + prior.count == 0)[:, None, None]
        held = (counts + prior.count)[:, None, None] + nothing
        covariances = (scatter + prior.scatter + nothing * np.eye(rank)) / held
        return MatrixParameters(means, cholesky_or_explain(covariances))


def _filled(X: Array, arrays: tuple[Array, ...]) -> tuple[Array, Array]:
    """Put the centre in place of what is missing; return also 1 where it is, (b, r)."""
    center, columns = arrays[0], arrays[3]
    gone = filled(X)[1]
    xp = namespace(X)
    return xp.where(gone > 0, center[None, :], X), take_features(gone, columns)


def _along_features(
    parameters: MatrixParameters, frame: Whitening
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return means, precisions and log determinants of the standardised features."""
    turn = frame.inverse[:, frame.columns] / frame.moments.scale[frame.columns]
    roots = np.swapaxes(turn, 0, 1) @ parameters.factors
    inverses = np.linalg.inv(roots)
    precisions = np.swapaxes(inverses, -1, -2) @ inverses
    return parameters.means @ turn, precisions, 2.0 * np.linalg.slogdet(roots)[1]
