from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelief.audit import expected_gain


def brute_gain(beliefs, answers, loss):
    """Decide now; hear each answer, update by Bayes, decide again; average over answers."""
    classes = range(len(beliefs))
    now = min(sum(loss[d][k] * beliefs[k] for k in classes) for d in classes)
    later = 0.0
    for a in classes:
        chance = sum(answers[k][a] * beliefs[k] for k in classes)
        if chance == 0:
            continue
        updated = [answers[k][a] * beliefs[k] / chance for k in classes]
        later += chance * min(sum(loss[d][k] * updated[k] for k in classes) for d in classes)
    return now - later


def some_matrix(n_classes, rng):
    matrix = rng.random((n_classes, n_classes)) + np.eye(n_classes)
    return matrix / matrix.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("kind", ["rate", "matrix", "loss"])
def test_it_is_the_drop_in_expected_loss(n_classes, kind):
    rng = np.random.default_rng(n_classes)
    beliefs = rng.dirichlet(np.full(n_classes, 0.7), 30)
    loss = 1.0 - np.eye(n_classes)
    answers = np.where(np.eye(n_classes, dtype=bool), 0.8, 0.2 / (n_classes - 1))
    if kind == "rate":
        found = expected_gain(beliefs, 0.8)
    elif kind == "matrix":
        answers = some_matrix(n_classes, rng)
        found = expected_gain(beliefs, answers)
    else:
        loss = rng.random((n_classes, n_classes)) * 5 * loss
        found = expected_gain(beliefs, 0.8, loss)
    expected = [brute_gain(row, answers, loss) for row in beliefs]
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_of_two_classes_by_hand():
    # 0.6 now; a right answer 8 times in 10 decides: 0.8 * 0.6 + 0.8 * 0.4 = 0.8
    assert expected_gain([[0.6, 0.4]], 0.8) == pytest.approx([0.2])
    # believed more than the person is: no answer changes the decision
    assert expected_gain([[0.95, 0.05]], 0.9)[0] == 0.0
    # whoever knows all takes all error away
    assert expected_gain([[0.7, 0.2, 0.1]], 1.0) == pytest.approx([0.3])
    # whoever knows nothing is no use
    assert expected_gain([[0.4, 0.3, 0.3]], 1 / 3) == pytest.approx([0.0], abs=1e-15)


@given(st.integers(2, 6), st.floats(0.0, 1.0), st.integers(0, 2**31))
def test_information_never_hurts(n_classes, rate, seed):
    beliefs = np.random.default_rng(seed).dirichlet(np.full(n_classes, 0.5), 8)
    gain = expected_gain(beliefs, rate)
    assert np.all(gain >= 0)
    assert np.all(gain <= 1.0 - beliefs.max(axis=1) + 1e-12)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0.5, 0.5],), "two dimensions"),
        (([[0.5, 0.5]], 1.2), "between 0 and 1"),
        (([[0.5, 0.5]], np.eye(3)), "2 x 2"),
        (([[0.5, 0.5]], [[0.9, 0.2], [0.0, 1.0]]), "row 0 of reliability"),
        (([[0.5, 0.5]], 0.9, np.eye(3)), "loss has shape"),
    ],
)
def test_refusals(arguments, message):
    with pytest.raises(ValueError, match=message):
        expected_gain(*arguments)
