from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from labelief.kernels.independent_sets import independent_set_sums, masks_of


def graph(rng, m, share):
    joined = np.triu(rng.random((m, m)) < share, 1)
    return joined | joined.T


def by_subsets(joined, w, has):
    m = len(w)
    total, hitting = 0.0, np.zeros(has.shape[1])
    for size in range(m + 1):
        for chosen in combinations(range(m), size):
            if joined[np.ix_(chosen, chosen)].any():
                continue
            inside = np.isin(np.arange(m), chosen)
            weight = np.prod(np.where(inside, w, 1 - w))
            total += weight
            hitting += weight * has[list(chosen)].any(axis=0)
    return total, hitting


def sums(joined, w, has):
    """One call for a batch: joined (n, m, m), w (n, m), has (n, m, L)."""
    n, m = w.shape
    rows = np.arange(n * m).reshape(n, m)
    return independent_set_sums(
        np.log1p(-w), masks_of(joined), rows, has.reshape(n * m, -1).astype(float)
    )


@pytest.mark.parametrize("share", [0.0, 0.1, 0.3, 0.6, 1.0])
@pytest.mark.parametrize("m", [1, 2, 5, 10])
def test_sums_are_those_of_all_subsets(m, share):
    rng = np.random.default_rng(m)
    joined = np.stack([graph(rng, m, share) for _ in range(6)])
    w, has = rng.random((6, m)), rng.random((6, m, 4)) < 0.4
    got = sums(joined, w, has)
    for i in range(6):
        total, hitting = by_subsets(joined[i], w[i], has[i])
        np.testing.assert_allclose(got.total[i], total, rtol=1e-13)
        np.testing.assert_allclose(got.hitting[i], hitting, rtol=1e-13)


@pytest.mark.parametrize("m", [30, 33, 64])
def test_complete_graph(m):
    """At most one vertex is taken."""
    rng = np.random.default_rng(m)
    w, has = 0.3 * rng.random((3, m)), rng.random((3, m, 5)) < 0.3
    joined = np.broadcast_to(~np.eye(m, dtype=bool), (3, m, m))
    got = sums(joined, w, has)
    nobody = np.prod(1 - w, axis=1)
    alone = w / (1 - w) * nobody[:, None]
    np.testing.assert_allclose(got.total, nobody + alone.sum(axis=1), rtol=1e-12)
    np.testing.assert_allclose(got.hitting, np.einsum("nm,nml->nl", alone, has), rtol=1e-12)


@pytest.mark.parametrize("m", [30, 64])
def test_matchings_and_paths(m):
    """Closed form for pairs, a recurrence for a path."""
    rng = np.random.default_rng(m)
    w = rng.random((1, m))
    has = np.ones((1, m, 1))
    pairs = np.kron(np.eye(m // 2), [[0, 1], [1, 0]]).astype(bool)[None]
    got = sums(pairs, w, has)
    expected = np.prod(1 - w[0, ::2] * w[0, 1::2])
    np.testing.assert_allclose(got.total, expected, rtol=1e-12)
    np.testing.assert_allclose(got.hitting[:, 0], expected - np.prod(1 - w), rtol=1e-12)
    path = (np.abs(np.subtract.outer(np.arange(m), np.arange(m))) == 1)[None]
    open_, taken = 1.0, 0.0  # with the last vertex left out, and with it
    for weight in w[0]:
        open_, taken = (open_ + taken) * (1 - weight), open_ * weight
    np.testing.assert_allclose(sums(path, w, has).total, open_ + taken, rtol=1e-12)


def test_tiny_weights_keep_their_digits():
    rng = np.random.default_rng(0)
    w = 10.0 ** -rng.uniform(20, 200, (4, 12))
    joined = np.stack([graph(rng, 12, 0.4) for _ in range(4)])
    has = rng.random((4, 12, 3)) < 0.5
    got = sums(joined, w, has)
    np.testing.assert_allclose(got.hitting, np.einsum("nm,nml->nl", w, has), rtol=1e-12)


def test_graphs_of_a_batch_do_not_touch_each_other():
    rng = np.random.default_rng(1)
    joined = np.stack([graph(rng, 20, share) for share in (0.05, 0.3, 0.9)])
    w, has = rng.random((3, 20)), rng.random((3, 20, 4)) < 0.3
    together = sums(joined, w, has)
    for i in range(3):
        alone = sums(joined[i : i + 1], w[i : i + 1], has[i : i + 1])
        np.testing.assert_allclose(together.total[i], alone.total[0], rtol=1e-14)
        np.testing.assert_allclose(together.hitting[i], alone.hitting[0], rtol=1e-14)


def test_inputs_are_left_alone():
    rng = np.random.default_rng(2)
    joined = masks_of(graph(rng, 9, 0.3)[None])
    arrays = [np.log1p(-rng.random((1, 9))), joined, np.arange(9)[None], np.eye(9)]
    copies = [a.copy() for a in arrays]
    for a in arrays:
        a.flags.writeable = False
    independent_set_sums(*arrays)
    for a, b in zip(arrays, copies, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(
    ("m", "dtype"), [(1, np.uint8), (9, np.uint16), (30, np.uint32), (33, np.uint64)]
)
def test_masks(m, dtype):
    members = np.random.default_rng(m).random((5, m)) < 0.5
    masks = masks_of(members)
    assert masks.dtype == dtype
    expected = [sum(1 << int(i) for i in np.flatnonzero(row)) for row in members]
    assert masks.tolist() == expected
