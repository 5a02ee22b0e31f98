"""What a density can do unless it says otherwise: the plain case of each ability."""

from __future__ import annotations

from typing import Any, Self

from sklearn.base import BaseEstimator

from labelief._typing import Array
from labelief.blocks.source import BlockSource
from labelief.models.contract import MStep

__all__ = ["PlainDensity"]


class PlainDensity(BaseEstimator):
    """A density of complete rows, whose columns have no names and whose covariances can shrink."""

    m_step: MStep = "exact"
    missing = False
    shrinks = True

    def named(self, names: Array | None) -> Self:
        """Return itself: it takes all columns alike."""
        return self

    def check(self, blocks: BlockSource, frame: Any = None) -> None:
        """Accept every row: the support is the whole space."""

    def m_step_in(self, frame: Any) -> MStep:
        """Return what the M-step does, whatever the rows."""
        return self.m_step

    def opened(self, frame: Any) -> Any:
        """Return the frame as it is: new rows are complete, as those of the fit are."""
        return frame
