"""Forms of annotators' matrices: their M-steps, coordinates, limits, and recovery."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from tests.channels.crowds import some_matrices, vote, vote_counts
from tests.channels.test_answer_symbols import ESTIMATORS, as_evidence, bound_to, odd_votes

from labelief import (
    AnnotatorNoise,
    DawidSkene,
    FlipNoise,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    QuadraticDiscriminantAnalysis,
    SoftLabels,
    Votes,
)
from labelief.channels.answer_symbols import as_table
from labelief.channels.pooling import log_affinity, pooled
from labelief.estimators.validation import evidence_of
from labelief.labels import read_target

KINDS = ["full", "one_coin", "shared"]
SETTINGS = [("full", 0.0), ("full", 3.0), ("one_coin", 0.0), ("one_coin", 3.0), ("shared", 3.0)]


def crowd(n=300, A=4, seed=0, answered=0.7, apart=2.0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n)
    matrices = some_matrices(A, 3, rng)
    X = rng.normal(size=(n, 2)) + apart * np.array([[0, 0], [1, 0], [0, 1]])[truth]
    return X, truth, matrices, vote(truth, matrices, rng, answered)


def silent(votes, name="zoe"):
    """Return the votes with an annotator more, who never votes."""
    table = {
        "i": np.append(votes.item_codes, 0),
        "a": np.append(votes.annotators[votes.annotator_codes], name),
        "l": [*votes.answers[votes.label_codes].tolist(), None],
    }
    unsure = "answer" if "unsure" in votes.answers.tolist() else "abstain"
    return Votes(
        table, "i", "a", "l", items=range(len(votes)), classes=votes.classes, unsure=unsure
    )


@pytest.mark.parametrize(("kind", "pooling"), SETTINGS)
def test_the_m_step_beats_its_neighbours(kind, pooling):
    rng = np.random.default_rng(0)
    votes, _ = odd_votes(sets=False, unsure="answer")
    channel = bound_to(votes, kind=kind, pooling=pooling)
    counts = rng.gamma(1.0, 3.0, (3, 12))

    def expected_objective(matrices):
        table = channel.likelihoods(matrices).log_table
        return np.sum(counts * table) + channel.log_prior(matrices)

    best = channel.maximise(counts, channel.start())
    np.testing.assert_allclose(best.sum(axis=2), 1.0)
    vector = channel.to_vector(best)
    for scale in (1e-3, 1e-1, 1.0):
        for _ in range(5):
            other = channel.from_vector(vector + scale * rng.normal(size=vector.shape))
            assert expected_objective(other) < expected_objective(best)
    np.testing.assert_allclose(channel.gradient(counts, best), 0.0, atol=1e-6)
    np.testing.assert_allclose(channel.from_vector(vector), best, rtol=1e-9)


@pytest.mark.parametrize(("kind", "pooling"), SETTINGS)
def test_gradients_are_numerical_derivatives(kind, pooling):
    rng = np.random.default_rng(1)
    votes, _ = odd_votes(sets=False)
    channel = bound_to(silent(votes), kind=kind, pooling=pooling)
    counts = rng.gamma(1.0, 3.0, (3, 4, 4))
    counts[:, 3] = 0.0
    counts = counts.reshape(3, 16)
    vector = channel.to_vector(channel.start())
    vector = vector + rng.normal(0, 0.4, vector.shape)

    def expected_objective(v):
        matrices = channel.from_vector(v)
        table = channel.likelihoods(matrices).log_table
        return np.sum(counts * table) + channel.log_prior(matrices)

    slope = channel.gradient(counts, channel.from_vector(vector))
    for p in range(vector.size):
        step = 1e-5 * (np.arange(vector.size) == p)
        up, down = expected_objective(vector + step), expected_objective(vector - step)
        assert slope[p] == pytest.approx((up - down) / 2e-5, abs=1e-6)


def test_forms_and_their_numbers_of_parameters():
    _, _, _, votes = crowd()
    more = silent(votes)
    assert bound_to(more, kind="full").n_parameters() == 4 * 3 * 2
    assert bound_to(more, kind="one_coin").n_parameters() == 4
    assert bound_to(more, kind="shared").n_parameters() == 3 * 2
    coin = DawidSkene(kind="one_coin").fit(votes).matrices_
    right = coin[:, [0, 1, 2], [0, 1, 2]]
    np.testing.assert_allclose(right, np.repeat(right[:, :1], 3, axis=1))
    np.testing.assert_allclose(coin[:, 0, 1], (1 - right[:, 0]) / 2)
    assert np.ptp(right[:, 0]) > 0.05
    shared = DawidSkene(kind="shared").fit(votes)
    np.testing.assert_array_equal(shared.matrices_, np.repeat(shared.matrices_[:1], 4, axis=0))
    np.testing.assert_array_equal(shared.channel_.pooled_matrix_, shared.matrices_[0])


def test_fewer_parameters_win_bic_where_they_are_the_truth():
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 3, 400)
    X = rng.normal(size=(400, 2)) + 3.0 * np.array([[0, 0], [1, 0], [0, 1]])[truth]
    same = np.full((6, 3, 3), 0.15) + 0.55 * np.eye(3)
    votes = vote(truth, same, rng, answered=0.8)
    models = {kind: LinearDiscriminantAnalysis(channel=AnnotatorNoise(kind)) for kind in KINDS}
    bic = {kind: model.fit(X, votes).bic(X, votes) for kind, model in models.items()}
    assert bic["shared"] < bic["one_coin"] + 10 and bic["one_coin"] < bic["full"]


# ------------------------------------------------------------------------------------ pooling


def test_the_prior_by_its_definition():
    votes, _ = odd_votes(sets=False, unsure="abstain")
    channel = bound_to(silent(votes), pooling=3.0)
    matrices = some_matrices(4, 3, np.random.default_rng(3))
    voters = matrices[:3]
    center = pooled(voters)
    expected = np.sum((0.1 + 0.9 * np.eye(3)) / 3 * np.log(voters))
    expected -= 3.0 * np.sum(center * (np.log(center) - np.log(voters)))
    assert channel.log_prior(matrices) == pytest.approx(expected)
    coin = bound_to(silent(votes), kind="one_coin", pooling=3.0)
    coins = coin.from_vector(np.array([0.5, 1.0, 2.0, 0.0]))
    p = coins[:3, 0, 0]
    expected = np.sum((0.1 + 0.9 * np.eye(3)) / 3 * np.log(coins[:3]))
    expected += 3.0 * 3 * log_affinity(np.stack([p, 1 - p], axis=1)[:, None])
    assert coin.log_prior(coins) == pytest.approx(expected)


def test_few_votes_shrink_to_the_pooled_matrix():
    _X, _truth, _, votes = crowd(n=400, A=8, seed=4)
    # A ninth annotator answers thrice, always "0"; a tenth never.
    table = {
        "i": np.append(votes.item_codes, [0, 1, 2]),
        "a": np.append(votes.annotators[votes.annotator_codes], ["new"] * 3),
        "l": np.append(votes.label_codes, [0, 0, 0]),
    }
    more = Votes(table, "i", "a", "l", items=range(400), classes=range(3))
    more = silent(more)
    gaps = []
    for pooling in (0.5, 4.0, 50.0):
        model = DawidSkene(pooling=pooling).fit(more)
        center = model.channel_.pooled_matrix_
        names = model.annotators_.tolist()
        gaps.append(np.abs(model.matrices_[names.index("new")] - center).max())
        np.testing.assert_allclose(model.matrices_[names.index("zoe")], center, rtol=1e-5)
    assert gaps[0] > gaps[1] > gaps[2] and gaps[2] < 0.05
    # Those who voted much are hardly moved.
    own = DawidSkene(pooling=0).fit(votes).matrices_
    np.testing.assert_allclose(DawidSkene().fit(votes).matrices_, own, atol=0.08)


@pytest.mark.parametrize("kind", ["full", "one_coin"])
def test_who_never_votes_changes_nothing(kind):
    X, _, _, votes = crowd(seed=5)
    settings = {"tol": 1e-11, "max_iter": 3000}
    channel = AnnotatorNoise(kind)
    model = LinearDiscriminantAnalysis(channel=channel, **settings).fit(X, votes)
    more = LinearDiscriminantAnalysis(channel=channel, **settings).fit(X, silent(votes))
    np.testing.assert_allclose(more.channel_.matrices_[:4], model.channel_.matrices_, atol=1e-9)
    assert more.history_[-1] == pytest.approx(model.history_[-1], rel=1e-12)
    assert more.bic(X, silent(votes)) == pytest.approx(model.bic(X, votes))


def test_strong_pooling_is_one_matrix_for_all():
    _, _, _, votes = crowd(seed=6)
    settings = {"tol": 1e-10, "max_iter": 5000}
    tight = DawidSkene(pooling=1e6, **settings).fit(votes)
    shared = DawidSkene(kind="shared", **settings).fit(votes)
    np.testing.assert_allclose(tight.matrices_, shared.matrices_, atol=1e-3)
    assert tight.log_likelihood_ == pytest.approx(shared.log_likelihood_, abs=0.05)


@pytest.mark.slow
def test_pooling_recovers_matrices_better_where_votes_are_few():
    errors = {0.0: [], 4.0: []}
    for seed in range(20):
        rng = np.random.default_rng(seed)
        truth = rng.integers(0, 3, 150)
        matrices = some_matrices(40, 3, rng)
        votes = vote(truth, matrices, rng, answered=0.12)
        for pooling, found in errors.items():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model = DawidSkene(pooling=pooling, max_iter=2000).fit(votes)
            found.append(np.mean((model.matrices_ - matrices) ** 2))
    better = np.array(errors[4.0]) < np.array(errors[0.0])
    assert better.mean() > 0.9
    assert np.mean(errors[4.0]) < 0.8 * np.mean(errors[0.0])


# ------------------------------------------------------------------------------------- limits


@pytest.mark.parametrize("pooling", [0.0, 4.0])
@pytest.mark.parametrize(
    ("kind", "flips"), [("full", "full"), ("shared", "full"), ("one_coin", "symmetric")]
)
@pytest.mark.parametrize("estimator", [LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis])
def test_one_annotator_is_flip_noise(estimator, kind, flips, pooling):
    X, _, _, votes = crowd(A=1, seed=7, answered=0.8)
    said = np.where(np.diff(votes.indptr) > 0, np.asarray(votes), None)
    settings = {"tol": 1e-13, "max_iter": 5000}
    by_votes = estimator(channel=AnnotatorNoise(kind, pooling), **settings).fit(X, votes)
    by_labels = estimator(channel=FlipNoise(flips), **settings).fit(X, said)
    assert by_votes.history_[-1] == pytest.approx(by_labels.history_[-1], abs=1e-6)
    assert by_votes.log_likelihood_ == pytest.approx(by_labels.log_likelihood_, abs=1e-5)
    matrix = by_labels.channel_.matrix_
    np.testing.assert_allclose(by_votes.channel_.matrices_[0], matrix, atol=1e-4)
    np.testing.assert_allclose(by_votes.predict_proba(X), by_labels.predict_proba(X), atol=1e-4)
    assert by_votes.bic(X, votes) == pytest.approx(by_labels.bic(X, said), abs=1e-4)


@pytest.mark.parametrize("solver", ["lbfgs", "newton", "em"])
def test_one_annotator_is_flip_noise_in_logistic_regression(solver):
    X, _, _, votes = crowd(A=1, seed=8, answered=1.0)
    settings = {"tol": 1e-8, "solver": solver, "max_iter": 5000}
    by_votes = LogisticRegression(channel=AnnotatorNoise(), **settings).fit(X, votes)
    by_labels = LogisticRegression(channel=FlipNoise(), **settings).fit(X, np.asarray(votes))
    assert by_votes.history_[-1] == pytest.approx(by_labels.history_[-1], abs=1e-5)
    np.testing.assert_allclose(by_votes.coef_, by_labels.coef_, atol=2e-3)
    matrix = by_labels.channel_.matrix_
    np.testing.assert_allclose(by_votes.channel_.matrices_[0], matrix, atol=1e-3)


def test_annotators_who_do_not_err_combine_their_votes():
    # With identity matrices the weights of the votes are those of their conjunction: the classes
    # in every set that was answered.
    votes, _ = odd_votes(unsure="abstain", confidence=False)
    channel = bound_to(votes)
    with np.errstate(divide="ignore"):
        table = channel.likelihoods(np.repeat(np.eye(3)[None], 3, axis=0))
        found = np.exp(as_evidence(votes).log_weights(table))
    allowed = np.ones(votes.shape)
    for v, i in enumerate(votes.item_codes):
        allowed[i] *= votes.answer_sets[votes.label_codes[v]]
    np.testing.assert_array_equal(found, allowed)
    possible = np.flatnonzero(allowed.any(axis=1))
    pooled_by_rule = SoftLabels.from_votes(votes[possible], "dempster").plausibilities
    np.testing.assert_array_equal(found[possible], pooled_by_rule)


# ---------------------------------------------------------------------------------- recovery


@pytest.mark.parametrize("kind", KINDS)
def test_each_form_recovers_its_own(kind):
    rng = np.random.default_rng(9)
    truth = rng.choice(3, 3000, p=[0.5, 0.3, 0.2])
    X = rng.normal(size=(3000, 2)) + 2.0 * np.array([[0, 0], [1, 0], [0, 1]])[truth]
    matrices = some_matrices(5, 3, rng)
    if kind == "one_coin":
        skill = rng.uniform(0.5, 0.9, 5)[:, None, None]
        matrices = np.eye(3) * skill + (1 - np.eye(3)) * (1 - skill) / 2
    if kind == "shared":
        matrices = np.repeat(matrices[:1], 5, axis=0)
    votes = vote(truth, matrices, rng, answered=0.7)
    model = LinearDiscriminantAnalysis(channel=AnnotatorNoise(kind)).fit(X, votes)
    atol = {"full": 0.08, "one_coin": 0.03, "shared": 0.04}[kind]
    np.testing.assert_allclose(model.channel_.matrices_, matrices, atol=atol)


def test_sets_carry_what_they_say():
    # Annotators with an inner answer name a second class half of the time: the inner matrices,
    # not the sets, are what is learned.
    rng = np.random.default_rng(10)
    truth = rng.integers(0, 3, 3000)
    matrices = some_matrices(4, 3, rng)
    inner = vote(truth, matrices, rng, answered=0.8)
    said = [
        {int(k), int((k + 1) % 3)}
        if u < 0.25
        else {int(k), int((k + 2) % 3)}
        if u < 0.5
        else int(k)
        for k, u in zip(inner.label_codes, rng.random(len(inner.label_codes)), strict=True)
    ]
    table = {"i": inner.item_codes, "a": inner.annotator_codes, "l": said}
    votes = Votes(table, "i", "a", "l", items=range(3000))
    model = DawidSkene(max_iter=2000).fit(votes)
    np.testing.assert_allclose(model.matrices_, matrices, atol=0.12)
    assert np.mean(model.predict(votes) == truth) > 0.8


# --------------------------------------------------------------------------------- warm start


def longer(seed=11, n=1000, more=20):
    """Return a crowd's first votes, and all of them: new items, and an annotator of these."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n + more)
    X = rng.normal(size=(n + more, 2)) + 1.5 * np.array([[0, 0], [1, 0], [0, 1]])[truth]
    matrices = some_matrices(6, 3, rng)
    votes = vote(truth, matrices, rng, answered=0.5)
    old = (votes.item_codes < n) & (votes.annotator_codes < 5)
    kept = old | (votes.item_codes >= n)

    def table(chosen, size):
        return Votes(
            {
                "i": votes.item_codes[chosen],
                "a": votes.annotators[votes.annotator_codes[chosen]],
                "l": votes.label_codes[chosen],
            },
            "i",
            "a",
            "l",
            items=range(size),
            classes=range(3),
        )

    return X, truth, table(old, n), table(kept, n + more)


@pytest.mark.parametrize(("kind", "pooling"), SETTINGS)
def test_new_votes_are_added_without_starting_again(kind, pooling):
    _, _, old, new = longer()
    cold = DawidSkene(kind=kind, pooling=pooling).fit(new)
    warm = DawidSkene(kind=kind, pooling=pooling, warm_start=True).fit(old).fit(new)
    assert warm.n_iter_ <= 0.6 * cold.n_iter_
    # The same maximum, as nearly as `tol` finds it.
    assert warm.history_[-1] == pytest.approx(cold.history_[-1], abs=5e-3)
    np.testing.assert_allclose(warm.matrices_, cold.matrices_, atol=5e-3)
    # Where nothing is new there is nothing to do.
    warm.fit(new)
    assert warm.n_iter_ <= 3


def test_new_annotators_start_from_the_pooled_matrix():
    _, _, old, new = longer()
    fitted = DawidSkene().fit(old).channel_
    start = fitted.bind(3, as_evidence(new)).start()
    np.testing.assert_array_equal(start[:5], fitted.matrices_)
    np.testing.assert_array_equal(start[5], fitted.pooled_matrix_)
    other = odd_votes(unsure="answer", sets=False)[0]
    np.testing.assert_allclose(fitted.bind(3, as_evidence(other)).start()[:, 0, 0], 0.8)


@pytest.mark.parametrize("kind", KINDS)
def test_a_start_has_the_form_that_is_fitted(kind):
    _, _, old, _ = longer()
    learned = DawidSkene().fit(old).channel_
    start = learned.set_params(kind=kind).bind(3, as_evidence(old)).start()
    right = learned.matrices_[:, [0, 1, 2], [0, 1, 2]].mean(axis=1)
    if kind == "full":
        np.testing.assert_array_equal(start, learned.matrices_)
    if kind == "one_coin":
        np.testing.assert_allclose(start[:, 1, 1], right)
        np.testing.assert_allclose(start[:, 1, 2], (1 - right) / 2)
    if kind == "shared":
        np.testing.assert_allclose(start[3], learned.matrices_.mean(axis=0))


def test_a_warm_start_is_cold_where_it_cannot_be_warm():
    _, _, old, new = longer()
    model = DawidSkene(warm_start=True).fit(odd_votes()[0])
    cold = DawidSkene().fit(old)
    model.fit(old)
    np.testing.assert_array_equal(model.matrices_, cold.matrices_)
    # Without warm_start a second fit knows nothing of the first.
    again = DawidSkene().fit(new).fit(old)
    np.testing.assert_array_equal(again.matrices_, cold.matrices_)


@pytest.mark.parametrize("name", ["lda", "qda", "lbfgs", "em"])
def test_a_fitted_channel_is_a_start_for_models_with_features(name):
    from sklearn.base import clone

    X, _, old, new = longer()
    model = clone(ESTIMATORS[name]).set_params(channel=AnnotatorNoise())
    if "max_iter" in model.get_params():
        model.set_params(max_iter=3000)
    first = clone(model).fit(X[:1000], old)
    cold = clone(model).fit(X, new)
    warm = clone(model).set_params(channel=first.channel_).fit(X, new)
    if name in ("lda", "qda"):
        assert warm.n_iter_ < cold.n_iter_
    assert warm.history_[-1] == pytest.approx(cold.history_[-1], abs=1e-2)
    np.testing.assert_allclose(warm.channel_.matrices_, cold.channel_.matrices_, atol=0.02)
    # clone forgets what a channel has learned.
    fresh = clone(warm).fit(X, new)
    assert fresh.n_iter_ == cold.n_iter_


@pytest.mark.parametrize("kind", ["full", "symmetric"])
def test_a_fitted_flip_noise_is_a_start_too(kind):
    X, truth, _, _ = longer()
    rng = np.random.default_rng(12)
    seen = np.where(rng.random(len(truth)) < 0.25, rng.integers(0, 3, len(truth)), truth)
    cold = LinearDiscriminantAnalysis(channel=FlipNoise(kind)).fit(X, seen)
    start = cold.channel_.bind(3, evidence_of(read_target(seen))).start()
    np.testing.assert_allclose(start, cold.channel_.matrix_, rtol=1e-12)
    warm = LinearDiscriminantAnalysis(channel=cold.channel_).fit(X, seen)
    assert warm.history_[-1] == pytest.approx(cold.history_[-1], abs=0.05)
    np.testing.assert_allclose(warm.channel_.matrix_, cold.channel_.matrix_, atol=1e-2)
    other = cold.channel_.bind(2, evidence_of(read_target([0, 1]))).start()
    np.testing.assert_allclose(other, [[0.8, 0.2], [0.2, 0.8]])


# ------------------------------------------------------------------------------------ refusals


@pytest.mark.parametrize(
    ("channel", "message"),
    [
        (AnnotatorNoise("half"), "kind must be one of"),
        (AnnotatorNoise(pooling=-1), "pooling must be a number"),
        (AnnotatorNoise(pooling="much"), "pooling must be a number"),
        (AnnotatorNoise(pooling=np.inf), "pooling must be a number"),
    ],
)
def test_settings_refused(channel, message):
    X, _, _, votes = crowd()
    with pytest.raises(ValueError, match=message):
        LinearDiscriminantAnalysis(channel=channel).fit(X, votes)


@pytest.mark.parametrize("kind", KINDS)
def test_degenerate_crowds_give_numbers(kind):
    one = Votes({"i": [0, 1], "a": ["x", "y"], "l": [0, 0]}, "i", "a", "l")
    none = Votes({"i": [], "a": [], "l": []}, "i", "a", "l", items=range(3), classes=[0, 1])
    mute = Votes({"i": [0], "a": ["x"], "l": [None]}, "i", "a", "l", classes=[0, 1])
    for votes in (one, none, mute):
        for acceleration in (None, "squarem"):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                model = DawidSkene(kind=kind, acceleration=acceleration).fit(votes)
            assert np.all(np.isfinite(model.probabilities_))
            assert np.all(np.isfinite(model.matrices_))
            assert model.channel_.pooled_matrix_.shape == votes.shape[1:] * 2


def test_weights_of_zero_are_votes_not_cast():
    _, _, _, votes = crowd(seed=13)
    weights = np.ones(len(votes))
    weights[: len(votes) // 2] = 0
    half = votes[len(votes) // 2 :]
    weighted, cut = DawidSkene().fit(votes, weights), DawidSkene().fit(half)
    np.testing.assert_allclose(weighted.matrices_, cut.matrices_, atol=1e-10)
    assert len(weighted.probabilities_) == len(votes)


def test_counts_are_shared_as_the_tables_are_laid():
    _, _, matrices, votes = crowd(seed=14)
    posterior = np.random.default_rng(14).dirichlet(np.ones(3), len(votes))
    channel, evidence = bound_to(votes), as_evidence(votes)
    likelihoods = channel.likelihoods(matrices)
    found = evidence.counts(posterior, likelihoods)
    np.testing.assert_allclose(found, as_table(vote_counts(votes, posterior)))
