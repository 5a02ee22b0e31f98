from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from labelief.blocks import ArrayBlocks, measure_moments

RNG = np.random.default_rng(0)
Z = RNG.normal(size=(400, 3)) @ RNG.normal(size=(3, 3))


def measured(X, weights=None, full=True, **settings):
    return measure_moments(ArrayBlocks(X, weights=weights, **settings), full=full)


@pytest.mark.parametrize("full", [True, False])
def test_moments_of_weighted_rows(full):
    w = RNG.uniform(0.1, 3.0, 400)
    moments = measured(Z, w, full)
    covariance = np.cov(Z.T, aweights=w, bias=True)
    assert moments.weight == pytest.approx(w.sum())
    np.testing.assert_allclose(moments.mean, np.average(Z, axis=0, weights=w), rtol=1e-12)
    np.testing.assert_allclose(moments.scale, np.sqrt(np.diag(covariance)), rtol=1e-12)
    if full:
        d = moments.scale
        np.testing.assert_allclose(moments.correlation, covariance / np.outer(d, d), atol=1e-12)
    else:
        assert moments.correlation is None


@pytest.mark.parametrize("offset", [0.0, 1e6, -1e9])
@pytest.mark.parametrize("scale", [1e-150, 1e-3, 1.0, 1e150])
def test_offsets_and_scales_cancel_nothing(offset, scale):
    X = (Z + offset) * scale
    exact = ((X / scale).astype(np.longdouble) - offset).astype(float)
    moments = measured(X)
    tolerance = max(1e-12, 1e-15 * abs(offset))
    np.testing.assert_allclose(moments.scale / scale, exact.std(axis=0), rtol=tolerance)
    np.testing.assert_allclose(moments.correlation, np.corrcoef(exact.T), atol=tolerance)


def test_each_column_has_its_own_units():
    units, offsets = np.array([1e150, 1.0, 1e-150]), np.array([0.0, 1e8, 1e-148])
    moments = measured(Z * units + offsets)
    np.testing.assert_allclose(moments.scale / units, Z.std(axis=0), rtol=1e-7)
    np.testing.assert_allclose(moments.correlation, np.corrcoef(Z.T), atol=1e-7)


@pytest.mark.parametrize("value", [0.0, 3.0, 0.1, 1e150, -1e-150, 1e300])
def test_constant_columns_have_no_scale(value):
    X = Z.copy()
    X[:, 1] = value
    moments = measured(X)
    assert moments.scale[1] == 0.0
    assert moments.mean[1] == value
    np.testing.assert_array_equal(moments.correlation[1], 0.0)
    np.testing.assert_array_equal(moments.correlation[:, 1], 0.0)
    assert np.all(moments.scale[[0, 2]] > 0)


@pytest.mark.parametrize("value", [1.0, 1e-140, 1e100, 1e150])
def test_a_column_that_varies_outside_the_first_sample(value):
    X = np.column_stack([np.zeros(5000), RNG.normal(size=5000)])
    X[17, 0] = value
    moments = measured(X)
    share = 1 / 5000
    assert moments.mean[0] == pytest.approx(value * share)
    assert moments.scale[0] == pytest.approx(value * np.sqrt(share * (1 - share)))


def test_a_few_rows_far_from_the_first_sample():
    X = RNG.normal(size=(5000, 2))
    X[33] = 1e9
    moments = measured(X)
    np.testing.assert_allclose(moments.mean, X.mean(axis=0), rtol=1e-10)
    np.testing.assert_allclose(moments.scale, X.std(axis=0), rtol=1e-10)


def test_the_second_moment_is_about_the_mean_as_it_is_rounded():
    # A column with few bits left: its mean cannot be represented to a hundredth of its deviation.
    X = np.column_stack([1.0 + 2.0**-52 * RNG.integers(0, 8, 301), RNG.normal(size=301)])
    moments = measured(X)
    z = (X - moments.mean) / moments.scale
    np.testing.assert_allclose(moments.correlation, z.T @ z / 301, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.uint8, bool])
def test_other_types(dtype):
    X = (np.abs(Z) * 20).astype(dtype)
    if dtype is bool:
        X = Z > 0
    moments = measured(X)
    np.testing.assert_allclose(moments.mean, X.astype(float).mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(moments.scale, X.astype(float).std(axis=0), rtol=1e-12)


def test_one_row():
    moments = measured(Z[:1])
    np.testing.assert_array_equal(moments.mean, Z[0])
    np.testing.assert_array_equal(moments.scale, 0.0)


def test_transformed_features():
    X = np.exp(Z)
    moments = measure_moments(ArrayBlocks(X), full=False, transform=np.log)
    np.testing.assert_allclose(moments.mean, Z.mean(axis=0), rtol=1e-11)
    np.testing.assert_allclose(moments.scale, Z.std(axis=0), rtol=1e-11)


@pytest.mark.parametrize("block_rows", [1, 7, 400])
def test_blocks_change_nothing(block_rows):
    one, other = measured(Z), measured(Z, block_rows=block_rows, n_threads=2)
    np.testing.assert_allclose(other.correlation, one.correlation, rtol=1e-11, atol=1e-13)


@given(arrays(float, (6, 2), elements=st.floats(-1e150, 1e150)))
def test_any_numbers_have_finite_moments(X):
    moments = measured(X)
    for part in (moments.mean, moments.scale, moments.correlation):
        assert np.all(np.isfinite(part))
    # The inverse of a subnormal spread is no number: such columns count as constant.
    varies = np.ptp(X, axis=0) > np.maximum(1e-9 * np.abs(X).max(axis=0), 1e-300)
    assert np.all((moments.scale > 0) | ~varies)


@pytest.mark.parametrize("full", [True, False])
def test_a_weight_of_two_is_a_row_twice(full):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(50, 3)) * [1e-8, 1.0, 1e8] + [1.0, 0.0, 1e9]
    times = rng.integers(1, 5, 50)
    once = measure_moments(ArrayBlocks(X, weights=times.astype(float)), full=full)
    twice = measure_moments(ArrayBlocks(np.repeat(X, times, axis=0)), full=full)
    assert once.weight == twice.weight == times.sum()
    np.testing.assert_allclose(once.mean, twice.mean, rtol=1e-14)
    np.testing.assert_allclose(once.scale, twice.scale, rtol=1e-9)
    if full:
        np.testing.assert_allclose(once.correlation, twice.correlation, atol=1e-9)


@pytest.mark.parametrize("full", [True, False])
def test_rows_of_any_array_library(xp, full):
    X = np.random.default_rng(4).normal(size=(40, 3)) + 1e6
    weights = np.random.default_rng(5).uniform(0.5, 2.0, 40)
    here = measure_moments(ArrayBlocks(X, weights=weights), full=full)
    there = measure_moments(ArrayBlocks(xp.asarray(X), weights=weights, block_rows=9), full=full)
    for name in ("weight", "mean", "scale"):
        np.testing.assert_allclose(getattr(there, name), getattr(here, name), rtol=1e-12)
    if full:
        assert type(there.correlation) is np.ndarray
        np.testing.assert_allclose(there.correlation, here.correlation, atol=1e-10)


@pytest.mark.parametrize("value", [0.1, 1e9, -3e-200, 1e250])
def test_a_column_that_varies_by_rounding_is_constant(value):
    X = np.column_stack([np.full(90, value), np.arange(90.0)])
    X[::3, 0] = np.nextafter(value, np.inf)
    moments = measure_moments(ArrayBlocks(X), full=True)
    assert moments.scale[0] == 0.0
    assert moments.scale[1] > 0.0
    assert not moments.correlation[0].any()
    assert not moments.correlation[:, 0].any()


@pytest.mark.parametrize(
    ("offset", "far"), [(0.0, False), (-50.0, False), (200.0, True), (-1e9, True)]
)
def test_rows_far_from_0_are_shifted(offset, far):
    X = np.random.default_rng(0).normal(size=(500, 2)) * [1.0, 1e-3]
    X = np.column_stack([X + offset * np.array([1.0, 1e-3]), np.ones(500)])
    moments = measure_moments(ArrayBlocks(X), full=True)
    if far:
        np.testing.assert_array_equal(moments.shift, moments.mean)
    else:
        assert moments.shift is None


def test_a_far_constant_column_is_shifted():
    X = np.column_stack([np.random.default_rng(0).normal(size=500), np.full(500, 1e300)])
    assert measure_moments(ArrayBlocks(X), full=True).shift is not None


@pytest.mark.parametrize("weights", [None, RNG.uniform(0.1, 3.0, 400)])
@pytest.mark.parametrize("scale", [1e-150, 1.0, 1e150])
def test_moments_of_what_is_observed(scale, weights):
    X = Z.copy()
    X[np.random.default_rng(1).random(X.shape) < 0.3] = np.nan
    X[0, 0], X[:, 2] = np.nan, np.nan
    moments = measured(X * scale, weights, gaps=True, block_rows=50)
    w = np.ones(400) if weights is None else weights
    assert moments.weight == pytest.approx(w.sum())
    assert moments.correlation is None
    for a in (0, 1):
        here = ~np.isnan(X[:, a])
        mean = np.average(X[here, a], weights=w[here])
        variance = np.average((X[here, a] - mean) ** 2, weights=w[here])
        assert moments.mean[a] / scale == pytest.approx(mean, rel=1e-10)
        assert moments.scale[a] / scale == pytest.approx(np.sqrt(variance), rel=1e-10)
    # What nobody has is constant at 0.
    assert moments.mean[2] == moments.scale[2] == 0.0


def test_a_column_that_the_sample_misses_is_measured_all_the_same():
    X = np.full((5000, 2), np.nan)
    X[:, 0] = RNG.normal(size=5000)
    X[[13, 1717], 1] = [1e6, 1e6 + 2.0]
    moments = measured(X, gaps=True)
    np.testing.assert_allclose(moments.mean[1], 1e6 + 1.0, rtol=1e-9)
    np.testing.assert_allclose(moments.scale[1], 1.0, rtol=1e-6)
