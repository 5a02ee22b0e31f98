from __future__ import annotations

import numpy as np
import pytest

from labelief.models.decomposition import Form
from labelief.models.structure import (
    Structure,
    own_matrices,
    proportional_matrices,
    shared_axes,
)
from labelief.models.volume_shape import common_spread, own_shapes, own_spread, own_volumes

RULES = {
    "VEE": Structure(Form(True, False, False), own_volumes, proportional_matrices),
    "VVE": Structure(Form(True, True, False), own_spread, shared_axes),
    "EEV": Structure(Form(False, False, True), common_spread, own_matrices),
    "EVV": Structure(Form(False, True, True), own_shapes, own_matrices),
}
COUNTS = np.array([12.0, 30.0, 20.0])


def factors(r=3, seed=0):
    return np.random.default_rng(seed).normal(size=(3, r, r)) * np.sqrt(COUNTS)[:, None, None]


@pytest.mark.parametrize("name", RULES)
def test_parts_depend_on_scatters_alone(name):
    F = factors()
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]
    one, other = (RULES[name].turned(COUNTS, G, None) for G in (F, F @ turn))
    np.testing.assert_allclose(
        other.roots @ np.swapaxes(other.roots, 1, 2),
        one.roots @ np.swapaxes(one.roots, 1, 2),
        rtol=1e-6,
        atol=1e-7,
    )


@pytest.mark.parametrize("name", RULES)
def test_axes_are_rotations_and_follow_those_before(name):
    structure, F = RULES[name], factors()
    parts = structure.turned(COUNTS, F, None)
    np.testing.assert_allclose(np.linalg.det(parts.axes), 1.0)
    moved = F + 1e-5 * factors(seed=1)
    after = structure.turned(COUNTS, moved, parts)
    assert np.max(np.abs(after.axes - parts.axes)) < 1e-2
    change = structure.form.to_vector(after) - structure.form.to_vector(parts)
    assert np.max(np.abs(change)) < 1e-2


@pytest.mark.parametrize("name", RULES)
def test_a_component_that_nothing_is_known_of_takes_the_heaviest_ones_parts(name):
    structure, F = RULES[name], factors()
    counts = COUNTS * [1.0, 1.0, 0.0]
    F[2] = 0.0
    for previous in (None, structure.turned(COUNTS, factors(), None)):
        parts = structure.turned(counts, F, previous)
        roots = np.broadcast_to(parts.roots, (3, 3, 3))
        covariances = roots @ np.swapaxes(roots, 1, 2)
        np.testing.assert_array_equal(covariances[2], covariances[1])
        known = structure.turned(COUNTS[:2], F[:2], None).roots
        expected = np.broadcast_to(known @ np.swapaxes(known, 1, 2), (2, 3, 3))
        np.testing.assert_allclose(covariances[:2], expected, rtol=1e-6, atol=1e-7)
        assert len(structure.form.to_vector(parts)) == structure.form.n_parameters(3, 3)


def test_the_same_along_axes():
    structure = Structure(Form(True, False, None), own_volumes)
    scatters = np.abs(factors()[:, :, 0]) + 0.1
    scatters[0] = 0.0
    parts = structure.along_axes(COUNTS * [0.0, 1.0, 1.0], scatters)
    alone = structure.along_axes(COUNTS[1:], scatters[1:])
    np.testing.assert_array_equal(parts.variances, alone.variances[[0, 0, 1]])


def test_axes_are_paired_widest_first():
    F = factors()
    parts = RULES["EEV"].turned(COUNTS, F, None)
    assert np.all(np.diff(parts.shapes[0]) < 0)
    for axes, G in zip(parts.axes, F, strict=True):
        along = axes.T @ G @ G.T @ axes
        np.testing.assert_allclose(along, np.diag(np.diag(along)), atol=1e-9)
        assert np.all(np.diff(np.diag(along)) < 0)


@pytest.mark.parametrize("name", RULES)
def test_no_axes_at_all(name):
    parts = RULES[name].turned(COUNTS, np.empty((3, 0, 0)), None)
    assert RULES[name].form.to_vector(parts).shape == (0,)
