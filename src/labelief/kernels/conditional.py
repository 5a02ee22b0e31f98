"""Gaussian rows with missing features: marginal densities, and what is expected of the rest.

Incomplete rows are sorted by which features they miss, and cut into tiles of rows that miss the
same ones, so that all algebra is batched products: with Λ = Σ⁻¹, y the deviation of a row from μ
with 0 in place of what is missing, E the rows of I that pick what is missing, and g = Λ y,

    B = (E Λ Eᵀ)⁻¹            conditional covariance of the missing features
    y* = y - Eᵀ B E g         deviation of the row, missing features at their conditional mean
    q = yᵀ g - gᵀ Eᵀ B E g    = y_oᵀ (Σ_oo)⁻¹ y_o
    log|Σ_oo| = log|Σ| + log|E Λ Eᵀ|

(Little and Rubin 2002, §11.2, with precisions in place of the sweep operator).  B is worked out
once for each distinct pattern of a block: with P of them, b rows, r features and at most m missing
in a row, a block costs O(P (m r² + m³) + b r²) per component.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from array_api_compat import device

from labelief._typing import Array, IntArray
from labelief.kernels.namespace import namespace, on_host

__all__ = ["GapRows", "MixedRows", "conditional_statistics", "marginal_log_densities", "mixed_rows"]


class GapRows(NamedTuple):
    """Incomplete rows in tiles.

    Attributes
    ----------
    tiles : (T, t) integer array
        Rows of the block; a tile that is not full repeats the first of its rows.
    used : (T, t) array
        1 for a row, 0 for a repetition.
    pattern : (T,) integer array
        What the tile's rows miss, as a row of the following.
    picks : (P, m, r) array
        E of each pattern, with rows of zeros where it misses fewer than m.
    here : (P, r) array
        1 for each feature that the pattern's rows have.
    z : (T, t, r) array
        The rows in the frame, 0 in place of what is missing.
    """

    tiles: Array
    used: Array
    pattern: Array
    picks: Array
    here: Array
    z: Array


class MixedRows(NamedTuple):
    """A block of complete and incomplete rows.

    Attributes
    ----------
    phi : array or None
        Features of the complete rows, to be filled in.
    complete : (c,) integer array
        The complete rows.
    gaps : GapRows
        The others.
    order : (b,) integer array
        Where each row is among the complete rows followed by the tiles' rows.
    """

    phi: Any
    complete: Array
    gaps: GapRows
    order: Array

    def together(self, whole: Array, tiles: Array) -> Array:
        """Return values of complete rows, (c, J), and of tiles, (T, t, J), as rows of the block."""
        xp = namespace(whole)
        both = xp.concat([whole, xp.reshape(tiles, (-1, whole.shape[1]))], axis=0)
        # Contiguous columns, as products have them.
        return xp.take(both.T, self.order, axis=1).T


def mixed_rows(z: Array, gone: Array) -> MixedRows | None:
    """Sort the incomplete rows of a block by what they miss; None where all are complete.

    Parameters
    ----------
    z : (b, r) array
        Rows in the frame, 0 in place of what is missing.
    gone : (b, r) array
        1 where a feature is missing.
    """
    xp = namespace(z)
    everything = on_host(gone) > 0
    incomplete = np.any(everything, axis=1)
    if not np.any(incomplete):
        return None
    rows, complete = np.flatnonzero(incomplete), np.flatnonzero(~incomplete)
    mask = everything[rows]
    patterns, which = _patterns(mask)
    counts = np.bincount(which, minlength=len(patterns))
    size = -(-len(rows) // len(patterns))
    tiles_of = -(-counts // size)
    pattern = np.repeat(np.arange(len(patterns)), tiles_of)
    # Where the tile starts among the rows of its pattern, and those among all rows.
    first = np.concatenate([[0], np.cumsum(tiles_of)[:-1]])
    start = (np.arange(len(pattern)) - first[pattern]) * size
    place = start[:, None] + np.arange(size)
    used = place < counts[pattern][:, None]
    offset = np.concatenate([[0], np.cumsum(counts)[:-1]])[pattern][:, None]
    sorted_rows = rows[np.argsort(which, kind="stable")]
    tiles = sorted_rows[offset + np.where(used, place, start[:, None])]
    picks = np.zeros((len(patterns), int(np.max(np.sum(patterns, axis=1))), mask.shape[1]))
    of, feature = np.nonzero(patterns)
    picks[of, (np.cumsum(patterns, axis=1) - 1)[of, feature], feature] = 1.0

    def there(array: Any) -> Array:
        return xp.asarray(np.ascontiguousarray(array), device=device(z))

    order = np.empty(len(everything), dtype=np.int64)
    order[complete] = np.arange(len(complete))
    order[tiles[used]] = len(complete) + np.flatnonzero(used)
    index = there(tiles)
    gaps = GapRows(
        index,
        there(used.astype(np.float64)),
        there(pattern),
        there(picks),
        there(1.0 - patterns),
        _by_tiles(z, index),
    )
    return MixedRows(None, there(complete), gaps, there(order))


def _by_tiles(x: Array, tiles: Array) -> Array:
    """Return the rows of `x` that tiles name: ``(b, c) -> (T, t, c)``."""
    xp = namespace(x)
    taken = xp.take(x, xp.reshape(tiles, (-1,)), axis=0)
    return xp.reshape(taken, (*tiles.shape, x.shape[1]))


def _patterns(mask: Any) -> tuple[Any, IntArray]:
    """Return the distinct rows of a mask, and which of them each row is."""
    packed = np.packbits(mask, axis=1)
    words = np.zeros((len(mask), -(-packed.shape[1] // 8) * 8), dtype=np.uint8)
    words[:, : packed.shape[1]] = packed
    keys = words.view(np.uint64)
    if keys.shape[1] == 1:
        _, at, which = np.unique(keys[:, 0], return_index=True, return_inverse=True)
    else:
        _, at, which = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    return mask[at], np.reshape(which, (-1,))


class _Completed(NamedTuple):
    """y, g, E g and ``B E g`` by tiles; ``E Λ Eᵀ`` and B by patterns."""

    y: Array
    g: Array
    eg: Array
    beg: Array
    across: Array
    inverse: Array


def _completed(rows: GapRows, mean: Array, precision: Array) -> _Completed:
    """Return what both densities and sums of one component are made from."""
    xp = namespace(rows.z)
    here = xp.take(rows.here, rows.pattern, axis=0)[:, None, :]
    y = (rows.z - mean) * here
    g = y @ precision
    across = rows.picks @ precision @ xp.matrix_transpose(rows.picks)
    # Where a pattern misses fewer than m, ones on the diagonal keep the matrix regular.
    unused = 1.0 - xp.sum(rows.picks, axis=2)
    eye = xp.eye(unused.shape[1], dtype=unused.dtype, device=device(unused))
    across = across + unused[:, :, None] * eye
    inverse = xp.linalg.inv(across)
    picks = xp.take(rows.picks, rows.pattern, axis=0)
    eg = g @ xp.matrix_transpose(picks)
    beg = eg @ xp.take(inverse, rows.pattern, axis=0)
    return _Completed(y, g, eg, beg, across, inverse)


def marginal_log_densities(
    rows: GapRows,
    means: Array,
    precisions: Array,
    constants: Array,
    normalisers: Array,
) -> Array:
    """Return ``log w_j N(x_o; μ_jo, Σ_joo)`` of the observed features, (T, t, J).

    Parameters
    ----------
    rows : GapRows
    means, precisions : (J, r) and (J, r, r) arrays
    constants : (J,) array
        ``log w_j - ½ log|Σ_j|``.
    normalisers : (r,) array
        What each observed feature takes: ``½ log 2π`` and the logarithm of its unit.
    """
    xp = namespace(rows.z)
    base = rows.here @ normalisers
    columns = []
    for j in range(means.shape[0]):
        done = _completed(rows, means[j, :], precisions[j, :, :])
        quadratic = xp.sum(done.y * done.g, axis=2) - xp.sum(done.eg * done.beg, axis=2)
        log_det = xp.linalg.slogdet(done.across)[1]
        by_pattern = constants[j] - base - 0.5 * log_det
        columns.append(xp.take(by_pattern, rows.pattern, axis=0)[:, None] - 0.5 * quadratic)
    return xp.stack(columns, axis=2)


def conditional_statistics(rows: GapRows, R: Array, means: Array, precisions: Array) -> Array:
    """Return ``Σ_i r_ij E_j[φ(x_i) | x_io]`` for φ = (1, x, x_a x_b for a ≤ b), (p, J).

    Parameters
    ----------
    rows : GapRows
    R : (b, J) array
        Weighted responsibilities of the block.
    means, precisions : (J, r) and (J, r, r) arrays
    """
    xp = namespace(rows.z)
    n_features = rows.z.shape[2]
    R = _by_tiles(R, rows.tiles) * rows.used[:, :, None]
    columns = []
    for j in range(means.shape[0]):
        done = _completed(rows, means[j, :], precisions[j, :, :])
        picks = xp.take(rows.picks, rows.pattern, axis=0)
        expected = xp.reshape(done.y - done.beg @ picks + means[j, :], (-1, n_features))
        weighted = expected * xp.reshape(R[:, :, j], (-1,))[:, None]
        # The unused rows of E are 0, and so is all that they would add.
        spread = xp.matrix_transpose(rows.picks) @ done.inverse @ rows.picks
        mass = xp.sum(R[:, :, j], axis=1)
        flat = xp.reshape(xp.take(spread, rows.pattern, axis=0), (mass.shape[0], -1))
        spread_sum = xp.reshape(mass @ flat, (n_features, n_features))
        second = weighted.T @ expected + spread_sum
        triangle = [second[a, a:] for a in range(n_features)]
        count = xp.reshape(xp.sum(mass), (1,))
        columns.append(xp.concat([count, xp.sum(weighted, axis=0), *triangle], axis=0))
    return xp.stack(columns, axis=1)
