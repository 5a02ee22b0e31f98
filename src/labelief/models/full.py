"""A covariance of its own for each component: quadratic discriminant analysis, mixtures."""

from __future__ import annotations

import numpy as np

from labelief._typing import Array, FloatArray
from labelief.blocks.frames import Whitening
from labelief.kernels.features import whitened, with_products
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

    def width(self, rank: int, n_components: int) -> int:
        """Return how many doubles a pass holds for each row."""
        return 1 + 3 * rank + rank * (rank + 1) // 2 + 4 * n_components

    def features(self, X: Array, arrays: tuple[Array, ...]) -> Array:
        """Kernel: return ``(1, z, z_a z_b)`` of the whitened rows."""
        return with_products(whitened(X, *arrays[:2]))

    def factors(
        self, parameters: MatrixParameters, frame: Whitening, log_weights: FloatArray
    ) -> tuple[FloatArray]:
        """Return the coefficients, (p, J)."""
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
        return (np.vstack([constant, slopes.T, products.T]),)

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
