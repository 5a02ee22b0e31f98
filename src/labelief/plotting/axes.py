"""What every display needs of matplotlib, which is loaded when something is drawn."""

from __future__ import annotations

from typing import Any

__all__ = ["ACCENT", "PALE", "open_axes"]

# The blues of the report.
ACCENT, PALE = "#00639c", "#9cc4de"


def open_axes(ax: Any, who: str, size: tuple[float, float] | None = None) -> tuple[Any, Any]:
    """Return the figure and the axes to draw on.

    Parameters
    ----------
    ax : matplotlib Axes or None
        None: a new figure.
    who : str
        The display, for the message where matplotlib is missing.
    size : (width, height), default=None
        Of a new figure, in inches.
    """
    if ax is not None:
        return ax.figure, ax
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError(
            f"{who}.plot needs matplotlib: `pip install labelief[plot]`, or `pip install "
            "matplotlib`. The numbers to draw are in the display's attributes."
        ) from None
    return plt.subplots(figsize=size, layout="constrained")
