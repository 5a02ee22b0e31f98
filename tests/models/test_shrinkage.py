from __future__ import annotations

import numpy as np
import pytest
from sklearn.covariance import ledoit_wolf, ledoit_wolf_shrinkage
from tests.models.families import FAMILIES

from labelief.blocks import ArrayBlocks
from labelief.models.shrinkage import Strength, prior_strength

RNG = np.random.default_rng(0)
D = 6
X = RNG.normal(size=(50, D)) @ RNG.normal(size=(D, D)) * 10.0 ** RNG.uniform(-3, 3, D) + 7.0
CODES = np.arange(50) % 3
R = np.eye(3)[CODES]


def strength(X, R, name="tied", weights=None, **settings):
    blocks = ArrayBlocks(X, weights=weights, responsibilities=R)
    frame = FAMILIES[name].frame(blocks)

    def first(block, parameters):
        r = block.responsibilities
        return r if block.weights is None else r * block.weights[:, None]

    settings = {"ridge": 1e-6, "shrinkage": "auto", "n_classes": R.shape[1]} | settings
    return prior_strength(blocks, frame, first, (), tied=name == "tied", **settings)


def share(got, size):
    """Return s of ``ν = s m / (1 - s)``."""
    return got.diagonal / (got.diagonal + size)


def standardised(X, R=None):
    """Return residuals in units of the total standard deviation."""
    means = X.mean(axis=0) if R is None else R @ (R.T @ X / R.sum(axis=0)[:, None])
    return (X - means) / X.std(axis=0)


@pytest.mark.parametrize("name", ["tied", "full", "diagonal", "spherical"])
def test_one_class_is_ledoit_and_wolf(name):
    got = strength(X, np.ones((50, 1)), name)
    expected = ledoit_wolf_shrinkage(standardised(X))
    assert share(got, 50) == pytest.approx(expected, rel=1e-9)
    assert got.ratio == pytest.approx(1.0, rel=1e-12)
    assert 0.0 < expected < 0.9


def test_one_class_gives_their_covariance():
    blocks = ArrayBlocks(X)
    density = FAMILIES["full"]
    frame = density.frame(blocks)
    prior = density.fixed_prior(frame, strength(X, np.ones((50, 1)), "full", ridge=0.0))
    record = density.start_statistics(X, np.ones((50, 1)), frame.arrays)
    best = density.maximise(record, None, frame, prior)
    sd = X.std(axis=0)
    expected = ledoit_wolf(standardised(X))[0] * np.outer(sd, sd)
    got = density.covariances(best, frame)[0]
    np.testing.assert_allclose(got / np.outer(sd, sd), expected / np.outer(sd, sd), atol=1e-10)


def test_a_common_covariance_is_ledoit_and_wolf_on_residuals():
    residuals = standardised(X, R)
    got = strength(X, R)
    assert share(got, 50) == pytest.approx(
        ledoit_wolf_shrinkage(residuals, assume_centered=True), rel=1e-9
    )
    assert got.ratio == pytest.approx(np.mean(residuals**2), rel=1e-9)


def test_own_covariances_share_one_amount():
    # s = Σ β² / Σ δ² over the classes, each from its own rows (Ledoit and Wolf, Lemma 3.2-3.3).
    beta = delta = 0.0
    residuals = standardised(X, R)
    for k in range(3):
        u = residuals[CODES == k]
        S = u.T @ u / len(u)
        distance = np.sum((S - np.trace(S) / D * np.eye(D)) ** 2)
        error = np.mean([np.sum((np.outer(row, row) - S) ** 2) for row in u]) / len(u)
        beta, delta = beta + min(error, distance), delta + distance
    assert share(strength(X, R, "full"), 50 / 3) == pytest.approx(beta / delta, rel=1e-9)


@pytest.mark.parametrize(("name", "size"), [("tied", 50), ("full", 50 / 3)])
def test_an_amount_is_taken_as_given(name, size):
    got = strength(X, R, name, shrinkage=0.3, ridge=0.01)
    assert share(got, size) == pytest.approx(0.3, rel=1e-12)
    assert got.total == pytest.approx(0.5)
    assert got.count == pytest.approx(got.total + got.diagonal)
    assert got.ratio == pytest.approx(np.mean(standardised(X, R) ** 2), rel=1e-9)


@pytest.mark.parametrize("none", [None, 0, 0.0])
def test_no_shrinkage_leaves_the_ridge_alone(none):
    assert strength(X, R, shrinkage=none, ridge=0.02) == Strength(1.0)


@pytest.mark.parametrize("name", ["tied", "full"])
def test_units_and_offsets_of_features_do_not_matter(name):
    units = 10.0 ** np.arange(D)
    left, right = strength(X, R, name), strength(X * units - 1e3 * units, R, name)
    assert right.diagonal == pytest.approx(left.diagonal, rel=1e-7)
    assert right.ratio == pytest.approx(left.ratio, rel=1e-7)


@pytest.mark.parametrize("name", ["tied", "full"])
def test_a_weight_of_two_is_a_row_twice(name):
    times = RNG.integers(1, 4, 50)
    once = strength(X, R, name, times.astype(float))
    twice = strength(np.repeat(X, times, axis=0), np.repeat(R, times, axis=0), name)
    assert once.diagonal == pytest.approx(twice.diagonal, rel=1e-9)
    assert once.ratio == pytest.approx(twice.ratio, rel=1e-9)
    assert once.total == pytest.approx(twice.total, rel=1e-12)


def test_soft_responsibilities_weigh_rows():
    soft = RNG.dirichlet(np.ones(3), 50)
    got = strength(X, soft, "tied")
    means = soft.T @ X / soft.sum(axis=0)[:, None]
    u = (X[:, None, :] - means[None]) / X.std(axis=0)
    S = np.einsum("ij,ija,ijb->ab", soft, u, u) / 50
    assert got.ratio == pytest.approx(np.trace(S) / D, rel=1e-9)
    distance = np.sum(S**2) - np.trace(S) ** 2 / D
    error = (np.einsum("ij,ij->", soft, np.sum(u**2, axis=2) ** 2) / 50 - np.sum(S**2)) / 50
    assert share(got, 50) == pytest.approx(min(error / distance, 1.0), rel=1e-9)


def test_classes_of_two_rows_cannot_tell_how_much():
    # Residuals of two rows are alike but for their sign, so Ledoit and Wolf see no error in S.
    wide = RNG.normal(size=(8, 40))
    hopeless = strength(wide, np.eye(4)[np.arange(8) % 4], "full")
    assert share(hopeless, 2.0) == pytest.approx(0.99)
    codes = np.r_[np.zeros(20, int), 1, 1]
    wide = RNG.normal(size=(22, 40))
    with_pair = share(strength(wide, np.eye(2)[codes], "full"), 11)
    without = share(strength(wide[:20], np.ones((20, 1)), "full"), 20)
    assert with_pair == pytest.approx(without, rel=0.2)


def test_a_single_feature_loses_nothing_by_going_all_the_way():
    single = strength(RNG.normal(size=(30, 1)), np.ones((30, 1)), "full")
    assert share(single, 30) == pytest.approx(0.99)


def test_constant_columns_stay_out():
    constant = np.column_stack([X, np.full(50, 3.0)])
    left, right = strength(X, R), strength(constant, R)
    assert right.diagonal == pytest.approx(left.diagonal, rel=1e-9)
    assert right.ratio == pytest.approx(left.ratio, rel=1e-9)


def test_a_class_without_rows_does_no_harm():
    empty = np.column_stack([R, np.zeros(50)])
    for name in ("tied", "full"):
        got = strength(X, empty, name, n_classes=4)
        assert np.isfinite(got.diagonal)
        assert got.ratio == pytest.approx(strength(X, R, name).ratio, rel=1e-12)
