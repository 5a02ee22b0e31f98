"""Rank-SVM: a support vector machine that ranks the labels of a row (Elisseeff & Weston 2002).

A. Elisseeff, J. Weston: A kernel method for multi-labelled classification.  Advances in Neural
Information Processing Systems 14, 681-687, 2002.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import normalize

__all__ = ["RankSVM", "polynomial"]

Floats = NDArray[np.float64]
Kernel = Callable[[Floats, Floats], Floats]


def polynomial(degree: int) -> Kernel:
    """Return ``((1 + cos(x, z)) / 2)^degree``: polynomial, of rows scaled to length 1."""

    def kernel(A: Floats, B: Floats) -> Floats:
        return np.asarray(((1.0 + normalize(A) @ normalize(B).T) / 2.0) ** degree)

    return kernel


class _Pairs(NamedTuple):
    """A label that a row has and one that it has not, and the most that its multiplier may be."""

    row: NDArray[np.int64]
    has: NDArray[np.int64]
    has_not: NDArray[np.int64]
    most: Floats


class RankSVM:
    """Multi-label classifier that ranks a row's labels above those that it has not.

    Minimises ``½ Σ_k ‖w_k‖² + C Σ_i 1/(|Y_i| |Ȳ_i|) Σ_{k ∈ Y_i, l ∉ Y_i} (1 - f_k(x_i) +
    f_l(x_i))₊`` with ``f_k(x) = w_k · φ(x)``, by accelerated projected gradients in the dual until
    the gap between the two is below ``tol`` times the primal.  Labels whose score is above a
    threshold are predicted; the threshold is a linear function of the scores, fitted by least
    squares to those that separate each training row best (§3 of the paper).

    Differs from the paper: no biases apart from the constant that a polynomial kernel contains, so
    that the dual has a box for its constraint and needs no linear programs.

    Parameters
    ----------
    C : float, default=1.0
    kernel : callable, default=polynomial(8)
        ``kernel(A, B)`` gives the (len(A), len(B)) matrix.  Degree 8 is the best of the paper.
    tol : float, default=1e-2
    max_iter : int, default=3000
    """

    def __init__(
        self,
        C: float = 1.0,
        kernel: Kernel | None = None,
        tol: float = 1e-2,
        max_iter: int = 3000,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X: Any, y: Any) -> RankSVM:
        """Fit to an (n, Q) matrix of 1 and 0; a row of equal labels bears on the threshold only."""
        self._kernel = polynomial(8) if self.kernel is None else self.kernel
        self._rows = np.asarray(X, dtype=np.float64)
        labels = np.asarray(y) == 1
        gram = self._kernel(self._rows, self._rows)
        self.coefficients_ = self._maximise(gram, self._pairs(labels), labels.shape)
        scores = gram @ self.coefficients_
        design = np.hstack((scores, np.ones((len(scores), 1))))
        self._threshold = np.linalg.lstsq(design, best_thresholds(scores, labels), rcond=None)[0]
        return self

    def _pairs(self, labels: NDArray[np.bool_]) -> _Pairs:
        row, has, has_not = np.nonzero(labels[:, :, None] & ~labels[:, None, :])
        counts = labels.sum(axis=1) * (~labels).sum(axis=1)
        return _Pairs(row, has, has_not, self.C / counts[row])

    def _maximise(self, gram: Floats, pairs: _Pairs, shape: tuple[int, int]) -> Floats:
        """Return β, (n, Q), with ``f = gram β``: the sums of the multipliers, signed."""
        n, Q = shape
        places = np.concatenate((pairs.row * Q + pairs.has, pairs.row * Q + pairs.has_not))

        def signed_sums(multipliers: Floats) -> Floats:
            both = np.concatenate((multipliers, -multipliers))
            return np.bincount(places, both, minlength=n * Q).reshape(n, Q).astype(np.float64)

        # The Laplacian of a complete bipartite graph of Q labels has no eigenvalue above Q.
        step = 1.0 / (Q * float(np.linalg.eigvalsh(gram)[-1]))
        old = ahead = np.zeros(len(pairs.row))
        momentum = 1.0
        self.gap_ = np.inf
        for iteration in range(self.max_iter):
            self.n_iter_ = iteration + 1
            beta = signed_sums(ahead)
            scores = gram @ beta
            slack = 1.0 - scores[pairs.row, pairs.has] + scores[pairs.row, pairs.has_not]
            if iteration % 10 == 0:
                norm = 0.5 * float(np.sum(beta * scores))
                primal = norm + float(pairs.most @ np.maximum(slack, 0.0))
                inside = np.clip(ahead, 0.0, pairs.most)
                dual = _dual(inside, signed_sums(inside), gram)
                self.gap_ = (primal - dual) / max(primal, 1e-300)
                if self.gap_ < self.tol:
                    break
            new = np.clip(ahead + step * slack, 0.0, pairs.most)
            if float((ahead - new) @ (new - old)) > 0:  # uphill no longer: start the momentum anew
                momentum = 1.0
            following = (1.0 + np.sqrt(1.0 + 4.0 * momentum**2)) / 2.0
            ahead = new + (momentum - 1.0) / following * (new - old)
            old, momentum = new, following
        return signed_sums(np.clip(ahead, 0.0, pairs.most))

    def decision_function(self, X: Any) -> Floats:
        """Return the scores less the threshold, (n, Q)."""
        scores = self._kernel(np.asarray(X, dtype=float), self._rows) @ self.coefficients_
        return np.asarray(scores - (scores @ self._threshold[:-1] + self._threshold[-1])[:, None])

    def predict(self, X: Any) -> NDArray[np.int64]:
        """Return 1 where a score is above the threshold, else 0."""
        return (self.decision_function(X) > 0).astype(np.int64)


def _dual(multipliers: Floats, beta: Floats, gram: Floats) -> float:
    return float(multipliers.sum() - 0.5 * np.sum(beta * (gram @ beta)))


def best_thresholds(scores: Floats, labels: NDArray[np.bool_]) -> Floats:
    """Return, for each row, the threshold with the fewest labels on the wrong side, (n,).

    It is the middle of the first interval between two scores where that is so; the ends are one
    below the least score and one above the greatest.
    """
    order = np.argsort(scores, axis=1)
    ranked = np.take_along_axis(scores, order, axis=1)
    inside = np.take_along_axis(labels, order, axis=1)
    zero = np.zeros((len(scores), 1))
    # labels that would be missed, and labels that would be wrong, with so many scores below
    below: Floats = np.hstack((zero, np.cumsum(inside, axis=1)))
    above: Floats = np.hstack((np.cumsum((~inside)[:, ::-1], axis=1)[:, ::-1], zero))
    ends: Floats = np.hstack((ranked[:, :1] - 1.0, ranked, ranked[:, -1:] + 1.0))
    middles = np.mean([ends[:, :-1], ends[:, 1:]], axis=0)
    best = np.argmin(below + above, axis=1)
    return np.asarray(middles[np.arange(len(scores)), best])
