"""Labels that were flipped: a learned matrix γ(observed | true), the same for all rows."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, clone

from labelief._typing import FloatArray, IntArray
from labelief.blocks.evidence import Evidence, Likelihoods
from labelief.channels.confusion import (
    best_names,
    from_logits,
    logit_gradient,
    near_identity,
    pseudo_counts,
    row_shares,
    warn_of_doubtful_names,
)
from labelief.channels.contract import BoundChannel
from labelief.channels.trusted import BoundTrust, symbol_table

__all__ = ["FixedFlips", "FlipNoise", "FullFlips", "SymmetricFlips"]


class FixedFlips(BoundTrust):
    """A flipping matrix that is known."""

    transparent = False

    def __init__(self, matrix: FloatArray) -> None:
        super().__init__(len(matrix))
        self.matrix = matrix

    def likelihoods(self, parameters: None) -> Likelihoods:
        """Return the matrix."""
        return Likelihoods(self.matrix, symbol_table(self.matrix))

    def first_look(self) -> Likelihoods:
        """Return the identity: a start takes the labels at their word."""
        return Likelihoods(None, symbol_table(np.eye(self.n_classes)))


class _LearnedFlips:
    """What learned flipping matrices share; parameters are a (K, K) array, rows = true class."""

    learned = True
    transparent = False

    def __init__(self, n_classes: int, start: FloatArray | None = None) -> None:
        self.n_classes = n_classes
        self.pseudo_counts = pseudo_counts(n_classes, n_classes)
        self._start = start

    def aligned(self, evidence: Evidence) -> Evidence:
        """Return the evidence: its symbols are the classes."""
        return evidence

    def reading(self, evidence: Evidence) -> Self:
        """Return the channel: its symbols are the classes."""
        return self

    def start(self) -> FloatArray:
        """Return the matrix of an earlier fit, or one near the identity."""
        if self._start is not None:
            return self._start.copy()
        return near_identity(self.n_classes, self.n_classes)

    def first_look(self) -> Likelihoods:
        """Return the identity: a start takes the labels at their word."""
        return Likelihoods(None, symbol_table(np.eye(self.n_classes)))

    def likelihoods(self, parameters: FloatArray) -> Likelihoods:
        """Return the matrix and its logarithms."""
        return Likelihoods(parameters, symbol_table(parameters))

    def log_prior(self, parameters: FloatArray) -> float:
        """Return ``Σ_kj a_kj log γ(j | k)``."""
        return float(np.sum(self.pseudo_counts * np.log(parameters)))

    def naming(self, counts: FloatArray, sizes: IntArray) -> IntArray | None:
        """Assign names that maximise ``Σ_k n_k γ(k | k)`` (methods.md §1)."""
        return best_names(counts, sizes)

    def renamed(self, parameters: FloatArray, names: IntArray) -> FloatArray:
        """Return the matrix with latent class k called ``names[k]``."""
        out = np.empty_like(parameters)
        out[names] = parameters
        return out


class FullFlips(_LearnedFlips):
    """Any matrix: K (K - 1) flip rates (liu2022 eq. 2, 13)."""

    def maximise(self, counts: FloatArray, parameters: FloatArray) -> FloatArray:
        """Return ``γ(j | k) ∝ Σ_i ζ_ik share_ik(j) + a_kj``."""
        return row_shares(counts + self.pseudo_counts)

    def gradient(self, counts: FloatArray, parameters: FloatArray) -> FloatArray:
        """Return the gradient in logits: counts minus their expectation."""
        return logit_gradient(counts + self.pseudo_counts, parameters).ravel()

    def to_vector(self, parameters: FloatArray) -> FloatArray:
        """Return logits."""
        return np.log(parameters).ravel()

    def from_vector(self, vector: FloatArray) -> FloatArray:
        """Return the matrix of logits."""
        return from_logits(vector.reshape(self.n_classes, self.n_classes))

    def n_parameters(self) -> int:
        """Return K (K - 1)."""
        return self.n_classes * (self.n_classes - 1)


class SymmetricFlips(_LearnedFlips):
    """One rate ε, spread evenly over the other classes (methods.md §1)."""

    def start(self) -> FloatArray:
        """Return the matrix of an earlier fit, made symmetric, or one near the identity."""
        return _symmetric(self.n_classes, 1.0 - float(np.mean(np.diagonal(super().start()))))

    def _sums(self, counts: FloatArray) -> tuple[float, float]:
        total = counts + self.pseudo_counts
        right = float(np.trace(total))
        return right, float(np.sum(total)) - right

    def maximise(self, counts: FloatArray, parameters: FloatArray) -> FloatArray:
        """Return the matrix with ``ε = Σ_ik ζ_ik [1 - share_ik(k)] / n``, prior counts included."""
        right, wrong = self._sums(counts)
        return _symmetric(self.n_classes, wrong / (right + wrong))

    def gradient(self, counts: FloatArray, parameters: FloatArray) -> FloatArray:
        """Return the gradient in the logit of ε."""
        right, wrong = self._sums(counts)
        return np.array([wrong - (right + wrong) * _rate(parameters)])

    def to_vector(self, parameters: FloatArray) -> FloatArray:
        """Return the logit of ε."""
        rate = _rate(parameters)
        return np.array([np.log(rate) - np.log1p(-rate)])

    def from_vector(self, vector: FloatArray) -> FloatArray:
        """Return the matrix of a logit."""
        return _symmetric(
            self.n_classes, float(1.0 / (1.0 + np.exp(-np.clip(vector[0], -600, 30))))
        )

    def renamed(self, parameters: FloatArray, names: IntArray) -> FloatArray:
        """Return the matrix whose labels are right as often as under the new names."""
        right = np.diagonal(super().renamed(parameters, names))
        return _symmetric(self.n_classes, 1.0 - float(np.mean(right)))

    def naming(self, counts: FloatArray, sizes: IntArray) -> IntArray | None:
        """Assign names as for any matrix."""
        return super().naming(counts, sizes)

    def n_parameters(self) -> int:
        """Return 1."""
        return 1


class FlipNoise(BaseEstimator):
    """Observed labels passed through a flipping matrix before anybody saw them (liu2022 §2).

    ``pl_i(k) = Σ_j pl_i^obs(j) γ(j | k)``; the matrix is learned with the classifier, from a start
    near the identity and under a Dirichlet prior (1 pseudo-count on the diagonal, 0.1 elsewhere).
    Verified rows of :class:`SoftLabels` bypass it.

    Parameters
    ----------
    kind : {"full", "symmetric"}, default="full"
        A rate for each pair of classes, or one rate for all.
    matrix : (K, K) array, default=None
        A known matrix, ``matrix[k, j] = Pr(observed j | true k)``, in the order of ``classes_``;
        nothing is learned then.

    Attributes
    ----------
    matrix_ : (K, K) array
        On the fitted ``channel_``: rows = true class, columns = observed class.

    Notes
    -----
    A fitted channel may be the ``channel`` of another fit over the same classes, which then starts
    from its matrix.  ``sklearn.base.clone``, and so cross-validation, start afresh.

    Examples
    --------
    >>> import numpy as np
    >>> from labelief import FlipNoise, LinearDiscriminantAnalysis
    >>> rng = np.random.default_rng(0)
    >>> truth = np.repeat([0, 1], 200)
    >>> X = rng.normal(size=(400, 2)) + 4.0 * truth[:, None]
    >>> seen = np.where(rng.random(400) < 0.2, 1 - truth, truth)
    >>> model = LinearDiscriminantAnalysis(channel=FlipNoise("symmetric")).fit(X, seen)
    >>> bool(abs(model.channel_.matrix_[0, 1] - 0.2) < 0.05)
    True
    """

    form = "labels"

    def __init__(self, kind: str = "full", matrix: Any = None) -> None:
        self.kind = kind
        self.matrix = matrix

    def bind(self, n_classes: int, evidence: Evidence) -> BoundChannel:
        """Return the part that a fit works with."""
        if self.matrix is not None:
            return FixedFlips(_checked_matrix(self.matrix, n_classes))
        if self.kind not in ("full", "symmetric"):
            raise ValueError(f"kind must be 'full' or 'symmetric', got {self.kind!r}.")
        if n_classes == 1:
            return FixedFlips(np.ones((1, 1)))
        form = FullFlips if self.kind == "full" else SymmetricFlips
        learned = getattr(self, "matrix_", None)
        known = learned is not None and learned.shape == (n_classes, n_classes)
        return form(n_classes, learned if known else None)

    def fitted(self, bound: BoundChannel, parameters: FloatArray | None) -> FlipNoise:
        """Return a copy that carries ``matrix_``."""
        copy: FlipNoise = clone(self)
        likelihoods = bound.likelihoods(parameters)
        copy.matrix_ = np.array(likelihoods.matrix)
        if bound.learned:
            warn_of_doubtful_names(copy.matrix_, "The learned flipping matrix")
        return copy


def _symmetric(n_classes: int, rate: float) -> FloatArray:
    rate = float(np.clip(rate, 1e-12, 1.0 - 1e-12))
    out = np.full((n_classes, n_classes), rate / (n_classes - 1))
    np.fill_diagonal(out, 1.0 - rate)
    return out


def _rate(matrix: FloatArray) -> float:
    return float(1.0 - matrix[0, 0])


def _checked_matrix(matrix: Any, n_classes: int) -> FloatArray:
    checked = np.array(matrix, dtype=np.float64)
    if checked.shape != (n_classes, n_classes):
        raise ValueError(
            f"matrix must be {n_classes} x {n_classes}, true classes by observed classes; "
            f"got shape {checked.shape}."
        )
    if not np.all(np.isfinite(checked)) or np.any(checked < 0):
        raise ValueError("matrix must hold probabilities: finite numbers of 0 or more.")
    off = np.abs(np.sum(checked, axis=1) - 1.0) > 1e-6
    if np.any(off):
        raise ValueError(
            f"Row {int(np.argmax(off))} of matrix does not sum to 1: it must give the "
            "probabilities of the observed classes for that true class."
        )
    return np.asarray(checked / np.sum(checked, axis=1, keepdims=True))
