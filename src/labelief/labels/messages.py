"""Words of the refusals: which rows, which columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from labelief._typing import IntArray

SHOWN = 5


def name_rows(rows: IntArray, what: str = "row") -> str:
    """Name rows in a message, counting from 0.

    Parameters
    ----------
    rows : integer array
        The offending rows.
    what : str, default="row"
        What is counted.

    Returns
    -------
    str
        ``"row 3"``, ``"rows 3, 5"`` or ``"rows 3, 5, 6, 7, 8 and 12 more"``.

    Examples
    --------
    >>> import numpy as np
    >>> name_rows(np.array([3, 5]))
    'rows 3, 5'
    """
    rows = np.asarray(rows)
    listed = ", ".join(str(row) for row in rows[:SHOWN])
    more = f" and {rows.size - SHOWN} more" if rows.size > SHOWN else ""
    return f"{what}{'s' if rows.size > 1 else ''} {listed}{more}"


def name_classes(classes: Sequence[Any] | np.ndarray[Any, Any]) -> str:
    """List class names in a message, the first few of many.

    Parameters
    ----------
    classes : sequence
        Class names.

    Returns
    -------
    str
        The names as Python writes them.

    Examples
    --------
    >>> name_classes(["cat", "dog"])
    "'cat', 'dog'"
    """
    names = list(classes)
    names = [name.item() if isinstance(name, np.generic) else name for name in names]
    listed = ", ".join(repr(name) for name in names[:SHOWN])
    return listed + (f", ... ({len(names)} in all)" if len(names) > SHOWN else "")
