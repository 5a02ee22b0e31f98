"""The contract of a channel: what an observed label says about the true class.

A public channel (`Trusted`, `FlipNoise`...) stores what the user asked for and is cloned like any
estimator; ``bind`` turns it into the part that a fit works with, for so many classes and for the
symbols that the evidence holds.  The products with observed labels live in
:mod:`labelief.blocks.evidence`; a channel supplies likelihoods and learns from expected counts of
(true class, observed symbol).
"""

from __future__ import annotations

from typing import Any, Protocol

from labelief._typing import FloatArray, IntArray
from labelief.blocks.evidence import Evidence, Likelihoods

__all__ = ["BoundChannel", "Channel"]


class BoundChannel(Protocol):
    """A channel between K classes, as the engine sees it.  Parameters are host records."""

    learned: bool
    """Whether anything is learned; if not, no counts are gathered."""

    def aligned(self, evidence: Evidence) -> Evidence:
        """Return the evidence of other rows in the symbols of this channel, or refuse it."""

    def reading(self, evidence: Evidence) -> BoundChannel:
        """Return the channel with a symbol for all that aligned evidence may say.

        Parameters stay what they are; only `likelihoods` has other columns.
        """

    transparent: bool
    """Whether the observed label is the class itself, so that crisp labels decide everything."""

    def start(self) -> Any:
        """Return first parameters: near the identity, or where an earlier fit ended."""

    def first_look(self) -> Likelihoods:
        """Return the likelihoods by which a start reads the labels."""

    def likelihoods(self, parameters: Any) -> Likelihoods:
        """Return what the products with observed labels need."""

    def maximise(self, counts: FloatArray, parameters: Any) -> Any:
        """Return the best parameters under expected counts and the prior."""

    def log_prior(self, parameters: Any) -> float:
        """Return the log of the prior, up to a constant."""

    def gradient(self, counts: FloatArray, parameters: Any) -> FloatArray:
        """Return the gradient of the objective in the coordinates of `to_vector`."""

    def to_vector(self, parameters: Any) -> FloatArray:
        """Return unconstrained coordinates of the parameters."""

    def from_vector(self, vector: FloatArray) -> Any:
        """Return the parameters of a vector."""

    def naming(self, counts: FloatArray, sizes: IntArray) -> IntArray | None:
        """Return the name (0..K-1) that each latent class should bear, or None to leave them.

        Only classes of equal `sizes` (numbers of components) may exchange names.
        """

    def renamed(self, parameters: Any, names: IntArray) -> Any:
        """Return the parameters with latent class k called ``names[k]``."""

    def n_parameters(self) -> int:
        """Return the number of free parameters, for BIC."""


class Channel(Protocol):
    """A public channel."""

    form: str
    """The form of evidence it reads: "labels" or "votes"."""

    def bind(self, n_classes: int, evidence: Evidence) -> BoundChannel:
        """Return the part that a fit to this evidence works with."""

    def fitted(self, bound: BoundChannel, parameters: Any) -> Any:
        """Return a copy of the channel that carries the learned attributes."""
