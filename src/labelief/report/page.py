"""The page of a report: one HTML file with its style, script and charts inside.

Charts are inline SVG: a few kilobytes each where a plotting library would bring megabytes, sharp on
paper, and coloured by the page's own style in light and dark.  Everything that a user typed goes
through Jinja's escaping or :func:`html.escape`.
"""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import numpy as np
from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from labelief import __version__
from labelief.report import charts
from labelief.report.content import Content
from labelief.report.svg import colour_of, percent

__all__ = ["page"]

# Annotators and features that are drawn; all are in the model.
_MATRICES, _FEATURES = 12, 25
_HEADINGS = (
    ("row", "number"),
    ("label", "text"),
    ("doubt", "number"),
    ("believed", "text"),
    ("probability", "number"),
    ("suggested", "text"),
    ("posterior", "number"),
    ("conflict", "number"),
)


def page(content: Content) -> str:
    """Return the HTML of a report.

    Parameters
    ----------
    content : Content

    Returns
    -------
    str
        The same for the same content.
    """
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    folder = files("labelief.report")
    template = environment.from_string(folder.joinpath("page.html").read_text(encoding="utf-8"))
    shown = _charts(content)
    return template.render(
        c=content,
        style=Markup(folder.joinpath("page.css").read_text(encoding="utf-8")),
        script=Markup(folder.joinpath("page.js").read_text(encoding="utf-8")),
        version=__version__,
        headline=_headline(content),
        sections=_sections(content, shown),
        span=_span,
        loss=lambda value: "" if np.isnan(value) else f"{value:.4f}",
        precision_words=_precision(content),
        doubt_words=_doubts(content),
        headings=[(name, kind) for name, kind in _HEADINGS if _has(content, name)],
        table=[_cells(content, record) for record in content.doubtful],
        key=_key(content),
        hidden=max(0, len(content.channel.matrices) - _MATRICES),
        more_features=max(0, len(content.scores) - _FEATURES),
        **shown,
    )


def _charts(c: Content) -> dict[str, Any]:
    doubtful = np.zeros(len(c.rows), dtype=bool)
    wrong = [record["row"] for record in c.doubtful if record["doubt"] > 0.5]
    doubtful[np.isin(c.rows, wrong)] = True
    shares = c.pignistic if len(c.pignistic) else np.ones((len(c.rows), 1))
    found: dict[str, Any] = {
        "leaderboard": charts.leaderboard(c.leaders),
        "precision": charts.histogram(c.nonspecificity, "how much a label leaves open"),
        "shares": charts.bars(
            list(zip(c.classes, c.class_shares.tolist(), strict=True)), "share", coloured=True
        ),
        "disagreement": None,
        "matrices": [Markup(charts.heat(m)) for m in c.channel.matrices[:_MATRICES]],
        "map": charts.class_map(c.coordinates, shares, c.rows, doubtful, c.axes),
        "calibration": charts.calibration(c.proba, c.pignistic) if len(c.proba) > 1 else None,
        "convergence": charts.curve(c.history) if len(c.history) > 1 else None,
        "scores": charts.bars(c.scores[:_FEATURES], "score") if c.scores else None,
    }
    if c.disagreement is not None:
        found["disagreement"] = charts.histogram(c.disagreement, "share of dissenting votes")
    return {k: Markup(v) if isinstance(v, str) else v for k, v in found.items()}


def _headline(c: Content) -> str:
    best = c.leaders[0]
    said = (
        f"The best model, {best.name} ({best.words}), errs on {_span(best.lower, best.upper)} of "
    )
    said += "the rows that it did not see"
    said += " as far as these labels can tell." if best.lower < best.upper else "."
    if c.doubtful:
        wrong = sum(record["doubt"] > 0.5 for record in c.doubtful)
        some = "One label is" if wrong == 1 else f"{wrong} labels are"
        said += f" {some} probably wrong."
    return said


def _sections(c: Content, shown: dict[str, Any]) -> list[tuple[str, str]]:
    found = [("read", "What was read"), ("models", "Models"), ("labels", "Labels")]
    found += [("channel", "How labels go wrong")] if shown["matrices"] else []
    found += [("doubtful", "Doubtful labels")] if c.doubtful else []
    found += [("map", "Map")]
    found += [("calibration", "Certainty")] if shown["calibration"] else []
    found += [("convergence", "Fit")] if shown["convergence"] else []
    found += [("features", "Features")] if shown["scores"] else []
    return [*found, ("columns", "Columns"), ("again", "Again")]


def _span(low: float, high: float) -> str:
    if percent(low) == percent(high):
        return percent(low)
    return f"{100 * low:.1f}–{percent(high)}"


def _precision(c: Content) -> str:
    mean = float(c.nonspecificity.mean())
    certain = float(np.mean(c.nonspecificity == 0))
    return (
        "How to read it: 0 is a label that names one class, 1 says nothing. Here "
        f"{percent(certain)} name one class; the mean is {mean:.2f}."
    )


def _doubts(c: Content) -> str:
    if not c.doubtful:
        return ""
    total = sum(float(record["doubt"]) for record in c.doubtful)
    return (
        f"The {len(c.doubtful)} most doubtful, worst first; about {total:.0f} of them are wrong. "
        "All labels are in doubtful.csv."
    )


def _has(c: Content, name: str) -> bool:
    return bool(c.doubtful) and name in c.doubtful[0]


def _cells(c: Content, record: dict[str, Any]) -> list[tuple[str, Any]]:
    cells: list[tuple[str, Any]] = []
    for name, kind in _HEADINGS:
        if not _has(c, name):
            continue
        value = record[name]
        if name == "row":
            cells.append((str(value), value))
        elif kind == "number":
            cells.append((f"{value:.3f}", round(float(value), 6)))
        else:
            cells.append((str(value), None))
    return cells


def _key(c: Content) -> list[tuple[str, str]]:
    if not len(c.pignistic):
        return []
    return [(name, colour_of(k)) for k, name in enumerate(c.classes)]
