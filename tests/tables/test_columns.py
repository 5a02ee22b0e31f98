from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from labelief.tables import recognise
from labelief.tables.columns import as_booleans, as_numbers, as_words

N = 40
RNG = np.random.default_rng(0)
COLUMNS = {
    "numeric": [
        [str(value) for value in RNG.normal(size=N)],
        ["1", "2.5", "", "1e-3", "NA", "-7", "?", "3"],
        RNG.integers(5, size=N),
        ["0", "1"] * 20,
        [1.5, np.nan, 2.0],
    ],
    "boolean": [["yes", "no", "", "Yes"], [True, False, True], ["T", "F"]],
    "categorical": [["red", "blue", "red", ""], ["A1", "A2"] * 20, ["1", "2", "x"]],
    "date": [
        ["2024-01-31", "2023-12-01"],
        ["2024-01-31T10:00:00Z", ""],
        ["31.01.2024", "1.2.2023"],
        pd.to_datetime(["2024-01-31", "2023-12-01"]),
    ],
    "id": [[f"P{i:03d}" for i in range(N)], list(range(1, N + 1)), [str(i) for i in range(N)]],
    "text": [
        ["the bird sat on a high branch", "it was seen again near the old mill"],
        [f"word{i % 30}" for i in range(N)],
    ],
    "constant": [["x", "x"], [1, 1]],
    "empty": [["", "NA"], [None, None]],
}
CASES = [(kind, values) for kind, columns in COLUMNS.items() for values in columns]


@pytest.mark.parametrize(("kind", "values"), CASES)
def test_kinds(kind, values):
    (column,) = recognise(pd.DataFrame({"x": values}))
    assert column.kind == kind, column
    assert column.reason


def test_names_help_to_see_ids():
    frame = pd.DataFrame({"patient_id": [17, 3, 99], "width": [17, 3, 99]})
    assert [column.kind for column in recognise(frame)] == ["id", "numeric"]


def test_cells_that_say_nothing_are_counted():
    (column,) = recognise(pd.DataFrame({"x": ["1", "", "null", "?", " ", "2"]}))
    assert (column.kind, column.missing) == ("numeric", 4)


def test_cells_as_words_numbers_and_booleans():
    cells = pd.Series([" 1 ", "N/A", "x"])
    assert as_words(cells).tolist() == ["1", "", "x"]
    assert as_words(pd.Series([1.0, np.nan, 2.5])).tolist() == ["1", "", "2.5"]
    np.testing.assert_array_equal(as_numbers(as_words(cells)), [1.0, np.nan, np.nan])
    np.testing.assert_array_equal(as_booleans(pd.Series(["Y", "0", "?"])), [1.0, 0.0, np.nan])


def test_numbers_that_are_spoiled_say_how():
    frame = pd.DataFrame(
        {
            "slip": ["1.5", "2.5", *[str(i) for i in range(40)], "unknown"],
            "comma": [f"{i},5" for i in range(43)],
            "few": ["1", "2", "many"] * 14 + ["1"],
        }
    )
    slip, comma, few = recognise(frame)
    assert (slip.kind, comma.kind, few.kind) == ("text", "text", "categorical")
    assert "1 of 43 are not, as 'unknown'" in slip.reason
    assert "decimal commas, as '0,5'" in comma.reason
