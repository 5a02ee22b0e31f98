"""Label Studio's JSON export: tasks with annotations with choices."""

from __future__ import annotations

from typing import Any

import pandas as pd

from labelief.tables.votes.cells import text_of

__all__ = ["from_label_studio"]


def from_label_studio(content: Any) -> pd.DataFrame | None:
    """Read the choices of every annotation that was not cancelled; several choices are candidates.

    Parameters
    ----------
    content : list of dict
        ``[{"id", "annotations": [{"completed_by", "result": [{"type": "choices", "value":
        {"choices": [...]}}]}]}]``; ``completed_by`` is a number, or a record with an email or id.
    """
    if not isinstance(content, list) or not content:
        return None
    if not all(isinstance(task, dict) and "annotations" in task for task in content):
        return None
    votes = []
    for number, task in enumerate(content):
        item = str(task.get("id", number))
        for annotation in task["annotations"] or []:
            if annotation.get("was_cancelled"):
                continue
            who = annotation.get("completed_by", "")
            if isinstance(who, dict):
                who = who.get("email") or who.get("id", "")
            for result in annotation.get("result") or []:
                choices = (result.get("value") or {}).get("choices")
                if choices:
                    votes.append((item, str(who), text_of(choices)))
    return pd.DataFrame(votes, columns=["item", "annotator", "label"])
