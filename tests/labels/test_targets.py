from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.exceptions import DataConversionWarning

from labelief.labels import SoftLabels, Votes, as_soft_labels, read_target

# ------------------------------------------------------------------ 1-D labels


@pytest.mark.parametrize(
    "y",
    [
        np.array([2, 0, 2, 1]),
        [2, 0, 2, 1],
        (2, 0, 2, 1),
        np.array([2.0, 0.0, 2.0, 1.0]),
        pd.Series([2, 0, 2, 1], index=[9, 8, 7, 6]),
        pl.Series([2, 0, 2, 1]),
        np.array([2, 0, 2, 1], dtype=object),
    ],
    ids=lambda y: type(y).__name__,
)
def test_labels_become_codes(y):
    target = read_target(y, n_rows=4)
    assert target.classes.tolist() == [0, 1, 2]
    assert target.codes.tolist() == [2, 0, 2, 1] and target.codes.dtype == np.int32
    assert target.plausibilities is None and target.votes is None and target.verified is None
    assert len(target) == 4


def test_an_object_that_only_knows_how_to_become_an_array():
    class NotAnArray:
        def __array__(self, dtype=None, copy=None):
            return np.array([1, 0, 1])

    assert read_target(NotAnArray()).codes.tolist() == [1, 0, 1]


def test_unknown_labels():
    target = read_target(["b", None, "a", np.nan, pd.NA])
    assert target.codes.tolist() == [1, -1, 0, -1, -1]
    assert target.classes.tolist() == ["a", "b"]


def test_classes_are_in_order_whatever_order_they_are_named_in():
    target = read_target(["b", None, "c"], classes=["b", "c", "a"])
    assert target.classes.tolist() == ["a", "b", "c"]
    assert target.codes.tolist() == [1, -1, 2]
    target = read_target([None, None], classes=["y", "x"])
    assert target.codes.tolist() == [-1, -1] and target.classes.tolist() == ["x", "y"]


def test_minus_one():
    assert read_target([-1, 1, -1]).classes.tolist() == [-1, 1]
    with pytest.warns(UserWarning, match="-1 beside 2 other integer classes"):
        assert read_target([0, 1, -1]).codes.tolist() == [1, 2, 0]
    with pytest.warns(UserWarning, match="-1"):
        read_target([0.0, 1.0, -1.0])
    assert read_target([0, 1, -1], classes=[-1, 0, 1]).codes.tolist() == [1, 2, 0]
    assert read_target(["0", "1", "-1"]).codes.tolist() == [1, 2, 0]


def test_a_column_is_labels_with_a_warning():
    columns = [
        np.array([[1], [0]]),
        np.array([[1.0], [0.0]]),
        [[1], [0]],
        pd.DataFrame({"y": [1, 0]}),
        pl.DataFrame({"y": [1, 0]}),
        np.array([["b"], ["a"]]),
        np.array([["b"], [None], ["a"]], dtype=object),
    ]
    for y in columns:
        with pytest.warns(DataConversionWarning, match="A column-vector y was passed"):
            target = read_target(y)
        assert target.plausibilities is None
        assert target.codes.tolist() == ([1, 0] if len(y) == 2 else [1, -1, 0])


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "requires y to be passed, but the target y is None"),
        ([0.1, 0.7, 1.0], "Unknown label type: continuous"),
        (np.full(4, np.nan), "Input y contains NaN"),
        (np.full(4, np.inf), r"Input y contains infinity or a value too large for dtype\('float64"),
        (np.array([1.0, -np.inf]), "infinity.*row 1"),
        (np.zeros((2, 2, 2)), "1d array"),
        (np.float64(3), "1d array"),
        ("cat", "list or an array"),
        (sparse.csr_array(np.eye(3)), "Sparse data"),
        ([["a"], ["a", "b"]], "ragged"),
        ([{"a"}, {"b"}], "from_candidates"),
        (np.array([["a", "b"], ["b", "a"]]), "hold numbers"),
    ],
)
def test_refused(y, message):
    with pytest.raises(ValueError, match=message):
        read_target(y)


def test_wrong_number_of_rows():
    for y in ([0, 1], np.ones((2, 3)), SoftLabels.from_crisp([0, 1])):
        with pytest.raises(ValueError, match="X has 3 rows and y has 2"):
            read_target(y, n_rows=3)


# ------------------------------------------------------------------ plausibilities


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_floats_are_taken_as_they_are(dtype, order):
    y = np.asarray(np.random.default_rng(0).uniform(0, 7, (5, 3)), dtype=dtype, order=order)
    target = read_target(y, n_rows=5)
    assert target.plausibilities is y
    assert target.classes.tolist() == [0, 1, 2]
    assert target.codes is None


def test_columns_are_in_the_order_of_classes():
    y = np.array([[0.1, 0.2, 0.3]])
    target = read_target(y, classes=["c", "a", "b"])
    assert target.classes.tolist() == ["a", "b", "c"]
    np.testing.assert_array_equal(target.plausibilities, [[0.2, 0.3, 0.1]])
    with pytest.raises(ValueError, match="3 columns but there are 2 classes"):
        read_target(y, classes=["a", "b"])


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames_are_matched_by_name(frame):
    y = frame({"c": [0.1, 1.0], "a": [0.2, 1.0], "b": [0.3, 1.0]})
    for classes in (None, ["b", "c", "a"]):
        target = read_target(y, classes=classes)
        assert target.classes.tolist() == ["a", "b", "c"]
        np.testing.assert_array_equal(target.plausibilities[0], [0.2, 0.3, 0.1])
    with pytest.raises(ValueError, match=r"lacks 'd'"):
        read_target(y, classes=["a", "b", "c", "d"])
    numbered = frame({"10": [0.1], "9": [0.9]})
    np.testing.assert_array_equal(
        read_target(numbered, classes=[9, 10]).plausibilities, [[0.9, 0.1]]
    )


def test_a_frame_with_integer_names_keeps_them():
    target = read_target(pd.DataFrame([[0.5, 1.0]], columns=[7, 3]))
    assert target.classes.tolist() == [3, 7]
    np.testing.assert_array_equal(target.plausibilities, [[1.0, 0.5]])


def test_frames_refused():
    with pytest.raises(ValueError, match="column 'b' of type"):
        read_target(pd.DataFrame({"a": [1.0], "b": ["x"]}))
    with pytest.raises(ValueError, match=r"NaN: row 1, column 1 \(class 'b'\)"):
        read_target(pd.DataFrame({"a": [1.0, 1.0], "b": [1.0, None]}))
    with pytest.raises(ValueError, match="NaN: row 1, column 1"):
        read_target(pl.DataFrame({"a": [1.0, 1.0], "b": [1.0, None]}))


def test_candidates_as_zeros_and_ones():
    y = np.array([[1, 0, 1], [0, 1, 0]])
    for dtype in (bool, int, np.uint8):
        target = read_target(y.astype(dtype))
        np.testing.assert_array_equal(target.plausibilities, y)
        assert target.plausibilities.dtype == np.float64
    assert read_target(y.astype(object)).plausibilities.dtype == np.float64
    target = read_target(pd.DataFrame({"a": [True, False], "b": [True, True]}))
    np.testing.assert_array_equal(target.plausibilities, [[1, 1], [0, 1]])


def test_integer_codes_are_refused_with_their_usual_cause():
    for y in (np.array([[0, 3], [1, 2]]), np.array([[0, -1]]), pd.DataFrame({"a": [2], "b": [0]})):
        with pytest.raises(ValueError, match="cross_val_predict"):
            read_target(y)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([[1.0, 0.5], [0.0, 0.0]], "zeros in row 1"),
        ([[1.0, 0.5], [0.5, -1e-9]], "negative number: row 1, column 1"),
        ([[1.0, 0.5], [np.nan, 1.0]], "Input y contains NaN: row 1, column 0"),
        ([[np.inf, 0.5], [1.0, 1.0]], "Input y contains infinity.*row 0, column 0"),
        (np.array([[0, 0], [1, 0]]), "zeros in row 0"),
    ],
)
def test_plausibilities_refused(y, message):
    with pytest.raises(ValueError, match=message):
        read_target(y)


# ------------------------------------------------------------------ SoftLabels


def test_crisp_and_vacuous_soft_labels_are_codes():
    y = SoftLabels.from_crisp(["b", None, "c"], classes=["c", "b", "a"])
    target = read_target(y, n_rows=3)
    assert target.classes.tolist() == ["a", "b", "c"]
    assert target.codes.tolist() == [1, -1, 2] and target.codes.dtype == np.int32
    assert target.plausibilities is None and target.verified is None
    again = read_target(SoftLabels.from_plausibilities(y.plausibilities, y.classes))
    assert again.codes.tolist() == [1, -1, 2]


def test_other_soft_labels_give_their_contour():
    y = SoftLabels.from_masses([{"b": 0.6, ("a", "b"): 0.4}, {"a": 1}], classes=["b", "a"])
    target = read_target(y, classes=["a", "b"])
    assert target.codes is None
    np.testing.assert_allclose(target.plausibilities, [[0.4, 1.0], [1.0, 0.0]])


def test_possibility_distributions_are_not_copied():
    y = SoftLabels.from_plausibilities(np.random.default_rng(0).random((10, 3)))
    assert np.shares_memory(read_target(y).plausibilities, y.plausibilities)


def test_mass_of_the_empty_set_is_divided_out():
    y = SoftLabels.from_masses([{(): 0.5, "a": 0.3, ("a", "b"): 0.2}, {"b": 1}], ["a", "b"])
    np.testing.assert_allclose(read_target(y).plausibilities, [[1.0, 0.4], [0, 1]])


def test_soft_labels_over_other_classes_are_refused():
    y = SoftLabels.from_crisp(["a", "b"])
    with pytest.raises(ValueError, match="lacks 'c'"):
        read_target(y, classes=["a", "b", "c"])


def test_verified_rows():
    y = SoftLabels.from_plausibilities([[1, 0.5], [0.5, 1]]).with_verified([False, True])
    target = read_target(y)
    assert target.verified.tolist() == [False, True]
    assert target.take([1]).verified.tolist() == [True]


# ------------------------------------------------------------------ parts of a target


@pytest.mark.parametrize(
    "rows", [slice(1, 3), np.array([2, 0]), np.array([True, False, True]), slice(None)]
)
def test_rows_of_a_target(rows):
    pl_ = np.random.default_rng(0).random((3, 2))
    votes = Votes({"i": [0, 1, 2], "a": [0, 0, 0], "l": [1, 0, 1]}, "i", "a", "l")
    expected = np.arange(3)[rows]
    np.testing.assert_array_equal(read_target(pl_).take(rows).plausibilities, pl_[rows])
    assert (
        read_target([1, 0, 1]).take(rows).codes.tolist() == np.array([1, 0, 1])[expected].tolist()
    )
    part = read_target(votes).take(rows)
    np.testing.assert_array_equal(part.votes.counts, votes.counts[rows])
    assert len(part) == expected.size and part.classes.tolist() == [0, 1]


# ------------------------------------------------------------------ for metrics


def test_labels_for_a_metric():
    y = SoftLabels.from_crisp(["a", "b"])
    assert as_soft_labels(y) is y
    assert as_soft_labels(y, classes=["b", "a"]).classes.tolist() == ["b", "a"]
    made = as_soft_labels(["a", None], classes=["b", "a"])
    np.testing.assert_array_equal(made.plausibilities, [[0, 1], [1, 1]])
    with pytest.warns(DataConversionWarning):
        assert as_soft_labels([["a"], ["b"]]).shape == (2, 2)


def test_bare_matrix_for_a_metric_is_a_possibility_distribution():
    made = as_soft_labels(np.array([[1.0, 0.3], [0.2, 1.0]]), classes=["b", "a"])
    assert made.classes.tolist() == ["b", "a"]
    np.testing.assert_array_equal(made.plausibilities, [[1.0, 0.3], [0.2, 1.0]])
    assert as_soft_labels(np.array([[True, False]])).shape == (1, 2)
    with pytest.raises(ValueError, match=r"row 1 of y is 0.5.*SoftLabels.from_plausibilities"):
        as_soft_labels(np.array([[1.0, 0.3], [0.5, 0.5]]))
    with pytest.raises(ValueError, match="row 0 of y is 2"):
        as_soft_labels(np.array([[2.0, 0.3], [0.5, 0.5]]))


def test_votes_are_no_labels_for_a_metric():
    votes = Votes({"i": [0], "a": [0], "l": [1]}, "i", "a", "l")
    with pytest.raises(ValueError, match="from_votes"):
        as_soft_labels(votes)
    with pytest.raises(ValueError, match="None"):
        as_soft_labels(None)


@pytest.mark.parametrize("names", [[0, 1, 10, 2], [-2, -1, 1, 3]])
def test_text_is_no_number_in_soft_labels(names):
    """Sorted as text they are in another order: columns of frames only may be taken for numbers."""
    text = SoftLabels.from_crisp([str(name) for name in names])
    with pytest.raises(ValueError, match="the SoftLabels lacks"):
        read_target(text, classes=sorted(names))
    frame = text.to_frame("polars")
    matched = SoftLabels.from_plausibilities(frame, classes=sorted(names))
    np.testing.assert_array_equal(read_target(matched).codes, np.argsort(np.argsort(names)))


def test_rows_that_say_something_are_known():
    assert read_target(["a", None, "b"]).told().tolist() == [True, False, True]
    contour = np.array([[1.0, 0.5], [0.7, 0.7], [0.0, 1.0]])
    assert read_target(contour).told().tolist() == [True, False, True]
    table = {"i": [0, 2, 2], "a": [0, 0, 1], "l": ["x", "y", "y"]}
    votes = Votes(table, item="i", annotator="a", label="l", items=[0, 1, 2])
    assert read_target(votes).told().tolist() == [True, False, True]
