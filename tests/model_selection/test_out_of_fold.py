"""Reading folds, fitting on each, and saying where something went wrong."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import KFold, RepeatedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tests.metrics.fakes import CentroidClassifier

from labelief.labels import SoftLabels
from labelief.model_selection.out_of_fold import over_folds, read_data, read_folds

X = np.random.default_rng(0).normal(size=(12, 2))
Y = np.tile(["a", "b"], 6)


def test_an_integer_means_the_same_stratified_folds_at_every_call():
    data = read_data(X, Y)
    one, two = read_folds(3, data, None), read_folds(np.int64(3), data, None)
    assert len(one) == 3
    for first, second in zip(one, two, strict=True):
        assert np.array_equal(first.test, second.test)
        assert sorted(Y[first.test]) == ["a", "a", "b", "b"]


def test_splitters_lists_and_masks():
    data = read_data(X, Y)
    assert len(read_folds(RepeatedKFold(n_splits=3, n_repeats=2), data, None)) == 6
    mask = np.arange(12) < 4
    (fold,) = read_folds([(mask, ~mask)], data, None)
    assert fold.train.tolist() == [0, 1, 2, 3] and fold.test.tolist() == list(range(4, 12))
    generator = KFold(3).split(X)
    assert len(read_folds(generator, data, None)) == 3


@pytest.mark.parametrize(
    ("cv", "message"),
    [
        ("ten", "cv is 'ten'"),
        (None, "cv is None"),
        ([], "no folds"),
        ([([0], [])], "fold 0"),
        (1, "n_splits"),
    ],
)
def test_refusals(cv, message):
    with pytest.raises(ValueError, match=message):
        read_folds(cv, read_data(X, Y), None)


def test_lengths():
    with pytest.raises(ValueError, match="inconsistent"):
        read_data(X, Y[:5])
    with pytest.raises(ValueError, match="inconsistent"):
        read_data(X, Y, groups=[1, 2])


def test_labels_arrive_unchanged_and_the_estimator_stays_unfitted():
    y = SoftLabels.from_confidences(Y, 0.7)
    model, data = CentroidClassifier(), read_data(X, y)
    folds = read_folds(3, data, None)
    answers = over_folds(model, data, folds, lambda fitted, X, y: (fitted.seen_, y))
    for fold, ((seen, asked), seconds) in zip(folds, answers, strict=True):
        assert isinstance(seen, SoftLabels) and isinstance(asked, SoftLabels)
        assert np.array_equal(seen.beliefs, y.beliefs[fold.train])
        assert np.array_equal(asked.beliefs, y.beliefs[fold.test])
        assert seconds >= 0
    assert not hasattr(model, "classes_")


@pytest.mark.parametrize("pipeline", [False, True])
def test_weights_reach_the_classifier(pipeline):
    model = CentroidClassifier()
    model = make_pipeline(StandardScaler(), model) if pipeline else model
    weights = np.arange(12.0)
    data = read_data(X, Y, sample_weight=weights)
    folds = read_folds(3, data, None)

    def ask(fitted, X, y):
        return (fitted[-1] if pipeline else fitted).weights_seen_

    for fold, (seen, _) in zip(folds, over_folds(model, data, folds, ask), strict=True):
        assert np.array_equal(seen, weights[fold.train])


def test_errors_say_in_which_fold():
    def ask(fitted, X, y):
        raise RuntimeError("no")

    data = read_data(X, Y)
    with pytest.raises(RuntimeError) as caught:
        over_folds(CentroidClassifier(), data, read_folds(3, data, None), ask)
    assert caught.value.__notes__ == ["in fold 0, fitting CentroidClassifier()"]
