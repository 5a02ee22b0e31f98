from __future__ import annotations

import numpy as np
import pytest

from labelief import simulation

MADE = {
    "make_spheres": (50, 6, 4),
    "make_squares": (100, 6, 4),
    "make_circle": (500, 6, 2),
    "make_cosine_product": (300, 10, 3),
    "make_friedman_classes": (300, 10, 2),
}


@pytest.mark.parametrize("name", MADE)
def test_sizes_and_seeds(name):
    make = getattr(simulation, name)
    n, d, K = MADE[name]
    X, y = make(random_state=0)
    assert X.shape == (n, d)
    assert np.all((X >= 0) & (X <= 1))
    assert set(y) == set(range(K))
    for again in (make(random_state=0), make(random_state=np.random.RandomState(0))):
        np.testing.assert_array_equal(again[0], X)
    assert make(7, random_state=1)[0].shape == (7, d)


def test_spheres_lie_where_the_paper_puts_them():
    X, y = simulation.make_spheres(2000, random_state=0)
    centres = np.array([[1, 1, 1], [1, 3, 3], [3, 3, 1], [3, 1, 3]]) / 4
    radius = np.linalg.norm(X[:, :3] - centres[y], axis=1)
    assert radius.max() <= 0.25
    # uniform in the ball: half the radius holds an eighth of the volume
    assert np.mean(radius < 0.125) == pytest.approx(0.125, abs=0.03)
    np.testing.assert_allclose(np.bincount(y) / 2000, 0.25, atol=0.05)


def test_a_ring_without_rows_parts_the_circle():
    X, y = simulation.make_circle(5000, random_state=0)
    radius = np.hypot(*(X[:, :2] - 0.5).T)
    assert radius[y == 1].max() <= 0.4
    assert radius[y == 0].min() >= 0.45
    inside, outside = np.pi * 0.4**2, 1.0 - np.pi * 0.45**2
    assert np.mean(y == 1) == pytest.approx(inside / (inside + outside), abs=0.03)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        (
            "make_cosine_product",
            lambda f: np.cos(2 * f[0]) * np.cos(f[2]) * np.exp(2 * f[2]) * np.exp(2 * f[3]),
        ),
        (
            "make_friedman_classes",
            lambda f: 10 * np.sin(f[0] * f[1]) + 20 * (f[2] - 0.5) ** 2 + 10 * f[3] + 5 * f[4],
        ),
    ],
)
def test_classes_are_cut_by_rank(name, value):
    X, y = getattr(simulation, name)(random_state=0)
    ranked = y[np.argsort(value(X.T))]
    assert np.all(np.diff(ranked) >= 0)
