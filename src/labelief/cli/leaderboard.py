"""The leaderboard as a table on the screen."""

from __future__ import annotations

import numpy as np

from labelief.report import Leader

__all__ = ["leaderboard"]


def leaderboard(leaders: list[Leader], seconds: dict[str, float]) -> str:
    """Return the leaderboard as text.

    Parameters
    ----------
    leaders : list of Leader
    seconds : dict
    """
    head = ["model", "error", "95 % interval", "label log-loss", "seconds", ""]
    lines = [
        [
            leader.name,
            _percent(leader.lower)
            if leader.lower == leader.upper
            else f"{100 * leader.lower:.1f}–{_percent(leader.upper)}",
            f"{100 * leader.low:.1f}–{_percent(leader.high)}",
            "" if np.isnan(leader.label_log_loss) else f"{leader.label_log_loss:.4f}",
            f"{seconds[leader.name]:.1f}",
            f"surely beaten by {leader.beaten_by[0]}" if leader.beaten_by else "",
        ]
        for leader in leaders
    ]
    widths = [max(map(len, column)) for column in zip(head, *lines, strict=True)]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if j in (0, 5) else cell.rjust(width)
            for j, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in [head, *lines]
    )


def _percent(value: float) -> str:
    return f"{100 * value:.1f} %"
