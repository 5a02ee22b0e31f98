from __future__ import annotations

import numpy as np
import pytest

from labelief import SoftLabels
from labelief.estimators.scoring import ExpectedErrorScore


class Fixed(ExpectedErrorScore):
    """Predicts what it was made with."""

    def __init__(self, predicted, classes=None):
        self.predicted = np.asarray(predicted)
        self.classes = classes
        self.classes_ = np.unique(self.predicted) if classes is None else np.sort(classes)

    def predict(self, X):
        return self.predicted


def test_crisp_labels_give_the_accuracy_and_unknown_ones_are_left_out():
    model = Fixed(["a", "b", "b", "a"])
    assert model.score(None, ["a", "b", "a", None]) == pytest.approx(2 / 3)
    assert model.score(None, ["a", "b", "a", None], [1, 1, 2, 5]) == pytest.approx(0.5)
    assert model.score(None, ["c"] * 4) == 0.0


def test_soft_labels_give_half_belief_and_half_plausibility():
    y = SoftLabels.from_masses([{"a": 0.6, ("a", "b"): 0.3, "b": 0.1}], ["a", "b", "c"])
    assert Fixed(["a"]).score(None, y) == pytest.approx((0.6 + 0.9) / 2)


def test_a_bare_matrix_has_its_columns_in_the_order_of_classes():
    y = np.array([[1.0, 0.0], [0.0, 1.0]])
    assert Fixed(["b", "a"], classes=["b", "a"]).score(None, y) == 1.0
    assert Fixed(["b", "a"]).score(None, y) == 0.0


def test_labels_that_say_nothing_have_no_score():
    with pytest.raises(ValueError, match="there is no score"):
        Fixed([0, 1]).score(None, SoftLabels.from_candidates([None, None], [0, 1]))
