from __future__ import annotations

import numpy as np
import pytest

from labelief.blocks import ArrayBlocks, measure_moments
from labelief.blocks.frames import axes, standardised, whitening

RNG = np.random.default_rng(0)
Z = RNG.normal(size=(300, 4))


def white(X, weights=None, **settings):
    blocks = ArrayBlocks(X, weights=weights, **settings)
    return whitening(blocks, measure_moments(blocks, full=True))


def coordinates(frame, X):
    center, basis, _ = frame.arrays
    return (X - center) @ basis


def ill_conditioned(condition):
    left, _ = np.linalg.qr(RNG.normal(size=(4, 4)))
    right, _ = np.linalg.qr(RNG.normal(size=(4, 4)))
    return Z @ left @ np.diag(np.geomspace(1, 1 / condition, 4)) @ right


@pytest.mark.parametrize("condition", [1, 1e2, 1e4, 1e6, 1e9])
def test_total_covariance_is_the_identity(condition):
    X = ill_conditioned(condition)
    w = RNG.uniform(0.2, 2.0, 300)
    frame = white(X, w)
    assert frame.rank == 4
    z = coordinates(frame, X)
    second = (z * w[:, None]).T @ z / w.sum()
    np.testing.assert_allclose(second, np.eye(4), atol=max(1e-9, 3e-16 * condition))


@pytest.mark.parametrize("condition", [1, 1e2, 1e4, 1e6, 1e9])
def test_inverse_undoes_the_coordinates(condition):
    X = ill_conditioned(condition)
    frame = white(X)
    np.testing.assert_allclose(frame.locations(coordinates(frame, X)), X, atol=1e-12)
    covariance = frame.covariances(np.eye(4)[None])[0]
    np.testing.assert_allclose(covariance, np.cov(X.T, bias=True), atol=1e-13)
    volume = 0.5 * np.linalg.slogdet(np.cov((X * 1.0).T, bias=True))[1] if condition < 1e5 else None
    if volume is not None:
        assert frame.log_volume == pytest.approx(volume, abs=1e-6)


@pytest.mark.parametrize("units", [1.0, 1e-150, 1e150, "mixed"])
@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_units_and_offsets(units, offset):
    units = np.array([1e150, 1.0, 1e-150, 1e3]) if units == "mixed" else np.full(4, units)
    X = (Z + offset) * units
    frame = white(X)
    z = coordinates(frame, X)
    np.testing.assert_allclose(z.T @ z / 300, np.eye(4), atol=1e-8)
    volume = 0.5 * np.linalg.slogdet(np.cov(Z.T, bias=True))[1] + np.sum(np.log(units))
    assert frame.log_volume == pytest.approx(volume, rel=1e-9)


@pytest.mark.parametrize("offset", [0.0, 1e6, 1e9])
def test_dependent_and_constant_columns_are_cut(offset):
    base = Z[:, :2] + offset
    X = np.column_stack([base, base[:, 0], np.full(300, 7.0), base[:, 1], -base[:, 0]])
    frame = white(X)
    assert frame.rank == 2
    assert frame.basis.shape == (6, 2)
    z = coordinates(frame, X)
    np.testing.assert_allclose(z.T @ z / 300, np.eye(2), atol=1e-6)
    np.testing.assert_allclose(frame.locations(z), X, atol=1e-6 * (1 + 1e-9 * offset))


def test_sums_of_columns_are_cut():
    X = np.column_stack([Z, Z @ [1.0, -2.0, 0.5, 3.0]])
    assert white(X).rank == 4


@pytest.mark.parametrize("n", [1, 2, 3, 4])
@pytest.mark.parametrize("offset", [0.0, 1e7])
def test_fewer_rows_than_features(n, offset):
    X = RNG.normal(size=(n, 4)) + offset
    frame = white(X)
    assert frame.rank == n - 1
    np.testing.assert_allclose(frame.locations(coordinates(frame, X)), X, rtol=1e-9)
    assert np.isfinite(frame.log_volume)


def test_a_direction_with_little_variance_is_kept():
    X = np.column_stack([Z[:, 0], Z[:, 0] + 1e-10 * Z[:, 1]])
    frame = white(X)
    assert frame.rank == 2
    z = coordinates(frame, X)
    np.testing.assert_allclose(z.T @ z / 300, np.eye(2), atol=1e-4)


def test_volume_of_a_plane_in_space():
    # An isometric embedding keeps the volume.
    isometry, _ = np.linalg.qr(RNG.normal(size=(5, 2)))
    flat, tilted = white(Z[:, :2]), white(Z[:, :2] @ isometry.T)
    assert tilted.rank == 2
    assert tilted.log_volume == pytest.approx(flat.log_volume, rel=1e-9)


def test_constant_features_alone():
    frame = white(np.ones((5, 3)))
    assert frame.rank == 0
    assert frame.log_volume == 0.0
    np.testing.assert_array_equal(frame.locations(np.empty((2, 0))), np.ones((2, 3)))


def test_diagonal_is_the_total_variances_in_the_frame():
    X = ill_conditioned(100.0)
    frame = white(X)
    expected = frame.basis.T @ np.diag(X.var(axis=0)) @ frame.basis
    np.testing.assert_allclose(frame.diagonal, expected, rtol=1e-9, atol=1e-9)


def test_axes_scale_and_cut():
    X = np.column_stack([3 * Z[:, 0] + 1e5, np.full(300, 2.0), Z[:, 1] * 1e-150])
    moments = measure_moments(ArrayBlocks(X), full=False)
    frame = axes(moments)
    np.testing.assert_array_equal(frame.columns, [0, 2])
    columns, center, inverse = frame.arrays
    z = (X[:, columns] - center) * inverse
    np.testing.assert_allclose(z.mean(axis=0), 0, atol=1e-9)
    np.testing.assert_allclose(z.std(axis=0), 1, rtol=1e-9)
    np.testing.assert_allclose(frame.locations(z), X, rtol=1e-12)
    assert frame.log_volume == pytest.approx(np.sum(np.log(X.std(axis=0)[[0, 2]])))
    covariance = frame.covariances(np.array([[1.0, 4.0]]))[0]
    np.testing.assert_allclose(
        np.diag(covariance), [X[:, 0].var(), 0.0, 4 * X[:, 2].var()], rtol=1e-9
    )
    assert np.count_nonzero(covariance) == 1 + (covariance[2, 2] > 0)


def test_axes_with_one_scale_keep_their_proportions():
    X = Z * [1.0, 10.0, 100.0, 0.1]
    frame = axes(measure_moments(ArrayBlocks(X), full=False), common_scale=True)
    assert np.ptp(frame.scale) == 0.0
    assert frame.scale[0] ** 2 == pytest.approx(X.var(axis=0).mean())


def test_all_columns_need_no_selection():
    frame = axes(measure_moments(ArrayBlocks(Z), full=False))
    assert frame.arrays[0] is None


@pytest.mark.parametrize("rank", [4, 3])
def test_an_affine_change_turns_the_coordinates_and_no_more(rank):
    rng = np.random.default_rng(8)
    X = rng.normal(size=(30, rank)) @ rng.normal(size=(rank, 4))
    change = rng.normal(size=(4, 4)) * 10.0 ** np.array([-3.0, 0.0, 1.0, 4.0])
    one, two = (
        whitening(blocks, measure_moments(blocks, full=True))
        for blocks in (ArrayBlocks(X), ArrayBlocks(X @ change + [5.0, -1e3, 0.0, 1e5]))
    )
    assert one.rank == two.rank == rank
    z, turned = (
        (data - frame.moments.mean) @ frame.basis
        for data, frame in ((X, one), (X @ change + [5.0, -1e3, 0.0, 1e5], two))
    )
    np.testing.assert_allclose(turned @ turned.T, z @ z.T, atol=1e-6)
    if rank == 4:
        growth = np.linalg.slogdet(change)[1]
        assert two.log_volume == pytest.approx(one.log_volume + growth, abs=1e-8)


def test_a_weight_of_two_is_a_row_twice_in_the_frame():
    rng = np.random.default_rng(9)
    X = rng.normal(size=(25, 3)) @ rng.normal(size=(3, 4))
    times = rng.integers(1, 4, 25)
    one, two = (
        whitening(blocks, measure_moments(blocks, full=True))
        for blocks in (
            ArrayBlocks(X, weights=times.astype(float)),
            ArrayBlocks(np.repeat(X, times, axis=0)),
        )
    )
    assert one.rank == two.rank == 3
    assert one.log_volume == pytest.approx(two.log_volume, rel=1e-10)
    np.testing.assert_allclose(one.basis @ one.basis.T, two.basis @ two.basis.T, rtol=1e-8)


def test_locations_and_covariances_go_back_to_the_features():
    rng = np.random.default_rng(10)
    X = rng.normal(size=(40, 3)) @ rng.normal(size=(3, 3)) + 100.0
    frame = whitening(ArrayBlocks(X), measure_moments(ArrayBlocks(X), full=True))
    z = (X - frame.moments.mean) @ frame.basis
    np.testing.assert_allclose(frame.locations(z), X, rtol=1e-12)
    part = z[:20]
    np.testing.assert_allclose(
        frame.covariances(np.cov(part.T, ddof=0)), np.cov(X[:20].T, ddof=0), rtol=1e-9
    )
    stacked = frame.covariances(np.stack([np.eye(3), 2.0 * np.eye(3)]))
    np.testing.assert_allclose(stacked[1], 2.0 * np.cov(X.T, ddof=0), rtol=1e-9)
    np.testing.assert_array_equal(stacked, np.swapaxes(stacked, 1, 2))


@pytest.mark.parametrize("dependent", [False, True])
def test_whitening_in_any_array_library(xp, dependent):
    rng = np.random.default_rng(11)
    X = rng.normal(size=(60, 3))
    if dependent:
        X = np.column_stack([X, X[:, 0] + 1e-7 * rng.normal(size=60)])
    here, there = (
        whitening(blocks, measure_moments(blocks, full=True))
        for blocks in (ArrayBlocks(X), ArrayBlocks(xp.asarray(X), block_rows=17))
    )
    assert here.rank == there.rank == X.shape[1]
    z = (X - there.moments.mean) @ there.basis
    np.testing.assert_allclose(np.cov(z.T, ddof=0), np.eye(X.shape[1]), atol=1e-6)
    assert there.log_volume == pytest.approx(here.log_volume, rel=1e-6)


def test_volume_of_a_plane_whose_columns_have_units_far_apart():
    first, second = Z[:, 0], Z[:, 1]
    X = np.column_stack([1e-120 * (first + second), 1e120 * first, second])
    frame = white(X)
    assert frame.rank == 2
    # The smallest column adds nothing that could be seen.
    plain = white(np.column_stack([first, second]))
    assert frame.log_volume == pytest.approx(plain.log_volume + np.log(1e120))


@pytest.mark.parametrize("units", [1.0, 1e-150, 1e150])
@pytest.mark.parametrize("dependent", [False, True])
def test_distances_and_angles_of_the_features_but_for_one_scale(units, dependent):
    X = Z * [1.0, 10.0, 0.1, 3.0] @ RNG.normal(size=(4, 4))
    X = np.column_stack([X, X[:, 0] - 2 * X[:, 2], np.full(300, 5.0)]) if dependent else X
    frame = white(X * units)
    np.testing.assert_allclose(frame.to_scale, np.triu(frame.to_scale))
    assert np.linalg.norm(frame.to_scale, 2) == pytest.approx(1.0)
    own = coordinates(frame, X * units) @ frame.to_scale.T
    centered = X - X.mean(axis=0)
    expected = centered @ centered.T
    got = own @ own.T
    factor = np.trace(expected) / np.trace(got)
    np.testing.assert_allclose(got * factor, expected, atol=1e-8 * np.abs(expected).max())


def test_no_directions_have_no_scale():
    assert white(np.full((5, 3), 2.0)).to_scale.shape == (0, 0)


def test_standardised_coordinates_lie_along_the_features():
    X = np.random.default_rng(0).normal(size=(50, 3)) * [1e-3, 1.0, 1e3] + 5.0
    X = np.insert(X, 1, 7.0, axis=1)
    X[[2, 3], 0] = np.nan
    moments = measure_moments(ArrayBlocks(X, gaps=True), full=True)
    frame = standardised(moments)
    assert (frame.rank, frame.n_cut, frame.gaps) == (3, 1, True)
    np.testing.assert_array_equal(frame.columns, [0, 2, 3])
    z = (X[9] - moments.mean) @ frame.basis
    varying = frame.columns
    expected = (X[9] - moments.mean)[varying] / moments.scale[varying]
    np.testing.assert_allclose(z, expected, rtol=1e-12)
    np.testing.assert_allclose(frame.locations(z), X[9], rtol=1e-12)
    np.testing.assert_allclose(frame.diagonal, np.eye(3), rtol=1e-12)
    volume = np.sum(np.log(moments.scale[[0, 2, 3]]))
    assert frame.log_volume == pytest.approx(volume, rel=1e-12)
