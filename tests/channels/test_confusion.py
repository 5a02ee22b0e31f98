from __future__ import annotations

import numpy as np
import pytest

from labelief.channels.confusion import (
    best_names,
    from_logits,
    logit_gradient,
    near_identity,
    pseudo_counts,
    row_shares,
    warn_of_doubtful_names,
)


@pytest.mark.parametrize(("n_classes", "n_symbols"), [(1, 1), (1, 2), (2, 2), (3, 4), (5, 5)])
def test_start_and_prior(n_classes, n_symbols):
    start = near_identity(n_classes, n_symbols)
    assert start.shape == pseudo_counts(n_classes, n_symbols).shape == (n_classes, n_symbols)
    np.testing.assert_allclose(start.sum(axis=1), 1.0)
    assert np.all(start > 0)
    if n_symbols > 1:
        np.testing.assert_allclose(np.diagonal(start), 0.8)
    prior = pseudo_counts(n_classes, n_symbols)
    np.testing.assert_allclose(np.diagonal(prior), 1.0)
    assert prior.sum() == pytest.approx(n_classes * (1.0 + 0.1 * (n_symbols - 1)))


def test_rows_of_a_batch_are_shared_out():
    counts = np.array([[[1.0, 3.0], [2.0, 2.0]], [[5.0, 0.0], [0.5, 1.5]]])
    np.testing.assert_array_equal(
        row_shares(counts), [[[0.25, 0.75], [0.5, 0.5]], [[1.0, 0.0], [0.25, 0.75]]]
    )


def test_no_share_underflows_to_nothing():
    shares = from_logits(np.array([[0.0, -5000.0], [0.0, 1e4]]))
    assert np.all(shares > 0)
    np.testing.assert_allclose(shares, np.eye(2), atol=1e-300)


def test_the_gradient_vanishes_at_the_shares():
    counts = np.random.default_rng(0).gamma(1.0, 1.0, (4, 3, 3))
    np.testing.assert_allclose(logit_gradient(counts, row_shares(counts)), 0.0, atol=1e-12)
    uniform = np.full((4, 3, 3), 1 / 3)
    slope = logit_gradient(counts, uniform)
    np.testing.assert_allclose(slope, counts - counts.mean(axis=2, keepdims=True))


def test_names_are_left_where_a_tie_would_change_them():
    assert best_names(np.ones((3, 3)), np.ones(3, int)) is None
    assert best_names(np.array([[0.0, 1.0], [1.0, 0.0]]), np.ones(2, int)).tolist() == [1, 0]
    assert best_names(np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([1, 2])) is None


def test_a_class_called_otherwise_earns_a_warning():
    warn_of_doubtful_names(np.array([[0.5, 0.5], [0.1, 0.9]]), "The matrix")
    with pytest.warns(UserWarning, match="The matrix calls true class 1 by another name"):
        warn_of_doubtful_names(np.array([[0.9, 0.1], [0.6, 0.4]]), "The matrix")
