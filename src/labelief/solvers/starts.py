"""Where a fit starts: responsibilities made from labels, from clusters, or given by the user.

A start never puts the means of classes that labels cannot tell apart on one point: that is a fixed
point of EM.  The automatic start is deterministic, so that a weight of 2 equals a row twice.
Missing features, where the density takes them, lie at the mean of their column here.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from labelief._typing import Array, BoolArray, FloatArray, IntArray
from labelief.blocks.evidence import Likelihoods
from labelief.blocks.source import Block, BlockSource
from labelief.kernels.namespace import column_product, namespace, to_host
from labelief.kernels.posterior import posterior, spread
from labelief.models.contract import Density

__all__ = ["Start", "given_start", "make_start"]

# Rows that a start looks at to place its centres.
_SAMPLE = 20_000
# How sharply rows follow the nearest of the clusters, in units of the features' total variance.
_SHARPNESS = 5.0
# Rows whose principal variances are this much alike have no principal axis.
_ROUND = 0.9
# Principal variances closer than this share tie.
_TIED = 1e-6
# Labels that tell two classes apart by less than this are no start for them.
_TELLING = 0.01


@dataclass(frozen=True)
class Start:
    """First responsibilities, as a kernel.

    Attributes
    ----------
    kernel : callable
        ``kernel(block, parameters) -> (b, J)``, row weights included.
    parameters : nested tuples of arrays
    """

    kernel: Callable[[Block, Any], Array]
    parameters: Any


def given_start() -> Start:
    """Return the start that the user supplied with the rows."""
    return Start(_given, ())


def make_start(
    blocks: BlockSource,
    density: Density,
    frame: Any,
    look: Likelihoods,
    component_class: IntArray,
    n_classes: int,
    *,
    init: str,
    generator: np.random.Generator,
) -> Start:
    """Choose first responsibilities.

    Parameters
    ----------
    blocks : BlockSource
    density : Density
    frame : record of the density
    look : Likelihoods
        How the labels are read before anything is learned.
    component_class : (J,) integer array
    n_classes : int
    init : {"auto", "labels", "kmeans", "random"}
        "auto" takes the labels where they tell the classes apart, else clusters matched to classes;
        components within a class start from a deterministic split.  "labels" insists on labels,
        "kmeans" seeds clusters by k-means++, "random" takes random rows as centres.
    generator : numpy.random.Generator
    """
    rows, evidence, weights = blocks.sample(_SAMPLE)
    assert evidence is not None
    z = np.asarray(density.coordinates(rows, frame.arrays))
    classes = to_host(posterior(evidence.log_weights(look))[1])
    told = weights[:, None] * to_host(evidence.told(look))
    named = np.sum(weights[:, None] * classes, axis=0) > 0
    silent = _untold(told, named)
    sizes = np.bincount(component_class, minlength=n_classes)
    by_labels = n_classes == 1 or not np.any(silent)
    if init == "labels" and not by_labels:
        raise ValueError(
            f"The labels say too little of class {int(np.argmax(silent))} (in the order of "
            "classes_) to start from: use init='auto' or 'kmeans'."
        )
    if init == "kmeans":
        split = partial(_seeded, generator=generator)
    else:
        known = np.where(np.isnan(rows), 0.0, rows) if blocks.gaps else rows
        split = partial(_deterministic, key=_tie_key(known))
    if init == "random":
        centers = _random_rows(z, weights[:, None] * classes[:, component_class], generator)
        kernel = _nearest_of_all
    elif by_labels:
        kernel = _nearest_in_class
        if len(component_class) == n_classes:
            centers = np.zeros((n_classes, z.shape[1]))
        else:
            centers = np.empty((len(component_class), z.shape[1]))
            for k in range(n_classes):
                centers[component_class == k] = split(z, told[:, k], int(sizes[k]))
    else:
        centers = _matched(
            split(z, weights, len(component_class)), z, weights[:, None] * classes, component_class
        )
        kernel = _nearest_of_all
    parameters = (frame.arrays, centers, look, component_class)
    return Start(partial(kernel, density.coordinates), parameters)


def _untold(told: FloatArray, named: BoolArray) -> BoolArray:
    """Return which of the named classes labels do not tell from every other, (K,).

    Classes whose shares are proportional over all rows would start from equal means, a fixed point.
    With p_k the shares of class k divided by their sum, two classes are told apart by the total
    variation ``½ Σ_i |p_ik - p_il|``: 1 for crisp labels.
    """
    counts = np.sum(told, axis=0)
    shares = told / np.where(counts > 0, counts, 1.0)
    # 1 - Σ_i √(p_ik p_il), one product, is never more than the total variation.
    roots = np.sqrt(shares)
    close = 1.0 - roots.T @ roots < _TELLING
    untold: BoolArray = named & (counts == 0)
    for k in np.flatnonzero(counts > 0):
        rivals = np.flatnonzero(close[k] & (counts > 0) & ~(untold & untold[k]))
        rivals = rivals[rivals != k]
        if len(rivals):
            apart = 0.5 * np.sum(np.abs(shares[:, rivals] - shares[:, [k]]), axis=0)
            alike = rivals[apart < _TELLING]
            untold[alike] = True
            untold[k] |= len(alike) > 0
    return untold


def _given(block: Block, parameters: Any) -> Array:
    assert block.responsibilities is not None
    return _weighted(block, block.responsibilities)


def _nearest_in_class(
    coordinates: Callable[[Array, Any], Array], block: Block, parameters: Any
) -> Array:
    """Share a row between classes by its label; within a class, give it to the nearest centre."""
    arrays, centers, look, component_class = parameters
    assert block.evidence is not None
    classes = block.evidence.told(look)
    xp = namespace(classes)
    n_classes = classes.shape[1]
    if centers.shape[0] == n_classes:
        return _weighted(block, classes)
    distance = _distances(coordinates(block.X, arrays), centers)
    same = component_class[:, None] == component_class[None, :]
    # A component is chosen where no other of its class is nearer, or as near and earlier.
    columns = []
    for j in range(centers.shape[0]):
        rivals = xp.where(same[j, :][None, :], distance, xp.full_like(distance, xp.inf))
        columns.append(xp.argmin(rivals, axis=1) == j)
    chosen = xp.astype(xp.stack(columns, axis=1), xp.float64)
    return _weighted(block, spread(classes, component_class) * chosen)


def _nearest_of_all(
    coordinates: Callable[[Array, Any], Array], block: Block, parameters: Any
) -> Array:
    """Give a row to the nearest centre among the classes that its label allows."""
    arrays, centers, look, component_class = parameters
    assert block.evidence is not None
    distance = _distances(coordinates(block.X, arrays), centers)
    log_weights = spread(block.evidence.log_weights(look), component_class)
    return _weighted(block, posterior(log_weights - _SHARPNESS * distance)[1])


def _distances(z: Array, centers: Array) -> Array:
    """Return squared distances but for ``‖z‖²``, (b, J)."""
    xp = namespace(z)
    return xp.sum(centers * centers, axis=1)[None, :] - 2.0 * column_product(z, centers.T)


def _weighted(block: Block, responsibilities: Array) -> Array:
    if block.weights is None:
        return responsibilities
    return responsibilities * block.weights[:, None]


def _deterministic(
    z: FloatArray, weights: FloatArray, n_clusters: int, key: FloatArray
) -> FloatArray:
    """Place centres by splitting the widest cluster along its principal axis, then k-means."""
    z, weights, key = (a[weights > 0] for a in (z, weights, key))
    if n_clusters == 1 or len(z) == 0 or z.shape[1] == 0:
        return _mean(z, weights, n_clusters)
    member = np.zeros(len(z), dtype=np.int64)
    widest = [_widest(z, weights, key)]
    for new in range(1, n_clusters):
        parent = int(np.argmax([spread_ for spread_, _ in widest]))
        inside = member == parent
        center = np.average(z[inside], axis=0, weights=weights[inside])
        side = (z - center) @ widest[parent][1] > 0
        member[inside & side] = new
        for cluster in (parent, new):
            part = member == cluster
            found = _widest(z[part], weights[part], key[part])
            widest[cluster : cluster + 1] = [found]
    centers = np.vstack([_mean(z[member == j], weights[member == j], 1) for j in range(n_clusters)])
    return _lloyd(z, weights, n_clusters, init=centers)


def _seeded(
    z: FloatArray, weights: FloatArray, n_clusters: int, generator: np.random.Generator
) -> FloatArray:
    """Place centres by k-means from k-means++ seeds."""
    z, weights = z[weights > 0], weights[weights > 0]
    if n_clusters == 1 or len(z) < n_clusters or z.shape[1] == 0:
        return _mean(z, weights, n_clusters)
    seed = int(generator.integers(2**31))
    return _lloyd(z, weights, n_clusters, init="k-means++", random_state=seed)


def _random_rows(z: FloatArray, weights: FloatArray, generator: np.random.Generator) -> FloatArray:
    """Place each component's centre on a random row, (J, r), by its column of weights, (m, J).

    No two on one point while there are others: equal means are a fixed point.
    """
    centers = np.zeros((weights.shape[1], z.shape[1]))
    taken = np.zeros(len(z), dtype=np.bool_)
    for j, column in enumerate(weights.T):
        free = np.where(taken, 0.0, column)
        chances = free if np.sum(free) > 0 else column
        if np.sum(chances) > 0:
            centers[j] = z[generator.choice(len(z), p=chances / np.sum(chances))]
            taken |= np.all(z == centers[j], axis=1)
    return centers


def _lloyd(z: FloatArray, weights: FloatArray, n_clusters: int, **settings: Any) -> FloatArray:
    if len(z) < n_clusters:
        return np.asarray(settings["init"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        means = KMeans(n_clusters, n_init=1, max_iter=50, tol=1e-3, **settings)
        return np.asarray(means.fit(z, sample_weight=weights).cluster_centers_)


def _mean(z: FloatArray, weights: FloatArray, n_clusters: int) -> FloatArray:
    if len(z) == 0 or np.sum(weights) <= 0:
        return np.zeros((n_clusters, z.shape[1]))
    return np.tile(np.average(z, axis=0, weights=weights), (n_clusters, 1))


def _widest(z: FloatArray, weights: FloatArray, key: FloatArray) -> tuple[float, FloatArray]:
    """Return the weighted spread along the axis to split, and the axis.

    It is the principal axis; where rows spread alike in all directions, as whitened rows do, it is
    the axis of the flattest tails, the last eigenvector of ``Σ_i w_i ‖z_i‖² z_i z_iᵀ`` (Cardoso
    1989): two groups apart are flatter than one.  Both turn with the rows, and skewness fixes the
    sign, so that the split does not depend on coordinates.  Among directions that tie, as where
    whitened rows are all equally far apart, the axis along which `key` rises most is taken.
    """
    if len(z) < 2:
        return -1.0, np.zeros(z.shape[1])
    centered = z - np.average(z, axis=0, weights=weights)
    lean = (weights * (key - np.average(key, weights=weights))) @ centered
    values, vectors = np.linalg.eigh((centered * weights[:, None]).T @ centered)
    spread_ = float(values[-1])
    if values[0] > _ROUND * values[-1]:
        tails = weights * np.sum(centered**2, axis=1)
        values, vectors = np.linalg.eigh(-(centered * tails[:, None]).T @ centered)
    ties = vectors[:, values[-1] - values <= _TIED * np.max(np.abs(values))]
    pull = ties.T @ lean
    length = float(np.linalg.norm(pull))
    axis = ties @ pull / length if ties.shape[1] > 1 and length > 0 else vectors[:, -1]
    along = centered @ axis
    skewness = float(weights @ along**3)
    if abs(skewness) <= _TIED * float(weights @ np.abs(along) ** 3):
        skewness = float(lean @ axis)
    return spread_, axis if skewness >= 0 else -axis


def _tie_key(rows: FloatArray) -> FloatArray:
    """Return the sum of each row's features in units of their largest: some order for ties."""
    largest = np.max(np.abs(rows), axis=0)
    return np.asarray(np.sum(rows / np.where(largest > 0, largest, 1.0), axis=1))


def _matched(
    centers: FloatArray, z: FloatArray, mass: FloatArray, component_class: IntArray
) -> FloatArray:
    """Order clusters so that the plausibility mass of their rows fits the components' classes."""
    nearest = np.argmin(np.asarray(_distances(z, centers)), axis=1)
    fit = np.zeros((len(centers), mass.shape[1]))
    np.add.at(fit, nearest, mass)
    clusters, slots = linear_sum_assignment(fit[:, component_class], maximize=True)
    out = np.empty_like(centers)
    out[slots] = centers[clusters]
    return out
