from __future__ import annotations

import warnings
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, cross_validate
from tests.channels.crowds import some_matrices, vote, vote_counts, vote_log_weights

from labelief import (
    AnnotatorNoise,
    DawidSkene,
    FlipNoise,
    GenerativeClassifier,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    MixtureDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
    SoftLabels,
    Votes,
)
from labelief.blocks import ArrayBlocks
from labelief.blocks.evidence import Likelihoods
from labelief.channels.answer_symbols import as_table
from labelief.densities import (
    DiagonalGaussian,
    FullGaussian,
    SphericalGaussian,
    TiedGaussian,
    Weibull,
)
from labelief.estimators.validation import evidence_of
from labelief.labels import read_target
from labelief.metrics import label_log_loss_scorer
from labelief.model_selection import SoftStratifiedKFold
from labelief.models import Featureless
from labelief.solvers import Parameters, Problem, climb

DENSITIES = [TiedGaussian, FullGaussian, DiagonalGaussian, SphericalGaussian, Weibull]


def as_evidence(votes):
    return evidence_of(read_target(votes))


def bound_to(votes, kind="full", pooling=0):
    return AnnotatorNoise(kind, pooling).bind(len(votes.classes), as_evidence(votes))


def crowd(n=80, n_annotators=4, n_classes=3, answered=0.6, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, n_classes, n)
    matrices = some_matrices(n_annotators, n_classes, rng)
    centers = np.array([[2.0, 2.0], [5.0, 2.5], [3.0, 6.0]])[:n_classes]
    X = np.exp(np.log(centers)[truth] + rng.normal(0, 0.2, (n, 2)))
    return X, truth, matrices, vote(truth, matrices, rng, answered)


@pytest.fixture
def odd_votes():
    """Votes with confidences, repeated ones, an answer "unsure" and an item without any."""
    rng = np.random.default_rng(5)
    table = {
        "i": rng.integers(0, 9, 60),
        "a": rng.choice(["ann", "bob", "cat"], 60),
        "l": rng.choice(["x", "y", "z", "unsure"], 60),
        "c": rng.random(60),
    }
    return Votes(table, "i", "a", "l", "c", items=range(10), unsure="answer")


# ------------------------------------------------------------------------ the bound channel


def test_start_is_near_the_identity(odd_votes):
    channel = bound_to(odd_votes)
    start = channel.start()
    assert start.shape == (3, 3, 4)
    np.testing.assert_allclose(start.sum(axis=2), 1.0)
    np.testing.assert_allclose(start[:, [0, 1, 2], [0, 1, 2]], 0.8)
    np.testing.assert_allclose(start[1, 2, [0, 1, 3]], 0.2 / 3)
    np.testing.assert_array_equal(
        channel.first_look().log_table, channel.likelihoods(start).log_table
    )
    np.testing.assert_array_equal(channel.pseudo_counts[0], [1.0, 0.1, 0.1, 0.1])
    assert channel.n_parameters() == 3 * 3 * 3


def test_weights_and_counts_by_brute_force(odd_votes):
    rng = np.random.default_rng(1)
    channel, evidence = bound_to(odd_votes), as_evidence(odd_votes)
    matrices = rng.dirichlet(np.ones(4), (3, 3))
    likelihoods = channel.likelihoods(matrices)
    np.testing.assert_allclose(
        evidence.log_weights(likelihoods), vote_log_weights(odd_votes, matrices), atol=1e-12
    )
    posterior = rng.dirichlet(np.ones(3), 10)
    counts = evidence.counts(posterior, likelihoods)
    expected = vote_counts(odd_votes, posterior)
    np.testing.assert_allclose(counts, as_table(expected), atol=1e-12)
    total = expected + channel.pseudo_counts
    np.testing.assert_allclose(
        channel.maximise(counts, matrices), total / total.sum(axis=2, keepdims=True)
    )


def test_the_m_step_beats_its_neighbours(odd_votes):
    rng = np.random.default_rng(2)
    channel = bound_to(odd_votes)
    counts = rng.gamma(1.0, 1.0, (3, 12))

    def expected_objective(matrices):
        log_table = channel.likelihoods(matrices).log_table
        return np.sum(counts * log_table) + channel.log_prior(matrices)

    best = channel.maximise(counts, channel.start())
    vector = channel.to_vector(best)
    for scale in (1e-3, 1e-1, 1.0):
        other = channel.from_vector(vector + scale * rng.normal(size=vector.shape))
        assert expected_objective(other) < expected_objective(best)
    np.testing.assert_allclose(channel.gradient(counts, best), 0.0, atol=1e-9)


def test_gradient_is_the_numerical_derivative(odd_votes):
    rng = np.random.default_rng(3)
    channel = bound_to(odd_votes)
    counts = rng.gamma(1.0, 1.0, (3, 12))
    vector = rng.normal(size=36)

    def expected_objective(v):
        matrices = channel.from_vector(v)
        log_table = channel.likelihoods(matrices).log_table
        return np.sum(counts * log_table) + channel.log_prior(matrices)

    gradient = channel.gradient(counts, channel.from_vector(vector))
    for p in range(36):
        step = 1e-6 * (np.arange(36) == p)
        slope = (expected_objective(vector + step) - expected_objective(vector - step)) / 2e-6
        assert gradient[p] == pytest.approx(slope, abs=1e-6)


@given(st.integers(1, 4), st.integers(1, 4), st.integers(0, 2**31))
def test_vectors_are_coordinates(n_classes, n_annotators, seed):
    rng = np.random.default_rng(seed)
    votes = vote(
        np.zeros(3, int), np.full((n_annotators, n_classes, n_classes), 1 / n_classes), rng
    )
    channel = bound_to(votes)
    matrices = rng.dirichlet(np.ones(n_classes), (n_annotators, n_classes))
    back = channel.from_vector(channel.to_vector(matrices))
    np.testing.assert_allclose(back, matrices, rtol=1e-10)
    shifted = channel.to_vector(matrices).reshape(matrices.shape) + rng.normal(
        size=(n_annotators, n_classes, 1)
    )
    np.testing.assert_allclose(channel.from_vector(shifted.ravel()), matrices, rtol=1e-10)
    far = channel.from_vector(1e4 * rng.normal(size=matrices.size))
    assert np.all(far > 0) and np.isfinite(channel.log_prior(far))


@given(st.integers(0, 2**31))
def test_names_are_the_best_permutation(seed):
    rng = np.random.default_rng(seed)
    K = 4
    votes = vote(np.arange(K), some_matrices(3, K, rng), rng)
    channel = bound_to(votes)
    expected = rng.gamma(0.5, 1.0, (3, K, K))
    sizes = rng.integers(1, 3, K)
    names = channel.naming(as_table(expected), sizes)
    agreement = expected.sum(axis=0)
    allowed = [p for p in permutations(range(K)) if all(sizes[list(p)] == sizes)]
    values = [agreement[range(K), p].sum() for p in allowed]
    chosen = tuple(range(K)) if names is None else tuple(names.tolist())
    assert chosen in allowed
    assert agreement[range(K), chosen].sum() == pytest.approx(max(values))
    if names is None:
        return
    # Latent class k, by its new name, calls things as it did before.
    renamed = channel.renamed(expected, names)
    for k in range(K):
        np.testing.assert_array_equal(renamed[:, names[k]], expected[:, k])
    assert channel.naming(as_table(renamed), sizes) is None


def test_votes_of_other_rows_are_aligned_by_name():
    rng = np.random.default_rng(4)
    votes = vote(np.arange(3), some_matrices(3, 3, rng), rng)
    channel = bound_to(votes)
    matrices = some_matrices(3, 3, rng)
    table = {"i": [0, 0, 1], "a": ["a02", "a00", "a02"], "l": [1, 2, 0]}
    other = Votes(table, "i", "a", "l", classes=range(3))
    aligned = channel.aligned(as_evidence(other))
    np.testing.assert_array_equal(aligned.annotators, votes.annotators)
    np.testing.assert_allclose(
        aligned.log_weights(channel.likelihoods(matrices)),
        vote_log_weights(other, matrices[[0, 2]]),
        atol=1e-12,
    )
    same = channel.aligned(as_evidence(votes))
    np.testing.assert_array_equal(same.votes.toarray(), votes.indicator().toarray())


def test_strangers_are_refused_where_they_vote():
    votes = Votes({"i": [0, 1], "a": ["x", "y"], "l": [0, 1]}, "i", "a", "l")
    channel = bound_to(votes)
    table = {"i": [0, 1, 1], "a": ["y", "x", "z"], "l": [0, 1, 1]}
    other = Votes(table, "i", "a", "l")
    with pytest.raises(ValueError, match=r"Row 1 .*annotator 'z'"):
        channel.aligned(as_evidence(other))
    assert channel.aligned(as_evidence(other[:1])).votes.shape == (1, 4)
    said = {**table, "a": ["y", "x", "x"], "l": ["0", "1", "unsure"]}
    vague = Votes(said, "i", "a", "l", unsure="answer")
    known = Votes({"i": [0, 1], "a": ["x", "y"], "l": ["0", "1"]}, "i", "a", "l")
    with pytest.raises(ValueError, match=r"Row 1 .*answer 'unsure'"):
        bound_to(known).aligned(as_evidence(vague))
    assert bound_to(vague).aligned(as_evidence(known)).votes.shape == (2, 6)


def test_equal_skill_is_dempsters_rule_on_discounted_votes():
    # A vote that is right with chance 1 - e has the contour (1, e / ((K - 1)(1 - e)), ...): that of
    # a vote discounted by the second number, and contours multiply under Dempster's rule.
    X, _, _, votes = crowd(seed=6)
    K, wrong = 3, 0.3
    matrices = np.full((4, K, K), wrong / (K - 1))
    matrices[:, range(K), range(K)] = 1 - wrong
    log_weights = as_evidence(votes).log_weights(bound_to(votes).likelihoods(matrices))
    discount = wrong / ((K - 1) * (1 - wrong))
    pooled = np.log(SoftLabels.from_votes(votes, "dempster", discount=discount).plausibilities)
    difference = log_weights - pooled
    np.testing.assert_allclose(difference, difference[:, :1] * np.ones(K), atol=1e-10)
    assert len(X) == len(votes)


# ------------------------------------------------------------------------------ with features


def climbs(model):
    history = np.array(model.history_)
    return np.all(np.diff(history) >= -1e-12 * (np.abs(history[1:]) + 100))


@pytest.mark.parametrize("acceleration", [None, "squarem"])
@pytest.mark.parametrize("density", DENSITIES)
@pytest.mark.parametrize("n_components", [1, 2])
def test_objective_never_falls(density, acceleration, n_components):
    X, _, _, votes = crowd(seed=7)
    model = GenerativeClassifier(
        density(),
        n_components,
        channel=AnnotatorNoise(),
        acceleration=acceleration,
        max_iter=15,
        tol=0.0,
        ridge=1e-3,
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, votes)
    assert not any("objective fell" in str(w.message) for w in caught)
    assert climbs(model)
    assert model.history_[-1] > model.history_[0]


def brute_log_joint(model, X, votes):
    """Return ``log π_k f_k(x_i) Π_a γ_a(v_ia | k)`` of a classifier with one Gaussian per class."""
    from scipy.stats import multivariate_normal

    density = [
        multivariate_normal(mean, covariance).logpdf(X)
        for mean, covariance in zip(model.means_, model.covariances_, strict=True)
    ]
    return (
        np.log(model.priors_)
        + np.array(density).T
        + vote_log_weights(votes, model.channel_.matrices_)
    )


@pytest.mark.parametrize("estimator", [LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis])
def test_likelihood_and_posterior_by_brute_force(estimator):
    X, _, _, votes = crowd(seed=8)
    model = estimator(channel=AnnotatorNoise()).fit(X, votes)
    joint = brute_log_joint(model, X, votes)
    evidence = np.logaddexp.reduce(joint, axis=1)
    assert model.log_likelihood_ == pytest.approx(evidence.sum(), rel=1e-10)
    assert model.log_likelihood(X, votes) == pytest.approx(evidence.sum(), rel=1e-10)
    np.testing.assert_allclose(
        model.posterior(X, votes), np.exp(joint - evidence[:, None]), atol=1e-9
    )
    foretold = model.label_log_likelihood(X, votes)
    np.testing.assert_allclose(foretold, evidence - model.score_samples(X), atol=1e-8)
    # The prior's pseudo-counts are in the objective.
    low = estimator(channel=AnnotatorNoise(pooling=0), ridge=0.0).fit(X, votes)
    log_prior = np.sum((0.1 + 0.9 * np.eye(3)) * np.log(low.channel_.matrices_))
    assert low.history_[-1] == pytest.approx(low.log_likelihood_ + log_prior, rel=1e-10)
    n_parameters = 2 + 6 + (3 if estimator is LinearDiscriminantAnalysis else 9) + 4 * 3 * 2
    assert model.bic(X, votes) == pytest.approx(
        -2 * evidence.sum() + n_parameters * np.log(len(X)), rel=1e-10
    )


def test_parameters_are_a_fixed_point():
    X, _, _, votes = crowd(seed=9)
    model = LinearDiscriminantAnalysis(
        channel=AnnotatorNoise(pooling=0), tol=1e-13, max_iter=5000, ridge=0.0
    ).fit(X, votes)
    posterior = model.posterior(X, votes)
    counts = vote_counts(votes, posterior) + 0.1 + 0.9 * np.eye(3)
    expected = counts / counts.sum(axis=2, keepdims=True)
    np.testing.assert_allclose(model.channel_.matrices_, expected, atol=1e-5)
    np.testing.assert_allclose(model.priors_, posterior.mean(axis=0), atol=1e-5)


@pytest.mark.parametrize("estimator", [LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis])
def test_one_annotator_who_answers_all_is_flip_noise(estimator):
    X, truth, _, _ = crowd(n=200, seed=10)
    rng = np.random.default_rng(10)
    votes = vote(truth, some_matrices(1, 3, rng), rng)
    labels = votes.classes[votes.label_codes]
    settings = {"tol": 1e-14, "max_iter": 5000}
    by_votes = estimator(channel=AnnotatorNoise(), **settings).fit(X, votes)
    by_labels = estimator(channel=FlipNoise(), **settings).fit(X, labels)
    assert by_votes.log_likelihood_ == pytest.approx(by_labels.log_likelihood_, abs=1e-6)
    assert by_votes.history_[-1] == pytest.approx(by_labels.history_[-1], abs=1e-7)
    np.testing.assert_allclose(
        by_votes.channel_.matrices_[0], by_labels.channel_.matrix_, atol=1e-4
    )
    np.testing.assert_allclose(by_votes.means_, by_labels.means_, atol=1e-4)
    assert by_votes.bic(X, votes) == pytest.approx(by_labels.bic(X, labels), abs=1e-5)


def test_annotators_who_never_err_are_taken_at_their_word():
    X, truth, _, _ = crowd(n=300, seed=11)
    rng = np.random.default_rng(11)
    votes = vote(truth, np.repeat(np.eye(3)[None], 5, axis=0), rng, answered=0.8)
    model = LinearDiscriminantAnalysis(channel=AnnotatorNoise()).fit(X, votes)
    told = np.diff(votes.indptr) > 0
    trusted = LinearDiscriminantAnalysis().fit(X, np.where(told, truth, None))
    assert np.all(model.channel_.matrices_[:, range(3), range(3)] > 0.99)
    np.testing.assert_allclose(model.means_, trusted.means_, atol=2e-3)
    np.testing.assert_allclose(model.predict_proba(X), trusted.predict_proba(X), atol=5e-3)


@pytest.mark.parametrize("weighted", [False, True])
def test_matrices_are_recovered(weighted):
    rng = np.random.default_rng(12)
    n, K = 4000, 3
    truth = rng.choice(K, n, p=[0.5, 0.3, 0.2])
    X = rng.normal(size=(n, 2)) + 2.0 * np.array([[0, 0], [1, 0], [0, 1]])[truth]
    matrices = some_matrices(6, K, rng)
    votes = vote(truth, matrices, rng, answered=0.7)
    weights = rng.integers(1, 3, n) if weighted else None
    model = LinearDiscriminantAnalysis(channel=AnnotatorNoise()).fit(X, votes, weights)
    np.testing.assert_allclose(model.channel_.matrices_, matrices, atol=0.08)
    np.testing.assert_allclose(model.priors_, [0.5, 0.3, 0.2], atol=0.03)
    # The crowd is better told by the posterior than by its majority.
    majority = votes.counts.argmax(axis=1)
    posterior = model.posterior(X, votes).argmax(axis=1)
    assert np.mean(posterior == truth) > np.mean(majority == truth) + 0.03


def test_liars_are_found_out():
    # Three in five annotators swap two classes some of the time, one always.
    rng = np.random.default_rng(13)
    truth = rng.integers(0, 2, 600)
    X = rng.normal(size=(600, 2)) + 3.0 * truth[:, None]
    skills = [0.9, 0.8, 0.7, 0.6, 0.05]
    matrices = np.array([[[s, 1 - s], [1 - s, s]] for s in skills])
    votes = vote(truth, matrices, rng, answered=0.8)
    model = LinearDiscriminantAnalysis(channel=AnnotatorNoise()).fit(X, votes)
    np.testing.assert_allclose(
        model.channel_.matrices_[:, [0, 1], [0, 1]].mean(axis=1), skills, atol=0.06
    )
    assert model.score(X, truth) > 0.97


def test_a_crowd_that_mostly_errs_earns_a_warning():
    rng = np.random.default_rng(14)
    truth = np.repeat([0, 1, 2], [300, 300, 60])
    X = rng.normal(size=(660, 2)) + 6.0 * np.array([[0, 0], [1, 0], [0, 1]])[truth]
    # Class 2 is called 1 more often than 2.
    matrices = np.repeat([[[0.9, 0.1, 0.0], [0.1, 0.9, 0.0], [0.0, 0.7, 0.3]]], 4, axis=0)
    votes = vote(truth, matrices, rng)
    with pytest.warns(UserWarning, match="average annotator calls true class 2"):
        LinearDiscriminantAnalysis(channel=AnnotatorNoise()).fit(X, votes)


def test_classes_bear_the_names_that_votes_give_them():
    rng = np.random.default_rng(15)
    truth = rng.choice(3, 2000, p=[0.6, 0.3, 0.1])
    matrices = some_matrices(4, 3, rng)
    votes = vote(truth, matrices, rng)
    channel, model = bound_to(votes), Featureless(3)
    problem = Problem(ArrayBlocks(np.empty((2000, 0)), as_evidence(votes)), model, channel, 3)
    # Start at the truth under other names: class 0 is called 2, 1 is called 0, 2 is called 1.
    wrong = np.array([2, 0, 1])
    start = Parameters(
        model.renamed(np.array([0.6, 0.3, 0.1]), wrong), channel.renamed(matrices, wrong)
    )
    limits = DawidSkene()
    left = climb(problem, start, limits, np.ones(3, int), named=True).evaluation
    np.testing.assert_allclose(left.parameters.model, [0.3, 0.1, 0.6], atol=0.06)
    found = climb(problem, start, limits, np.ones(3, int), named=False).evaluation
    np.testing.assert_allclose(found.parameters.model, [0.6, 0.3, 0.1], atol=0.06)
    np.testing.assert_allclose(found.parameters.channel, matrices, atol=0.12)
    # Classes of unequal sizes keep their names.
    sizes = climb(problem, start, limits, np.arange(3), named=False).evaluation
    np.testing.assert_allclose(sizes.parameters.model, left.parameters.model, atol=1e-9)


def test_weight_two_is_a_row_twice_and_weight_zero_none():
    X, _, _, votes = crowd(n=120, seed=16)
    weights = np.random.default_rng(16).integers(0, 3, len(X))
    rows = np.repeat(np.arange(len(X)), weights)
    settings = {"channel": AnnotatorNoise(), "tol": 1e-10, "max_iter": 2000}
    weighted = QuadraticDiscriminantAnalysis(**settings).fit(X, votes, weights)
    repeated = QuadraticDiscriminantAnalysis(**settings).fit(X[rows], votes[rows])
    np.testing.assert_allclose(weighted.channel_.matrices_, repeated.channel_.matrices_, atol=1e-8)
    np.testing.assert_allclose(weighted.covariances_, repeated.covariances_, atol=1e-8)


def test_order_and_names_do_not_matter():
    X, _, _, votes = crowd(seed=17)
    model = LinearDiscriminantAnalysis(channel=AnnotatorNoise()).fit(X, votes)
    order = np.random.default_rng(17).permutation(len(X))
    shuffled = clone(model).fit(X[order], votes[order])
    np.testing.assert_allclose(shuffled.channel_.matrices_, model.channel_.matrices_, atol=1e-8)
    table = {
        "i": votes.item_codes,
        "a": np.array(["d", "c", "b", "a"])[votes.annotator_codes],
        "l": np.array(["z", "y", "x"])[votes.label_codes],
    }
    renamed = clone(model).fit(X, Votes(table, "i", "a", "l", items=range(len(X))))
    assert renamed.classes_.tolist() == ["x", "y", "z"]
    assert renamed.channel_.annotators_.tolist() == ["a", "b", "c", "d"]
    np.testing.assert_allclose(
        renamed.channel_.matrices_, model.channel_.matrices_[::-1, ::-1, ::-1], atol=1e-6
    )
    np.testing.assert_allclose(renamed.means_, model.means_[::-1], atol=1e-6)


def test_classes_nobody_voted_for_may_exist():
    X, _, _, votes = crowd(seed=18)
    names = Votes(
        {"i": votes.item_codes, "a": votes.annotator_codes, "l": votes.label_codes},
        "i",
        "a",
        "l",
        items=range(len(X)),
    )
    model = LinearDiscriminantAnalysis(channel=AnnotatorNoise(), classes=[4, 2, 1, 0])
    model.fit(X, names)
    assert model.classes_.tolist() == [0, 1, 2, 4]
    assert model.channel_.matrices_.shape == (4, 4, 4)
    assert model.channel_.answers_.tolist() == [0, 1, 2, 4]
    assert np.all(np.isfinite(model.predict_proba(X)))


def test_unsure_may_tell_the_class():
    # Annotators are unsure about class 1 mostly.
    rng = np.random.default_rng(19)
    truth = np.repeat([0, 1], 300)
    X = rng.normal(size=(600, 1)) + 2.0 * truth[:, None]
    says = np.where(rng.random((600, 2)) < 0.6 * truth[:, None], "unsure", "")
    right = np.where(rng.random((600, 2)) < 0.9, truth[:, None], 1 - truth[:, None])
    says = np.where(says == "", right.astype(str), says)
    table = {"i": np.repeat(np.arange(600), 2), "a": ["x", "y"] * 600, "l": says.ravel()}
    votes = Votes(table, "i", "a", "l", unsure="answer")
    channel = LinearDiscriminantAnalysis(channel=AnnotatorNoise()).fit(X, votes).channel_
    assert channel.answers_.tolist() == ["0", "1", "unsure"]
    expected = [[0.9, 0.1, 0.0], [0.04, 0.36, 0.6]]
    np.testing.assert_allclose(channel.matrices_[0], expected, atol=0.07)


def test_items_without_votes_are_unlabelled():
    X, truth, _, votes = crowd(n=200, seed=20)
    silent = Votes(
        {
            "i": votes.item_codes[votes.item_codes < 60],
            "a": votes.annotator_codes[votes.item_codes < 60],
            "l": votes.label_codes[votes.item_codes < 60],
        },
        "i",
        "a",
        "l",
        items=range(200),
    )
    model = LinearDiscriminantAnalysis(channel=AnnotatorNoise()).fit(X, silent)
    assert model.score(X, truth) > 0.95
    np.testing.assert_allclose(
        model.posterior(X, silent)[100:], model.predict_proba(X)[100:], atol=1e-12
    )


def test_mixtures_learn_from_a_crowd():
    rng = np.random.default_rng(21)
    corner = rng.integers(0, 4, 600)
    truth = np.array([0, 1, 1, 0])[corner]
    X = rng.normal(size=(600, 2)) + 6.0 * np.stack([corner // 2, corner % 2], axis=1)
    matrices = some_matrices(5, 2, rng)
    model = MixtureDiscriminantAnalysis(2, channel=AnnotatorNoise())
    model.fit(X, vote(truth, matrices, rng, answered=0.7))
    assert model.score(X, truth) > 0.97
    np.testing.assert_allclose(model.channel_.matrices_, matrices, atol=0.12)


@pytest.mark.parametrize("solver", ["lbfgs", "newton", "em"])
def test_logistic_regression_learns_from_a_crowd(solver):
    rng = np.random.default_rng(25)
    X = rng.normal(size=(1500, 2))
    scores = X @ np.array([[3.0, 0.0, -3.0], [0.0, 3.0, -1.0]]) + rng.gumbel(size=(1500, 3))
    truth = scores.argmax(axis=1)
    matrices = some_matrices(5, 3, rng)
    votes = vote(truth, matrices, rng, answered=0.6)
    model = LogisticRegression(channel=AnnotatorNoise(pooling=0), solver=solver).fit(X, votes)
    assert model.converged_
    assert climbs(model)
    joint = np.log(model.predict_proba(X)) + vote_log_weights(votes, model.channel_.matrices_)
    log_evidence = np.logaddexp.reduce(joint, axis=1)
    assert model.log_likelihood_ == pytest.approx(log_evidence.sum(), rel=1e-9)
    posterior = np.exp(joint - log_evidence[:, None])
    np.testing.assert_allclose(model.posterior(X, votes), posterior, atol=1e-9)
    # Stationary: of the matrices under their prior, and of the coefficients under theirs.
    counts = vote_counts(votes, posterior) + 0.1 + 0.9 * np.eye(3)
    expected = counts / counts.sum(axis=2, keepdims=True)
    np.testing.assert_allclose(model.channel_.matrices_, expected, atol=1e-3)
    slope = (posterior - model.predict_proba(X)).T @ X - model.coef_
    np.testing.assert_allclose(slope / len(X), 0.0, atol=2e-6)
    np.testing.assert_allclose(model.channel_.matrices_, matrices, atol=0.12)
    by_truth = LogisticRegression().fit(X, truth)
    assert model.score(X, truth) > by_truth.score(X, truth) - 0.01


def test_folds_searches_and_scorers_take_votes():
    X, _, _, votes = crowd(n=150, seed=22)
    model = LinearDiscriminantAnalysis(channel=AnnotatorNoise())
    folds = cross_validate(
        model, X, votes, cv=SoftStratifiedKFold(3), scoring=label_log_loss_scorer
    )
    assert np.all(np.isfinite(folds["test_score"]))
    search = GridSearchCV(
        model, {"shrinkage": [None, 0.2]}, cv=3, scoring=label_log_loss_scorer
    ).fit(X, votes)
    assert np.isfinite(search.best_score_)


def test_what_does_not_fit_is_said():
    X, truth, _, votes = crowd()
    model = LinearDiscriminantAnalysis(channel=AnnotatorNoise()).fit(X, votes)
    with pytest.raises(ValueError, match="from_votes"):
        model.score(X, votes)
    with pytest.raises(ValueError, match="AnnotatorNoise reads votes, but y holds labels"):
        model.log_likelihood(X, truth)
    with pytest.raises(ValueError, match="AnnotatorNoise reads votes, but y holds labels"):
        clone(model).fit(X, truth)
    with pytest.raises(ValueError, match=r"Trusted reads labels.*AnnotatorNoise"):
        LinearDiscriminantAnalysis().fit(X, votes)
    with pytest.raises(ValueError, match="FlipNoise reads labels, but y holds votes"):
        LinearDiscriminantAnalysis(channel=FlipNoise()).fit(X, votes)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        clone(model).fit(X[:-1], votes)
    strangers = Votes({"i": [0], "a": ["zoe"], "l": [0]}, "i", "a", "l", classes=range(3))
    with pytest.raises(ValueError, match="'zoe'"):
        model.posterior(X[:1], strangers)


def test_the_channel_is_an_estimator():
    channel = AnnotatorNoise()
    assert clone(channel).get_params() == {"kind": "full", "pooling": 4.0}
    X, _, _, votes = crowd()
    LinearDiscriminantAnalysis(channel=channel).fit(X, votes)
    assert not hasattr(channel, "matrices_")


def test_sums_do_not_depend_on_blocks_or_threads():
    rng = np.random.default_rng(23)
    truth = rng.integers(0, 3, 2000)
    votes = vote(truth, some_matrices(4, 3, rng), rng, answered=0.5)
    evidence, channel, model = as_evidence(votes), bound_to(votes), Featureless(3)
    parameters = Parameters(np.array([0.5, 0.3, 0.2]), some_matrices(4, 3, rng))
    results = []
    for block_rows, n_threads in [(None, 1), (97, 1), (97, 2), (1, 1), (1024, 2)]:
        blocks = ArrayBlocks(
            np.empty((2000, 0)), evidence, block_rows=block_rows, n_threads=n_threads
        )
        results.append(Problem(blocks, model, channel, 3).evaluate(parameters))
    for result in results[1:]:
        assert result.log_likelihood == pytest.approx(results[0].log_likelihood, rel=1e-12)
        np.testing.assert_allclose(result.counts, results[0].counts, rtol=1e-12)
        np.testing.assert_allclose(result.record, results[0].record, rtol=1e-12)


def test_votes_on_another_array_library():
    strict = pytest.importorskip("array_api_strict")
    _, _, _, votes = crowd(seed=24)
    rng = np.random.default_rng(24)
    evidence, channel = as_evidence(votes), bound_to(votes)
    table = channel.likelihoods(some_matrices(4, 3, rng))
    posterior = rng.dirichlet(np.ones(3), len(votes))
    moved = evidence.moved(strict.asarray)
    there = Likelihoods(None, strict.asarray(table.log_table))
    np.testing.assert_allclose(
        np.asarray(moved.log_weights(there)), evidence.log_weights(table), atol=1e-12
    )
    np.testing.assert_allclose(
        np.asarray(moved.counts(strict.asarray(posterior), there)),
        evidence.counts(posterior, table),
        atol=1e-12,
    )


@pytest.mark.slow
def test_crowds_beat_majorities_over_many_draws():
    wins = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        truth = rng.integers(0, 3, 400)
        X = rng.normal(size=(400, 2)) + 1.5 * np.array([[0, 0], [1, 0], [0, 1]])[truth]
        votes = vote(truth, some_matrices(8, 3, rng), rng, answered=0.3)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            crowd_fit = LinearDiscriminantAnalysis(channel=AnnotatorNoise()).fit(X, votes)
            majority = LinearDiscriminantAnalysis().fit(X, votes.counts.argmax(axis=1))
        wins.append(crowd_fit.score(X, truth) - majority.score(X, truth))
    assert np.mean(wins) > 0
