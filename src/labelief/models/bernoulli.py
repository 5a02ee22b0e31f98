"""Independent features of 0 and 1 given the component: symptoms, words present, answers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit

from labelief._typing import Array, FloatArray, IntArray
from labelief.kernels.features import with_ones
from labelief.models.discrete import DiscreteFamily, DiscreteFrame, DiscretePrior

__all__ = ["Bernoulli"]

# Log odds stay where their exponentials are numbers.
_RANGE = 600.0


@dataclass(frozen=True)
class BernoulliParameters:
    """Log odds of a 1, (J, d)."""

    log_odds: FloatArray


class Bernoulli(DiscreteFamily):
    """Independent features of 0 and 1 (or bool) given the component.

    ``log f_j(x) = Σ_a [x_a log p_ja + (1 - x_a) log (1 - p_ja)]``, linear in ``(1, x)``.  Missing
    features (NaN) are left out of the sum.  M-step: ``p_ja = (Σ_i r_ij x_ia + ν q_a) /
    (n_ja + ν)``, with q_a the share of ones over all rows: ν rows of that share in each component
    are the fixed Beta prior ``ν [q_a log p_ja + (1 - q_a) log (1 - p_ja)]``, so that nothing that
    was never seen is impossible.

    Parameters
    ----------
    pseudo_count : float, default=1.0
        ν is ``pseudo_count + ridge · n``.

    Examples
    --------
    >>> from labelief import GenerativeClassifier
    >>> from labelief.densities import Bernoulli
    >>> X = [[1, 0, 1], [1, 0, 0], [0, 1, 1], [0, 1, float("nan")]]
    >>> GenerativeClassifier(Bernoulli()).fit(X, [0, 0, 1, 1]).predict([[1, 0, 0], [0, 1, 0]])
    array([0, 1])
    """

    largest = 1.0
    support = "0 or 1"

    def __init__(self, pseudo_count: float = 1.0) -> None:
        self.pseudo_count = pseudo_count

    def base_mean(self, total: FloatArray, weight: FloatArray) -> FloatArray:
        """Return shares over all rows, half a one in one more row included."""
        return np.asarray((total + 0.5) / (weight + 1.0))

    def common_terms(self, X: Array, base: Array) -> Array:
        """Kernel: return 0: nothing is common to all components."""
        return 0.0 * X

    def feature_map(self, z: Array) -> Array:
        """Kernel: return ``(1, x)``."""
        return with_ones(z)

    def factors(
        self, parameters: BernoulliParameters, frame: DiscreteFrame, log_weights: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return the coefficients, and the shares over all rows."""
        log_zero = -np.logaddexp(0.0, parameters.log_odds)
        constant = log_weights + np.sum(log_zero, axis=1)
        gaps = [-log_zero.T] if frame.gaps else []
        return np.vstack([constant, parameters.log_odds.T, *gaps]), frame.base

    def start(
        self, record: FloatArray, frame: DiscreteFrame, prior: DiscretePrior
    ) -> BernoulliParameters:
        """Return shares held by a few more rows."""
        return self.maximise(record, None, frame, DiscretePrior(prior.count + 3.0))

    def maximise(
        self,
        record: FloatArray,
        parameters: BernoulliParameters | None,
        frame: DiscreteFrame,
        prior: DiscretePrior,
    ) -> BernoulliParameters:
        """Return the shares."""
        shares = np.clip(self.shares(record, frame, prior), 0.0, 1.0)
        return BernoulliParameters(np.clip(logit(shares), -_RANGE, _RANGE))

    def log_prior(
        self, parameters: BernoulliParameters, frame: DiscreteFrame, prior: DiscretePrior
    ) -> float:
        """Return ``ν Σ_ja [q_a log p_ja + (1 - q_a) log (1 - p_ja)]``."""
        odds = parameters.log_odds
        return float(prior.count * np.sum(frame.base * odds - np.logaddexp(0.0, odds)))

    def to_vector(self, parameters: BernoulliParameters) -> FloatArray:
        """Return the log odds."""
        return parameters.log_odds.ravel()

    def from_vector(
        self, vector: FloatArray, n_components: int, frame: DiscreteFrame
    ) -> BernoulliParameters:
        """Return the parameters of a vector."""
        odds = vector.reshape(n_components, frame.rank)
        return BernoulliParameters(np.clip(odds, -_RANGE, _RANGE))

    def reordered(self, parameters: BernoulliParameters, order: IntArray) -> BernoulliParameters:
        """Return the parameters with components in another order."""
        return BernoulliParameters(parameters.log_odds[order])

    def means(self, parameters: BernoulliParameters, frame: DiscreteFrame) -> FloatArray:
        """Return the probabilities of a 1, (J, d)."""
        return np.asarray(expit(parameters.log_odds), dtype=np.float64)

    def covariances(self, parameters: BernoulliParameters, frame: DiscreteFrame) -> FloatArray:
        """Return diagonal covariances ``p (1 - p)``, (J, d, d)."""
        variances = expit(parameters.log_odds) * expit(-parameters.log_odds)
        return np.asarray(variances[:, :, None] * np.eye(frame.rank))

    def n_parameters(self, n_components: int, frame: DiscreteFrame) -> int:
        """Return the number of free parameters."""
        return n_components * frame.rank
