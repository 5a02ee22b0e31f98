"""``LabelPrecisionDisplay``: how much labels leave open."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from labelief._typing import FloatArray
from labelief.plotting.axes import ACCENT, open_axes
from labelief.plotting.reading import read_soft_labels
from labelief.plotting.values import openness

__all__ = ["LabelPrecisionDisplay"]


class LabelPrecisionDisplay:
    """Histogram of non-specificity ``N(m) / log K`` (come2008): how much labels hedge.

    0: all mass is on single classes; 1: any class is possible.

    Parameters
    ----------
    openness : (n,) array
        From 0 to 1.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    bars_ : BarContainer
        Number of rows in each bin.

    Examples
    --------
    >>> from labelief import SoftLabels
    >>> from labelief.plotting import LabelPrecisionDisplay
    >>> labels = SoftLabels.from_candidates([{"a"}, {"a", "b"}, None], ["a", "b", "c", "d"])
    >>> LabelPrecisionDisplay.from_labels(labels).openness
    array([0. , 0.5, 1. ])
    """

    def __init__(self, openness: Any) -> None:
        self.openness: FloatArray = np.asarray(openness, dtype=np.float64)

    @classmethod
    def from_labels(cls, y: Any, *, classes: Any = None) -> Self:
        """Show how precise labels are.

        Parameters
        ----------
        y : labels of any kind that estimators take
            Votes are pooled.
        classes : (K,) array-like, default=None
            All classes, where not every one occurs.
        """
        labels = read_soft_labels(y, classes)
        if len(labels) == 0:
            raise ValueError("y has no rows: there is nothing to show")
        return cls(openness(labels))

    def plot(self, ax: Any = None, *, bins: int = 20) -> Self:
        """Draw the histogram.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None: a new figure.
        bins : int, default=20

        Returns
        -------
        self
        """
        self.figure_, self.ax_ = open_axes(ax, type(self).__name__)
        values = np.clip(self.openness, 0.0, 1.0)
        _, _, self.bars_ = self.ax_.hist(
            values, bins=bins, range=(0.0, 1.0), color=ACCENT, rwidth=0.95
        )
        self.ax_.set(xlabel="how much a label leaves open", ylabel="rows", xlim=(0.0, 1.0))
        return self
