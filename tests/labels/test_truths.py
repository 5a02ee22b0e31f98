"""Verified items: true classes that are known beside the votes."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from labelief.labels import SoftLabels, Votes, read_target

TABLE = {
    "photo": ["p1", "p1", "p2", "p3", "p3"],
    "who": ["ann", "bob", "ann", "ann", "bob"],
    "says": ["x", "y", "y", "x", "x"],
    "truth": ["y", "y", None, None, None],
}
ITEMS = ["p1", "p2", "p3", "p4"]


def votes(verified=None, **more):
    return Votes(TABLE, "photo", "who", "says", items=ITEMS, verified=verified, **more)


WAYS = {
    "dict": {"p1": "y", "p4": "x"},
    "array": ["y", None, None, "x"],
    "series": pd.Series(["y", None, None, "x"]),
}


@pytest.mark.parametrize("way", WAYS)
def test_truths_are_given_by_item_or_in_their_order(way):
    table = votes(WAYS[way])
    assert table.verified.tolist() == [True, False, False, True]
    assert table.truth_codes.tolist() == [1, -1, -1, 0]
    later = votes().with_verified(WAYS[way])
    assert later.truth_codes.tolist() == [1, -1, -1, 0]
    np.testing.assert_array_equal(table.counts, votes().counts)


def test_truths_may_be_a_column():
    assert votes("truth").truth_codes.tolist() == [1, -1, -1, -1]
    frame = pd.DataFrame(TABLE)
    read = Votes(frame, "photo", "who", "says", items=ITEMS, verified="truth")
    assert read.truth_codes.tolist() == [1, -1, -1, -1]


def test_a_truth_may_be_a_class_without_votes():
    table = votes({"p1": "a"})
    assert table.classes.tolist() == ["a", "x", "y"]
    assert table.truth_codes.tolist() == [0, -1, -1, -1]
    later = votes({"p2": "y"}).with_verified({"p1": "z"})
    assert later.classes.tolist() == ["x", "y", "z"]
    assert later.truth_codes.tolist() == [2, -1, -1, -1]
    with pytest.raises(ValueError, match="'a', which is not among the classes 'x', 'y'"):
        votes({"p1": "a"}, classes=["x", "y"])
    nothing = Votes({"i": [0], "a": ["x"], "l": [None]}, "i", "a", "l", verified={0: "k"})
    assert nothing.classes.tolist() == ["k"]


@pytest.mark.parametrize(
    ("verified", "message"),
    [
        ({"p9": "x"}, "'p9', which is not among the items"),
        (["x", None], "one entry for each of the 4 items"),
        ({"p1": {"x", "y"}}, "collection"),
        ("nowhere", "'nowhere' is not a column"),
    ],
)
def test_truths_refused(verified, message):
    with pytest.raises(ValueError, match=message):
        votes(verified)


def test_truths_in_one_column_must_agree():
    with pytest.raises(ValueError, match=r"'p1' is verified as 'y' in one row.*'x' in another"):
        Votes(
            {**TABLE, "truth": ["y", "x", None, None, None]},
            "photo",
            "who",
            "says",
            items=ITEMS,
            verified="truth",
        )


def test_slicing_and_renaming_keep_truths():
    table = votes(WAYS["dict"])
    assert table[[3, 0, 0, 1]].truth_codes.tolist() == [0, 1, 1, -1]
    assert table.with_classes(["y", "b", "x"]).truth_codes.tolist() == [0, -1, -1, 2]
    drawn = table[[0, 1, 0]].with_verified({"p1": "x"})
    assert drawn.truth_codes.tolist() == [0, -1, 0]


@pytest.mark.parametrize("rule", ["mean", "dempster", "dawid_skene"])
def test_rules_take_the_truth_for_certain(rule):
    import labelief.estimators  # noqa: F401  registers the rule "dawid_skene"

    table = votes(WAYS["dict"])
    labels = SoftLabels.from_votes(table, rule, discount=0.2)
    assert labels.verified.tolist() == [True, False, False, True]
    np.testing.assert_array_equal(labels.plausibilities[[0, 3]], [[0, 1], [1, 0]])
    if rule != "dawid_skene":
        others = SoftLabels.from_votes(votes(), rule, discount=0.2)
        np.testing.assert_allclose(labels.plausibilities[1:3], others.plausibilities[1:3])


def test_certain_votes_against_the_truth_are_no_conflict():
    labels = SoftLabels.from_votes(votes({"p1": "y"}), "dempster")
    np.testing.assert_array_equal(labels.plausibilities[0], [0, 1])


def test_as_an_array_and_as_a_target():
    table = votes({"p1": "y", "p4": "x"})
    assert np.asarray(table).tolist() == ["y", "y", "x", "x"]
    target = read_target(table, classes=["z", "y", "x"])
    assert target.verified.tolist() == [True, False, False, True]
    assert target.classes[target.votes.truth_codes[0]] == "y"
    assert read_target(votes()).verified is None
    assert target.take([1, 3]).verified.tolist() == [False, True]
