from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from labelief.blocks import ArrayBlocks
from labelief.models.conditioning import condition

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 4)) @ RNG.normal(size=(4, 4)) + [3.0, -1.0, 0.0, 50.0]
WEIGHTS = RNG.integers(1, 4, 300).astype(float)


def curvature(frame, X, weights, penalty, J):
    """Minus the Hessian of the likelihood of J classes at 0, along one score's coordinates."""
    design = np.hstack([np.ones((len(X), 1)), X - (0 if frame.shift is None else frame.shift)])
    design[:, 1:] /= frame.scale
    u = design @ frame.design()
    b = frame.slopes(np.eye(frame.rank))
    prior = np.zeros((1 + frame.rank, 1 + frame.rank))
    prior[1:, 1:] = penalty * b.T @ b
    return (u * weights[:, None]).T @ u / J + prior


@pytest.mark.parametrize("penalty", [0.0, 1.0, 1e4])
@pytest.mark.parametrize("scale", [1.0, 1e150, 1e-150, np.array([1e150, 1.0, 1e-9, 1e-150])])
def test_curvature_at_the_start_is_the_weight_in_every_direction(penalty, scale):
    frame = condition(ArrayBlocks(X * scale, None, WEIGHTS), penalty, 3)
    got = curvature(frame, X * scale, WEIGHTS, penalty, 3) / WEIGHTS.sum()
    np.testing.assert_allclose(got, np.eye(5), atol=1e-9)


@pytest.mark.parametrize("rows", [X, csr_array(X), X + 1e8], ids=["dense", "sparse", "far"])
def test_coordinates_go_both_ways(rows):
    frame = condition(ArrayBlocks(rows), 1.0, 2)
    u = RNG.normal(size=(frame.rank, 2))
    b = frame.slopes(u)
    np.testing.assert_allclose(frame.coordinates(b), u, rtol=1e-9)
    gradient = RNG.normal(size=(4, 2))
    assert np.sum(gradient * b) == pytest.approx(np.sum(frame.pulled(gradient) * u))


def test_sparse_rows_are_scaled_by_their_axes():
    rows = X * (RNG.random(X.shape) < 0.3)
    frame = condition(ArrayBlocks(csr_array(rows), None, WEIGHTS), 2.0, 3)
    mean = np.average(rows, axis=0, weights=WEIGHTS)
    variance = np.average((rows - mean) ** 2, axis=0, weights=WEIGHTS)
    np.testing.assert_allclose(frame.center, mean, rtol=1e-12)
    np.testing.assert_allclose(frame.scale, np.sqrt(variance), rtol=1e-12)
    np.testing.assert_allclose(frame.basis, 1 / np.sqrt(variance / 3 + 2.0 / WEIGHTS.sum()))
    assert frame.shift is None


@pytest.mark.parametrize("factor", [1e200, 1e-200])
def test_sparse_rows_of_any_size(factor):
    rows = X * (RNG.random(X.shape) < 0.3)
    plain = condition(ArrayBlocks(csr_array(rows)), 0.0, 3)
    frame = condition(ArrayBlocks(csr_array(rows * factor)), 0.0, 3)
    np.testing.assert_allclose(frame.scale / factor, plain.scale, rtol=1e-12)


def test_rows_far_from_zero_are_shifted():
    assert condition(ArrayBlocks(X), 1.0, 2).shift is None
    frame = condition(ArrayBlocks(X + 1e8), 1.0, 2)
    np.testing.assert_allclose(frame.shift, X.mean(axis=0) + 1e8)
    np.testing.assert_array_equal(frame.offset, 0.0)


@pytest.mark.parametrize("rows", [lambda X: X, csr_array], ids=["dense", "sparse"])
def test_constant_columns_get_no_slope(rows):
    wide = np.insert(X, 1, 7.0, axis=1)
    wide[:, 3] = 0.0
    frame = condition(ArrayBlocks(rows(wide)), 0.0, 3)
    slopes = frame.slopes(np.ones((frame.rank, 1)))[:, 0]
    np.testing.assert_array_equal(slopes[[1, 3]], 0.0)
    assert np.all(slopes[[0, 2, 4]] != 0.0)


def test_copies_of_columns_are_cut_where_nothing_is_penalised():
    twice = np.hstack([X, X[:, :2]])
    assert condition(ArrayBlocks(twice), 0.0, 3).rank == 4
    assert condition(ArrayBlocks(twice), 1.0, 3).rank == 6


def test_many_rows_are_measured_on_a_sample():
    many = RNG.normal(size=(4000, 2)) * [1.0, 5.0]
    read = []

    class Counted(ArrayBlocks):
        def map_reduce(self, kernel, parameters, width):
            read.append(self.n_rows)
            return super().map_reduce(kernel, parameters, width)

    frame = condition(Counted(many), 1.0, 2)
    assert read == []
    np.testing.assert_allclose(frame.scale, [1.0, 5.0], rtol=0.2)
    # A column that the sample finds constant, or the copy of another, is measured on all rows.
    rare = np.hstack([many, np.eye(4000)[:, [1, 2001]].sum(axis=1, keepdims=True)])
    frame = condition(Counted(rare), 1.0, 2)
    assert 4000 in read
    assert frame.scale[2] == pytest.approx(np.sqrt(2 / 4000), rel=1e-2)
