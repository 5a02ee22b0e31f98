"""What a report shows, as plain values: whoever has them can make one.

Nothing here depends on when or how fast it was computed, so that the same seed gives the same page.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from labelief._typing import FloatArray, IntArray

__all__ = ["Channel", "Content", "Leader", "Matrix"]


@dataclass(frozen=True)
class Leader:
    """A line of the leaderboard.

    Attributes
    ----------
    name : str
        As ``--models`` takes it.
    words : str
        What it is, for a domain expert.
    lower, upper, expected : float
        Error rates out of fold (quost2017 eq. 26, 30).
    low, high : float
        95 % interval: sampling and uncertain labels together.
    label_log_loss : float
        How well held-out labels are foretold; NaN without probabilities.
    beaten_by : tuple of str
        Models that are better for sure, whatever the true classes are.
    """

    name: str
    words: str
    lower: float
    upper: float
    expected: float
    low: float
    high: float
    label_log_loss: float
    beaten_by: tuple[str, ...] = ()


@dataclass(frozen=True)
class Matrix:
    """What somebody calls each true class: rows sum to 1."""

    who: str
    values: FloatArray
    rows: list[str]
    columns: list[str]
    votes: float | None = None


@dataclass(frozen=True)
class Channel:
    """What was learned about the labels.

    Attributes
    ----------
    words : str
        How labels were taken: at their word, with flips, by annotators.
    matrices : list of Matrix
        Empty where labels are taken at their word.
    """

    words: str
    matrices: list[Matrix] = field(default_factory=list)


@dataclass(frozen=True)
class Content:
    """All that a report shows.

    Attributes
    ----------
    title : str
    command : str
        The exact command that makes the same report again.
    facts : list of (str, str)
        What was read: name and value, in the order shown.
    classes : list of str
    columns : list of dict
        Of the table: name, kind, reason, missing rows.
    leaders : list of Leader
        Best first; the first was fitted to all rows.
    class_shares : (K,) array
        Shares of the classes as the labels have them, pignistic.
    nonspecificity : (n,) array
        Of each label, in units of ``log K``: 0 precise, 1 says nothing.
    votes_per_row : (n,) array or None
    disagreement : (n,) array or None
        Share of a row's votes that are not for its commonest answer.
    channel : Channel
    doubtful : list of dict
        Rows whose label the model doubts, worst first: the same keys in each.
    coordinates : (n, 2) array
        Of the rows on the class map.
    axes : tuple of str
        What the two coordinates are.
    pignistic : (n, K) array
        The labels as shares of the classes: the shades of the map.
    proba : (n, K) array
        Out-of-fold probabilities of the first leader.
    history : list of float
        Objective per row after each iteration; empty where there is none.
    scores : list of (str, float)
        Weighted Laplacian score of each feature, best (smallest) first.
    rows : (n,) array
        Numbers of the rows in the table, counted from 0.
    warnings : list of str
        What the reader should know before believing the page.
    beliefs, plausibilities : (n, K) arrays or None
        Lower and upper probabilities of the classes by the labels: bounds on how often they agree.
    """

    title: str
    command: str
    facts: list[tuple[str, str]]
    classes: list[str]
    columns: list[dict[str, Any]]
    leaders: list[Leader]
    class_shares: FloatArray
    nonspecificity: FloatArray
    votes_per_row: IntArray | None
    disagreement: FloatArray | None
    channel: Channel
    doubtful: list[dict[str, Any]]
    coordinates: FloatArray
    axes: tuple[str, str]
    pignistic: FloatArray
    proba: FloatArray
    history: list[float]
    scores: list[tuple[str, float]]
    rows: IntArray
    warnings: list[str] = field(default_factory=list)
    beliefs: FloatArray | None = None
    plausibilities: FloatArray | None = None
