from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from labelief.labels import encoding
from labelief.labels.class_names import (
    as_classes,
    as_vector,
    match_classes,
    match_columns,
    sorted_classes,
)
from labelief.labels.encoding import encode
from labelief.labels.messages import name_classes, name_rows

VECTORS = {
    "ints": np.array([3, 1, 3, 2]),
    "negative ints": np.array([-3, 5, -3]),
    "far ints": np.array([0, 10**15, 3]),
    "extreme ints": np.array([np.iinfo(np.int64).min, np.iinfo(np.int64).max, 0]),
    "int8": np.array([-128, 127, 0], dtype=np.int8),
    "uint8": np.array([255, 0, 255], dtype=np.uint8),
    "uint64": np.array([2**64 - 1, 2**64 - 2], dtype=np.uint64),
    "bools": np.array([True, False, True]),
    "floats": np.array([2.0, 0.0, -7.0]),
    "big floats": np.array([1e300, 0.0]),
    "float32": np.array([2, 0, 2], dtype=np.float32),
    "text": np.array(["b", "a", "b"]),
    "objects": np.array(["b", "a", "b"], dtype=object),
    "object ints": np.array([4, 2, 4], dtype=object),
    "strided": np.arange(10)[::-3],
}


@pytest.mark.parametrize("name", VECTORS)
def test_codes_are_those_of_unique(name):
    y = VECTORS[name]
    classes, codes = encode(y)
    expected, inverse = np.unique(y, return_inverse=True)
    assert codes.dtype == np.int32
    np.testing.assert_array_equal(codes, inverse)
    assert classes.tolist() == expected.tolist()
    if y.dtype != object:
        assert classes.dtype == expected.dtype
    assert not classes.flags.writeable


def test_a_table_and_a_sort_agree(monkeypatch):
    y = np.random.default_rng(0).integers(-150, -50, 1000)
    by_table = encode(y)
    monkeypatch.setattr(encoding, "TABLE", 1)
    by_sort = encode(y)
    np.testing.assert_array_equal(by_table[1], by_sort[1])
    assert by_table[0].tolist() == by_sort[0].tolist()


def test_missing_labels_of_every_library():
    expected = [1, -1, 0, 1]
    for y in (
        ["b", None, "a", "b"],
        ["b", float("nan"), "a", "b"],
        np.array(["b", np.nan, "a", "b"], dtype=object),
        pd.Series(["b", None, "a", "b"]),
        pd.Series(["b", pd.NA, "a", "b"], dtype="string"),
        pd.Series(["b", None, "a", "b"], dtype="category"),
        pl.Series(["b", None, "a", "b"]),
    ):
        classes, codes = encode(y)
        assert classes.tolist() == ["a", "b"]
        assert codes.tolist() == expected
    for y in (
        [7, None, 3, 7],
        pd.Series([7, None, 3, 7], dtype="Int64"),
        pl.Series([7, None, 3, 7]),
        np.array([7, np.nan, 3, 7]),
    ):
        classes, codes = encode(y)
        assert classes.tolist() == [3, 7]
        assert codes.tolist() == expected
    classes, _ = encode(pl.Series([7, None, 3]))
    assert classes.dtype.kind == "i"
    classes, codes = encode(pd.Series([True, None, False], dtype="boolean"))
    assert classes.tolist() == [False, True] and codes.tolist() == [1, -1, 0]
    classes, codes = encode(np.array(["2020-01-01", "NaT"], dtype="M8[D]"))
    assert codes.tolist() == [0, -1]
    stamps = pd.Series(pd.to_datetime(["2021-01-01", None, "2020-01-01"]))
    classes, codes = encode(stamps)
    assert codes.tolist() == [1, -1, 0] and classes[0].year == 2020


def test_numbers_beside_text_are_not_made_text():
    with pytest.raises(ValueError, match="mixes labels of different types"):
        encode(["a", 1])
    with pytest.raises(ValueError, match="mixes"):
        encode(np.array(["a", 1], dtype=object))


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([0.5, 1.0], "Unknown label type: continuous"),
        ([1.0, np.inf], r"infinity or a value too large for dtype\('float64'\)"),
        ([np.nan, np.nan], "Input y contains NaN"),
        ([None, None], "no class is named"),
        ([1j, 2.0], "Complex data not supported"),
        ([b"a", b"b"], "bytes"),
        ([("a",), ("b",)], "1d array|single class"),
        ([["a"], ["a", "b"]], "ragged|single"),
        (np.array([{"a"}, {"b"}]), "single class.*from_candidates"),
        ("abc", "list or an array"),
        ({"a": 1}, "list or an array"),
        (3, "1d array"),
        (np.zeros((2, 2, 2)), "1d array"),
    ],
)
def test_labels_refused(y, message):
    with pytest.raises(ValueError, match=message):
        encode(y)


def test_labels_among_given_classes():
    classes, codes = encode([1, 0, None], classes=[2, 1, 0])
    assert classes.tolist() == [2, 1, 0] and codes.tolist() == [1, 2, -1]
    with pytest.raises(ValueError, match="5 at row 3, which is not among the classes 1, 0"):
        encode([1, 0, 1, 5], classes=[1, 0])
    assert encode(np.array([1.0, 0.0]), classes=[0, 1])[1].tolist() == [1, 0]
    assert encode([None, np.nan], classes=["a", "b"])[1].tolist() == [-1, -1]
    assert encode(np.array([], dtype=int), classes=[0, 1])[1].size == 0


def test_missing_value_that_does_not_occur_and_that_is_text_for_numbers():
    assert encode([1, 2], missing="?")[1].tolist() == [0, 1]
    assert encode([1, 2], missing=3)[1].tolist() == [0, 1]
    assert encode([1, -1, 2], classes=[1, 2], missing=-1)[1].tolist() == [0, -1, 1]


def test_as_vector_does_not_copy_an_array():
    y = np.arange(3)
    assert as_vector(y) is y


def test_classes_keep_type_and_order():
    for names in (["b", "a"], [3, 1], [True, False], [2.5, 1.5]):
        assert as_classes(names).tolist() == names
    assert as_classes(pd.Index(["b", "a"])).tolist() == ["b", "a"]
    assert as_classes(range(3)).tolist() == [0, 1, 2]
    mixed = as_classes(["a", 1])
    assert mixed.tolist() == ["a", 1]
    with pytest.raises(ValueError, match="different types"):
        sorted_classes(mixed)


def test_sorted_classes_say_where_each_stood():
    names, positions = sorted_classes(as_classes(["c", "a", "b"]))
    assert names.tolist() == ["a", "b", "c"] and positions.tolist() == [1, 2, 0]


def test_matching_falls_back_to_text():
    got = match_columns(np.array(["10", "2"]), np.array([2, 10]), "the frame")
    assert got.tolist() == [1, 0]
    with pytest.raises(ValueError, match=r"lacks 'b' and has 'c' besides"):
        match_classes(np.array(["a", "c"]), np.array(["a", "b"]), "the frame")


def test_messages_stay_short():
    assert name_rows(np.array([4])) == "row 4"
    assert name_rows(np.arange(9)) == "rows 0, 1, 2, 3, 4 and 4 more"
    assert name_classes(np.arange(300)) == "0, 1, 2, 3, 4, ... (300 in all)"
