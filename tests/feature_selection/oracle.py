"""Scores by their definitions, with n × n matrices."""

from __future__ import annotations

import numpy as np
from sklearn.metrics import pairwise_distances


def quadratic(S, F):
    """``fᵀ L f`` of each column of F, L being the Laplacian of S."""
    L = np.diag(S.sum(axis=1)) - S
    return np.einsum("ir,ij,jr->r", F, L, F)


def weighted_laplacian(X, P):
    """doquire2012 eq. 3-5."""
    S = P @ P.T
    F = X - X.mean(axis=0)
    return quadratic(S, F) / quadratic(1.0 - S, F)


def similarity(X, k, scale):
    """doquire2012 eq. 1."""
    distances = pairwise_distances(X)
    np.fill_diagonal(distances, np.inf)
    nearest = np.argsort(distances, axis=1)[:, :k]
    near = np.zeros(distances.shape, dtype=bool)
    np.put_along_axis(near, nearest, True, axis=1)
    return np.where(near | near.T, np.exp(-distances / scale), 0.0)


def laplacian(X, k, scale):
    """doquire2012 eq. 2."""
    S = similarity(X, k, scale)
    D = S.sum(axis=1)
    F = X - D @ X / D.sum()
    return quadratic(S, F) / np.einsum("i,ir->r", D, F**2)
