"""A table with a row for each vote: ours, and crowd-kit's (task, worker, label)."""

from __future__ import annotations

import pandas as pd

from labelief.tables.columns import as_words

__all__ = ["from_long"]

_NAMES = {
    "item": ("item", "task", "row", "id", "item_id", "task_id", "example", "unit"),
    "annotator": ("annotator", "worker", "rater", "reader", "user", "expert", "worker_id", "who"),
    "label": ("label", "answer", "rating", "response", "class", "vote"),
    "confidence": ("confidence", "certainty"),
}


def from_long(table: pd.DataFrame) -> pd.DataFrame | None:
    """Read a long table by its column names, whatever their case.

    Parameters
    ----------
    table : DataFrame
        With columns called like item, annotator and label, and perhaps confidence.  A table of
        crowd annotation with the columns ``answer`` and ``label`` has the votes in ``answer``.
    """
    names = {str(column).lower(): column for column in table.columns}
    found = {
        ours: next((names[name] for name in known if name in names), None)
        for ours, known in _NAMES.items()
    }
    if "answer" in names and found["label"] is not None:
        found["label"] = names["answer"]
    if any(found[name] is None for name in ("item", "annotator", "label")):
        return None
    votes = {ours: as_words(table[column]) for ours, column in found.items() if column is not None}
    return pd.DataFrame(votes)
