"""What was observed about the classes of a block, in the three forms that labels take.

Each form is a batch of rows that can be cut, and gives two products: the log weight of each class
under a :class:`Likelihoods` record, and the expected counts of (true class, observed symbol).
Verified rows bypass any learned channel: their symbol or plausibility is read as trusted; votes on
them count beside the truth, so that they teach what annotators are worth.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from labelief._typing import Array, BoolArray
from labelief.kernels.labels import (
    log_or_minus_infinity,
    observed_shares,
    one_hot,
    restricted,
    symbol_log_weights,
    told_shares,
)
from labelief.kernels.namespace import by_columns, column_product, namespace, to_float64

__all__ = ["Dense", "Evidence", "Indicator", "Likelihoods", "Symbols"]


class Likelihoods(NamedTuple):
    """What a channel says of observations, ready for products on a block.

    Attributes
    ----------
    matrix : (K, K) array or None
        ``matrix[k, j] = γ(j | k)``; None stands for the identity (labels are trusted).
    log_table : (K, S) array
        Log likelihood of each symbol: for coded labels the K classes, "unknown", then the same
        again for verified rows; for votes the (annotator, answer) pairs.
    """

    matrix: Array | None
    log_table: Array


class Evidence(Protocol):
    """Observed labels of a block of rows."""

    @property
    def form(self) -> str:
        """Either "labels" (one observation a row, crisp or soft) or "votes"."""

    def rows(self, index: Any) -> Evidence:
        """Return the evidence of some rows (a slice or an index array)."""

    def moved(self, move: Any) -> Evidence:
        """Return the evidence with every array passed through `move` (to a device)."""

    def log_weights(self, likelihoods: Likelihoods) -> Array:
        """Return ``log pl_i(k)``, (b, K)."""

    def weights(self, likelihoods: Likelihoods) -> Array | None:
        """Return ``pl_i(k)``, (b, K); None where it is only safe in logarithms."""

    def told(self, likelihoods: Likelihoods) -> Array:
        """Return each class's share of a row, (b, K); 0 where its label says nothing."""

    def counts(self, class_posterior: Array, likelihoods: Likelihoods) -> Array:
        """Return expected counts of (true class, observed symbol) under the channel."""


@dataclass(frozen=True)
class Symbols:
    """Crisp labels as codes: class j is j, "unknown" is K; verified rows add K + 1."""

    codes: Array
    n_classes: int
    form: str = "labels"

    def rows(self, index: Any) -> Symbols:
        """Return the evidence of some rows."""
        return Symbols(self.codes[index], self.n_classes)

    def moved(self, move: Any) -> Symbols:
        """Return the evidence on another device."""
        return Symbols(move(np.asarray(self.codes, dtype=np.int64)), self.n_classes)

    def log_weights(self, likelihoods: Likelihoods) -> Array:
        """Return ``log γ(ỹ_i | k)`` by table look-up."""
        return symbol_log_weights(self.codes, likelihoods.log_table)

    def weights(self, likelihoods: Likelihoods) -> Array:
        """Return ``γ(ỹ_i | k)`` by table look-up."""
        table = likelihoods.log_table
        return symbol_log_weights(self.codes, namespace(table).exp(table))

    def told(self, likelihoods: Likelihoods) -> Array:
        """Return each class's share of a row, (b, K); 0 where its label says nothing."""
        return symbol_log_weights(self.codes, told_shares(likelihoods.log_table.T).T)

    def counts(self, class_posterior: Array, likelihoods: Likelihoods) -> Array:
        """Return ``Σ_i ζ_ik 1[ỹ_i = j]``, (K, K); unknown and verified rows stay out."""
        indicator = one_hot(self.codes, self.n_classes)
        return class_posterior.T @ indicator


@dataclass(frozen=True)
class Dense:
    """Soft labels as plausibilities (b, K), with the mask of verified rows."""

    plausibilities: Array
    verified: Array | None = None
    form: str = "labels"

    def rows(self, index: Any) -> Dense:
        """Return the evidence of some rows."""
        verified = None if self.verified is None else self.verified[index]
        return Dense(self.plausibilities[index], verified)

    def moved(self, move: Any) -> Dense:
        """Return the evidence on another device."""
        verified = None if self.verified is None else move(self.verified)
        return Dense(move(self.plausibilities), verified)

    def log_weights(self, likelihoods: Likelihoods) -> Array:
        """Return ``log Σ_j pl_i(j) γ(j | k)``."""
        return log_or_minus_infinity(self.weights(likelihoods))

    def weights(self, likelihoods: Likelihoods) -> Array:
        """Return ``Σ_j pl_i(j) γ(j | k)``."""
        pl = by_columns(to_float64(self.plausibilities))
        if likelihoods.matrix is None:
            return pl
        through = (likelihoods.matrix @ pl.T).T
        if self.verified is not None:
            through = namespace(pl).where(self.verified[:, None], pl, through)
        return through

    def told(self, likelihoods: Likelihoods) -> Array:
        """Return each class's share of a row, (b, K); 0 where its label says nothing."""
        return told_shares(self.log_weights(likelihoods))

    def counts(self, class_posterior: Array, likelihoods: Likelihoods) -> Array:
        """Return ``Σ_i ζ_ik share_ik(j)``; vacuous and verified rows stay out."""
        pl = to_float64(self.plausibilities)
        xp = namespace(pl)
        counted = xp.max(pl, axis=1) > xp.min(pl, axis=1)
        if self.verified is not None:
            counted = xp.logical_and(counted, xp.logical_not(self.verified))
        matrix = likelihoods.matrix
        if matrix is None:
            matrix = xp.eye(pl.shape[1], dtype=pl.dtype, device=pl.device)
        return observed_shares(pl, matrix, class_posterior, xp.astype(counted, xp.float64))


@dataclass(frozen=True)
class Indicator:
    """Votes as a sparse indicator V, (b, A·S): one entry for each (annotator, answer) given.

    The S answers are the K classes, perhaps "unsure", and sets of classes; the names say what the
    columns stand for.

    Attributes
    ----------
    votes : (b, A·S) CSR array
    annotators, answers : (A,) and (S,) arrays
        Names.
    sets : (T, K) bool array or None
        The last T answers, which are sets: the classes that each holds.
    truth : (b,) integer array or None
        The class of verified rows, K for the others; None where no row is verified.
    """

    votes: csr_array
    annotators: NDArray[Any]
    answers: NDArray[Any]
    sets: BoolArray | None = None
    truth: Array | None = None
    form: str = "votes"

    def rows(self, index: Any) -> Indicator:
        """Return the evidence of some rows."""
        truth = None if self.truth is None else self.truth[index]
        return replace(self, votes=self.votes[index], truth=truth)

    def moved(self, move: Any) -> Indicator:
        """Return the evidence on another device, as a dense block."""
        truth = None if self.truth is None else move(np.asarray(self.truth, dtype=np.int64))
        return replace(self, votes=move(self.votes.toarray()), truth=truth)

    def log_weights(self, likelihoods: Likelihoods) -> Array:
        """Return ``Σ_a log γ_a(v_ia | k) = V log Γ``; verified rows keep the true class alone."""
        log_weights = column_product(self.votes, likelihoods.log_table.T)
        return log_weights if self.truth is None else restricted(log_weights, self.truth)

    def weights(self, likelihoods: Likelihoods) -> None:
        """Return None: a product over many annotators underflows."""

    def told(self, likelihoods: Likelihoods) -> Array:
        """Return each class's share of a row, (b, K); 0 where its votes say nothing."""
        return told_shares(self.log_weights(likelihoods))

    def counts(self, class_posterior: Array, likelihoods: Likelihoods) -> Array:
        """Return ``ζᵀ V``, (K, A·S)."""
        return class_posterior.T @ self.votes
