from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from labelief.models import volume_shape
from labelief.models.volume_shape import (
    common_matrix,
    common_spread,
    own_shapes,
    own_spread,
    own_volumes,
    round_spread,
)

RULES = {
    # rule: (own volumes, own shapes or None)
    round_spread: (False, None),
    common_spread: (False, False),
    own_volumes: (True, False),
    own_shapes: (False, True),
    own_spread: (True, True),
}


def problem(J=3, r=4, seed=0, spread=2.0):
    rng = np.random.default_rng(seed)
    counts = rng.uniform(2.0, 30.0, J)
    return counts, counts[:, None] * np.exp(spread * rng.normal(size=(J, r)))


def value(counts, scatters, variances):
    variances = np.broadcast_to(variances, scatters.shape)
    return float(np.sum(counts @ np.log(variances)) + np.sum(scatters / variances))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("rule", RULES)
def test_rules_minimise_the_formula(rule, seed):
    counts, scatters = problem(seed=seed)
    J, r = scatters.shape
    own_volume, own_shape = RULES[rule]
    parts = rule(counts, scatters)
    assert parts.volumes.shape == ((J if own_volume else 1),)
    assert parts.shapes.shape == ((J if own_shape else 1), r)
    np.testing.assert_allclose(np.prod(parts.shapes, axis=1), 1.0)

    def loss(vector):
        volumes, rest = np.split(vector, [len(parts.volumes)])
        logs = volumes[:, None]
        if own_shape is not None:
            free = rest.reshape(len(parts.shapes), r - 1)
            logs = logs + np.hstack([free, -free.sum(axis=1, keepdims=True)])
        return value(counts, scatters, np.exp(np.clip(logs, -30, 30)) + np.zeros((1, r)))

    size = len(parts.volumes) + (0 if own_shape is None else len(parts.shapes) * (r - 1))
    found = minimize(loss, np.zeros(size), method="BFGS", options={"gtol": 1e-7, "maxiter": 2000})
    got = value(counts, scatters, parts.variances)
    assert got == pytest.approx(found.fun, rel=1e-7)
    assert got <= found.fun + 1e-9 * abs(found.fun)


def test_common_matrices_are_where_their_alternation_ends():
    rng = np.random.default_rng(0)
    J, r = 4, 3
    counts = rng.uniform(5.0, 20.0, J)
    roots = rng.normal(size=(J, r, r)) * rng.uniform(0.1, 3.0, (J, 1, 1))
    scatters = roots @ np.swapaxes(roots, 1, 2)
    volumes, common = common_matrix(counts, scatters)
    assert np.linalg.det(common) == pytest.approx(1.0)
    # Celeux and Govaert (1995), the two conditions of VEE.
    expected = np.trace(scatters @ np.linalg.inv(common), axis1=1, axis2=2) / (r * counts)
    np.testing.assert_allclose(volumes, expected, rtol=1e-10)
    pooled = np.sum(scatters / volumes[:, None, None], axis=0)
    np.testing.assert_allclose(pooled / counts.sum(), common, rtol=1e-9, atol=1e-11)


def test_diagonal_matrices_are_a_case_of_matrices():
    counts, scatters = problem()
    volumes, common = common_matrix(counts, scatters[:, :, None] * np.eye(4))
    parts = own_volumes(counts, scatters)
    np.testing.assert_allclose(parts.volumes, volumes, rtol=1e-10)
    np.testing.assert_allclose(parts.shapes[0], np.diag(common), rtol=1e-9)


def test_scatters_along_nearly_separate_axes_are_no_hurdle(monkeypatch):
    # Alternating would take some 1e6 turns: each component has nearly all its scatter on one axis.
    counts = np.array([10.0, 20.0, 15.0])
    scatters = 1e-6 + np.diag([1.0, 50.0, 4.0]) * counts
    monkeypatch.setattr(volume_shape, "_STEPS", 60)
    parts = own_volumes(counts, scatters)
    shares = scatters / parts.variances
    np.testing.assert_allclose(shares.sum(axis=1), 3 * counts, rtol=1e-6)
    np.testing.assert_allclose(shares.sum(axis=0), counts.sum(), rtol=1e-6)


def test_many_components():
    counts, scatters = problem(J=300, r=2)
    parts = own_volumes(counts, scatters)
    shares = scatters / parts.variances
    np.testing.assert_allclose(shares.sum(axis=1), 2 * counts, rtol=1e-6)


@pytest.mark.parametrize("rule", RULES)
def test_no_axes(rule):
    parts = rule(np.array([2.0, 3.0]), np.ones((2, 0)))
    assert parts.shapes.shape[1] == 0
    assert np.all(parts.volumes > 0)


def test_what_all_share_needs_variance():
    counts, scatters = np.array([2.0, 3.0]), np.zeros((2, 2, 2))
    scatters[:, 0, 0] = 1.0
    with pytest.raises(ValueError, match=r"all components share.*ridge"):
        common_matrix(counts, scatters)
    scatters[0] = 0.0
    with pytest.raises(ValueError, match=r"component 0 is singular.*ridge"):
        common_matrix(counts, scatters)
