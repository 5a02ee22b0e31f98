"""Small tables for notebooks: everything is escaped, colours are the notebook's."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

__all__ = ["html_table"]


def html_table(
    headline: str,
    header: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    numbers: frozenset[str] = frozenset(),
) -> str:
    """Write a table as HTML.

    Parameters
    ----------
    headline : str
        A line above the table.
    header : sequence of str
        Names of the columns; the first one names the rows.
    rows : iterable of sequences of str
    numbers : frozenset of str, default=frozenset()
        Columns to align on the right.

    Returns
    -------
    str
        HTML.
    """
    styles = [f' style="text-align:{"right" if h in numbers else "left"}"' for h in header]
    names = "".join(
        f'<th scope="col"{style}>{escape(name)}</th>'
        for name, style in zip(header, styles, strict=True)
    )
    body = "".join(
        f'<tr><th scope="row"{styles[0]}>{escape(first)}</th>'
        + "".join(
            f"<td{style}>{escape(cell)}</td>" for cell, style in zip(rest, styles[1:], strict=True)
        )
        + "</tr>"
        for first, *rest in rows
    )
    return (
        f"<div><p>{escape(headline)}</p><table><thead><tr>{names}</tr></thead>"
        f"<tbody>{body}</tbody></table></div>"
    )
