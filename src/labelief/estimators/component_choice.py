"""How many components each class has: a greedy search by BIC or ICL."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from labelief._typing import Array, IntArray
from labelief.blocks.source import Block, BlockSource
from labelief.estimators.fitting import Fit
from labelief.kernels.namespace import namespace
from labelief.models.contract import Model
from labelief.solvers import views
from labelief.solvers.problem import component_arrays

__all__ = ["CRITERIA", "Candidate", "Choice", "choose_components", "judged_components"]

# Components of a class at most, as in R's mclust.
_MOST = 9
# A component must rest on this many numbers (rows times directions) for each parameter of its own;
# on fewer, the ridge alone holds a covariance, and the likelihood is as high as the ridge is low.
_NUMBERS_PER_PARAMETER = 2.0


class Candidate(NamedTuple):
    """A density and numbers of components that were tried.

    Attributes
    ----------
    density : str
        The density as it is written.
    n_components : tuple of int
        One number per class, in the order of ``classes_``.
    criterion : float
        BIC or ICL; lower is better, infinite where nothing could be fitted.
    log_likelihood : float
    n_parameters : int
    supported : bool
        Whether every component of a class with several rests on enough rows to be believed; if
        not, the candidate is not chosen.
    """

    density: str
    n_components: tuple[int, ...]
    criterion: float
    log_likelihood: float
    n_parameters: int
    supported: bool


class Choice(NamedTuple):
    """The best fit of a search, its candidate, and all candidates in the order of their trial."""

    fit: Fit
    best: Candidate
    candidates: list[Candidate]


@dataclass(frozen=True)
class _Trial:
    """A candidate with its fit."""

    candidate: Candidate
    fit: Fit | None

    @property
    def value(self) -> float:
        """The criterion; infinite for what may not be chosen."""
        return self.candidate.criterion if self.candidate.supported else np.inf


def choose_components(
    fit: Callable[[IntArray], Fit], blocks: BlockSource, n_classes: int, criterion: str
) -> Choice:
    """Add components one at a time, each to the class that lowers the criterion most.

    ``BIC = -2 log L + p log n`` (Schwarz 1978) and ``ICL = BIC - 2 Σ_ij r_ij log r_ij`` (Biernacki,
    Celeux and Govaert 2000), at the parameters of each fit.  The search starts from one component
    per class and ends where no class gains from one more, or at 9.  Gains seen before order the
    trials, and a class is tried anew at the sizes at hand before it is given its component, so that
    A additions in K classes cost about 2 (K + A) fits.  BIC needs no pass beyond those of the fits,
    ICL one for each.

    Parameters
    ----------
    fit : callable
        From the numbers of components, (K,), to a fit of the rows.
    blocks : BlockSource
        The rows with their evidence.
    n_classes : int
    criterion : {"bic", "icl"}

    Returns
    -------
    Choice
    """
    value = CRITERIA[criterion]
    sizes = np.ones(n_classes, dtype=np.int64)
    current = _judged(fit(sizes), sizes, blocks, value)
    trials = [current]
    grown: list[_Trial | None] = [None] * n_classes
    gains = np.full(n_classes, np.inf)
    fresh = np.zeros(n_classes, dtype=bool)
    while True:
        # What has failed at the sizes at hand is out; what failed at others must fail once more.
        hopeful = np.flatnonzero(~fresh | (gains > 0))
        if not len(hopeful):
            break
        k = int(hopeful[np.argmax(gains[hopeful])])
        accepted = grown[k]
        if fresh[k] and accepted is not None:
            current, sizes = accepted, sizes + (np.arange(n_classes) == k)
            gains[k] = np.inf
            fresh[:] = False
            continue
        fresh[k], gains[k], grown[k] = True, -np.inf, None
        if sizes[k] < _MOST and _room(current, k, n_classes):
            larger = sizes + (np.arange(n_classes) == k)
            grown[k] = trial = _tried(fit, larger, blocks, value, current.candidate.density)
            gains[k] = current.value - trial.value
            trials.append(trial)
    assert current.fit is not None
    passes = sum(trial.fit.n_passes for trial in trials if trial.fit is not None)
    best = replace(current.fit, n_passes=passes)
    return Choice(best, current.candidate, [trial.candidate for trial in trials])


def judged_components(
    fit: Callable[[IntArray], Fit], blocks: BlockSource, sizes: IntArray, criterion: str
) -> Choice:
    """Return the fit of given numbers of components as a search with one candidate.

    Parameters
    ----------
    fit, blocks, criterion
        As in `choose_components`.
    sizes : (K,) integer array
    """
    trial = _judged(fit(sizes), sizes, blocks, CRITERIA[criterion])
    assert trial.fit is not None
    return Choice(trial.fit, trial.candidate, [trial.candidate])


def _bic(fit: Fit, blocks: BlockSource) -> float:
    n_parameters = fit.model.n_parameters() + fit.channel.n_parameters()
    log_likelihood = fit.outcome.evaluation.log_likelihood
    return float(-2.0 * log_likelihood + n_parameters * np.log(blocks.total_weight))


def _icl(fit: Fit, blocks: BlockSource) -> float:
    parameters = fit.outcome.evaluation.parameters
    factors = fit.model.factors(parameters.model)
    likelihoods = fit.channel.likelihoods(parameters.channel)
    classes = fit.model.component_class
    entropy = blocks.map_reduce(
        partial(_entropy, fit.model),
        (factors, likelihoods, *component_arrays(classes, int(np.max(classes)) + 1)),
        fit.model.width,
    )
    return _bic(fit, blocks) + 2.0 * float(entropy)


CRITERIA: dict[str, Callable[[Fit, BlockSource], float]] = {"bic": _bic, "icl": _icl}
"""What a search may lower, by the name that users give."""


def _entropy(model: Model, block: Block, parameters: Any) -> Array:
    """Kernel: return the entropy of the block's responsibilities."""
    entropy = views.log_evidence(model, block, parameters)[:, 1]
    xp = namespace(entropy)
    return xp.sum(entropy if block.weights is None else entropy * block.weights)


def _tried(
    fit: Callable[[IntArray], Fit],
    sizes: IntArray,
    blocks: BlockSource,
    value: Callable[[Fit, BlockSource], float],
    density: str,
) -> _Trial:
    """Fit larger classes; what has become singular is no candidate."""
    try:
        return _judged(fit(sizes), sizes, blocks, value)
    except ValueError:
        return _Trial(Candidate(density, tuple(sizes.tolist()), np.inf, -np.inf, 0, False), None)


def _judged(
    fit: Fit,
    sizes: IntArray,
    blocks: BlockSource,
    value: Callable[[Fit, BlockSource], float],
) -> _Trial:
    several = sizes[fit.model.component_class] > 1
    candidate = Candidate(
        repr(fit.model.density),
        tuple(sizes.tolist()),
        value(fit, blocks),
        fit.outcome.evaluation.log_likelihood,
        fit.model.n_parameters() + fit.channel.n_parameters(),
        bool(np.all(_rows(fit)[several] >= _needed(fit))),
    )
    return _Trial(candidate, fit)


def _room(trial: _Trial, k: int, n_classes: int) -> bool:
    """Whether class k has rows for one more component."""
    assert trial.fit is not None
    classes = trial.fit.model.component_class
    rows = np.bincount(classes, _rows(trial.fit), minlength=n_classes)[k]
    return bool(rows >= _needed(trial.fit) * (np.sum(classes == k) + 1))


def _rows(fit: Fit) -> Any:
    """Return the weight of the rows of each component, (J,)."""
    return fit.model.density.counts(fit.outcome.evaluation.record)


def _needed(fit: Fit) -> float:
    """Return the rows that a component of a mixture must rest on."""
    density, frame, J = fit.model.density, fit.model.frame, len(fit.model.component_class)
    own = density.n_parameters(J + 1, frame) - density.n_parameters(J, frame)
    return float(_NUMBERS_PER_PARAMETER * own / max(frame.rank, 1))
