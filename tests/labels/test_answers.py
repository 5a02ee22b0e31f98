"""Candidate sets among the answers: how they are read, kept, sliced, renamed and pooled."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.labels import oracle

from labelief.labels import SoftLabels, Votes
from labelief.labels.answers import read_answers

SAYS = ["owl", {"owl", "hawk"}, ("hawk", "owl"), None, ["jay"], {"owl", "hawk", "jay"}]
TABLE = {"i": [0, 0, 1, 1, 2, 3], "a": list("xyxyxy"), "l": SAYS}
TEXT = {**TABLE, "l": ["owl", "owl|hawk", "hawk | owl", None, "jay", "owl|hawk|jay"]}


def frame(table, kind):
    return {"dict": dict, "pandas": pd.DataFrame, "polars": pl.DataFrame}[kind](table)


@pytest.mark.parametrize("kind", ["dict", "pandas", "polars"])
@pytest.mark.parametrize("form", ["sets", "lists", "text"])
def test_sets_are_answers_of_their_own(kind, form):
    lists = [s if s is None or isinstance(s, str) else sorted(s) for s in SAYS]
    if kind == "polars":
        lists = [[s] if isinstance(s, str) else s for s in lists]
    table = {"sets": TABLE, "lists": {**TABLE, "l": lists}, "text": TEXT}[form]
    if kind == "polars" and form == "sets":
        table = {**table, "l": pl.Series(SAYS, dtype=pl.Object)}
    votes = Votes(frame(table, kind), "i", "a", "l", sep="|" if form == "text" else None)
    assert votes.classes.tolist() == ["hawk", "jay", "owl"]
    assert votes.answers.tolist()[:3] == ["hawk", "jay", "owl"]
    sets = votes.answers.tolist()[3:]
    assert sorted(sets, key=len) == [frozenset({"owl", "hawk"}), frozenset({"owl", "hawk", "jay"})]
    assert votes.sets.tolist() == [[name in group for name in votes.classes] for group in sets]
    said = [votes.answers[code] for code in votes.label_codes]
    assert said == ["owl", sets[0], sets[0], "jay", frozenset({"owl", "hawk", "jay"})]
    np.testing.assert_array_equal(votes.counts, [[0, 0, 1], [0, 0, 0], [0, 1, 0], [0, 0, 0]])
    assert votes.indicator().shape == (4, 2 * 5)


def test_columns_of_the_indicator_follow_the_answers():
    votes = Votes(TABLE, "i", "a", "l", unsure="answer")
    assert votes.answers.tolist()[3] == "unsure" and len(votes.answers) == 6
    expected = np.zeros((4, 12))
    pair = votes.answers.tolist().index(frozenset({"owl", "hawk"}))
    everything = votes.answers.tolist().index(frozenset({"owl", "hawk", "jay"}))
    for row, who, answer in [
        (0, 0, 2),
        (0, 1, pair),
        (1, 0, pair),
        (2, 0, 1),
        (3, 1, everything),
    ]:
        expected[row, who * 6 + answer] = 1
    np.testing.assert_array_equal(votes.indicator().toarray(), expected)
    sets = votes.answer_sets
    np.testing.assert_array_equal(sets[3], [True, True, True])
    np.testing.assert_array_equal(sets[pair], [True, False, True])


def test_slicing_and_renaming_keep_sets():
    votes = Votes(TABLE, "i", "a", "l")
    part = votes[[1, 0]]
    assert part.answers.tolist() == votes.answers.tolist()
    np.testing.assert_array_equal(part.indicator().toarray(), votes.indicator().toarray()[[1, 0]])
    wider = votes.with_classes(["jay", "kite", "owl", "hawk"])
    assert wider.answers.tolist()[4:] == votes.answers.tolist()[3:]
    for group, row in zip(wider.answers.tolist()[4:], wider.sets, strict=True):
        assert set(wider.classes[row]) == group
    same = [wider.answers[code] for code in wider.label_codes]
    assert same == [votes.answers[code] for code in votes.label_codes]
    # In a wider frame the set of all former classes says something.
    labels = SoftLabels.from_votes(wider)
    assert labels.masses(3) == {frozenset({"owl", "hawk", "jay"}): 1.0}
    assert SoftLabels.from_votes(votes).codes is None
    np.testing.assert_array_equal(SoftLabels.from_votes(votes).plausibilities[3], 1.0)


def test_as_an_array_a_set_is_shared():
    assert np.asarray(Votes(TABLE, "i", "a", "l")).tolist() == ["owl", "?", "jay", "?"]


def test_integers_and_numpy_cells():
    table = {"i": [0, 0, 1], "a": [0, 1, 0], "l": [np.array([2, 0]), 1, (0, 2)]}
    votes = Votes(table, "i", "a", "l")
    assert votes.classes.tolist() == [0, 1, 2]
    assert votes.answers.tolist() == [0, 1, 2, frozenset({0, 2})]
    twice = Votes({**table, "l": [(0, 0), 1, (2,)]}, "i", "a", "l")
    assert twice.answers.tolist() == [0, 1, 2]
    equal = Votes({"i": [0, 1], "a": [0, 1], "l": [(0, 1), (1, 2)]}, "i", "a", "l")
    assert equal.answers.tolist() == [0, 1, 2, frozenset({0, 1}), frozenset({1, 2})]


@pytest.mark.parametrize(
    ("says", "options", "message"),
    [
        (["a", set()], {}, "empty set at row 1"),
        (["a", {"b", None}], {}, "None in the set at row 1"),
        (["a", {"b", "unsure"}], {}, "'unsure' in the set at row 1"),
        (["a", {"b", ("c",)}], {}, r"\('c',\) in the set at row 1"),
        (["a", {"b", "z"}], {"classes": ["a", "b"]}, "'z' at row 1"),
        (["z", {"b", "a"}], {"classes": ["a", "b"]}, "'z' at row 0"),
        (["a", "b|"], {"sep": "|"}, "'' in the set at row 1"),
        (["a", "b"], {"sep": ""}, "sep must be"),
        (["a", {"b", 1}], {}, "different types"),
    ],
)
def test_sets_refused(says, options, message):
    with pytest.raises(ValueError, match=message):
        Votes({"i": [0, 1], "a": ["x", "y"], "l": says}, "i", "a", "l", **options)


def test_text_is_cut_only_where_asked():
    says = ["owl|hawk", "jay"]
    votes = Votes({"i": [0, 1], "a": ["x", "y"], "l": says}, "i", "a", "l")
    assert votes.classes.tolist() == ["jay", "owl|hawk"] and len(votes.sets) == 0


@pytest.mark.parametrize("more", [[1], [(0, 1)]])
def test_unsure_beside_numbers(more):
    says = [0, "unsure", *more]
    answers = Votes({"i": range(3), "a": list("xyz"), "l": says}, "i", "a", "l", unsure="answer")
    assert answers.answers.tolist()[:3] == [0, 1, "unsure"]
    silent = Votes({"i": range(3), "a": list("xyz"), "l": says}, "i", "a", "l")
    assert silent.classes.tolist() == [0, 1] and len(silent.label_codes) == 2


def test_unsure_beside_sets():
    read = read_answers(["a", "unsure", {"a", "b"}, "c"], None, "answer", None, [])
    assert read.codes.tolist() == [0, 3, 4, 2]
    assert read.names.tolist() == ["a", "b", "c", "unsure", frozenset({"a", "b"})]
    silent = read_answers(["a", "unsure", {"a", "b"}, "c"], None, "abstain", None, [])
    assert silent.codes.tolist() == [0, -1, 3, 2]


# ------------------------------------------------------------------------------- pooling rules


def masses(votes, rates):
    """Each vote as a mass function over class indices, item by item."""
    K = len(votes.classes)
    confidences = (
        np.ones(len(votes.label_codes)) if votes.confidences is None else votes.confidences
    )
    out = [[] for _ in range(len(votes))]
    for i, a, s, c in zip(
        votes.item_codes, votes.annotator_codes, votes.label_codes, confidences, strict=True
    ):
        mass = (1 - rates[a]) * c
        row = {frozenset(range(K)): 1 - mass}
        group = frozenset(np.flatnonzero(votes.answer_sets[s]).tolist())
        row[group] = row.get(group, 0.0) + mass
        out[i].append(row)
    return out


@st.composite
def crowds(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**31)))
    n, V, K = 6, draw(st.integers(0, 25)), draw(st.integers(1, 4))
    groups = [tuple(rng.permutation(K)[: rng.integers(1, K + 1)]) for _ in range(V)]
    says = [oracle.NAMES[g[0]] if len(g) == 1 else {oracle.NAMES[k] for k in g} for g in groups]
    table = {
        "i": rng.integers(0, n - 1, V),
        "a": rng.integers(0, 3, V),
        "l": says,
        "c": rng.uniform(0.2, 1, V),
    }
    return Votes(table, "i", "a", "l", "c", items=range(n), classes=oracle.NAMES[:K])


@given(crowds(), st.sampled_from([0.0, 0.3, 1.0]))
def test_mean_of_sets_is_the_average_mass_function(votes, rate):
    labels = SoftLabels.from_votes(votes, "mean", rate)
    expected = []
    for votes_on in masses(votes, np.full(3, rate)):
        row = {}
        for m in votes_on or [{frozenset(range(votes.shape[1])): 1.0}]:
            for A, mass in m.items():
                row[A] = row.get(A, 0.0) + mass / max(len(votes_on), 1)
        expected.append(row)
    oracle.assert_same_masses(labels, expected)


@given(crowds(), st.sampled_from([0.0, 0.3, 1.0]))
def test_dempster_of_sets_is_the_sum_of_all_votes(votes, rate):
    labels = SoftLabels.from_votes(votes, "dempster", rate)
    expected = []
    for votes_on in masses(votes, np.full(3, rate)):
        row = {frozenset(range(votes.shape[1])): 1.0}
        for m in votes_on:
            row = oracle.dempster(row, m)
        expected.append(row)
    oracle.assert_same_masses(labels, expected)


def test_certain_sets_that_meet_and_that_clash():
    table = {"i": [0, 0, 1, 1], "a": list("xyxy"), "l": [{"a", "b"}, {"b", "c"}, {"a", "b"}, "c"]}
    votes = Votes(table, "i", "a", "l")
    assert SoftLabels.from_votes(votes[:1], "dempster").masses(0) == {frozenset({"b"}): 1.0}
    with pytest.raises(ValueError, match=r"total conflict in row 1.*discount above 0"):
        SoftLabels.from_votes(votes, "dempster")


def test_bird_answers_make_the_masses_of_their_paper(data_file):
    # A credal answer (set, certainty) is the mass certainty / 7 on the set, the rest on the frame.
    answers = pd.read_csv(data_file("credal_bird10_answers.csv"))
    answers["sure"] = answers["certainty"] / 7
    items = np.arange(answers["row"].max() + 1)
    birds = sorted({bird for text in answers["answer"] for bird in text.split("|")})
    votes = Votes(answers, "row", "worker", "answer", "sure", items=items, sep="|", classes=birds)
    labels = SoftLabels.from_votes(votes)
    plain = answers[answers["row"] == 4]
    expected = {}
    frame = frozenset(birds)
    for text, sure in zip(plain["answer"], plain["sure"], strict=True):
        group = frozenset(text.split("|"))
        expected[group] = expected.get(group, 0.0) + sure / len(plain)
        expected[frame] = expected.get(frame, 0.0) + (1 - sure) / len(plain)
    found = labels.masses(4)
    assert {A: m for A, m in expected.items() if m > 0}.keys() == found.keys()
    for group, mass in found.items():
        assert mass == pytest.approx(expected[group])
