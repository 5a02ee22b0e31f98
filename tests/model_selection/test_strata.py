"""Strata: the most plausible class of labels of every kind."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from labelief.labels import SoftLabels, Votes
from labelief.model_selection.strata import strata

SETS = [{"a"}, {"b"}, {"a", "b"}, None, {"c"}, {"a"}]


def _same_partition(found, expected):
    assert len(found) == len(expected)
    pairs = set(zip(found.tolist(), expected, strict=True))
    assert len(pairs) == len(set(expected)) == len(set(found.tolist()))
    assert sorted(set(found.tolist())) == list(range(found.max() + 1))


CONTOUR = SoftLabels.from_candidates(SETS, classes=["a", "b", "c"]).plausibilities


@pytest.mark.parametrize(
    "y",
    [
        SoftLabels.from_candidates(SETS, classes=["c", "a", "b"]),
        CONTOUR,
        CONTOUR * np.array([[0.1], [3.0], [1e-9], [7.0], [1.0], [1.0]]),
        CONTOUR.astype(bool),
        CONTOUR.astype(int),
        CONTOUR.tolist(),
        pd.DataFrame(CONTOUR, columns=["a", "b", "c"]),
        pl.DataFrame(CONTOUR, schema=["a", "b", "c"]),
        ["a", "b", None, None, "c", "a"],
        np.array(["a", "b", None, None, "c", "a"], dtype=object),
        pd.Series(["a", "b", None, None, "c", "a"]),
        pl.Series(["a", "b", None, None, "c", "a"]),
        np.array([[5], [7], [np.nan], [np.nan], [9], [5]]),
        Votes(
            {
                "item": [0, 0, 1, 2, 2, 4, 5, 5, 5],
                "who": [0, 1, 0, 0, 1, 1, 0, 1, 2],
                "says": ["a", "a", "b", "a", "b", "c", "a", "a", "b"],
            },
            item="item",
            annotator="who",
            label="says",
            items=range(6),
        ),
    ],
    ids=lambda y: type(y).__name__,
)
def test_unknown_and_tied_rows_share_a_stratum(y):
    _same_partition(strata(y), ["a", "b", "?", "?", "c", "a"])


def test_soft_maximum():
    assert strata([[0.2, 0.9], [0.8, 0.3], [0.6, 0.6]]).tolist() == [2, 1, 0]


def test_nothing_known():
    for y in (
        [None, None],
        [np.nan, np.nan],
        SoftLabels.from_crisp([None] * 2, classes=["a", "b"]),
    ):
        assert strata(y).tolist() == [0, 0]


def test_minus_one_is_a_class():
    _same_partition(strata([-1, 1, -1, None]), ["-", "+", "-", "?"])
