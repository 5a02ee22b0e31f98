from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError

from labelief import FlipNoise, LinearDiscriminantAnalysis, SoftLabels
from labelief.metrics import expected_error, label_log_loss

X, Y = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])
MODEL = LinearDiscriminantAnalysis().fit(X, NAMES[Y])


def test_the_prediction_is_the_most_probable_class():
    proba = MODEL.predict_proba(X)
    np.testing.assert_array_equal(MODEL.predict(X), NAMES[np.argmax(proba, axis=1)])
    assert proba.flags.c_contiguous
    np.testing.assert_allclose(np.exp(MODEL.predict_log_proba(X)), proba, rtol=1e-10)


@pytest.mark.parametrize(
    "method", ["predict", "predict_proba", "predict_log_proba", "predict_set", "score_samples"]
)
def test_nothing_is_said_before_a_fit(method):
    with pytest.raises(NotFittedError):
        getattr(LinearDiscriminantAnalysis(), method)(X)


@pytest.mark.parametrize("method", ["posterior", "label_log_likelihood", "log_likelihood", "bic"])
def test_nothing_is_said_of_labels_before_a_fit(method):
    with pytest.raises(NotFittedError):
        getattr(LinearDiscriminantAnalysis(), method)(X, Y)


def test_log_probabilities_do_not_underflow():
    far = np.array([[-500.0, 0, 0, 0], [500.0, 0, 0, 0]])
    logs = MODEL.predict_log_proba(far)
    assert np.all(np.isfinite(logs)) and logs.min() < -1000
    assert MODEL.predict_proba(far).min() == 0.0


def test_posterior_is_the_prediction_times_the_label():
    pl = np.random.default_rng(0).uniform(0.1, 1.0, (150, 3))
    product = MODEL.predict_proba(X) * pl
    expected = product / product.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(MODEL.posterior(X, pl), expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(MODEL.posterior(X, [None] * 150), MODEL.predict_proba(X))
    crisp = np.where(np.arange(150) % 2, NAMES[Y], None)
    known = MODEL.posterior(X, crisp)[1::2]
    np.testing.assert_allclose(known, np.eye(3)[Y[1::2]], atol=1e-300)


def test_label_log_likelihood_is_the_criterion_of_label_log_loss():
    labels = SoftLabels.from_confidences(NAMES[Y], np.full(150, 0.7))
    rows = MODEL.label_log_likelihood(X, labels)
    expected = np.log(np.sum(MODEL.predict_proba(X) * labels.plausibilities, axis=1))
    np.testing.assert_allclose(rows, expected, rtol=1e-9, atol=1e-13)
    proba = MODEL.predict_proba(X)
    assert label_log_loss(labels, proba) == pytest.approx(-rows.mean())


def test_predictions_do_not_use_the_channel():
    seen = np.where(np.arange(150) % 5 == 0, (Y + 1) % 3, Y)
    model = LinearDiscriminantAnalysis(channel=FlipNoise()).fit(X, seen)
    joint = model.label_log_likelihood(X, seen)
    through = model.predict_proba(X) @ model.channel_.matrix_
    np.testing.assert_allclose(joint, np.log(through[np.arange(150), seen]), rtol=1e-8)
    assert model.score(X, Y) > model.score(X, seen) + 0.15


# --------------------------------------------------------------------------------------- score


def test_score_is_the_accuracy_for_crisp_labels():
    assert MODEL.score(X, NAMES[Y]) == np.mean(MODEL.predict(X) == NAMES[Y])
    weights = np.random.default_rng(0).random(150)
    expected = np.average(MODEL.predict(X) == NAMES[Y], weights=weights)
    assert MODEL.score(X, NAMES[Y], weights) == pytest.approx(expected)


def test_rows_that_say_nothing_are_left_out_of_the_score():
    y = np.where(np.arange(150) % 3 == 0, None, NAMES[Y])
    known = np.arange(150) % 3 > 0
    assert MODEL.score(X, y) == np.mean(MODEL.predict(X)[known] == NAMES[Y][known])
    labels = SoftLabels.from_crisp(y, NAMES)
    assert MODEL.score(X, labels) == MODEL.score(X, y)
    with pytest.raises(ValueError, match="no score"):
        MODEL.score(X, SoftLabels.from_crisp([None] * 150, NAMES))


def test_score_of_soft_labels_is_one_minus_the_expected_error():
    rng = np.random.default_rng(0)
    labels = SoftLabels.from_confidences(NAMES[Y], rng.uniform(0.2, 0.9, 150))
    error = expected_error(labels, MODEL.predict(X))
    assert MODEL.score(X, labels) == pytest.approx(1.0 - error)
    assert MODEL.score(X, labels.plausibilities) == pytest.approx(1.0 - error)


def test_a_test_fold_may_lack_classes_or_bring_new_ones():
    rows = NAMES[Y] != "virginica"
    assert MODEL.score(X[rows], NAMES[Y][rows]) == np.mean(MODEL.predict(X[rows]) == NAMES[Y][rows])
    y = np.array(["setosa", "unheard of"])
    assert MODEL.score(X[:2], y) == 0.5


def test_labels_of_other_classes_are_refused():
    with pytest.raises(ValueError, match="unheard of"):
        MODEL.posterior(X[:2], ["setosa", "unheard of"])
    with pytest.raises(ValueError, match="columns"):
        MODEL.posterior(X[:2], np.ones((2, 4)))
    with pytest.raises(ValueError, match="inconsistent"):
        MODEL.posterior(X[:2], NAMES[Y])


def test_weight_0_leaves_out_even_impossible_rows():
    model = LinearDiscriminantAnalysis(classes=[0, 1, 2, 3]).fit(X, Y)
    y = np.append(Y[:10], 3)
    rows = X[:11]
    assert model.log_likelihood(rows, y) == -np.inf
    weights = np.append(np.ones(10), 0.0)
    expected = model.log_likelihood(X[:10], Y[:10])
    assert model.log_likelihood(rows, y, weights) == pytest.approx(expected)
