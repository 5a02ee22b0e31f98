"""Matrices of several annotators pulled together, so that few votes do not make a matrix.

With γ_a the row of annotator a (one true class) and τ the strength, the log prior of the rows is

    -τ min_M Σ_a KL(M ‖ γ_a) = τ A log Σ_s Π_a γ_a(s)^{1/A}

the logarithm of Matusita's affinity of A distributions, 0 where they are all the same.  The
minimum is at the pooled row M, their normalised geometric mean.  It is as if each annotator had
answered τ more times, as the pooled row does, with M chosen where these answers are likeliest; so
M needs no parameters of its own, the prior is fixed, and the M-step,

    γ_a(s) = (c_as + τ M(s)) / (Σ_s c_as + τ),

has one maximum.  τ to infinity gives one row for all.  (A Dirichlet prior whose mean M is learned
has a normalising constant that draws M towards 0 and 1, the more the fewer votes there are.)

All arrays are (A, R, S): annotators, rows, symbols.
"""

from __future__ import annotations

import numpy as np

from labelief._typing import FloatArray
from labelief.channels.confusion import row_shares

__all__ = ["log_affinity", "pooled", "shrunk"]

# Newton's method on a concave function of a few numbers needs five steps or so.
_STEPS = 50
_SETTLED = 1e-13


def pooled(matrices: FloatArray) -> FloatArray:
    """Return the normalised geometric mean of rows, (R, S)."""
    logs = np.mean(np.log(matrices), axis=0)
    return row_shares(np.exp(logs - np.max(logs, axis=-1, keepdims=True)))


def log_affinity(matrices: FloatArray) -> float:
    """Return ``Σ_r log Σ_s Π_a γ_a(s)^{1/A}``, at most 0 (Matusita 1967)."""
    logs = np.mean(np.log(matrices), axis=0)
    top = np.max(logs, axis=-1)
    return float(np.sum(top + np.log(np.sum(np.exp(logs - top[:, None]), axis=-1))))


def shrunk(counts: FloatArray, strength: float, start: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Maximise ``Σ_a Σ_s c_as log γ_a(s) + τ A log_affinity`` over all rows.

    Parameters
    ----------
    counts : (A, R, S) array
        Above 0.
    strength : float
        τ.
    start : (R, S) array
        Pooled rows to start from.

    Returns
    -------
    rows : (A, R, S) array
    pooled : (R, S) array
    """
    center = start
    value = _profile(counts, strength, center)
    for _ in range(_STEPS):
        moves = [_newton(counts, strength, center), pooled(_rows(counts, strength, center))]
        values = [_profile(counts, strength, move) for move in moves]
        by_newton = values[0] >= values[1]
        better = np.where(by_newton[:, None], moves[0], moves[1])
        reached = np.maximum(values[0], values[1])
        rises = reached > value
        still = np.max(np.abs(better - center) * rises[:, None] / center, initial=0.0) <= _SETTLED
        center = np.where(rises[:, None], better, center)
        value = np.maximum(reached, value)
        if still:
            break
    return _rows(counts, strength, center), center


def _rows(counts: FloatArray, strength: float, center: FloatArray) -> FloatArray:
    return row_shares(counts + strength * center)


def _profile(counts: FloatArray, strength: float, center: FloatArray) -> FloatArray:
    """Return the objective, best rows put in, of each row's pooled one, (R,); concave."""
    total = counts + strength * center
    own = strength * len(counts) * center * np.log(center)
    return np.asarray(np.sum(np.sum(total * np.log(total), axis=0) - own, axis=-1))


def _newton(counts: FloatArray, strength: float, center: FloatArray) -> FloatArray:
    """Return Newton's step on the simplex from each pooled row, cut short of its faces."""
    total = counts + strength * center
    slope = np.sum(np.log(total), axis=0) - len(counts) * np.log(center)
    # The second derivative is diagonal and below 0.
    bend = np.sum(counts / total, axis=0) / center
    level = np.sum(slope / bend, axis=-1, keepdims=True) / np.sum(
        1.0 / bend, axis=-1, keepdims=True
    )
    step = (slope - level) / bend
    with np.errstate(divide="ignore"):
        room = np.min(np.where(step < 0, -0.9 * center / step, np.inf), axis=-1, keepdims=True)
    return row_shares(center + np.minimum(1.0, room) * step)
