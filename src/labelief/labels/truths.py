"""Items whose true class is known, beside what annotators say of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from labelief._typing import IntArray
from labelief.labels.class_names import Codes, Names, is_missing
from labelief.labels.class_sets import Collection
from labelief.labels.encoding import UNKNOWN
from labelief.labels.keys import as_cells, item_places
from labelief.labels.messages import name_classes


def truth_column(column: Any, item_codes: IntArray, items: Names) -> dict[Any, Any]:
    """Read true classes that stand beside the votes; those about one item must agree.

    Parameters
    ----------
    column : (V,) array-like
        A class, or None where none is known.
    item_codes : (V,) integer array
        Item of each vote.
    items : (n,) array
        Names of the items.

    Returns
    -------
    dict
        Item to class.
    """
    values = as_cells(column, "verified").tolist()
    if len(values) != item_codes.size:
        raise ValueError("the columns of the table differ in length")
    names = items.tolist()
    truth: dict[Any, Any] = {}
    for code, value in zip(item_codes.tolist(), values, strict=True):
        if _refuse_set(value) or is_missing(value):
            continue
        if truth.setdefault(names[code], value) != value:
            raise ValueError(
                f"item {names[code]!r} is verified as {truth[names[code]]!r} in one row of the "
                f"table and as {value!r} in another"
            )
    return truth


def known_truth(verified: Any, items: Names) -> dict[int, Any]:
    """Return the true classes that are known, by position of the item.

    Parameters
    ----------
    verified : dict {item: class}, (n,) array-like or None
        What is known.
    items : (n,) array
        Names of the items.

    Returns
    -------
    dict
        Position to class.
    """
    if verified is None:
        return {}
    if isinstance(verified, Mapping):
        places = item_places(items)
        stray = [item for item in verified if item not in places]
        if stray:
            raise ValueError(f"verified names {stray[0]!r}, which is not among the items")
        # An item drawn twice stands in two rows.
        listed = enumerate(items.tolist())
        known = [(row, verified[item]) for row, item in listed if item in verified]
    else:
        values = as_cells(verified, "verified").tolist()
        if len(values) != items.size:
            raise ValueError(
                f"verified must have one entry for each of the {items.size} items (None where the "
                f"class is not known), got {len(values)}; or give a dict {{item: class}}"
            )
        known = list(enumerate(values))
    return {row: value for row, value in known if not (_refuse_set(value) or is_missing(value))}


def truth_codes(truth: dict[int, Any], classes: Names, n: int) -> Codes:
    """Code known classes.

    Parameters
    ----------
    truth : dict
        Position to class.
    classes : (K,) array
        Names of the classes.
    n : int
        Number of items.

    Returns
    -------
    (n,) int32 array
        -1 where none is known.
    """
    place = {name: k for k, name in enumerate(classes.tolist())}
    codes = np.full(n, UNKNOWN, dtype=np.int32)
    for row, value in truth.items():
        if value not in place:
            raise ValueError(
                f"item {row} (counted from 0) is verified as {value!r}, which is not among the "
                f"classes {name_classes(classes)}"
            )
        codes[row] = place[value]
    return codes


def _refuse_set(value: Any) -> bool:
    if isinstance(value, Collection):
        raise ValueError(
            f"verified holds the collection {value!r}: a verified item has one class. Give what "
            "is less sure as the vote of a trusted annotator"
        )
    return False
