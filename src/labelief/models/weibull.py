"""Independent Weibull features given the component: lifetimes, intensities, wind speeds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import digamma, gamma, polygamma

from labelief._typing import Array, FloatArray, IntArray
from labelief.blocks.frames import Axes, axes
from labelief.blocks.moments import measure_moments
from labelief.blocks.source import Block, BlockSource
from labelief.kernels.features import scaled, with_ones, with_squares
from labelief.kernels.gumbel import ExponentialSums, exponential_sums, hazards
from labelief.kernels.namespace import column_product, cross_product, namespace, to_float64
from labelief.models.abilities import PlainDensity
from labelief.models.contract import MStep
from labelief.models.gaussian import means_of
from labelief.models.shrinkage import Strength

__all__ = ["Weibull"]

# A Gumbel variable with mean 0 and variance 1: what the standardised log features look like.
_SHAPE = float(np.pi / np.sqrt(6.0))
_LOCATION = float(np.euler_gamma)
# The shape in log coordinates is kept where its exponentials are numbers.
_RANGE = (1e-3, 1e4)
_LARGEST = float(np.finfo(np.float64).max)


@dataclass(frozen=True)
class WeibullParameters:
    """Shapes κ and locations c in standardised log coordinates, both (J, r)."""

    shapes: FloatArray
    locations: FloatArray


@dataclass(frozen=True)
class WeibullPrior:
    """ν rows of a Weibull with the mean and variance of all log features."""

    count: float


class Weibull(PlainDensity):
    """Independent Weibull features given the component (come2008).

    ``f(x) = (k/λ) (x/λ)^{k-1} exp(-(x/λ)^k)`` for x > 0.  Given the shapes, scales are explicit;
    the shape takes one safeguarded Newton step on the profile of the expected log-likelihood, which
    is concave in ``(κ, c)``: the M-step improves.  The ridge adds ν rows of a Weibull with the mean
    and variance of all rows' log features (in expectation), so that no shape runs off to infinity.

    Examples
    --------
    >>> import numpy as np
    >>> from labelief import GenerativeClassifier
    >>> from labelief.densities import Weibull
    >>> rng = np.random.default_rng(0)
    >>> X = np.r_[rng.weibull(1.0, (50, 1)), 3 * rng.weibull(4.0, (50, 1))]
    >>> model = GenerativeClassifier(Weibull()).fit(X, [0] * 50 + [1] * 50)
    >>> model.predict([[0.1], [3.0]])
    array([0, 1])
    """

    m_step: MStep = "improves"
    tied = False
    shrinks = False

    def check(self, blocks: BlockSource, frame: Any = None) -> None:
        """Refuse features that are not positive."""
        bad = blocks.map_reduce(_not_positive, (), width=2 * blocks.n_columns)
        if np.any(bad):
            column = int(np.argmax(bad > 0))
            raise ValueError(
                f"Column {blocks.column(column)} of X has {int(bad[column])} values that are not "
                "positive; a Weibull feature needs x > 0. Shift the column, or give it another "
                "density."
            )

    def frame(self, blocks: BlockSource) -> Axes:
        """Standardise the log features."""
        self.check(blocks)
        return axes(measure_moments(blocks, full=False, transform=_logarithm))

    def width(self, frame: Axes, n_components: int) -> int:
        """Return how many doubles a pass holds for each row."""
        return 8 * frame.rank + 4 * n_components

    def coordinates(self, X: Array, arrays: tuple[Array | None, Array, Array]) -> Array:
        """Kernel: return the standardised log features, (b, r)."""
        return scaled(_logarithm(to_float64(X)), *arrays)

    def features(self, X: Array, arrays: tuple[Array | None, Array, Array]) -> Array:
        """Kernel: return ``(1, u)``."""
        return with_ones(self.coordinates(X, arrays))

    def factors(
        self, parameters: WeibullParameters, frame: Axes, log_weights: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Return linear coefficients (1 + r, J), shapes, locations and what `row_term` needs."""
        shapes, locations = parameters.shapes, parameters.locations
        constant = log_weights + np.sum(np.log(shapes) - locations, axis=1) - frame.log_volume
        jacobian = -np.concatenate([[np.sum(frame.center)], frame.scale])
        return np.vstack([constant, shapes.T]), shapes, locations, jacobian[:, None]

    def log_density(self, features: Array, factors: tuple[Array, ...]) -> Array:
        """Kernel: return ``Σ_a [log κ + t - e^t]`` with the components' log weights."""
        linear, shapes, locations, _ = factors
        return column_product(features, linear) - hazards(features[:, 1:], shapes, locations)

    def row_term(
        self, features: Array, arrays: tuple[Array, ...], factors: tuple[Array, ...]
    ) -> Array:
        """Kernel: return ``-Σ_a log x_a``."""
        return column_product(features, factors[3])[:, 0]

    def row_term_total(self, parameters: WeibullParameters, frame: Axes) -> float:
        """Return ``-Σ_i w_i Σ_a log x_ia``."""
        return float(-frame.moments.weight * np.sum(frame.center))

    def statistics(self, features: Array, R: Array, factors: tuple[Array, ...]) -> ExponentialSums:
        """Kernel: return the sums of the M-step."""
        return exponential_sums(features, R, factors[1], factors[2])

    def start_statistics(
        self, X: Array, R: Array, arrays: tuple[Array | None, Array, Array]
    ) -> Array:
        """Kernel: return the log features' first two moments."""
        return cross_product(with_squares(self.coordinates(X, arrays)), R)

    def counts(self, record: ExponentialSums | FloatArray) -> FloatArray:
        """Return the weight of each component, (J,)."""
        linear = record.linear if isinstance(record, ExponentialSums) else record
        return np.asarray(linear[0])

    def start(self, record: FloatArray, frame: Axes, prior: WeibullPrior) -> WeibullParameters:
        """Match the mean and variance of the log features, held by a few more rows."""
        r, counts = frame.rank, record[0]
        means = means_of(counts, record[1 : r + 1].T)
        scatter = record[r + 1 :].T - counts[:, None] * means**2
        deviation = np.sqrt((np.maximum(scatter, 0.0) + 3.0) / (counts[:, None] + 3.0))
        shapes = np.clip(_SHAPE / deviation, *_RANGE)
        return WeibullParameters(shapes, shapes * means + _LOCATION)

    def maximise(
        self,
        record: ExponentialSums,
        parameters: WeibullParameters,
        frame: Axes,
        prior: WeibullPrior,
    ) -> WeibullParameters:
        """Set the scales, then take one Newton step in the shapes along the profile."""
        kappa, location = parameters.shapes, parameters.locations
        nu = prior.count
        n = record.linear[0][:, None] + nu
        # A component without weight stays where it is.
        empty = n == 0
        n = n + empty
        linear = record.linear[1:].T
        pseudo, slope, curvature = _pseudo_sums(kappa, location, nu)
        zeroth = record.zeroth + pseudo + empty
        first = record.first + pseudo * slope
        second = record.second + pseudo * (slope**2 + curvature)
        ratio = n / zeroth
        gradient = n / kappa + linear - ratio * first
        bend = n / kappa**2 + ratio * (second - first * (first / zeroth))
        moved = np.clip(kappa + gradient / bend, np.maximum(kappa / 2, _RANGE[0]), None)
        moved = np.where(empty, kappa, np.minimum(moved, np.minimum(kappa * 2, _RANGE[1])))
        return WeibullParameters(moved, location - np.log(ratio) + (moved - kappa) * first / zeroth)

    def fixed_prior(self, frame: Axes, strength: Strength) -> WeibullPrior:
        """Return the weight of the pseudo-rows."""
        if strength.diagonal > 0:
            raise ValueError(
                "Weibull has no covariance to shrink: leave shrinkage=None and use ridge."
            )
        return WeibullPrior(strength.total)

    def log_prior(self, parameters: WeibullParameters, frame: Axes, prior: WeibullPrior) -> float:
        """Return the expected log density of the pseudo-rows."""
        kappa, location = parameters.shapes, parameters.locations
        pseudo, _, _ = _pseudo_sums(kappa, location, prior.count)
        size = len(kappa) * (frame.log_volume + float(np.sum(frame.center)))
        return float(np.sum(prior.count * (np.log(kappa) - location) - pseudo) - prior.count * size)

    def to_vector(self, parameters: WeibullParameters) -> FloatArray:
        """Return shapes and locations: in these the expected log-likelihood is concave.

        So a step of the M-step that goes too far rises once it is halved often enough.
        """
        return np.concatenate([parameters.shapes.ravel(), parameters.locations.ravel()])

    def from_vector(self, vector: FloatArray, n_components: int, frame: Axes) -> WeibullParameters:
        """Return the parameters of a vector."""
        shapes, locations = vector.reshape(2, n_components, frame.rank)
        return WeibullParameters(np.clip(shapes, *_RANGE), locations)

    def reordered(self, parameters: WeibullParameters, order: IntArray) -> WeibullParameters:
        """Return the parameters with components in another order."""
        return WeibullParameters(parameters.shapes[order], parameters.locations[order])

    def shapes_and_scales(
        self, parameters: WeibullParameters, frame: Axes
    ) -> tuple[FloatArray, FloatArray]:
        """Return k and λ in the units of the features, over the columns with variance."""
        k = parameters.shapes / frame.scale
        return k, np.exp(frame.center + parameters.locations / k)

    def means(self, parameters: WeibullParameters, frame: Axes) -> FloatArray:
        """Return ``λ Γ(1 + 1/k)``, (J, d); a constant column keeps its value."""
        k, scale = self.shapes_and_scales(parameters, frame)
        out = np.tile(np.exp(frame.moments.mean), (len(k), 1))
        with np.errstate(over="ignore"):
            out[:, frame.columns] = np.minimum(scale * gamma(1.0 + 1.0 / k), _LARGEST)
        return out

    def covariances(self, parameters: WeibullParameters, frame: Axes) -> FloatArray:
        """Return diagonal covariances ``λ² (Γ(1 + 2/k) - Γ(1 + 1/k)²)``, (J, d, d)."""
        k, scale = self.shapes_and_scales(parameters, frame)
        d = len(frame.moments.mean)
        out = np.zeros((len(k), d, d))
        with np.errstate(over="ignore", invalid="ignore"):
            variances = scale**2 * (gamma(1.0 + 2.0 / k) - gamma(1.0 + 1.0 / k) ** 2)
        # A shape near 0, of a component that hardly a row bears on, has moments beyond all numbers.
        variances = np.where(np.isfinite(variances), np.maximum(variances, 0.0), _LARGEST)
        out[:, frame.columns, frame.columns] = variances
        return out

    def n_parameters(self, n_components: int, frame: Axes) -> int:
        """Return the number of free parameters."""
        return 2 * n_components * frame.rank


def _logarithm(X: Array) -> Array:
    return namespace(X).log(X)


def _not_positive(block: Block, parameters: tuple[()]) -> Array:
    xp = namespace(block.X)
    return xp.sum(xp.astype(to_float64(block.X) <= 0, xp.float64), axis=0)


def _pseudo_sums(
    kappa: FloatArray, location: FloatArray, nu: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return ``ν E e^t`` over a standard Gumbel u, and two derivatives of its log in κ."""
    share = kappa / _SHAPE
    pseudo = (
        nu
        * np.exp(np.minimum(share * _LOCATION - location, 600.0))
        * gamma(np.minimum(1.0 + share, 170.0))
    )
    slope = (_LOCATION + digamma(1.0 + share)) / _SHAPE
    return np.minimum(pseudo, 1e300), slope, polygamma(1, 1.0 + share) / _SHAPE**2
