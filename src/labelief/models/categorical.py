"""Independent features of levels without order given the component: colours, sites, codes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from labelief._typing import Array, FloatArray, IntArray
from labelief.blocks.moments import Moments
from labelief.blocks.source import Block, BlockSource
from labelief.kernels.counts import indicators
from labelief.kernels.features import with_ones
from labelief.kernels.gaps import filled
from labelief.kernels.namespace import namespace, take_features, to_float64
from labelief.models.discrete import DiscretePrior, pseudo_rows, refuse_outside
from labelief.models.exponential import ExponentialFamily
from labelief.models.shrinkage import Strength

__all__ = ["Categorical"]

# Logarithms of shares stay where their exponentials are numbers.
_SMALLEST = -600.0
# A column of more levels than this is more likely a number than a category.
_MOST = 2**16
_DIGIT = 16


@dataclass(frozen=True)
class LevelFrame:
    """Levels of the columns, one after the other: L in all.

    Attributes
    ----------
    moments : Moments
        Weight and mean codes; scales are 0, because no covariance shrinks.
    sizes : (d,) integer array
        Number of levels of each column.
    base : (L,) array
        Shares of the levels over all rows, none of them 0.
    gaps : bool
        Whether rows may have missing features.
    """

    moments: Moments
    sizes: IntArray
    base: FloatArray
    gaps: bool

    n_cut = 0

    @property
    def rank(self) -> int:
        """Number of columns: all of them."""
        return len(self.sizes)

    @property
    def columns(self) -> IntArray:
        """Column of each level, (L,)."""
        return np.repeat(np.arange(self.rank), self.sizes)

    @property
    def starts(self) -> IntArray:
        """First level of each column, (d,)."""
        return np.asarray(np.cumsum(self.sizes) - self.sizes)

    @property
    def codes(self) -> FloatArray:
        """Code of each level, (L,)."""
        return np.asarray(np.arange(len(self.base)) - self.starts[self.columns], dtype=np.float64)

    @property
    def arrays(self) -> tuple[Any, ...]:
        """What a kernel needs: columns, codes, shares, and inverse spreads of the indicators."""
        variance = self.sums(self.base * (1.0 - self.base))
        inverse = 1.0 / np.sqrt(np.where(variance > 0, variance, 1.0))
        return self.columns, self.codes, self.base, inverse[self.columns]

    def sums(self, values: FloatArray) -> FloatArray:
        """Sum over the levels of each column: ``(..., L) -> (..., d)``."""
        return np.asarray(np.add.reduceat(values, self.starts, axis=-1))


@dataclass(frozen=True)
class LevelParameters:
    """Logarithms of the shares of all columns' levels, (J, L), and each column's first level."""

    log_shares: FloatArray
    starts: IntArray


class Categorical(ExponentialFamily):
    """Independent features of levels 0, 1, ..., L_a - 1 given the component.

    ``log f_j(x) = Σ_a log p_ja(x_a)``, linear in the indicators of the levels.  Missing features
    (NaN) are left out of the sum.  M-step: ``p_ja(l) = (n_ja(l) + ν q_a(l)) / (n_ja + ν)``, with
    q_a(l) the share of the level over all rows: ν rows of those shares in each component are the
    fixed Dirichlet prior ``ν Σ_l q_a(l) log p_ja(l)``, so that a level that a class has never shown
    is unlikely in it and not impossible.

    Columns hold codes (``sklearn.preprocessing.OrdinalEncoder`` makes them).  The levels are those
    up to the largest code of the fit; a row with a higher one is refused, because nothing is known
    of it: give `n_levels` where folds may not show all of them.  ``means_`` and ``covariances_``
    are of the codes.

    Parameters
    ----------
    n_levels : int or list of int, default=None
        Levels of all columns, or of each; None counts them in the rows of the fit.
    pseudo_count : float, default=1.0
        ν is ``pseudo_count + ridge · n``.

    Examples
    --------
    >>> from labelief import GenerativeClassifier
    >>> from labelief.densities import Categorical
    >>> X = [[0, 2], [0, 1], [1, 0], [1, 2], [float("nan"), 0]]
    >>> model = GenerativeClassifier(Categorical(n_levels=3)).fit(X, ["a", "a", "b", "b", "b"])
    >>> model.predict([[0, 1], [2, 0]])
    array(['a', 'b'], dtype='<U1')
    """

    tied = False
    missing = True
    shrinks = False

    def __init__(self, n_levels: Any = None, *, pseudo_count: float = 1.0) -> None:
        self.n_levels = n_levels
        self.pseudo_count = pseudo_count

    def check(self, blocks: BlockSource, frame: LevelFrame | None = None) -> None:
        """Refuse what is no code of a level, naming column and row."""
        given = self.n_levels is not None
        sizes = self._given_sizes(blocks.n_columns) if frame is None else frame.sizes

        def cure(column: int) -> str:
            size = int(sizes[column])
            if frame is None and not given:
                return (
                    f"Categorical features are whole numbers from 0 to {size - 1}, codes of "
                    "levels. Code the column by OrdinalEncoder, or give it another density."
                )
            return (
                f"Categorical has levels 0 to {size - 1} there"
                + ("" if given else ", those of the fit")
                + ". Raise n_levels to the number of levels that may occur, or set the entry to "
                "NaN for missing."
            )

        refuse_outside(blocks, np.asarray(sizes - 1, dtype=np.float64), cure)

    def frame(self, blocks: BlockSource) -> LevelFrame:
        """Count the levels."""
        self.check(blocks)
        d = blocks.n_columns
        sizes = self._given_sizes(d) if self.n_levels is not None else _largest(blocks) + 1
        moments = Moments(blocks.total_weight, np.zeros(d), np.zeros(d), None)
        frame = LevelFrame(moments, sizes, np.ones(int(np.sum(sizes))), blocks.gaps)
        counts = blocks.map_reduce(_counts, frame.arrays[:2], 2 * len(frame.base) + d)
        weight = frame.sums(counts)
        base = (counts + 1.0 / sizes[frame.columns]) / (weight + 1.0)[frame.columns]
        mean = frame.sums(frame.codes * counts) / np.where(weight > 0, weight, 1.0)
        return replace(frame, base=base, moments=replace(moments, mean=mean))

    def opened(self, frame: LevelFrame) -> LevelFrame:
        """Return the frame for rows that may have missing features."""
        return replace(frame, gaps=True)

    def width(self, frame: LevelFrame, n_components: int) -> int:
        """Return how many doubles a pass holds for each row."""
        return 3 * len(frame.base) + 2 * frame.rank + 4 * n_components

    def coordinates(self, X: Array, arrays: tuple[Array, ...]) -> Array:
        """Kernel: return centred indicators, of total variance 1 in each column, (b, L).

        A missing feature lies at the column's mean.
        """
        columns, codes, base, inverse = arrays
        X = to_float64(X)
        here = take_features(1.0 - filled(X)[1], columns)
        return (indicators(X, columns, codes) - base) * here * inverse

    def features(self, X: Array, arrays: tuple[Array, ...]) -> Array:
        """Kernel: return 1 and the indicators of the levels, (b, 1 + L)."""
        return with_ones(indicators(to_float64(X), *arrays[:2]))

    def factors(
        self, parameters: LevelParameters, frame: LevelFrame, log_weights: FloatArray
    ) -> tuple[FloatArray]:
        """Return the coefficients, (1 + L, J)."""
        return (np.vstack([log_weights, parameters.log_shares.T]),)

    def start(self, record: FloatArray, frame: LevelFrame, prior: DiscretePrior) -> LevelParameters:
        """Return shares held by a few more rows."""
        return self.maximise(record, None, frame, DiscretePrior(prior.count + 3.0))

    def maximise(
        self,
        record: FloatArray,
        parameters: LevelParameters | None,
        frame: LevelFrame,
        prior: DiscretePrior,
    ) -> LevelParameters:
        """Return the shares."""
        counts = record[1:].T
        held = frame.sums(counts) + prior.count
        nothing = held == 0
        held, nothing = (held + nothing)[:, frame.columns], nothing[:, frame.columns]
        shares = (counts + (prior.count + nothing) * frame.base) / held
        with np.errstate(divide="ignore"):
            return LevelParameters(np.maximum(np.log(shares), _SMALLEST), frame.starts)

    def fixed_prior(self, frame: LevelFrame, strength: Strength) -> DiscretePrior:
        """Return the number of pseudo-rows."""
        return pseudo_rows(self, strength)

    def log_prior(
        self, parameters: LevelParameters, frame: LevelFrame, prior: DiscretePrior
    ) -> float:
        """Return ``ν Σ_ja Σ_l q_a(l) log p_ja(l)``."""
        return float(prior.count * np.sum(frame.base * parameters.log_shares))

    def to_vector(self, parameters: LevelParameters) -> FloatArray:
        """Return the logarithms of the shares against that of the column's first level."""
        logs, starts = parameters.log_shares, parameters.starts
        sizes = np.diff(np.append(starts, logs.shape[1]))
        against = logs - np.repeat(logs[:, starts], sizes, axis=1)
        return np.delete(against, starts, axis=1).ravel()

    def from_vector(
        self, vector: FloatArray, n_components: int, frame: LevelFrame
    ) -> LevelParameters:
        """Return the parameters of a vector."""
        logs = np.zeros((n_components, len(frame.base)))
        free = np.delete(np.arange(len(frame.base)), frame.starts)
        logs[:, free] = vector.reshape(n_components, len(free))
        logs = logs - np.maximum.reduceat(logs, frame.starts, axis=1)[:, frame.columns]
        total = np.log(frame.sums(np.exp(logs)))[:, frame.columns]
        return LevelParameters(np.maximum(logs - total, _SMALLEST), frame.starts)

    def reordered(self, parameters: LevelParameters, order: IntArray) -> LevelParameters:
        """Return the parameters with components in another order."""
        return LevelParameters(parameters.log_shares[order], parameters.starts)

    def means(self, parameters: LevelParameters, frame: LevelFrame) -> FloatArray:
        """Return mean codes, (J, d)."""
        return frame.sums(frame.codes * np.exp(parameters.log_shares))

    def covariances(self, parameters: LevelParameters, frame: LevelFrame) -> FloatArray:
        """Return diagonal covariances of the codes, (J, d, d)."""
        away = frame.codes - self.means(parameters, frame)[:, frame.columns]
        variances = frame.sums(away**2 * np.exp(parameters.log_shares))
        return np.asarray(variances[:, :, None] * np.eye(frame.rank))

    def n_parameters(self, n_components: int, frame: LevelFrame) -> int:
        """Return the number of free parameters."""
        return n_components * (len(frame.base) - frame.rank)

    def _given_sizes(self, n_columns: int) -> IntArray:
        """Return the numbers of levels that are given, else the most there can be."""
        sizes = np.asarray(_MOST if self.n_levels is None else self.n_levels)
        if sizes.ndim == 0:
            sizes = np.repeat(sizes, n_columns)
        if sizes.shape != (n_columns,) or sizes.dtype.kind not in "iu" or np.any(sizes < 1):
            raise ValueError(
                f"n_levels of Categorical must be an integer of 1 or more, or a list of "
                f"{n_columns} of them (one per column); got {self.n_levels!r}."
            )
        return sizes.astype(np.int64)


def _largest(blocks: BlockSource) -> IntArray:
    """Return the largest code of each column, (d,).

    Sums tell how many rows reach a number, so that codes are found digit by digit.  A column that
    no row has counts as one of level 0 alone.
    """
    largest = np.zeros(blocks.n_columns)
    step = float(_MOST // _DIGIT)
    while step >= 1.0:
        marks = largest + step * np.arange(1.0, _DIGIT)[:, None]
        reached = blocks.map_reduce(_reaching, (marks,), 4 * blocks.n_columns)
        largest = largest + step * np.sum(reached > 0, axis=0)
        step /= _DIGIT
    return largest.astype(np.int64)


def _reaching(block: Block, parameters: tuple[Array]) -> Array:
    """Kernel: return how many rows reach each of the marks, (marks, d)."""
    xp, X = namespace(block.X), to_float64(block.X)
    (marks,) = parameters
    return xp.stack(
        [xp.sum(xp.astype(X >= marks[k, :], xp.float64), axis=0) for k in range(marks.shape[0])]
    )


def _counts(block: Block, parameters: tuple[Array, Array]) -> Array:
    """Kernel: return the weight of the rows at each level, (L,)."""
    rows = indicators(to_float64(block.X), *parameters)
    xp = namespace(rows)
    return xp.sum(rows if block.weights is None else rows * block.weights[:, None], axis=0)
