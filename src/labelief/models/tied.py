"""One covariance for all components: linear discriminant analysis (quost2017 §3.2)."""

from __future__ import annotations

import numpy as np

from labelief._typing import Array, FloatArray
from labelief.blocks.frames import Whitening
from labelief.kernels.namespace import column_product, cross_product, namespace, to_float64
from labelief.models.gaussian import (
    LOG_2PI,
    MatrixGaussian,
    MatrixParameters,
    MatrixPrior,
    cholesky_or_explain,
    log_determinants,
    means_of,
)

__all__ = ["TiedGaussian"]


class TiedGaussian(MatrixGaussian):
    """Gaussian components with a common full covariance.

    ``log f_j(x) = μ_jᵀ Σ⁻¹ x - ½ μ_jᵀ Σ⁻¹ μ_j - ½ log|2πΣ| - ½ xᵀ Σ⁻¹ x``; the last term is common
    to all components, and its sum over the rows is the trace of Σ⁻¹ with the total second moment,
    so a pass costs O(n d J).  M-step: quost2017 eq. 17a-b, with
    ``Σ_ij r_ij (x_i - μ_j)(x_i - μ_j)ᵀ = Σ_i x_i x_iᵀ - Σ_j n_j μ_j μ_jᵀ``.

    Examples
    --------
    >>> from labelief import GenerativeClassifier
    >>> from labelief.densities import TiedGaussian
    >>> X = [[0.0, 1.0], [1.0, 0.0], [4.0, 5.0], [5.0, 4.0]]
    >>> GenerativeClassifier(TiedGaussian()).fit(X, ["a", "a", "b", "b"]).predict([[1.0, 1.0]])
    array(['a'], dtype='<U1')
    """

    tied = True

    def width(self, frame: Whitening, n_components: int) -> int:
        """Return how many doubles a pass holds for each row."""
        return 2 * frame.rank + 4 * n_components

    def features(self, X: Array, arrays: tuple[Array, ...]) -> Array:
        """Kernel: return ``x - shift``; ones and basis are folded into the coefficients."""
        X, shift = to_float64(X), arrays[2]
        return X if shift is None else X - shift

    def log_density(self, features: Array, factors: tuple[Array, ...]) -> Array:
        """Kernel: return ``φ·η``, (b, J), for ``φ = (1, x - shift)``."""
        coefficients = factors[0]
        return column_product(features, coefficients[1:, :]) + coefficients[0, :]

    def statistics(self, features: Array, R: Array, factors: tuple[Array, ...]) -> Array:
        """Kernel: return ``Φᵀ R``, (1 + d, J)."""
        xp = namespace(features)
        counts = xp.sum(R, axis=0)
        return xp.concat([counts[None, :], cross_product(features, R)], axis=0)

    def start_statistics(self, X: Array, R: Array, arrays: tuple[Array, ...]) -> Array:
        """Kernel: return ``Φᵀ R``, (1 + d, J)."""
        return self.statistics(self.features(X, arrays), R, ())

    def factors(
        self, parameters: MatrixParameters, frame: Whitening, log_weights: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the coefficients (1 + d, J); for the row term a factor (d, r) and the centre."""
        factor = parameters.factors[0]
        slopes = parameters.precisions[0] @ parameters.means.T
        constant = (
            log_weights
            - 0.5 * np.sum(slopes * parameters.means.T, axis=0)
            - 0.5 * log_determinants(factor)
            - 0.5 * frame.rank * LOG_2PI
            - frame.log_volume
        )
        slopes = frame.basis @ slopes
        center = _center(frame)
        root = (parameters.inverse_factors[0] @ frame.basis.T).T
        return np.vstack([constant - center @ slopes, slopes]), root, center @ root

    def row_term(
        self, features: Array, arrays: tuple[Array, ...], factors: tuple[Array, ...]
    ) -> Array:
        """Kernel: return ``-½ (x - m)ᵀ Σ⁻¹ (x - m)``."""
        whitened_rows = features @ factors[1] - factors[2]
        return -0.5 * namespace(features).sum(whitened_rows * whitened_rows, axis=1)

    def row_term_total(self, parameters: MatrixParameters, frame: Whitening) -> float:
        """Return ``-½ W tr Σ⁻¹``: the rows were whitened by their own total."""
        return float(-0.5 * frame.moments.weight * np.trace(parameters.precisions[0]))

    def start(self, record: FloatArray, frame: Whitening, prior: MatrixPrior) -> MatrixParameters:
        """Return means under the record and the total covariance: rows may be left out of it."""
        return MatrixParameters(_means(record, frame), np.eye(frame.rank)[None])

    def maximise(
        self,
        record: FloatArray,
        parameters: MatrixParameters | None,
        frame: Whitening,
        prior: MatrixPrior,
    ) -> MatrixParameters:
        """Return means and the common covariance ``(S + ν T) / (n + ν)``."""
        counts, means = record[0], _means(record, frame)
        weight = float(np.sum(counts))
        between = (means * counts[:, None]).T @ means
        scatter = weight * np.eye(frame.rank) - between + prior.scatter
        return MatrixParameters(means, cholesky_or_explain(scatter[None] / (weight + prior.count)))


def _means(record: FloatArray, frame: Whitening) -> FloatArray:
    sums = record[1:].T - record[0][:, None] * _center(frame)
    return means_of(record[0], sums @ frame.basis)


def _center(frame: Whitening) -> FloatArray:
    """Return the centre of the frame in the coordinates of the features, ``x - shift``."""
    return frame.moments.mean if frame.moments.shift is None else np.zeros_like(frame.moments.mean)
