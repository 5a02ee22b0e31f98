"""ML-RBF: radial basis functions around the prototypes of each label (Zhang 2009).

M.-L. Zhang: ML-RBF: RBF neural networks for multi-label learning.  Neural Processing Letters 29,
61-74, 2009.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import pdist
from sklearn.cluster import KMeans
from sklearn.metrics.pairwise import euclidean_distances

__all__ = ["MLRBF"]

Floats = NDArray[np.float64]


class MLRBF:
    """Multi-label classifier of two layers.

    The rows that have label l are clustered by k-means into ``fraction`` as many clusters (at least
    one); their centres, of all labels, are the prototypes c.  With the basis functions
    ``φ(x) = exp(-‖x - c‖² / 2 σ²)``, σ = ``scale`` times the mean distance of two prototypes, and a
    constant, label l is predicted where ``Σ_j w_jl φ_j(x) > 0``; the weights are the least-squares
    fit to +1 and -1.

    Parameters
    ----------
    fraction : float, default=0.01
    scale : float, default=1.0
        The defaults are those of the paper.
    random_state : int, default=0
        Of k-means.
    """

    def __init__(self, fraction: float = 0.01, scale: float = 1.0, random_state: int = 0) -> None:
        self.fraction = fraction
        self.scale = scale
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> MLRBF:
        """Fit to an (n, Q) matrix of 1 and 0."""
        rows, labels = np.asarray(X, dtype=np.float64), np.asarray(y)
        centres = [self._centres(rows[column == 1]) for column in labels.T if np.any(column == 1)]
        self.prototypes_ = np.vstack(centres) if centres else rows.mean(axis=0, keepdims=True)
        apart = pdist(self.prototypes_) if len(self.prototypes_) > 1 else np.zeros(1)
        self.width_ = self.scale * float(apart.mean()) or 1.0
        targets = np.where(labels == 1, 1.0, -1.0)
        self.weights_ = np.linalg.lstsq(self.basis(rows), targets, rcond=None)[0]
        return self

    def _centres(self, rows: Floats) -> Floats:
        clusters = max(1, round(self.fraction * len(rows)))
        means = KMeans(clusters, n_init=10, random_state=self.random_state).fit(rows)
        return np.asarray(means.cluster_centers_)

    def basis(self, X: Any) -> Floats:
        """Return the constant and the basis functions, (n, 1 + number of prototypes)."""
        squared = euclidean_distances(np.asarray(X, dtype=float), self.prototypes_, squared=True)
        radial = np.exp(-squared / (2.0 * self.width_**2))
        return np.hstack((np.ones((len(radial), 1)), radial))

    def decision_function(self, X: Any) -> Floats:
        """Return the outputs of the second layer, (n, Q)."""
        return np.asarray(self.basis(X) @ self.weights_)

    def predict(self, X: Any) -> NDArray[np.int64]:
        """Return 1 where an output is positive, else 0."""
        return (self.decision_function(X) > 0).astype(np.int64)
