"""From probabilities, or bounds on them, to sets of classes: the rules of ``predict_set``."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from labelief._typing import BoolArray, FloatArray
from labelief.labels.soft_labels import SoftLabels

__all__ = [
    "Calibration",
    "calibrate",
    "conforming",
    "evidence_bounds",
    "fewest_classes",
    "undominated",
]

# Sums and differences of probabilities that differ by less are equal.
_ROUNDING = 1e-12


def fewest_classes(proba: FloatArray, level: float) -> BoolArray:
    """Return the fewest classes whose probabilities sum to `level`, (n, K).

    The most probable ones, in decreasing order; ties go to the class that stands first.
    """
    order = np.argsort(-proba, axis=1, kind="stable")
    before = np.cumsum(np.take_along_axis(proba, order, axis=1), axis=1)
    before = np.hstack([np.zeros((len(proba), 1)), before[:, :-1]])
    chosen = np.zeros(proba.shape, dtype=bool)
    np.put_along_axis(chosen, order, before < level - _ROUNDING, axis=1)
    return chosen


def undominated(lower: FloatArray, upper: FloatArray) -> BoolArray:
    """Return the classes that no other surely surpasses (interval dominance), (n, K).

    ``k`` stays unless some l has ``lower_l > upper_k`` (Zaffalon 2002, The naive credal classifier;
    Troffaes 2007, Decision making under uncertainty using imprecise probabilities, §3.3).
    """
    best: FloatArray = np.max(lower, axis=1, keepdims=True)
    return np.asarray(upper >= best - _ROUNDING)


def evidence_bounds(
    proba: FloatArray, n_rows: float, strength: float
) -> tuple[FloatArray, FloatArray]:
    """Return lower and upper probabilities where p rests on so many rows, two (n, K) arrays.

    The imprecise Dirichlet model (Walley 1996, Inferences from multinomial data): beside `n_rows`
    rows of which a share p_k is of class k, `strength` more might be of any class, so that

        lower_k = n p_k / (n + s),    upper_k = (n p_k + s) / (n + s).
    """
    # Neither rows nor strength: nothing is known, and every class stays.
    total = max(n_rows + strength, 1e-300)
    lower = n_rows * proba / total
    return lower, lower + strength / total


class Calibration(NamedTuple):
    """How strange held-out labels looked to a fitted classifier.

    Attributes
    ----------
    scores : (F,) array
        ``max_{k ∈ A} 1 - p_k(x_i)`` of each focal set A of each row's label, in increasing order.
    masses : (F,) array
        Mass of that set.
    n_rows : int
        Rows whose label says something.
    """

    scores: FloatArray
    masses: FloatArray
    n_rows: int

    def threshold(self, level: float) -> float:
        """Return the least q with ``Σ_i Bel_i({k: 1 - p_k(x_i) ≤ q}) ≥ level (n + 1)``.

        For crisp labels the ⌈level (n + 1)⌉-th smallest score of split conformal prediction (Vovk,
        Gammerman & Shafer 2005; score of Sadinle, Lei & Wasserman 2019); infinite where the rows
        are too few, or their labels too vague, for the level.
        """
        reached = np.cumsum(self.masses) >= level * (self.n_rows + 1) - 1e-9
        return float(self.scores[np.argmax(reached)]) if np.any(reached) else np.inf


def calibrate(proba: FloatArray, labels: SoftLabels) -> Calibration:
    """Score held-out labels, each focal set by its strangest member.

    Parameters
    ----------
    proba : (n, K) array
        Columns in the order of the labels' classes.
    labels : SoftLabels
    """
    says = np.min(labels.plausibilities, axis=1) < 1.0
    focal = labels.focal
    rows = focal.rows
    strangest = np.max(np.where(focal.members, 1.0 - proba[rows], -np.inf), axis=1)
    kept = np.flatnonzero(says[rows])
    order = kept[np.argsort(strangest[kept], kind="stable")]
    return Calibration(strangest[order], focal.mass[order], int(np.sum(says)))


def conforming(proba: FloatArray, threshold: Any) -> BoolArray:
    """Return the classes with ``1 - p_k(x) ≤ threshold``, and the most probable always, (n, K)."""
    chosen: BoolArray = 1.0 - proba <= threshold
    chosen[np.arange(len(proba)), np.argmax(proba, axis=1)] = True
    return chosen
