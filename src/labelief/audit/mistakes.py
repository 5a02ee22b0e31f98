"""How labels go wrong, for an audit: flips between classes, and slips to a class that looks alike.

With p_i the probabilities of row i's classes given its features,

    Pr(ỹ_i = j | true class k) = (1 - λ) γ(j | k) + λ p_ij / (1 - p_ik)   for j ≠ k,

and ``(1 - λ) γ(k | k)`` for j = k: a slip, of probability λ, goes to another class in proportion to
how probable the features make it.  Flips alone (liu2022 eq. 2) take the errors that people make at
the border between two classes for a habit of calling one class by the other's name, and then doubt
right labels far from the border.  Soft labels enter as everywhere, by ``Σ_j pl_i(j) Pr(j | k)``.

Parameters of the channel are a (K, K + 1) array: the flips γ, and λ in each row of the last column.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from labelief._typing import Array, FloatArray, IntArray
from labelief.blocks.evidence import Evidence, Likelihoods
from labelief.channels.flip_noise import FullFlips, SymmetricFlips
from labelief.kernels.labels import log_or_minus_infinity, told_shares
from labelief.kernels.namespace import by_columns, namespace, to_float64

__all__ = ["EvenFlips", "LabelledProbabilities", "Mistakes", "alike"]

# The start: so many labels are slips.
_START = 0.05
# Pseudo-counts of slips and of everything else, as those of flips (methods §1).
_SLIP, _OTHERWISE = 0.1, 1.0


def alike(plausibilities: Array, probabilities: Array) -> Array:
    """Return ``Σ_{j≠k} pl_i(j) p_ij / (1 - p_ik)``, (b, K): the label's likelihood as a slip.

    0 where p_ik is 1.
    """
    pl, p = by_columns(to_float64(plausibilities)), by_columns(to_float64(probabilities))
    xp = namespace(pl)
    explained = pl * p
    others = xp.sum(explained, axis=1)[:, None] - explained
    elsewhere = 1.0 - p
    slipped = xp.where(
        elsewhere > 0,
        others / xp.where(elsewhere > 0, elsewhere, xp.ones_like(p)),
        xp.zeros_like(p),
    )
    # A mean of plausibilities, which rounding may carry out of their range.
    top = xp.max(pl, axis=1)[:, None] + xp.zeros_like(p)
    return xp.minimum(xp.maximum(slipped, xp.zeros_like(p)), top)


@dataclass(frozen=True)
class LabelledProbabilities:
    """Plausibilities of observed labels, and their likelihoods as slips (`alike`), (b, K) each.

    The likelihoods' matrix holds ``(1 - λ) γ``: what its rows lack to 1 is λ.
    """

    plausibilities: Array
    slipped: Array
    verified: Array | None = None
    form: str = "labels"

    def rows(self, index: Any) -> LabelledProbabilities:
        """Return the evidence of some rows."""
        verified = None if self.verified is None else self.verified[index]
        return LabelledProbabilities(self.plausibilities[index], self.slipped[index], verified)

    def moved(self, move: Any) -> LabelledProbabilities:
        """Return the evidence on another device."""
        verified = None if self.verified is None else move(self.verified)
        return LabelledProbabilities(move(self.plausibilities), move(self.slipped), verified)

    def log_weights(self, likelihoods: Likelihoods) -> Array:
        """Return ``log Σ_j pl_i(j) Pr(j | k)``, (b, K)."""
        return log_or_minus_infinity(self.weights(likelihoods))

    def weights(self, likelihoods: Likelihoods) -> Array:
        """Return ``Σ_j pl_i(j) Pr(j | k)``, (b, K)."""
        pl, flipped, slipped = self._parts(likelihoods)
        if self.verified is None:
            return flipped + slipped
        return namespace(pl).where(self.verified[:, None], pl, flipped + slipped)

    def told(self, likelihoods: Likelihoods) -> Array:
        """Return each class's share of a row, (b, K); 0 where its label says nothing."""
        return told_shares(self.log_weights(likelihoods))

    def counts(self, class_posterior: Array, likelihoods: Likelihoods) -> Array:
        """Return expected counts of (true class, class observed by a flip), and of slips last.

        (K, K + 1); vacuous and verified rows stay out.
        """
        pl, flipped, slipped = self._parts(likelihoods)
        xp = namespace(pl)
        counted = xp.max(pl, axis=1) > xp.min(pl, axis=1)
        if self.verified is not None:
            counted = xp.logical_and(counted, xp.logical_not(self.verified))
        total = flipped + slipped
        ratio = class_posterior * xp.astype(counted, xp.float64)[:, None]
        ratio = ratio / xp.where(total > 0, total, xp.ones_like(total))
        flips = likelihoods.matrix * (ratio.T @ pl)
        slips = xp.sum(ratio * slipped, axis=0)
        return xp.concat([flips, slips[:, None]], axis=1)

    def _parts(self, likelihoods: Likelihoods) -> tuple[Array, Array, Array]:
        """Return pl, and the likelihood of the label as right or flipped, and as a slip."""
        pl = by_columns(to_float64(self.plausibilities))
        matrix = likelihoods.matrix
        assert matrix is not None
        slip = 1.0 - namespace(pl).sum(matrix, axis=1)
        return pl, (matrix @ pl.T).T, slip[None, :] * by_columns(self.slipped)


class EvenFlips(FullFlips):
    """One rate ε_k for each true class, spread evenly over the other labels."""

    def maximise(self, counts: FloatArray, parameters: FloatArray) -> FloatArray:
        """Return the matrix with ``ε_k`` the share of wrong labels, prior counts included."""
        right, wrong = self._sums(counts)
        return self._matrix(wrong / (right + wrong))

    def gradient(self, counts: FloatArray, parameters: FloatArray) -> FloatArray:
        """Return the gradient in the logits of the rates."""
        right, wrong = self._sums(counts)
        return wrong - (right + wrong) * (1.0 - np.diagonal(parameters))

    def to_vector(self, parameters: FloatArray) -> FloatArray:
        """Return the logits of the rates."""
        right = np.diagonal(parameters)
        return np.log1p(-right) - np.log(right)

    def from_vector(self, vector: FloatArray) -> FloatArray:
        """Return the matrix of logits."""
        return self._matrix(1.0 / (1.0 + np.exp(-np.clip(vector, -30.0, 30.0))))

    def n_parameters(self) -> int:
        """Return K."""
        return self.n_classes

    def _sums(self, counts: FloatArray) -> tuple[FloatArray, FloatArray]:
        total = counts + self.pseudo_counts
        right = np.diagonal(total)
        return right, np.sum(total, axis=1) - right

    def _matrix(self, rates: FloatArray) -> FloatArray:
        rates = np.clip(rates, 1e-12, 1.0 - 1e-12)
        right = np.eye(self.n_classes, dtype=bool)
        return np.where(right, 1.0 - rates[:, None], rates[:, None] / (self.n_classes - 1))


class Mistakes:
    """The channel of this module, as the engine sees it: flips of some kind, and λ.

    Parameters
    ----------
    flips : FullFlips, EvenFlips or SymmetricFlips
        What is learned of γ.
    """

    learned = True
    transparent = False

    def __init__(self, flips: FullFlips | SymmetricFlips) -> None:
        self.flips = flips

    def aligned(self, evidence: Evidence) -> Evidence:
        """Return the evidence: its symbols are the classes."""
        return evidence

    def reading(self, evidence: Evidence) -> Mistakes:
        """Return itself: other rows bring no other symbols."""
        return self

    def start(self) -> FloatArray:
        """Return flips near the identity, and few slips."""
        return _joined(self.flips.start(), _START)

    def first_look(self) -> Likelihoods:
        """Return the start."""
        return self.likelihoods(self.start())

    def likelihoods(self, parameters: FloatArray) -> Likelihoods:
        """Return ``(1 - λ) γ`` and its logarithm."""
        flips, slip = _split(parameters)
        matrix = (1.0 - slip) * flips
        return Likelihoods(matrix, np.log(matrix))

    def maximise(self, counts: FloatArray, parameters: FloatArray) -> FloatArray:
        """Return the flips' own M-step, and λ in proportion to expected counts and the prior's."""
        slips, others = _totals(counts)
        flips = self.flips.maximise(counts[:, :-1], parameters[:, :-1])
        return _joined(flips, slips / (slips + others))

    def log_prior(self, parameters: FloatArray) -> float:
        """Return the flips' own, and ``0.1 log λ + log(1 - λ)``."""
        flips, slip = _split(parameters)
        doubts = _SLIP * np.log(slip) + _OTHERWISE * np.log1p(-slip)
        return float(self.flips.log_prior(flips) + doubts)

    def gradient(self, counts: FloatArray, parameters: FloatArray) -> FloatArray:
        """Return the gradient in the coordinates of the flips and the logit of λ."""
        flips, slip = _split(parameters)
        slips, others = _totals(counts)
        turn = self.flips.gradient(counts[:, :-1], flips)
        return np.append(turn, slips - (slips + others) * slip)

    def to_vector(self, parameters: FloatArray) -> FloatArray:
        """Return the coordinates of the flips, and the logit of λ."""
        flips, slip = _split(parameters)
        return np.append(self.flips.to_vector(flips), np.log(slip) - np.log1p(-slip))

    def from_vector(self, vector: FloatArray) -> FloatArray:
        """Return the parameters of coordinates."""
        logit = float(np.clip(vector[-1], -600.0, 30.0))
        return _joined(self.flips.from_vector(vector[:-1]), 1.0 / (1.0 + np.exp(-logit)))

    def naming(self, counts: FloatArray, sizes: IntArray) -> None:
        """Leave the names: the probabilities fix them."""

    def renamed(self, parameters: FloatArray, names: IntArray) -> FloatArray:
        """Return the parameters with latent class k called ``names[k]``."""
        flips, slip = _split(parameters)
        return _joined(self.flips.renamed(flips, names), slip)

    def n_parameters(self) -> int:
        """Return the flips' number, and 1."""
        return self.flips.n_parameters() + 1


def _totals(counts: FloatArray) -> tuple[float, float]:
    """Return expected counts of slips and of all else, prior included."""
    return float(np.sum(counts[:, -1])) + _SLIP, float(np.sum(counts[:, :-1])) + _OTHERWISE


def _split(parameters: FloatArray) -> tuple[FloatArray, float]:
    return parameters[:, :-1], float(parameters[0, -1])


def _joined(flips: FloatArray, slip: float) -> FloatArray:
    return np.column_stack([flips, np.full(len(flips), slip)])
