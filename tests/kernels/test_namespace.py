from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array, csr_matrix

from labelief.kernels import namespace as ns

RNG = np.random.default_rng(0)
A, B = RNG.normal(size=(6, 3)), RNG.normal(size=(3, 4))


def test_products(xp):
    a, b = xp.asarray(A), xp.asarray(B)
    np.testing.assert_allclose(ns.to_host(ns.column_product(a, b)), A @ B, rtol=1e-13, atol=1e-14)
    R = xp.asarray(RNG.random((6, 2)))
    np.testing.assert_allclose(ns.to_host(ns.cross_product(a, R)), A.T @ ns.to_host(R), rtol=1e-13)


def test_products_run_along_columns():
    assert ns.column_product(A, B).flags.f_contiguous
    assert ns.column_product(csr_array(A), B).flags.f_contiguous


def test_rows_are_laid_out_by_columns(xp):
    a = xp.asarray(A)
    got = ns.by_columns(a)
    assert type(got) is type(a)
    np.testing.assert_array_equal(ns.to_host(got), A)
    assert ns.by_columns(A).flags.f_contiguous
    columns = np.asfortranarray(A)
    assert ns.by_columns(columns) is columns


@pytest.mark.parametrize("sparse", [csr_array, csr_matrix])
def test_sparse_rows(sparse):
    X = sparse(A)
    np.testing.assert_allclose(ns.column_product(X, B), A @ B, rtol=1e-13, atol=1e-14)
    R = RNG.random((6, 2))
    np.testing.assert_allclose(ns.cross_product(X, R), A.T @ R, rtol=1e-13)
    assert ns.namespace(X) is ns.namespace(A)
    assert ns.empty((2, 2), X).shape == (2, 2)


def test_doubles_are_not_copied(xp):
    assert ns.to_float64(A) is A
    a = xp.asarray(A)
    assert ns.to_float64(a) is a
    single = xp.asarray(A.astype(np.float32))
    assert ns.to_float64(single).dtype == xp.float64


def test_empty_lies_beside_its_model(xp):
    like = xp.asarray(np.arange(3, dtype=np.int32))
    made = ns.empty((2, 5), like)
    assert type(made) is type(like)
    assert tuple(made.shape) == (2, 5)
    assert made.dtype == xp.float64


def test_host_arrays_are_numpy(xp):
    got = ns.to_host(xp.asarray(A))
    assert type(got) is np.ndarray
    np.testing.assert_array_equal(got, A)


def test_memory_maps_are_numpy(tmp_path):
    X = np.memmap(tmp_path / "x", dtype=np.float32, mode="w+", shape=(4, 2))
    X[:] = 1.5
    assert ns.namespace(X) is ns.namespace(A)
    assert ns.to_float64(X).dtype == np.float64


@pytest.mark.parametrize("index", [np.array([4, 0, 0]), np.array([], dtype=np.int64)])
def test_rows_are_taken_in_their_own_library(xp, index):
    a = xp.asarray(A)
    got = ns.take_rows(a, index)
    assert type(got) is type(a)
    np.testing.assert_array_equal(ns.to_host(got), A[index])


def test_sparse_rows_are_taken_sparse():
    got = ns.take_rows(csr_array(A), np.array([2, 1]))
    np.testing.assert_array_equal(got.toarray(), A[[2, 1]])
