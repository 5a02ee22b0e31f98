"""Annotators judged by the others."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from labelief import AnnotatorNoise, DawidSkene, LinearDiscriminantAnalysis, Votes
from labelief.audit import audit_annotators
from labelief.audit.accuracy import accuracies
from labelief.audit.annotators import Consensus, judge_votes

NAMES = np.array(["cat", "dog", "fox"])


def crowd(n=300, seed=0, rates=(0.05, 0.1, 0.2, 0.3, 0.6), share=0.7):
    """Features, truth and votes of people who err at these rates, on a share of the items."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n)
    X = rng.normal(size=(n, 2)) + 2.5 * np.eye(3)[truth][:, :2]
    item, who = np.nonzero(rng.random((n, len(rates))) < share)
    wrong = rng.random(len(item)) < np.array(rates)[who]
    said = np.where(wrong, (truth[item] + rng.integers(1, 3, len(item))) % 3, truth[item])
    table = {"i": item, "a": np.array(list("vwxyz"))[who], "l": NAMES[said]}
    return X, truth, Votes(table, "i", "a", "l", items=np.arange(n)), (item, who, said)


def some_matrices(n_people, n_answers, rng):
    matrices = rng.random((n_people, 3, n_answers)) + 2 * np.eye(3, n_answers)
    return matrices / matrices.sum(axis=2, keepdims=True)


@pytest.mark.parametrize("confidence", [None, "c"])
@pytest.mark.parametrize("unsure", ["abstain", "answer"])
def test_a_vote_is_judged_without_its_author(confidence, unsure):
    rng = np.random.default_rng(1)
    said = rng.choice(["cat", "dog", "fox", "unsure"], 60)
    table = {
        "i": rng.integers(0, 12, 60),
        "a": rng.integers(0, 4, 60),  # some vote twice on an item
        "l": said,
        "c": rng.random(60),
    }
    votes = Votes(table, "i", "a", "l", confidence, items=range(12), unsure=unsure)
    matrices = some_matrices(4, len(votes.answers), rng)
    priors = rng.dirichlet(np.ones(3), 12)
    found = judge_votes(votes, Consensus(np.log(priors), matrices, np.log(matrices)))
    item, who, answer = votes.item_codes, votes.annotator_codes, votes.label_codes
    power = np.ones(len(item)) if votes.confidences is None else votes.confidences
    for v in range(len(item)):
        joint = priors[item[v]].copy()
        for u in range(len(item)):
            if item[u] == item[v] and who[u] != who[v]:
                joint *= matrices[who[u], :, answer[u]] ** power[u]
        np.testing.assert_allclose(found[v], joint / joint.sum(), rtol=1e-9)


def test_the_table_against_sums_over_votes():
    _, _, votes, (item, who, said) = crowd()
    table = audit_annotators(votes).set_index("annotator")
    model = DawidSkene(max_iter=1000, acceleration="squarem").fit(votes)
    log_priors = np.tile(np.log(model.priors_), (300, 1))
    consensus = Consensus(log_priors, model.matrices_, np.log(model.matrices_))
    judged = judge_votes(votes, consensus)
    for a, name in enumerate("vwxyz"):
        mine = who == a
        assert table.loc[name, "votes"] == mine.sum()
        found = accuracies(judged[mine], said[mine], np.zeros(mine.sum(), int), 1, 0.95)
        assert table.loc[name, ["accuracy", "low", "high"]].tolist() == pytest.approx(
            np.concatenate(found).tolist()
        )
        counts = {
            (k, s): judged[mine][said[mine] == s, k].sum()
            for k in range(3)
            for s in range(3)
            if k != s
        }
        (k, s), times = max(counts.items(), key=lambda entry: entry[1])
        assert (table.loc[name, "truth"], table.loc[name, "said"]) == (NAMES[k], NAMES[s])
        assert table.loc[name, "times"] == pytest.approx(times)
        equal = [
            said[u] == said[v]
            for v in np.flatnonzero(mine)
            for u in range(len(item))
            if item[u] == item[v] and who[u] != a
        ]
        assert table.loc[name, "agreement"] == pytest.approx(np.mean(equal))
        learned = sum(model.priors_[k] * model.matrices_[a, k, k] for k in range(3))
        assert table.loc[name, "learned"] == pytest.approx(learned)


def test_the_worst_stands_first():
    _, truth, votes, (item, who, said) = crowd()
    table = audit_annotators(votes)
    assert isinstance(table, pd.DataFrame)
    assert table["annotator"].tolist()[:3] == list("zyx")
    assert table["high"].is_monotonic_increasing
    true = [np.mean(said[who == a] == truth[item[who == a]]) for a in range(5)]
    table = table.sort_values("annotator")
    np.testing.assert_allclose(table["accuracy"], true, atol=0.08)
    np.testing.assert_allclose(table["learned"], true, atol=0.08)


def test_features_make_the_judgement_sharper():
    X, truth, votes, (item, who, said) = crowd(share=0.35)
    model = LinearDiscriminantAnalysis(channel=AnnotatorNoise())
    alone = audit_annotators(votes).set_index("annotator").sort_index()
    beside = audit_annotators(votes, model, X).set_index("annotator").sort_index()
    true = np.array([np.mean(said[who == a] == truth[item[who == a]]) for a in range(5)])
    error = [np.abs(table["accuracy"] - true).mean() for table in (alone, beside)]
    assert error[1] < 0.7 * error[0]
    assert beside["accuracy"].idxmin() == "z"
    # the classifier sees two of three sums: everybody still gets a number
    assert beside.notna().all().all()


def test_several_votes_on_an_item_and_unsure_answers():
    table = {
        "i": [0, 0, 0, 1, 1, 2, 2, 2],
        "a": ["x", "x", "y", "x", "y", "x", "y", "z"],
        "l": ["cat", "cat", "dog", "dog", "dog", "cat", "unsure", "unsure"],
    }
    votes = Votes(table, "i", "a", "l", unsure="answer")
    found = audit_annotators(votes).set_index("annotator")
    assert found["votes"].to_dict() == {"x": 4, "y": 2, "z": 0}
    # x against y: twice different on item 0, equal on item 1; y said nothing of item 2
    assert found.loc["x", "agreement"] == pytest.approx(1 / 3)
    assert np.isnan(found.loc["z", "accuracy"]) and np.isnan(found.loc["z", "agreement"])
    assert found.loc["z", ["low", "high"]].tolist() == [0.0, 1.0]
    assert found.index[-1] == "z"


def test_intervals_hold_the_true_accuracy():
    rates = np.array([0.1, 0.1, 0.2, 0.3, 0.4])
    held, widths = [], []
    for seed in range(16):
        votes = crowd(200, seed, rates)[2]
        table = audit_annotators(votes).set_index("annotator").sort_index()
        held.append((table["low"] <= 1 - rates) & (1 - rates <= table["high"]))
        widths.append(table["high"] - table["low"])
    assert np.mean(held) > 0.85
    assert np.mean(widths) < 0.25


def test_sets_of_classes_and_known_truths():
    _, truth, plain, (item, who, said) = crowd()
    names = NAMES[said].astype(object)
    names[::5] = [frozenset({name, "cat"}) for name in names[::5]]
    table = {"i": item, "a": np.array(list("vwxyz"))[who], "l": names}
    votes = Votes(table, "i", "a", "l", items=np.arange(300))
    found = audit_annotators(votes).set_index("annotator")
    expected = audit_annotators(plain).set_index("annotator")
    # a set is no vote for a class, but it does not mislead either
    assert found["votes"].sum() < expected["votes"].sum()
    np.testing.assert_allclose(found["accuracy"], expected["accuracy"][found.index], atol=0.06)
    known = votes.with_verified(dict(enumerate(NAMES[truth])))
    found = audit_annotators(known).set_index("annotator")
    for j, name in enumerate("vwxyz"):
        named = (who == j) & (np.arange(len(who)) % 5 != 0) | ((who == j) & (said == 0))
        right = np.mean(said[named] == truth[item[named]])
        assert found.loc[name, "accuracy"] == pytest.approx(right, abs=1e-3)


def test_other_frames_and_refusals():
    X, _, votes, _ = crowd(60)
    frame = audit_annotators(votes, backend="polars")
    assert frame.shape == (5, 10)
    with pytest.raises(ValueError, match="confidence is 95"):
        audit_annotators(votes, confidence=95)
    with pytest.raises(ValueError, match="must be a Votes table"):
        audit_annotators(["a", "b"])
    with pytest.raises(ValueError, match="go together"):
        audit_annotators(votes, LinearDiscriminantAnalysis(channel=AnnotatorNoise()))
    with pytest.raises(ValueError, match="go together"):
        audit_annotators(votes, X=X)
