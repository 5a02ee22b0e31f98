"""Which family of densities: each is searched in turn, and the lowest criterion wins."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from labelief._typing import IntArray
from labelief.estimators.component_choice import Candidate, Choice
from labelief.models.contract import Density

__all__ = ["choose_density"]


def choose_density(
    densities: Sequence[Density], search: Callable[[Density], Choice], sizes: IntArray
) -> Choice:
    """Return the best of the densities' own searches, with the candidates of all.

    BIC and ICL compare families because log-likelihoods are densities in the features' own units,
    whatever the coordinates of a fit, and labels add the same to each.  Densities over fewer
    directions than others, as where columns depend on one another, cannot be compared with them.

    Parameters
    ----------
    densities : sequence of Density
    search : callable
        From a density to its own search; a ValueError makes the density no candidate.
    sizes : (K,) integer array
        The first numbers of components, for the table.

    Returns
    -------
    Choice
    """
    if not len(densities):
        raise ValueError("density is an empty list: name at least one density.")
    choices: list[Choice] = []
    candidates: list[Candidate] = []
    failure: ValueError | None = None
    for density in densities:
        try:
            choice = search(density)
        except ValueError as error:
            failure = failure or error
            failed = Candidate(repr(density), tuple(sizes.tolist()), np.inf, -np.inf, 0, False)
            candidates.append(failed)
            continue
        choices.append(choice)
        candidates += choice.candidates
    if not choices:
        assert failure is not None
        raise failure
    _check_comparable(choices)
    best = min(choices, key=lambda choice: (not choice.best.supported, choice.best.criterion))
    passes = sum(choice.fit.n_passes for choice in choices)
    return Choice(replace(best.fit, n_passes=passes), best.best, candidates)


def _check_comparable(choices: list[Choice]) -> None:
    """Refuse densities over spaces of different dimensions."""
    ranks = [choice.fit.model.frame.rank for choice in choices]
    low, high = int(np.argmin(ranks)), int(np.argmax(ranks))
    if ranks[low] < ranks[high]:
        raise ValueError(
            f"Columns of X depend on one another: {choices[low].best.density} is a density over "
            f"{ranks[low]} directions, {choices[high].best.density} over {ranks[high]}, and their "
            "likelihoods cannot be compared. Leave out columns that follow from others, or search "
            "among densities of one kind."
        )
