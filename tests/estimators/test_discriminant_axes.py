from __future__ import annotations

import numpy as np
import pytest
from sklearn import discriminant_analysis
from sklearn.datasets import load_iris, load_wine

from labelief import FlipNoise, LinearDiscriminantAnalysis

IRIS, WINE = load_iris(return_X_y=True), load_wine(return_X_y=True)


@pytest.mark.parametrize("data", [IRIS, WINE], ids=["iris", "wine"])
def test_axes_are_scikit_learns_up_to_sign_and_scale(data):
    X, y = data
    ours = LinearDiscriminantAnalysis(ridge=0.0).fit(X, y).transform(X)
    theirs = discriminant_analysis.LinearDiscriminantAnalysis(solver="svd").fit(X, y).transform(X)
    assert ours.shape == theirs.shape == (len(X), 2)
    for axis in range(2):
        scale = np.sqrt(np.mean(theirs[:, axis] ** 2) / np.mean(ours[:, axis] ** 2))
        sign = np.sign(ours[:, axis] @ theirs[:, axis])
        np.testing.assert_allclose(sign * scale * ours[:, axis], theirs[:, axis], atol=1e-8)


@pytest.mark.parametrize("labels", ["crisp", "soft"])
def test_within_classes_the_variance_is_1_and_axes_are_uncorrelated(labels):
    X, y = WINE
    rng = np.random.default_rng(0)
    target = y if labels == "crisp" else np.eye(3)[y] + rng.uniform(0, 0.5, (len(y), 3))
    model = LinearDiscriminantAnalysis(ridge=0.0, tol=1e-10, max_iter=2000).fit(X, target)
    origin = model.transform(np.zeros((1, X.shape[1])))
    directions = model.transform(np.eye(X.shape[1])) - origin
    within = directions.T @ model.covariances_[0] @ directions
    np.testing.assert_allclose(within, np.eye(2), atol=1e-8)
    means = model.transform(model.means_)
    np.testing.assert_allclose(model.priors_ @ means, 0.0, atol=1e-8)
    between = (means * model.priors_[:, None]).T @ means
    assert abs(between[0, 1]) < 1e-8 * between[0, 0]
    assert between[0, 0] > between[1, 1]


def test_distances_to_means_are_kept():
    # The discriminant: Mahalanobis distances differ by what is left out, the same for all classes.
    X, y = IRIS
    model = LinearDiscriminantAnalysis(ridge=0.0).fit(X, y)
    z, means = model.transform(X), model.transform(model.means_)
    short = ((z[:, None] - means[None]) ** 2).sum(axis=2)
    inverse = np.linalg.inv(model.covariances_[0])
    away = X[:, None] - model.means_[None]
    full = np.einsum("nka,ab,nkb->nk", away, inverse, away)
    np.testing.assert_allclose(short - short[:, :1], full - full[:, :1], atol=1e-8)


def test_numbers_and_names_of_axes():
    X, y = IRIS
    two = LinearDiscriminantAnalysis().fit(X, y == 0)
    assert two.transform(X).shape == (150, 1)
    narrow = LinearDiscriminantAnalysis().fit(X[:, :1], y)
    assert narrow.transform(X[:, :1]).shape == (150, 1)
    names = two.get_feature_names_out()
    np.testing.assert_array_equal(names, ["lineardiscriminantanalysis0"])
    one = LinearDiscriminantAnalysis().fit(X, np.zeros(150, dtype=int))
    assert one.transform(X).shape == (150, 0)
    with pytest.warns(UserWarning, match="directions"):
        flat = LinearDiscriminantAnalysis().fit(np.ones((6, 2)), [0, 1, 2] * 2)
    assert flat.transform(np.ones((6, 2))).shape == (6, 0)


def test_units_change_no_axis():
    X, y = WINE
    model = LinearDiscriminantAnalysis().fit(X, y)
    changed = X * np.geomspace(1e-3, 1e3, X.shape[1]) + 5.0
    other = LinearDiscriminantAnalysis().fit(changed, y).transform(changed)
    np.testing.assert_allclose(np.abs(other), np.abs(model.transform(X)), atol=1e-6)


def test_axes_see_through_noise():
    X, y = IRIS
    seen = np.where(np.random.default_rng(0).random(150) < 0.2, (y + 1) % 3, y)
    model = LinearDiscriminantAnalysis(channel=FlipNoise()).fit(X, seen)
    clean = LinearDiscriminantAnalysis().fit(X, y)
    one, other = model.transform(X)[:, 0], clean.transform(X)[:, 0]
    assert abs(np.corrcoef(one, other)[0, 1]) > 0.99


def test_equal_ratios_leave_no_axis_to_rounding():
    # Fewer rows than features: within classes nothing varies, and all ratios are equal.
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(9, 20)), np.arange(9) % 3
    order = rng.permutation(9)
    with pytest.warns(UserWarning, match="directions"):
        one = LinearDiscriminantAnalysis().fit(X, y)
    with pytest.warns(UserWarning, match="directions"):
        other = LinearDiscriminantAnalysis().fit(X[order], y[order])
    np.testing.assert_allclose(other.transform(X), one.transform(X), rtol=1e-5, atol=1e-4)
