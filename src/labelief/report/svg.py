"""Small charts as SVG text: colours come from the page's style, so that they follow its theme.

A chart is a string; text in it is escaped here, numbers are rounded to a tenth of a pixel.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

import numpy as np

__all__ = ["Frame", "number", "percent", "svg", "text", "ticks"]


def number(value: float) -> str:
    """Return a coordinate."""
    return f"{value:.1f}".rstrip("0").rstrip(".")


def percent(value: float) -> str:
    """Return a share as people read it."""
    return f"{100 * value:.1f} %"


def text(x: float, y: float, words: str, *, anchor: str = "start", kind: str = "") -> str:
    """Return a line of text."""
    style = f' class="{kind}"' if kind else ""
    return (
        f'<text x="{number(x)}" y="{number(y)}" text-anchor="{anchor}"{style}>'
        f"{escape(words)}</text>"
    )


def svg(width: float, height: float, label: str, parts: Iterable[str], *, grow: float = 1.0) -> str:
    """Return a chart with a label for those who do not see it; `grow`: how far it may be enlarged.

    Charts are at most 520 wide, so that their text can be read on a phone.
    """
    return (
        f'<svg viewBox="0 0 {number(width)} {number(height)}" role="img" '
        f'aria-label="{escape(label)}" style="max-width:{number(grow * width)}px">'
        + "".join(parts)
        + "</svg>"
    )


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Return round numbers that cover an interval."""
    if not high > low:
        return [low]
    step = 10.0 ** np.floor(np.log10((high - low) / most))
    for factor in (1, 2, 5, 10):
        if (high - low) / (step * factor) <= most:
            step *= factor
            break
    first = np.ceil(low / step - 1e-9)
    # + 0.0 takes the sign from -0
    return [float(round(v * step, 12)) + 0.0 for v in np.arange(first, high / step + 1e-9)]


class Frame:
    """A rectangle to plot in, from data to pixels.

    Parameters
    ----------
    x, y : (low, high)
        Data that the rectangle covers.
    width, height : float
        Of the whole chart.
    margins : (left, right, top, bottom)
    """

    def __init__(
        self,
        x: tuple[float, float],
        y: tuple[float, float],
        width: float,
        height: float,
        margins: Sequence[float] = (50, 15, 10, 40),
    ) -> None:
        self.left, right, self.top, bottom = margins
        self.right, self.bottom = width - right, height - bottom
        self.width, self.height = width, height
        self.xs, self.ys = x, y

    def x(self, value: float) -> float:
        """Return the pixel of a value on the horizontal axis."""
        low, high = self.xs
        return float(self.left + (self.right - self.left) * (value - low) / max(high - low, 1e-300))

    def y(self, value: float) -> float:
        """Return the pixel of a value on the vertical axis."""
        low, high = self.ys
        return float(
            self.bottom - (self.bottom - self.top) * (value - low) / max(high - low, 1e-300)
        )

    def axes(
        self,
        x_name: str,
        y_name: str = "",
        *,
        x_ticks: list[tuple[float, str]] | None = None,
        y_ticks: list[tuple[float, str]] | None = None,
    ) -> list[str]:
        """Return grid, ticks and names."""
        parts = []
        for value, words in x_ticks or []:
            at = number(self.x(value))
            parts.append(f'<path class="grid" d="M{at} {number(self.top)}V{number(self.bottom)}"/>')
            parts.append(text(self.x(value), self.bottom + 16, words, anchor="middle", kind="tick"))
        for value, words in y_ticks or []:
            at = number(self.y(value))
            parts.append(f'<path class="grid" d="M{number(self.left)} {at}H{number(self.right)}"/>')
            parts.append(text(self.left - 6, self.y(value) + 4, words, anchor="end", kind="tick"))
        middle = (self.left + self.right) / 2
        parts.append(text(middle, self.height - 4, x_name, anchor="middle", kind="name"))
        if y_name:
            parts.append(text(2, 12, y_name, kind="name"))
        return parts
