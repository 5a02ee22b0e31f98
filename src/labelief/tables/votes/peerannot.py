"""peerannot's answers.json: ``{task: {worker: label}}``."""

from __future__ import annotations

from typing import Any

import pandas as pd

from labelief.tables.votes.cells import text_of

__all__ = ["from_peerannot"]


def from_peerannot(content: Any) -> pd.DataFrame | None:
    """Read a dict of tasks, each a dict of workers.

    Parameters
    ----------
    content : dict
    """
    if not isinstance(content, dict) or not content:
        return None
    if not all(isinstance(answers, dict) for answers in content.values()):
        return None
    votes = [
        (str(task), str(worker), text_of(label))
        for task, answers in content.items()
        for worker, label in answers.items()
        if label is not None and label != -1
    ]
    return pd.DataFrame(votes, columns=["item", "annotator", "label"])
