"""The charts of a report, each from plain values to SVG text."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

import numpy as np

from labelief._typing import BoolArray, FloatArray, IntArray
from labelief.plotting.colours import colour_of, mixed
from labelief.plotting.values import Calibration, gains, thinned
from labelief.report.content import Leader, Matrix
from labelief.report.svg import Frame, number, percent, svg, text, ticks

__all__ = [
    "POINTS",
    "bars",
    "calibration",
    "class_map",
    "curve",
    "heat",
    "histogram",
    "leaderboard",
]

# Points of a map, at most.
POINTS = 3000
# On cells with more than this share white letters are read better, in the dark theme black ones.
_STRONG = 0.82


def leaderboard(leaders: list[Leader]) -> str:
    """Draw the lower-upper error of each model with its 95 % interval."""
    row, width = 26.0, 520.0
    names = min(28, max(len(leader.name) for leader in leaders))
    height = 52 + row * len(leaders)
    top = max(leader.high for leader in leaders)
    bottom = min(leader.low for leader in leaders)
    frame = Frame(
        (max(0.0, bottom - 0.02), top), (0, 1), width, height, (12 + 8.0 * names, 22, 6, 42)
    )
    at = [(value, f"{100 * value:g} %") for value in ticks(*frame.xs)]
    parts = frame.axes("share of rows that are classified wrongly, out of fold", x_ticks=at)
    for i, leader in enumerate(leaders):
        y = frame.top + row * (i + 0.5)
        low, high = frame.x(leader.lower), frame.x(leader.upper)
        best = " best" if i == 0 else ""
        parts.append(text(frame.left - 8, y + 4, _cut(leader.name, 28), anchor="end"))
        parts.append(
            f'<g class="range{best}"><title>{escape(leader.name)}: {percent(leader.lower)} to '
            f"{percent(leader.upper)}</title>"
            f'<path class="whisker" d="M{number(frame.x(leader.low))} {number(y)}'
            f'H{number(frame.x(leader.high))}"/>'
            f'<rect x="{number(low - 2)}" y="{number(y - 6)}" width="{number(high - low + 4)}" '
            'height="12" rx="3"/></g>'
        )
    return svg(
        width, height, "Error of each model between its lower and upper bound", parts, grow=1.3
    )


def histogram(values: FloatArray, x_name: str, *, low: float = 0.0, high: float = 1.0) -> str:
    """Draw how many rows have each value."""
    width, height = 420.0, 220.0
    counts, edges = np.histogram(values, bins=20, range=(low, high))
    frame = Frame(
        (low, high), (0, 1.05 * max(int(counts.max()), 1)), width, height, (50, 15, 26, 42)
    )
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


def bars(pairs: list[tuple[str, float]], x_name: str, *, shares: bool = False) -> str:
    """Draw a bar for each name; `shares` are in percent, each in the colour of its class."""
    row, width = 22.0, 420.0 if shares else 520.0
    names = min(28, max(len(name) for name, _ in pairs))
    height = 50 + row * len(pairs)
    finite = [value for _, value in pairs if np.isfinite(value)]
    high = max(finite, default=1.0) or 1.0
    frame = Frame((0, high), (0, 1), width, height, (14 + 7.4 * names, 62, 4, 40))
    at = [(value, f"{100 * value:g} %" if shares else f"{value:g}") for value in ticks(0, high, 4)]
    parts = frame.axes(x_name, x_ticks=at)
    for i, (name, value) in enumerate(pairs):
        y = frame.top + row * i
        style = f' style="fill:{colour_of(i)}"' if shares else ""
        end = frame.x(min(value, high))
        parts.append(text(frame.left - 8, y + 15, _cut(name, 28), anchor="end"))
        parts.append(
            f'<rect class="bar"{style} x="{number(frame.left)}" y="{number(y + 3)}" '
            f'width="{number(max(end - frame.left, 0.5))}" height="{number(row - 7)}"/>'
        )
        words = percent(value) if shares else f"{value:.3g}" if np.isfinite(value) else "constant"
        parts.append(text(end + 5, y + 15, words, kind="tick"))
    return svg(width, height, x_name, parts)


def heat(matrix: Matrix) -> str:
    """Draw a matrix of shares: rows are true classes, columns what is said."""
    cell = 46.0 if len(matrix.columns) <= 8 else max(16.0, 368.0 / len(matrix.columns))
    rows = [_cut(name, 16) for name in matrix.rows]
    columns = [_cut(name, 12) for name in matrix.columns]
    longest = max(map(len, columns))
    flat = cell >= 44 and longest <= 5
    left = 16 + 7.6 * max(9, *map(len, rows))
    top = 40.0 if flat else 30 + 5.2 * longest
    width = left + cell * len(columns) + (10 if flat else 10 + 5.4 * longest)
    height = top + cell * len(rows) + 6
    parts = [
        text(left, 12, "is called", kind="name"),
        text(left - 6, top - 6, "true class", anchor="end", kind="name"),
    ]
    for j, name in enumerate(columns):
        x = left + cell * (j + 0.5)
        if flat:
            parts.append(text(x, top - 6, name, anchor="middle"))
        else:
            parts.append(
                f'<text x="{number(x)}" y="{number(top - 6)}" '
                f'transform="rotate(-40 {number(x)} {number(top - 6)})">{escape(name)}</text>'
            )
    for k, name in enumerate(rows):
        y = top + cell * k
        parts.append(text(left - 6, y + cell / 2 + 4, name, anchor="end"))
        for j, share in enumerate(matrix.values[k]):
            x = left + cell * j
            parts.append(
                f'<rect class="cell" x="{number(x)}" y="{number(y)}" width="{number(cell - 1)}" '
                f'height="{number(cell - 1)}" style="--share:{share:.3f}"><title>'
                f"{escape(matrix.rows[k])} is called {escape(matrix.columns[j])}: "
                f"{percent(share)}</title></rect>"
            )
            if cell >= 30:
                kind = "strong" if share > _STRONG else "weak"
                words = f"{100 * share:.0f}"
                parts.append(
                    text(x + cell / 2, y + cell / 2 + 4, words, anchor="middle", kind=kind)
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
    chosen = thinned(len(coordinates), POINTS)
    coordinates, shares = coordinates[chosen], shares[chosen]
    rows, doubtful = rows[chosen], doubtful[chosen]
    low, high = coordinates.min(axis=0), coordinates.max(axis=0)
    pad = 0.04 * np.maximum(high - low, 1e-12)
    frame = Frame(
        (low[0] - pad[0], high[0] + pad[0]),
        (low[1] - pad[1], high[1] + pad[1]),
        520.0,
        410.0,
        (46, 16, 24, 42),
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
            f'<circle{ring} cx="{number(frame.x(a))}" cy="{number(frame.y(b))}" r="3" '
            f'fill="{colour}"><title>row {int(row)}</title></circle>'
        )
    return svg(520, 410, "Map of the rows, coloured by their labels", parts, grow=1.3)


def calibration(found: Calibration, n_classes: int) -> str:
    """Draw how often the label is the class believed, against how sure the model is."""
    least = 1.0 / n_classes
    frame = Frame((least, 1.0), (0.0, 1.0), 420.0, 320.0, (54, 22, 26, 42))
    at = [(value, f"{100 * value:g} %") for value in ticks(0, 1, 5)]
    parts = frame.axes(
        "how sure the model is",
        "how often the label agrees",
        x_ticks=[tick for tick in at if tick[0] >= least],
        y_ticks=at,
    )
    if found.lower is not None and found.upper is not None:
        low, high = _path(frame, found.sure, found.lower), _path(frame, found.sure, found.upper)
        parts.append(f'<path class="band" d="M{"L".join([*low, *high[::-1]])}Z"/>')
    parts.append(f'<path class="ideal" d="M{"L".join(_path(frame, [least, 1], [least, 1]))}"/>')
    points = _path(frame, found.sure, found.agrees)
    parts.append(f'<path class="line" d="M{"L".join(points)}"/>')
    for point, rows in zip(points, found.rows, strict=True):
        x, y = point.split()
        parts.append(
            f'<circle class="dot" cx="{x}" cy="{y}" r="4"><title>{rows} rows</title></circle>'
        )
    return svg(420, 320, "How often labels agree, by how sure the model is", parts, grow=1.2)


def curve(history: list[float]) -> str:
    """Draw what each iteration has gained."""
    values = gains(history)
    low, high = float(values.min()), float(values.max())
    pad = 0.05 * max(high - low, 1e-12)
    last = max(len(values), 2)
    frame = Frame((1, last), (low - pad, high + pad), 420.0, 260.0, (64, 22, 26, 42))
    parts = frame.axes(
        "iteration",
        "gained since the first iteration, per row",
        x_ticks=[(value, f"{value:g}") for value in ticks(1, last) if value == int(value)],
        y_ticks=[(value, f"{value:.4g}") for value in ticks(*frame.ys, 5)],
    )
    steps = _path(frame, np.arange(1, len(values) + 1), values)
    parts.append(f'<path class="line" d="M{"L".join(steps)}"/>')
    return svg(420, 260, "What each iteration has gained", parts, grow=1.2)


def _path(frame: Frame, x: Iterable[float], y: Iterable[float]) -> list[str]:
    """Return points in pixels, as a path takes them."""
    return [f"{number(frame.x(a))} {number(frame.y(b))}" for a, b in zip(x, y, strict=True)]


def _cut(words: str, most: int) -> str:
    return words if len(words) <= most else words[: most - 1] + "…"
