"""What the families of whole numbers share: support, counts of the fit, pseudo-rows, moments.

Each component is held by ν pseudo-rows that are distributed as all rows are, ν = pseudo_count +
ridge · n: a fixed conjugate prior whose log density, ``ν E log f``, is part of the objective.  So
no parameter leaves the inside of its range, whatever a component has seen.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from numbers import Real
from typing import Any

import numpy as np

from labelief._typing import Array, FloatArray
from labelief.blocks.moments import Moments, measure_moments
from labelief.blocks.source import Block, BlockSource
from labelief.kernels.counts import not_in
from labelief.kernels.gaps import filled
from labelief.kernels.namespace import namespace, to_float64, to_host
from labelief.models.gap_family import GapFamily
from labelief.models.shrinkage import Strength

__all__ = ["DiscreteFamily", "DiscreteFrame", "DiscretePrior", "pseudo_rows", "refuse_outside"]


@dataclass(frozen=True)
class DiscreteFrame:
    """What was counted of the rows of a fit.

    Attributes
    ----------
    moments : Moments
        Weight and means; scales are 0, because no covariance shrinks.
    base : (d,) array
        Mean of each feature over all rows, kept inside its range.
    spread : (d,) array
        Standard deviation of each feature, 1 for a constant one.
    common : float
        Weighted sum over the rows of the terms that components share.
    gaps : bool
        Whether rows may have missing features.
    """

    moments: Moments
    base: FloatArray
    spread: FloatArray
    common: float
    gaps: bool

    n_cut = 0

    @property
    def rank(self) -> int:
        """Number of features: all of them."""
        return len(self.base)

    @property
    def arrays(self) -> tuple[FloatArray, ...]:
        """What a kernel needs: means and inverse spreads; a third array says that some miss."""
        plain = (self.moments.mean, 1.0 / self.spread)
        return (*plain, np.ones(1)) if self.gaps else plain


@dataclass(frozen=True)
class DiscretePrior:
    """ν pseudo-rows."""

    count: float


class DiscreteFamily(GapFamily):
    """Base of the families of independent whole numbers; subclasses set what is below.

    Parameters
    ----------
    pseudo_count : float
        Pseudo-rows in each component, beside those of the ridge.
    """

    tied = False
    shrinks = False
    largest: float
    """The largest value of a feature."""
    support: str
    """What a feature may be, in words."""
    pseudo_count: float

    @abstractmethod
    def base_mean(self, total: FloatArray, weight: FloatArray) -> FloatArray:
        """Return each feature's mean over all rows, from its sum and weight, inside its range."""

    @abstractmethod
    def common_terms(self, X: Array, base: Array) -> Array:
        """Kernel: return the terms that all components share, for x and its mean, (b, d)."""

    def check(self, blocks: BlockSource, frame: Any = None) -> None:
        """Refuse what is outside the support, naming column and row."""
        refuse_outside(
            blocks,
            np.full(blocks.n_columns, self.largest),
            lambda column: (
                f"{type(self).__name__} features are {self.support}. Give the column "
                "another density in Columns, or recode it."
            ),
        )

    def frame(self, blocks: BlockSource) -> DiscreteFrame:
        """Count the rows."""
        self.check(blocks)
        moments = measure_moments(blocks, full=False)
        weight, total = blocks.map_reduce(_totals, (), 4 * blocks.n_columns)
        base = self.base_mean(total, weight)
        common = blocks.map_reduce(partial(_common, self.common_terms), (base,), 8 * len(base))
        spread = np.where(moments.scale > 0, moments.scale, 1.0)
        unshrunk = replace(moments, scale=np.zeros_like(spread))
        return DiscreteFrame(unshrunk, base, spread, float(common), blocks.gaps)

    def opened(self, frame: DiscreteFrame) -> DiscreteFrame:
        """Return the frame for rows that may have missing features."""
        return replace(frame, gaps=True)

    def rows(self, X: Array, arrays: Any) -> Array:
        """Kernel: return the rows as they are, in doubles."""
        return to_float64(X)

    def may_miss(self, arrays: Any) -> bool:
        """Whether the frame's rows may have missing features."""
        return len(arrays) > 2

    def coordinates(self, X: Array, arrays: Any) -> Array:
        """Kernel: return the standardised rows; a missing feature lies at the column's mean."""
        z = (to_float64(X) - arrays[0]) * arrays[1]
        return filled(z)[0] if self.may_miss(arrays) else z

    def n_features(self, arrays: Any) -> int:
        """Return how many features `feature_map` makes."""
        return 1 + int(arrays[0].shape[0])

    def width(self, frame: DiscreteFrame, n_components: int) -> int:
        """Return how many doubles a pass holds for each row."""
        return 4 * frame.rank + 4 * n_components

    def row_term(self, features: Array, arrays: Any, factors: Any) -> Array:
        """Kernel: return the terms that all components share, (b,)."""
        xp = namespace(features)
        d = arrays[0].shape[0]
        terms = self.common_terms(features[:, 1 : 1 + d], factors[1])
        if features.shape[1] > 1 + d:
            terms = terms * (1.0 - features[:, 1 + d :])
        return xp.sum(terms, axis=1)

    def row_term_total(self, parameters: Any, frame: DiscreteFrame) -> float:
        """Return their weighted sum over the rows of the fit."""
        return frame.common

    def fixed_prior(self, frame: Any, strength: Strength) -> DiscretePrior:
        """Return the number of pseudo-rows."""
        return pseudo_rows(self, strength)

    def shares(self, record: FloatArray, frame: DiscreteFrame, prior: DiscretePrior) -> FloatArray:
        """Return the mean of each feature in each component, pseudo-rows included, (J, d)."""
        counts = self.observed(record, frame)
        held = counts + prior.count
        nothing = held == 0
        sums = record[1 : 1 + frame.rank].T + (prior.count + nothing) * frame.base
        return np.asarray(sums / (held + nothing))


def pseudo_rows(density: Any, strength: Strength) -> DiscretePrior:
    """Return the pseudo-rows of the ridge and of a density's `pseudo_count`."""
    name, count = type(density).__name__, density.pseudo_count
    if strength.diagonal > 0:
        raise ValueError(
            f"{name} has no covariance to shrink: leave shrinkage=None and use pseudo_count."
        )
    if not isinstance(count, Real) or not 0.0 <= float(count) < np.inf:
        raise ValueError(f"pseudo_count of {name} must be a number of 0 or more, got {count!r}.")
    return DiscretePrior(strength.total + float(count))


def refuse_outside(blocks: BlockSource, largest: FloatArray, cure: Callable[[int], str]) -> None:
    """Refuse values that are no whole numbers from 0 to `largest`, (d,), naming the first."""
    bad = blocks.map_reduce(_outside, (largest,), width=4 * blocks.n_columns)
    if not np.any(bad):
        return
    column = int(np.argmax(bad > 0))
    at = np.array([column])
    values = to_host(blocks.map_rows(_values, (at,), width=4 * blocks.n_columns))[:, 0]
    row = int(np.argmax(not_in(values[:, None], largest[at])))
    raise ValueError(
        f"Column {blocks.column(column)} of X holds {values[row]:g} in row {row}: {cure(column)}"
    )


def _outside(block: Block, parameters: tuple[Array]) -> Array:
    xp = namespace(block.X)
    bad = not_in(to_float64(block.X), parameters[0])
    return xp.sum(xp.astype(bad, xp.float64), axis=0)


def _values(block: Block, parameters: tuple[Array]) -> Array:
    return to_float64(namespace(block.X).take(block.X, parameters[0], axis=1))


def _totals(block: Block, parameters: tuple[()]) -> tuple[Array, Array]:
    """Kernel: return the weight of the rows that have each feature, and its weighted sum."""
    xp = namespace(block.X)
    X, gone = filled(to_float64(block.X))
    here = 1.0 - gone
    if block.weights is not None:
        here = here * block.weights[:, None]
    return xp.sum(here, axis=0), xp.sum(here * X, axis=0)


def _common(
    terms: Callable[[Array, Array], Array], block: Block, parameters: tuple[Array]
) -> Array:
    """Kernel: return the weighted sum of the terms that all components share."""
    xp = namespace(block.X)
    X, gone = filled(to_float64(block.X))
    rows = xp.sum(terms(X, parameters[0]) * (1.0 - gone), axis=1)
    return xp.sum(rows if block.weights is None else rows * block.weights)
