"""Votes from a file, on the items that the file names."""

from __future__ import annotations

import pandas as pd

from labelief import Votes
from labelief.tables import TableError
from labelief.tables.votes import read_votes

__all__ = ["as_votes"]


def as_votes(path: str, layout: str | None = None) -> Votes:
    """Read votes; the items are those voted on, in the order of their first vote.

    Parameters
    ----------
    path : str
    layout : str, default=None
    """
    said = read_votes(path, layout)
    confidence = None
    if "confidence" in said:
        confidence = "confidence"
        said["confidence"] = pd.to_numeric(said["confidence"], errors="coerce").fillna(1.0)
    items = list(dict.fromkeys(said["item"]))
    try:
        return Votes(said, "item", "annotator", "label", confidence, items=items, sep="|")
    except ValueError as error:
        raise TableError(f"{path}: {error}.") from None
