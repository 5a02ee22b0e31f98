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
from labelief.plotting.colours import colour_of
from labelief.plotting.values import calibrate
from labelief.report import charts
from labelief.report.content import Content, Matrix
from labelief.report.svg import percent

__all__ = ["page"]

# Annotators and features that are drawn; all are in the model.
_MATRICES, _FEATURES = 12, 25
# Classes of a matrix, and cells of all matrices, that are drawn.
_CLASSES, _CELLS = 40, 8000
# Labels that give this share to a class are for that class.
_CERTAIN = 0.99
# Tables with more rows than this scroll in a window of their own.
_TALL = 12
_HEADINGS = (
    ("row", "number"),
    ("label", "text"),
    ("doubt", "number"),
    ("believed", "text"),
    ("probability", "number"),
    ("posterior", "number"),
    ("suggested", "text"),
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
    drawn = _matrices(content)
    shown = _charts(content, drawn)
    return template.render(
        c=content,
        style=Markup(folder.joinpath("page.css").read_text(encoding="utf-8")),
        script=Markup(folder.joinpath("page.js").read_text(encoding="utf-8")),
        version=__version__,
        headline=_headline(content),
        sections=_sections(content, shown, drawn),
        span=_span,
        loss=lambda value: "" if np.isnan(value) else f"{value:.4f}",
        precision_words=_precision(content),
        doubt_words=_doubts(content),
        headings=[(name, kind) for name, kind in _HEADINGS if _has(content, name)],
        table=[_cells(content, record) for record in content.doubtful],
        key=_key(content),
        beaten=any(leader.beaten_by for leader in content.leaders),
        tall=_TALL,
        matrices=[(m.who, _votes(m), Markup(charts.heat(m))) for m in drawn],
        hidden=len(content.channel.matrices) - len(drawn),
        classes_drawn=max((len(matrix.rows) for matrix in drawn), default=0),
        points=min(len(content.rows), charts.POINTS),
        more_features=max(0, len(content.scores) - _FEATURES),
        **shown,
    )


def _matrices(c: Content) -> list[Matrix]:
    """Return the matrices to draw: not so many, nor so large, that the page would be heavy."""
    found = [_commonest_errors(matrix) for matrix in c.channel.matrices[:_MATRICES]]
    cells = sum(len(m.rows) * len(m.columns) for m in found[:1])
    return found[: max(1, min(_MATRICES, _CELLS // max(cells, 1)))]


def _commonest_errors(matrix: Matrix) -> Matrix:
    """Return a matrix of the classes that are named wrongly most often, where there are many."""
    values = matrix.values
    if max(values.shape) <= _CLASSES:
        return matrix
    rows = np.sort(np.argsort(np.diagonal(values), kind="stable")[:_CLASSES])
    used = np.sort(np.argsort(-values[rows].sum(axis=0), kind="stable")[:_CLASSES])
    return Matrix(
        matrix.who,
        values[np.ix_(rows, used)],
        [matrix.rows[k] for k in rows],
        [matrix.columns[j] for j in used],
        matrix.votes,
    )


def _votes(matrix: Matrix) -> str:
    return "" if matrix.votes is None else f"{matrix.votes:g} votes"


def _charts(c: Content, drawn: list[Matrix]) -> dict[str, Any]:
    doubtful = np.zeros(len(c.rows), dtype=bool)
    wrong = [record["row"] for record in c.doubtful if record["doubt"] > 0.5]
    doubtful[np.isin(c.rows, wrong)] = True
    shares = c.pignistic if len(c.pignistic) else np.ones((len(c.rows), 1))
    found: dict[str, Any] = {
        "leaderboard": charts.leaderboard(c.leaders),
        "precision": charts.histogram(c.nonspecificity, "how much a label leaves open"),
        "shares": charts.bars(
            list(zip(c.classes, c.class_shares.tolist(), strict=True)),
            "share of the rows",
            shares=True,
        ),
        "disagreement": None,
        "map": charts.class_map(c.coordinates, shares, c.rows, doubtful, c.axes),
        "calibration": _calibration(c) if len(c.proba) > 1 else None,
        "convergence": charts.curve(c.history) if len(c.history) > 1 else None,
        "scores": charts.bars(c.scores[:_FEATURES], "score") if c.scores else None,
    }
    if c.disagreement is not None:
        found["disagreement"] = charts.histogram(c.disagreement, "share of dissenting votes")
    return {k: Markup(v) if isinstance(v, str) else v for k, v in found.items()}


def _calibration(c: Content) -> str:
    found = calibrate(c.proba, c.pignistic, c.beliefs, c.plausibilities)
    return charts.calibration(found, c.proba.shape[1])


def _headline(c: Content) -> str:
    best = c.leaders[0]
    said = (
        f"The best model is {best.name} ({best.words}). On rows that it did not see it errs on "
        f"{_span(best.lower, best.upper)}"
    )
    vague = percent(best.lower) != percent(best.upper)
    said += ": these labels cannot say it more exactly." if vague else "."
    if c.doubtful:
        wrong = sum(record["doubt"] > 0.5 for record in c.doubtful)
        some = "One label is" if wrong == 1 else f"{wrong} labels are"
        said += f" {some} probably wrong."
    return said


def _sections(c: Content, shown: dict[str, Any], drawn: list[Matrix]) -> list[tuple[str, str]]:
    found = [("read", "What was read"), ("models", "Models"), ("labels", "Labels")]
    found += [("channel", "How labels go wrong")] if drawn else []
    found += [("doubtful", "Doubtful labels")] if c.doubtful else []
    found += [("map", "Map")]
    found += [("calibration", "Certainty")] if shown["calibration"] else []
    found += [("convergence", "How the fit went")] if shown["convergence"] else []
    found += [("features", "Features")] if shown["scores"] else []
    return [*found, ("columns", "Columns"), ("again", "Make it again")]


def _span(low: float, high: float) -> str:
    if percent(low) == percent(high):
        return percent(low)
    return f"{100 * low:.1f}–{percent(high)}"


def _precision(c: Content) -> str:
    said = (
        "How to read it: 0 is a label that does not hedge between classes, 1 a label that says "
        f"nothing; the mean is {c.nonspecificity.mean():.2f}."
    )
    if len(c.pignistic):
        certain = float(np.mean(c.pignistic.max(axis=1) >= _CERTAIN))
        said += f" {percent(certain)} of the labels are for one class by 99 % or more."
    return said


def _doubts(c: Content) -> str:
    if not c.doubtful:
        return ""
    total, n = sum(float(record["doubt"]) for record in c.doubtful), len(c.doubtful)
    most = "The one doubtful label" if n == 1 else f"The {n} most doubtful, worst first"
    return f"{most}; expect about {total:.0f} of {n} to be wrong. All labels are in doubtful.csv."


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
            cells.append((percent(value), round(float(value), 6)))
        else:
            cells.append((str(value), None))
    return cells


def _key(c: Content) -> list[tuple[str, str]]:
    if not len(c.pignistic):
        return []
    return [(name, colour_of(k)) for k, name in enumerate(c.classes)]
