"""Batches of mass functions, one after the other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from labelief.labels.consonant import Consonant
from labelief.labels.focal import FocalSets
from labelief.labels.quasi_bayesian import QuasiBayesian
from labelief.labels.storage import MassFunctions


def stack(parts: Sequence[MassFunctions]) -> MassFunctions:
    """Stack batches over the same frame; a kind of storage that all share is kept.

    Parameters
    ----------
    parts : sequence of MassFunctions
        At least one batch.

    Returns
    -------
    MassFunctions
        All rows; mixtures of storages are written out as focal sets.
    """
    nested = [part for part in parts if isinstance(part, Consonant)]
    if len(nested) == len(parts):
        return Consonant(np.concatenate([part.contour for part in nested]))
    points = [part for part in parts if isinstance(part, QuasiBayesian)]
    if len(points) == len(parts):
        return QuasiBayesian(
            np.concatenate([part.singletons for part in points]),
            np.concatenate([part.frame for part in points]),
        )
    return FocalSets.concatenate([part.focal() for part in parts])
