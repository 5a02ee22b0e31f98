"""Decisions with costs against a loop over rows and classes."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelief.decisions import decide


@given(st.integers(0, 10_000), st.integers(1, 6), st.booleans())
def test_least_expected_cost(seed, K, reject):
    rng = np.random.default_rng(seed)
    proba = rng.dirichlet(np.ones(K), 10)
    loss = rng.normal(size=(K, K))
    limit = float(rng.normal()) if reject else None
    for row, chosen in zip(proba, decide(proba, loss, limit), strict=True):
        costs = [sum(loss[j, k] * row[k] for k in range(K)) for j in range(K)]
        best = int(np.argmin(costs))
        assert chosen == (-1 if reject and min(costs) > limit else best)


def test_zero_one_loss_takes_the_most_probable_and_chow_rejects_the_doubtful():
    rng = np.random.default_rng(0)
    proba = rng.dirichlet(np.ones(4), 50)
    loss = 1 - np.eye(4)
    assert np.array_equal(decide(proba, loss), proba.argmax(axis=1))
    kept = decide(proba, loss, reject=0.4) >= 0
    assert np.array_equal(kept, proba.max(axis=1) >= 0.6)


def test_loss_is_predicted_by_true():
    # to say "well" of an ill person costs 10, to say "ill" of a well one costs 1
    loss = [[0, 1], [10, 0]]
    classes = ["ill", "well"]
    assert decide([[0.2, 0.8]], loss, classes=classes).tolist() == ["ill"]
    assert decide([[0.2, 0.8]], np.transpose(loss), classes=classes).tolist() == ["well"]
    frame = pd.DataFrame([[0, 10], [1, 0]], index=["well", "ill"], columns=["well", "ill"])
    assert decide([[0.2, 0.8]], frame, classes=classes).tolist() == ["ill"]
    turned = pd.DataFrame({"well": [0.8], "ill": [0.2]})
    assert decide(turned, loss, classes=classes).tolist() == ["ill"]


def test_ties_go_to_the_first_class():
    assert decide([[0.5, 0.5]], 1 - np.eye(2)).tolist() == [0]
    assert decide([[0.5, 0.5]], 1 - np.eye(2), reject=0.5).tolist() == [0]


def test_kinds_of_answers():
    proba, loss = [[0.9, 0.1], [0.5, 0.5]], 1 - np.eye(2)
    assert decide(proba, loss).dtype == np.int64
    named = decide(proba, loss, classes=[7, 9])
    assert named.dtype == np.int64 and named.tolist() == [7, 7]
    with_reject = decide(proba, loss, reject=0.2, classes=[7, 9])
    assert with_reject.dtype == object and with_reject.tolist() == [7, None]
    assert decide(np.zeros((0, 2)), loss).shape == (0,)


def test_float32_probabilities_are_taken():
    proba = np.random.default_rng(1).dirichlet(np.ones(300), 20).astype(np.float32)
    assert np.array_equal(decide(proba, 1 - np.eye(300)), proba.argmax(axis=1))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (dict(proba=[[0.5, 0.5], [0.9, 0.3]]), "row 1 of proba"),
        (dict(proba=[[0.5, 0.5], [1.1, -0.1]]), "row 1 of proba"),
        (dict(proba=[[np.nan, 0.5]]), "row 0 of proba"),
        (dict(proba=[0.5, 0.5]), "two dimensions"),
        (dict(proba=[[0.2, 0.3, 0.5]]), r"loss has shape \(2, 2\)"),
        (dict(proba=[[0.5, 0.5]], classes=["a", "b", "c"]), "2 columns, but there are 3"),
        (dict(proba=[[0.5, 0.5]], classes=["a", "a"]), "more than once"),
        (dict(proba=[[0.5, 0.5]], reject=np.nan), "reject is nan"),
        (dict(proba=[[0.5, 0.5]], loss=[[0, np.inf], [1, 0]]), "must be finite"),
    ],
)
def test_refusals(arguments, message):
    with pytest.raises(ValueError, match=message):
        decide(**({"loss": 1 - np.eye(2)} | arguments))
