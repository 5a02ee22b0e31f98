"""Label log loss: the formula, scikit-learn's log_loss, channels, pipelines, unseen classes."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from tests.metrics.fakes import CentroidClassifier, NoisyCentroidClassifier

from labelief.labels import SoftLabels
from labelief.metrics import label_log_loss, label_log_loss_scorer
from labelief.metrics.log_loss import label_log_likelihoods


def _probabilities(rng, n, K):
    return rng.dirichlet(np.ones(K), n)


def test_formula():
    rng = np.random.default_rng(0)
    pl = rng.uniform(size=(20, 3))
    pl[np.arange(20), rng.integers(0, 3, 20)] = 1.0
    proba, weights = _probabilities(rng, 20, 3), rng.uniform(size=20)
    rows = [
        np.log(sum(p * q for p, q in zip(*row, strict=True))) for row in zip(proba, pl, strict=True)
    ]
    assert label_log_loss(pl, proba) == pytest.approx(-np.mean(rows))
    assert label_log_loss(pl, proba, weights) == pytest.approx(-np.average(rows, weights=weights))
    y = SoftLabels.from_plausibilities(pl, classes=["b", "a", "c"])
    turned = proba[:, [1, 0, 2]]
    names = ["b", "a", "c"]
    assert label_log_loss(y, proba, classes=names) == pytest.approx(-np.mean(rows))
    assert label_log_loss(y, turned, classes=["a", "b", "c"]) == pytest.approx(-np.mean(rows))
    frame = pd.DataFrame(turned, columns=["a", "b", "c"])
    assert label_log_loss(y, frame) == pytest.approx(-np.mean(rows))
    assert label_log_loss(y, frame, classes=["c", "b", "a"]) == pytest.approx(-np.mean(rows))


@pytest.mark.parametrize("names", [[0, 1, 2], ["x", "y", "z"], [3, 5, 9]])
def test_crisp_labels_give_log_loss(names):
    rng = np.random.default_rng(1)
    y = np.array(names)[rng.integers(0, 3, 40)]
    proba, weights = _probabilities(rng, 40, 3), rng.uniform(size=40)
    expected = log_loss(y, proba, sample_weight=weights)
    for labels in (y, y.tolist(), pd.Series(y), SoftLabels.from_crisp(y, classes=names)):
        assert label_log_loss(labels, proba, weights) == pytest.approx(expected)
    proba[0] = [0, 0, 1]
    y[0] = names[0]
    assert label_log_loss(y, proba) == pytest.approx(log_loss(y, proba))


def test_unknown_rows_cost_nothing():
    proba = [[0.25, 0.75], [0.5, 0.5]]
    assert label_log_loss([0, None], proba, classes=[0, 1]) == pytest.approx(np.log(4) / 2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (dict(y=[0, 1], proba=[[0.5, 0.5]]), "proba has 1 rows, but y has 2"),
        (dict(y=[0, 1], proba=[0.5, 0.5]), "two dimensions"),
        (dict(y=[0, 0], proba=[[0.5, 0.5]] * 2), "2 columns, but 1 classes occur"),
        (dict(y=[0, 1], proba=[[0.5, 0.5], [1.5, -0.5]]), "row 1, column 0"),
        (dict(y=[0, 1], proba=[[0.5, 0.5], [np.nan, 0.5]]), "row 1, column 0"),
        (dict(y=[0, 1], proba=[[0.5, 0.5]] * 2, classes=[0, 1, 2]), "2 columns.*3 classes"),
        (
            dict(y=SoftLabels.from_crisp([0, 1], classes=[1, 0]), proba=[[0.5, 0.5]] * 2),
            "not in sorted order",
        ),
        (dict(y=[[0.4, 0.6]], proba=[[0.5, 0.5]]), "not 1"),
    ],
)
def test_refusals(arguments, message):
    with pytest.raises(ValueError, match=message):
        label_log_loss(**arguments)


X, TRUTH = load_iris(return_X_y=True)


def test_scorer_without_channel_trusts_labels():
    y = SoftLabels.from_confidences(TRUTH, 0.9)
    model = CentroidClassifier().fit(X, y)
    proba = model.predict_proba(X)
    assert label_log_loss_scorer(model, X, y) == pytest.approx(-label_log_loss(y, proba))
    weights = np.arange(150)
    assert label_log_loss_scorer(model, X, TRUTH, weights) == pytest.approx(
        -log_loss(TRUTH, proba, sample_weight=weights)
    )


@pytest.mark.parametrize("wrap", ["bare", "pipeline", "search", "search of pipeline", "nested"])
def test_scorer_asks_the_channel_through_any_wrapping(wrap):
    y = SoftLabels.from_confidences(TRUTH, 0.9)
    noisy, scaled = NoisyCentroidClassifier(), StandardScaler().fit_transform(X)
    grid = {"classes": [None]}
    step = {"noisycentroidclassifier__classes": [None]}
    model = {
        "bare": noisy,
        "pipeline": make_pipeline(StandardScaler(), noisy),
        "search": GridSearchCV(noisy, grid, cv=2),
        "search of pipeline": GridSearchCV(make_pipeline(StandardScaler(), noisy), step, cv=2),
        "nested": make_pipeline(StandardScaler(), GridSearchCV(noisy, grid, cv=2)),
    }[wrap].fit(X, y)
    features = X if wrap in ("bare", "search") else scaled
    expected = NoisyCentroidClassifier().fit(features, y).label_log_likelihood(features, y)
    assert label_log_likelihoods(model, X, y) == pytest.approx(expected)
    assert label_log_loss_scorer(model, X, y) == pytest.approx(expected.mean())


@pytest.mark.parametrize("Classifier", [CentroidClassifier, NoisyCentroidClassifier])
def test_rows_of_a_class_that_training_did_not_hold(Classifier):
    y = np.array(["a", "b", "c"])[TRUTH]
    train = np.flatnonzero(y != "b")
    model = Classifier().fit(X[train], y[train])
    found = label_log_likelihoods(model, X, y)
    assert found[y == "b"] == pytest.approx(np.log(np.finfo(float).eps))
    alone = label_log_likelihoods(model, X[train], y[train])
    assert found[train] == pytest.approx(alone)
    unknown = np.array([None] * 5 + ["b"] * 5, dtype=object)
    assert label_log_likelihoods(model, X[:10], unknown)[:5] == pytest.approx(np.zeros(5), abs=1e-9)


def test_scorer_in_scikit_learn():
    for y in (TRUTH, SoftLabels.from_confidences(TRUTH, 0.7)):
        result = cross_validate(CentroidClassifier(), X, y, cv=3, scoring=label_log_loss_scorer)
        assert np.all(result["test_score"] < 0)
    result = cross_validate(
        LogisticRegression(max_iter=1000),
        X,
        TRUTH,
        cv=3,
        scoring={"ours": label_log_loss_scorer, "theirs": "neg_log_loss"},
    )
    assert result["test_ours"] == pytest.approx(result["test_theirs"])


def test_what_gives_no_probabilities_is_refused():
    model = LinearSVC().fit(X, TRUTH)
    with pytest.raises(ValueError, match="LinearSVC has neither"):
        label_log_loss_scorer(model, X, TRUTH)


def test_an_estimator_that_learned_the_marker_is_refused():
    y = SoftLabels.from_candidates([{k} if i % 10 else {0, 1} for i, k in enumerate(TRUTH)])
    model = LogisticRegression(max_iter=1000).fit(X, y)
    with pytest.raises(ValueError, match="a class -1"):
        label_log_loss_scorer(model, X, y)
