from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.metrics import pairwise_distances
from sklearn.model_selection import GridSearchCV, KFold, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks
from tests.neighbors.multilabel_oracle import by_subsets, statements

from labelief import EvidentialMultilabelKNN, LabelSets
from labelief.metrics import (
    hamming_score,
    hamming_scorer,
    multilabel_accuracy,
    multilabel_accuracy_scorer,
)

RNG = np.random.default_rng(0)
CENTRES = RNG.normal(size=(4, 3)) * 3
KIND = RNG.integers(4, size=120)
X = CENTRES[KIND] + RNG.normal(size=(120, 3))
TRUTH = (((KIND[:, None] + 1) >> np.arange(3)) & 1).astype(float)
Y = np.where(RNG.random(TRUTH.shape) < 0.3, np.nan, TRUTH)
QUERIES = CENTRES[RNG.integers(4, size=25)] + RNG.normal(size=(25, 3))
BOTH = pytest.mark.parametrize("approach", ["direct", "binary"])

# Reasons by what the checks feed.
ONE_COLUMN = "feeds 1-D y, or wants one column of answers per class: y here has one per label"
NOT_0_1 = "feeds labels that are neither 0 nor 1"
UNDECIDED = "NaN in y is an undecided label"
FAILED = {
    "check_classifiers_one_label": ONE_COLUMN,
    "check_classifiers_train": ONE_COLUMN,
    "check_estimator_sparse_array": ONE_COLUMN,
    "check_estimator_sparse_matrix": ONE_COLUMN,
    "check_classifier_data_not_an_array": NOT_0_1,
    "check_classifiers_classes": NOT_0_1,
    "check_estimators_dtypes": NOT_0_1,
    "check_fit2d_1feature": NOT_0_1,
    "check_classifier_not_supporting_multiclass": "our message speaks of 1 and 0, not 'binary'",
    "check_classifiers_regression_target": "our message speaks of 1 and 0, not 'continuous'",
    "check_supervised_y_no_nan": UNDECIDED,
}


@parametrize_with_checks(
    [EvidentialMultilabelKNN(), EvidentialMultilabelKNN(3, gamma=0.5, approach="binary")],
    expected_failed_checks=lambda _: FAILED,
)
def test_checks_of_scikit_learn(estimator, check):
    check(estimator)


# ------------------------------------------------------------------------------ what is computed


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine"])
def test_beliefs_by_hand(metric):
    model = EvidentialMultilabelKNN(7, alpha=0.8, gamma=0.6, metric=metric).fit(X, Y)
    got = model.beliefs(QUERIES)
    proba, predicted = model.predict_proba(QUERIES), model.predict(QUERIES)
    assert got.shape == (25, 3, 2)
    distances = pairwise_distances(QUERIES, X, metric=metric)
    for i, row in enumerate(distances):
        near = np.argsort(row)[:7]
        inside, outside, possible = by_subsets(Y[near], 0.8 * np.exp(-0.6 * row[near]))
        np.testing.assert_allclose(got[i], np.column_stack((inside, outside)), rtol=1e-10)
        betp = (inside + 0.5 * (possible - inside - outside)) / possible
        np.testing.assert_allclose(proba[i], betp, rtol=1e-10)
        np.testing.assert_array_equal(predicted[i], inside >= outside)


def test_worked_example():
    """Happy, not sad (w = 0.6), against sad, undecided about calm (w = 0.5)."""
    y = [[1, 0, np.nan], [np.nan, 1, 1]]
    weights = np.array([0.6, 0.5])
    model = EvidentialMultilabelKNN(2, alpha=0.9, gamma=1.0, metric="precomputed")
    model.fit(np.zeros((2, 2)), y)
    distances = -np.log(weights / 0.9)[None]
    expected = [[0.6 * 0.5, 0.0], [0.4 * 0.5, 0.6 * 0.5], [0.4 * 0.5, 0.0]]
    np.testing.assert_allclose(model.beliefs(distances), [expected], rtol=1e-12)
    np.testing.assert_array_equal(model.predict(distances), [[1, 0, 1]])
    # 1 - m(∅) = 0.7
    share = np.array([0.5 + 0.15 / 0.7, 0.5 - 0.05 / 0.7, 0.5 + 0.1 / 0.7])
    np.testing.assert_allclose(model.predict_proba(distances), [share], rtol=1e-12)
    model.set_params(approach="binary").fit(np.zeros((2, 2)), y)
    expected = [[0.6, 0.0], [0.4 * 0.5, 0.6 * 0.5], [0.5, 0.0]]
    np.testing.assert_allclose(model.beliefs(distances), [expected], rtol=1e-12)
    assert model.predict_proba(distances)[0, 0] == pytest.approx(0.8)


def test_one_neighbour_is_the_nearest_row():
    model = EvidentialMultilabelKNN(1).fit(X, TRUTH)
    np.testing.assert_array_equal(model.predict(X), TRUTH)
    nearest = pairwise_distances(QUERIES, X).argmin(axis=1)
    np.testing.assert_array_equal(model.predict(QUERIES), TRUTH[nearest])


@BOTH
def test_queries_inside_the_training_rows_leave_themselves_out(approach):
    model = EvidentialMultilabelKNN(5, gamma=0.7, approach=approach).fit(X, Y)
    left_out = model.beliefs()
    for i in (0, 17, 119):
        others = np.arange(120) != i
        one = clone(model).fit(X[others], Y[others])
        np.testing.assert_allclose(left_out[i], one.beliefs(X[[i]])[0], rtol=1e-9)
    assert model.predict(None).shape == (120, 3)
    assert model.score(None, TRUTH) < model.score(X, TRUTH) <= 1


@BOTH
def test_one_query_at_a_time_is_as_good(approach):
    model = EvidentialMultilabelKNN(20, approach=approach).fit(X, Y)
    whole = model.beliefs(QUERIES)
    single = np.vstack([model.beliefs(q[None]) for q in QUERIES])
    np.testing.assert_allclose(single, whole, rtol=1e-9)


@BOTH
def test_far_queries_are_still_decided_by_the_nearest(approach):
    model = EvidentialMultilabelKNN(3, gamma=50.0, approach=approach).fit(
        [[0.0], [1.0]], [[0], [1]]
    )
    far = np.array([[-1000.0], [1001.0]])
    assert not model.beliefs(far).any()
    np.testing.assert_array_equal(model.predict(far), [[0], [1]])
    np.testing.assert_allclose(model.predict_proba(far), 0.5)
    assert np.isnan(model.predict_imprecise(far)).all()
    np.testing.assert_array_equal(model.predict_imprecise(far, margin=0), [[0], [1]])


@BOTH
def test_labels_that_nobody_knows(approach):
    y = np.column_stack((TRUTH, np.full(120, np.nan)))
    y[5] = np.nan
    model = EvidentialMultilabelKNN(approach=approach).fit(X, y)
    assert (model.predict(QUERIES)[:, 3] == 1).all()
    assert (model.predict_proba(QUERIES)[:, 3] == 0.5).all()
    assert np.isnan(model.predict_imprecise(QUERIES, margin=0)[:, 3]).all()
    empty = EvidentialMultilabelKNN(approach=approach).fit(X, np.full((120, 2), np.nan))
    assert not empty.beliefs(QUERIES).any()


@BOTH
def test_ties_say_yes_whatever_the_rounding(approach):
    """Each row and its opposite at the same place: bel(in) = bel(out) for every label."""
    y = statements(np.random.default_rng(2), (10, 6), 0.4)
    model = EvidentialMultilabelKNN(20, gamma=1.0, approach=approach)
    model.fit(np.zeros((20, 1)), np.vstack((y, 1 - y)))
    near = np.arange(50)[:, None] / 10
    assert (model.predict(near) == 1).all()
    assert np.isnan(model.predict_imprecise(near, margin=0)).all()
    np.testing.assert_allclose(model.predict_proba(near), 0.5)


def test_margin():
    model = EvidentialMultilabelKNN().fit(X, Y)
    lead = 2 * model.predict_proba(QUERIES) - 1
    for margin in (0.1, 0.5, 1.0):
        open_ = np.isnan(model.predict_imprecise(QUERIES, margin))
        np.testing.assert_array_equal(open_, np.abs(lead) < margin)
    imprecise = model.predict_imprecise(QUERIES)
    decided = ~np.isnan(imprecise)
    assert decided.any() and not decided.all()
    np.testing.assert_array_equal(imprecise[decided], model.predict(QUERIES)[decided])


# ---------------------------------------------------------------------------------------- gamma


def test_gamma_is_one_over_the_median_distance():
    model = EvidentialMultilabelKNN(4).fit(X, Y)
    distances = np.sort(pairwise_distances(X), axis=1)[:, 1:5]
    assert model.gamma_ == pytest.approx(1 / np.median(distances), rel=1e-9)
    scaled = EvidentialMultilabelKNN(4).fit(100 * X, Y)
    np.testing.assert_allclose(
        scaled.beliefs(100 * QUERIES), model.beliefs(QUERIES), rtol=1e-6, atol=1e-12
    )


@pytest.mark.parametrize(
    ("rows", "gamma"),
    [([0, 0, 0, 0, 2], 0.5), ([1, 1, 1], 1.0), ([3], 1.0)],
    ids=["most rows twice", "all equal", "one row"],
)
def test_gamma_where_the_median_is_zero(rows, gamma):
    x = np.array(rows, dtype=float)[:, None]
    model = EvidentialMultilabelKNN(2).fit(x, np.ones((len(x), 1)))
    assert model.gamma_ == pytest.approx(gamma)
    assert (model.predict(x) == 1).all()


def test_fewer_rows_than_neighbours():
    model = EvidentialMultilabelKNN(50, gamma=1.0).fit(X[:4], Y[:4])
    assert model.n_neighbors_ == 4
    few = EvidentialMultilabelKNN(4, gamma=1.0).fit(X[:4], Y[:4])
    np.testing.assert_array_equal(model.beliefs(QUERIES), few.beliefs(QUERIES))
    assert model.beliefs().shape == (4, 3, 2)
    with pytest.raises(ValueError, match="only one"):
        EvidentialMultilabelKNN().fit(X[:1], Y[:1]).predict()


@pytest.mark.parametrize("undecided", [0.0, 0.8])
def test_most_neighbours_that_are_taken(undecided):
    y = statements(np.random.default_rng(1), (120, 14), undecided)
    model = EvidentialMultilabelKNN(64).fit(X, y)
    proba = model.predict_proba(QUERIES[:3])
    assert np.isfinite(proba).all()
    # a 64th neighbour is one piece of evidence more: it cannot turn the answer over
    near = EvidentialMultilabelKNN(63, gamma=model.gamma_).fit(X, y).predict_proba(QUERIES[:3])
    np.testing.assert_allclose(proba, near, atol=0.5)


# ------------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_neighbors": 0}, "n_neighbors must be an integer of 1 or more"),
        ({"n_neighbors": 65}, "at most 64.*approach='binary'"),
        ({"alpha": 1.0}, "alpha must lie between 0 and 1"),
        ({"alpha": "auto"}, "alpha must lie"),
        ({"gamma": 0.0}, "gamma must be 'auto' or a number above 0"),
        ({"gamma": "scale"}, "gamma must be"),
        ({"gamma": np.nan}, "gamma must be"),
        ({"approach": "chain"}, "approach must be 'direct' or 'binary'"),
    ],
)
def test_parameters_are_checked(parameters, message):
    with pytest.raises(ValueError, match=message):
        EvidentialMultilabelKNN(**parameters).fit(X, Y)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (np.where(np.arange(360).reshape(120, 3) == 7, 2.0, Y), "y holds 2.0 in row 2, column 1"),
        (np.where(np.arange(360).reshape(120, 3) == 7, -1.0, Y), "NaN where that is undecided"),
        (np.where(np.arange(360).reshape(120, 3) == 7, np.inf, Y), "y holds inf in row 2"),
        (TRUTH[:, 0], "one column per label"),
        (Y[:7], "y has 7 rows, but X has 120"),
        ([["a"] * 3] * 120, "could not convert"),
        (np.empty((120, 0)), "no columns"),
    ],
)
def test_labels_are_checked(y, message):
    with pytest.raises(ValueError, match=message):
        EvidentialMultilabelKNN().fit(X, y)


def test_margins_and_scores_are_checked():
    model = EvidentialMultilabelKNN().fit(X, Y)
    with pytest.raises(ValueError, match="margin must be a number between 0 and 1"):
        model.predict_imprecise(X, margin=1.5)
    with pytest.raises(ValueError, match="y has 2 columns, but there are 3 labels"):
        model.score(X, Y[:, :2])
    with pytest.raises(ValueError, match="No row of y decides any label"):
        model.score(X[:2], np.full((2, 3), np.nan))
    with pytest.raises(ValueError, match="row 3, column 1"):
        model.predict(np.where(np.arange(360).reshape(120, 3) == 10, np.nan, X))


# -------------------------------------------------------------------------- life in scikit-learn


def test_score_is_the_middle_accuracy_of_rows_that_say_something():
    model = EvidentialMultilabelKNN().fit(X, Y)
    predicted = model.predict(X)
    assert model.score(X, TRUTH) == multilabel_accuracy(TRUTH, predicted).lower
    some = ~np.isnan(Y).all(axis=1)
    weights = RNG.random(120)
    expected = multilabel_accuracy(Y[some], predicted[some], weights[some]).middle
    assert model.score(X, Y, sample_weight=weights) == pytest.approx(expected)
    assert model.score(X, Y) != model.score(X, Y, sample_weight=weights)


@pytest.mark.parametrize("scoring", [None, multilabel_accuracy_scorer, hamming_scorer])
def test_grids_search_with_undecided_labels(scoring):
    grid = {"gamma": ["auto", 0.1, 100.0], "n_neighbors": [1, 8], "alpha": [0.5, 0.95]}
    search = GridSearchCV(
        EvidentialMultilabelKNN(), grid, cv=KFold(4), scoring=scoring, error_score="raise"
    ).fit(X, Y)
    assert search.best_score_ > 0.6
    assert search.best_params_["n_neighbors"] == 8
    assert search.score(X, TRUTH) > 0.7


def test_integer_folds_take_decided_labels():
    scores = cross_val_score(EvidentialMultilabelKNN(), X, TRUTH, cv=4)
    assert scores.mean() > 0.7
    whole = cross_val_score(EvidentialMultilabelKNN(), X, Y, cv=KFold(4), scoring=hamming_scorer)
    assert whole.mean() > 0.6
    proba = cross_val_predict(EvidentialMultilabelKNN(), X, TRUTH, cv=4, method="predict_proba")
    assert hamming_score(TRUTH, proba >= 0.5).middle > 0.8


def test_label_sets_as_labels():
    plain = EvidentialMultilabelKNN().fit(X, Y)
    model = EvidentialMultilabelKNN().fit(X, LabelSets.from_matrix(Y))
    np.testing.assert_array_equal(model.beliefs(QUERIES), plain.beliefs(QUERIES))
    assert model.score(X, LabelSets.from_matrix(Y)) == plain.score(X, Y)
    search = GridSearchCV(plain, {"n_neighbors": [1, 8]}, cv=4, scoring=hamming_scorer)
    by_sets = clone(search).fit(X, LabelSets.from_matrix(Y)).cv_results_["mean_test_score"]
    by_matrix = clone(search).set_params(cv=KFold(4)).fit(X, Y).cv_results_["mean_test_score"]
    np.testing.assert_array_equal(by_sets, by_matrix)


def test_confidence_multiplies_the_weight_of_a_neighbour():
    confidence = np.where(np.arange(120) % 5 == 0, 0.0, np.linspace(0.1, 1.0, 120))
    model = EvidentialMultilabelKNN(7, alpha=0.8, gamma=0.6)
    model.fit(X, LabelSets.from_matrix(Y, confidence))
    got = model.beliefs(QUERIES)
    for i, row in enumerate(pairwise_distances(QUERIES, X)):
        near = np.argsort(row)[:7]
        w = 0.8 * np.exp(-0.6 * row[near]) * confidence[near]
        inside, outside, _ = by_subsets(Y[near], w)
        np.testing.assert_allclose(got[i], np.column_stack((inside, outside)), rtol=1e-10)


def test_pipelines_pickles_and_clones():
    model = make_pipeline(StandardScaler(), EvidentialMultilabelKNN(gamma=0.5)).fit(X, Y)
    assert model.score(X, TRUTH) > 0.7
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(QUERIES), model.predict_proba(QUERIES))
    assert not hasattr(clone(model[-1]), "gamma_")
    assert clone(model[-1]).get_params() == model[-1].get_params()


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames(library):
    frames = pytest.importorskip(library)
    names = ["sea", "sun", "people"]
    features = frames.DataFrame({f"f{i}": X[:, i] for i in range(3)})
    labels = frames.DataFrame({name: Y[:, q] for q, name in enumerate(names)})
    model = EvidentialMultilabelKNN().fit(features, labels)
    assert model.classes_.tolist() == names
    assert model.feature_names_in_.tolist() == ["f0", "f1", "f2"]
    plain = EvidentialMultilabelKNN().fit(X, Y)
    assert plain.classes_.tolist() == [0, 1, 2]
    np.testing.assert_array_equal(model.predict_proba(features), plain.predict_proba(X))
    turned = labels[["people", "sea", "sun"]]
    assert model.score(features, turned) == plain.score(X, Y)
    with pytest.raises(ValueError, match="lacks 'sun'"):
        model.score(features, labels[["sea", "people"]])


def test_frames_with_integers_and_gaps():
    labels = pd.DataFrame({q: pd.array(TRUTH[:, q].astype(int), dtype="Int64") for q in range(3)})
    labels.iloc[4, 1] = pd.NA
    y = TRUTH.copy()
    y[4, 1] = np.nan
    one, two = EvidentialMultilabelKNN().fit(X, labels), EvidentialMultilabelKNN().fit(X, y)
    np.testing.assert_array_equal(one.beliefs(QUERIES), two.beliefs(QUERIES))


def test_sparse_rows_and_labels():
    dense = EvidentialMultilabelKNN().fit(X, TRUTH)
    model = EvidentialMultilabelKNN().fit(csr_array(X), csr_array(TRUTH))
    np.testing.assert_allclose(
        model.beliefs(csr_array(QUERIES)), dense.beliefs(QUERIES), rtol=1e-6, atol=1e-12
    )


def test_metrics_of_the_neighbour_search():
    holes = X.copy()
    holes[3, 1] = np.nan
    model = EvidentialMultilabelKNN(metric="nan_euclidean", algorithm="brute").fit(holes, Y)
    assert np.isfinite(model.predict_proba(holes)).all()
    own = EvidentialMultilabelKNN(5, metric=lambda a, b: np.abs(a - b).max()).fit(X, Y)
    named = EvidentialMultilabelKNN(5, metric="chebyshev").fit(X, Y)
    np.testing.assert_allclose(own.beliefs(QUERIES), named.beliefs(QUERIES))
    powers = EvidentialMultilabelKNN(5, p=1).fit(X, Y)
    streets = EvidentialMultilabelKNN(5, metric="manhattan").fit(X, Y)
    np.testing.assert_allclose(powers.beliefs(QUERIES), streets.beliefs(QUERIES))
    given = EvidentialMultilabelKNN(5, metric="precomputed").fit(pairwise_distances(X), Y)
    plain = EvidentialMultilabelKNN(5).fit(X, Y)
    np.testing.assert_allclose(
        given.beliefs(pairwise_distances(QUERIES, X)), plain.beliefs(QUERIES), rtol=1e-6
    )
    np.testing.assert_allclose(given.beliefs(), plain.beliefs(), rtol=1e-6)


def test_distances_a_rounding_below_zero_count_as_zero():
    model = EvidentialMultilabelKNN(
        3, alpha=0.9999, gamma=1.0, metric=lambda a, b: np.abs(a - b).sum() - 1e-3
    ).fit(X, Y)
    assert np.isfinite(model.predict_proba(X)).all()


def test_yeast(data_file):
    """Precise labels: the test figures of nearest-neighbour rules in the literature."""
    table = pd.read_csv(data_file("yeast.csv.gz"))
    names = [name for name in table if name.startswith("label_")]
    train = table["split"] == "train"
    features = table.drop(columns=[*names, "split"])
    model = EvidentialMultilabelKNN().fit(features[train], table.loc[train, names])
    predicted = model.predict(features[~train])
    truth = table.loc[~train, names]
    assert multilabel_accuracy(truth, predicted).middle > 0.5
    assert hamming_score(truth, predicted).middle > 0.79
