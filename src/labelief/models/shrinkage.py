"""How strongly covariances are held: a fixed conjugate prior, chosen once before the first step.

With S_j the weighted scatter of component j, the prior ``-½ ν (log|Σ| + tr Σ⁻¹ T)`` gives
``Σ_j = (S_j + ν T) / (n_j + ν)`` and never changes during a fit, so EM still climbs.  Two such
priors add up: the *ridge* pulls towards the total covariance, the *shrinkage* towards the diagonal
of total variances times t (methods.md §2).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from labelief._typing import Array, FloatArray
from labelief.blocks.frames import Axes, Whitening
from labelief.blocks.source import Block, BlockSource
from labelief.kernels.gaps import filled
from labelief.kernels.namespace import namespace, to_float64

__all__ = ["Strength", "prior_strength"]


@dataclass(frozen=True)
class Strength:
    """Pseudo-counts of the two priors on one covariance.

    Attributes
    ----------
    total : float
        ν of the target "total covariance".
    diagonal : float
        ν of the target "t · diagonal of the total variances".
    ratio : float
        t, the mean ratio of within to total variance under the first responsibilities.
    """

    total: float
    diagonal: float = 0.0
    ratio: float = 1.0

    @property
    def count(self) -> float:
        """Pseudo-counts of both."""
        return self.total + self.diagonal


class _Spread(NamedTuple):
    count: Array
    first: Array
    second: Array
    fourth: Array


def _spread(
    responsibilities: Callable[[Block, Any], Array],
    gaps: bool,
    block: Block,
    parameters: tuple[Any, ...],
) -> _Spread:
    """Sum up for means, scatters and fourth moments of the standardised features, per component."""
    start, center, inverse_scale = parameters
    xp = namespace(block.X)
    R = responsibilities(block, start)
    u = (to_float64(block.X) - center) * inverse_scale
    if gaps:
        # A missing feature counts as at the mean of its column.
        u = filled(u)[0]
    norm = xp.sum(u * u, axis=1)
    second = xp.stack([(u * R[:, j : j + 1]).T @ u for j in range(R.shape[1])])
    powers = xp.stack([xp.ones_like(norm), norm, norm * norm], axis=1)
    # Fourth moments about any centre follow from Σ r ‖u‖⁴, Σ r ‖u‖² u and the sums below.
    return _Spread(
        xp.sum(R, axis=0),
        R.T @ u,
        second,
        xp.concat([R.T @ powers, R.T @ (u * norm[:, None])], axis=1),
    )


def prior_strength(
    blocks: BlockSource,
    frame: Whitening | Axes,
    responsibilities: Callable[[Block, Any], Array],
    start: Any,
    *,
    ridge: float,
    shrinkage: float | str | None,
    n_classes: int,
    tied: bool,
) -> Strength:
    """Return the strength of the fixed priors under the first responsibilities.

    Parameters
    ----------
    blocks : BlockSource
    frame : Whitening or Axes
    responsibilities : callable
        Kernel giving the first responsibilities of a block from `start`.
    start : nested tuples of arrays
    ridge : float
        ν of the ridge is ``ridge · n``.
    shrinkage : float in [0, 1), "auto" or None
        ν of the shrinkage is ``s m / (1 - s)`` with m = n for a tied covariance, n / K for others.
        "auto" takes s from Ledoit and Wolf (2004), Lemma 3.2-3.3, on standardised residuals.
    n_classes : int
    tied : bool
    """
    moments = frame.moments
    total = ridge * blocks.total_weight
    if shrinkage is None or shrinkage == 0:
        return Strength(total)
    scale = np.where(moments.scale > 0, moments.scale, np.inf)
    sums = blocks.map_reduce(
        partial(_spread, responsibilities, blocks.gaps),
        (start, moments.mean, 1.0 / scale),
        width=8 * blocks.n_columns,
    )
    within, dispersion = _residual_moments(sums)
    varying = max(int(np.count_nonzero(moments.scale)), 1)
    weight = float(np.sum(sums.count))
    pooled = np.einsum("j,jab->ab", sums.count, within) / weight
    ratio = float(np.trace(pooled)) / varying
    if shrinkage == "auto":
        if tied:
            groups = [(pooled, float(sums.count @ dispersion) / weight, weight)]
        else:
            # Two rows lie evenly about their mean: they seem to know their covariance exactly.
            groups = [(within[j], dispersion[j], n) for j, n in enumerate(sums.count) if n > 2]
        s = _ledoit_wolf(groups, varying)
    else:
        s = float(shrinkage)
    share = weight if tied else weight / n_classes
    return Strength(total, s * share / (1.0 - s), max(ratio, 1e-12))


def _residual_moments(sums: _Spread) -> tuple[FloatArray, FloatArray]:
    """Return each component's covariance and mean fourth power of its residuals' norm."""
    n = np.where(sums.count > 0, sums.count, 1.0)
    mean = sums.first / n[:, None]
    second = sums.second / n[:, None, None]
    covariance = second - mean[:, :, None] * mean[:, None, :]
    squared = np.sum(mean * mean, axis=1)
    norm2, norm4 = sums.fourth[:, 1] / n, sums.fourth[:, 2] / n
    norm2_u = sums.fourth[:, 3:] / n[:, None]
    # E‖u - m‖⁴ = E(‖u‖² - 2 m·u + ‖m‖²)².
    fourth = (
        norm4
        + 4.0 * np.einsum("ja,jab,jb->j", mean, second, mean)
        + squared**2
        - 4.0 * np.einsum("ja,ja->j", mean, norm2_u)
        + 2.0 * squared * norm2
        - 4.0 * squared**2
    )
    return covariance, np.maximum(fourth, 0.0)


def _ledoit_wolf(groups: list[tuple[FloatArray, float, float]], d: int) -> float:
    """Return the shrinkage ``Σ β² / Σ δ²`` over groups of (covariance, E‖u‖⁴, count)."""
    excess = distance = 0.0
    for covariance, fourth, count in groups:
        norm = float(np.sum(covariance**2))
        delta = norm - float(np.trace(covariance)) ** 2 / d
        distance += delta
        excess += min(max((fourth - norm) / count, 0.0), delta)
    if distance <= 0:
        return 0.99
    return float(min(excess / distance, 0.99))
