"""The charts of a report, each from plain values to SVG text."""

from __future__ import annotations

from html import escape
from itertools import pairwise

import numpy as np

from labelief._typing import BoolArray, FloatArray, IntArray
from labelief.report.content import Leader, Matrix
from labelief.report.svg import (
    Frame,
    colour_of,
    mixed,
    number,
    percent,
    svg,
    text,
    ticks,
)

__all__ = ["bars", "calibration", "class_map", "curve", "heat", "histogram", "leaderboard"]

# Points of a map, at most.
_POINTS = 3000


def leaderboard(leaders: list[Leader]) -> str:
    """Draw the lower-upper error of each model with its 95 % interval."""
    row, width = 26.0, 640.0
    names = max(len(leader.name) for leader in leaders)
    height = 52 + row * len(leaders)
    top = max(leader.high for leader in leaders)
    bottom = min(leader.low for leader in leaders)
    frame = Frame(
        (max(0.0, bottom - 0.02), top), (0, 1), width, height, (12 + 7.2 * names, 15, 6, 40)
    )
    at = [(value, f"{100 * value:g} %") for value in ticks(*frame.xs)]
    parts = frame.axes("share of rows that are classified wrongly, out of fold", x_ticks=at)
    for i, leader in enumerate(leaders):
        y = frame.top + row * (i + 0.5)
        low, high = frame.x(leader.lower), frame.x(leader.upper)
        best = " best" if i == 0 else ""
        parts.append(text(frame.left - 8, y + 4, leader.name, anchor="end"))
        parts.append(
            f'<g class="range{best}"><title>{escape(leader.name)}: {percent(leader.lower)} to '
            f"{percent(leader.upper)}</title>"
            f'<path class="whisker" d="M{number(frame.x(leader.low))} {number(y)}'
            f'H{number(frame.x(leader.high))}"/>'
            f'<rect x="{number(low - 2)}" y="{number(y - 6)}" width="{number(high - low + 4)}" '
            'height="12" rx="3"/></g>'
        )
    return svg(width, height, "Error of each model between its lower and upper bound", parts)


def histogram(values: FloatArray, x_name: str, *, low: float = 0.0, high: float = 1.0) -> str:
    """Draw how many rows have each value."""
    width, height = 420.0, 220.0
    counts, edges = np.histogram(values, bins=20, range=(low, high))
    frame = Frame((low, high), (0, max(int(counts.max()), 1)), width, height, (50, 15, 20, 40))
    parts = frame.axes(
        x_name,
        "rows",
        x_ticks=[(value, f"{value:g}") for value in ticks(low, high)],
        y_ticks=[(value, f"{value:g}") for value in ticks(0, frame.ys[1], 4)],
    )
    for count, a, b in zip(counts, edges[:-1], edges[1:], strict=True):
        if count:
            parts.append(
                f'<rect class="bar" x="{number(frame.x(a) + 0.5)}" y="{number(frame.y(count))}" '
                f'width="{number(frame.x(b) - frame.x(a) - 1)}" '
                f'height="{number(frame.bottom - frame.y(count))}"><title>{count} rows between '
                f"{a:.2f} and {b:.2f}</title></rect>"
            )
    return svg(width, height, f"Histogram: {x_name}", parts)


def bars(pairs: list[tuple[str, float]], x_name: str, *, coloured: bool = False) -> str:
    """Draw a bar for each name."""
    row, width = 22.0, 520.0
    names = min(34, max(len(name) for name, _ in pairs))
    height = 48 + row * len(pairs)
    finite = [value for _, value in pairs if np.isfinite(value)]
    high = max(finite, default=1.0) or 1.0
    frame = Frame((0, high), (0, 1), width, height, (14 + 6.8 * names, 50, 4, 38))
    parts = frame.axes(x_name, x_ticks=[(value, f"{value:g}") for value in ticks(0, high, 5)])
    for i, (name, value) in enumerate(pairs):
        y = frame.top + row * i
        shown = name if len(name) <= 34 else name[:31] + "..."
        style = f' style="fill:{colour_of(i)}"' if coloured else ""
        end = frame.x(min(value, high))
        parts.append(text(frame.left - 8, y + 15, shown, anchor="end"))
        parts.append(
            f'<rect class="bar"{style} x="{number(frame.left)}" y="{number(y + 3)}" '
            f'width="{number(max(end - frame.left, 0.5))}" height="{number(row - 7)}"/>'
        )
        words = f"{value:.3g}" if np.isfinite(value) else "constant"
        parts.append(text(end + 5, y + 15, words, kind="tick"))
    return svg(width, height, x_name, parts)


def heat(matrix: Matrix) -> str:
    """Draw a matrix of shares: rows are true classes, columns what is said."""
    cell = 46.0 if len(matrix.columns) <= 8 else max(16.0, 368.0 / len(matrix.columns))
    long = min(16, max(len(name) for name in matrix.rows))
    left, top = 14 + 7.0 * long, 52.0
    width = left + cell * len(matrix.columns) + 10
    height = top + cell * len(matrix.rows) + 10
    parts = [
        text(left, 12, f"says ({matrix.who})", kind="name"),
        text(2, top - 6, "true", kind="name"),
    ]
    for j, name in enumerate(matrix.columns):
        parts.append(_tilted(left + cell * (j + 0.5), top - 6, _cut(name, 9), cell))
    for k, name in enumerate(matrix.rows):
        y = top + cell * k
        parts.append(text(left - 6, y + cell / 2 + 4, _cut(name, 16), anchor="end"))
        for j, share in enumerate(matrix.values[k]):
            x = left + cell * j
            parts.append(
                f'<rect class="cell" x="{number(x)}" y="{number(y)}" width="{number(cell - 1)}" '
                f'height="{number(cell - 1)}" style="--share:{share:.3f}"><title>'
                f"{escape(name)} is called {escape(matrix.columns[j])}: {percent(share)}</title>"
                "</rect>"
            )
            if cell >= 30:
                kind = "strong" if share > 0.5 else "weak"
                parts.append(
                    text(
                        x + cell / 2,
                        y + cell / 2 + 4,
                        f"{100 * share:.0f}",
                        anchor="middle",
                        kind=kind,
                    )
                )
    return svg(width, height, f"What {matrix.who} calls each true class, in percent", parts)


def class_map(
    coordinates: FloatArray,
    shares: FloatArray,
    rows: IntArray,
    doubtful: BoolArray,
    axes: tuple[str, str],
) -> str:
    """Draw the rows in two coordinates, coloured by what their labels say."""
    if len(coordinates) > _POINTS:
        chosen = np.unique(np.linspace(0, len(coordinates) - 1, _POINTS).round().astype(int))
        coordinates, shares = coordinates[chosen], shares[chosen]
        rows, doubtful = rows[chosen], doubtful[chosen]
    low, high = coordinates.min(axis=0), coordinates.max(axis=0)
    pad = 0.04 * np.maximum(high - low, 1e-12)
    frame = Frame(
        (low[0] - pad[0], high[0] + pad[0]),
        (low[1] - pad[1], high[1] + pad[1]),
        640.0,
        440.0,
        (46, 12, 20, 40),
    )
    parts = frame.axes(
        axes[0],
        axes[1],
        x_ticks=[(value, f"{value:g}") for value in ticks(*frame.xs)],
        y_ticks=[(value, f"{value:g}") for value in ticks(*frame.ys)],
    )
    for (a, b), colour, row, doubt in zip(coordinates, mixed(shares), rows, doubtful, strict=True):
        ring = ' class="ring"' if doubt else ""
        parts.append(
            f'<circle{ring} cx="{number(frame.x(a))}" cy="{number(frame.y(b))}" r="3.4" '
            f'fill="{colour}"><title>row {int(row)}</title></circle>'
        )
    return svg(640, 440, "Map of the rows, coloured by their labels", parts)


def calibration(proba: FloatArray, shares: FloatArray) -> str:
    """Draw how often the class believed is the label's, against how sure the model is."""
    best = np.argmax(proba, axis=1)
    sure = proba[np.arange(len(proba)), best]
    right = shares[np.arange(len(proba)), best]
    k = proba.shape[1]
    frame = Frame((1.0 / k, 1.0), (0.0, 1.0), 420.0, 320.0, (50, 15, 20, 40))
    at = [(value, f"{100 * value:g} %") for value in ticks(0, 1, 5)]
    parts = frame.axes(
        "how sure the model is",
        "how often the label agrees",
        x_ticks=[tick for tick in at if tick[0] >= 1.0 / k],
        y_ticks=at,
    )
    parts.append(
        f'<path class="ideal" d="M{number(frame.x(1 / k))} {number(frame.y(1 / k))}'
        f'L{number(frame.x(1))} {number(frame.y(1))}"/>'
    )
    edges = np.quantile(sure, np.linspace(0, 1, min(11, max(2, len(sure) // 10 + 1))))
    points = []
    for a, b in pairwise(edges):
        inside = (sure >= a) & (sure <= b)
        if inside.any():
            points.append(
                (frame.x(float(sure[inside].mean())), frame.y(float(right[inside].mean())))
            )
    path = "L".join(f"{number(x)} {number(y)}" for x, y in points)
    parts.append(f'<path class="line" d="M{path}"/>')
    parts += [f'<circle class="dot" cx="{number(x)}" cy="{number(y)}" r="4"/>' for x, y in points]
    return svg(420, 320, "Calibration", parts)


def curve(history: list[float]) -> str:
    """Draw the objective after each iteration."""
    values = np.array(history)
    low, high = float(values.min()), float(values.max())
    pad = 0.05 * max(high - low, 1e-12)
    last = max(len(values), 2)
    frame = Frame((1, last), (low - pad, high + pad), 420.0, 260.0, (64, 15, 20, 40))
    parts = frame.axes(
        "iteration",
        "objective per row",
        x_ticks=[(value, f"{value:g}") for value in ticks(1, last) if value == int(value)],
        y_ticks=[(value, f"{value:.4g}") for value in ticks(*frame.ys, 5)],
    )
    steps = (f"{number(frame.x(i + 1))} {number(frame.y(v))}" for i, v in enumerate(values))
    parts.append(f'<path class="line" d="M{"L".join(steps)}"/>')
    return svg(420, 260, "Objective after each iteration", parts)


def _tilted(x: float, y: float, words: str, cell: float) -> str:
    if cell >= 44 and len(words) <= 7:
        return text(x, y, words, anchor="middle")
    return (
        f'<text x="{number(x)}" y="{number(y)}" text-anchor="start" '
        f'transform="rotate(-40 {number(x)} {number(y)})">{escape(words)}</text>'
    )


def _cut(words: str, most: int) -> str:
    return words if len(words) <= most else words[: most - 1] + "…"
