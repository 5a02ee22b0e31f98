"""Tables with labels spoiled by the processes of the papers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from labelief import simulation
from labelief.tables import TableError
from labelief.tables.columns import as_words

__all__ = ["spoil"]

_WITH_DOUBTS: dict[str, Callable[..., Any]] = {
    "replace": simulation.replace_labels,
    "flip": simulation.flip_labels,
}
_CRISP: dict[str, Callable[..., Any]] = {
    "symmetric": simulation.symmetric_noise,
    "asymmetric": simulation.asymmetric_noise,
}


def spoil(
    frame: pd.DataFrame, label: str, noise: str, rate: float, seed: int
) -> tuple[pd.DataFrame, int]:
    """Return the table with the column ``observed``, and how many labels are wrong.

    Parameters
    ----------
    frame : DataFrame
    label : str
        Column of the true classes; rows without one stay without.
    noise : {"replace", "flip", "symmetric", "asymmetric"}
    rate : float
    seed : int
    """
    if label not in frame.columns:
        raise TableError(f"There is no column {label!r}; there are {', '.join(frame.columns)}.")
    if noise not in (*_WITH_DOUBTS, *_CRISP):
        raise TableError(
            f"--noise is replace, flip, symmetric or asymmetric; {noise!r} is none of them."
        )
    for name in ("observed", "confidence") if noise in _WITH_DOUBTS else ("observed",):
        if name in frame.columns:
            raise TableError(f"The table has a column {name!r} already: rename it.")
    words = as_words(frame[label])
    known = np.flatnonzero(words != "")
    if not len(known):
        raise TableError(f"Column {label!r} has no class in any row.")
    truth = words.to_numpy()[known]
    observed = words.to_numpy(copy=True)
    out = frame.copy()
    if noise in _WITH_DOUBTS:
        spoiled = _WITH_DOUBTS[noise](truth, rate, random_state=seed)
        observed[known] = spoiled.observed
        sure = np.full(len(frame), np.nan)
        sure[known] = 1.0 - spoiled.doubts
        out["observed"], out["confidence"] = observed, sure
    else:
        observed[known] = _CRISP[noise](truth, rate, random_state=seed).observed
        out["observed"] = observed
    return out, int(np.sum(observed[known] != truth))
