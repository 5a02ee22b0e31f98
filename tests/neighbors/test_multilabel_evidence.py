from __future__ import annotations

import numpy as np
import pytest
from tests.neighbors.multilabel_oracle import by_subsets, statements

from labelief import LabelSets
from labelief.labels.label_matrix import read_label_matrix
from labelief.neighbors import multilabel_evidence
from labelief.neighbors.multilabel_evidence import binary, combine, direct
from labelief.neighbors.statements import Statements

LABELS = [(1, 4), (3, 10), (6, 10), (14, 9), (70, 6)]


def problem(n, k, Q, undecided, seed=0, rows=40, weights=None):
    rng = np.random.default_rng(seed)
    y = statements(rng, (rows, Q), undecided)
    neighbours = np.stack([rng.choice(rows, k, replace=False) for _ in range(n)])
    w = rng.random((n, k)) * 0.95 if weights is None else weights(rng, (n, k))
    return y, neighbours, w


def evidence(rule, y, neighbours, w):
    return combine(rule, Statements.of(read_label_matrix(y)), neighbours, np.log(w))


@pytest.mark.parametrize("undecided", [0.0, 0.3, 0.6, 0.9, 1.0])
@pytest.mark.parametrize(("Q", "k"), LABELS)
def test_direct_is_the_sum_over_all_subsets(Q, k, undecided):
    y, neighbours, w = problem(4, k, Q, undecided, seed=Q)
    got = evidence(direct, y, neighbours, w)
    assert not got.log_scale.any()
    for i in range(4):
        inside, outside, possible = by_subsets(y[neighbours[i]], w[i])
        np.testing.assert_allclose(got.inside[i], inside, rtol=1e-12)
        np.testing.assert_allclose(got.outside[i], outside, rtol=1e-12)
        np.testing.assert_allclose(got.possible[i, 0], possible, rtol=1e-12)


def test_small_weights_are_combined_too():
    y, neighbours, w = problem(4, 9, 5, 0.5, weights=lambda rng, shape: 1e-6 * rng.random(shape))
    got = evidence(direct, y, neighbours, w)
    for i in range(4):
        inside, outside, _ = by_subsets(y[neighbours[i]], w[i])
        np.testing.assert_allclose(got.inside[i], inside, rtol=1e-12)
        np.testing.assert_allclose(got.outside[i], outside, rtol=1e-12)


@pytest.mark.parametrize("undecided", [0.0, 0.4, 0.9])
def test_binary_is_the_sum_over_all_subsets_of_each_label(undecided):
    y, neighbours, w = problem(3, 8, 5, undecided)
    got = evidence(binary, y, neighbours, w)
    for i in range(3):
        for q in range(5):
            inside, outside, possible = by_subsets(y[neighbours[i]][:, [q]], w[i])
            np.testing.assert_allclose(got.inside[i, q], inside[0], rtol=1e-12)
            np.testing.assert_allclose(got.outside[i, q], outside[0], rtol=1e-12)
            np.testing.assert_allclose(got.possible[i, q], possible, rtol=1e-12)


@pytest.mark.parametrize("undecided", [0.0, 0.5, 0.9])
def test_one_label_makes_both_approaches_equal(undecided):
    y, neighbours, w = problem(20, 30, 1, undecided)
    one, two = evidence(direct, y, neighbours, w), evidence(binary, y, neighbours, w)
    for name in ("inside", "outside", "possible"):
        np.testing.assert_allclose(getattr(one, name), getattr(two, name), rtol=1e-11)


@pytest.mark.parametrize("undecided", [0.2, 0.7, 0.9])
def test_direct_is_the_combination_of_label_sets(undecided):
    y, neighbours, w = problem(5, 7, 4, undecided)
    got = evidence(direct, y, neighbours, w)
    combined = LabelSets.from_matrix(y[neighbours[:, 0]], w[:, 0])
    for j in range(1, 7):
        combined = combined.combine(LabelSets.from_matrix(y[neighbours[:, j]], w[:, j]))
    np.testing.assert_allclose(np.dstack((got.inside, got.outside)), combined.beliefs, rtol=1e-12)
    np.testing.assert_allclose(got.possible[:, 0], 1 - combined.empty_mass, rtol=1e-12)


def test_one_hot_labels_are_single_label_evidence():
    """k = 30: the unnormalised mass of {q} is (1 - Π_q (1-w)) Π_other (1-w) (Denœux 1995)."""
    rng = np.random.default_rng(3)
    classes = rng.integers(4, size=200)
    neighbours = np.stack([rng.choice(200, 30, replace=False) for _ in range(12)])
    w = 0.4 * rng.random((12, 30))
    got = evidence(direct, np.eye(4)[classes], neighbours, w)
    out = np.stack(
        [np.where(classes[neighbours] == q, 1 - w, 1.0).prod(axis=1) for q in range(4)], axis=1
    )
    nobody = out.prod(axis=1)
    mass = (1 - out) * nobody[:, None] / out
    np.testing.assert_allclose(got.inside, mass, rtol=1e-11)
    np.testing.assert_allclose(got.outside, mass.sum(axis=1, keepdims=True) - mass, rtol=1e-11)
    np.testing.assert_allclose(got.possible[:, 0], nobody + mass.sum(axis=1), rtol=1e-11)


def test_neighbours_who_agree_are_one_with_their_joint_weight():
    """k = 30, no contradiction: bel(q in) = 1 - Π (1 - w) over those who say q."""
    rng = np.random.default_rng(4)
    y = np.where(rng.random((30, 6)) < 0.3, 1.0, np.nan)
    w = 0.9 * rng.random((2, 30))
    got = evidence(direct, y, np.tile(np.arange(30), (2, 1)), w)
    expected = 1 - np.where((y == 1)[None], (1 - w)[:, :, None], 1.0).prod(axis=1)
    np.testing.assert_allclose(got.inside, expected, rtol=1e-12)
    assert not got.outside.any()
    np.testing.assert_allclose(got.possible, 1.0, rtol=1e-14)


@pytest.mark.parametrize("rule", [direct, binary])
def test_permuting_labels_or_neighbours_permutes_the_answer(rule):
    y, neighbours, w = problem(6, 25, 9, 0.6)
    plain = evidence(rule, y, neighbours, w)
    order = np.random.default_rng(0).permutation(9)
    turned = evidence(rule, y[:, order], neighbours, w)
    np.testing.assert_allclose(turned.inside, plain.inside[:, order], rtol=1e-11)
    mixed = evidence(rule, y, neighbours[:, ::-1], w[:, ::-1])
    np.testing.assert_allclose(mixed.outside, plain.outside, rtol=1e-11)
    swapped = evidence(rule, 1 - y, neighbours, w)
    np.testing.assert_allclose(swapped.inside, plain.outside, rtol=1e-11)


@pytest.mark.parametrize("rule", [direct, binary])
def test_blocks_and_company_do_not_matter(rule, monkeypatch):
    y, neighbours, w = problem(17, 20, 5, 0.7)
    w[3] *= 1e-30
    whole = evidence(rule, y, neighbours, w)
    monkeypatch.setattr(multilabel_evidence, "CELLS", 1)
    one_by_one = evidence(rule, y, neighbours, w)
    for name in ("inside", "outside", "possible", "log_scale"):
        np.testing.assert_allclose(getattr(one_by_one, name), getattr(whole, name), rtol=1e-12)


@pytest.mark.parametrize("rule", [direct, binary])
@pytest.mark.parametrize("exponent", [-17.0, -17.6, -150.0, -400.0, -1e5])
def test_tiny_weights_do_not_tie(rule, exponent):
    """To first order bel(q in) = Σ w over those who say q; only its ratios can be held."""
    y, neighbours, w = problem(5, 12, 6, 0.4, weights=lambda rng, shape: rng.random(shape))
    log_weights = np.log(w) + exponent * np.log(10)
    got = combine(rule, Statements.of(read_label_matrix(y)), neighbours, log_weights)
    inside = np.einsum("nk,nkq->nq", w, y[neighbours] == 1)
    outside = np.einsum("nk,nkq->nq", w, y[neighbours] == 0)
    scale = np.exp(got.log_scale - exponent * np.log(10))[:, None] if exponent > -300 else 1.0
    relative = got.inside * scale, got.outside * scale
    if exponent > -300:
        np.testing.assert_allclose(relative[0], inside, rtol=1e-12)
        np.testing.assert_allclose(relative[1], outside, rtol=1e-12)
    np.testing.assert_array_equal(got.inside >= got.outside, inside >= outside)


@pytest.mark.parametrize("rule", [direct, binary])
def test_weights_of_zero_give_no_belief(rule):
    y, neighbours, _ = problem(3, 5, 2, 0.3)
    got = combine(rule, Statements.of(read_label_matrix(y)), neighbours, np.full((3, 5), -np.inf))
    assert not got.inside.any() and not got.outside.any() and (got.possible == 1).all()


@pytest.mark.parametrize("undecided", [0.0, 0.3, 0.5, 0.8, 0.95])
def test_thirty_neighbours_keep_the_laws_of_beliefs(undecided):
    y, neighbours, w = problem(8, 30, 14, undecided, rows=100)
    got = evidence(direct, y, neighbours, w)
    assert (got.inside + got.outside <= got.possible * (1 + 1e-12)).all()
    assert (got.inside >= 0).all() and (got.possible <= 1).all()
    # a neighbour whose weight falls to nothing might as well not be there
    w[:, -1] = 1e-300
    fewer = evidence(direct, y, neighbours[:, :-1], w[:, :-1])
    again = evidence(direct, y, neighbours, w)
    opinion = fewer.inside > 0
    np.testing.assert_allclose(again.inside[opinion], fewer.inside[opinion], rtol=1e-11)
