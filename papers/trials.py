"""Repetitions of an experiment, grouped by their settings, and pictures of their means."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any

from papers.experiment import Record
from papers.verdicts import Estimate, estimate

__all__ = ["Score", "Trials", "curve", "share_legend"]


class Trials:
    """Records of repetitions, found by their settings.

    Parameters
    ----------
    records : iterable of dict
    *names : str
        The settings that tell groups apart; the records of a group are repetitions.
    summary : callable
        From values to an Estimate; for repetitions that are not independent.
    """

    def __init__(
        self,
        records: Iterable[Record],
        *names: str,
        summary: Callable[[list[float]], Estimate] = estimate,
    ) -> None:
        self.groups: dict[tuple[Hashable, ...], list[Record]] = {}
        self._summary = summary
        for record in records:
            self.groups.setdefault(tuple(record[name] for name in names), []).append(record)

    def values(self, *key: Hashable, of: str) -> list[float]:
        """One result of each repetition of a group."""
        return [record[of] for record in self.groups[key]]

    def mean(self, *key: Hashable, of: str) -> Estimate:
        """Mean of a result, with its interval."""
        return self._summary(self.values(*key, of=of))

    def difference(self, *key: Hashable, of: str, less: str) -> Estimate:
        """Mean of the difference of two results of the same repetitions, with its interval."""
        pairs = zip(self.values(*key, of=of), self.values(*key, of=less), strict=True)
        return self._summary([one - other for one, other in pairs])


class Score:
    """How many paired differences are below zero, above zero, and neither (95 %)."""

    def __init__(self, differences: Iterable[Estimate]) -> None:
        listed = list(differences)
        self.all = len(listed)
        self.below = sum(value.high < 0 for value in listed)
        self.above = sum(value.low > 0 for value in listed)
        self.points = 100 * sum(value.mean for value in listed) / max(self.all, 1)

    def __str__(self) -> str:
        return (
            f"significantly lower error in {self.below} of {self.all} settings, higher in "
            f"{self.above} (mean difference {self.points:+.1f} points)"
        )

    @property
    def short(self) -> str:
        """Say the same in few words, for lists."""
        return f"{self.points:+.1f} (lower in {self.below}, higher in {self.above} of {self.all})"

    @property
    def holds(self) -> str:
        """Yes for nearly all, partly for more than half, without many to the contrary."""
        if self.below >= 0.8 * self.all and self.above <= 0.05 * self.all:
            return "yes"
        return "partly" if self.below >= 0.5 * self.all and self.above < self.below / 2 else "no"


def curve(axis: Any, xs: Sequence[float], estimates: Sequence[Estimate], **style: Any) -> None:
    """Draw means in percent, joined, with their intervals as bars."""
    means = [100.0 * value.mean for value in estimates]
    halves = [50.0 * (value.high - value.low) for value in estimates]
    axis.errorbar(xs, means, yerr=halves, elinewidth=0.8, capsize=0, **style)


def share_legend(drawing: Any, axis: Any, columns: int) -> None:
    """Put one legend for all panels below them, with the labels of one of them."""
    handles, labels = axis.get_legend_handles_labels()
    drawing.legend(handles, labels, loc="outside lower center", ncols=columns)
