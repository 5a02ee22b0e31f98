from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from labelief.tables import TableError
from labelief.tables.labels import LabelColumns, matched, read_label_matrix, read_labels


def frame(**columns):
    return pd.DataFrame(columns)


def test_crisp_labels_stay_codes():
    found = read_labels(frame(says=["owl", "", " hawk ", "NA"]), LabelColumns("says"))
    assert found.labels.classes.tolist() == ["hawk", "owl"]
    assert found.labels.codes.tolist() == [1, -1, 0, -1]
    assert (found.unknown, found.columns) == (2, ["says"])


def test_candidates():
    found = read_labels(frame(says=["owl", "owl|jay", "", "owl|hawk|jay"]), LabelColumns("says"))
    np.testing.assert_array_equal(
        found.labels.plausibilities, [[0, 0, 1], [0, 1, 1], [1, 1, 1], [1, 1, 1]]
    )
    assert found.unknown == 2


def test_confidences_are_masses():
    table = frame(says=["owl", "owl|jay", "", "hawk", "jay"], sure=["0.7", "0.6", "", "1", "0"])
    labels = read_labels(table, LabelColumns("says", "sure")).labels
    np.testing.assert_allclose(
        labels.plausibilities, [[0.3, 0.3, 1], [0.4, 1, 1], [1, 1, 1], [1, 0, 0], [1, 1, 1]]
    )
    np.testing.assert_allclose(labels.beliefs[:, 2], [0.7, 0, 0, 0, 0])


def test_numbers_per_class():
    table = frame(pl_a=["1", "", "0.2"], pl_b=["0.5", "", "1"], x=["1", "2", "3"])
    found = read_labels(table, LabelColumns(plausibility="pl_*"))
    assert found.columns == ["pl_a", "pl_b"]
    np.testing.assert_allclose(found.labels.plausibilities, [[1, 0.5], [1, 1], [0.2, 1]])
    table = frame(p_a=["0.25", "", "1"], p_b=["0.75", "", "0"])
    labels = read_labels(table, LabelColumns(probability="p_*")).labels
    np.testing.assert_allclose(labels.pignistic, [[0.25, 0.75], [0.5, 0.5], [1, 0]])
    np.testing.assert_allclose(labels.plausibilities[1], [1, 1])


def test_given_classes_hold():
    found = read_labels(frame(says=["b", "a"]), LabelColumns("says"), classes=["c", "b", "a"])
    assert found.labels.classes.tolist() == ["c", "b", "a"]
    with pytest.raises(TableError, match=r"Row 1 .* says 'z', which is none of the classes c, b"):
        read_labels(frame(says=["b", "z"]), LabelColumns("says"), classes=["c", "b"])


@pytest.mark.parametrize(
    ("table", "where", "message"),
    [
        (frame(x=["1"]), LabelColumns("says"), "no column 'says'; there are x"),
        (frame(says=["", "NA"]), LabelColumns("says"), "nothing to learn from"),
        (frame(says=["a"], c=["1.2"]), LabelColumns("says", "c"), "row 0 .* from 0 to 1"),
        (frame(says=["a"], c=[""]), LabelColumns("says", "c"), "row 0 .* from 0 to 1"),
        (frame(pl_a=["1"]), LabelColumns(plausibility="pl_*"), "matches 1 of"),
        (frame(a=["1"]), LabelColumns(plausibility="pl"), "needs one *"),
        (frame(p_a=["1"], p_b=["x"]), LabelColumns(probability="p_*"), "'x' in row 0"),
        (frame(p_a=["1", ".5"], p_b=["0", ""]), LabelColumns(probability="p_*"), "Row 1"),
        (frame(p_a=["1"], p_b=["1"]), LabelColumns(probability="p_*"), "row 0"),
        (frame(pl_a=["0"], pl_b=["0"]), LabelColumns(plausibility="pl_*"), "row 0"),
    ],
)
def test_malformed_labels_are_refused(table, where, message):
    with pytest.raises(TableError, match=message):
        read_labels(table, where)


def test_several_labels_a_row():
    table = frame(tag_a=["1", "", "0"], tag_b=["yes", "no", "1.0"], x=["1", "2", "3"])
    names, matrix = read_label_matrix(table, "tag_*")
    assert names == ["a", "b"]
    np.testing.assert_array_equal(matrix, [[1, 1], [np.nan, 0], [0, 1]])
    with pytest.raises(TableError, match="'2' in row 1"):
        read_label_matrix(frame(tag_a=["1", "2"], tag_b=["1", "0"]), "tag_*")


def test_patterns_are_taken_by_letter():
    table = frame(**{"p[a]": [1], "p[b]": [1], "pxa": [1]})
    assert matched(table, "p[*]") == {"p[a]": "a", "p[b]": "b"}
