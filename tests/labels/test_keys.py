from __future__ import annotations

from datetime import date

import numpy as np
import pandas as pd
import polars as pl
import pytest

from labelief.labels import Votes
from labelief.labels.keys import as_cells, code_keys

KINDS = {
    "text": ["b", "a", "b"],
    "integers": [7, -3, 7],
    "real": [0.5, 0.25, 0.5],
    "tuples": [("b", 1), ("a", 2), ("b", 1)],
    "dates": [date(2026, 2, 1), date(2026, 1, 1), date(2026, 2, 1)],
    "mixed": ["b", 3, "b"],
    "sets": [frozenset("xy"), frozenset("x"), frozenset("xy")],
    "bools": [True, False, True],
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("column", ["list", "object array", "pandas"])
def test_names_of_any_hashable_kind(kind, column):
    names = KINDS[kind]
    array = np.empty(3, dtype=object)
    for row, name in enumerate(names):
        array[row] = name
    given = {"list": names, "object array": array, "pandas": pd.Series(array)}[column]
    votes = Votes(
        {"i": given, "a": given, "l": [0, 1, 0]},
        "i",
        "a",
        "l",
        items=[names[1], names[0]],
    )
    np.testing.assert_array_equal(votes.counts, [[0, 1], [2, 0]])
    assert set(votes.annotators.tolist()) == set(names)
    assert len(votes.annotators) == 2
    assert votes.items.tolist() == [names[1], names[0]]


def test_order_is_sorted_or_that_of_appearance():
    assert code_keys(["b", None, "a"], "item")[0].tolist() == ["a", "b"]
    assert code_keys(["b", 3, "a"], "item")[0].tolist() == ["b", 3, "a"]
    assert code_keys(["b", None, "a"], "item")[1].tolist() == [1, -1, 0]
    assert code_keys(np.array([0.5, np.nan, 0.25]), "item")[1].tolist() == [1, -1, 0]


def test_polars_columns():
    assert code_keys(pl.Series(["b", None, "a"]), "item")[1].tolist() == [1, -1, 0]
    cells = as_cells(pl.Series([["a"], None, ["a", "b"]]), "label")
    assert cells.tolist() == [["a"], None, ["a", "b"]]


def test_what_cannot_be_hashed_is_named():
    with pytest.raises(ValueError, match=r"annotator has \['x'\] at row 1"):
        Votes({"i": [0, 1], "a": ["x", ["x"]], "l": [0, 1]}, "i", "a", "l")
    with pytest.raises(ValueError, match=r"items has \['x'\] at row 0"):
        Votes({"i": [0], "a": ["x"], "l": [0]}, "i", "a", "l", items=[["x"], 0])
