"""Utilities of set predictions."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import accuracy_score

from labelief.labels import SoftLabels
from labelief.metrics import u65_score, u80_score


def _enumerated(truth, sets, classes, linear, square):
    values = []
    for z, named in zip(truth, sets, strict=True):
        members = [k for k, inside in zip(classes, named, strict=True) if inside]
        x = (z in members) / max(len(members), 1)
        values.append(linear * x - square * x**2)
    return np.mean(values)


@pytest.mark.parametrize(("score", "a", "b"), [(u65_score, 1.6, 0.6), (u80_score, 2.2, 1.2)])
def test_formula(score, a, b):
    rng = np.random.default_rng(0)
    classes = ["x", "y", "z", "w"]
    truth = rng.choice(classes, 50)
    sets = rng.uniform(size=(50, 4)) < 0.5
    expected = _enumerated(truth, sets, classes, a, b)
    assert score(truth, sets, classes=classes) == pytest.approx(expected)
    frame = pd.DataFrame(sets, columns=classes)[["w", "x", "z", "y"]]
    assert score(truth, frame) == pytest.approx(expected)
    y = SoftLabels.from_crisp(truth, classes=classes)
    assert score(y, sets, classes=classes) == pytest.approx(expected)
    sharp = np.eye(4)[rng.integers(0, 4, 50)]
    accuracy = accuracy_score(truth, np.array(classes)[sharp.argmax(axis=1)])
    assert score(truth, sharp, classes=classes) == pytest.approx(accuracy)


def test_named_values():
    for score, two in ((u65_score, 0.65), (u80_score, 0.8)):
        assert score([0], [[True, True]], classes=[0, 1]) == pytest.approx(two)
        assert score([0], [[True, False]], classes=[0, 1]) == pytest.approx(1)
        assert score([0], [[False, True]], classes=[0, 1]) == 0
        assert score([0], [[False, False]], classes=[0, 1]) == 0


def test_soft_labels_are_taken_at_their_pignistic_probabilities():
    y = SoftLabels.from_masses([{"a": 0.5, ("a", "b"): 0.3, ("a", "b", "c"): 0.2}], list("abc"))
    betp = np.array([0.5 + 0.15 + 0.2 / 3, 0.15 + 0.2 / 3, 0.2 / 3])
    assert u65_score(y, [[1, 1, 0]]) == pytest.approx((betp[0] + betp[1]) * 0.65)
    assert u80_score(y, [[0, 0, 1]]) == pytest.approx(betp[2])
    two = SoftLabels.concatenate([y, SoftLabels.from_crisp(["c"], classes=list("abc"))])
    assert u65_score(two, [[1, 0, 0], [1, 0, 1]]) == pytest.approx((betp[0] + 0.65) / 2)


def test_weights():
    sets, y = [[True, False], [True, False]], [0, 1]
    assert u65_score(y, sets, [3, 1]) == pytest.approx(0.75)


@pytest.mark.parametrize(
    ("sets", "message"),
    [
        ([[0.5, 1], [1, 0]], "row 0, column 0"),
        ([[1, 0]], "y_set has 1 rows"),
        ([[1, 0, 0], [1, 0, 0]], "3 columns, but 2 classes occur"),
    ],
)
def test_refusals(sets, message):
    with pytest.raises(ValueError, match=message):
        u65_score([0, 1], sets)
