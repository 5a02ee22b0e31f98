"""Random draws that the corruption processes share."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from labelief._typing import FloatArray, IntArray
from labelief.labels.class_names import Names
from labelief.labels.encoding import encode
from labelief.labels.messages import name_rows

__all__ = ["beta_draws", "check_share", "other_classes", "read_truth", "rng_of"]


def rng_of(random_state: Any) -> Any:
    """Return a source of random numbers."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    return check_random_state(random_state)


def check_share(name: str, value: float) -> None:
    """Refuse what is no number from 0 to 1."""
    if not 0.0 <= value <= 1.0:
        raise ValueError(f"{name} must be between 0 and 1, got {value!r}.")


def beta_draws(mean: float, variance: float, n: int, rng: Any) -> FloatArray:
    """Draw from the Beta distribution of a mean and a variance, (n,).

    ``a = mean s``, ``b = (1 - mean) s`` with ``s = mean (1 - mean) / variance - 1``.
    """
    if not 0.0 < mean < 1.0:
        raise ValueError(f"mean must be above 0 and below 1, got {mean!r}.")
    if not 0.0 < variance < mean * (1.0 - mean):
        raise ValueError(
            f"a Beta distribution of mean {mean} has a variance above 0 and below "
            f"{mean * (1.0 - mean):g}, got {variance!r}."
        )
    size = mean * (1.0 - mean) / variance - 1.0
    return np.asarray(rng.beta(mean * size, (1.0 - mean) * size, n))


def read_truth(y: Any, classes: Any = None) -> tuple[Names, IntArray]:
    """Return the classes and the codes of true labels, all of them known."""
    names, codes = encode(y, classes)
    if np.any(codes < 0):
        raise ValueError(f"the true label is missing in {name_rows(np.flatnonzero(codes < 0))}")
    if len(names) < 2:
        raise ValueError("one class only: there is no other to take its label for")
    return names, codes.astype(np.int64)


def other_classes(codes: IntArray, n_classes: int, rng: Any) -> IntArray:
    """Draw another class for each row, all others equally likely."""
    steps = 1 + np.floor(rng.random(len(codes)) * (n_classes - 1)).astype(np.int64)
    return np.asarray((codes + steps) % n_classes)
