from __future__ import annotations

import copy
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from tests.labels import oracle

from labelief.labels import SoftLabels


@pytest.fixture
def labels():
    rows = oracle.random_masses(np.random.default_rng(0), 8, 4)
    verified = np.arange(8) % 3 == 0
    return oracle.labels_of(rows, 4).with_verified(verified)


KEYS = {
    "int": (2, [2]),
    "negative": (-1, [7]),
    "numpy int": (np.int32(3), [3]),
    "slice": (slice(1, 6, 2), [1, 3, 5]),
    "list": ([5, 0, 5], [5, 0, 5]),
    "empty list": ([], []),
    "array": (np.array([1, -2]), [1, 6]),
    "mask": (np.arange(8) > 5, [6, 7]),
    "list of bools": ([True] + [False] * 7, [0]),
    "series": (pd.Series([4, 2]), [4, 2]),
    "ellipsis": (..., list(range(8))),
    "with ellipsis": ((np.array([3, 1]), ...), [3, 1]),
    "int with ellipsis": ((3, ...), [3]),
}


@pytest.mark.parametrize("name", KEYS)
def test_rows_are_taken_as_from_an_array(labels, name):
    key, rows = KEYS[name]
    part = labels[key]
    assert isinstance(part, SoftLabels)
    assert part.shape == (len(rows), 4) and len(part) == len(rows)
    np.testing.assert_array_equal(part.pignistic, labels.pignistic[rows])
    np.testing.assert_array_equal(part.verified, labels.verified[rows])
    assert part.classes.tolist() == labels.classes.tolist()


@pytest.mark.parametrize(
    "key", [8, -9, [8], [True, False], 1.0, "a", (0, 1), np.zeros((2, 2), int), None, [0.5], True]
)
def test_keys_refused(labels, key):
    with pytest.raises(IndexError):
        labels[key]


def test_iterating_gives_batches_of_one(labels):
    assert [part.shape for part in labels] == [(1, 4)] * 8


def test_masses_of_a_row_with_python_names():
    labels = SoftLabels.from_candidates([{1, 2}], classes=[1, 2, 3])
    (key,) = labels.masses(0)
    assert key == frozenset({1, 2}) and all(type(name) is int for name in key)
    assert labels.masses(-1) == labels.masses(0)
    with pytest.raises(IndexError):
        labels.masses(1)


def test_belief_and_plausibility_of_sets(labels):
    one = labels.bel({"a", "b"})
    assert one.shape == (8,)
    many = labels.bel([{"a", "b"}, "c", frozenset(), ("a", "b", "c", "d")])
    assert many.shape == (8, 4)
    np.testing.assert_array_equal(many[:, 0], one)
    np.testing.assert_array_equal(many[:, 1], labels.beliefs[:, 2])
    np.testing.assert_allclose(many[:, 2:], np.array([[0.0, 1.0]] * 8))
    np.testing.assert_array_equal(labels.pl("d"), labels.plausibilities[:, 3])
    np.testing.assert_allclose(labels.pl(["a", "b"]), labels.plausibilities[:, :2])
    mask = np.array([True, True, False, False])
    np.testing.assert_array_equal(labels.bel(mask), one)
    np.testing.assert_array_equal(labels.bel(np.array([mask, ~mask]))[:, 0], one)
    assert labels.pl([]).shape == (8, 0)


def test_sets_of_unknown_classes_are_refused(labels):
    with pytest.raises(ValueError, match="'z'"):
        labels.bel({"a", "z"})
    with pytest.raises(ValueError, match="'z'"):
        labels.pl([{"a"}, "z"])


# ------------------------------------------------------------------ the most plausible class


def test_most_plausible_class_and_its_absence():
    pl = [[1.0, 0.5, 0.0], [0.2, 0.2, 1.0], [1.0, 1.0, 0.0], [1.0, 1 - 1e-13, 0], [1, 1 - 1e-9, 0]]
    labels = SoftLabels.from_plausibilities(pl, ["x", "y", "z"])
    assert labels.most_plausible().tolist() == ["x", "z", "?", "?", "x"]
    np.testing.assert_array_equal(np.asarray(labels), labels.most_plausible())


@pytest.mark.parametrize(
    ("classes", "marker", "kind"),
    [
        ([0, 1], -1, "i"),
        ([-1, 1], -2, "i"),
        ([-5, -1], -6, "i"),
        (np.array([0, 255], dtype=np.uint8), -1, "i"),
        ([False, True], -1, "i"),
        ([0.0, 1.0], -1.0, "f"),
        ([-1.0, 0.5], -2.0, "f"),
        (["a", "b"], "?", "U"),
        (["a", "?"], "??", "U"),
        (np.array(["2020-01-01", "2021-01-01"], dtype="M8[D]"), "?", "U"),
    ],
)
def test_marker_is_no_class_and_can_be_sorted(classes, marker, kind):
    labels = SoftLabels.from_candidates(np.array([[1, 0], [0, 1], [1, 1]]), classes)
    array = np.asarray(labels)
    assert array.dtype.kind == kind and array.shape == (3,)
    assert array[2] == marker
    assert len(np.unique(array)) == 3


def test_array_protocol():
    labels = SoftLabels.from_crisp([0, 1])
    assert np.asarray(labels, dtype=float).dtype == np.float64
    assert np.array(labels, copy=True).tolist() == [0, 1]
    with pytest.raises(ValueError, match="copy"):
        np.array(labels, copy=False)


# ------------------------------------------------------------------ verified rows


def test_verified_rows_are_kept(labels):
    marks = labels.verified
    for made in (
        labels.discount(0.1),
        labels.reorder(["d", "c", "b", "a"]),
        pickle.loads(pickle.dumps(labels)),
        copy.deepcopy(labels),
    ):
        np.testing.assert_array_equal(made.verified, marks)
    both = SoftLabels.concatenate([labels, labels[:2]])
    np.testing.assert_array_equal(both.verified, [*marks, *marks[:2]])
    assert not SoftLabels.from_crisp([0, 1]).verified.any()


def test_combined_rows_are_verified_if_both_are(labels):
    vague = SoftLabels.from_crisp([None] * 8, list("abcd"))
    assert not labels.combine(vague).verified.any()
    every = vague.with_verified(np.ones(8, bool))
    np.testing.assert_array_equal(labels.combine(every).verified, labels.verified)


def test_with_verified_leaves_the_labels_alone(labels):
    before = labels.verified.copy()
    mask = np.ones(8, dtype=bool)
    made = labels.with_verified(mask)
    mask[:] = False
    assert made.verified.all()
    np.testing.assert_array_equal(labels.verified, before)
    for wrong in ([True], [1] * 8, np.ones((8, 1), bool)):
        with pytest.raises(ValueError, match="8 bools"):
            labels.with_verified(wrong)


# ------------------------------------------------------------------ discounting, stacking


def test_discount_by_row(labels):
    rates = np.linspace(0, 1, 8)
    made = labels.discount(rates)
    np.testing.assert_allclose(
        made.plausibilities, (1 - rates[:, None]) * labels.plausibilities + rates[:, None]
    )
    assert made[7].nonspecificity() == pytest.approx(np.log(4))


@pytest.mark.parametrize(
    ("rate", "message"),
    [(1.1, "0 and 1"), ([0.1] * 7, "8 rows"), ([0] * 7 + [-1], "row 7"), (np.nan, "0 and 1")],
)
def test_discount_refused(labels, rate, message):
    with pytest.raises(ValueError, match=message):
        labels.discount(rate)


def test_concatenation_keeps_every_row_whatever_the_storage(labels):
    names = list("abcd")
    p = np.random.default_rng(1).dirichlet(np.ones(4), 3)
    contour = p / p.max(axis=1, keepdims=True)
    parts = [
        labels,
        SoftLabels.from_probabilities(p, names),
        SoftLabels.from_plausibilities(contour, names),
        SoftLabels.from_crisp(["d", None], names),
    ]
    for chosen in ([0, 1, 2, 3], [1, 1], [2, 2], [3, 0], [1, 2], [0]):
        stacked = SoftLabels.concatenate([parts[j] for j in chosen])
        for view in ("plausibilities", "beliefs", "pignistic"):
            np.testing.assert_allclose(
                getattr(stacked, view),
                np.concatenate([getattr(parts[j], view) for j in chosen]),
                atol=1e-14,
            )


def test_concatenation_matches_classes_by_name():
    a = SoftLabels.from_crisp(["x", "y"], ["x", "y"])
    b = SoftLabels.from_crisp(["x", "y"], ["y", "x"])
    made = SoftLabels.concatenate(part for part in (a, b))
    np.testing.assert_array_equal(made.plausibilities, [[1, 0], [0, 1], [1, 0], [0, 1]])
    with pytest.raises(ValueError, match="differ"):
        SoftLabels.concatenate([a, SoftLabels.from_crisp(["x", "z"])])
    with pytest.raises(ValueError, match="at least one"):
        SoftLabels.concatenate([])


# ------------------------------------------------------------------ immutable


def test_nothing_handed_out_can_change_the_labels(labels):
    names = list("abcd")
    p = np.random.default_rng(1).dirichlet(np.ones(4), 8)
    for y in (
        labels,
        SoftLabels.from_probabilities(p, names),
        SoftLabels.from_plausibilities(p, names),
        SoftLabels.from_crisp(list("abcdabcd")),
    ):
        for view in ("plausibilities", "beliefs", "pignistic", "classes", "verified"):
            array = getattr(y, view)
            before = array.copy()
            try:
                array[:] = array[0]
            except ValueError:
                pass
            np.testing.assert_array_equal(getattr(y, view), before, err_msg=view)
        with pytest.raises(ValueError, match="read-only"):
            y.focal.mass[0] = 2.0
    with pytest.raises(AttributeError):
        labels.classes = names
    with pytest.raises(AttributeError):
        labels.extra = 1


def test_class_names_given_are_copied():
    names = np.array(["a", "b"])
    labels = SoftLabels.from_crisp(["a", "b"], names)
    names[0] = "z"
    assert labels.classes.tolist() == ["a", "b"]


def test_pickling(labels):
    again = pickle.loads(pickle.dumps(labels))
    np.testing.assert_array_equal(again.pignistic, labels.pignistic)
    assert again.classes.tolist() == labels.classes.tolist()
    with pytest.raises(ValueError, match="read-only"):
        again.verified[0] = True


# ------------------------------------------------------------------ frames


def test_frame_of_plausibilities_goes_round():
    labels = SoftLabels.from_plausibilities([[1.0, 0.5], [0.1, 1.0]], [3, 7])
    frame = labels.to_frame()
    assert isinstance(frame, pd.DataFrame) and frame.columns.tolist() == [3, 7]
    again = SoftLabels.from_plausibilities(frame)
    assert again.classes.tolist() == [3, 7]
    np.testing.assert_array_equal(again.plausibilities, labels.plausibilities)
    other = labels.to_frame(backend="polars")
    assert isinstance(other, pl.DataFrame) and other.columns == ["3", "7"]
    again = SoftLabels.from_plausibilities(other, classes=[7, 3])
    np.testing.assert_array_equal(again.plausibilities, labels.plausibilities[:, ::-1])


@pytest.mark.parametrize("backend", ["pandas", "polars"])
def test_frame_of_masses_goes_round_without_loss(labels, backend):
    frame = labels.to_mass_frame(backend)
    assert list(frame.columns) == ["row", "focal_set", "mass"]
    again = SoftLabels.from_masses(frame, labels.classes)
    np.testing.assert_array_equal(again.focal.words, labels.focal.words)
    np.testing.assert_allclose(again.focal.mass, labels.focal.mass, rtol=1e-15)
    assert len(again) == 8


def test_empty_focal_set_in_a_frame():
    labels = SoftLabels.from_masses([{frozenset(): 0.5, "a": 0.5}, {"b": 1}], ["a", "b"])
    frame = labels.to_mass_frame()
    assert frame["focal_set"].tolist() == [(), ("a",), ("b",)]
    np.testing.assert_allclose(SoftLabels.from_masses(frame, ["a", "b"]).empty_mass, [0.5, 0])


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"row": [0, 2], "focal_set": ["a", "b"], "mass": [1.0, 1.0]}, "row 1 sums to 0"),
        ({"row": [0, -1], "focal_set": ["a", "b"], "mass": [1.0, 1.0]}, "row numbers"),
        ({"row": [0.0, 1.0], "focal_set": ["a", "b"], "mass": [1.0, 1.0]}, "row numbers"),
        ({"row": [0, 1], "mass": [1.0, 1.0]}, "focal_set"),
    ],
)
def test_mass_frames_refused(columns, message):
    with pytest.raises(ValueError, match=message):
        SoftLabels.from_masses(pd.DataFrame(columns), ["a", "b"])


def test_a_missing_frame_library_is_named(labels):
    with pytest.raises(ImportError, match="pip install no_such_library"):
        labels.to_frame(backend="no_such_library")


# ------------------------------------------------------------------ how it looks


def test_repr_is_short_and_readable():
    many = SoftLabels.from_crisp(np.arange(1000) % 300).with_verified(np.arange(1000) < 10)
    lines = repr(many).splitlines()
    assert lines[0] == "SoftLabels: 1000 rows, 10 verified, classes 0, 1, 2, 3, 4, ... (300 in all)"
    assert len(lines) == 8
    assert lines[1].split() == ["0", "0", "1"] and lines[-1].split() == ["999", "99", "1"]
    wide = SoftLabels.from_candidates(np.tri(300, dtype=bool)[[200]])
    assert "0, 1, 2, 3, 4, ... 201 classes" in repr(wide)
    assert max(map(len, repr(wide).splitlines())) < 100
    levels = SoftLabels.from_plausibilities([np.linspace(1, 0.1, 10)])
    assert "6 more" in repr(levels)
    clash = SoftLabels.from_masses([{(): 0.25, "a": 0.75}], ["a", "b"])
    assert "a 0.75, ∅ 0.25" in repr(clash)


def test_html_is_escaped():
    labels = SoftLabels.from_crisp(["<script>", "a & b"])
    html = labels._repr_html_()
    assert "<script>" not in html and "&lt;script&gt;" in html and "a &amp; b" in html
    assert html.count("<tr>") == 3


def test_wrong_number_of_names():
    with pytest.raises(ValueError, match="3 class names"):
        SoftLabels(["a", "b", "c"], SoftLabels.from_crisp([0, 1])._masses)
