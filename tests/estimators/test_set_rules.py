"""Rules for sets of classes, against enumeration."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelief import SoftLabels
from labelief.estimators.set_rules import (
    calibrate,
    conforming,
    evidence_bounds,
    fewest_classes,
    undominated,
)


@given(st.integers(0, 2**31), st.integers(1, 5), st.floats(0.01, 1.0))
def test_no_smaller_set_reaches_the_level(seed, n_classes, level):
    proba = np.random.default_rng(seed).dirichlet(np.full(n_classes, 0.5), 20)
    sets = fewest_classes(proba, level)
    every = (np.arange(2**n_classes)[:, None] >> np.arange(n_classes)) % 2 == 1
    for p, chosen in zip(proba, sets, strict=True):
        enough = every[every @ p >= level - 1e-9]
        assert p[chosen].sum() >= level - 1e-9
        assert chosen.sum() <= enough.sum(axis=1).min()
        assert p[chosen].sum() >= max(p[e].sum() for e in enough if e.sum() == chosen.sum()) - 1e-12


def test_a_class_leaves_when_another_is_surely_more_probable():
    lower = np.array([[0.5, 0.1, 0.0], [0.3, 0.3, 0.2]])
    upper = np.array([[0.9, 0.5, 0.4], [0.4, 0.4, 0.3]])
    assert undominated(lower, upper).tolist() == [[True, True, False], [True, True, True]]


AMOUNTS = st.just(0.0) | st.floats(1e-6, 100.0)


@given(st.integers(0, 2**31), AMOUNTS, AMOUNTS)
def test_bounds_hold_whatever_class_the_further_rows_have(seed, n_rows, strength):
    proba = np.random.default_rng(seed).dirichlet(np.ones(3), 10)
    lower, upper = evidence_bounds(proba, n_rows, strength)
    if n_rows + strength > 0:
        for k in range(3):
            shares = (n_rows * proba + strength * np.eye(3)[k]) / (n_rows + strength)
            np.testing.assert_allclose(shares[:, k], upper[:, k], atol=1e-12)
            others = np.delete(np.arange(3), k)
            np.testing.assert_allclose(shares[:, others], lower[:, others], atol=1e-12)
    assert np.all(undominated(lower, upper)[np.arange(10), np.argmax(proba, axis=1)])
    if n_rows == 0:
        assert np.all(undominated(lower, upper))


@pytest.mark.parametrize("level", [0.05, 0.5, 0.8, 0.9, 0.99])
def test_crisp_labels_give_the_order_statistic_of_split_conformal_prediction(level):
    rng = np.random.default_rng(0)
    proba, y = rng.dirichlet(np.ones(3), 40), rng.integers(0, 3, 40)
    scores = np.sort(1.0 - proba[np.arange(40), y])
    rank = int(np.ceil(level * 41 - 1e-9))
    calibration = calibrate(proba, SoftLabels.from_crisp(y, classes=[0, 1, 2]))
    expected = scores[rank - 1] if rank <= 40 else np.inf
    assert calibration.threshold(level) == expected
    assert calibration.n_rows == 40


@given(st.integers(0, 2**31), st.floats(0.1, 0.9))
def test_the_threshold_is_the_least_that_belief_allows(seed, level):
    rng = np.random.default_rng(seed)
    classes = list("abc")
    rows = []
    for _ in range(12):
        sets = {frozenset(rng.choice(classes, rng.integers(1, 4), replace=False)) for _ in range(2)}
        masses = rng.dirichlet(np.ones(len(sets)))
        rows.append(dict(zip(sets, masses, strict=True)))
    rows.append({frozenset(classes): 1.0})
    proba = rng.dirichlet(np.ones(3), 13)
    calibration = calibrate(proba, SoftLabels.from_masses(rows, classes))
    told = [i for i, row in enumerate(rows) if set(row) != {frozenset(classes)}]

    def belief(q):
        total = 0.0
        for i in told:
            near = {k for k, p in zip(classes, proba[i], strict=True) if 1.0 - p <= q}
            total += sum(m for s, m in rows[i].items() if s <= near)
        return total

    assert calibration.n_rows == len(told)
    wanted = level * (len(told) + 1)
    candidates = [q for q in np.unique(1.0 - proba[told]) if belief(q) >= wanted - 1e-9]
    assert calibration.threshold(level) == (min(candidates) if candidates else np.inf)


def test_no_set_is_empty():
    proba = np.array([[0.5, 0.5], [0.1, 0.9]])
    assert conforming(proba, 0.0).tolist() == [[True, False], [False, True]]
    assert conforming(proba, np.inf).all()
