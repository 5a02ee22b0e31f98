"""Reading labels, predictions and weights."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from labelief.labels import SoftLabels, Votes
from labelief.metrics.targets import (
    as_label_vector,
    is_vector,
    occurring_classes,
    read_labels,
    read_pair,
    row_weights,
    weighted_mean,
)


@pytest.mark.parametrize(
    ("y", "vector"),
    [
        (["a", "b"], True),
        ([], True),
        (np.array([1, 2]), True),
        (np.array([[1], [2]]), True),
        (pd.Series([1, 2]), True),
        (pl.Series([1, 2]), True),
        (pd.DataFrame({"label": [1, 2]}), True),
        ([[1.0, 0.0], [0.0, 1.0]], False),
        (np.eye(2), False),
        (pd.DataFrame(np.eye(2)), False),
        (SoftLabels.from_crisp([0, 1]), False),
    ],
)
def test_is_vector(y, vector):
    assert is_vector(y) is vector
    if vector and len(y):
        assert as_label_vector(y).tolist() in ([1, 2], ["a", "b"])


def test_classes_that_occur():
    assert occurring_classes([2, None, 1], np.array([3])).tolist() == [1, 2, 3]
    assert occurring_classes([1.0, np.nan], np.array([0])).tolist() == [0, 1]
    assert occurring_classes(["b"], np.array(["a"], dtype=object)).tolist() == ["a", "b"]
    with pytest.raises(ValueError, match="different types"):
        occurring_classes([1, 2], np.array(["1"]))


def test_frame_of_a_pair():
    pair = read_pair(["b", None], ["a", "b"])
    assert pair.labels.classes.tolist() == ["a", "b"] and pair.predicted.tolist() == [0, 1]
    pair = read_pair(["b", None], ["b", "b"])  # some other class must be possible
    assert pair.labels.plausibilities.tolist() == [[1, 0], [1, 1]]
    soft = SoftLabels.from_crisp(["b", "a"], classes=["b", "a"])
    assert read_pair(soft, ["a", "b"]).predicted.tolist() == [1, 0]
    turned = read_pair(soft, ["a", "b"], classes=["a", "b"])
    assert turned.predicted.tolist() == [0, 1]
    assert turned.labels.classes.tolist() == ["a", "b"]


def test_votes_are_pointed_to_pooling():
    votes = Votes(
        {"i": [0, 1], "w": [0, 0], "says": ["a", "b"]}, item="i", annotator="w", label="says"
    )
    with pytest.raises(ValueError, match="from_votes"):
        read_labels(votes)


def test_weights():
    assert row_weights(None, 3).tolist() == [1, 1, 1]
    assert row_weights([1, 4], 2).tolist() == [0.25, 1]
    assert weighted_mean(np.array([1.0, 3.0]), [1e308, 1e308]) == 2
    assert weighted_mean(np.ones(400)) == 1
