"""Weighted mean, scale and correlation of the features: what standardises every later pass."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from labelief._typing import Array, FloatArray
from labelief.blocks.source import Block, BlockSource
from labelief.kernels.gaps import filled
from labelief.kernels.namespace import namespace, to_float64, to_host

__all__ = ["Moments", "measure_moments"]

# One pass is enough unless the sampled rows mislead; from 1e-290 to 1e150 it takes six.
_ATTEMPTS = 8
# Rows whose mean is more standard deviations from 0 than this are centred before products.
_FAR = 100.0


@dataclass(frozen=True)
class Moments:
    """Moments of the features over the rows of a fit.

    Attributes
    ----------
    weight : float
        Sum of the row weights.
    mean : (d,) array
    scale : (d,) array
        Standard deviation (divisor: the weight); 0 for a column that is constant up to rounding.
    correlation : (d, d) array or None
        Second moment of ``(x - mean) / scale``, rows and columns of constant features zero; None
        where only the diagonal was asked for.
    """

    weight: float
    mean: FloatArray
    scale: FloatArray
    correlation: FloatArray | None

    @property
    def shift(self) -> FloatArray | None:
        """What rows are taken about before products with them; None where 0 will do.

        Means of few standard deviations cancel harmlessly in the sums, and a copy of each block is
        saved.
        """
        unit = np.where(self.scale > 0, self.scale, 1.0)
        return self.mean if np.any(np.abs(self.mean) > _FAR * unit) else None


class _Sums(NamedTuple):
    weight: Any
    first: Array
    second: Array


class _GapSums(NamedTuple):
    weight: Any
    observed: Array
    first: Array
    second: Array


def _sums(
    transform: Callable[[Array], Array], block: Block, parameters: tuple[Array, Array, Array]
) -> _Sums:
    shift, inverse_scale, full = parameters
    xp = namespace(block.X)
    z = (transform(to_float64(block.X)) - shift) * inverse_scale
    weighted = z if block.weights is None else z * block.weights[:, None]
    weight = z.shape[0] if block.weights is None else xp.sum(block.weights)
    second = weighted.T @ z if full.shape[0] else xp.sum(weighted * z, axis=0)
    return _Sums(weight, xp.sum(weighted, axis=0), second)


def _gap_sums(
    transform: Callable[[Array], Array], block: Block, parameters: tuple[Array, Array, Array]
) -> _GapSums:
    """Sum over what was observed of each feature."""
    shift, inverse_scale, _ = parameters
    z = (transform(to_float64(block.X)) - shift) * inverse_scale
    z, gone = filled(z)
    xp = namespace(z)
    here = 1.0 - gone
    if block.weights is not None:
        here = here * block.weights[:, None]
    weight = z.shape[0] if block.weights is None else xp.sum(block.weights)
    weighted = here * z
    return _GapSums(
        weight, xp.sum(here, axis=0), xp.sum(weighted, axis=0), xp.sum(weighted * z, axis=0)
    )


def unchanged(X: Array) -> Array:
    """Return X: the features are measured as they are."""
    return X


def measure_moments(
    blocks: BlockSource, *, full: bool, transform: Callable[[Array], Array] = unchanged
) -> Moments:
    """Measure the weighted moments of dense rows, without cancellation or overflow.

    Sums are taken about a provisional centre and scale (from a thousand rows).  If these turn out
    to be far from the truth, the pass is repeated with better ones.  Where features are missing,
    each column's moments are over the rows that have it, and there are no products; a column that
    no row has is constant at 0.

    Parameters
    ----------
    blocks : BlockSource
    full : bool
        Whether to measure all products or the squares only.
    transform : callable, default=unchanged
        An element-wise function of the features to measure instead of them.
    """
    gaps = blocks.gaps
    rows, _, _ = blocks.sample(1000)
    shift, spread = _centre_and_spread(_observed(to_host(transform(rows)), gaps=gaps))
    width = 4 * blocks.n_columns
    full = full and not gaps
    flag = np.ones(int(full))
    kernel = partial(_gap_sums if gaps else _sums, transform)
    mean, scale, second = shift, spread, np.empty(0)
    for attempt in range(_ATTEMPTS):
        with np.errstate(all="ignore"):
            sums = blocks.map_reduce(kernel, (shift, 1.0 / spread, flag), width)
            weight = np.where(sums.observed > 0, sums.observed, 1.0) if gaps else sums.weight
            offset = sums.first / weight
            second = sums.second / weight
            second = second - (np.outer(offset, offset) if full else offset * offset)
        variance = np.diagonal(second) if full else second
        if not np.all(np.isfinite(variance)):
            spread = np.where(np.isfinite(variance), spread, spread * 1e75)
            continue
        deviation = np.sqrt(np.maximum(variance, 0.0))
        mean = shift + offset * spread
        # What rounding leaves of a constant column: of z² about an offset, and of x about its mean.
        noise = np.maximum(1e-13 * (1.0 + np.abs(offset)), 4e-16 * np.abs(mean) / spread)
        scale = np.where(deviation > noise, deviation, 0.0) * spread
        close = np.all((np.abs(offset) <= 1e3 * deviation) | (scale == 0))
        if close or attempt == _ATTEMPTS - 1:
            break
        shift, spread = mean, np.where(scale > 0, scale, spread)
    correlation = None
    if full:
        # The mean is rounded to the features' precision: moments are about what it was rounded to.
        rest = (shift - mean) / spread + offset
        safe = np.where(scale > 0, scale, np.inf)
        correlation = (second + np.outer(rest, rest)) * np.outer(spread / safe, spread / safe)
    return Moments(float(sums.weight), mean, scale, correlation)


def _observed(rows: FloatArray, *, gaps: bool) -> FloatArray:
    """Put the first value of its column in place of what is missing, 0 where there is none."""
    if not gaps:
        return rows
    gone = np.isnan(rows)
    first = rows[np.argmin(gone, axis=0), np.arange(rows.shape[1])]
    return np.where(gone, np.where(np.isnan(first), 0.0, first), rows)


def _centre_and_spread(rows: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return a provisional centre and a positive scale of each column."""
    center = rows[0]
    half = np.max(np.abs(rows / 2 - center / 2), axis=0)
    spread = np.where(half > 0, half, np.maximum(np.abs(center), 1e-290))
    center = center + np.mean(rows - center, axis=0) if np.all(half < 1e300) else center
    return center, spread
