"""Reading labels as mass functions that neighbours contribute."""

from __future__ import annotations

from typing import Any

import numpy as np

from labelief.labels.class_names import Names
from labelief.labels.focal import FocalSets
from labelief.labels.soft_labels import SoftLabels
from labelief.labels.targets import read_target
from labelief.neighbors.label_masses import CrispLabels, LabelMasses, PointLabels
from labelief.neighbors.set_masses import SetLabels

__all__ = ["read_label_masses"]


def read_label_masses(y: Any, n_rows: int, classes: Any) -> tuple[Names, LabelMasses]:
    """Read labels of any kind as mass functions, in the simplest form that holds them.

    An (n, K) array or frame of plausibilities is rescaled to maximum 1 and read as possibility
    distributions; mass on the empty set is divided out.

    Parameters
    ----------
    y : SoftLabels, 1-D labels, or (n, K) array or frame of plausibilities
    n_rows : int
    classes : array-like or None

    Returns
    -------
    classes : (K,) array
        In ``np.unique`` order.
    labels : LabelMasses
    """
    target = read_target(y, n_rows=n_rows, classes=classes)
    if target.votes is not None:
        raise ValueError(
            "EvidentialKNN reads labels, but y holds votes: pool them by SoftLabels.from_votes."
        )
    names = target.classes
    if target.codes is not None:
        # A label over a single class says all there is to say.
        codes = np.zeros(n_rows, dtype=np.int64) if len(names) == 1 else target.codes
        return names, CrispLabels(codes.astype(np.int64), len(names))
    if not isinstance(y, SoftLabels):
        y = SoftLabels.from_plausibilities(target.plausibilities, names)
    return names, _simplest(y.reorder(names).focal)


def _simplest(focal: FocalSets) -> LabelMasses:
    size = focal.cardinality
    if np.any(size == 0):
        kept = size > 0
        total = np.bincount(focal.rows[kept], focal.mass[kept], minlength=len(focal))
        rows, mass = focal.rows[kept], focal.mass[kept] / total[focal.rows[kept]]
        focal = FocalSets.from_elements(rows, focal.words[kept], mass, len(focal), focal.n_classes)
        size = focal.cardinality
    if np.all((size == 1) | (size == focal.n_classes)):
        return PointLabels(focal.beliefs())
    return SetLabels(focal)
