"""Utilities of set predictions."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import accuracy_score

from labelief.labels import SoftLabels
from labelief.metrics import mean_set_size, set_coverage, u65_score, u80_score


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


def test_coverage_is_belief_and_plausibility_of_the_sets():
    rng = np.random.default_rng(0)
    classes = list("abcd")
    rows = []
    for _ in range(40):
        sets = {tuple(rng.choice(classes, rng.integers(1, 5), replace=False)) for _ in range(3)}
        by_set = dict.fromkeys({frozenset(s) for s in sets}, 1.0)
        rows.append({s: m / len(by_set) for s, m in by_set.items()})
    y = SoftLabels.from_masses(rows, classes)
    named = rng.random((40, 4)) < 0.5
    weights = rng.random(40)
    lower, upper = [], []
    for i in range(40):
        members = {k for k, inside in zip(classes, named[i], strict=True) if inside}
        lower.append(sum(m for s, m in rows[i].items() if s <= members))
        upper.append(sum(m for s, m in rows[i].items() if s & members))
    found = set_coverage(y, named, weights)
    assert found.lower == pytest.approx(np.average(lower, weights=weights))
    assert found.upper == pytest.approx(np.average(upper, weights=weights))
    sizes = [len([k for k in row if k]) for row in named]
    assert mean_set_size(named, weights) == pytest.approx(np.average(sizes, weights=weights))


def test_coverage_of_crisp_labels_is_one_number():
    sets = pd.DataFrame({"b": [True, False, True], "a": [False, True, True]})
    found = set_coverage(["a", "a", "b"], sets)
    assert found.lower == found.upper == pytest.approx(2 / 3)
    assert mean_set_size(sets) == pytest.approx(4 / 3)
    for wrong in ([[0.5, 1.0]], [True, False]):
        with pytest.raises(ValueError, match="y_set"):
            mean_set_size(wrong)
    with pytest.raises(ValueError, match="row 0, column 1"):
        set_coverage([0, 1], [[1, 2], [0, 1]])
