"""Coordinates of linear scores in which the likelihood is about as curved in every direction.

Scores are ``η_j(x) = a_j + (x - m)ᵀ b_j``.  At ``a = b = 0`` the soft-max likelihood of J classes
has the curvature ``W Σ / J + λ I`` in each b_j, with W the rows' weight, Σ their covariance and λ
the penalty.  Coordinates u with ``b = basis · u`` have the curvature W there, for any scale of the
features, so gradient steps, quasi-Newton steps and stop rules are well scaled.

Nothing but speed depends on how well Σ is known, so it is measured on a sample where rows are many.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import diags_array

from labelief._typing import Array, FloatArray
from labelief.blocks.arrays import ArrayBlocks
from labelief.blocks.moments import Moments, measure_moments
from labelief.blocks.source import Block, BlockSource
from labelief.kernels.namespace import namespace, to_float64

__all__ = ["Conditioning", "condition"]

# Rows that the covariance is measured on, at least, and the doubles that they may fill.
_ROWS_PER_COLUMN, _DOUBLES = 200, 4_000_000
# With more columns the axes alone are scaled: a dense factor would cost more than it saves.
_MOST_COLUMNS = 512
# Directions that share less than this of the largest curvature are rounding and are cut; the scale
# of those that share less than the other is held: they may be mostly rounding.
_CUT, _FLOOR = 1e-13, 1e-10
# A sample that finds a direction less curved than this says little about it.
_DOUBTFUL = 1e-6


@dataclass(frozen=True)
class Conditioning:
    """Centre, scale and well-conditioned coordinates of linear scores.

    Attributes
    ----------
    center, scale : (d,) arrays
        Mean and standard deviation, about; scale is 1 for a constant column.
    shift : (d,) array or None
        What is subtracted from each row, where the centre is not simply folded into the intercept.
    basis : (d, r) array, or (d,) where it is diagonal
        ``b = basis u``.
    inverse : (r, d) array, or (d,)
        ``u = inverse b``.
    spread : float
        ``a = spread · u_0``: the same for the intercepts.
    """

    center: FloatArray
    scale: FloatArray
    shift: FloatArray | None
    basis: FloatArray
    inverse: FloatArray
    spread: float

    @property
    def offset(self) -> FloatArray:
        """The part of the centre that the intercepts take up."""
        return self.center if self.shift is None else self.center - self.shift

    @property
    def rank(self) -> int:
        """Number of coordinates of each score, without the intercept."""
        return int(self.basis.shape[-1])

    def slopes(self, u: FloatArray) -> FloatArray:
        """Return ``basis u``, (d, c)."""
        return _times(self.basis, u)

    def coordinates(self, b: FloatArray) -> FloatArray:
        """Return u, (r, c)."""
        return _times(self.inverse, b)

    def pulled(self, gradient: FloatArray) -> FloatArray:
        """Return a gradient in b, (d, c), as one in u, (r, c)."""
        return _times(self.basis.T, gradient)

    def design(self) -> FloatArray:
        """Return T, (1 + d, 1 + r): ``η = (1, (x - shift) / scale)ᵀ T u``."""
        d, r = len(self.center), self.rank
        basis = np.diag(self.basis) if self.basis.ndim == 1 else self.basis
        out = np.zeros((1 + d, 1 + r))
        out[0, 0] = self.spread
        out[0, 1:] = -self.offset @ basis
        out[1:, 1:] = self.scale[:, None] * basis
        return out


def _times(basis: FloatArray, u: FloatArray) -> FloatArray:
    return np.asarray(basis[:, None] * u if basis.ndim == 1 else basis @ u)


def condition(blocks: BlockSource, penalty: float, n_components: int) -> Conditioning:
    """Measure the rows and return coordinates for J linear scores.

    Parameters
    ----------
    blocks : BlockSource
    penalty : float
        λ in ``λ/2 Σ_j ‖b_j‖²``.
    n_components : int
        J.
    """
    sparse = blocks.sparse
    full = not sparse and blocks.n_columns <= _MOST_COLUMNS
    moments = _sparse_moments(blocks) if sparse else _sampled_moments(blocks, full=full)
    varies = moments.scale > 0
    scale = np.where(varies, moments.scale, 1.0)
    # Per row: what the data and the penalty contribute along each axis.  A constant column keeps
    # the slope 0, which is the best: the intercept does its work.
    root = np.hypot(scale / np.sqrt(n_components), np.sqrt(penalty / blocks.total_weight))
    basis, inverse = varies / root, varies * root
    if moments.correlation is not None:
        unit = scale * basis / np.sqrt(n_components)
        basis, inverse = _decorrelated(unit[:, None] * moments.correlation * unit, basis, inverse)
    shift = None if sparse else moments.shift
    return Conditioning(moments.mean, scale, shift, basis, inverse, float(np.sqrt(n_components)))


def _decorrelated(
    curved: FloatArray, basis: FloatArray, inverse: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Turn axes of unit curvature, penalty included, to those that do not interact."""
    alive = np.flatnonzero(basis)
    curved = curved[np.ix_(alive, alive)]
    np.fill_diagonal(curved, 1.0)
    values, turn = np.linalg.eigh(curved)
    kept = values > _CUT * np.max(values, initial=0.0)
    size = np.sqrt(np.maximum(values[kept], _FLOOR * np.max(values, initial=0.0)))
    vectors = np.zeros((len(basis), len(size)))
    vectors[alive] = turn[:, kept]
    return basis[:, None] * vectors / size, size[:, None] * vectors.T * inverse


def _sampled_moments(blocks: BlockSource, *, full: bool) -> Moments:
    """Measure dense rows: a sample of them where it is large enough and no column is rare."""
    d = blocks.n_columns
    rows = min(_ROWS_PER_COLUMN * d, _DOUBLES // d)
    if full and 4 * rows < blocks.n_rows and rows >= 20 * d:
        X, _, weights = blocks.sample(rows)
        moments = measure_moments(ArrayBlocks(X, None, weights), full=True)
        assert moments.correlation is not None
        known = bool(np.all(moments.scale > 0))
        if known and np.linalg.eigvalsh(moments.correlation)[0] > _DOUBTFUL:
            return moments
    return measure_moments(blocks, full=full)


def _sparse_moments(blocks: BlockSource) -> Moments:
    """Measure CSR rows: first their mean size, so that no square overflows, then their moments."""
    width = blocks.n_columns
    size = blocks.map_reduce(_sizes, (), width) / blocks.total_weight
    unit = np.where(size > 0, size, 1.0)
    first, second = blocks.map_reduce(_powers, (1.0 / unit,), width) / blocks.total_weight
    variance = second - first**2
    scale = np.where(variance > 1e-13 * second, np.sqrt(np.maximum(variance, 0.0)), 0.0)
    return Moments(blocks.total_weight, first * unit, scale * unit, None)


def _sizes(block: Block, parameters: tuple[()]) -> Array:
    """Kernel: return ``Σ_i w_i |x_i|``, (d,)."""
    return _row_weights(block) @ abs(to_float64(block.X))


def _powers(block: Block, parameters: tuple[Array]) -> Array:
    """Kernel: return ``Σ_i w_i z_i`` and ``Σ_i w_i z_i²`` of scaled rows, (2, d)."""
    X, weights = to_float64(block.X), _row_weights(block)
    scaled = X @ diags_array(parameters[0])
    return np.stack([weights @ scaled, weights @ scaled.power(2)])


def _row_weights(block: Any) -> Array:
    xp = namespace(block.X)
    return xp.ones(block.X.shape[0]) if block.weights is None else block.weights
