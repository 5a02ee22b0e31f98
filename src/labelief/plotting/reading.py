"""What displays are given: labels of any kind, estimators that may sit in a pipeline."""

from __future__ import annotations

from typing import Any

from labelief.audit.reading import read_observed
from labelief.labels.soft_labels import SoftLabels
from labelief.labels.targets import read_target

__all__ = ["last_step", "read_soft_labels"]


def read_soft_labels(y: Any, classes: Any = None, n_rows: int | None = None) -> SoftLabels:
    """Read labels of any kind as mass functions, classes in sorted order; votes are pooled."""
    return read_observed(y, read_target(y, n_rows=n_rows, classes=classes)).labels


def last_step(estimator: Any) -> Any:
    """Return the estimator that learned: the last of a pipeline, the one that a wrapper holds."""
    if hasattr(estimator, "steps"):
        return last_step(estimator[-1])
    return getattr(estimator, "estimator_", estimator)
