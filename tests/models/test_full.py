from __future__ import annotations

import numpy as np
import pytest
from tests.models.families import (
    assert_maximum,
    make_case,
    native_log_prior,
    native_m_step,
)

from labelief import GenerativeClassifier
from labelief.blocks import ArrayBlocks
from labelief.densities import FullGaussian
from labelief.models.shrinkage import Strength

STRENGTHS = [Strength(0.0), Strength(0.4), Strength(0.2, 5.0, 0.7)]


@pytest.mark.parametrize("strength", STRENGTHS, ids=["none", "ridge", "ridge and shrinkage"])
@pytest.mark.parametrize("d", [1, 3])
def test_m_step_is_the_formula_in_the_features_units(strength, d):
    case = make_case("full", d=d)
    prior = case.density.fixed_prior(case.frame, strength)
    best = case.density.maximise(case.record(), case.parameters, case.frame, prior)
    expected = native_m_step("full", case, strength)
    np.testing.assert_allclose(case.density.means(best, case.frame), expected.first, rtol=1e-10)
    covariances = case.density.covariances(best, case.frame)
    np.testing.assert_allclose(
        covariances, expected.second, rtol=1e-9, atol=1e-12 * np.abs(covariances).max()
    )


@pytest.mark.parametrize("strength", STRENGTHS, ids=["none", "ridge", "ridge and shrinkage"])
def test_m_step_maximises_the_expected_objective(strength):
    case = make_case("full", d=2)
    prior = case.density.fixed_prior(case.frame, strength)
    best = case.density.maximise(case.record(), case.parameters, case.frame, prior)
    assert_maximum(case, best, prior)


@pytest.mark.parametrize("strength", STRENGTHS, ids=["none", "ridge", "ridge and shrinkage"])
def test_log_prior_in_the_features_units(strength):
    case = make_case("full")
    prior = case.density.fixed_prior(case.frame, strength)
    got = case.density.log_prior(case.parameters, case.frame, prior)
    expected = native_log_prior("full", case, case.native.second, strength)
    assert got == pytest.approx(expected, rel=1e-10)


def test_a_start_is_held_by_as_many_rows_as_a_covariance_needs():
    case = make_case("full")
    prior = case.density.fixed_prior(case.frame, Strength(0.5))
    theta = case.density.start(case.record(), case.frame, prior)
    expected = native_m_step("full", case, Strength(0.5 + 3 + 2))
    np.testing.assert_allclose(
        case.density.covariances(theta, case.frame), expected.second, rtol=1e-9
    )


def test_too_few_rows_without_a_prior_are_explained():
    case = make_case("full", n=6)
    case.R[:] = [1.0, 0.0]
    case.R[:2] = [0.0, 1.0]
    prior = case.density.fixed_prior(case.frame, Strength(0.0))
    with pytest.raises(ValueError, match=r"component 1 is singular.*ridge"):
        case.density.maximise(case.record(), case.parameters, case.frame, prior)
    held = case.density.fixed_prior(case.frame, Strength(1e-6))
    best = case.density.maximise(case.record(), case.parameters, case.frame, held)
    assert np.all(np.isfinite(case.log_density(best)))


def test_one_component_without_a_prior_is_the_sample():
    case = make_case("full", J=1)
    density = FullGaussian()
    prior = density.fixed_prior(case.frame, Strength(0.0))
    best = density.maximise(case.record(), None, case.frame, prior)
    blocks = ArrayBlocks(case.X, weights=case.weights)
    assert blocks.total_weight == pytest.approx(case.weights.sum())
    np.testing.assert_allclose(
        density.covariances(best, case.frame)[0],
        np.cov(case.X.T, aweights=case.weights, ddof=0),
        rtol=1e-10,
    )


def test_a_start_gives_what_is_missing_the_mean_and_variance_of_its_column():
    case = make_case("full")
    X = case.X.copy()
    X[[3, 7], 1], X[9] = np.nan, np.nan
    density = FullGaussian()
    frame = density.frame(ArrayBlocks(X, weights=case.weights, gaps=True))
    record = density.start_statistics(X, case.weighted, frame.arrays)
    z = (X - frame.moments.mean) / frame.moments.scale
    gone = np.isnan(z)
    z = np.where(gone, 0.0, z)
    np.testing.assert_allclose(record[0], case.weighted.sum(axis=0))
    np.testing.assert_allclose(record[1:4], z.T @ case.weighted, atol=1e-12)
    rows, columns = np.triu_indices(3)
    for place, (a, b) in enumerate(zip(rows, columns, strict=True), start=4):
        products = z[:, a] * z[:, b] + (a == b) * gone[:, a]
        np.testing.assert_allclose(record[place], products @ case.weighted, atol=1e-12)


def test_new_rows_may_miss_features_unless_columns_depend_on_one_another():
    case = make_case("full")
    y = np.arange(len(case.X)) % 2
    doubled = np.column_stack([case.X, case.X[:, 0] - case.X[:, 1]])
    with pytest.warns(UserWarning, match="1 directions"):
        model = GenerativeClassifier(FullGaussian()).fit(doubled, y)
    doubled[4, 1] = np.nan
    with pytest.raises(ValueError, match="NaN: the first stands in row 4, column 1"):
        model.predict(doubled)
    # A constant column says nothing, there or not.
    flat = np.column_stack([case.X, np.ones(len(case.X))])
    with pytest.warns(UserWarning, match="1 directions"):
        model = GenerativeClassifier(FullGaussian()).fit(flat, y)
    before = model.predict_proba(flat)
    flat[:, 3] = np.nan
    np.testing.assert_allclose(model.predict_proba(flat), before, rtol=1e-12)


def test_columns_that_depend_on_others_are_kept_where_features_are_missing():
    case = make_case("full", n=80)
    X = np.column_stack([case.X, case.X[:, 0] - case.X[:, 1]])
    X[::5, 0] = np.nan
    model = GenerativeClassifier(FullGaussian(), max_iter=500).fit(X, np.arange(80) % 2)
    assert np.all(np.isfinite(model.covariances_))
    # What is missing is known from the others.
    precise = 1.0 / np.linalg.inv(model.covariances_)[:, 0, 0]
    assert np.all(precise < 0.02 * model.covariances_[:, 0, 0])
