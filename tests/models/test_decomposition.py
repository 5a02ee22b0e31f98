from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.stats import special_ortho_group

from labelief.models.decomposition import Decomposition, Form

FORMS = [
    Form(*letters)
    for letters in itertools.product([False, True], [None, False, True], [None, False, True])
]


def some(form, J=3, r=4, seed=0):
    rng = np.random.default_rng(seed)
    volumes = rng.uniform(0.5, 2.0, J if form.own_volumes else 1)
    shapes = rng.uniform(0.5, 2.0, (J if form.own_shapes else 1, r))
    shapes = np.ones((1, r)) if form.own_shapes is None else shapes
    shapes = shapes / np.prod(shapes, axis=1, keepdims=True) ** (1 / r)
    axes = None
    if form.own_axes is not None:
        axes = special_ortho_group(r, seed=seed).rvs(J).reshape(J, r, r)
        axes = axes if form.own_axes else axes[:1]
    return Decomposition(volumes, shapes, axes)


def covariances(parts, J=3):
    r = parts.shapes.shape[1]
    axes = np.eye(r)[None] if parts.axes is None else parts.axes
    return np.stack(
        [
            volumes * D @ np.diag(A) @ D.T
            for volumes, A, D in zip(
                np.broadcast_to(parts.volumes, J),
                np.broadcast_to(parts.shapes, (J, r)),
                np.broadcast_to(axes, (J, r, r)),
                strict=True,
            )
        ]
    )


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_vectors_and_back(form):
    parts = some(form)
    vector = form.to_vector(parts)
    assert len(vector) == form.n_parameters(3, 4)
    back = form.from_vector(vector, 3, 4)
    for name in ("volumes", "shapes", "axes"):
        one, other = getattr(parts, name), getattr(back, name)
        assert (one is None) == (other is None)
        if one is not None:
            np.testing.assert_allclose(other, one, rtol=1e-11, atol=1e-13)
    moved = form.from_vector(vector + np.random.default_rng(1).normal(size=vector.shape), 3, 4)
    np.testing.assert_allclose(np.prod(moved.shapes, axis=1), 1.0)


@pytest.mark.parametrize("rank", [0, 1])
@pytest.mark.parametrize("form", FORMS, ids=str)
def test_few_axes_have_few_parameters(form, rank):
    assert form.n_parameters(3, rank) == (0 if rank == 0 else 3 if form.own_volumes else 1)
    vector = np.full(form.n_parameters(3, rank), 0.3)
    parts = form.from_vector(vector, 3, rank)
    np.testing.assert_allclose(form.to_vector(parts), vector)
    assert parts.variances.shape[1] == rank


@pytest.mark.parametrize("form", [f for f in FORMS if f.own_axes is not None], ids=str)
def test_roots_are_square_roots_of_covariances(form):
    parts = some(form)
    roots = np.broadcast_to(parts.roots, (3, 4, 4))
    np.testing.assert_allclose(
        roots @ np.swapaxes(roots, 1, 2), covariances(parts), rtol=1e-11, atol=1e-14
    )


@pytest.mark.parametrize("order", [[2, 0, 1], [1], [0, 2, 2, 1]])
@pytest.mark.parametrize("form", FORMS, ids=str)
def test_other_orders(form, order):
    parts = some(form)
    moved = form.reordered(parts, np.array(order))
    np.testing.assert_array_equal(covariances(moved, len(order)), covariances(parts)[order])
    assert len(form.to_vector(moved)) == form.n_parameters(len(order), 4)


def test_one_covariance_for_all_is_tied():
    assert [f for f in FORMS if f.tied] == [
        f for f in FORMS if not any((f.own_volumes, f.own_shapes, f.own_axes))
    ]
    assert sum(f.tied for f in FORMS) == 4
