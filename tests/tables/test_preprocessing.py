from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from labelief.tables import TableError, TablePreprocessor

FRAME = pd.DataFrame(
    {
        "size": ["1", "", "3", "5"],
        "wild": ["yes", "no", "no", "yes"],
        "colour": ["red", "blue", "red", ""],
        "seen": ["2024-01-01", "2024-01-02", "2024-01-03", "2024-01-04"],
        "same": ["x"] * 4,
    }
)


def raw(numbers):
    """The columns by hand: median 3 for the gap, and what each 0/1 column says."""
    return np.array(numbers, dtype=float).T


def test_numbers_are_those_of_hand():
    numbers = TablePreprocessor().fit(FRAME)
    expected = raw([[1, 3, 3, 5], [0, 1, 0, 0], [1, 0, 0, 1], [0, 0, 0, 1], [0, 1, 0, 0]])
    expected = (expected - expected.mean(axis=0)) / expected.std(axis=0)
    names = ["size", "size missing", "wild", "colour=missing", "colour=blue"]
    assert numbers.get_feature_names_out().tolist() == names
    np.testing.assert_allclose(numbers.transform(FRAME), expected)
    assert {c["name"]: c["kind"] for c in numbers.columns_}["seen"] == "date"


def test_types_of_the_file_do_not_matter():
    typed = FRAME.assign(
        size=[1.0, np.nan, 3.0, 5.0],
        wild=[True, False, False, True],
        colour=pd.Categorical(["red", "blue", "red", None]),
    )
    text, types = TablePreprocessor().fit(FRAME), TablePreprocessor().fit(typed)
    np.testing.assert_array_equal(text.transform(typed), types.transform(FRAME))


def test_levels_that_training_did_not_see_count_as_the_commonest():
    numbers = TablePreprocessor().fit(FRAME)
    new = FRAME.assign(colour=["green"] * 4)
    assert numbers.unseen(new) == {"colour": ["green"]}
    commonest = numbers.transform(FRAME.assign(colour=["red"] * 4))
    np.testing.assert_array_equal(numbers.transform(new), commonest)


def test_rare_levels_share_what_the_unseen_get():
    frame = pd.DataFrame({"x": [f"l{i % 50}" for i in range(300)]})
    numbers = TablePreprocessor().fit(frame)
    assert numbers.n_features_out_ == 30
    rare = numbers.transform(pd.DataFrame({"x": ["l9", "never"]}))
    np.testing.assert_array_equal(rare[0], rare[1])
    assert numbers.unseen(pd.DataFrame({"x": ["never"]})) == {}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda f: f.drop(columns="size"), "no column 'size'"),
        (lambda f: f.assign(size=["1", "2", "big", "3"]), "row 2 .* says 'big'"),
        (lambda f: f.assign(size=["1", "2", "inf", "3"]), "row 2 .* says 'inf'"),
        (lambda f: f.assign(wild=["yes", "perhaps", "", ""]), "row 1 .* says 'perhaps'"),
    ],
)
def test_tables_that_do_not_fit_are_refused(change, message):
    with pytest.raises(TableError, match=message):
        TablePreprocessor().fit(FRAME).transform(change(FRAME))


def test_a_gap_that_training_did_not_have_is_filled():
    numbers = TablePreprocessor().fit(FRAME.assign(size=["1", "2", "3", "5"]))
    gap = numbers.transform(FRAME.assign(size=["", "2", "3", "5"]))
    middle = numbers.transform(FRAME.assign(size=["2.5", "2", "3", "5"]))
    np.testing.assert_array_equal(gap, middle)


def test_a_table_without_features_is_refused():
    with pytest.raises(TableError, match=r"No column can be used .*same: constant"):
        TablePreprocessor().fit(FRAME[["seen", "same"]])


def test_clone_and_fit_again():
    numbers = TablePreprocessor().fit(FRAME)
    again = clone(numbers).fit(FRAME[["size"]])
    assert again.used_ == ["size"]
    assert numbers.used_ == ["size", "wild", "colour"]


def test_kinds_of_the_whole_table_hold_in_its_parts():
    whole = pd.DataFrame({"x": ["1", "2", "3", "many"], "y": ["1", "2", "3", ""]})
    part = whole[:3]
    kinds = {"x": "categorical", "y": "numeric"}
    numbers = TablePreprocessor(kinds).fit(part)
    assert numbers.transform(whole).shape == (4, 3)
    with pytest.raises(TableError, match="says 'many'"):
        TablePreprocessor().fit(part).transform(whole)
    empty = TablePreprocessor(kinds).fit(whole.assign(y=[""] * 4))
    assert np.all(np.isfinite(empty.transform(whole)))


def test_numbers_whose_square_is_none_are_refused():
    with pytest.raises(TableError, match=r"row 2 .* says '1e300'"):
        TablePreprocessor().fit(pd.DataFrame({"x": ["1", "2", "1e300", "3"]}))
