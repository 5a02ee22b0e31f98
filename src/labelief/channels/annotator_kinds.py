"""Forms of the annotators' matrices: one each, one accuracy each, one for all."""

from __future__ import annotations

import numpy as np

from labelief._typing import FloatArray, IntArray
from labelief.channels.annotator_matrices import AnnotatorMatrices
from labelief.channels.confusion import (
    from_logits,
    logit_gradient,
    near_identity,
    row_shares,
)
from labelief.channels.pooling import log_affinity, pooled, shrunk

__all__ = ["BoundAnnotators", "FullMatrices", "OneCoin", "SharedMatrix"]


class FullMatrices(AnnotatorMatrices):
    """A matrix for each annotator."""

    def maximise(self, counts: FloatArray, parameters: FloatArray) -> FloatArray:
        """Return ``γ_a(s | k) ∝ Σ_i ζ_ik V_i,as + prior count + τ M(s | k)``."""
        total = self.symbols.plain_counts(counts, parameters) + self.pseudo_counts
        if self.pooling == 0 or not len(total):
            return row_shares(total)
        out = np.empty_like(total)
        rows, center = shrunk(total[self.active], self.pooling, self.pooled(parameters))
        out[self.active], out[~self.active] = rows, center
        return out

    def log_prior(self, parameters: FloatArray) -> float:
        """Return ``Σ_aks b_ks log γ_a(s | k)`` and, with pooling, the log affinity of the rows."""
        if self.pooling == 0:
            return float(np.sum(self.pseudo_counts * np.log(parameters)))
        voters = parameters[self.active]
        if not len(voters):
            return 0.0
        own = float(np.sum(self.pseudo_counts * np.log(voters)))
        return own + self.pooling * len(voters) * log_affinity(voters)

    def gradient(self, counts: FloatArray, parameters: FloatArray) -> FloatArray:
        """Return the gradient in logits."""
        total = self.symbols.plain_counts(counts, parameters) + self.pseudo_counts
        if self.pooling > 0:
            total = (total + self.pooling * self.pooled(parameters)) * self.active[:, None, None]
        return logit_gradient(total, parameters).ravel()

    def to_vector(self, parameters: FloatArray) -> FloatArray:
        """Return logits."""
        return np.log(parameters).ravel()

    def from_vector(self, vector: FloatArray) -> FloatArray:
        """Return the matrices of logits."""
        return self._filled(from_logits(vector.reshape(self.shape)))

    def n_parameters(self) -> int:
        """Return A K (S - 1), of the A annotators who voted."""
        return int(np.sum(self.active)) * self.shape[1] * (self.shape[2] - 1)


class OneCoin(AnnotatorMatrices):
    """An accuracy for each annotator, errors spread evenly over the other answers."""

    def start(self) -> FloatArray:
        """Return the accuracies of an earlier fit, or matrices near the identity."""
        right = np.mean(np.diagonal(super().start(), axis1=1, axis2=2), axis=1)
        return self._matrices(np.stack([right, 1.0 - right], axis=1)[:, None])

    def _chances(self, matrices: FloatArray) -> FloatArray:
        """Return the chances to be right and wrong, (A, 1, 2)."""
        right = matrices[:, 0, 0]
        return np.stack([right, 1.0 - right], axis=1)[:, None]

    def _matrices(self, chances: FloatArray) -> FloatArray:
        """Return the matrices of chances to be right and wrong."""
        right = np.clip(chances[:, 0, 0], 1e-12, 1.0 - 1e-12)[:, None, None]
        same = np.eye(*self.shape[1:])
        return np.asarray(same * right + (1.0 - same) * ((1.0 - right) / (self.shape[2] - 1)))

    def _sums(self, counts: FloatArray, parameters: FloatArray) -> FloatArray:
        """Return counts of right and wrong answers, prior counts included, (A, 1, 2)."""
        total = self.symbols.plain_counts(counts, parameters) + self.pseudo_counts
        right = np.trace(total, axis1=1, axis2=2)
        return np.stack([right, np.sum(total, axis=(1, 2)) - right], axis=1)[:, None]

    def maximise(self, counts: FloatArray, parameters: FloatArray) -> FloatArray:
        """Return the matrices whose accuracy is the share of right answers, pooled."""
        total = self._sums(counts, parameters)
        if self.pooling == 0 or not len(total):
            return self._matrices(row_shares(total))
        out = np.empty_like(total)
        center = pooled(self._chances(parameters)[self.active])
        out[self.active], out[~self.active] = shrunk(total[self.active], self.pooling, center)
        return self._matrices(out)

    def pooled(self, parameters: FloatArray) -> FloatArray:
        """Return the matrix of the pooled accuracy."""
        if not len(parameters):
            return near_identity(*self.shape[1:])
        return np.asarray(self._matrices(pooled(self._chances(parameters)[self.active])[None])[0])

    def log_prior(self, parameters: FloatArray) -> float:
        """Return ``Σ_aks b_ks log γ_a(s | k)`` and the log affinity of the accuracies."""
        if self.pooling == 0:
            return float(np.sum(self.pseudo_counts * np.log(parameters)))
        voters = parameters[self.active]
        if not len(voters):
            return 0.0
        own = float(np.sum(self.pseudo_counts * np.log(voters)))
        return own + self.pooling * len(voters) * log_affinity(self._chances(voters))

    def gradient(self, counts: FloatArray, parameters: FloatArray) -> FloatArray:
        """Return the gradient in the logits of the accuracies."""
        total, chances = self._sums(counts, parameters), self._chances(parameters)
        if self.pooling > 0:
            total = total + self.pooling * pooled(chances[self.active])
            total = total * self.active[:, None, None]
        return np.asarray(logit_gradient(total, chances)[:, 0, 0])

    def to_vector(self, parameters: FloatArray) -> FloatArray:
        """Return the logits of the accuracies."""
        right = parameters[:, 0, 0]
        return np.asarray(np.log(right) - np.log1p(-right))

    def from_vector(self, vector: FloatArray) -> FloatArray:
        """Return the matrices of logits of accuracies."""
        right = 1.0 / (1.0 + np.exp(-np.clip(vector, -600, 30)))
        chances = np.stack([right, 1.0 - right], axis=1)[:, None]
        matrices = self._matrices(chances)
        if self.pooling > 0 and len(matrices):
            matrices[~self.active] = self.pooled(matrices)
        return matrices

    def renamed(self, parameters: FloatArray, names: IntArray) -> FloatArray:
        """Return matrices that are right as often as under the new names."""
        moved = super().renamed(parameters, names)
        right = np.mean(np.diagonal(moved, axis1=1, axis2=2), axis=1)
        return self._matrices(np.stack([right, 1.0 - right], axis=1)[:, None])

    def n_parameters(self) -> int:
        """Return the number of annotators who voted."""
        return int(np.sum(self.active))


class SharedMatrix(AnnotatorMatrices):
    """One matrix for all annotators."""

    def _all(self, matrix: FloatArray) -> FloatArray:
        return np.broadcast_to(matrix, self.shape).copy()

    def _one(self, parameters: FloatArray) -> FloatArray:
        return np.asarray(parameters[0]) if len(parameters) else near_identity(*self.shape[1:])

    def start(self) -> FloatArray:
        """Return the average of the matrices of an earlier fit, or one near the identity."""
        start = super().start()
        return self._all(np.mean(start, axis=0)) if len(start) else start

    def _total(self, counts: FloatArray, parameters: FloatArray) -> FloatArray:
        return np.asarray(
            np.sum(self.symbols.plain_counts(counts, parameters), axis=0) + self.pseudo_counts
        )

    def maximise(self, counts: FloatArray, parameters: FloatArray) -> FloatArray:
        """Return ``γ(s | k) ∝ Σ_a Σ_i ζ_ik V_i,as + prior count``."""
        return self._all(row_shares(self._total(counts, parameters)))

    def pooled(self, parameters: FloatArray) -> FloatArray:
        """Return the matrix."""
        return self._one(parameters)

    def log_prior(self, parameters: FloatArray) -> float:
        """Return ``Σ_ks b_ks log γ(s | k)``."""
        return float(np.sum(self.pseudo_counts * np.log(self._one(parameters))))

    def gradient(self, counts: FloatArray, parameters: FloatArray) -> FloatArray:
        """Return the gradient in logits of the one matrix."""
        total = self._total(counts, parameters)
        return logit_gradient(total, self._one(parameters)).ravel()

    def to_vector(self, parameters: FloatArray) -> FloatArray:
        """Return logits of the one matrix."""
        return np.log(self._one(parameters)).ravel()

    def from_vector(self, vector: FloatArray) -> FloatArray:
        """Return the matrix of logits, for all."""
        return self._all(from_logits(vector.reshape(self.shape[1:])))

    def n_parameters(self) -> int:
        """Return K (S - 1)."""
        return self.shape[1] * (self.shape[2] - 1)


BoundAnnotators = FullMatrices | OneCoin | SharedMatrix
