from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from tests.labels import oracle

from labelief.labels import SoftLabels

# ------------------------------------------------------------------ crisp


def test_crisp_labels_and_unknown_ones():
    labels = SoftLabels.from_crisp(["b", None, "a", float("nan"), pd.NA])
    assert labels.classes.tolist() == ["a", "b"]
    np.testing.assert_array_equal(labels.plausibilities, [[0, 1], [1, 1], [1, 0], [1, 1], [1, 1]])
    np.testing.assert_array_equal(labels.focal.indptr, range(6))


def test_order_of_classes_is_kept_and_may_name_more():
    labels = SoftLabels.from_crisp(["b", "a"], classes=["c", "b", "a"])
    assert labels.classes.tolist() == ["c", "b", "a"]
    np.testing.assert_array_equal(labels.plausibilities, [[0, 1, 0], [0, 0, 1]])


def test_a_marker_of_unknown_labels():
    np.testing.assert_array_equal(
        SoftLabels.from_crisp([0, -1, 1, 2], missing=-1).codes, [0, -1, 1, 2]
    )
    np.testing.assert_array_equal(
        SoftLabels.from_crisp(["?", "x", "y"], missing="?").codes, [-1, 0, 1]
    )
    assert SoftLabels.from_crisp([0, -1, 1], missing=-1).classes.tolist() == [0, 1]


def test_minus_one_is_a_class_and_warned_of_among_several():
    assert SoftLabels.from_crisp([-1, 1]).classes.tolist() == [-1, 1]
    with pytest.warns(UserWarning, match="-1 beside 2 other"):
        assert SoftLabels.from_crisp([-1, 0, 1]).classes.tolist() == [-1, 0, 1]
    assert SoftLabels.from_crisp([-1, 0, 1], classes=[-1, 0, 1]).shape == (3, 3)


# ------------------------------------------------------------------ candidates


def test_candidate_sets_of_every_kind():
    labels = SoftLabels.from_candidates([{"a", "c"}, ["b"], ("a", "b", "c"), "c", None, np.nan])
    np.testing.assert_array_equal(
        labels.plausibilities,
        [[1, 0, 1], [0, 1, 0], [1, 1, 1], [0, 0, 1], [1, 1, 1], [1, 1, 1]],
    )
    np.testing.assert_allclose(labels.nonspecificity(), np.log([2, 1, 3, 1, 3, 3]))


@pytest.mark.parametrize("dtype", [bool, int, float])
def test_candidates_as_a_matrix(dtype):
    matrix = np.array([[1, 0, 1], [0, 1, 0]], dtype=dtype)
    labels = SoftLabels.from_candidates(matrix, ["x", "y", "z"])
    np.testing.assert_array_equal(labels.plausibilities, matrix)
    frame = pd.DataFrame(matrix, columns=["z", "x", "y"])
    labels = SoftLabels.from_candidates(frame, ["x", "y", "z"])
    np.testing.assert_array_equal(labels.plausibilities, matrix[:, [1, 2, 0]])


def test_candidates_as_a_series_of_lists():
    labels = SoftLabels.from_candidates(pd.Series([["a", "b"], ["b"]]))
    np.testing.assert_array_equal(labels.plausibilities, [[1, 1], [0, 1]])


@pytest.mark.parametrize(
    ("sets", "classes", "message"),
    [
        ([{"a"}, set(), {"b"}, []], None, "empty in rows 1, 3"),
        ([{"a"}, {"a", "z"}], ["a", "b"], "'z' in row 1"),
        ([{"a"}, {"a", None}], None, "None in row 1"),
        (np.array([[1, 0], [0, 0]]), None, "empty in row 1"),
        (np.array([[1, 0], [0, 2]]), None, "row 1, column 1"),
        (np.array([[1, 0], [0, np.nan]]), None, "row 1, column 1"),
        (np.ones((2, 3)), ["a", "b"], "3 columns"),
        ("abc", None, "list"),
        ([{"a"}, {("b",)}], None, "row 1"),
    ],
)
def test_candidates_refused(sets, classes, message):
    with pytest.raises(ValueError, match=message):
        SoftLabels.from_candidates(sets, classes)


# ------------------------------------------------------------------ plausibilities


def test_plausibilities_are_rescaled_and_nested():
    contour = np.array([[0.5, 0.2, 0.0, 0.5], [0.1, 0.05, 0.02, 0.01]])
    labels = SoftLabels.from_plausibilities(contour)
    scaled = contour / contour.max(axis=1, keepdims=True)
    np.testing.assert_array_equal(labels.plausibilities, scaled)
    oracle.assert_same_masses(labels, [oracle.consonant(row) for row in scaled])


@pytest.mark.parametrize("values", [1e-150, 1e150, 5e-324])
def test_extreme_plausibilities(values):
    labels = SoftLabels.from_plausibilities([[values, 0.0]])
    np.testing.assert_array_equal(labels.plausibilities, [[1, 0]])


def test_an_array_given_is_neither_changed_nor_shared():
    given = np.array([[1.0, 0.5], [0.5, 1.0]])
    before = given.copy()
    for make in (SoftLabels.from_plausibilities, lambda a: SoftLabels.from_probabilities(a / 1.5)):
        labels = make(given)
        kept = labels.plausibilities.copy()
        given[0] = 0.3
        np.testing.assert_array_equal(labels.plausibilities, kept)
        given[:] = before


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_columns_of_frames_name_the_classes(frame):
    table = frame({"dog": [1.0, 0.2], "cat": [0.5, 1.0]})
    labels = SoftLabels.from_plausibilities(table)
    assert labels.classes.tolist() == ["dog", "cat"]
    np.testing.assert_array_equal(labels.plausibilities, [[1, 0.5], [0.2, 1]])
    labels = SoftLabels.from_plausibilities(table, classes=["cat", "dog"])
    np.testing.assert_array_equal(labels.plausibilities, [[0.5, 1], [1, 0.2]])
    with pytest.raises(ValueError, match="lacks 'fox'"):
        SoftLabels.from_plausibilities(table, classes=["cat", "dog", "fox"])
    with pytest.raises(ValueError, match="'dog' besides"):
        SoftLabels.from_plausibilities(table, classes=["cat"])


MATRICES = [
    ([[1.0, 0.5], [-0.1, 1.1]], "row 1, column 0"),
    ([[1.0, 0.5], [0.1, np.nan]], "NaN: row 1, column 1"),
    ([[1.0, np.inf], [0.1, 1]], "infinity.*row 0, column 1"),
    ([[1.0, 0.0], [0.0, 0.0]], "zeros in row 1"),
    ([1.0, 0.0], "shape"),
    ([[[1.0]]], "shape"),
    ([[1.0, 0.0], [1.0]], "ragged"),
    ([["x", "y"]], "numbers"),
]


@pytest.mark.parametrize(("matrix", "message"), MATRICES)
def test_matrices_refused(matrix, message):
    with pytest.raises(ValueError, match=message):
        SoftLabels.from_plausibilities(matrix)
    with pytest.raises(ValueError, match=message):
        SoftLabels.from_probabilities(matrix)


def test_refused_column_is_named():
    with pytest.raises(ValueError, match=r"row 2, column 1 \(class 'dog'\)"):
        SoftLabels.from_plausibilities([[1, 1], [1, 1], [1, -1.0]], ["cat", "dog"])


def test_a_bad_row_is_found_far_down():
    matrix = np.ones((300_000, 2))
    matrix[299_999] = 0
    with pytest.raises(ValueError, match="row 299999"):
        SoftLabels.from_plausibilities(matrix)
    matrix[299_999, 1] = np.nan
    with pytest.raises(ValueError, match="row 299999, column 1"):
        SoftLabels.from_plausibilities(matrix)


# ------------------------------------------------------------------ probabilities


def test_probabilities_are_bayesian():
    p = np.array([[0.2, 0.8], [1.0, 0.0]])
    labels = SoftLabels.from_probabilities(p)
    for view in (labels.plausibilities, labels.beliefs, labels.pignistic):
        np.testing.assert_array_equal(view, p)
    assert (labels.nonspecificity() == 0).all()


def test_base_rates_are_divided_out():
    p, b = np.array([[0.2, 0.5, 0.3]]), np.array([0.1, 0.6, 0.3])
    labels = SoftLabels.from_probabilities(p, base_rates=b)
    np.testing.assert_allclose(labels.beliefs, (p / b) / (p / b).sum())


@pytest.mark.parametrize("b", [[0.5, 0.0], [0.5], [0.5, -1], [0.5, np.nan], [[0.5, 0.5]]])
def test_base_rates_refused(b):
    with pytest.raises(ValueError, match="base_rates"):
        SoftLabels.from_probabilities([[0.5, 0.5]], base_rates=b)


def test_sums_within_tolerance_are_mended_and_others_refused():
    labels = SoftLabels.from_probabilities([[0.5, 0.5 + 5e-7]])
    np.testing.assert_allclose(labels.beliefs.sum(axis=1), 1, rtol=1e-15)
    with pytest.raises(ValueError, match=r"rows 1, 2 sum to 0.9, 1.1"):
        SoftLabels.from_probabilities([[0.5, 0.5], [0.4, 0.5], [0.6, 0.5]])


# ------------------------------------------------------------------ confidences


def test_confidences():
    labels = SoftLabels.from_confidences(["a", "b", None, "a"], [0.7, 1.0, 0.5, 0.0], ["b", "a"])
    np.testing.assert_allclose(labels.beliefs, [[0, 0.7], [1, 0], [0, 0], [0, 0]])
    np.testing.assert_allclose(labels.plausibilities, [[0.3, 1], [1, 0], [1, 1], [1, 1]])
    one = SoftLabels.from_confidences([0, 1], 0.25)
    np.testing.assert_allclose(one.beliefs, 0.25 * np.eye(2))


@pytest.mark.parametrize(
    ("confidence", "message"),
    [
        ([0.5, 1.5], "row 1"),
        ([0.5, np.nan], "row 1"),
        (-0.1, "between 0 and 1"),
        ([0.5], "2 rows"),
        ("high", "numbers"),
    ],
)
def test_confidences_refused(confidence, message):
    with pytest.raises(ValueError, match=message):
        SoftLabels.from_confidences([0, 1], confidence)


# ------------------------------------------------------------------ masses


def test_masses_in_every_spelling():
    labels = SoftLabels.from_masses(
        [{"a": 0.5, frozenset("ab"): 0.25, ("c", "a"): 0.25}, {("a", "b"): 1}, None], list("abc")
    )
    assert labels.masses(0) == {frozenset("a"): 0.5, frozenset("ab"): 0.25, frozenset("ac"): 0.25}
    assert labels.masses(1) == {frozenset("ab"): 1}
    assert labels.masses(2) == {frozenset("abc"): 1}


def test_the_same_set_twice_adds_up():
    labels = SoftLabels.from_masses([{("a", "b"): 0.5, ("b", "a"): 0.5}])
    assert labels.masses(0) == {frozenset("ab"): 1.0}


def test_classes_of_masses_by_default_are_those_named():
    assert SoftLabels.from_masses([{(3, 1): 1.0}, {2: 1.0}]).classes.tolist() == [1, 2, 3]


def test_mass_on_the_empty_set_is_allowed_but_not_all_of_it():
    labels = SoftLabels.from_masses([{frozenset(): 0.4, "a": 0.6}], ["a", "b"])
    np.testing.assert_allclose(labels.empty_mass, [0.4])
    np.testing.assert_allclose(labels.plausibilities, [[0.6, 0]])
    np.testing.assert_allclose(labels.pignistic, [[1, 0]])
    with pytest.raises(ValueError, match="empty set in row 1"):
        SoftLabels.from_masses([{"a": 1.0}, {(): 1.0}], ["a", "b"])


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"a": 1.0}, {"a": 0.5}], "row 1 sums to 0.5"),
        ([{"a": 1.0}, {"a": 0.5, "b": 0.6}], "row 1 sums to 1.1"),
        ([{"a": 1.0}, {"a": 1.5, "b": -0.5}], "'b' in row 1 is -0.5"),
        ([{"a": 1.0}, {"a": np.nan}], "row 1 is nan"),
        ([{"a": 1.0}, {"a": "much"}], "'much' in row 1"),
        ([{"a": 1.0}, {"z": 1.0}], "'z' in row 1"),
        ([{"a": 1.0}, {}], "row 1 sums to 0"),
        ([{"a": 1.0}, [("a", 1.0)]], "row 1 is not a dict"),
        ([{"a": 1.0}, {("a", None): 1.0}], "row 1"),
        ({"a": 1.0}, "list"),
    ],
)
def test_masses_refused(rows, message):
    with pytest.raises(ValueError, match=message):
        SoftLabels.from_masses(rows, ["a", "b"])


def test_masses_within_tolerance_are_mended():
    labels = SoftLabels.from_masses([{"a": 0.3333333, "b": 0.3333333, "c": 0.3333333}])
    assert labels.focal.mass.sum() == pytest.approx(1.0, abs=1e-15)


# ------------------------------------------------------------------ classes


@pytest.mark.parametrize(
    ("classes", "message"),
    [
        (["a", "b", "a"], "'a' more than once"),
        ([], "empty"),
        (["a", None], "missing"),
        ([0, np.nan], "missing"),
        ([["a"], ["b"]], "1d"),
        ([{"a"}, "b"], "collection"),
        (["b"], "'a' at row 0"),
    ],
)
def test_classes_refused(classes, message):
    with pytest.raises(ValueError, match=message):
        SoftLabels.from_crisp(["a", "b"], classes=classes)


def test_no_rows_at_all():
    for labels in (
        SoftLabels.from_crisp([], classes=["a", "b"]),
        SoftLabels.from_candidates([], classes=["a", "b"]),
        SoftLabels.from_masses([], classes=["a", "b"]),
        SoftLabels.from_plausibilities(np.empty((0, 2))),
        SoftLabels.from_probabilities(np.empty((0, 2))),
        SoftLabels.from_confidences([], 0.5, classes=["a", "b"]),
    ):
        assert labels.shape == (0, 2)
        for view in (
            labels.plausibilities,
            labels.beliefs,
            labels.pignistic,
            labels.bel([{0}] if labels.classes.dtype.kind == "i" else [{"a"}]),
        ):
            assert view.shape[0] == 0
        assert len(labels.discount(0.5)) == len(labels.combine(labels)) == 0
        assert "0 rows" in repr(labels)


def test_mass_on_nothing_known_lies_on_the_frame():
    labels = SoftLabels.from_masses([{"a": 0.7, None: 0.3}, {np.nan: 1.0}, None], ["a", "b"])
    np.testing.assert_allclose(labels.plausibilities, [[1.0, 0.3], [1.0, 1.0], [1.0, 1.0]])
    np.testing.assert_allclose(labels.beliefs, [[0.7, 0.0], [0.0, 0.0], [0.0, 0.0]])
    assert not labels.empty_mass.any()
