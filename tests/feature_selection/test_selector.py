from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, KFold, cross_validate
from sklearn.pipeline import Pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from labelief import EvidentialKNN, LinearDiscriminantAnalysis, SoftLabels
from labelief.feature_selection import (
    WeightedLaplacianSelector,
    semi_supervised_laplacian_score,
    weighted_laplacian_score,
)

IRIS, TRUTH = load_iris(return_X_y=True)
RNG = np.random.default_rng(0)
# columns 2 and 3 of iris tell most; 4 to 9 are noise
X = np.hstack([IRIS, RNG.normal(size=(150, 6))])
SOFT = SoftLabels.from_confidences(
    np.where(RNG.random(150) < 0.2, RNG.integers(3, size=150), TRUTH), 0.8
)


@parametrize_with_checks([WeightedLaplacianSelector()])
def test_checks_of_scikit_learn(estimator, check):
    check(estimator)


@parametrize_with_checks(
    [WeightedLaplacianSelector(graph_share=0.5)],
    expected_failed_checks=lambda _: dict.fromkeys(
        [
            "check_sample_weight_equivalence_on_dense_data",
            "check_sample_weight_equivalence_on_sparse_data",
        ],
        "a row given twice is its own nearest neighbour",
    ),
)
def test_checks_of_scikit_learn_with_a_graph(estimator, check):
    check(estimator)


@pytest.mark.parametrize(
    ("asked", "kept"), [(1, 1), (3, 3), (10, 10), (0.2, 2), (0.01, 1), (1.0, 10), (None, 5)]
)
def test_counts_and_shares(asked, kept):
    selector = WeightedLaplacianSelector(asked).fit(X, SOFT)
    scores = weighted_laplacian_score(X, SOFT)
    np.testing.assert_array_equal(selector.scores_, scores)
    best = np.sort(np.argsort(scores)[:kept])
    np.testing.assert_array_equal(selector.get_support(indices=True), best)
    np.testing.assert_array_equal(selector.transform(X), X[:, best])
    assert selector.n_features_ == kept
    assert sorted(selector.ranking_) == list(range(1, 11))
    assert selector.ranking_[scores.argmin()] == 1


def test_scores_of_a_mixture():
    y = np.where(RNG.random(150) < 0.7, None, TRUTH)
    selector = WeightedLaplacianSelector(2, graph_share=0.4, n_neighbors=7, scale=2.0).fit(X, y)
    expected = semi_supervised_laplacian_score(X, y, graph_share=0.4, n_neighbors=7, scale=2.0)
    np.testing.assert_array_equal(selector.scores_, expected)


def test_constant_features_go_first():
    rows = np.column_stack([np.ones(150), IRIS, np.zeros(150)])
    selector = WeightedLaplacianSelector(4).fit(rows, TRUTH)
    assert selector.get_support().tolist() == [False, True, True, True, True, False]
    assert selector.ranking_[[0, 5]].tolist() == [5, 6]


def test_cross_validation_chooses_how_many():
    rows = np.hstack([X, np.random.default_rng(1).normal(size=(150, 30))])
    y = np.where(RNG.random(150) < 0.7, None, TRUTH)
    for labels in (SOFT, TRUTH, y, SOFT.plausibilities):
        selector = WeightedLaplacianSelector("cv", estimator=EvidentialKNN(5)).fit(rows, labels)
        results = selector.cv_results_
        assert len(results["n_features"]) <= 20
        assert results["n_features"][[0, -1]].tolist() == [1, 40]
        assert results["split_test_scores"].shape == (5, len(results["n_features"]))
        best = results["mean_test_score"].argmax()
        assert selector.n_features_ == results["n_features"][best]
        assert 1 <= selector.n_features_ <= 20
        assert {2, 3} & set(selector.get_support(indices=True))


def test_features_are_ranked_anew_in_each_training_fold():
    # many features of noise: with a ranking on all rows, held-out rows would look foretold
    rng = np.random.default_rng(0)
    rows, y = rng.normal(size=(60, 500)), rng.integers(2, size=60)
    selector = WeightedLaplacianSelector("cv", estimator=EvidentialKNN(), cv=KFold(5)).fit(rows, y)
    assert selector.cv_results_["mean_test_score"].max() < 0.7


def test_scoring_of_ones_own():
    asked = []

    def scoring(model, rows, y):
        asked.append(rows.shape[1])
        return -rows.shape[1]

    selector = WeightedLaplacianSelector(
        "cv", estimator=LinearDiscriminantAnalysis(), scoring=scoring, cv=3
    ).fit(IRIS, TRUTH)
    assert selector.n_features_ == 1
    assert asked == [1, 2, 3, 4] * 3


def test_names_and_frames():
    frame = pd.DataFrame(IRIS, columns=list("abcd"))
    selector = WeightedLaplacianSelector(2).fit(frame, TRUTH)
    assert selector.get_feature_names_out().tolist() == ["c", "d"]
    got = selector.set_output(transform="pandas").transform(frame)
    pd.testing.assert_frame_equal(got, frame[["c", "d"]])
    selector = WeightedLaplacianSelector(2).set_output(transform="polars")
    made = selector.fit(pl.DataFrame(IRIS, schema=list("abcd")), TRUTH)
    assert made.transform(pl.DataFrame(IRIS, schema=list("abcd"))).columns == ["c", "d"]
    sparse = WeightedLaplacianSelector(2).fit(csr_array(IRIS), TRUTH)
    np.testing.assert_array_equal(sparse.transform(csr_array(IRIS)).toarray(), IRIS[:, 2:])


def test_life_in_the_tools_of_scikit_learn():
    pipe = Pipeline([("best", WeightedLaplacianSelector()), ("lda", LinearDiscriminantAnalysis())])
    search = GridSearchCV(
        pipe, {"best__n_features_to_select": [1, 2, 8], "best__graph_share": [0.0, 0.3]}, cv=3
    ).fit(X, SOFT)
    assert search.best_estimator_[0].n_features_ >= 2
    assert search.best_estimator_.score(X, TRUTH) > 0.9
    assert cross_validate(pipe, X, SOFT, cv=3)["test_score"].mean() > 0.7


@pytest.mark.parametrize("asked", [0, 11, -1, 0.0, 1.5, "all", True, [1]])
def test_bad_numbers_are_refused(asked):
    with pytest.raises(ValueError, match="n_features_to_select"):
        WeightedLaplacianSelector(asked).fit(X, TRUTH)


def test_cross_validation_needs_a_classifier():
    with pytest.raises(ValueError, match="estimator"):
        WeightedLaplacianSelector("cv").fit(X, TRUTH)
