"""From rows, labels, a density and a channel to the best of several runs."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from labelief._typing import Array, FloatArray, IntArray
from labelief.blocks.source import Block, BlockSource
from labelief.channels.contract import BoundChannel
from labelief.models.components import ComponentModel, ComponentParameters
from labelief.models.contract import Density
from labelief.models.shrinkage import prior_strength
from labelief.solvers.climb import climb
from labelief.solvers.loop import Outcome, Status
from labelief.solvers.problem import Evaluation, Parameters, Problem
from labelief.solvers.starts import Start, given_start, make_start

__all__ = ["Fit", "Settings", "fit_components", "warn_unless_converged"]


@dataclass(frozen=True)
class Settings:
    """What a fit is told, all of it validated."""

    init: str
    n_init: int
    max_iter: int
    tol: float
    acceleration: str | None
    ridge: float
    shrinkage: float | str | None
    verbose: int
    gaps: bool = False
    """Whether rows may have missing features."""


@dataclass(frozen=True)
class Fit:
    """The best run of a fit."""

    model: ComponentModel
    channel: BoundChannel
    outcome: Outcome
    n_passes: int


def fit_components(
    blocks: BlockSource,
    density: Density,
    channel: BoundChannel,
    component_class: IntArray,
    n_classes: int,
    settings: Settings,
    *,
    priors: FloatArray | None,
    given: bool,
    exact: bool,
    named: bool,
    random_state: Any,
) -> Fit:
    """Fit a mixture of components in classes, and keep the best of ``n_init`` starts.

    Parameters
    ----------
    blocks : BlockSource
        Rows with evidence.
    density : Density
    channel : BoundChannel
    component_class : (J,) integer array
    n_classes : int
    settings : Settings
    priors : (K,) array or None
        Priors that are held.
    given : bool
        Whether the rows carry responsibilities to start from.
    exact : bool
        Whether labels determine every responsibility, so that the first M-step is the last.
    named : bool
        Whether something other than the channel fixes the names of the classes.
    random_state : seed or generator
    """
    frame = density.frame(blocks)
    seeds = check_random_state(random_state).randint(2**31 - 1, size=settings.n_init)
    sizes = np.bincount(component_class, minlength=n_classes)
    # Labels that decide every responsibility leave one M-step to do and nothing to search for.
    # A held prior of 0 may contradict them: the loop says so.
    possible = priors is None or bool(np.all(priors > 0))
    exact = exact and possible and not given and density.m_step_in(frame) == "exact"
    best: Fit | None = None
    for number, seed in enumerate(seeds):
        init = "random" if number and settings.init in ("auto", "labels") else settings.init
        start = (
            given_start()
            if given and number == 0
            else make_start(
                blocks,
                density,
                frame,
                channel.first_look(),
                component_class,
                n_classes,
                init=init,
                generator=np.random.default_rng(seed),
            )
        )
        strength = prior_strength(
            blocks,
            frame,
            start.kernel,
            start.parameters,
            ridge=settings.ridge,
            shrinkage=settings.shrinkage,
            n_classes=n_classes,
            tied=density.tied,
        )
        if best is not None:
            # One prior for all starts, or their objectives could not be compared.
            prior = best.model.prior
        else:
            prior = density.fixed_prior(frame, strength)
        model = ComponentModel(density, frame, prior, component_class, priors)
        problem = Problem(blocks, model, channel, n_classes)
        record = _first_record(blocks, model, start)
        first = model.start(record, exact=exact)
        if exact:
            return Fit(model, channel, _decided(model, channel, record, first), 1)
        outcome = climb(problem, Parameters(first, channel.start()), settings, sizes, named=named)
        passes = problem.n_passes + (0 if best is None else best.n_passes)
        if best is None or outcome.evaluation.objective > best.outcome.evaluation.objective:
            best = Fit(model, channel, outcome, passes)
        else:
            best = Fit(best.model, channel, best.outcome, passes)
    assert best is not None
    return best


def _decided(
    model: ComponentModel, channel: BoundChannel, record: Any, parameters: ComponentParameters
) -> Outcome:
    """Return the outcome where responsibilities are 0 or 1: log L is linear in the record."""
    log_likelihood = model.expected_log_joint(record, parameters)
    objective = log_likelihood + model.log_prior(parameters)
    evaluation = Evaluation(
        Parameters(parameters, channel.start()), objective, log_likelihood, record, None
    )
    return Outcome(evaluation, [objective], Status.CONVERGED)


def _first_record(blocks: BlockSource, model: ComponentModel, start: Start) -> Any:
    kernel = partial(_start_pass, model.density, start.kernel)
    return blocks.map_reduce(kernel, (model.frame.arrays, start.parameters), model.width)


def _start_pass(
    density: Density, responsibilities: Callable[[Block, Any], Array], block: Block, parameters: Any
) -> Any:
    arrays, start = parameters
    return density.start_statistics(block.X, responsibilities(block, start), arrays)


def warn_unless_converged(outcome: Outcome, *, stacklevel: int) -> None:
    """Warn where a run ended otherwise than by its stop rule."""
    if not outcome.converged:
        warnings.warn(
            f"The fit ended by: {outcome.status.value}, after {len(outcome.history)} iterations. "
            "Increase max_iter, loosen tol, or use acceleration='squarem'.",
            ConvergenceWarning,
            stacklevel=stacklevel,
        )
