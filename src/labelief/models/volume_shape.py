"""Best volumes and shapes, given how the rows of each component scatter along its axes.

With n_j the weight of component j and W_ja its scatter along axis a, the rules minimise

    Σ_j [n_j Σ_a log(λ_j A_ja) + Σ_a W_ja / (λ_j A_ja)],    Π_a A_ja = 1,

twice the negative expected log-likelihood, over what a family leaves free (Celeux and Govaert
1995).  A fixed conjugate prior of ν rows on each covariance adds ν to n_j and ν T to the scatter,
and changes nothing else, so the same rules give the penalised maximum.

Each rule is ``(counts (J,), scatters (J, r)) -> Decomposition`` without axes; every count must be
positive.  What has no variance comes out as 0 or NaN, for the caller to explain.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from labelief._typing import FloatArray
from labelief.models.decomposition import Decomposition

__all__ = [
    "SpreadRule",
    "common_matrix",
    "common_spread",
    "own_shapes",
    "own_spread",
    "own_volumes",
    "round_spread",
]

SpreadRule = Callable[[FloatArray, FloatArray], Decomposition]

# Newton steps on the volumes at most, and halvings of a step; a handful is usual.
_STEPS, _HALVINGS = 100, 40
# Steps of more than this, in log volumes, are beyond what a bend at hand tells.
_FAR = 5.0
# A step that promises less than this share of a row's log-likelihood is rounding.
_PROMISE = 1e-15
# Scatters are in coordinates of about unit variance: what is below this is what sums leave of none.
_ROUNDING = 16 * float(np.finfo(np.float64).eps)


def round_spread(counts: FloatArray, scatters: FloatArray) -> Decomposition:
    """Return one volume, and no shape: ``λ = Σ_ja W_ja / (r n)`` (EII)."""
    rank = scatters.shape[1]
    volume = np.sum(scatters) / (max(rank, 1) * np.sum(counts)) if rank else 1.0
    return Decomposition(np.array([volume]), np.ones((1, rank)))


def common_spread(counts: FloatArray, scatters: FloatArray) -> Decomposition:
    """Return one volume and one shape: ``λ A = Σ_j W_j / n`` (EE·)."""
    pooled = np.sum(scatters, axis=0, keepdims=True)
    return own_spread(np.sum(counts, keepdims=True), pooled)


def own_spread(counts: FloatArray, scatters: FloatArray) -> Decomposition:
    """Return own volumes and own shapes: ``λ_j A_j = W_j / n_j`` (VV·)."""
    size = _geometric_means(scatters)
    with np.errstate(all="ignore"):
        return Decomposition(size / counts, scatters / size[:, None])


def own_shapes(counts: FloatArray, scatters: FloatArray) -> Decomposition:
    """Return one volume, own shapes (EV·).

    ``A_j = W_j / |W_j|^{1/r}``, ``λ = Σ_j |W_j|^{1/r} / n``.
    """
    size = _geometric_means(scatters)
    with np.errstate(all="ignore"):
        volume = np.array([np.sum(size) / np.sum(counts)])
        return Decomposition(volume, scatters / size[:, None])


def own_volumes(counts: FloatArray, scatters: FloatArray) -> Decomposition:
    """Return own volumes and one shape (VE·): `common_matrix` with diagonal matrices."""

    def shares(logs: FloatArray) -> _Shares:
        parts = scatters * np.exp(-logs)[:, None]
        common = np.sum(parts, axis=0)
        with np.errstate(all="ignore"):
            relative = parts / common
            log_det = float(np.sum(np.log(common)))
        return _Shares(log_det, relative, np.sum(relative, axis=1), common)

    rank = scatters.shape[1]
    logs, common = _best_volumes(counts, np.sum(scatters, axis=1), rank, shares)
    size = float(_geometric_means(common[None])[0])
    return Decomposition(np.exp(logs) * size, common[None] / size)


def common_matrix(counts: FloatArray, scatters: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return volumes λ_j and C, ``|C| = 1``, of the best covariances ``λ_j C`` (VEE).

    Celeux and Govaert (1995) alternate ``λ_j = tr(W_j C⁻¹) / (r n_j)`` and
    ``C ∝ Σ_j W_j / λ_j``.  With C put in, what is left is

        r Σ_j n_j log λ_j + n log|Σ_j W_j / λ_j|,

    which is convex in the log λ_j (the determinant is a polynomial in 1/λ_j with coefficients of 0
    or more), so Newton steps reach the one minimum however slowly the two would alternate.

    Parameters
    ----------
    counts : (J,) array
    scatters : (J, r, r) array

    Returns
    -------
    volumes : (J,) array
    common : (r, r) array
    """

    def shares(logs: FloatArray) -> _Shares:
        parts = scatters * np.exp(-logs)[:, None, None]
        common = np.sum(parts, axis=0)
        root = np.linalg.inv(_cholesky(common))
        relative = root @ parts @ root.T
        log_det = -2.0 * float(np.sum(np.log(np.diagonal(root))))
        traces = np.trace(relative, axis1=1, axis2=2)
        return _Shares(log_det, relative.reshape(len(parts), -1), traces, common)

    rank = scatters.shape[1]
    traces = np.trace(scatters, axis1=1, axis2=2)
    logs, common = _best_volumes(counts, traces, rank, shares)
    size = float(np.exp(np.linalg.slogdet(common)[1] / max(rank, 1)))
    return np.asarray(np.exp(logs) * size), common / size


class _Shares(NamedTuple):
    """At given volumes: log|M|, M = Σ_j W_j / λ_j, and of each term ``M^-½ (W_j / λ_j) M^-½``."""

    log_det: float
    entries: FloatArray
    traces: FloatArray
    common: FloatArray


def _best_volumes(
    counts: FloatArray,
    traces: FloatArray,
    rank: int,
    shares: Callable[[FloatArray], _Shares],
) -> tuple[FloatArray, FloatArray]:
    """Return the log volumes that minimise ``r Σ_j n_j log λ_j + n log|M|``, and M / n."""
    weight = float(np.sum(counts))
    if rank and not np.all(traces > _ROUNDING * rank * counts):
        raise ValueError(
            f"The covariance of component {int(np.argmin(traces / counts))} is singular: too few "
            "rows bear on it. Use ridge > 0 (default 1e-6), shrinkage='auto', or a simpler density."
        )
    logs = np.log(traces / (rank * counts)) if rank else np.zeros(len(counts))
    now = shares(logs)
    for _ in range(_STEPS if rank else 0):
        slope = rank * counts - weight * now.traces
        bend = weight * (np.diag(now.traces) - now.entries @ now.entries.T)
        # A common factor of all volumes changes nothing: least squares leave it alone.
        step = np.asarray(np.linalg.lstsq(bend, -slope, rcond=1e-14)[0], dtype=np.float64)
        if not -float(slope @ step) > _PROMISE * weight:
            break
        step = step * min(1.0, _FAR / float(np.max(np.abs(step))))
        for _ in range(_HALVINGS):
            then = shares(logs + step)
            if rank * counts @ step + weight * (then.log_det - now.log_det) <= 0:
                break
            step = step / 2
        else:
            break
        logs, now = logs + step, then
    return logs, now.common / weight


def _cholesky(scatter: FloatArray) -> FloatArray:
    """Return the Cholesky factor of what all components share, or explain that there is none."""
    try:
        return np.asarray(np.linalg.cholesky(scatter), dtype=np.float64)
    except np.linalg.LinAlgError:
        raise ValueError(
            "The covariance that all components share is singular: too few rows bear on it. Use "
            "ridge > 0 (default 1e-6), shrinkage='auto', or a simpler density."
        ) from None


def _geometric_means(scatters: FloatArray) -> FloatArray:
    """Return ``|W_j|^{1/r}``, (J,); 1 where there are no axes."""
    if scatters.shape[1] == 0:
        return np.ones(len(scatters))
    with np.errstate(all="ignore"):
        return np.asarray(np.exp(np.mean(np.log(scatters), axis=1)))
