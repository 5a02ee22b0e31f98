from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

from labelief.labels.class_names import as_classes
from labelief.labels.label_matrix import read_label_matrix

VALUES = np.array([[1.0, 0.0, np.nan], [0.0, 0.0, 1.0]])


def assert_reads(y, values):
    got = read_label_matrix(y)
    np.testing.assert_array_equal(got.inside, values == 1)
    np.testing.assert_array_equal(got.outside, values == 0)
    np.testing.assert_array_equal(got.decided, ~np.isnan(values))


@pytest.mark.parametrize("dtype", [np.float64, np.float32, object])
def test_arrays_with_gaps(dtype):
    assert_reads(VALUES.astype(dtype), VALUES)


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint8, np.int64])
def test_arrays_without_gaps(dtype):
    assert_reads(np.nan_to_num(VALUES).astype(dtype), np.nan_to_num(VALUES))


def test_lists_and_sparse_matrices():
    assert_reads([[1, 0, None], [0, False, True]], VALUES)
    assert_reads(csr_array(np.nan_to_num(VALUES)), np.nan_to_num(VALUES))


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_name_the_labels(library):
    frames = pytest.importorskip(library)
    frame = frames.DataFrame({"a": [1, 0], "b": [False, False], "c": [None, 1.0]})
    assert_reads(frame, VALUES)
    got = read_label_matrix(frame)
    assert got.labels.tolist() == ["a", "b", "c"]
    turned = got.ordered(as_classes(["c", "a", "b"]), "y")
    np.testing.assert_array_equal(turned.inside, (VALUES == 1)[:, [2, 0, 1]])
    with pytest.raises(ValueError, match="lacks 'd'"):
        got.ordered(as_classes(["a", "b", "d"]), "y")


def test_frames_with_whole_numbers_and_gaps():
    frame = pd.DataFrame({0: pd.array([1, 0]), 1: pd.array([0, 0]), 2: pd.array([pd.NA, 1])})
    assert_reads(frame, VALUES)


def test_unnamed_columns_take_the_names_of_others():
    got = read_label_matrix(VALUES).ordered(as_classes(["x", "y", "z"]), "y")
    assert got.labels.tolist() == ["x", "y", "z"]
    with pytest.raises(ValueError, match="y has 3 columns, but there are 2 labels"):
        read_label_matrix(VALUES).ordered(as_classes(["x", "y"]), "y")


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([1, 0, 1], "one column per label, got an array of shape \\(3,\\)"),
        ([[1, 2]], "z holds 2 in row 0, column 1"),
        ([[1, 0], [0, -1]], "z holds -1 in row 1, column 1: write 1 where"),
        ([[0.5, np.nan]], "z holds 0.5 in row 0, column 0"),
        ([["yes", "no"]], "could not convert"),
        ([[1, 0], [1]], "z must be a matrix of 1"),
        (np.empty((3, 0)), "z has no columns"),
        (pd.DataFrame({"a": ["yes"]}), "column 'a' of type String"),
    ],
)
def test_others_are_refused(y, message):
    with pytest.raises(ValueError, match=message):
        read_label_matrix(y, "z")
