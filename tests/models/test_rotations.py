from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import block_diag, logm
from scipy.stats import special_ortho_group

from labelief.models.rotations import aligned, rotation_vectors, rotations

RNG = np.random.default_rng(0)


def turns(r, m=4):
    if r < 2:
        return np.ones((m, r, r))
    return special_ortho_group(r, seed=1).rvs(m)


def plane(angle):
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


@pytest.mark.parametrize("r", [0, 1, 2, 3, 6])
def test_vectors_are_logarithms_and_come_back(r):
    axes = turns(r)
    vectors = rotation_vectors(axes)
    assert vectors.shape == (4, r * (r - 1) // 2)
    np.testing.assert_allclose(rotations(vectors, r), axes, atol=1e-13)
    for axis, vector in zip(axes, vectors, strict=True):
        expected = logm(axis).real[np.tril_indices(r, -1)] if r > 1 else []
        np.testing.assert_allclose(vector, expected, atol=1e-12)


@pytest.mark.parametrize("r", [2, 3, 5])
def test_every_vector_is_a_rotation(r):
    got = rotations(10.0 * RNG.normal(size=(3, r * (r - 1) // 2)), r)
    np.testing.assert_allclose(
        got @ np.swapaxes(got, 1, 2), np.tile(np.eye(r), (3, 1, 1)), atol=1e-12
    )
    np.testing.assert_allclose(np.linalg.det(got), 1.0)


@pytest.mark.parametrize(
    "turn",
    [
        np.eye(4),
        np.diag([-1.0, -1.0, 1.0, 1.0]),
        np.diag([-1.0, 1.0, -1.0, 1.0]),
        np.diag([-1.0, -1.0, -1.0, -1.0]),
        block_diag(plane(np.pi - 1e-9), plane(1e-9)),
        block_diag(plane(2.0), plane(2.0)),
        np.eye(4)[[1, 2, 3, 0]] * [1, 1, 1, -1],
    ],
    ids=["none", "halves", "halves apart", "all halves", "nearly half", "equal", "permutation"],
)
def test_rotations_whose_logarithm_is_a_matter_of_choice(turn):
    for axes in (turn, turns(4)[0] @ turn @ turns(4)[0].T):
        vector = rotation_vectors(axes[None])
        assert np.all(np.isfinite(vector))
        np.testing.assert_allclose(rotations(vector, 4)[0], axes, atol=1e-12)


def test_near_rotations_have_near_vectors():
    axes = turns(4)
    moved = axes @ rotations(1e-6 * RNG.normal(size=(4, 6)), 4)
    assert np.max(np.abs(rotation_vectors(moved) - rotation_vectors(axes))) < 1e-4


def test_signs_follow_the_reference():
    axes = turns(3)
    flipped = axes * np.array([[1, -1, -1], [-1, 1, -1], [-1, -1, 1], [1, 1, 1]])[:, None, :]
    near = axes @ rotations(0.1 * RNG.normal(size=(4, 3)), 3)
    np.testing.assert_allclose(aligned(flipped, near), axes, rtol=1e-13)
    # One reference may serve all.
    np.testing.assert_allclose(aligned(-axes[:1], axes[0][None]), axes[:1], rtol=1e-13)


def test_a_reflection_becomes_a_rotation():
    swapped = np.eye(3)[:, [1, 0, 2]]
    got = aligned(swapped[None], np.diag([1.0, 1.0, 1.0])[None] + 0.1)[0]
    assert np.linalg.det(got) == pytest.approx(1.0)
    np.testing.assert_array_equal(np.abs(got), swapped)
    # The axis that has a direction keeps it.
    np.testing.assert_array_equal(got[:, 2], [0.0, 0.0, 1.0])
