from __future__ import annotations

import numpy as np
import pytest

from labelief.models.column_groups import grouped, indices, positions

NAMES = np.array(["age", "sex", "site", "dose"], dtype=object)


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        (2, [2]),
        (-1, [3]),
        (np.int64(1), [1]),
        ([3, 0], [3, 0]),
        (np.array([1, 2]), [1, 2]),
        ((0, -2), [0, 2]),
        (slice(1, None), [1, 2, 3]),
        (slice(None, None, 2), [0, 2]),
        ([True, False, False, True], [0, 3]),
        (np.array([False, True, True, False]), [1, 2]),
        ([], []),
    ],
)
def test_columns_by_position(columns, expected):
    assert indices(columns, 4).tolist() == expected
    assert positions(columns, NAMES) is columns


@pytest.mark.parametrize(
    ("columns", "expected"), [("site", [2]), (["dose", "age"], [3, 0]), (NAMES[:2], [0, 1])]
)
def test_columns_by_name(columns, expected):
    assert positions(columns, NAMES) == expected


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (4, "X has 4 columns"),
        ([0, -5], "X has 4 columns"),
        ([True, False], "one entry for each of the 4 columns"),
        (1.0, "an index, a slice"),
        ([[0, 1]], "an index, a slice"),
        (None, "an index, a slice"),
    ],
)
def test_columns_that_are_none(columns, message):
    with pytest.raises(ValueError, match=message):
        indices(columns, 4)


def test_names_that_nobody_has():
    with pytest.raises(ValueError, match=r"\['weight'\], which X lacks"):
        positions(["age", "weight"], NAMES)
    with pytest.raises(ValueError, match="no names of columns"):
        positions("age", None)


def test_each_column_belongs_to_one_group():
    groups = grouped([("a", [2, 0]), ("b", 1)], "rest", 5)
    assert [(density, index.tolist()) for density, index in groups] == [
        ("a", [2, 0]),
        ("b", [1]),
        ("rest", [3, 4]),
    ]
    assert len(grouped([("a", slice(None))], "rest", 5)) == 1
    with pytest.raises(ValueError, match="Column 0 of X stands in groups 0 and 1"):
        grouped([("a", [2, 0]), ("b", [0, 1])], "rest", 5)
    with pytest.raises(ValueError, match="Column 2 of X stands in groups 0 and 0"):
        grouped([("a", [2, 2])], "rest", 5)
    with pytest.raises(ValueError, match=r"Columns \[1, 3\] of X stand in no group"):
        grouped([("a", [2, 0])], None, 4)
    with pytest.raises(ValueError, match="Group 1 of Columns has no columns"):
        grouped([("a", [2, 0]), ("b", [])], "rest", 4)
