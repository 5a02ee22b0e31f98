"""The objective of every fit, and one pass over the rows that gives all a solver needs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from labelief._typing import FloatArray, IntArray
from labelief.blocks.source import Block, BlockSource
from labelief.channels.contract import BoundChannel
from labelief.kernels.namespace import namespace
from labelief.kernels.posterior import (
    class_sums,
    posterior,
    relative,
    spread,
    weighted_posterior,
)
from labelief.models.contract import Model

__all__ = ["Evaluation", "Parameters", "Problem", "component_arrays"]


@dataclass(frozen=True)
class Parameters:
    """Parameters of the model and of the channel."""

    model: Any
    channel: Any


@dataclass(frozen=True)
class Evaluation:
    """What one pass says of some parameters.

    Attributes
    ----------
    parameters : Parameters
    objective : float
        Log-likelihood plus log priors: what a solver climbs.
    log_likelihood : float
        ``Σ_i w_i log Σ_k pl_i(k) p_k(x_i)``.
    record : Any
        The model's statistics under the responsibilities.
    counts : array or None
        Expected counts of (true class, observed symbol), where the channel learns.
    """

    parameters: Parameters
    objective: float
    log_likelihood: float
    record: Any
    counts: FloatArray | None


class _Pass(NamedTuple):
    log_likelihood: Any
    record: Any
    counts: Any


def component_arrays(
    component_class: IntArray, n_classes: int
) -> tuple[IntArray | None, FloatArray | None]:
    """Return each component's class and the (J, K) membership; None where they are the classes."""
    if np.array_equal(component_class, np.arange(n_classes)):
        return None, None
    return component_class, np.eye(n_classes)[component_class]


def _pass(model: Model, learned: bool, block: Block, parameters: Any) -> _Pass:
    """Run the E-step on a block and gather what the M-step needs (methods.md §1)."""
    factors, likelihoods, component_class, membership = parameters
    assert block.evidence is not None
    xp = namespace(block.X)
    features = model.features(block.X, factors)
    log_joint = model.log_joint(features, factors)
    top, likelihood = relative(log_joint)
    weights = block.evidence.weights(likelihoods)
    weighed = (
        None
        if weights is None
        else weighted_posterior(likelihood, spread(weights, component_class))
    )
    if weighed is None:
        log_weights = spread(block.evidence.log_weights(likelihoods), component_class)
        weighed = posterior(log_joint - top[:, None] + log_weights)
    log_evidence, responsibilities = weighed
    # Joint densities carry the row's own; conditional probabilities divide it out.
    log_evidence = log_evidence + (
        -xp.log(xp.sum(likelihood, axis=1)) if model.conditional else top
    )
    if block.weights is not None:
        log_evidence = log_evidence * block.weights
        responsibilities = responsibilities * block.weights[:, None]
    counts = None
    if learned:
        classes = class_sums(responsibilities, membership)
        counts = block.evidence.counts(classes, likelihoods)
    return _Pass(
        xp.sum(log_evidence),
        model.statistics(features, responsibilities, likelihood, factors),
        counts,
    )


class Problem:
    """Rows, a model and a channel: the likelihood ``Π_i Σ_k pl_i(k; γ) p_k(x_i; θ)`` with priors.

    Parameters
    ----------
    blocks : BlockSource
        Rows with evidence.
    model : Model
    channel : BoundChannel
    n_classes : int
    """

    def __init__(
        self, blocks: BlockSource, model: Model, channel: BoundChannel, n_classes: int
    ) -> None:
        self.blocks = blocks
        self.model = model
        self.channel = channel
        self.n_classes = n_classes
        self.weight = blocks.total_weight
        self._arrays = component_arrays(model.component_class, n_classes)
        self._kernel = partial(_pass, model, channel.learned)
        self._channel_size = len(channel.to_vector(channel.start()))
        self.n_passes = 0

    def evaluate(self, parameters: Parameters) -> Evaluation:
        """Return the objective and the statistics at `parameters`: one pass over the rows."""
        self.n_passes += 1
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            factors = self.model.factors(parameters.model)
            likelihoods = self.channel.likelihoods(parameters.channel)
            sums = self.blocks.map_reduce(
                self._kernel, (factors, likelihoods, *self._arrays), self.model.width
            )
            log_likelihood = sums.log_likelihood + self.model.row_term_total(parameters.model)
            objective = (
                log_likelihood
                + self.model.log_prior(parameters.model)
                + self.channel.log_prior(parameters.channel)
            )
        return Evaluation(
            parameters, float(objective), float(log_likelihood), sums.record, sums.counts
        )

    def maximise(self, evaluation: Evaluation, *, learn_channel: bool = True) -> Parameters:
        """Return the M-step's parameters under an evaluation's statistics."""
        old = evaluation.parameters
        channel = old.channel
        if evaluation.counts is not None and learn_channel:
            channel = self.channel.maximise(evaluation.counts, old.channel)
        return Parameters(self.model.maximise(evaluation.record, old.model), channel)

    def to_vector(self, parameters: Parameters) -> FloatArray:
        """Return unconstrained coordinates of all parameters."""
        return np.concatenate(
            [self.model.to_vector(parameters.model), self.channel.to_vector(parameters.channel)]
        )

    def from_vector(self, vector: FloatArray) -> Parameters:
        """Return the parameters of a vector."""
        size = len(vector) - self._channel_size
        return Parameters(
            self.model.from_vector(vector[:size]), self.channel.from_vector(vector[size:])
        )
