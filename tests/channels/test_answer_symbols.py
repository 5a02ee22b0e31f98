"""Candidate sets, "unsure" and verified items, as a channel reads them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from tests.channels.crowds import some_matrices

from labelief import (
    AnnotatorNoise,
    DawidSkene,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    MixtureDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
    SoftLabels,
    Votes,
)
from labelief.channels.answer_symbols import AnswerSymbols, as_table
from labelief.estimators.validation import evidence_of
from labelief.labels import read_target

NAMES = ["a", "b", "c"]


def odd_votes(n=40, seed=0, unsure="answer", sets=True, confidence=True, V=160):
    """Votes with sets, confidences, "unsure", repeated ones and an item without any."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n)
    item = rng.integers(0, n - 1, V)
    says = []
    for i in item:
        right = rng.random() < 0.7
        k = truth[i] if right else rng.integers(0, 3)
        other = (k + 1 + rng.integers(0, 2)) % 3
        kind = rng.choice(4, p=[0.55, 0.3, 0.05, 0.1])
        pair, everything = {NAMES[k], NAMES[other]}, set(NAMES)
        says.append([NAMES[k], pair if sets else NAMES[k], everything, "unsure"][kind])
    if not sets:
        says = [s if isinstance(s, str) else None for s in says]
    table = {"i": item, "a": rng.choice(["x", "y", "z"], V), "l": says, "c": rng.uniform(0.2, 1, V)}
    votes = Votes(
        table,
        "i",
        "a",
        "l",
        "c" if confidence else None,
        items=range(n),
        classes=NAMES,
        unsure=unsure,
    )
    return votes, truth


def chance(votes, matrix, k, s):
    """Return the likelihood of one answer by its definition."""
    name = votes.answers[s]
    plain = [str(answer) for answer in votes.answers if not isinstance(answer, frozenset)]
    if not isinstance(name, frozenset):
        return matrix[k, plain.index(name)]
    if len(name) == votes.shape[1]:
        return 1.0
    return sum(matrix[k, plain.index(member)] for member in name)


def log_weights(votes, matrices):
    """Return ``Σ_a c log γ_a(v_ia | k)`` vote by vote, -inf beside a verified class."""
    n, K = votes.shape
    out = np.zeros((n, K))
    for i in range(n):
        for v in range(votes.indptr[i], votes.indptr[i + 1]):
            power = 1.0 if votes.confidences is None else votes.confidences[v]
            for k in range(K):
                matrix = matrices[votes.annotator_codes[v]]
                out[i, k] += power * np.log(chance(votes, matrix, k, votes.label_codes[v]))
        if votes.verified[i]:
            out[i, np.arange(K) != votes.truth_codes[i]] = -np.inf
    return out


def plain_counts(votes, posterior, matrices):
    """Return expected counts of (annotator, true class, plain answer) vote by vote."""
    counts = np.zeros_like(matrices)
    K = votes.shape[1]
    for i in range(len(votes)):
        for v in range(votes.indptr[i], votes.indptr[i + 1]):
            power = 1.0 if votes.confidences is None else votes.confidences[v]
            a, s = votes.annotator_codes[v], votes.label_codes[v]
            for k in range(K):
                name = votes.answers[s]
                if not isinstance(name, frozenset):
                    counts[a, k, s] += power * posterior[i, k]
                elif len(name) < K:
                    inside = [NAMES.index(member) for member in name]
                    share = matrices[a, k, inside] / matrices[a, k, inside].sum()
                    counts[a, k, inside] += power * posterior[i, k] * share
    return counts


def as_evidence(votes):
    return evidence_of(read_target(votes))


def bound_to(votes, **settings):
    return AnnotatorNoise(**settings).bind(votes.shape[1], as_evidence(votes))


def posterior_of(joint):
    return np.exp(joint - np.logaddexp.reduce(joint, axis=1)[:, None])


@pytest.mark.parametrize("unsure", ["abstain", "answer"])
@pytest.mark.parametrize("verified", [None, {0: "b", 3: "a", 39: "c"}])
def test_weights_and_counts_by_brute_force(unsure, verified):
    votes, _ = odd_votes(unsure=unsure)
    votes = votes.with_verified(verified)
    S = 4 if unsure == "answer" else 3
    rng = np.random.default_rng(1)
    channel, evidence = bound_to(votes), as_evidence(votes)
    matrices = rng.dirichlet(np.ones(S), (3, 3))
    assert channel.shape == (3, 3, S)
    likelihoods = channel.likelihoods(matrices)
    found = evidence.log_weights(likelihoods)
    np.testing.assert_allclose(found, log_weights(votes, matrices), atol=1e-12)
    posterior = posterior_of(found)
    counts = channel.symbols.plain_counts(evidence.counts(posterior, likelihoods), matrices)
    np.testing.assert_allclose(counts, plain_counts(votes, posterior, matrices), atol=1e-12)
    even = channel.symbols.even_counts(evidence.counts(posterior, likelihoods), 3)
    flat = np.full_like(matrices, 1 / S)
    np.testing.assert_allclose(even, plain_counts(votes, posterior, flat), atol=1e-12)


def test_weights_on_other_array_libraries(xp):
    votes, _ = odd_votes()
    votes = votes.with_verified({0: "b", 3: "a"})
    channel, evidence = bound_to(votes), as_evidence(votes)
    table = channel.likelihoods(np.random.default_rng(1).dirichlet(np.ones(4), (3, 3)))
    moved = evidence.moved(xp.asarray)
    there = table._replace(log_table=xp.asarray(table.log_table))
    found = moved.log_weights(there)
    np.testing.assert_allclose(np.asarray(found), evidence.log_weights(table), atol=1e-12)
    told = np.asarray(moved.told(there))
    np.testing.assert_allclose(told[[0, 3]], [[0, 1, 0], [1, 0, 0]])
    cut = evidence.rows(slice(3, 9))
    np.testing.assert_allclose(cut.log_weights(table), evidence.log_weights(table)[3:9])


@pytest.mark.parametrize("kind", ["full", "one_coin", "shared"])
@pytest.mark.parametrize("pooling", [0.0, 3.0])
def test_the_gradient_of_the_votes_by_differences(kind, pooling):
    # Fisher's identity: counts at the posterior give the slope of the log-likelihood itself.
    votes, _ = odd_votes(n=20, V=70)
    votes = votes.with_verified({0: "b"})
    channel, evidence = bound_to(votes, kind=kind, pooling=pooling), as_evidence(votes)
    rng = np.random.default_rng(2)

    def objective(vector):
        matrices = channel.from_vector(vector)
        joint = np.log([0.5, 0.3, 0.2]) + evidence.log_weights(channel.likelihoods(matrices))
        return np.logaddexp.reduce(joint, axis=1).sum() + channel.log_prior(matrices)

    vector = channel.to_vector(channel.start())
    vector = vector + rng.normal(0, 0.3, vector.size)
    matrices = channel.from_vector(vector)
    likelihoods = channel.likelihoods(matrices)
    joint = np.log([0.5, 0.3, 0.2]) + evidence.log_weights(likelihoods)
    slope = channel.gradient(evidence.counts(posterior_of(joint), likelihoods), matrices)
    for p in range(vector.size):
        step = 1e-5 * (np.arange(vector.size) == p)
        numeric = (objective(vector + step) - objective(vector - step)) / 2e-5
        assert slope[p] == pytest.approx(numeric, abs=2e-6)


def test_dawid_skene_on_sets_is_a_maximum_of_the_likelihood():
    votes, _ = odd_votes(n=25, V=90)
    votes = votes.with_verified({1: "a", 2: "c"})
    model = DawidSkene(tol=1e-13, max_iter=20_000, pooling=0, acceleration="squarem").fit(votes)
    prior = 0.1 + 0.9 * np.eye(3, 4)

    def minus(vector):
        pi = np.exp(vector[:3] - np.logaddexp.reduce(vector[:3]))
        logs = vector[3:].reshape(3, 3, 4)
        logs = logs - np.logaddexp.reduce(logs, axis=2, keepdims=True)
        joint = np.log(pi) + log_weights(votes, np.exp(logs))
        return -np.logaddexp.reduce(joint, axis=1).sum() - np.sum(prior * logs)

    start = np.concatenate([np.log(model.priors_), np.log(model.matrices_).ravel()])
    assert -minus(start) == pytest.approx(model.history_[-1], rel=1e-10)
    assert -minimize(minus, start).fun <= model.history_[-1] + 1e-5
    np.testing.assert_allclose(
        model.probabilities_,
        posterior_of(np.log(model.priors_) + log_weights(votes, model.matrices_)),
    )
    np.testing.assert_array_equal(model.probabilities_[[1, 2]], [[1, 0, 0], [0, 0, 1]])


def test_a_set_of_one_class_is_the_class_and_of_all_classes_nothing():
    votes, _ = odd_votes(sets=False, unsure="abstain", confidence=False)
    says = votes.classes[votes.label_codes]
    more = {
        "i": np.append(votes.item_codes, np.arange(10)),
        "a": np.append(votes.annotators[votes.annotator_codes], ["x"] * 10),
        "l": [{name} for name in says] + [set(NAMES)] * 10,
    }
    padded = Votes(more, "i", "a", "l", items=range(40), classes=NAMES)
    one, two = DawidSkene().fit(votes), DawidSkene().fit(padded)
    np.testing.assert_allclose(two.matrices_, one.matrices_, atol=1e-10)
    np.testing.assert_allclose(two.probabilities_, one.probabilities_, atol=1e-10)
    assert two.log_likelihood_ == pytest.approx(one.log_likelihood_, rel=1e-12)
    # It is no answer "of a class" either, where "unsure" is another.
    symbols = AnswerSymbols.of(as_evidence(odd_votes()[0]), 3)
    table = symbols.log_table(some_matrices(3, 3, np.random.default_rng(0))[:, :, [0, 1, 2, 2]])
    everything = [i for i, name in enumerate(symbols.names) if len(name) == 3]
    width = len(symbols.names)
    np.testing.assert_array_equal(table.reshape(3, 3, width)[:, :, everything], 0.0)


def test_other_votes_may_name_other_sets():
    votes, _ = odd_votes()
    model = DawidSkene(max_iter=2000).fit(votes.with_verified({5: "b"}))
    new = Votes(
        {"i": [0, 0, 1], "a": ["x", "y", "z"], "l": [{"a", "c"}, "b", {"b", "c"}]},
        "i",
        "a",
        "l",
        classes=NAMES,
        verified={1: "c"},
    )
    gamma = model.matrices_
    joint = model.priors_ * gamma[0][:, [0, 2]].sum(axis=1) * gamma[1][:, 1]
    found = model.predict_proba(new)
    np.testing.assert_allclose(found[0], joint / joint.sum())
    np.testing.assert_array_equal(found[1], [0, 0, 1])
    alone = Votes({"i": [0], "a": ["x"], "l": ["a"]}, "i", "a", "l", classes=NAMES)
    joint = model.priors_ * gamma[0][:, 0]
    np.testing.assert_allclose(model.predict_proba(alone)[0], joint / joint.sum())


# ------------------------------------------------------------------------------ with features


def features(truth, seed=0, apart=2.5):
    rng = np.random.default_rng(seed)
    centers = apart * np.array([[0, 0], [1, 0], [0, 1]])
    return np.exp(0.2 * (rng.normal(size=(len(truth), 2)) + centers[truth]))


ESTIMATORS = {
    "lda": LinearDiscriminantAnalysis(),
    "qda": QuadraticDiscriminantAnalysis(),
    "mda": MixtureDiscriminantAnalysis(2),
    "lbfgs": LogisticRegression(),
    "newton": LogisticRegression(solver="newton"),
    "em": LogisticRegression(solver="em"),
}


@pytest.mark.parametrize("kind", ["full", "one_coin", "shared"])
@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_model_learns_from_sets_and_verified_items(name, kind):
    from sklearn.base import clone

    votes, truth = odd_votes(n=150, V=500, seed=3)
    X = features(truth)
    gold = {i: NAMES[truth[i]] for i in range(12)}
    votes = votes.with_verified(gold)
    model = clone(ESTIMATORS[name]).set_params(channel=AnnotatorNoise(kind), max_iter=2000)
    model.fit(X, votes)
    history = np.array(model.history_)
    assert np.all(np.diff(history) >= -1e-11 * (np.abs(history[1:]) + len(X)))
    # Features alone decide a prediction; votes and truths join in the posterior.
    alone = model.predict_proba(X)
    with np.errstate(divide="ignore"):
        joint = np.log(alone) + log_weights(votes, model.channel_.matrices_)
    np.testing.assert_allclose(model.posterior(X, votes), posterior_of(joint), atol=1e-7)
    known = model.posterior(X, votes)[:12]
    np.testing.assert_allclose(known, np.eye(3)[truth[:12]], rtol=1e-15, atol=0)
    foretold = np.logaddexp.reduce(joint, axis=1)
    np.testing.assert_allclose(model.label_log_likelihood(X, votes), foretold, atol=1e-7)
    assert model.channel_.matrices_.shape == (3, 3, 4)
    assert np.mean(model.predict(X) == np.array(NAMES)[truth]) > 0.8
    np.testing.assert_array_equal(model.predict_proba(X[:5]), alone[:5])


def test_votes_on_verified_items_teach_the_matrices():
    # Two annotators who swap the classes always, and nobody else: only the truth can tell.
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 2, 200)
    table = {
        "i": np.tile(np.arange(200), 2),
        "a": np.repeat(["x", "y"], 200),
        "l": np.tile(1 - truth, 2),
    }
    gold = {i: truth[i] for i in range(40)}
    votes = Votes(table, "i", "a", "l", verified=gold)
    with pytest.warns(UserWarning, match="by another name"):
        model = DawidSkene(pooling=0).fit(votes)
    assert np.mean(model.predict(votes) == truth) == 1.0
    np.testing.assert_allclose(model.matrices_[:, [0, 1], [1, 0]], 1.0, atol=0.03)
    X = np.exp(0.1 * rng.normal(size=(200, 1)))
    with pytest.warns(UserWarning, match="by another name"):
        crowd = LogisticRegression(channel=AnnotatorNoise()).fit(X, votes)
    assert np.mean(crowd.classes_[crowd.posterior(X, votes).argmax(axis=1)] == truth) == 1.0


def test_all_items_verified_is_the_supervised_fit():
    votes, truth = odd_votes(n=120, V=300, seed=5)
    X = features(truth, apart=1.0)
    names = np.array(NAMES)[truth]
    gold = votes.with_verified(names)
    crowd = LinearDiscriminantAnalysis(channel=AnnotatorNoise()).fit(X, gold)
    supervised = LinearDiscriminantAnalysis().fit(X, names)
    np.testing.assert_allclose(crowd.means_, supervised.means_, rtol=1e-10)
    np.testing.assert_allclose(crowd.covariances_, supervised.covariances_, rtol=1e-8)


def test_a_channel_that_reads_labels_refuses_sets_of_votes_with_the_cure():
    votes, truth = odd_votes()
    with pytest.raises(ValueError, match="from_votes"):
        LinearDiscriminantAnalysis().fit(features(truth), votes)
    pooled = SoftLabels.from_votes(votes, "dawid_skene")
    assert pooled.shape == (40, 3)
    assert as_table(np.ones((2, 3, 4))).shape == (3, 8)
