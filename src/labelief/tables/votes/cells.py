"""What a JSON value says as the text of a cell."""

from __future__ import annotations

from typing import Any

from labelief.tables.labels import SEPARATOR

__all__ = ["text_of"]


def text_of(value: Any) -> str:
    """Return a class, or candidates "A|B", as text.

    Parameters
    ----------
    value : scalar or list
    """
    if isinstance(value, list):
        return SEPARATOR.join(text_of(part) for part in value)
    if isinstance(value, dict):
        return str(value.get("name", value.get("label", "")))
    return str(value)
