"""Moments and spreads of each feature by class, in one pass, from labels that may be soft."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from labelief._typing import Array, FloatArray
from labelief.blocks.arrays import ArrayBlocks
from labelief.blocks.evidence import Evidence, Likelihoods
from labelief.blocks.source import Block, BlockSource
from labelief.kernels.class_moments import class_moments, row_shares, stored_class_moments
from labelief.kernels.labels import log_or_minus_infinity
from labelief.kernels.namespace import by_columns, is_sparse, namespace

__all__ = [
    "ClassMoments",
    "Spreads",
    "class_counts",
    "measure_class_moments",
    "measure_spreads",
]

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


@dataclass(frozen=True)
class Spreads:
    """How far apart the rows' ``z = (x - shift) · factor`` are, in all pairs and in like ones.

    Attributes
    ----------
    alike : (d,) array, ``½ Σ_ijk P_ik P_jk (z_i - z_j)²``
        Over pairs, by the shares that both have in one class.
    total : (d,) array, ``½ Σ_ij w_i w_j (z_i - z_j)²`` with ``w_i = Σ_k P_ik``
    factor : (d,) array
        What the features were multiplied by.
    """

    alike: FloatArray
    total: FloatArray
    factor: FloatArray


class _Sums(NamedTuple):
    counts: Array
    sums: Array
    squares: Array
    stored: Array | None


def class_counts(
    evidence: Evidence, n_rows: int, weights: FloatArray | None, n_classes: int
) -> FloatArray:
    """Return ``Pᵀ1``, (K,), from the labels alone: see :func:`measure_class_moments`."""
    blocks = ArrayBlocks(np.empty((n_rows, 0)), evidence, weights)
    with np.errstate(invalid="ignore"):
        counts: FloatArray = blocks.map_reduce(_counts, _as_given(n_classes), 2 * n_classes)
    return counts


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
    sums, factor, size = _measured(blocks, n_classes, None)
    squares = sums.squares
    with np.errstate(all="ignore"):
        spread = sums.counts.sum() * squares.sum(axis=0) - sums.sums.sum(axis=0) ** 2
    keep = _kept(spread, size, factor * sums.counts.sum())
    return ClassMoments(sums.counts, sums.sums * keep, squares * keep, factor)


def measure_spreads(blocks: BlockSource, counts: FloatArray) -> Spreads:
    """Measure the spreads of like pairs and of all, in one pass through the blocks.

    With ``n_k = Σ_i P_ik`` and ``s_i = Σ_k n_k P_ik``,

        alike = Σ_i s_i z_i² - Σ_k (Σ_i P_ik z_i)²,    total = n Σ_i w_i z_i² - (Σ_i w_i z_i)²

    so that two columns of squares do, however many classes there are; all else is as in
    :func:`measure_class_moments`.

    Parameters
    ----------
    blocks : BlockSource
        With evidence of labels (``Symbols`` or ``Dense``).
    counts : (K,) array
        The labels' :func:`class_counts`.
    """
    pooling = np.column_stack([counts, np.ones(len(counts))])
    sums, factor, size = _measured(blocks, len(counts), pooling)
    n = counts.sum()
    with np.errstate(all="ignore"):
        total = np.maximum(n * sums.squares[1] - sums.sums.sum(axis=0) ** 2, 0.0)
        alike = np.clip(sums.squares[0] - np.sum(sums.sums**2, axis=0), 0.0, total)
    keep = _kept(total, size, factor * n)
    return Spreads(alike * keep, total * keep, factor)


def _measured(
    blocks: BlockSource, n_classes: int, pooling: FloatArray | None
) -> tuple[_Sums, FloatArray, FloatArray]:
    """Return the sums, the factor of each feature, and the size of its values."""
    shift, factor, size = _provisional(blocks.sample(_SAMPLE)[0])
    width = blocks.n_columns + 2 * n_classes
    parameters = (_as_given(n_classes), pooling, shift, factor)
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        sums: _Sums = blocks.map_reduce(_moments, parameters, width)
        if blocks.sparse:
            sums = _with_zeros(sums, pooling, shift, factor)
    return sums, np.ones(blocks.n_columns) if factor is None else factor, size


def _as_given(n_classes: int) -> Likelihoods:
    """Return likelihoods that take labels at their word, the unknown as equal shares."""
    table = np.hstack([np.eye(n_classes), np.full((n_classes, 1), 1.0 / n_classes)])
    return Likelihoods(None, log_or_minus_infinity(table))


def _shares(block: Block, likelihoods: Likelihoods) -> Array:
    """Kernel: return P, (b, K)."""
    assert block.evidence is not None
    weights = block.evidence.weights(likelihoods)
    assert weights is not None
    return row_shares(weights, block.weights)


def _counts(block: Block, likelihoods: Likelihoods) -> Array:
    shares = _shares(block, likelihoods)
    return namespace(shares).sum(shares, axis=0)


def _moments(
    block: Block, parameters: tuple[Likelihoods, Array | None, Array | None, Array | None]
) -> _Sums:
    likelihoods, pooling, shift, factor = parameters
    shares = _shares(block, likelihoods)
    pooled = None if pooling is None else by_columns(shares @ pooling)
    counts = namespace(shares).sum(shares, axis=0)
    if is_sparse(block.X):
        present = np.ones(len(shares)) if block.weights is None else 1.0 * (block.weights > 0)
        shares = np.column_stack([shares, present])
        first, second, stored = stored_class_moments(block.X, shares, pooled, shift, factor)
        return _Sums(np.append(counts, present.sum()), first, second, stored)
    return _Sums(counts, *class_moments(block.X, shares, pooled, shift, factor), None)


def _with_zeros(
    sums: _Sums, pooling: FloatArray | None, shift: FloatArray | None, factor: FloatArray | None
) -> _Sums:
    """Add what zeros that are not stored contribute, all of them equal."""
    assert sums.stored is not None
    counts, stored = sums.counts[:-1], sums.stored[:-1]
    squares = sums.squares[:-1] if pooling is None else sums.squares
    if shift is None:
        return _Sums(counts, sums.sums[:-1], squares, None)
    # A column that is stored whole has none: differences of sums would leave rounding.
    whole = sums.stored[-1] == sums.counts[-1]
    rest = np.where(whole, 0.0, np.maximum(counts[:, None] - stored, 0.0))
    zero = -shift if factor is None else -shift * factor
    more = rest if pooling is None else pooling.T @ rest
    return _Sums(counts, sums.sums[:-1] + rest * zero, squares + more * zero**2, None)


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


def _kept(spread: FloatArray, size: FloatArray, factor: FloatArray) -> FloatArray:
    """Return 0 for features that are constant up to rounding: no sums of them are left; else 1."""
    with np.errstate(all="ignore"):
        return np.where(spread <= (_ROUNDING * size * factor) ** 2, 0.0, 1.0)
