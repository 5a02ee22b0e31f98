from __future__ import annotations

import warnings

import numpy as np
import pytest

from labelief.channels import confusion

RNG = np.random.default_rng(0)


@pytest.mark.parametrize(("K", "S"), [(2, 2), (3, 3), (3, 4), (1, 1), (1, 2)])
def test_start_and_prior(K, S):
    start = confusion.near_identity(K, S)
    assert start.shape == (K, S)
    np.testing.assert_allclose(start.sum(axis=1), 1.0)
    if S > 1:
        np.testing.assert_allclose(np.diag(start), 0.8)
    prior = confusion.pseudo_counts(K, S)
    np.testing.assert_allclose(prior, np.where(np.eye(K, S) > 0, 1.0, 0.1))


def test_logits_and_their_gradient():
    matrices = RNG.dirichlet(np.ones(4), (5, 3))
    np.testing.assert_allclose(confusion.from_logits(np.log(matrices) + 7.0), matrices, rtol=1e-12)
    counts = RNG.random((5, 3, 4))
    logits = np.log(matrices)
    gradient = confusion.logit_gradient(counts, matrices)
    step = 1e-6 * RNG.normal(size=logits.shape)
    up, down = (np.sum(counts * np.log(confusion.from_logits(logits + s))) for s in (step, -step))
    assert (up - down) / 2 == pytest.approx(np.sum(gradient * step), rel=1e-6)


def test_logits_of_minus_infinity_leave_zero():
    got = confusion.from_logits(np.array([[0.0, -1e6]]))
    assert got[0, 1] > 0
    assert got[0, 0] == 1.0


def test_names_are_the_best_of_all_permutations():
    from itertools import permutations

    for seed in range(20):
        agreement = np.random.default_rng(seed).random((4, 4))
        names = confusion.best_names(agreement, np.ones(4, dtype=int))
        names = np.arange(4) if names is None else names
        best = max(permutations(range(4)), key=lambda p: sum(agreement[k, p[k]] for k in range(4)))
        np.testing.assert_array_equal(names, best)


def test_ties_keep_their_names():
    assert confusion.best_names(np.ones((3, 3)), np.ones(3, dtype=int)) is None
    assert confusion.best_names(np.zeros((3, 3)), np.ones(3, dtype=int)) is None


def test_warning_names_the_class():
    with pytest.warns(UserWarning, match="true class 1 .* 1 of 2 classes"):
        confusion.warn_of_doubtful_names(np.array([[0.9, 0.1], [0.8, 0.2]]), "It")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        confusion.warn_of_doubtful_names(np.array([[0.5, 0.5], [0.2, 0.8]]), "It")
