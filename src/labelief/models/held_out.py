"""Class probabilities that another model gave for held-out rows, made sharper or duller."""

from __future__ import annotations

from typing import Any

import numpy as np

from labelief._typing import Array, FloatArray, IntArray
from labelief.kernels.namespace import by_columns, namespace, to_float64
from labelief.kernels.posterior import posterior
from labelief.models.contract import MStep

__all__ = ["HeldOut"]

# One step changes the exponent by this factor at most.
_LARGEST_STEP = float(np.log(2.0))


class HeldOut:
    """``Pr(k | x_i) = p_ik^β / Σ_l p_il^β``; the rows hold ``log p_ik``, the parameter is log β.

    A classifier that was fitted to labels of which some are wrong foretells the labels, not the
    classes: its probabilities are duller than the truth's.  An exponent β above 1 sharpens them
    (Guo et al. 2017, "On calibration of modern neural networks", §4.2: temperature scaling, β =
    1/T), here under a channel that explains wrong labels.  The prior is ``log β ~ N(0, 1)``.

    Parameters
    ----------
    n_classes : int
    """

    m_step: MStep = "improves"
    conditional = True

    def __init__(self, n_classes: int) -> None:
        self.component_class: IntArray = np.arange(n_classes)

    @property
    def width(self) -> int:
        """Doubles that a pass holds for each row."""
        return 10 * len(self.component_class)

    def start(self) -> float:
        """Return log β = 0: the probabilities as given."""
        return 0.0

    def factors(self, parameters: float) -> tuple[FloatArray]:
        """Return β."""
        return (np.asarray(np.exp(parameters)),)

    def features(self, X: Array, factors: Any) -> Array:
        """Kernel: return ``log p``, (b, K), columns contiguous."""
        return by_columns(to_float64(X))

    def log_joint(self, features: Array, factors: tuple[Array]) -> Array:
        """Kernel: return ``β log p_k`` in each row, (b, K)."""
        return features * factors[0]

    def row_term(self, features: Array, factors: tuple[Array]) -> Array:
        """Kernel: return ``-log Σ_k p_k^β``, (b,)."""
        return -posterior(self.log_joint(features, factors))[0]

    def statistics(self, features: Array, R: Array, likelihood: Array, factors: Any) -> Array:
        """Kernel: return slope and curvature of ``Σ_ik r_ik log Pr(k | x_i)`` in β, (2,).

        ``Σ_i Σ_k (r_ik - w_i q_ik) log p_ik`` and ``Σ_i w_i Var_q(log p_i)``, w the sums of R.
        """
        xp = namespace(R)
        weight = xp.sum(R, axis=1)
        q = likelihood / xp.sum(likelihood, axis=1)[:, None]
        mean = xp.sum(q * features, axis=1)
        slope = xp.sum(R * features) - xp.sum(weight * mean)
        spread = xp.sum(q * (features - mean[:, None]) ** 2, axis=1)
        return xp.stack([slope, xp.sum(weight * spread)])

    def row_term_total(self, parameters: float) -> float:
        """Return 0: a conditional model's row terms are part of its pass."""
        return 0.0

    def maximise(self, record: FloatArray, parameters: float) -> float:
        """Return log β after one Newton step, by a factor of 2 at most."""
        beta = np.exp(parameters)
        slope = beta * record[0] - parameters
        step = slope / (beta**2 * record[1] + 1.0)
        return float(parameters + np.clip(step, -_LARGEST_STEP, _LARGEST_STEP))

    def log_prior(self, parameters: float) -> float:
        """Return ``-½ (log β)²``."""
        return -0.5 * parameters**2

    def gradient(self, record: FloatArray, parameters: float) -> FloatArray:
        """Return the gradient of the objective in log β."""
        return np.array([np.exp(parameters) * record[0] - parameters])

    def renamed(self, parameters: float, names: IntArray) -> float:
        """Return log β: it is of no class."""
        return parameters

    def to_vector(self, parameters: float) -> FloatArray:
        """Return log β."""
        return np.array([parameters])

    def from_vector(self, vector: FloatArray) -> float:
        """Return log β."""
        return float(vector[0])

    def n_parameters(self) -> int:
        """Return 1."""
        return 1
