"""``LeaderboardDisplay``: how much each model errs, between a lower and an upper bound."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from labelief._typing import FloatArray
from labelief.model_selection.intervals import IntervalEstimate
from labelief.model_selection.ranking import ModelRanking
from labelief.plotting.axes import ACCENT, PALE, open_axes

__all__ = ["LeaderboardDisplay"]


class LeaderboardDisplay:
    """Errors of several models: a bar from lower to upper error, a whisker for the interval.

    The bar is what the labels leave open (quost2017 eq. 30), the whisker adds sampling; models
    whose bars overlap cannot be told apart for sure by these labels.

    Parameters
    ----------
    names : (M,) sequence of str
        Models, the first on top and in a darker shade.
    lower, upper : (M,) arrays
        Error rates.
    low, high : (M,) arrays
        Confidence interval.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    bars_ : BarContainer
        One bar a model.
    whiskers_ : LineCollection
        One line a model.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from labelief.model_selection import rank_models
    >>> from labelief.plotting import LeaderboardDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> ranking = rank_models({"guess": DummyClassifier(), "bayes": GaussianNB()}, X, y, cv=5)
    >>> display = LeaderboardDisplay.from_ranking(ranking)
    >>> display.names
    ['bayes', 'guess']
    >>> display.plot().ax_.get_xlabel()
    'share of rows classified wrongly, out of fold'
    """

    def __init__(self, names: Any, *, lower: Any, upper: Any, low: Any, high: Any) -> None:
        self.names: list[str] = [str(name) for name in names]
        self.lower: FloatArray = np.asarray(lower, dtype=np.float64)
        self.upper: FloatArray = np.asarray(upper, dtype=np.float64)
        self.low: FloatArray = np.asarray(low, dtype=np.float64)
        self.high: FloatArray = np.asarray(high, dtype=np.float64)

    @classmethod
    def from_ranking(cls, ranking: ModelRanking) -> Self:
        """Show what :func:`~labelief.model_selection.rank_models` found, best model first.

        Parameters
        ----------
        ranking : ModelRanking
        """
        return cls.from_estimates({name: ranking.results[name] for name in ranking.names})

    @classmethod
    def from_estimates(cls, estimates: Mapping[str, IntervalEstimate]) -> Self:
        """Show what :func:`~labelief.model_selection.cross_validate_interval` found.

        Parameters
        ----------
        estimates : dict of str to IntervalEstimate
            Name of each model and its errors, in the order wanted.
        """
        if not estimates:
            raise ValueError("estimates is empty: a leaderboard needs a model at least")
        found = list(estimates.values())
        return cls(
            list(estimates),
            lower=[one.lower for one in found],
            upper=[one.upper for one in found],
            low=[one.confidence_interval[0] for one in found],
            high=[one.confidence_interval[1] for one in found],
        )

    def plot(self, ax: Any = None) -> Self:
        """Draw the leaderboard.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None: a new figure.

        Returns
        -------
        self
        """
        n = len(self.names)
        self.figure_, self.ax_ = open_axes(ax, type(self).__name__, (6.4, 1.2 + 0.38 * n))
        rows = np.arange(n)
        colours = [ACCENT, *[PALE] * (n - 1)]
        self.whiskers_ = self.ax_.hlines(rows, self.low, self.high, color="0.45", zorder=2)
        # An edge of the bar's colour shows where lower and upper are the same.
        self.bars_ = self.ax_.barh(
            rows,
            self.upper - self.lower,
            0.45,
            self.lower,
            color=colours,
            edgecolor=colours,
            linewidth=2.5,
            zorder=3,
        )
        self.ax_.set_yticks(rows, self.names)
        self.ax_.invert_yaxis()
        self.ax_.xaxis.set_major_formatter(lambda value, _: f"{100 * value:g} %")
        self.ax_.set_xlabel("share of rows classified wrongly, out of fold")
        self.ax_.grid(axis="x", alpha=0.3)
        return self
