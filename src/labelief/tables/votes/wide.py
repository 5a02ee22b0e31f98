"""A table with a row for each item and a column for each annotator: cleanlab's layout."""

from __future__ import annotations

import numpy as np
import pandas as pd

from labelief.tables.columns import as_words

__all__ = ["from_wide"]

_IDS = ("item", "task", "row", "id", "index", "item_id", "task_id", "column_1", "")
# So many cells tell whether columns hold the answers of people.
_FEW = 40


def from_wide(table: pd.DataFrame) -> pd.DataFrame | None:
    """Read a wide table: an empty cell is no vote.

    Parameters
    ----------
    table : DataFrame
        The first column may be named item, task, row, id or index, or have no name; else items are
        the rows, counted from 0.
    """
    names = list(table.columns)
    if names and str(names[0]).lower() in _IDS:
        items, people = as_words(table[names[0]]).to_numpy(), names[1:]
    else:
        items, people = np.arange(len(table)).astype(str), names
    if len(people) < 2:
        return None
    cells = np.column_stack([as_words(table[person]).to_numpy() for person in people])
    rows, columns = np.nonzero(cells != "")
    # People choose from the same classes; columns that mostly share no value are something else.
    given = pd.DataFrame({"answer": cells[rows, columns], "who": columns})
    alone = given.groupby("answer")["who"].transform("nunique") < 2
    if len(given) >= _FEW and alone.mean() > 0.5:
        return None
    return pd.DataFrame(
        {
            "item": items[rows],
            "annotator": np.array([str(person) for person in people], dtype=object)[columns],
            "label": cells[rows, columns],
        }
    )
