"""What a family of covariances leaves free, and its M-step: volumes, shapes and axes together.

A :class:`Structure` finds the best :class:`Decomposition` from the weight n_j and the scatter W_j
of each component, priors included (``n_j + ν`` and ``S_j + ν T``: methods.md §2).  Scatters are
given by factors, ``W_j = F_j F_jᵀ``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from labelief._typing import FloatArray, IntArray
from labelief.models.common_axes import common_axes, first_axes
from labelief.models.decomposition import Decomposition, Form
from labelief.models.rotations import aligned
from labelief.models.volume_shape import SpreadRule, common_matrix

__all__ = ["AxesRule", "Structure", "own_matrices", "proportional_matrices", "shared_axes"]

AxesRule = Callable[[SpreadRule, FloatArray, FloatArray, Decomposition | None], Decomposition]
"""``(spread, counts (J,), factors (J, r, r), previous) -> Decomposition`` with axes."""


@dataclass(frozen=True)
class Structure:
    """A family: what is free, how volumes and shapes are found, and how axes are.

    Attributes
    ----------
    form : Form
    spread : SpreadRule
    turn : AxesRule or None
        None where the axes are those of the coordinates.
    rigid : bool
        Whether the family changes with the units of single features, so that it must be fitted in
        the features' own, and only turns and one common scale leave it as it is.
    """

    form: Form
    spread: SpreadRule
    turn: AxesRule | None = None
    rigid: bool = False

    def along_axes(self, counts: FloatArray, scatters: FloatArray) -> Decomposition:
        """Return the best parts along the axes of the coordinates, from scatters (J, r)."""
        found = _weighed(counts)
        parts = self.spread(counts[found], scatters[found])
        return self.form.reordered(parts, _standing_in(counts, found))

    def turned(
        self, counts: FloatArray, factors: FloatArray, previous: Decomposition | None
    ) -> Decomposition:
        """Return the best parts with axes, from factors (J, r, r) of the scatters."""
        assert self.turn is not None
        found = _weighed(counts)
        before = None if previous is None else self.form.reordered(previous, found)
        parts = self.turn(self.spread, counts[found], factors[found], before)
        return self.form.reordered(parts, _standing_in(counts, found))


def _weighed(counts: FloatArray) -> IntArray:
    """Return the components that something is known of."""
    return np.flatnonzero(counts > 0).astype(np.int64)


def _standing_in(counts: FloatArray, found: IntArray) -> IntArray:
    """Return whose parts each component takes: one that nothing is known of, the heaviest's."""
    place = np.full(len(counts), int(np.argmax(counts[found])), dtype=np.int64)
    place[found] = np.arange(len(found))
    return place


def own_matrices(
    spread: SpreadRule, counts: FloatArray, factors: FloatArray, previous: Decomposition | None
) -> Decomposition:
    """Give each component the axes of its scatter, widest first (EEV, VEV, EVV).

    Where shapes are common, axes paired in this order are the best: ``Σ_a W_ja / A_a`` is least
    where both are sorted alike (Celeux and Govaert 1995, appendix).
    """
    axes, sizes = _principal(factors)
    parts = spread(counts, sizes**2)
    before = np.eye(axes.shape[1])[None] if previous is None else previous.axes
    assert before is not None
    return Decomposition(parts.volumes, parts.shapes, aligned(axes, before))


def shared_axes(
    spread: SpreadRule, counts: FloatArray, factors: FloatArray, previous: Decomposition | None
) -> Decomposition:
    """Give all components the same axes, by descent from those before (EVE, VVE)."""
    if previous is None or previous.axes is None:
        axes = first_axes(counts, factors, spread)
    else:
        axes = common_axes(counts, factors, spread, previous.axes[0])
    scatters = np.sum((np.swapaxes(factors, 1, 2) @ axes) ** 2, axis=1)
    parts = spread(counts, scatters)
    return Decomposition(parts.volumes, parts.shapes, axes[None])


def proportional_matrices(
    spread: SpreadRule, counts: FloatArray, factors: FloatArray, previous: Decomposition | None
) -> Decomposition:
    """Give all components the same matrix but for its volume (VEE)."""
    volumes, common = common_matrix(counts, factors @ np.swapaxes(factors, 1, 2))
    values, axes = np.linalg.eigh(common)
    before = np.eye(len(axes))[None] if previous is None else previous.axes
    assert before is not None
    return Decomposition(volumes, values[None, ::-1], aligned(axes[None, :, ::-1], before))


def _principal(factors: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return axes, (J, r, r), and square roots of the scatters along them, (J, r), widest first."""
    if not factors.size:
        return factors, np.ones((len(factors), 0))
    axes, sizes, _ = np.linalg.svd(factors)
    return np.asarray(axes), np.asarray(sizes)
