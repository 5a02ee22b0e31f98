"""How labels go wrong, learned from labels beside class probabilities of held-out rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from labelief._typing import FloatArray
from labelief.audit.mistakes import EvenFlips, LabelledProbabilities, Mistakes, alike
from labelief.audit.reading import Observed
from labelief.blocks.arrays import ArrayBlocks
from labelief.blocks.evidence import Evidence
from labelief.channels.annotators import AnnotatorNoise
from labelief.channels.contract import BoundChannel
from labelief.channels.flip_noise import FullFlips, SymmetricFlips
from labelief.estimators.validation import evidence_for
from labelief.labels.targets import Target
from labelief.models.held_out import HeldOut
from labelief.solvers import views
from labelief.solvers.climb import climb
from labelief.solvers.loop import Outcome
from labelief.solvers.problem import Parameters, Problem

__all__ = ["FLOOR", "Weighed", "weigh"]

# No probability below this, relative to 1, is believed: nobody has seen so many rows.
FLOOR = 1e-6


@dataclass(frozen=True)
class _Limits:
    """How long a channel is learned: its steps cost next to nothing."""

    max_iter: int = 1000
    tol: float = 1e-6
    acceleration: str = "squarem"
    verbose: int = 0


@dataclass(frozen=True, eq=False)
class Weighed:
    """What was learned of the labels.

    Attributes
    ----------
    posterior : (n, K) array
        Class probabilities given features and label.
    sharpness : float
        β of :class:`labelief.models.held_out.HeldOut`, the geometric mean over hypotheses.
    hypotheses : dict
        Name to weight.
    channel : Any
        Parameters of the channel of the weightiest hypothesis.
    converged : bool
        Whether all were learned to the end.
    """

    posterior: FloatArray
    sharpness: float
    hypotheses: dict[str, float]
    channel: Any
    converged: bool


def weigh(
    proba: FloatArray,
    target: Target,
    observed: Observed,
    channel: Any = None,
    weights: FloatArray | None = None,
) -> Weighed:
    """Learn sharpness and channel on held-out probabilities, and return the posteriors.

    Parameters
    ----------
    proba : (n, K) array
        Rows sum to 1; columns in the order of ``target.classes``.
    target : Target
    observed : Observed
        The same labels as mass functions.
    channel : channel or None
        By default the three of :mod:`labelief.audit.mistakes`, or annotators' matrices for votes.
    weights : (n,) array or None
    """
    p = np.maximum(proba, FLOOR)
    p = p / np.sum(p, axis=1, keepdims=True)
    model = HeldOut(p.shape[1])
    outcomes, posteriors, penalties = [], [], []
    choices = _hypotheses(p, target, observed, channel)
    for evidence, bound in choices.values():
        blocks = ArrayBlocks(np.log(p), evidence, weights)
        outcome = _learned(blocks, model, bound)
        outcomes.append(outcome)
        posteriors.append(_posterior(blocks, model, bound, outcome))
        penalties.append(bound.n_parameters())
    shares = _akaike_weights([outcome.evaluation.log_likelihood for outcome in outcomes], penalties)
    exponents = np.array([outcome.evaluation.parameters.model for outcome in outcomes])
    return Weighed(
        posterior=np.tensordot(shares, np.array(posteriors), axes=1),
        sharpness=float(np.exp(shares @ exponents)),
        hypotheses=dict(zip(choices, shares.tolist(), strict=True)),
        channel=outcomes[int(np.argmax(shares))].evaluation.parameters.channel,
        converged=all(outcome.converged for outcome in outcomes),
    )


def _hypotheses(
    p: FloatArray, target: Target, observed: Observed, channel: Any
) -> dict[str, tuple[Evidence, BoundChannel]]:
    """Return evidence and channel of each way in which labels may go wrong."""
    n_classes = p.shape[1]
    if channel is None and target.votes is None:
        verified = observed.labels.verified
        plausible = observed.labels.plausibilities
        evidence = LabelledProbabilities(
            plausible, alike(plausible, p), verified if verified.any() else None
        )
        return {
            "one rate": (evidence, Mistakes(SymmetricFlips(n_classes))),
            "a rate per class": (evidence, Mistakes(EvenFlips(n_classes))),
            "a rate per pair": (evidence, Mistakes(FullFlips(n_classes))),
        }
    chosen = AnnotatorNoise() if channel is None else channel
    given = evidence_for(chosen, target)
    return {type(chosen).__name__: (given, chosen.bind(n_classes, given))}


def _learned(blocks: ArrayBlocks, model: HeldOut, bound: BoundChannel) -> Outcome:
    """Climb from the probabilities as given and labels that are mostly right."""
    n_classes = len(model.component_class)
    problem = Problem(blocks, model, bound, n_classes)
    start = Parameters(model.start(), bound.start())
    # The probabilities name the classes.
    return climb(problem, start, _Limits(), np.ones(n_classes, dtype=np.int64), named=True)


def _posterior(
    blocks: ArrayBlocks, model: HeldOut, bound: BoundChannel, outcome: Outcome
) -> FloatArray:
    learned = outcome.evaluation.parameters
    parameters = (model.factors(learned.model), bound.likelihoods(learned.channel), None, None)
    rows: FloatArray = blocks.map_rows(partial(views.posteriors, model), parameters, model.width)
    return rows


def _akaike_weights(log_likelihoods: list[float], n_parameters: list[int]) -> FloatArray:
    """Return ``exp(log L - number of parameters)``, divided by their sum."""
    evidence = np.array(log_likelihoods) - np.array(n_parameters, dtype=np.float64)
    shares = np.exp(evidence - np.max(evidence))
    return np.asarray(shares / np.sum(shares))
