from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.metrics import pairwise_distances
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks
from tests.neighbors import oracle

from labelief import EvidentialKNN, LinearDiscriminantAnalysis, SoftLabels, Votes

RNG = np.random.default_rng(0)
N, K = 24, 3
X = RNG.normal(size=(N, 2))
QUERIES = RNG.normal(size=(7, 2))
GAMMA = np.array([0.3, 1.0, 2.0])
IRIS, TRUTH = load_iris(return_X_y=True)


@parametrize_with_checks([EvidentialKNN(), EvidentialKNN(3, gamma="fit")])
def test_checks_of_scikit_learn(estimator, check):
    check(estimator)


# ------------------------------------------------------------------- against the definition


@pytest.mark.parametrize("k", [1, 4, 10])
@pytest.mark.parametrize("kind", oracle.KINDS)
def test_masses_are_those_of_dempsters_rule(kind, k):
    y, masses = oracle.make_labels(kind, N, K)
    model = EvidentialKNN(k, 0.9, GAMMA, classes=range(K)).fit(X, y)
    got, conflict = model.predict_mass(QUERIES), model.conflict(QUERIES)
    expected = oracle.evidential_knn(X, masses, QUERIES, k, 0.9, GAMMA)
    for i, mass in enumerate(expected):
        kappa = mass.pop(frozenset(), 0.0)
        assert conflict[i] == pytest.approx(kappa, abs=1e-12)
        ours = got.masses(i)
        for subset in mass.keys() | ours.keys():
            expected_mass = mass.get(subset, 0.0) / (1.0 - kappa)
            assert ours.get(subset, 0.0) == pytest.approx(expected_mass, abs=1e-12)
    betp = np.array([oracle.pignistic(mass, K) for mass in expected])
    np.testing.assert_allclose(model.predict_proba(QUERIES), betp, atol=1e-12)
    np.testing.assert_array_equal(model.predict(QUERIES), betp.argmax(axis=1))


@pytest.mark.parametrize("kind", oracle.KINDS)
def test_without_rows_each_is_left_out_of_its_own_neighbours(kind):
    y, masses = oracle.make_labels(kind, N, K, seed=1)
    model = EvidentialKNN(5, 0.9, GAMMA, classes=range(K)).fit(X, y)
    expected = oracle.evidential_knn(X, masses, X, 5, 0.9, GAMMA, left_out=True)
    betp = [oracle.pignistic(mass, K) for mass in expected]
    np.testing.assert_allclose(model.predict_proba(), betp, atol=1e-12)


def test_unnormalised_belief_in_a_class_has_the_closed_form():
    # bel(q) = (1 - Π_{i∈q} (1 - w_i)) Π_{i∉q} (1 - w_i): what EML-kNN has for one-hot labels
    codes = RNG.integers(K, size=N)
    model = EvidentialKNN(6, 0.8, 1.0, classes=range(K)).fit(X, codes)
    squared = pairwise_distances(QUERIES, X) ** 2
    near = np.argsort(squared, axis=1)[:, :6]
    rest = 1.0 - 0.8 * np.exp(-np.take_along_axis(squared, near, axis=1))
    agreement = 1.0 - model.conflict(QUERIES)
    for q in range(K):
        own = codes[near] == q
        closed = (1 - np.prod(rest, axis=1, where=own)) * np.prod(rest, axis=1, where=~own)
        ours = model.predict_mass(QUERIES).beliefs[:, q] * agreement
        np.testing.assert_allclose(ours, closed, atol=1e-14)


def test_forms_of_labels_agree():
    # the same labels as codes, as masses on single classes, and as sets
    codes = RNG.integers(K, size=N)
    crisp = EvidentialKNN().fit(X, codes)
    points = EvidentialKNN().fit(X, SoftLabels.from_probabilities(np.eye(K)[codes]))
    mixed = SoftLabels.concatenate(
        [
            SoftLabels.from_crisp(codes, range(K)),
            SoftLabels.from_candidates([{0, 1}], range(K)),
        ]
    )
    # a set far away makes the general way necessary, and changes nothing near
    general = EvidentialKNN(gamma=crisp.gamma_).fit(np.vstack([X, [[1e6, 0]]]), mixed)
    expected = crisp.predict_proba(QUERIES)
    np.testing.assert_allclose(points.predict_proba(QUERIES), expected, atol=1e-12)
    np.testing.assert_allclose(general.predict_proba(QUERIES), expected, atol=1e-12)


# ------------------------------------------------------------------- extremes


def test_hundreds_of_neighbours_that_agree_or_contradict_each_other():
    X = np.zeros((2000, 1))
    y = np.arange(2000) % 2
    model = EvidentialKNN(2000, 0.999).fit(X, y)
    np.testing.assert_allclose(model.predict_proba([[0.0]]), [[0.5, 0.5]])
    assert model.conflict([[0.0]]) == 1.0
    sets = SoftLabels.from_candidates([{0, 1}] * 1000 + [{1, 2}] * 1000, range(3))
    model = EvidentialKNN(2000, 0.999).fit(X, sets)
    np.testing.assert_allclose(model.predict_proba([[0.0]]), [[0.0, 1.0, 0.0]], atol=1e-12)


@pytest.mark.parametrize("kind", ["crisp", "probabilities", "candidates"])
def test_far_away_nothing_is_known_but_the_nearest_decides(kind):
    y, masses = oracle.make_labels(kind, N, K)
    far = 1e4 * np.array([[1.0, 0.3]])
    model = EvidentialKNN(1, classes=range(K)).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(far), 1.0 / K)
    nearest = ((X - far) ** 2).sum(axis=1).argmin()
    assert model.predict(far)[0] == oracle.pignistic(masses[nearest], K).argmax()


def test_fewer_rows_than_neighbours():
    model = EvidentialKNN(10).fit([[0.0], [1.0]], [0, 1])
    assert model.predict([[0.1], [0.9]]).tolist() == [0, 1]
    assert model.predict().tolist() == [1, 0]
    with pytest.raises(ValueError, match="1 sample"):
        EvidentialKNN().fit([[0.0]], [0]).predict()


def test_queries_in_pieces_are_the_same(monkeypatch):
    from labelief.neighbors import evidential_knn, label_masses

    model = EvidentialKNN(4).fit(IRIS, TRUTH)
    whole, left_out = model.predict_proba(IRIS), model.predict_proba()
    monkeypatch.setattr(evidential_knn, "_QUERIES", 13)
    monkeypatch.setattr(label_masses, "_rows_at_once", lambda cells: 5)
    np.testing.assert_array_equal(model.predict_proba(IRIS), whole)
    np.testing.assert_array_equal(model.predict_proba(), left_out)


def test_queries_with_many_sets_are_halved_until_they_fit(monkeypatch):
    from labelief.neighbors import set_masses

    labels = oracle.make_labels("plausibilities", N, 5)[0]
    model = EvidentialKNN(6).fit(X, labels)
    whole, conflict = model.predict_mass(X).to_mass_frame(), model.conflict(X)
    monkeypatch.setattr(set_masses, "_MOST_PAIRS", 300)
    pd.testing.assert_frame_equal(model.predict_mass(X).to_mass_frame(), whole)
    np.testing.assert_array_equal(model.conflict(X), conflict)


# ------------------------------------------------------------------- what it takes


def test_metrics_and_sparse_rows():
    X = IRIS + RNG.normal(scale=1e-3, size=IRIS.shape)  # no ties of distances
    dense = EvidentialKNN(5).fit(X, TRUTH)
    sparse = EvidentialKNN(5).fit(csr_array(X), TRUTH)
    np.testing.assert_allclose(sparse.gamma_, dense.gamma_)
    expected = dense.predict_proba(X)
    np.testing.assert_allclose(sparse.predict_proba(csr_array(X)), expected, atol=1e-5)
    for metric, params in [("manhattan", None), ("minkowski", {"p": 3}), ("cosine", None)]:
        model = EvidentialKNN(5, metric=metric, metric_params=params).fit(X, TRUTH)
        distances = pairwise_distances(X, metric=metric, **(params or {}))
        given = EvidentialKNN(5, metric="precomputed").fit(distances, TRUTH)
        np.testing.assert_allclose(given.gamma_, model.gamma_)
        np.testing.assert_array_equal(given.predict(distances), model.predict(X))


def test_frames_and_names():
    frame = pd.DataFrame(IRIS, columns=list("abcd"))
    model = EvidentialKNN().fit(frame, TRUTH)
    assert model.feature_names_in_.tolist() == list("abcd")
    expected = EvidentialKNN().fit(IRIS, TRUTH).predict_proba(IRIS)
    np.testing.assert_allclose(model.predict_proba(frame), expected)
    other = EvidentialKNN().fit(pl.DataFrame(IRIS, schema=list("abcd")), TRUTH)
    np.testing.assert_allclose(
        other.predict_proba(pl.DataFrame(IRIS, schema=list("abcd"))), expected
    )


def test_other_array_libraries(xp):
    model = EvidentialKNN().fit(xp.asarray(IRIS), TRUTH)
    expected = EvidentialKNN().fit(IRIS, TRUTH).predict_proba(IRIS)
    np.testing.assert_allclose(model.predict_proba(xp.asarray(IRIS)), expected)


def test_life_in_the_tools_of_scikit_learn():
    soft = SoftLabels.from_confidences(TRUTH, RNG.uniform(0.4, 1.0, 150))
    pipe = make_pipeline(StandardScaler(), EvidentialKNN())
    search = GridSearchCV(
        pipe, {"evidentialknn__n_neighbors": [3, 9], "evidentialknn__alpha": [0.5, 0.95]}, cv=3
    ).fit(IRIS, soft)
    assert search.best_score_ > 0.75
    assert cross_validate(pipe, IRIS, soft, cv=3)["test_score"].mean() > 0.75
    assert clone(pipe).fit(IRIS, TRUTH).score(IRIS, TRUTH) > 0.95


def test_score_leaves_out_rows_without_a_label():
    y = np.where(np.arange(150) % 5 == 0, None, TRUTH)
    model = EvidentialKNN().fit(IRIS, y)
    known = np.arange(150) % 5 != 0
    expected = np.mean(model.predict(IRIS[known]) == TRUTH[known])
    assert model.score(IRIS, y) == pytest.approx(expected)
    assert model.score(None, y) == pytest.approx(np.mean(model.predict()[known] == TRUTH[known]))


def test_its_masses_are_labels_for_other_classifiers():
    # "contextual" use: what neighbours say of rows without a label becomes their label
    y = np.where(RNG.random(150) < 0.7, None, TRUTH)
    masses = EvidentialKNN(5).fit(IRIS, y).predict_mass()
    model = LinearDiscriminantAnalysis().fit(IRIS, masses)
    assert model.score(IRIS, TRUTH) > 0.9


def test_given_gamma_is_in_the_order_of_the_classes_given():
    y = np.array(["a", "b"] * 12)
    one = EvidentialKNN(gamma=[1.0, 2.0]).fit(X, y)
    other = EvidentialKNN(gamma=[2.0, 1.0], classes=["b", "a"]).fit(X, y)
    np.testing.assert_array_equal(one.gamma_, other.gamma_)
    np.testing.assert_array_equal(EvidentialKNN(gamma=2).fit(X, y).gamma_, [2.0, 2.0])


def test_classes_without_a_label():
    model = EvidentialKNN(classes=[0, 1, 2]).fit(X, np.arange(N) % 2)
    assert model.predict_proba(QUERIES).shape == (7, 3)
    assert np.all(model.gamma_ > 0)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_neighbors": 0}, "n_neighbors"),
        ({"alpha": 1.0}, "alpha"),
        ({"alpha": 0.0}, "alpha"),
        ({"gamma": "best"}, "gamma"),
        ({"gamma": [1.0, 2.0]}, "3 of them"),
        ({"gamma": [1.0, -2.0, 1.0]}, "0 or more"),
    ],
)
def test_bad_parameters_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        EvidentialKNN(**settings).fit(IRIS, TRUTH)


def test_bad_labels_are_refused():
    with pytest.raises(ValueError, match="No label says anything"):
        EvidentialKNN(classes=[0, 1]).fit(X, [None] * N)
    table = {"i": list(range(N)), "a": ["x"] * N, "l": [0, 1] * (N // 2)}
    with pytest.raises(ValueError, match="from_votes"):
        EvidentialKNN().fit(X, Votes(table, "i", "a", "l"))


def test_labels_that_leave_too_many_sets_are_refused():
    many = SoftLabels.from_plausibilities(RNG.uniform(0.1, 1.0, (60, 40)))
    with pytest.raises(ValueError, match="pairs of focal sets"):
        EvidentialKNN(30).fit(RNG.normal(size=(60, 1)), many).predict([[0.0]])


def test_conflicting_unnormalised_labels_are_normalised():
    first = SoftLabels.from_confidences([0] * N, 0.5, range(K))
    second = SoftLabels.from_confidences(np.arange(N) % K, 0.5, range(K))
    one = EvidentialKNN(gamma=1.0).fit(X, first.combine(second, "conjunctive"))
    two = EvidentialKNN(gamma=1.0).fit(X, first.combine(second))
    np.testing.assert_allclose(one.predict_proba(QUERIES), two.predict_proba(QUERIES))


def test_masses_before_the_fit_are_refused():
    with pytest.raises(NotFittedError):
        EvidentialKNN().predict_mass([[0.0]])
