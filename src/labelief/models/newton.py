"""Newton steps on likelihoods of soft labels: what a pass measures for them, and where they lead.

Minus the Hessian of ``log L`` is the curvature of the complete data less that of the labels' doubt:
the same second moments under the classes' probabilities, and under responsibilities (Louis 1982).
Crisp labels leave no doubt.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from labelief._typing import Array, FloatArray
from labelief.kernels.softmax import Curvature, curvature

__all__ = [
    "Curvatures",
    "Lazy",
    "Measure",
    "complete_curvature",
    "no_curvature",
    "observed_curvature",
    "uphill_step",
]

# What is added to a Hessian that is not positive definite by rounding, as a share of its largest.
_JITTERS = (0.0, 1e-12, 1e-9, 1e-6, 1e-3, 1.0)
# The slope, per unit of weight, below which Newton's own steps are taken.
_NEAR = 1e-3

Curvatures = tuple[Curvature | None, Curvature | None]
"""Of the complete data and of the labels' doubt; None where it is not measured."""
Lazy = Callable[[], Array]
"""An array of a block that is computed where it is needed."""
Measure = Callable[[Lazy, Lazy, Array], Curvatures]
"""Kernel: what to measure of features φ, (b, p), weighted probabilities and responsibilities."""


def no_curvature(phi: Lazy, P: Lazy, R: Array) -> Curvatures:
    """Measure slopes only: what quasi-Newton steps need."""
    return None, None


def complete_curvature(phi: Lazy, P: Lazy, R: Array) -> Curvatures:
    """Measure the Hessian of the expected complete-data likelihood (quost2017 eq. 24)."""
    return curvature(phi(), P()), None


def observed_curvature(phi: Lazy, P: Lazy, R: Array) -> Curvatures:
    """Measure what the Hessian of the likelihood of soft labels itself is made of."""
    rows = phi()
    return curvature(rows, P()), curvature(rows, R)


def uphill_step(
    gradient: FloatArray, complete: FloatArray, doubt: FloatArray | None, weight: float
) -> FloatArray:
    """Return a Newton step that points upwards.

    It is taken on the likelihood itself where that is concave and the slope small.  Elsewhere it is
    taken on the expected complete-data likelihood (quost2017 eq. 22-24), whose curvature is
    positive definite: so it goes to the maximum that EM goes to.

    Parameters
    ----------
    gradient : (p,) array
    complete : (p, p) array
        Minus the complete-data Hessian, prior included.
    doubt : (p, p) array or None
        The curvature of the labels' doubt, where known.
    weight : float
        Of the rows.
    """
    near = float(np.max(np.abs(gradient), initial=0.0)) <= _NEAR * weight
    if doubt is not None and near:
        step = _solved(complete - doubt, gradient)
        if step is not None:
            return step
    largest = float(np.max(np.diagonal(complete), initial=1.0))
    for share in _JITTERS:
        # Probabilities of 0 and 1 without a penalty leave no curvature to bound the step.
        step = _solved(complete + share * largest * np.eye(len(complete)), gradient)
        if step is not None:
            return step
    return gradient / largest


def _solved(hessian: FloatArray, gradient: FloatArray) -> FloatArray | None:
    """Return ``hessian⁻¹ gradient``, or None where the matrix is not positive definite."""
    try:
        return np.asarray(cho_solve(cho_factor(hessian, lower=True), gradient))
    except np.linalg.LinAlgError:
        return None
