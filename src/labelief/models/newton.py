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
    "newton_step",
    "no_curvature",
    "observed_curvature",
    "uphill_step",
]

# What is added to a Hessian that is not positive definite by rounding, as a share of its largest.
_JITTERS = (0.0, 1e-12, 1e-9, 1e-6, 1e-3, 1.0)
# What Newton's own step may promise to gain where it is taken: log-likelihood, and that per weight.
_NEAR, _NEAR_PER_WEIGHT = 0.01, 1e-5
# Shares of the doubt that a step may take off the curvature: from Newton's towards EM's.
_DOUBTS = (1.0, 0.99, 0.9, 0.5)

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
    """Return a step that points upwards and leads to the maximum that EM goes to.

    EM's own step takes the curvature C of the complete data (quost2017 eq. 22-24), Newton's the
    likelihood's, C less the doubt D.  Between them lies ``C - θ D``: the largest θ is taken whose
    step promises little (`newton_step`), so that no step leaps away from EM's path.

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
    if doubt is not None:
        for share in _DOUBTS:
            step = newton_step(gradient, complete - share * doubt, weight)
            if step is not None:
                return step
    largest = float(np.max(np.diagonal(complete), initial=1.0))
    for share in _JITTERS:
        # Probabilities of 0 and 1 without a penalty leave no curvature to bound the step.
        step = _solved(complete + share * largest * np.eye(len(complete)), gradient)
        if step is not None:
            return step
    return gradient / largest


def newton_step(gradient: FloatArray, hessian: FloatArray, weight: float) -> FloatArray | None:
    """Return ``H⁻¹ g`` near a maximum, None elsewhere.

    Near is where minus the Hessian H is positive definite and ``½ gᵀ H⁻¹ g``, which the step
    promises to gain, is little: a step that promises much leaps to another maximum.
    """
    step = _solved(hessian, gradient)
    if step is None or 0.5 * float(gradient @ step) > max(_NEAR, _NEAR_PER_WEIGHT * weight):
        return None
    return step


def _solved(hessian: FloatArray, gradient: FloatArray) -> FloatArray | None:
    """Return ``hessian⁻¹ gradient``, or None where the matrix is not positive definite."""
    try:
        return np.asarray(cho_solve(cho_factor(hessian, lower=True), gradient))
    except np.linalg.LinAlgError:
        return None
