"""doccano's JSON lines: a line for each document, with its labels; a file for each annotator."""

from __future__ import annotations

from typing import Any

import pandas as pd

from labelief.tables.votes.cells import text_of

__all__ = ["from_doccano"]

_WHO = ("annotator", "username", "user", "annotated_by", "file")


def from_doccano(content: Any) -> pd.DataFrame | None:
    """Read documents' labels; several labels are candidates, none is no vote.

    Parameters
    ----------
    content : list of dict
        ``{"id", "label": [...]}``; who labelled it is the line's annotator or user, else the name
        of its file, because doccano exports a file for each annotator.
    """
    if not isinstance(content, list) or not content:
        return None
    if not all(
        isinstance(line, dict) and ("label" in line or "labels" in line) for line in content
    ):
        return None
    votes = []
    for number, line in enumerate(content):
        said = line.get("label", line.get("labels"))
        who = next((line[name] for name in _WHO if line.get(name)), "")
        if said not in (None, [], ""):
            votes.append((str(line.get("id", number)), str(who), text_of(said)))
    return pd.DataFrame(votes, columns=["item", "annotator", "label"])
