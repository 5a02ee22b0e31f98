from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from tests.labels import oracle

from labelief.labels import SoftLabels, Votes
from labelief.labels.targets import read_target
from labelief.labels.vote_rules import VOTE_RULES

TABLE = {
    "photo": ["p3", "p1", "p3", "p2", "p1", "p3"],
    "who": ["ann", "bob", "cat", "ann", "ann", "ann"],
    "says": ["x", "y", "y", "unsure", "x", "x"],
    "sure": [0.5, 1.0, 0.25, 1.0, 0.75, 0.5],
}
COLUMNS = {"item": "photo", "annotator": "who", "label": "says"}
ITEMS = ["p1", "p2", "p3", "p4"]


@pytest.fixture
def votes():
    return Votes(TABLE, **COLUMNS, items=ITEMS)


@pytest.mark.parametrize("table", [dict, pd.DataFrame, pl.DataFrame])
def test_votes_stand_in_the_order_of_the_items(table):
    votes = Votes(table(TABLE), **COLUMNS, items=ITEMS)
    assert len(votes) == 4 and votes.shape == (4, 2)
    assert votes.items.tolist() == ITEMS
    assert votes.classes.tolist() == ["x", "y"]
    assert votes.annotators.tolist() == ["ann", "bob", "cat"]
    assert votes.indptr.tolist() == [0, 2, 2, 5, 5]
    np.testing.assert_array_equal(votes.counts, [[1, 1], [0, 0], [2, 1], [0, 0]])
    names = votes.annotators[votes.annotator_codes].tolist()
    assert names == ["bob", "ann", "ann", "cat", "ann"]
    assert votes.classes[votes.label_codes].tolist() == ["y", "x", "x", "y", "x"]
    np.testing.assert_array_equal(votes.item_codes, [0, 0, 2, 2, 2])


def test_indicator_counts_annotator_and_answer(votes):
    V = votes.indicator()
    assert V.shape == (4, 6) and V.format == "csr"
    expected = np.zeros((4, 6))
    expected[0, [0 * 2 + 0, 1 * 2 + 1]] = 1
    expected[2, [0 * 2 + 0, 2 * 2 + 1]] = [2, 1]
    np.testing.assert_array_equal(V.toarray(), expected)
    weighted = Votes(TABLE, **COLUMNS, items=ITEMS, confidence="sure").indicator().toarray()
    expected[0, [0, 3]] = [0.75, 1.0]
    expected[2, [0, 5]] = [1.0, 0.25]
    np.testing.assert_array_equal(weighted, expected)
    np.testing.assert_array_equal(votes[[2, 0]].indicator().toarray(), V.toarray()[[2, 0]])


@pytest.mark.parametrize("key", [1, slice(2), [3, 0, 0], [True, False, True, False], [], (0, ...)])
def test_slicing_keeps_all_annotators(votes, key):
    part = votes[key]
    rows = (
        np.atleast_1d(np.arange(4)[key[0] if isinstance(key, tuple) else key]) if key != [] else []
    )
    np.testing.assert_array_equal(part.counts, votes.counts[rows])
    assert part.items.tolist() == votes.items[rows].tolist()
    assert part.annotators.tolist() == votes.annotators.tolist()
    assert part.classes.tolist() == votes.classes.tolist()


def test_items_must_be_numbered_where_no_order_is_given():
    table = {"i": [2, 0, 1, 2], "a": ["s", "s", "s", "t"], "l": [0, 1, 1, 0]}
    votes = Votes(table, "i", "a", "l")
    np.testing.assert_array_equal(votes.counts, [[0, 1], [0, 1], [2, 0]])
    for items in ([1, 2, 3, 3], [0, 1, 3, 3], ["a", "b", "c", "d"], [0.0, 1.0, 2.0, 2.0]):
        with pytest.raises(ValueError, match="must be numbered"):
            Votes({**table, "i": items}, "i", "a", "l")
    gap = Votes({**table, "i": [0, 1, 3, 3]}, "i", "a", "l", items=range(5))
    assert np.diff(gap.indptr).tolist() == [1, 1, 0, 2, 0]


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        ({"photo": ["p9", *TABLE["photo"][1:]]}, {}, "row 0 of the table is about 'p9'"),
        ({"photo": [None, *TABLE["photo"][1:]]}, {}, "item is missing in row 0"),
        ({"who": [*TABLE["who"][:5], None]}, {}, "annotator is missing in row 5"),
        ({"who": ["ann"]}, {}, "differ in length"),
        ({"sure": [0.5, 2, 0, 0, 0, 0]}, {"confidence": "sure"}, "row 1"),
        ({"sure": [0.5, np.nan, 0, 0, 0, 0]}, {"confidence": "sure"}, "row 1"),
        ({}, {"confidence": "nowhere"}, "'nowhere' is not a column"),
        ({}, {"classes": ["x", "z"]}, "'y' at row 1"),
        ({}, {"items": ["p1", "p2", "p3", "p1"]}, "more than once"),
        ({}, {"unsure": "maybe"}, "unsure"),
    ],
)
def test_votes_refused(change, options, message):
    with pytest.raises(ValueError, match=message):
        Votes({**TABLE, **change}, **{**COLUMNS, "items": ITEMS, **options})


def test_items_and_annotators_may_be_numbered_below_zero():
    table = {"i": [-1, 0, 1], "a": [-1, 5, 7], "l": ["x", "y", "x"]}
    votes = Votes(table, "i", "a", "l", items=[1, 0, -1])
    assert votes.annotators.tolist() == [-1, 5, 7]
    np.testing.assert_array_equal(votes.counts, [[1, 0], [0, 1], [1, 0]])


def test_a_table_without_votes_is_vacuous():
    table = {"i": [0, 1], "a": ["s", "s"], "l": [None, "unsure"]}
    votes = Votes(table, "i", "a", "l", classes=["x", "y"])
    assert votes.indicator().nnz == 0
    np.testing.assert_array_equal(SoftLabels.from_votes(votes).plausibilities, np.ones((2, 2)))
    none = Votes({"i": [], "a": [], "l": []}, "i", "a", "l", items=range(3), classes=["x", "y"])
    assert none.shape == (3, 2) and none.annotators.size == 0
    np.testing.assert_array_equal(SoftLabels.from_votes(none, "dempster").plausibilities, 1.0)


def test_a_table_must_be_one():
    with pytest.raises(ValueError, match="data frame"):
        Votes(np.eye(3), "i", "a", "l")


def test_abstentions():
    table = {**TABLE, "says": ["x", None, "y", "unsure", float("nan"), "x"]}
    votes = Votes(table, **COLUMNS, items=ITEMS)
    np.testing.assert_array_equal(votes.counts, [[0, 0], [0, 0], [2, 1], [0, 0]])
    assert votes.annotators.tolist() == ["ann", "bob", "cat"]


def test_unsure_as_an_answer_of_its_own():
    votes = Votes(TABLE, **COLUMNS, items=ITEMS, unsure="answer")
    assert votes.classes.tolist() == ["x", "y"]
    assert votes.answers.tolist() == ["x", "y", "unsure"]
    assert np.diff(votes.indptr).tolist() == [2, 1, 3, 0]
    np.testing.assert_array_equal(votes.counts[1], [0, 0])
    V = votes.indicator().toarray()
    assert V.shape == (4, 9) and V[1, 2] == 1
    assert votes[1:].answers.tolist() == ["x", "y", "unsure"]
    labels = SoftLabels.from_votes(votes)
    np.testing.assert_array_equal(labels.plausibilities[1], [1, 1])
    more = votes.with_classes(["a", "y", "x"])
    assert more.answers.tolist() == ["a", "y", "x", "unsure"]
    np.testing.assert_array_equal(more.counts[0], [0, 1, 1])
    assert more.label_codes[votes.label_codes == 2].tolist() == [3]


def test_unsure_may_be_a_class():
    votes = Votes(TABLE, **COLUMNS, items=ITEMS, classes=["x", "y", "unsure"])
    np.testing.assert_array_equal(votes.counts[1], [0, 0, 1])


def test_classes_are_kept_and_extended(votes):
    np.testing.assert_array_equal(
        votes.with_classes(["z", "y", "x"]).counts, np.c_[np.zeros(4), votes.counts[:, ::-1]]
    )
    with pytest.raises(ValueError, match="'y'"):
        votes.with_classes(["x", "z"])


def test_as_an_array_votes_are_the_clear_majority(votes):
    assert np.asarray(votes).tolist() == ["?", "?", "x", "?"]


def test_votes_as_a_target(votes):
    target = read_target(votes, n_rows=4, classes=["y", "x", "a"])
    assert target.classes.tolist() == ["a", "x", "y"]
    np.testing.assert_array_equal(target.votes.counts[0], [0, 1, 1])
    assert target.codes is None and target.plausibilities is None
    assert len(target.take([1, 2])) == 2


def test_votes_cannot_be_changed(votes):
    for name in ("indptr", "label_codes", "annotator_codes", "classes", "items"):
        assert not getattr(votes, name).flags.writeable


# ------------------------------------------------------------------ rules


def _vote_masses(votes, rates):
    """Each vote as a mass function over class indices, item by item."""
    K = len(votes.classes)
    confidences = (
        votes.confidences if votes.confidences is not None else np.ones(votes.label_codes.size)
    )
    out = [[] for _ in range(len(votes))]
    for i, a, k, c in zip(
        votes.item_codes, votes.annotator_codes, votes.label_codes, confidences, strict=True
    ):
        mass = (1 - rates[a]) * c
        out[i].append({frozenset([int(k)]): mass, frozenset(range(K)): 1 - mass})
    return out


@pytest.fixture
def crowd():
    rng = np.random.default_rng(0)
    n, V = 12, 60
    table = {
        "i": rng.integers(0, n - 1, V),
        "a": rng.integers(0, 5, V),
        "l": rng.integers(0, 3, V),
        "c": rng.uniform(0.2, 1, V),
    }
    return Votes(table, "i", "a", "l", confidence="c", items=range(n))


@pytest.mark.parametrize("rates", [np.full(5, 0.3), np.linspace(0.1, 0.9, 5), np.zeros(5)])
def test_mean_is_the_average_mass_function(crowd, rates):
    labels = SoftLabels.from_votes(crowd, "mean", rates)
    expected = []
    for masses in _vote_masses(crowd, rates):
        row = {}
        for m in masses or [{frozenset(range(3)): 1.0}]:
            for A, mass in m.items():
                row[A] = row.get(A, 0.0) + mass / max(len(masses), 1)
        expected.append(row)
    oracle.assert_same_masses(labels, expected)


@pytest.mark.parametrize("rates", [np.full(5, 0.3), np.linspace(0.1, 0.9, 5), np.zeros(5)])
def test_dempster_is_the_sum_of_all_votes(crowd, rates):
    labels = SoftLabels.from_votes(crowd, "dempster", rates)
    expected = []
    for masses in _vote_masses(crowd, rates):
        row = {frozenset(range(3)): 1.0}
        for m in masses:
            row = oracle.dempster(row, m)
        expected.append(row)
    oracle.assert_same_masses(labels, expected)


def test_mean_without_discount_is_the_share_of_votes(votes):
    labels = SoftLabels.from_votes(votes)
    np.testing.assert_allclose(labels.beliefs, [[0.5, 0.5], [0, 0], [2 / 3, 1 / 3], [0, 0]])
    np.testing.assert_allclose(labels.nonspecificity(), np.log([1, 2, 1, 2]))


def test_certain_votes_that_agree_and_that_clash(votes):
    agree = {"i": [0, 0, 1], "a": ["s", "t", "s"], "l": ["x", "x", "y"]}
    labels = SoftLabels.from_votes(Votes(agree, "i", "a", "l"), "dempster")
    np.testing.assert_array_equal(labels.beliefs, [[1, 0], [0, 1]])
    with pytest.raises(ValueError, match=r"rows 0, 2.*discount above 0"):
        SoftLabels.from_votes(votes, "dempster")
    sure = {"i": [0, 0], "a": ["s", "t"], "l": ["x", "y"], "c": [1.0, 0.9]}
    labels = SoftLabels.from_votes(Votes(sure, "i", "a", "l", confidence="c"), "dempster")
    np.testing.assert_array_equal(labels.beliefs, [[1, 0]])


def test_thousands_of_votes_do_not_overflow():
    V = 4000
    table = {"i": np.zeros(V, int), "a": np.zeros(V, int), "l": np.arange(V) % 2}
    labels = SoftLabels.from_votes(Votes(table, "i", "a", "l"), "dempster", 0.1)
    np.testing.assert_allclose(labels.beliefs, [[0.5, 0.5]])
    table["l"] = (np.arange(V) < 1999).astype(int)
    labels = SoftLabels.from_votes(Votes(table, "i", "a", "l"), "dempster", 0.1)
    np.testing.assert_allclose(labels.beliefs[0, 1] / labels.beliefs[0, 0], 0.01)


@pytest.mark.parametrize(
    ("rule", "discount", "message"),
    [
        ("majority", 0.1, r"\['dawid_skene', 'dempster', 'mean'\]|\['dempster', 'mean'\]"),
        ("mean", [0.1, 0.2], "one per annotator"),
        ("mean", 1.5, "0 and 1"),
        ("mean", [0.1, 0.2, -1], "annotator 2"),
    ],
)
def test_pooling_refused(votes, rule, discount, message):
    with pytest.raises(ValueError, match=message):
        SoftLabels.from_votes(votes, rule, discount)


def test_only_votes_are_pooled():
    with pytest.raises(ValueError, match="Votes"):
        SoftLabels.from_votes(pd.DataFrame(TABLE))


def test_another_rule_is_another_entry(votes, monkeypatch):
    monkeypatch.setitem(
        VOTE_RULES, "nothing", lambda v, d: SoftLabels.from_crisp([None] * len(v), v.classes)
    )
    assert len(SoftLabels.from_votes(votes, "nothing", 0.5)) == 4
