from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from tests.channels.crowds import dawid_skene, some_matrices, vote, vote_log_weights

from labelief import DawidSkene, LinearDiscriminantAnalysis, SoftLabels, Votes
from labelief.labels.vote_rules import VOTE_RULES


@pytest.fixture
def votes():
    rng = np.random.default_rng(0)
    truth = rng.choice(3, 60, p=[0.5, 0.3, 0.2])
    return vote(truth, some_matrices(4, 3, rng), rng, answered=0.7)


@pytest.fixture
def odd_votes():
    """Votes with confidences, repeated ones, an answer "unsure" and items without any."""
    rng = np.random.default_rng(1)
    table = {
        "i": rng.integers(0, 20, 90),
        "a": rng.choice(["ann", "bob", "cat"], 90),
        "l": rng.choice(["x", "y", "unsure"], 90, p=[0.5, 0.4, 0.1]),
        "c": rng.random(90),
    }
    return Votes(table, "i", "a", "l", "c", items=range(22), unsure="answer")


@pytest.mark.parametrize("n_iter", [1, 2, 7])
@pytest.mark.parametrize("kind", ["votes", "odd_votes"])
def test_it_is_dawid_and_skenes_em(kind, n_iter, request):
    table = request.getfixturevalue(kind)
    priors, matrices, posterior, history = dawid_skene(table, n_iter)
    with pytest.warns(ConvergenceWarning, match="iteration cap"):
        model = DawidSkene(max_iter=n_iter, tol=0.0, pooling=0).fit(table)
    np.testing.assert_allclose(model.history_, history, rtol=1e-11)
    np.testing.assert_allclose(model.priors_, priors, atol=1e-12)
    np.testing.assert_allclose(model.matrices_, matrices, atol=1e-12)
    np.testing.assert_allclose(model.probabilities_, posterior, atol=1e-12)
    np.testing.assert_allclose(model.predict_proba(table), posterior, atol=1e-12)
    joint = np.log(priors) + vote_log_weights(table, matrices)
    assert model.log_likelihood_ == pytest.approx(np.logaddexp.reduce(joint, axis=1).sum())


def test_acceleration_reaches_the_same_end(votes):
    settings = {"tol": 1e-13, "max_iter": 10_000}
    plain = DawidSkene(**settings).fit(votes)
    fast = DawidSkene(acceleration="squarem", **settings).fit(votes)
    assert fast.history_[-1] == pytest.approx(plain.history_[-1], abs=1e-8)
    np.testing.assert_allclose(fast.matrices_, plain.matrices_, atol=1e-4)
    assert fast.n_iter_ < plain.n_iter_


@given(
    st.integers(1, 4),
    st.integers(1, 4),
    st.integers(1, 30),
    st.sampled_from([None, "squarem"]),
    st.integers(0, 2**31),
)
def test_the_objective_never_falls(n_classes, n_annotators, n, acceleration, seed):
    rng = np.random.default_rng(seed)
    table = {
        "i": rng.integers(0, n, 3 * n),
        "a": rng.integers(0, n_annotators, 3 * n),
        "l": rng.integers(0, n_classes, 3 * n),
    }
    table = Votes(table, "i", "a", "l", items=range(n), classes=range(n_classes))
    model = DawidSkene(max_iter=3000, acceleration=acceleration).fit(table)
    history = np.array(model.history_)
    assert np.all(np.diff(history) >= -1e-12 * (np.abs(history[1:]) + n))
    np.testing.assert_allclose(model.probabilities_.sum(axis=1), 1.0)
    np.testing.assert_allclose(model.matrices_.sum(axis=2), 1.0)
    assert model.priors_.sum() == pytest.approx(1.0)


def test_order_and_names_do_not_matter(votes):
    settings = {"tol": 1e-12, "max_iter": 10_000}
    model = DawidSkene(**settings).fit(votes)
    order = np.random.default_rng(2).permutation(len(votes))
    shuffled = DawidSkene(**settings).fit(votes[order])
    np.testing.assert_allclose(shuffled.probabilities_, model.probabilities_[order], atol=1e-9)
    table = {
        "i": votes.item_codes,
        "a": np.array(["d", "c", "b", "a"])[votes.annotator_codes],
        "l": np.array(["z", "y", "x"])[votes.label_codes],
    }
    renamed = DawidSkene(**settings).fit(Votes(table, "i", "a", "l", items=range(len(votes))))
    assert renamed.classes_.tolist() == ["x", "y", "z"]
    np.testing.assert_allclose(renamed.probabilities_[:, ::-1], model.probabilities_, atol=1e-9)
    np.testing.assert_allclose(renamed.matrices_[::-1, ::-1, ::-1], model.matrices_, atol=1e-9)
    # The classes' order in the votes is theirs alone.
    turned = DawidSkene(**settings).fit(votes.with_classes([2, 0, 1]))
    assert turned.classes_.tolist() == [0, 1, 2]
    np.testing.assert_allclose(turned.probabilities_, model.probabilities_, atol=1e-9)


def test_weight_two_is_an_item_twice_and_weight_zero_none(votes):
    weights = np.random.default_rng(3).integers(0, 3, len(votes))
    weighted = DawidSkene(tol=1e-12, max_iter=5000).fit(votes, weights)
    repeated = DawidSkene(tol=1e-12, max_iter=5000).fit(
        votes[np.repeat(np.arange(len(votes)), weights)]
    )
    np.testing.assert_allclose(weighted.matrices_, repeated.matrices_, atol=1e-9)
    np.testing.assert_allclose(weighted.priors_, repeated.priors_, atol=1e-9)
    with pytest.raises(ValueError, match="row 0 is negative"):
        DawidSkene().fit(votes, [-1.0] + [1.0] * 59)


def test_matrices_are_recovered():
    rng = np.random.default_rng(4)
    truth = rng.choice(3, 4000, p=[0.5, 0.3, 0.2])
    matrices = some_matrices(8, 3, rng)
    matrices[2] = [[0.1, 0.8, 0.1], [0.1, 0.1, 0.8], [0.8, 0.1, 0.1]]
    votes = vote(truth, matrices, rng, answered=0.8)
    model = DawidSkene().fit(votes)
    np.testing.assert_allclose(model.matrices_, matrices, atol=0.07)
    np.testing.assert_allclose(model.priors_, [0.5, 0.3, 0.2], atol=0.03)
    majority = votes.counts.argmax(axis=1)
    assert np.mean(model.predict(votes) == truth) > np.mean(majority == truth) + 0.02
    # Probabilities are calibrated.
    best = model.probabilities_.max(axis=1)
    assert best.mean() == pytest.approx(np.mean(model.predict(votes) == truth), abs=0.02)


def test_one_annotator_alone_is_believed():
    votes = Votes({"i": range(4), "a": ["x"] * 4, "l": [0, 1, 1, 0]}, "i", "a", "l")
    assert DawidSkene().fit(votes).predict(votes).tolist() == [0, 1, 1, 0]


def test_items_without_votes_have_the_priors(odd_votes):
    model = DawidSkene().fit(odd_votes)
    np.testing.assert_allclose(model.probabilities_[20:], [model.priors_] * 2)
    np.testing.assert_array_equal(model.labels_.plausibilities[20:], 1.0)


def test_votes_on_other_items(votes):
    model = DawidSkene().fit(votes[:40])
    joint = np.log(model.priors_) + vote_log_weights(votes, model.matrices_)
    expected = np.exp(joint - np.logaddexp.reduce(joint, axis=1)[:, None])
    np.testing.assert_allclose(model.predict_proba(votes), expected, atol=1e-12)
    stranger = Votes({"i": [0], "a": ["zoe"], "l": [0]}, "i", "a", "l", classes=range(3))
    with pytest.raises(ValueError, match="'zoe'"):
        model.predict(stranger)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"max_iter": 0}, "max_iter must be an integer of 1 or more"),
        ({"tol": -1.0}, "tol must be a number of 0 or more"),
        ({"acceleration": "fast"}, "acceleration must be None or 'squarem'"),
    ],
)
def test_settings_refused(settings, message, votes):
    with pytest.raises(ValueError, match=message):
        DawidSkene(**settings).fit(votes)


def test_what_is_no_table_of_votes_is_refused(votes):
    with pytest.raises(ValueError, match="learns from Votes, got list"):
        DawidSkene().fit([0, 1])
    with pytest.raises(ValueError, match="no items"):
        DawidSkene().fit(votes[[]])
    with pytest.raises(NotFittedError):
        DawidSkene().predict(votes)
    with pytest.raises(ValueError, match="Votes"):
        DawidSkene().fit(votes).predict([0, 1])


def test_it_is_an_estimator(votes):
    model = DawidSkene(max_iter=500, tol=1e-4, acceleration="squarem", verbose=0)
    assert clone(model).get_params() == model.get_params()
    assert model.fit(votes) is model
    # Fitted again, on other classes, nothing is left of the first time.
    other = Votes({"i": [0, 1], "a": ["x", "y"], "l": ["p", "q"]}, "i", "a", "l")
    assert model.fit(other).predict(other).tolist() == ["p", "q"]


def test_verbose_prints_the_objective(votes, capsys):
    model = DawidSkene(verbose=1).fit(votes)
    assert len(capsys.readouterr().out.splitlines()) == model.n_iter_


# ----------------------------------------------------------------------------- the pooling rule


def test_the_rule_leaves_the_priors_out(votes):
    pooled = SoftLabels.from_votes(votes, rule="dawid_skene")
    model = DawidSkene(max_iter=1000, acceleration="squarem").fit(votes)
    likelihood = model.probabilities_ / model.priors_
    expected = likelihood / likelihood.max(axis=1, keepdims=True)
    np.testing.assert_allclose(pooled.plausibilities, expected, atol=1e-10)
    np.testing.assert_array_equal(pooled.plausibilities.max(axis=1), 1.0)
    np.testing.assert_allclose(model.labels_.plausibilities, expected, atol=1e-10)


def test_a_classifier_counts_the_priors_once():
    # Classes of unequal frequency, uninformative features: what is learned is the priors alone,
    # and the posterior given features and votes is Dawid and Skene's own.
    rng = np.random.default_rng(5)
    truth = rng.choice(2, 3000, p=[0.85, 0.15])
    matrices = np.repeat([[[0.8, 0.2], [0.2, 0.8]]], 4, axis=0)
    votes = vote(truth, matrices, rng, answered=0.7)
    crowd = DawidSkene(max_iter=2000, tol=1e-10).fit(votes)
    pooled = crowd.labels_
    classifier = LinearDiscriminantAnalysis(tol=1e-10, max_iter=2000, init="labels")
    X = np.ones((3000, 1))
    with pytest.warns(UserWarning, match="without variance"):
        classifier.fit(X, pooled)
    np.testing.assert_allclose(classifier.priors_, crowd.priors_, atol=1e-4)
    np.testing.assert_allclose(classifier.posterior(X, pooled), crowd.probabilities_, atol=1e-3)
    # Taken as plausibilities, the probabilities themselves would count the priors twice.
    with pytest.warns(UserWarning, match="without variance"):
        twice = LinearDiscriminantAnalysis(init="labels").fit(X, crowd.probabilities_)
    assert twice.priors_[1] < 0.95 * crowd.priors_[1]


def test_discount_weakens_each_vote(votes):
    model = DawidSkene(max_iter=1000, acceleration="squarem").fit(votes)
    rates = np.array([0.0, 0.3, 0.9, 1.0])
    pooled = SoftLabels.from_votes(votes, rule="dawid_skene", discount=rates)
    expected = np.ones(votes.shape)
    for a in range(4):
        contour = model.matrices_[a] / model.matrices_[a].max(axis=0)
        mine = votes.annotator_codes == a
        for i, said in zip(votes.item_codes[mine], votes.label_codes[mine], strict=True):
            expected[i] *= rates[a] + (1 - rates[a]) * contour[:, said]
    expected /= expected.max(axis=1, keepdims=True)
    np.testing.assert_allclose(pooled.plausibilities, expected, atol=1e-10)
    vacuous = SoftLabels.from_votes(votes, rule="dawid_skene", discount=1.0)
    np.testing.assert_array_equal(vacuous.plausibilities, 1.0)


def test_the_rule_keeps_the_order_of_the_classes(votes):
    turned = SoftLabels.from_votes(votes.with_classes([2, 0, 1]), rule="dawid_skene")
    plain = SoftLabels.from_votes(votes, rule="dawid_skene")
    assert turned.classes.tolist() == [2, 0, 1]
    np.testing.assert_allclose(turned.plausibilities, plain.plausibilities[:, [2, 0, 1]])


def test_the_rule_is_registered():
    assert set(VOTE_RULES) == {"mean", "dempster", "dawid_skene"}


# ---------------------------------------------------------------------------------- real crowds


@pytest.mark.parametrize(("name", "least"), [("bluebird", 0.885), ("rte", 0.925), ("dog", 0.835)])
def test_real_crowds_beat_their_majority(name, least, data_file):
    table = pd.read_csv(data_file(f"crowd_{name}.csv"))
    votes = Votes(table, "row", "worker", "answer")
    truth = table.groupby("row")["label"].first().to_numpy()
    model = DawidSkene().fit(votes)
    accuracy = np.mean(model.predict(votes) == truth)
    majority = np.mean(votes.classes[votes.counts.argmax(axis=1)] == truth)
    assert model.converged_
    assert accuracy > majority + 0.005
    assert accuracy >= least
    pooled = SoftLabels.from_votes(votes, rule="dawid_skene")
    assert np.mean(pooled.most_plausible() == truth) >= least


# What crowd-kit 1.4.2 makes of the same answers (DawidSkene(n_iter=1000, tol=1e-9)): the share of
# items that it gets right, the shares of the classes, and on how many items its label is another
# than that of DawidSkene(pooling=0) here.
CROWD_KIT = {
    "bluebird": (0.8889, [0.5704, 0.4296], 1),
    "rte": (0.9275, [0.5178, 0.4822], 0),
    "dog": (0.8426, [0.2160, 0.2264, 0.2094, 0.3482], 3),
}


@pytest.mark.parametrize("name", CROWD_KIT)
def test_crowd_kit_says_the_same(name, data_file):
    # It has no prior and starts from the shares of the votes.
    table = pd.read_csv(data_file(f"crowd_{name}.csv"))
    votes = Votes(table, "row", "worker", "answer")
    truth = table.groupby("row")["label"].first().to_numpy()
    model = DawidSkene(max_iter=3000, tol=1e-10, pooling=0).fit(votes)
    accuracy, priors, apart = CROWD_KIT[name]
    right = np.sum(model.predict(votes) == truth)
    assert abs(right - accuracy * len(votes)) <= apart + 0.1
    np.testing.assert_allclose(model.priors_, priors, atol=0.007)
    posterior, labels = maximum_likelihood(votes)
    np.testing.assert_allclose(posterior.mean(axis=0), priors, atol=0.007)
    assert np.sum(model.probabilities_.argmax(axis=1) != labels) <= apart
    distance = np.abs(model.probabilities_ - posterior).sum(axis=1) / 2
    assert np.median(distance) < 1e-4 and distance.mean() < 0.015


def maximum_likelihood(votes, n_iter=1000):
    """Return posteriors and labels by EM without prior, from the shares of the votes."""
    V = votes.indicator().toarray()
    A, K = len(votes.annotators), votes.shape[1]
    posterior = votes.counts / votes.counts.sum(axis=1, keepdims=True)
    for _ in range(n_iter):
        counts = (posterior.T @ V).reshape(K, A, K)
        totals = counts.sum(axis=2, keepdims=True)
        matrices = np.where(totals > 0, counts / np.where(totals > 0, totals, 1), 0.0)
        logs = V @ np.log(np.maximum(matrices, 1e-10)).reshape(K, -1).T
        logs = logs + np.log(posterior.mean(axis=0))
        before, posterior = posterior, np.exp(logs - np.logaddexp.reduce(logs, axis=1)[:, None])
        if np.abs(posterior - before).max() < 1e-9:
            break
    return posterior, posterior.argmax(axis=1)


def test_anesthesia_agrees_with_the_published_solution(data_file):
    # Dawid and Skene (1979): shares of the classes .40, .42, .11, .07; crowd-kit 1.4.2 finds the
    # same maximum, and the error rates of observer 1 below.
    table = pd.read_csv(data_file("anesthesia.csv"))
    votes = Votes(table, "item", "rater", "rating", items=range(1, 46))
    posterior, labels = maximum_likelihood(votes)
    np.testing.assert_allclose(posterior.mean(axis=0), [0.40, 0.42, 0.11, 0.07], atol=0.005)
    first = (posterior.T @ votes.indicator().toarray()).reshape(4, 5, 4)[:, 0]
    first /= first.sum(axis=1, keepdims=True)
    expected = [[0.91, 0.09, 0, 0], [0.07, 0.88, 0.05, 0], [0, 0.34, 0.66, 0], [0, 0, 0.56, 0.44]]
    np.testing.assert_allclose(first, expected, atol=0.006)
    # Four patients whose votes leave it open are another matter under the prior, from any start.
    model = DawidSkene(tol=1e-10, max_iter=2000).fit(votes)
    same = model.probabilities_.argmax(axis=1) == labels
    assert same.sum() >= 41
    distance = np.abs(model.probabilities_ - posterior).sum(axis=1) / 2
    assert np.median(distance) < 1e-5
    # Told these four, everything else is as published.
    told = {int(votes.items[i]): int(votes.classes[labels[i]]) for i in np.flatnonzero(~same)}
    with_four = DawidSkene(tol=1e-10, max_iter=2000).fit(votes.with_verified(told))
    np.testing.assert_allclose(with_four.priors_, [0.40, 0.42, 0.11, 0.07], atol=0.006)
    np.testing.assert_array_equal(with_four.probabilities_.argmax(axis=1), labels)
    np.testing.assert_allclose(with_four.matrices_[0], expected, atol=0.15)


def test_anesthesia_is_at_least_as_good_as_the_published_solution(data_file):
    # Dawid and Skene (1979), table 2: class shares .40, .42, .11, .07, from the votes' shares.
    # Under the library's prior another maximum is higher; EM from the published shares of each
    # class must not climb past it.
    table = pd.read_csv(data_file("anesthesia.csv"))
    votes = Votes(table, "item", "rater", "rating", items=range(1, 46))
    model = DawidSkene(tol=1e-10, max_iter=2000, pooling=0).fit(votes)
    shares = votes.counts / votes.counts.sum(axis=1, keepdims=True)
    V = votes.indicator().toarray()
    prior = 0.1 + 0.9 * np.eye(4)
    for _ in range(300):
        priors = shares.mean(axis=0)
        counts = (shares.T @ V).reshape(4, 5, 4).swapaxes(0, 1) + prior
        matrices = counts / counts.sum(axis=2, keepdims=True)
        joint = np.log(priors) + vote_log_weights(votes, matrices)
        log_evidence = np.logaddexp.reduce(joint, axis=1)
        shares = np.exp(joint - log_evidence[:, None])
    rival = log_evidence.sum() + np.sum(prior * np.log(matrices))
    assert model.history_[-1] >= rival - 1e-6
    np.testing.assert_allclose(model.priors_, [0.40, 0.42, 0.11, 0.07], atol=0.06)
