"""What observed labels say about the true class: log weights and expected counts on a block."""

from __future__ import annotations

from labelief._typing import Array
from labelief.kernels.namespace import namespace
from labelief.kernels.posterior import posterior

__all__ = [
    "log_or_minus_infinity",
    "observed_shares",
    "one_hot",
    "restricted",
    "symbol_log_weights",
    "told_shares",
]

# Shares that differ by less say nothing.
_EQUAL = 1e-9


def log_or_minus_infinity(values: Array) -> Array:
    """Return the logarithm, minus infinity at 0, without a warning."""
    xp = namespace(values)
    positive = values > 0
    return xp.where(
        positive,
        xp.log(xp.where(positive, values, xp.ones_like(values))),
        xp.full_like(values, -xp.inf),
    )


def symbol_log_weights(symbols: Array, log_table: Array) -> Array:
    """Look up the log likelihood of each row's observed symbol: (b, K), columns contiguous.

    Parameters
    ----------
    symbols : (b,) integer array
    log_table : (K, S) array
        ``log_table[k, s] = log Pr(symbol s | true class k)``.
    """
    return namespace(log_table).take(log_table, symbols, axis=1).T


def one_hot(symbols: Array, n_symbols: int) -> Array:
    """Return the (b, S) indicator matrix of symbols, columns contiguous."""
    xp = namespace(symbols)
    alphabet = xp.arange(n_symbols, dtype=symbols.dtype, device=symbols.device)
    return xp.astype(symbols[None, :] == alphabet[:, None], xp.float64).T


def restricted(log_weights: Array, classes: Array) -> Array:
    """Return log weights, (b, K), minus infinity beside the class that is known of a row.

    Parameters
    ----------
    log_weights : (b, K) array
    classes : (b,) integer array
        The class known, K where none is.
    """
    xp = namespace(log_weights)
    n_classes = log_weights.shape[1]
    alphabet = xp.arange(n_classes, dtype=classes.dtype, device=classes.device)
    open_ = (classes == n_classes)[None, :] | (classes[None, :] == alphabet[:, None])
    return xp.where(open_.T, log_weights, xp.full_like(log_weights, -xp.inf))


def told_shares(log_weights: Array) -> Array:
    """Share a row between classes by its label: (b, K), rows of 0 where the label says nothing.

    The shares are the normalised weights; they sum to 1 unless all weights are equal.
    """
    xp = namespace(log_weights)
    shares = posterior(log_weights)[1]
    if shares.shape[1] == 1:
        return shares
    says = xp.max(shares, axis=1) - xp.min(shares, axis=1) > _EQUAL
    return shares * xp.astype(says, shares.dtype)[:, None]


def observed_shares(
    plausibilities: Array, matrix: Array, class_posterior: Array, counted: Array
) -> Array:
    """Return expected counts of (true class k, observed class j) on a block, (K, K).

    ``Σ_i ζ_ik share_ik(j)`` with ``share_ik(j) = pl_i(j) γ(j|k) / Σ_l pl_i(l) γ(l|k)`` (methods §1;
    liu2022 eq. 13 for crisp labels), over the rows where `counted` is 1.

    Parameters
    ----------
    plausibilities : (b, K) array, of the observed label
    matrix : (K, K) array, ``matrix[k, j] = γ(j | k)``
    class_posterior : (b, K) array, ζ
    counted : (b,) array of 0 and 1
    """
    xp = namespace(plausibilities)
    likelihood = (matrix @ plausibilities.T).T
    ratio = (
        class_posterior
        * counted[:, None]
        / xp.where(likelihood > 0, likelihood, xp.ones_like(likelihood))
    )
    return matrix * (ratio.T @ plausibilities)
