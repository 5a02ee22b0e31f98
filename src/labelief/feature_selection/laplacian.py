"""The Laplacian score on a graph of neighbours (He et al. 2006), and its mixture with WLS."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array, triu
from sklearn.neighbors import kneighbors_graph

from labelief._typing import FloatArray, IntArray
from labelief.blocks.evidence import Dense
from labelief.estimators.validation import check_count, check_finite, read_weights
from labelief.feature_selection.reading import (
    LaplacianScore,
    Shares,
    host_rows,
    measure,
    read_features,
    read_shares,
)
from labelief.feature_selection.weighted_laplacian import Forms, label_forms, ratio
from labelief.kernels.namespace import is_sparse

__all__ = ["laplacian_score", "semi_supervised_laplacian_score"]

# Differences along edges that are held together.
_CELLS = 1 << 19


def laplacian_score(X: Any, n_neighbors: int = 5, scale: float = 1.0) -> FloatArray:
    r"""Score features by how smooth they are on a graph of neighbours; small is good.

    .. math:: L_r = \frac{\tilde f_r^T L \tilde f_r}{\tilde f_r^T D \tilde f_r}, \qquad
              S_{ij} = e^{-d(x_i, x_j)/t}

    over pairs one of which is among the k nearest neighbours of the other (doquire2012 eq. 1-2;
    He, Cai & Niyogi 2006, who square d), with ``D = diag(S 1)``, ``L = D - S`` and the feature's
    mean, weighted by D, removed.  No label is needed.

    Parameters
    ----------
    X : (n, d) array, CSR matrix, frame or list
        Distances are Euclidean: features should be of comparable scale.
    n_neighbors : int, default=5
        k, less than n.
    scale : float, default=1.0
        t, in the units of the distance.

    Returns
    -------
    (d,) array
        Scores between 0 and 2; infinite for a feature that is constant.

    Notes
    -----
    Beside the search for neighbours this costs O(n k d): ``fᵀ L f`` is the sum of
    ``S_ij (f_i - f_j)²`` over the edges, some of them at a time.

    Examples
    --------
    >>> import numpy as np
    >>> from labelief.feature_selection import laplacian_score
    >>> rng = np.random.default_rng(0)
    >>> X = np.column_stack([np.repeat([0.0, 5.0], 50), np.ones(100)])
    >>> X = np.column_stack([X + rng.normal(size=(100, 2)) * [0.3, 0.0], rng.normal(size=100)])
    >>> scores = laplacian_score(X)
    >>> np.argsort(scores)
    array([0, 2, 1])
    """
    return ratio(graph_forms(read_features(X), n_neighbors, scale))


def semi_supervised_laplacian_score(
    X: Any,
    y: Any,
    *,
    graph_share: float = 0.5,
    n_neighbors: int = 5,
    scale: float = 1.0,
    sample_weight: Any = None,
) -> FloatArray:
    r"""Score features by labels and by a graph of neighbours together; small is good.

    Both scores are ratios of two sums :math:`½\sum_{ij} W_{ij} (f_i - f_j)^2`: the weighted
    Laplacian score has W = S and 1 - S of the labels, over the rows whose label says something;
    the Laplacian score has the graph's S, and :math:`D_{ii} D_{jj} / \sum D` (which is
    :math:`\tilde f^T D \tilde f`).  The mixture has

    .. math:: W = (1 - λ) W^{labels} / N^2 + λ W^{graph} / \sum_{ij} S^{graph}_{ij}

    above and below, N being the weight of the labelled rows, so that either side's pairs weigh 1.
    λ = 0 is :func:`weighted_laplacian_score` of the labelled rows, λ = 1 is
    :func:`laplacian_score`.  (Zhao, Lu & He 2008 join labels and neighbours in one graph too; this
    form takes soft labels and keeps both limits.)

    Parameters
    ----------
    X : (n, d) array, CSR matrix, frame or list
    y : labels
        As for :func:`weighted_laplacian_score`; None and NaN stand for rows without a label.
    graph_share : float, default=0.5
        λ, from 0 (labels only) to 1 (neighbours only).
    n_neighbors : int, default=5
    scale : float, default=1.0
        As for :func:`laplacian_score`.
    sample_weight : (n,) array-like, default=None
        Weights of the rows in the part of the labels; those of weight 0 are left out of it.

    Returns
    -------
    (d,) array
        Scores; infinite for a feature that is constant.

    Examples
    --------
    >>> import numpy as np
    >>> from labelief.feature_selection import semi_supervised_laplacian_score
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 2))
    >>> X[:30, 1] += 6.0
    >>> y = [1] * 3 + [None] * 54 + [0] * 3
    >>> np.argsort(semi_supervised_laplacian_score(X, y))
    array([1, 0])
    """
    rows = read_features(X)
    shares = read_shares(y, rows.shape[0])
    weights = read_weights(sample_weight, rows)
    return mixed_scores(rows, shares, weights, graph_share, n_neighbors, scale)


def mixed_scores(
    X: Any,
    shares: Shares,
    weights: FloatArray | None,
    graph_share: float,
    n_neighbors: int,
    scale: float,
) -> FloatArray:
    """Return the mixture of the two scores."""
    if not isinstance(graph_share, int | float) or not 0.0 <= graph_share <= 1.0:
        raise ValueError(f"graph_share must be between 0 and 1, got {graph_share!r}.")
    if graph_share == 1.0:
        return ratio(graph_forms(X, n_neighbors, scale))
    told = shares.telling().astype(np.float64)
    told = told if weights is None else told * weights
    if not np.any(told > 0):
        raise ValueError("No label says anything: give some labels, or use laplacian_score.")
    labels = label_forms(X, shares, told)
    if graph_share == 0.0:
        return ratio(labels)
    graph = graph_forms(X, n_neighbors, scale)
    one, other = (1.0 - graph_share) / labels.weight, graph_share / graph.weight
    return ratio(
        Forms(
            one * labels.alike + other * graph.alike,
            one * labels.unlike + other * graph.unlike,
            1.0,
        )
    )


def graph_forms(X: Any, n_neighbors: int, scale: float) -> Forms:
    """Return the quadratic forms of doquire2012 eq. 2: ``fᵀ L f`` and ``f̃ᵀ D f̃``."""
    check_count("n_neighbors", n_neighbors)
    if not isinstance(scale, int | float) or not 0.0 < scale < np.inf:
        raise ValueError(f"scale must be a number above 0, got {scale!r}.")
    rows = host_rows(X)
    check_finite(rows, LaplacianScore.__name__)
    n = rows.shape[0]
    if n_neighbors >= n:
        raise ValueError(
            f"n_neighbors is {n_neighbors}, but {n} rows have {n - 1} neighbours at most each."
        )
    graph = neighbour_graph(rows, n_neighbors, scale)
    degrees = np.asarray(graph.sum(axis=1), dtype=np.float64).ravel()
    volume = float(degrees.sum())
    if not volume > 0:
        raise ValueError(
            f"exp(-distance / scale) is 0 between all neighbours: scale={scale} is too small for "
            "these features."
        )
    spreads = measure(rows, Dense(np.ones((n, 1))), degrees, np.array([volume]))
    spread = spreads.total / volume
    smooth = np.where(spread > 0, _edge_sums(rows, graph, spreads.factor), 0.0)
    return Forms(smooth, spread, volume)


def neighbour_graph(X: Any, n_neighbors: int, scale: float) -> csr_array:
    """Return the symmetric graph of eq. 1, (n, n) with at most 2 n k entries."""
    graph = csr_array(kneighbors_graph(X, n_neighbors, mode="distance"))
    with np.errstate(under="ignore"):
        graph.data = np.exp(-graph.data / scale)
    return csr_array(graph.maximum(graph.T))


def _edge_sums(X: Any, graph: csr_array, factor: FloatArray) -> FloatArray:
    """Return ``Σ_{i<j} S_ij (f_i - f_j)²``, positive terms only, (d,)."""
    edges = triu(graph, k=1, format="coo")
    one: IntArray = edges.row
    other: IntArray = edges.col
    out = np.zeros(X.shape[1])
    step = max(1, _CELLS // max(1, X.shape[1]))
    for start in range(0, len(one), step):
        part = slice(start, start + step)
        if is_sparse(X):
            step_apart = X[one[part]].astype(np.float64) - X[other[part]].astype(np.float64)
            step_apart = step_apart.multiply(factor).tocsr()
            out += step_apart.power(2).T @ edges.data[part]
        else:
            step_apart = X[one[part]].astype(np.float64) - X[other[part]].astype(np.float64)
            step_apart *= factor
            out += edges.data[part] @ (step_apart * step_apart)
    return out
