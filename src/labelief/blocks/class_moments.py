"""Moments of each feature within each class, in one pass, from labels that may be soft."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from labelief._typing import Array, FloatArray
from labelief.blocks.evidence import Likelihoods
from labelief.blocks.source import Block, BlockSource
from labelief.kernels.class_moments import class_moments, row_shares, stored_class_moments
from labelief.kernels.labels import log_or_minus_infinity
from labelief.kernels.namespace import is_sparse, namespace

__all__ = ["ClassMoments", "measure_class_moments"]

# Rows whose mean is more standard deviations from 0 than this are shifted before products.
_FAR = 100.0
# Features of a spread outside these limits are scaled, so that squares stay finite and above 0.
_SMALL, _LARGE = 1e-60, 1e60
# Rows that give the provisional shift: its distance from the mean is at most sqrt(n / rows)
# standard deviations, so that sums of squares about it lose no more than n / rows in precision.
_SAMPLE = 64
# A standard deviation below this share of the mean is rounding.
_ROUNDING = 4e-16


@dataclass(frozen=True)
class ClassMoments:
    """Sums over rows i with shares ``P_ik`` of the classes, of ``z = (x - shift) · factor``.

    Attributes
    ----------
    counts : (K,) array, ``Σ_i P_ik``
    sums : (K, d) array, ``Σ_i P_ik z_i``
    squares : (K, d) array, ``Σ_i P_ik z_i²``
    factor : (d,) array
        What the features were multiplied by.
    """

    counts: FloatArray
    sums: FloatArray
    squares: FloatArray
    factor: FloatArray

    def within(self) -> FloatArray:
        """Return ``½ Σ_ij P_ik P_jk (z_i - z_j)²``, (K, d)."""
        spread = self.counts[:, None] * self.squares - self.sums**2
        return np.maximum(spread, 0.0)

    def total(self) -> FloatArray:
        """Return ``½ Σ_ij w_i w_j (z_i - z_j)²`` with ``w_i = Σ_k P_ik``, (d,)."""
        spread = self.counts.sum() * self.squares.sum(axis=0) - self.sums.sum(axis=0) ** 2
        return np.asarray(np.maximum(spread, 0.0))


class _Sums(NamedTuple):
    counts: Array
    sums: Array
    squares: Array
    stored: Array | None


def measure_class_moments(blocks: BlockSource, n_classes: int) -> ClassMoments:
    """Measure ``Pᵀ1``, ``PᵀZ`` and ``PᵀZ²`` in one pass through the blocks.

    ``P_ik`` is the row's weight, shared among classes in proportion to what its evidence gives
    them; a row of unknown class (code K) is shared equally.  Sums are taken about a provisional
    centre where a feature lies far from 0, in units of a provisional spread where these are
    extreme: one pass over dense X, two products of it with K columns.

    Parameters
    ----------
    blocks : BlockSource
        With evidence of labels (``Symbols`` or ``Dense``).
    n_classes : int

    Returns
    -------
    ClassMoments
        Not finite in columns of X that are not, or whose squares overflow.
    """
    shift, factor, location = _provisional(blocks.sample(_SAMPLE)[0])
    table = np.hstack([np.eye(n_classes), np.full((n_classes, 1), 1.0 / n_classes)])
    likelihoods = Likelihoods(None, log_or_minus_infinity(table))
    width = blocks.n_columns + 2 * n_classes
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        sums: _Sums = blocks.map_reduce(_moments, (likelihoods, shift, factor), width)
        if blocks.sparse:
            sums = _with_zeros(sums, shift, factor)
    scale = np.ones(blocks.n_columns) if factor is None else factor
    return _without_rounding(ClassMoments(sums.counts, sums.sums, sums.squares, scale), location)


def _moments(block: Block, parameters: tuple[Likelihoods, Array | None, Array | None]) -> _Sums:
    likelihoods, shift, factor = parameters
    assert block.evidence is not None
    weights = block.evidence.weights(likelihoods)
    assert weights is not None
    shares = row_shares(weights, block.weights)
    xp = namespace(block.X)
    counts = xp.sum(shares, axis=0)
    if is_sparse(block.X):
        present = np.ones(len(shares)) if block.weights is None else 1.0 * (block.weights > 0)
        shares = np.column_stack([shares, present])
        first, second, stored = stored_class_moments(block.X, shares, shift, factor)
        return _Sums(np.append(counts, present.sum()), first, second, stored)
    return _Sums(counts, *class_moments(block.X, shares, shift, factor), None)


def _with_zeros(sums: _Sums, shift: FloatArray | None, factor: FloatArray | None) -> _Sums:
    """Add what zeros that are not stored contribute, all of them equal."""
    assert sums.stored is not None
    counts, stored = sums.counts[:-1], sums.stored[:-1]
    if shift is None:
        return _Sums(counts, sums.sums[:-1], sums.squares[:-1], None)
    # A column that is stored whole has none: differences of sums would leave rounding.
    whole = sums.stored[-1] == sums.counts[-1]
    rest = np.where(whole, 0.0, np.maximum(counts[:, None] - stored, 0.0))
    zero = -shift if factor is None else -shift * factor
    return _Sums(counts, sums.sums[:-1] + rest * zero, sums.squares[:-1] + rest * zero**2, None)


def _provisional(
    rows: FloatArray,
) -> tuple[FloatArray | None, FloatArray | None, FloatArray]:
    """Return shift and factor, None where 0 and 1 will do, and the size of the values."""
    with np.errstate(all="ignore"):
        half = np.max(np.abs(rows / 2 - rows[0] / 2), axis=0)
        size = np.max(np.abs(rows), axis=0)
        spread = np.where(half > 0, half, size)
        unit = np.where(spread > 0, spread, 1.0)
        # About the first row, so that a constant column becomes exactly 0.
        z = rows / unit - rows[0] / unit
        offset = np.mean(z, axis=0)
        shift = rows[0] + offset * unit
        deviation = np.std(z, axis=0) * unit
    extreme = (unit < _SMALL) | (unit > _LARGE)
    factor = np.where(extreme, 1.0 / unit, 1.0) if np.any(extreme) else None
    far = (np.abs(shift) > _FAR * deviation) & (shift != 0)
    return (shift if np.any(far) else None), factor, size


def _without_rounding(moments: ClassMoments, size: FloatArray) -> ClassMoments:
    """Make features that are constant up to rounding constant: no sums of them are left."""
    with np.errstate(all="ignore"):
        noise = _ROUNDING * size * moments.factor * moments.counts.sum()
        constant = moments.total() <= noise**2
    if not np.any(constant):
        return moments
    keep = np.where(constant, 0.0, 1.0)
    return ClassMoments(moments.counts, moments.sums * keep, moments.squares * keep, moments.factor)
