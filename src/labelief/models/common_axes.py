"""Axes that all components share: common principal components, by descent among rotations.

With ``b_ja = d_aᵀ W_j d_a`` the scatter of component j along axis a, and the best volumes and
shapes put in, the axes D minimise a function of b alone.  Its slope along the rotation that turns
axis a towards axis l is ``Σ_j (p_ja - p_jl) d_lᵀ W_j d_a``, where p are the precisions that go with
b.  Flury and Gautschi (1986) turn one pair of axes after another until all slopes vanish; here all
pairs turn at once.

Steps are preconditioned conjugate gradients on the group of rotations, with the curvature of each
pair, ``Σ_j (p_ja - p_jl)(b_jl - b_ja)``, as the metric; the function falls at each of them.
"""

from __future__ import annotations

import numpy as np

from labelief._typing import FloatArray
from labelief.models.rotations import aligned
from labelief.models.volume_shape import SpreadRule

__all__ = ["common_axes", "first_axes"]

# Steps at most from axes of no merit, and from those of the last iteration, where the next goes on.
_FIRST_STEPS, _STEPS, _HALVINGS = 500, 20, 30
# A step that promises less than this gain per row is none: axes are then sure to its square root.
_PROMISE = 1e-22
# Changes per row that rounding alone can make.
_ROUNDING = 1e-15
# Turns of more than this, in radians, are beyond what slope and curvature tell.
_FAR = 0.5
# Components whose own axes are tried as first axes.
_TRIED = 5


def first_axes(counts: FloatArray, factors: FloatArray, spread: SpreadRule) -> FloatArray:
    """Return the best of the axes found from the pooled axes and from those of each component.

    The function has several minima where components share no axes.

    Parameters
    ----------
    counts : (J,) array
    factors : (J, r, r) array
        ``F_j``, ``W_j = F_j F_jᵀ``.
    spread : SpreadRule
        Volumes and shapes, given scatters along axes.
    """
    unit = factors / np.sqrt(counts)[:, None, None]
    heaviest = np.argsort(-counts, kind="stable")[:_TRIED]
    starts = [np.concatenate(unit, axis=1), *unit[heaviest]]
    best, least = np.eye(factors.shape[1]), np.inf
    for start in starts:
        axes = aligned(np.linalg.svd(start, full_matrices=False)[0][None], np.eye(len(best))[None])
        found = common_axes(counts, factors, spread, axes[0], _FIRST_STEPS)
        value = -float(np.sum(counts @ np.log(_state(counts, factors, spread, found)[1])))
        if value < least:
            best, least = found, value
    return best


def common_axes(
    counts: FloatArray,
    factors: FloatArray,
    spread: SpreadRule,
    start: FloatArray,
    max_steps: int = _STEPS,
) -> FloatArray:
    """Return axes, (r, r), at which no small rotation does better, from axes at the start.

    Products are taken with the factors and not with the scatters, so that directions of little
    variance keep their digits beside others of much.
    """
    # Rounding of many steps would add up.
    axes = start @ (1.5 * np.eye(len(start)) - 0.5 * start.T @ start)
    rotated, precision = _state(counts, factors, spread, axes)
    weight = float(np.sum(counts))
    direction = slope_before = scaled_before = np.zeros_like(axes)
    for _ in range(max_steps):
        slope, curvature = _slope(rotated, precision)
        scaled = slope / curvature
        if np.sum(slope * scaled) <= _PROMISE * weight:
            break
        # Polak and Ribière's conjugate direction; the steepest one where that does not fall.
        last = float(np.sum(slope_before * scaled_before))
        turn = float(np.sum(scaled * (slope - slope_before))) / last if last > 0 else 0.0
        direction = max(turn, 0.0) * direction - scaled
        if np.sum(direction * slope) >= 0:
            direction = -scaled
        size = min(1.0, _FAR / max(float(np.max(np.abs(direction))), 1e-300))
        promised = float(np.sum(direction * slope)) / 2.0
        for _ in range(_HALVINGS):
            turned = axes @ _turn(size * direction)
            state = _state(counts, factors, spread, turned)
            change = -0.5 * float(np.sum(counts @ np.log(state[1] / precision)))
            if change <= 1e-4 * size * promised + _ROUNDING * weight:
                break
            size /= 2.0
        else:
            break
        axes, (rotated, precision) = turned, state
        slope_before, scaled_before = slope, scaled
    return axes


def _state(
    counts: FloatArray, factors: FloatArray, spread: SpreadRule, axes: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return ``F_jᵀ D``, (J, r, r), and the best precisions along the axes, (J, r)."""
    rotated = np.swapaxes(factors, 1, 2) @ axes
    scatters = np.sum(rotated**2, axis=1)
    variances = np.broadcast_to(spread(counts, scatters).variances, scatters.shape)
    return rotated, 1.0 / variances


def _slope(rotated: FloatArray, precision: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the slope along each rotation X_la, skew, and the positive curvature, both (r, r)."""
    products = np.swapaxes(rotated, 1, 2) @ rotated
    pulls = np.einsum("ja,jla->la", precision, products)
    scatters = np.sum(rotated**2, axis=1)
    mixed = scatters.T @ precision
    own = np.diagonal(mixed)
    curvature = mixed + mixed.T - own[:, None] - own[None, :]
    # Two axes of equal variances in every component: any turn is as good.
    floor = 1e-8 * np.max(own, initial=1e-300)
    return pulls - pulls.T, np.maximum(curvature, floor)


def _turn(skew: FloatArray) -> FloatArray:
    """Return a rotation near ``exp(X)``: the Cayley transform, orthogonal to rounding."""
    identity = np.eye(len(skew))
    return np.asarray(np.linalg.solve(identity - skew / 2, identity + skew / 2))
