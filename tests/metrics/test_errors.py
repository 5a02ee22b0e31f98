"""Lower, upper and expected errors against enumeration, accuracy and quost2017's formulas."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, get_scorer, make_scorer
from sklearn.model_selection import GridSearchCV, cross_validate

from labelief.labels import SoftLabels
from labelief.metrics import (
    errors,
    expected_error,
    expected_error_scorer,
    lower_error,
    lower_error_scorer,
    upper_error,
    upper_error_scorer,
)

CLASSES = ["a", "b", "c", "d"]


def random_masses(rng, n, classes=CLASSES):
    """n random mass functions as dicts."""
    K = len(classes)
    rows = []
    for _ in range(n):
        codes = rng.choice(np.arange(1, 2**K), size=rng.integers(1, 5), replace=False)
        masses = rng.dirichlet(np.ones(len(codes)))
        rows.append(
            {
                frozenset(classes[k] for k in range(K) if code >> k & 1): mass
                for code, mass in zip(codes, masses, strict=True)
            }
        )
    return rows


def enumerated(rows, y_pred, loss, classes=CLASSES, weights=None):
    """Eq. 25 and 30, set by set."""
    code = {name: k for k, name in enumerate(classes)}
    bounds = []
    for row, predicted in zip(rows, y_pred, strict=True):
        costs = {subset: [loss[code[predicted], code[k]] for k in subset] for subset in row}
        bounds.append(
            (
                sum(mass * min(costs[subset]) for subset, mass in row.items()),
                sum(mass * max(costs[subset]) for subset, mass in row.items()),
            )
        )
    return np.average(bounds, axis=0, weights=weights)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 12), st.booleans(), st.booleans())
def test_enumeration(seed, n, zero_one, weighted):
    rng = np.random.default_rng(seed)
    rows = random_masses(rng, n)
    y = SoftLabels.from_masses(rows, CLASSES)
    y_pred = rng.choice(CLASSES, n)
    loss = 1 - np.eye(4) if zero_one else rng.normal(size=(4, 4)) * 10
    weights = rng.integers(0, 4, n) + (np.arange(n) == 0) if weighted else None
    low, high = enumerated(rows, y_pred, loss, weights=weights)
    given_loss = None if zero_one else loss
    assert lower_error(y, y_pred, given_loss, weights) == pytest.approx(low, abs=1e-12)
    assert upper_error(y, y_pred, given_loss, weights) == pytest.approx(high, abs=1e-12)
    for rho in (0, 0.3, 1):
        value = expected_error(y, y_pred, given_loss, weights, pessimism=rho)
        assert value == pytest.approx(rho * high + (1 - rho) * low, abs=1e-12)
    assert expected_error(y, y_pred, given_loss, weights) == pytest.approx((low + high) / 2)


@pytest.mark.parametrize("loss", [None, 1 - np.eye(4)])
def test_both_routes_and_any_block_length_agree(monkeypatch, loss):
    rng = np.random.default_rng(0)
    rows = random_masses(rng, 50)
    y, y_pred = SoftLabels.from_masses(rows, CLASSES), rng.choice(CLASSES, 50)
    expected = enumerated(rows, y_pred, 1 - np.eye(4))
    for cells in (1, 13, 1 << 20):
        monkeypatch.setattr(errors, "_CELLS", cells)
        found = lower_error(y, y_pred, loss), upper_error(y, y_pred, loss)
        assert found == pytest.approx(expected, abs=1e-12)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000))
def test_the_truth_lies_between_whatever_completes_the_labels(seed):
    rng = np.random.default_rng(seed)
    sets = [list(rng.choice(CLASSES, size=rng.integers(1, 5), replace=False)) for _ in range(20)]
    truth = [rng.choice(candidates) for candidates in sets]
    y_pred = rng.choice(CLASSES, 20)
    loss = rng.uniform(0, 5, (4, 4))
    y = SoftLabels.from_candidates(sets, CLASSES)
    real = expected_error(truth, y_pred, loss, classes=CLASSES)
    assert lower_error(y, y_pred, loss) - 1e-12 <= real <= upper_error(y, y_pred, loss) + 1e-12
    wrong = 1 - accuracy_score(truth, y_pred)
    assert lower_error(y, y_pred) - 1e-12 <= wrong <= upper_error(y, y_pred) + 1e-12


@pytest.mark.parametrize("kind", ["list", "strings", "integers", "column", "series", "soft"])
def test_crisp_labels_give_the_error_rate(kind):
    rng = np.random.default_rng(1)
    y, y_pred = rng.integers(0, 3, 30), rng.integers(0, 4, 30)
    weights = rng.uniform(size=30)
    expected = 1 - accuracy_score(y, y_pred, sample_weight=weights)
    if kind == "strings":
        y, y_pred = y.astype(str), y_pred.astype(str)
    elif kind == "list":
        y, y_pred = y.tolist(), y_pred.tolist()
    elif kind == "column":
        y = pd.DataFrame({"label": y}).iloc[:, 0]
    elif kind == "series":
        y, y_pred = pd.Series(y, index=rng.permutation(30)), pd.Series(y_pred)
    elif kind == "soft":
        y = SoftLabels.from_crisp(y, classes=[3, 1, 0, 2])
    assert lower_error(y, y_pred, None, weights) == pytest.approx(expected)
    assert upper_error(y, y_pred, None, weights) == pytest.approx(expected)


def test_possibility_arrays_and_frames():
    pl = np.array([[1.0, 0.4, 0.0], [0.2, 1.0, 1.0], [1.0, 1.0, 1.0]])
    # contour of nested sets: 1 - second largest is sure of the first class alone
    assert lower_error(pl, [1, 2, 0]) == pytest.approx((0.6 + 0 + 0) / 3)
    assert upper_error(pl, [0, 2, 0]) == pytest.approx((0.4 + 1 + 1) / 3)
    frame = pd.DataFrame(pl, columns=["x", "z", "y"])
    assert lower_error(frame, ["z", "y", "x"]) == pytest.approx(0.2)
    assert lower_error(pl, ["z", "y", "x"], classes=["x", "z", "y"]) == pytest.approx(0.2)
    with pytest.raises(ValueError, match=r"row 1.*not 1"):
        lower_error([[1.0, 0.2], [0.5, 0.4]], [0, 1])


def test_unknown_rows_count_from_zero_to_one():
    for y in (
        ["a", None, "b"],
        np.array(["a", None, "b"], dtype=object),
        pd.Series(["a", None, "b"]),
        SoftLabels.from_crisp(["a", None, "b"]),
    ):
        assert lower_error(y, ["a", "a", "a"]) == pytest.approx(1 / 3)
        assert upper_error(y, ["a", "a", "a"]) == pytest.approx(2 / 3)
    assert lower_error([1.0, np.nan], [1.0, 1.0]) == 0
    # also where one class only occurs, or none
    assert upper_error([None, "a"], ["a", "a"]) == 0.5
    assert upper_error([None, None], ["a", "a"]) == 1


def test_order_of_the_loss():
    y, y_pred = ["ill", "well", "well"], ["well", "well", "ill"]
    missed_illness = [[0, 1], [10, 0]]  # rows predicted: ill, well
    assert expected_error(y, y_pred, missed_illness) == pytest.approx(11 / 3)
    # classes= says the order of the matrix, for labels of every kind
    turned = [[0, 10], [1, 0]]
    for labels in (y, SoftLabels.from_crisp(y), SoftLabels.from_crisp(y, classes=["well", "ill"])):
        value = expected_error(labels, y_pred, turned, classes=["well", "ill"])
        assert value == pytest.approx(11 / 3)
    own = SoftLabels.from_crisp(y, classes=["well", "ill"])
    assert expected_error(own, y_pred, turned) == pytest.approx(11 / 3)
    frame = pd.DataFrame(turned, index=["well", "ill"], columns=["well", "ill"])
    assert expected_error(y, y_pred, frame) == pytest.approx(11 / 3)
    with pytest.raises(ValueError, match="rows of loss"):
        expected_error(y, y_pred, frame.rename(index={"ill": "sick"}))


def test_permuting_rows_or_classes_and_weights_as_repetitions():
    rng = np.random.default_rng(2)
    rows = random_masses(rng, 15)
    y, y_pred = SoftLabels.from_masses(rows, CLASSES), rng.choice(CLASSES, 15)
    loss = rng.uniform(size=(4, 4))
    weights = rng.integers(0, 3, 15)
    value = upper_error(y, y_pred, loss, weights)
    order = rng.permutation(15)
    assert upper_error(y[order], y_pred[order], loss, weights[order]) == pytest.approx(value)
    turn = rng.permutation(4)
    other = SoftLabels.from_masses(rows, [CLASSES[k] for k in turn])
    assert upper_error(other, y_pred, loss[np.ix_(turn, turn)], weights) == pytest.approx(value)
    many = np.repeat(np.arange(15), weights)
    assert upper_error(y[many], y_pred[many], loss) == pytest.approx(value)
    assert upper_error(y, y_pred, loss, weights * 1e300) == pytest.approx(value)


def test_many_classes_stay_light():
    rng = np.random.default_rng(3)
    K = 300
    sets = [rng.choice(K, 3, replace=False) for _ in range(400)]
    y = SoftLabels.from_candidates(sets, classes=range(K))
    y_pred = np.array([subset[0] for subset in sets])
    assert lower_error(y, y_pred) == 0
    assert upper_error(y, y_pred) == 1
    distance = np.abs(np.subtract.outer(np.arange(K), np.arange(K)))
    expected = np.mean([np.abs(s - s[0]).max() for s in sets])
    assert upper_error(y, y_pred, distance) == pytest.approx(expected)
    assert lower_error(y, y_pred, distance) == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (dict(y=["a", "b"], y_pred=["a"]), "y_pred has 1 rows, but y has 2"),
        (dict(y=[], y_pred=[]), "no class|no rows"),
        (dict(y=SoftLabels.from_crisp(["a", "b"]), y_pred=["a", "z"]), "'z'.*row 1"),
        (dict(y=["a", "b"], y_pred=["a", None]), "y_pred is missing in row 1"),
        (dict(y=["a", "b"], y_pred=[1, 2]), "different types"),
        (dict(y=["a", "b"], y_pred=["a", "b"], loss=np.eye(3)), r"loss has shape \(3, 3\)"),
        (dict(y=["a", "b"], y_pred=["a", "b"], loss=[[0, np.nan], [1, 0]]), r"loss\[0, 1\]"),
        (dict(y=["a", "b"], y_pred=["a", "b"], sample_weight=[1, -1]), "row 1"),
        (dict(y=["a", "b"], y_pred=["a", "b"], sample_weight=[1]), "sample_weight has shape"),
        (dict(y=["a", "b"], y_pred=["a", "b"], sample_weight=[0, 0]), "zero in every row"),
        (dict(y=["a", "b"], y_pred=["a", "b"], classes=["a", "c"]), "'b'"),
        (dict(y=SoftLabels.from_crisp(["a", "b"]), y_pred=["a", "b"], classes=["a", "c"]), "'c'"),
        (dict(y=None, y_pred=["a"]), "y should be"),
    ],
)
def test_refusals(arguments, message):
    with pytest.raises(ValueError, match=message):
        lower_error(**arguments)


@pytest.mark.parametrize("pessimism", [-0.1, 1.1, np.nan])
def test_pessimism_outside_the_unit_interval(pessimism):
    with pytest.raises(ValueError, match="pessimism"):
        expected_error([0, 1], [0, 1], pessimism=pessimism)


def test_mass_on_the_empty_set_is_refused():
    one = SoftLabels.from_confidences(["a", "a", "b"], [1, 0.5, 1], classes=["a", "b"])
    other = SoftLabels.from_confidences(["a", "b", "b"], [1, 0.5, 1], classes=["a", "b"])
    with pytest.raises(ValueError, match=r"empty set in row 1\b"):
        lower_error(one.combine(other, rule="conjunctive"), ["a", "a", "b"])
    assert lower_error(one.combine(other, rule="dempster"), ["a", "a", "b"]) > 0


def test_scorers_in_scikit_learn():
    X, truth = load_iris(return_X_y=True)
    model = LogisticRegression(max_iter=1000)
    scoring = {
        "lower": lower_error_scorer,
        "upper": upper_error_scorer,
        "expected": expected_error_scorer,
        "pessimist": make_scorer(expected_error, greater_is_better=False, pessimism=1.0),
        "accuracy": get_scorer("accuracy"),
    }
    for y in (truth, SoftLabels.from_crisp(truth)):
        result = cross_validate(model, X, y, cv=3, scoring=scoring)
        for name in ("lower", "upper", "expected", "pessimist"):
            assert result[f"test_{name}"] + 1 == pytest.approx(result["test_accuracy"])
    soft = SoftLabels.from_confidences(truth, 0.8)
    result = cross_validate(model, X, soft, cv=3, scoring=scoring)
    accuracy = 1 + cross_validate(model, X, truth, cv=3, scoring=lower_error_scorer)["test_score"]
    # 0.2 on the frame: sure of nothing wrong below 0.8, of nothing right above 0.2
    assert -result["test_lower"] == pytest.approx(0.8 * (1 - accuracy))
    assert -result["test_upper"] == pytest.approx(1 - 0.8 * accuracy)
    search = GridSearchCV(model, {"C": [1e-4, 1.0]}, scoring=expected_error_scorer, cv=3)
    assert search.fit(X, soft).best_params_ == {"C": 1.0}
