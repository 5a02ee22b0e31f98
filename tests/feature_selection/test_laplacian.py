from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array
from tests.feature_selection import oracle

from labelief.feature_selection import laplacian as module
from labelief.feature_selection import (
    laplacian_score,
    semi_supervised_laplacian_score,
    weighted_laplacian_score,
)

RNG = np.random.default_rng(0)
N, K = 60, 3
X = RNG.normal(size=(N, 4)) + np.array([0, 3, 0, -200])
CODES = RNG.integers(K, size=N)


@pytest.mark.parametrize(("k", "scale"), [(1, 1.0), (5, 1.0), (5, 0.2), (59, 3.0)])
@pytest.mark.parametrize("sparse", [False, True])
def test_it_is_the_definition_with_n_by_n_matrices(k, scale, sparse):
    stored = csr_array(X) if sparse else X
    expected = oracle.laplacian(X, k, scale)
    np.testing.assert_allclose(laplacian_score(stored, k, scale), expected, rtol=1e-7)


def test_edges_in_pieces_and_other_orders(monkeypatch):
    whole = laplacian_score(X)
    monkeypatch.setattr(module, "_CELLS", 40)
    np.testing.assert_allclose(laplacian_score(X), whole, rtol=1e-12)
    np.testing.assert_allclose(laplacian_score(np.asfortranarray(X)), whole, rtol=1e-12)


def test_whole_numbers_do_not_overflow():
    small = RNG.integers(0, 256, size=(N, 3)).astype(np.uint8)
    expected = laplacian_score(small.astype(float), scale=100.0)
    np.testing.assert_allclose(laplacian_score(small, scale=100.0), expected)
    np.testing.assert_allclose(laplacian_score(csr_array(small), scale=100.0), expected)


def test_a_constant_feature_is_last_and_clusters_are_first():
    rows = np.column_stack([np.full(N, 0.1), X[:, 0], np.repeat([0.0, 9.0], N // 2) + X[:, 1]])
    scores = laplacian_score(rows)
    assert scores[0] == np.inf
    assert scores[2] < scores[1]


def test_the_mixture_is_the_ratio_of_mixed_forms():
    y = np.where(np.arange(N) % 3 == 0, None, CODES)
    told = np.flatnonzero(np.arange(N) % 3 != 0)
    label = np.equal.outer(CODES[told], CODES[told]).astype(float)
    graph = oracle.similarity(X, 4, 2.0)
    degree = graph.sum(axis=1)
    null = np.outer(degree, degree) / degree.sum()
    F = X - X.mean(axis=0)
    share, pairs, volume = 0.3, len(told) ** 2, graph.sum()
    alike = 0.7 * oracle.quadratic(label, F[told]) / pairs
    alike += share * oracle.quadratic(graph, F) / volume
    unlike = 0.7 * oracle.quadratic(1.0 - label, F[told]) / pairs
    unlike += share * oracle.quadratic(null, F) / volume
    got = semi_supervised_laplacian_score(X, y, graph_share=share, n_neighbors=4, scale=2.0)
    np.testing.assert_allclose(got, alike / unlike, rtol=1e-7)


def test_the_mixture_has_both_scores_as_its_ends():
    y = np.where(np.arange(N) % 3 == 0, None, CODES)
    told = np.arange(N) % 3 != 0
    labels = semi_supervised_laplacian_score(X, y, graph_share=0.0)
    np.testing.assert_allclose(labels, weighted_laplacian_score(X[told], CODES[told]), rtol=1e-12)
    graph = semi_supervised_laplacian_score(X, y, graph_share=1.0, n_neighbors=4, scale=2.0)
    np.testing.assert_array_equal(graph, laplacian_score(X, 4, 2.0))


def test_the_mixture_does_not_depend_on_the_units_of_a_feature():
    # of one that the distances hardly see, so that the graph stays as it is
    rows = np.column_stack([X, 1e-9 * RNG.normal(size=N)])
    other = rows * [1, 1, 1, 1, 1e-100]
    one = semi_supervised_laplacian_score(rows, CODES)
    np.testing.assert_allclose(semi_supervised_laplacian_score(other, CODES), one, rtol=1e-6)


def test_few_labels_and_clusters_find_what_neither_finds_alone():
    # feature 0 makes clusters that few labels confirm; feature 1 clusters that have nothing to do
    # with the classes; the rest is noise, some of which agrees with the few labels by chance
    hits = np.zeros(3)
    for seed in range(20):
        rng = np.random.default_rng(seed)
        truth = rng.integers(2, size=200)
        rows = rng.normal(size=(200, 30))
        rows[:, 0] += 5.0 * truth
        rows[:, 1] += 5.0 * rng.integers(2, size=200)
        y = np.where(np.arange(200) < 4, truth, None)
        y[:2] = truth[:2] = 0, 1
        rows[:2, 0] = rng.normal(size=2) + np.array([0, 5])
        for j, share in enumerate((0.0, 0.5, 1.0)):
            scores = semi_supervised_laplacian_score(rows, y, graph_share=share, scale=5.0)
            hits[j] += np.argmin(scores) == 0
    assert hits[1] >= 15
    assert hits[1] > hits[0]
    assert hits[1] > hits[2]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_neighbors": 60}, "59 neighbours"),
        ({"n_neighbors": 0}, "n_neighbors"),
        ({"scale": 0.0}, "scale"),
        ({"scale": 1e-300}, "too small"),
    ],
)
def test_bad_parameters_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        laplacian_score(X, **settings)


def test_a_mixture_needs_some_label_and_a_share():
    with pytest.raises(ValueError, match="graph_share"):
        semi_supervised_laplacian_score(X, CODES, graph_share=1.5)
    with pytest.raises(ValueError, match="No label says anything"):
        semi_supervised_laplacian_score(X, np.ones((N, 3)))
    bad = X.copy()
    bad[3, 1] = np.nan
    with pytest.raises(ValueError, match="row 3, column 1"):
        laplacian_score(bad)
