"""The contracts of this folder: what a model and a density promise to the engine.

A **model** says how likely a row is for each component; a **density** is one family of component
distributions, from which :class:`labelief.models.components.ComponentModel` makes a model.

Methods named *kernel* run on blocks, on any device, on what ``factors`` prepared; all others run on
the host on small float64 records.  A record of statistics is additive over rows.
"""

from __future__ import annotations

from typing import Any, Literal, Protocol

from labelief._typing import Array, FloatArray, IntArray
from labelief.blocks.source import BlockSource

__all__ = ["Density", "MStep", "Model"]

MStep = Literal["exact", "improves", "refit"]
"""Whether an M-step maximises the expected objective, only raises it, or promises neither."""


class Model(Protocol):
    """Log weights of J components for each row, learned from responsibilities."""

    m_step: MStep
    conditional: bool
    """Whether it gives ``Pr(k | x)``, the soft-max of `log_joint`, and not a joint density."""
    component_class: IntArray
    """(J,) class of each component."""

    @property
    def width(self) -> int:
        """Doubles that a pass holds for each row."""

    def factors(self, parameters: Any) -> tuple[Any, ...]:
        """Return what the kernels need of the parameters, factors inverted beforehand."""

    def features(self, X: Array, factors: Any) -> Array:
        """Kernel: return what both log densities and statistics are made from."""

    def log_joint(self, features: Array, factors: Any) -> Array:
        """Kernel: return ``log π_c w_j f_j(x)`` or ``log Pr(k | x)``, (b, J), columns contiguous.

        A term common to all components of a row may be left out: see `row_term`.
        """

    def row_term(self, features: Array, factors: Any) -> Array:
        """Kernel: return the common term that `log_joint` leaves out, (b,)."""

    def statistics(self, features: Array, R: Array, likelihood: Array, factors: Any) -> Any:
        """Kernel: return the additive record under weighted responsibilities R, (b, J).

        `likelihood` is ``exp(log_joint)`` but for a factor of each row.
        """

    def row_term_total(self, parameters: Any) -> float:
        """Return the weighted sum of `row_term` over the rows of the fit."""

    def maximise(self, record: Any, parameters: Any) -> Any:
        """Return better (or the best) parameters under the record."""

    def log_prior(self, parameters: Any) -> float:
        """Return the log of the fixed prior on the parameters."""

    def renamed(self, parameters: Any, names: IntArray) -> Any:
        """Return the parameters with latent class k called ``names[k]``."""

    def to_vector(self, parameters: Any) -> FloatArray:
        """Return unconstrained coordinates of the parameters."""

    def from_vector(self, vector: FloatArray) -> Any:
        """Return the parameters of a vector."""

    def n_parameters(self) -> int:
        """Return the number of free parameters."""


class Density(Protocol):
    """A family of component densities in coordinates of its own choice.

    A frame, the coordinates of a fit, tells its `moments`, `rank`, `n_cut` (how many directions it
    leaves out), `arrays` (what kernels need of it) and `gaps` (whether rows may miss features).
    """

    m_step: MStep
    tied: bool
    """Whether one covariance serves all components."""
    missing: bool
    """Whether it takes rows with missing features (NaN), in some columns at least."""
    shrinks: bool
    """Whether it has covariances to shrink."""

    def named(self, names: Array | None) -> Density:
        """Return the density for rows whose columns have these names."""

    def check(self, blocks: BlockSource, frame: Any = None) -> None:
        """Refuse rows outside the family's support, or what the fit's frame has no place for.

        The message names column and row.
        """

    def frame(self, blocks: BlockSource) -> Any:
        """Measure the rows and return the coordinates to fit in."""

    def opened(self, frame: Any) -> Any:
        """Return the frame for rows to come, which may miss features where the family allows it."""

    def m_step_in(self, frame: Any) -> MStep:
        """Return whether the M-step is exact in a frame: missing features may change that."""

    def width(self, frame: Any, n_components: int) -> int:
        """Return how many doubles a pass holds for each row."""

    def coordinates(self, X: Array, arrays: Any) -> Array:
        """Kernel: return the rows in the frame, (b, r)."""

    def features(self, X: Array, arrays: Any) -> Array:
        """Kernel: return what densities and statistics are made from."""

    def factors(self, parameters: Any, frame: Any, log_weights: FloatArray) -> tuple[Any, ...]:
        """Return what `log_density` needs, the components' log weights included."""

    def log_density(self, features: Array, factors: Any) -> Array:
        """Kernel: return ``log w_j f_j(x)``, (b, J), but for a term common to a row."""

    def row_term(self, features: Array, arrays: Any, factors: Any) -> Array:
        """Kernel: return that common term, (b,)."""

    def row_term_total(self, parameters: Any, frame: Any) -> float:
        """Return its weighted sum over the rows that the frame was measured on."""

    def statistics(self, features: Array, R: Array, factors: Any) -> Any:
        """Kernel: return the additive record."""

    def expected_log_density(self, record: Any, factors: Any) -> float:
        """Return ``Σ_ij r_ij log w_j f_j(x_i)`` but for row terms, where the M-step is exact."""

    def counts(self, record: Any) -> FloatArray:
        """Return the weight of each component, (J,), from a record."""

    def start_statistics(self, X: Array, R: Array, arrays: Any) -> Any:
        """Kernel: return the additive record of a start, before there are parameters."""

    def start(self, record: Any, frame: Any, prior: Any) -> Any:
        """Return first parameters from a record of `start_statistics`."""

    def maximise(self, record: Any, parameters: Any, frame: Any, prior: Any) -> Any:
        """Return better (or the best) parameters under the record and the fixed prior."""

    def fixed_prior(self, frame: Any, strength: Any) -> Any:
        """Return the fixed prior of a :class:`labelief.models.shrinkage.Strength`."""

    def log_prior(self, parameters: Any, frame: Any, prior: Any) -> float:
        """Return its log density at the parameters."""

    def to_vector(self, parameters: Any) -> FloatArray:
        """Return unconstrained coordinates of the parameters, `n_parameters` of them."""

    def from_vector(self, vector: FloatArray, n_components: int, frame: Any) -> Any:
        """Return the parameters of a vector."""

    def reordered(self, parameters: Any, order: IntArray) -> Any:
        """Return the parameters with components in another order."""

    def means(self, parameters: Any, frame: Any) -> FloatArray:
        """Return component means in the units of the features, (J, d)."""

    def covariances(self, parameters: Any, frame: Any) -> FloatArray:
        """Return component covariances in the units of the features, (J, d, d)."""

    def n_parameters(self, n_components: int, frame: Any) -> int:
        """Return the number of free parameters, for BIC."""
