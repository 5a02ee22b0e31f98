"""Votes from a file."""

from __future__ import annotations

import pandas as pd

from labelief import Votes
from labelief.tables import TableError
from labelief.tables.votes import read_votes

__all__ = ["as_votes", "votes_on"]


def as_votes(path: str, layout: str | None = None) -> Votes:
    """Read votes; the items are those voted on, in the order of their first vote.

    Parameters
    ----------
    path : str
    layout : str, default=None
    """
    said = read_votes(path, layout)
    return votes_on(list(dict.fromkeys(said["item"])), said, path)


def votes_on(items: list[str], said: pd.DataFrame, path: str) -> Votes:
    """Return what was read from a file as votes on these items, in their order.

    Parameters
    ----------
    items : list of str
    said : DataFrame
        Of :func:`labelief.tables.votes.read_votes`.
    path : str
        The file, for messages.
    """
    confidence = None
    if "confidence" in said:
        confidence = "confidence"
        said["confidence"] = pd.to_numeric(said["confidence"], errors="coerce").fillna(1.0)
    try:
        return Votes(said, "item", "annotator", "label", confidence, items=items, sep="|")
    except ValueError as error:
        raise TableError(f"{path}: {error}.") from None
