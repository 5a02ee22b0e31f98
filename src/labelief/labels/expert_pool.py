"""Several experts' plausibilities of the classes as one (quost2017 eq. 32)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from labelief.labels.messages import name_rows
from labelief.labels.soft_labels import SoftLabels
from labelief.labels.weights import as_unit_interval


def pool_plausibilities(experts: Sequence[SoftLabels], discount: ArrayLike = 0.0) -> SoftLabels:
    """Multiply the discounted contours of several experts, rescaled to maximum 1.

        pl(k) ∝ Π_j [α_j + (1 - α_j) pl_j(k)]      (quost2017 eq. 32)

    This is the contour of Dempster's sum up to a factor, without its focal sets: all that a fit
    needs, and light whatever the number of levels.

    Parameters
    ----------
    experts : sequence of SoftLabels
        Labels of the same n rows over the same classes, in any order of these.
    discount : float or (n_experts,) array-like, default=0.0
        α, one rate or one per expert.

    Returns
    -------
    SoftLabels
        Possibility distributions, in the first expert's order of classes.

    Examples
    --------
    >>> one = SoftLabels.from_plausibilities([[1.0, 0.5]])
    >>> pool_plausibilities([one, one]).plausibilities
    array([[1.  , 0.25]])
    """
    batches = list(experts)
    if not batches:
        raise ValueError("experts is empty: give the labels of one expert at least")
    rates = as_unit_interval(discount, len(batches), "discount", per="expert")
    first = batches[0]
    if any(len(batch) != len(first) for batch in batches):
        raise ValueError(f"experts must label the same rows, got {[len(b) for b in batches]} rows")
    logs = np.zeros(first.shape)
    for batch, rate in zip(batches, rates, strict=True):
        contour = batch.reorder(first.classes).plausibilities
        with np.errstate(divide="ignore"):
            logs += np.log(rate + (1.0 - rate) * contour)
    top = logs.max(axis=1, keepdims=True)
    nothing = np.flatnonzero(np.isneginf(top[:, 0]))
    if nothing.size:
        raise ValueError(
            f"total conflict in {name_rows(nothing)}: no class is possible for every expert. "
            "A discount above 0 allows for experts who are wrong"
        )
    return SoftLabels.from_plausibilities(np.exp(logs - top), first.classes)
