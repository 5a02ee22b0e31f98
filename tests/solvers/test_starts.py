from __future__ import annotations

import numpy as np
import pytest
from tests.models.families import FAMILIES, rows_for

from labelief.blocks import ArrayBlocks, Block, Dense, Symbols
from labelief.channels import Trusted
from labelief.kernels.namespace import to_host
from labelief.solvers import given_start, make_start

K = 3
CENTERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
SPLIT = np.array([0, 0, 1, 2, 2])


def rows(n=90, n_clusters=K, seed=0):
    """Return positive rows in well separated clusters, and the cluster of each."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % n_clusters
    return np.exp(CENTERS[truth] + 0.05 * rng.normal(size=(n, 2))), truth


def start_of(X, evidence, init="auto", classes=(0, 1, 2), name="full", weights=None, seed=0):
    """Return the first responsibilities, (n, J)."""
    blocks = ArrayBlocks(X, evidence, weights)
    density = FAMILIES[name]
    frame = density.frame(blocks)
    look = Trusted().bind(K, evidence).first_look()
    start = make_start(
        blocks,
        density,
        frame,
        look,
        np.array(classes),
        K,
        init=init,
        generator=np.random.default_rng(seed),
    )
    return blocks.map_rows(start.kernel, start.parameters, 20)


def means_of(X, R):
    return R.T @ X / R.sum(axis=0)[:, None]


def closest_pair(X, R):
    z = (X - X.mean(axis=0)) / X.std(axis=0)
    means = means_of(z, R)
    distance = np.linalg.norm(means[:, None] - means[None], axis=2)
    return np.min(distance + 1e9 * np.eye(len(means)))


def vacuous(n, value=0.7):
    return Dense(np.full((n, K), value))


def unknown(n):
    return Symbols(np.full(n, K), K)


# ------------------------------------------------------------------- labels that say nothing


@pytest.mark.parametrize("classes", [(0, 1, 2), (0, 0, 1, 2, 2)])
@pytest.mark.parametrize("init", ["auto", "kmeans", "random"])
@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("form", [vacuous, unknown])
def test_vacuous_labels_never_give_equal_means(form, name, init, classes):
    X = rows_for(name, rows()[0])
    if len(np.unique(X, axis=0)) < len(classes):
        # Rows of zeros and ones in two columns have no five points to give.
        classes = (0, 1, 2)
    for seed in range(3):
        R = start_of(X, form(len(X)), init, classes, name, seed=seed)
        np.testing.assert_allclose(R.sum(axis=1), 1.0, rtol=1e-12)
        assert closest_pair(X, R) > 1e-3


@pytest.mark.parametrize("label", [[1.0, 0.8, 0.5], [0.2, 0.3, 0.25]])
def test_the_same_soft_label_everywhere_is_no_start(label):
    X, _ = rows()
    R = start_of(X, Dense(np.tile(label, (len(X), 1))))
    assert closest_pair(X, R) > 0.1


def test_two_classes_that_labels_never_tell_apart():
    X, truth = rows()
    pl = np.where((truth == 0)[:, None], [1.0, 0.0, 0.0], [0.0, 1.0, 1.0])
    R = start_of(X, Dense(pl))
    assert closest_pair(X, R) > 0.1
    np.testing.assert_allclose(R[truth == 0], [[1.0, 0.0, 0.0]] * 30, atol=1e-9)


@pytest.mark.parametrize("init", ["random", "kmeans"])
@pytest.mark.parametrize("seed", range(6))
def test_rows_that_are_often_repeated_do_not_put_centres_on_one_point(seed, init):
    X = np.repeat(np.exp(CENTERS[:3]), [50, 2, 2], axis=0)
    R = start_of(X, vacuous(len(X)), init, seed=seed)
    assert closest_pair(X, R) > 0.1


def test_clusters_are_found_and_are_the_start():
    X, truth = rows()
    R = start_of(X, vacuous(len(X)))
    found = R.argmax(axis=1)
    pairs = {(int(a), int(b)) for a, b in zip(found, truth, strict=True)}
    assert len(pairs) == K
    assert R.max(axis=1).min() > 0.9


# ---------------------------------------------------------------------- labels that say much


def test_crisp_labels_are_the_start():
    X, truth = rows()
    weights = np.random.default_rng(0).uniform(0.5, 2.0, len(X))
    codes = np.where(np.arange(len(X)) % 4 == 0, K, truth)
    expected = np.where((codes == K)[:, None], 0.0, np.eye(K)[truth]) * weights[:, None]
    for init in ("auto", "labels", "kmeans"):
        got = start_of(X, Symbols(codes, K), init, weights=weights)
        np.testing.assert_allclose(got, expected, rtol=1e-13, atol=1e-13)


def test_soft_labels_count_by_what_they_say():
    X, truth = rows()
    pl = np.full((len(X), K), 0.4)
    pl[np.arange(len(X)), truth] = np.where(np.arange(len(X)) < 45, 1.0, 0.5)
    R = start_of(X, Dense(pl))
    np.testing.assert_array_equal(R.argmax(axis=1), truth)
    # A class's share never goes against its plausibility.
    for row, share in zip(pl, R, strict=True):
        assert np.all(np.diff(share[np.argsort(row, kind="stable")]) >= -1e-12)
    silent = pl.copy()
    silent[:30] = 0.4
    np.testing.assert_allclose(start_of(X, Dense(silent))[:30], 0.0, atol=1e-12)


def test_components_split_inside_their_classes():
    X, cluster = rows(120, 4)
    truth = np.array([0, 0, 1, 2])[cluster]
    R = start_of(X, Symbols(truth, K), classes=(0, 0, 1, 2))
    by_class = R @ np.eye(K)[[0, 0, 1, 2]]
    np.testing.assert_array_equal(by_class, np.eye(K)[truth])
    # The two components of class 0 are its two clusters.
    inside = R[truth == 0][:, :2].argmax(axis=1) != cluster[truth == 0]
    assert inside.all() or not inside.any()


def test_components_of_overlapping_classes_never_cross():
    # Labels that have nothing to do with the features: each row's nearest centre is of any class.
    X, _ = rows(120, 4)
    truth = np.random.default_rng(2).integers(0, K, 120)
    R = start_of(X, Symbols(truth, K), classes=(0, 0, 1, 1, 2, 2))
    by_class = R @ np.eye(K)[[0, 0, 1, 1, 2, 2]]
    np.testing.assert_array_equal(by_class, np.eye(K)[truth])
    assert np.all(R.sum(axis=0) > 5)


@pytest.mark.parametrize("init", ["auto", "kmeans", "random"])
def test_every_start_keeps_rows_within_the_classes_that_labels_allow(init):
    X, truth = rows()
    allowed = np.eye(K)[truth] + np.eye(K)[(truth + 1) % K]
    R = start_of(X, Dense(allowed), init, SPLIT)
    outside = R * (allowed[:, SPLIT] == 0)
    np.testing.assert_allclose(outside, 0.0, atol=1e-12)
    assert np.all(R.sum(axis=1) > 0)


# --------------------------------------------------------------------- labels that say a little


def test_matched_clusters_bear_the_names_of_their_labels():
    # Class 2 has no label of its own: clusters are found, and named by the labels that exist.
    for order in ([0, 1, 2], [2, 0, 1], [1, 2, 0]):
        X, cluster = rows()
        truth = np.array(order)[cluster]
        codes = np.full(len(X), K)
        for k in (0, 1):
            codes[np.flatnonzero(truth == k)[:3]] = k
        R = start_of(X, Symbols(codes, K))
        np.testing.assert_array_equal(R.argmax(axis=1), truth)


def test_matched_components_go_to_the_class_of_their_rows():
    X, cluster = rows(120, 4)
    truth = np.array([0, 0, 1, 2])[cluster]
    codes = np.where((truth < 2) & (np.arange(120) % 3 == 0), truth, K)
    R = start_of(X, Symbols(codes, K), classes=(0, 0, 1, 2))
    by_class = R @ np.eye(K)[[0, 0, 1, 2]]
    np.testing.assert_array_equal(by_class.argmax(axis=1), truth)


def test_labels_may_be_insisted_on():
    X, truth = rows()
    codes = np.where(truth == 2, K, truth)
    with pytest.raises(ValueError, match=r"too little of class 2.*kmeans"):
        start_of(X, Symbols(codes, K), "labels")


# -------------------------------------------------------------------------------- repeatability


@pytest.mark.parametrize("classes", [(0, 1, 2), (0, 0, 1, 2, 2)])
@pytest.mark.parametrize("labelled", [False, True])
def test_the_automatic_start_takes_no_chances(labelled, classes):
    X, truth = rows()
    evidence = Symbols(truth, K) if labelled else vacuous(len(X))
    one, two = (start_of(X, evidence, classes=classes, seed=seed) for seed in (0, 1))
    np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("init", ["kmeans", "random"])
def test_chance_is_the_seeds(init):
    X, _ = rows(300, 4)
    evidence = vacuous(len(X))
    starts = [start_of(X, evidence, init, SPLIT, seed=seed) for seed in (0, 0, 1)]
    np.testing.assert_array_equal(starts[0], starts[1])
    assert np.abs(starts[0] - starts[2]).max() > 0.1


@pytest.mark.parametrize("classes", [(0, 1, 2), (0, 0, 1, 2, 2)])
@pytest.mark.parametrize("labelled", [False, True])
def test_a_weight_of_two_is_a_row_twice(labelled, classes):
    X, truth = rows(60)
    times = np.random.default_rng(1).integers(1, 4, 60)

    def evidence(codes):
        return Symbols(codes, K) if labelled else unknown(len(codes))

    once = start_of(X, evidence(truth), classes=classes, weights=times.astype(float))
    again = np.repeat(np.arange(60), times)
    twice = start_of(X[again], evidence(truth[again]), classes=classes)
    np.testing.assert_allclose(once, twice[np.searchsorted(again, np.arange(60))] * times[:, None])


def test_the_order_of_rows_does_not_matter():
    X, _ = rows()
    order = np.random.default_rng(0).permutation(len(X))
    evidence = vacuous(len(X))
    R = start_of(X, evidence, classes=SPLIT)
    shuffled = start_of(X[order], evidence, classes=SPLIT)
    np.testing.assert_allclose(shuffled, R[order], rtol=1e-6, atol=1e-9)


# -------------------------------------------------------------------------------- other matters


def test_a_given_start_is_weighted_like_any_other():
    R = np.random.default_rng(0).dirichlet(np.ones(2), 5)
    weights = np.arange(1.0, 6.0)
    start = given_start()
    block = Block(np.zeros((5, 1)), None, weights, R)
    np.testing.assert_array_equal(start.kernel(block, start.parameters), R * weights[:, None])
    plain = Block(np.zeros((5, 1)), None, None, R)
    np.testing.assert_array_equal(start.kernel(plain, start.parameters), R)


@pytest.mark.parametrize("init", ["auto", "kmeans", "random"])
@pytest.mark.parametrize("labelled", [False, True])
def test_starts_are_the_same_in_every_library(xp, labelled, init):
    X, truth = rows()
    evidence = Symbols(truth, K) if labelled else vacuous(len(X))
    expected = start_of(X, evidence, init, SPLIT)
    got = start_of(xp.asarray(X), evidence, init, SPLIT)
    np.testing.assert_allclose(to_host(got), expected, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("init", ["auto", "kmeans", "random"])
@pytest.mark.parametrize("n", [1, 2, 4])
def test_fewer_rows_than_components(n, init):
    X, _ = rows(n)
    R = start_of(X, unknown(n), init, (0, 0, 1, 1, 2), "diagonal")
    assert R.shape == (n, 5)
    np.testing.assert_allclose(R.sum(axis=1), 1.0, rtol=1e-12)


@pytest.mark.parametrize("init", ["auto", "kmeans", "random"])
def test_features_without_variance(init):
    X = np.full((12, 2), 3.0)
    R = start_of(X, unknown(12), init, SPLIT)
    np.testing.assert_allclose(R.sum(axis=1), 1.0, rtol=1e-12)
    np.testing.assert_array_equal(
        start_of(X, Symbols(np.arange(12) % 3, K), init) > 0.5, np.eye(K)[np.arange(12) % 3] > 0.5
    )
