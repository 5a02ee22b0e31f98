from __future__ import annotations

import numpy as np
import pytest

from labelief.kernels import features
from labelief.kernels.namespace import to_host

Z = np.random.default_rng(0).normal(size=(7, 3))


def test_every_map_starts_with_ones_and_holds_its_products(xp):
    z = xp.asarray(Z)
    ones = np.ones((7, 1))
    pairs = [(a, b) for a in range(3) for b in range(a, 3)]
    expected = {
        features.with_ones: np.hstack([ones, Z]),
        features.with_squares: np.hstack([ones, Z, Z**2]),
        features.with_squared_norm: np.hstack([ones, Z, (Z**2).sum(axis=1, keepdims=True)]),
        features.with_products: np.hstack(
            [ones, Z, np.column_stack([Z[:, a] * Z[:, b] for a, b in pairs])]
        ),
    }
    for kernel, value in expected.items():
        got = kernel(z)
        assert type(got) is type(z)
        np.testing.assert_allclose(to_host(got), value, rtol=1e-15)
    np.testing.assert_array_equal(to_host(z), Z)


def test_products_have_contiguous_columns():
    assert features.with_products(Z).flags.f_contiguous
    assert features.whitened(Z, Z[0], np.eye(3)).flags.f_contiguous


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int32", "bool"])
def test_rows_of_any_type_are_computed_in_doubles(xp, dtype):
    values = (10 * Z).astype(dtype)
    X, center = xp.asarray(values), Z[0]
    expected = values.astype(float) - center
    got = features.scaled(X, None, xp.asarray(center), xp.asarray(np.ones(3)))
    np.testing.assert_array_equal(to_host(got), expected)
    assert got.dtype == xp.float64
    basis = np.random.default_rng(1).normal(size=(3, 2))
    white = features.whitened(X, xp.asarray(center), xp.asarray(basis))
    np.testing.assert_allclose(to_host(white), expected @ basis, rtol=1e-13, atol=1e-14)


def test_scaled_keeps_the_columns_asked_for(xp):
    columns = np.array([0, 2])
    center, inverse = Z[0, columns], np.array([2.0, 0.5])
    got = features.scaled(
        xp.asarray(Z), xp.asarray(columns), xp.asarray(center), xp.asarray(inverse)
    )
    np.testing.assert_allclose(to_host(got), (Z[:, columns] - center) * inverse, rtol=1e-15)
    every = features.scaled(xp.asarray(Z), None, xp.asarray(Z[0]), xp.asarray(np.ones(3)))
    np.testing.assert_array_equal(to_host(every), Z - Z[0])


@pytest.mark.parametrize("rank", [0, 1])
def test_few_or_no_directions(xp, rank):
    z = xp.asarray(Z[:, :rank])
    widths = {
        features.with_ones: 1 + rank,
        features.with_squares: 1 + 2 * rank,
        features.with_squared_norm: 2 + rank,
        features.with_products: 1 + 2 * rank,
    }
    for kernel, width in widths.items():
        assert tuple(kernel(z).shape) == (7, width)
