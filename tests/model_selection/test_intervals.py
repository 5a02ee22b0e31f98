"""cross_validate_interval against a loop over folds."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, log_loss
from sklearn.model_selection import KFold, RepeatedKFold, ShuffleSplit
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC
from tests.metrics.fakes import CentroidClassifier, NoisyCentroidClassifier

from labelief.labels import SoftLabels
from labelief.metrics import expected_error, label_log_loss, lower_error, upper_error
from labelief.model_selection import cross_val_predict, cross_validate_interval

X, TRUTH = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])
RNG = np.random.default_rng(0)
SOFT = SoftLabels.from_masses(
    [
        {(k,): a, (k, (k + 1) % 3): b, (0, 1, 2): 1 - a - b}
        for k, a, b in zip(
            TRUTH.tolist(), RNG.uniform(0, 0.6, 150), RNG.uniform(0, 0.4, 150), strict=True
        )
    ],
    [0, 1, 2],
)


def test_soft_labels():
    cv = KFold(5, shuffle=True, random_state=0)
    result = cross_validate_interval(CentroidClassifier(), X, SOFT, cv=cv)
    predicted = cross_val_predict(CentroidClassifier(), X, SOFT, cv=cv)
    proba = cross_val_predict(CentroidClassifier(), X, SOFT, cv=cv, method="predict_proba")
    assert result.lower == pytest.approx(lower_error(SOFT, predicted))
    assert result.upper == pytest.approx(upper_error(SOFT, predicted))
    assert result.expected(0.3) == pytest.approx(expected_error(SOFT, predicted, pessimism=0.3))
    assert result.label_log_loss == pytest.approx(label_log_loss(SOFT, proba))
    for number, (_, test) in enumerate(cv.split(X)):
        assert result.fold_lower[number] == pytest.approx(lower_error(SOFT[test], predicted[test]))
        assert result.fold_upper[number] == pytest.approx(upper_error(SOFT[test], predicted[test]))
        part = label_log_loss(SOFT[test], proba[test])
        assert result.fold_label_log_loss[number] == pytest.approx(part)
    losses = 1 - SOFT.plausibilities[np.arange(150), predicted]
    assert result.lower_losses == pytest.approx(losses)
    assert result.lower_se == pytest.approx(stats.sem(losses))
    assert result.fit_seconds.shape == (5,) and np.all(result.fit_seconds >= 0)
    assert result.n_samples == 150
    low, high = result.confidence_interval
    assert 0 <= low < result.lower < result.upper < high <= 1


def test_crisp_labels_of_a_scikit_learn_classifier():
    cv = KFold(5, shuffle=True, random_state=0)
    for y in (TRUTH, NAMES[TRUTH], pd.Series(NAMES[TRUTH]), SoftLabels.from_crisp(TRUTH)):
        result = cross_validate_interval(GaussianNB(), X, y, cv=cv)
        plain = np.asarray(y)
        predicted = cross_val_predict(GaussianNB(), X, plain, cv=cv)
        proba = cross_val_predict(GaussianNB(), X, plain, cv=cv, method="predict_proba")
        wrong = 1 - accuracy_score(plain, predicted)
        assert result.lower == result.upper == pytest.approx(wrong)
        assert result.label_log_loss == pytest.approx(log_loss(plain, proba))
        errors = round(wrong * 150)
        wilson = stats.binomtest(errors, 150).proportion_ci(0.95, method="wilson")
        assert result.confidence_interval == pytest.approx((wilson.low, wilson.high))


def test_the_channel_is_asked():
    cv = KFold(3, shuffle=True, random_state=0)
    noisy = cross_validate_interval(NoisyCentroidClassifier(), X, TRUTH, cv=cv)
    found = cross_val_predict(
        NoisyCentroidClassifier(), X, TRUTH, cv=cv, method="label_log_likelihood"
    )
    assert noisy.label_log_loss == pytest.approx(-found.mean())
    trusted = cross_validate_interval(CentroidClassifier(), X, TRUTH, cv=cv)
    assert noisy.lower == trusted.lower and noisy.label_log_loss != trusted.label_log_loss


def test_without_probabilities():
    result = cross_validate_interval(LinearSVC(), X, TRUTH, cv=3)
    assert np.isnan(result.label_log_loss)
    assert "log loss" not in repr(result)


def test_repeated_and_partial_tests():
    once = cross_validate_interval(
        GaussianNB(), X, TRUTH, cv=KFold(5, shuffle=True, random_state=0)
    )
    repeated = RepeatedKFold(n_splits=5, n_repeats=3, random_state=0)
    result = cross_validate_interval(GaussianNB(), X, TRUTH, cv=repeated)
    assert result.n_samples == 150 and result.fold_lower.shape == (15,)
    assert result.lower == pytest.approx(result.fold_lower.mean())
    # a second and third test of the same object is no new object
    assert result.lower_se == pytest.approx(once.lower_se, rel=0.3)
    some = cross_validate_interval(
        GaussianNB(), X, TRUTH, cv=ShuffleSplit(1, test_size=40, random_state=0)
    )
    assert some.n_samples == 40 and np.isnan(some.lower_losses).sum() == 110


def test_groups_count_as_one_object():
    groups = np.repeat(np.arange(150), 3)
    often = np.repeat(np.arange(150), 3)
    result = cross_validate_interval(GaussianNB(), X[often], TRUTH[often], 5, groups)
    losses = result.lower_losses.reshape(150, 3)
    assert np.all(np.ptp(losses, axis=1) == 0)  # copies are never on both sides
    assert result.lower_se == pytest.approx(stats.sem(losses[:, 0]))
    low, high = stats.binomtest(int(losses[:, 0].sum()), 150).proportion_ci(method="wilson")
    assert result.confidence_interval == pytest.approx((low, high))


def test_weights():
    weights = np.where(TRUTH != 1, 1.0, 1e-3)
    result = cross_validate_interval(GaussianNB(), X, TRUTH, cv=5, sample_weight=weights)
    predicted = cross_val_predict(GaussianNB(), X, TRUTH, cv=5, sample_weight=weights)
    assert result.lower == pytest.approx(lower_error(TRUTH, predicted, None, weights))
    assert result.lower < 0.02


def test_unknown_labels_and_rare_classes():
    y = NAMES[TRUTH].astype(object)
    y[::4] = None
    y[1] = "seen once"
    result = cross_validate_interval(CentroidClassifier(), X, y, cv=5)
    assert result.upper - result.lower == pytest.approx(38 / 150)
    assert result.upper_losses[1] == result.lower_losses[1] == 1
    assert np.isfinite(result.label_log_loss)


def test_possibility_array():
    pl = SoftLabels.from_confidences(TRUTH, 0.9).plausibilities
    one = cross_validate_interval(CentroidClassifier(), X, pl, cv=5)
    two = cross_validate_interval(CentroidClassifier(), X, pd.DataFrame(pl), cv=5)
    assert one.lower == two.lower and one.upper == two.upper
    with pytest.raises(ValueError, match="not 1"):
        cross_validate_interval(CentroidClassifier(), X, pl / 2, cv=5)


def test_named_columns_of_a_bare_array():
    pl = SoftLabels.from_confidences(TRUTH, 0.9).plausibilities[:, [2, 0, 1]]
    names = ["virginica", "setosa", "versicolor"]
    found = cross_validate_interval(CentroidClassifier(names), X, pl, cv=5, classes=names)
    frame = pd.DataFrame(pl, columns=names)
    assert found.lower == cross_validate_interval(CentroidClassifier(), X, frame, cv=5).lower < 0.2
    with pytest.raises(ValueError, match="classes="):
        cross_validate_interval(CentroidClassifier(names), X, pl, cv=5)
    some = cross_validate_interval(
        CentroidClassifier(names), X[:100], NAMES[TRUTH[:100]], cv=5, classes=names
    )
    assert some.lower == some.upper < 0.1


def test_one_class_occurs():
    result = cross_validate_interval(CentroidClassifier(), X[:40], ["a", None] * 20, cv=4)
    assert (result.lower, result.upper) == (0, 0.5)


def test_a_plain_classifier_and_ties_are_refused_in_words():
    y = SoftLabels.from_candidates([{k} if i % 5 else {0, 1} for i, k in enumerate(TRUTH.tolist())])
    with pytest.raises(ValueError, match=r"class -1.*soft labels") as caught:
        cross_validate_interval(LogisticRegression(max_iter=1000), X, y, cv=3)
    assert "in fold 0" in caught.value.__notes__[0]


@pytest.mark.parametrize("confidence", [0, 1, 95])
def test_confidence(confidence):
    with pytest.raises(ValueError, match="confidence"):
        cross_validate_interval(GaussianNB(), X, TRUTH, confidence=confidence)


def test_repr_reads_as_sentences():
    text = repr(cross_validate_interval(CentroidClassifier(), X, SOFT, cv=5))
    assert text.startswith("error between 0.")
    assert "95% confidence interval 0." in text
    assert "label log loss" in text
    assert "150 objects, 5 folds" in text


def test_more_confidence_is_wider():
    results = [
        cross_validate_interval(GaussianNB(), X, TRUTH, cv=5, confidence=c).confidence_interval
        for c in (0.5, 0.9, 0.99)
    ]
    widths = np.diff(results, axis=1).ravel()
    assert np.all(np.diff(widths) > 0)
