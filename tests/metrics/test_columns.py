"""Which column is which class."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from labelief.labels import SoftLabels
from labelief.metrics.columns import align_columns, read_columns, refuse_strange_classes

MATRIX = np.array([[0.1, 0.2, 0.7], [0.3, 0.3, 0.4]])
NAMES = ["b", "c", "a"]


@pytest.mark.parametrize(
    ("y", "columns", "classes"),
    [
        (["a", "b"], MATRIX, NAMES),
        (["a", "b"], MATRIX[:, [2, 0, 1]], ["a", "b", "c"]),
        (["a", "b"], pd.DataFrame(MATRIX, columns=NAMES), None),
        (["a", "b"], pl.DataFrame(MATRIX, schema=NAMES), None),
        (["a", "b"], pd.DataFrame(MATRIX, columns=NAMES), ["a", "b", "c"]),
        (SoftLabels.from_crisp(["a", "b"], classes=["c", "b", "a"]), MATRIX, NAMES),
        (SoftLabels.from_crisp(["a", "b"], classes=["a", "b", "c"]), MATRIX[:, [2, 0, 1]], None),
        (np.array([[1, 0.0, 0], [0, 1, 0]]), MATRIX[:, [2, 0, 1]], ["a", "b", "c"]),
        (
            pd.DataFrame([[0.0, 0, 1], [0, 1, 0]], columns=["c", "b", "a"]),
            MATRIX[:, [2, 0, 1]],
            None,
        ),
    ],
)
def test_columns_follow_the_labels(y, columns, classes):
    labels, matrix = read_columns(y, columns, classes, "proba")
    found = dict(zip(labels.classes.tolist(), matrix.T.tolist(), strict=True))
    assert found == dict(zip(NAMES, MATRIX.T.tolist(), strict=True))
    assert labels.most_plausible().tolist() == ["a", "b"]


def test_integer_classes_in_a_frame_with_text_columns():
    frame = pl.DataFrame({"1": [0.9], "0": [0.1]})
    labels, matrix = read_columns(SoftLabels.from_crisp([0], classes=[0, 1]), frame, [0, 1], "p")
    assert dict(zip(labels.classes.tolist(), matrix[0], strict=True)) == {0: 0.1, 1: 0.9}


def test_frames_that_do_not_fit():
    with pytest.raises(ValueError, match="proba"):
        read_columns(["a", "b"], pd.DataFrame(MATRIX, columns=NAMES), ["a", "b", "z"], "proba")


def test_align_columns():
    given = np.array([[0.25, 0.75]])
    found = align_columns(given, np.array([9, 5]), np.array([5, 7, 9]), -np.inf)
    assert found.tolist() == [[0.75, -np.inf, 0.25]]
    with pytest.raises(ValueError, match="shape"):
        align_columns(np.zeros((1, 3)), np.array([9, 5]), np.array([5, 7, 9]), 0.0)
    with pytest.raises(ValueError, match=r"'\?'.*marker"):
        refuse_strange_classes(np.array(["?", "a"]), np.array(["a", "b"]))
