from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import approx_fprime
from scipy.stats import gumbel_l, weibull_min
from tests.models.families import (
    Case,
    assert_maximum,
    expected_objective,
    make_case,
)

from labelief.blocks import ArrayBlocks
from labelief.densities import Weibull
from labelief.models.shrinkage import Strength
from labelief.models.weibull import WeibullParameters


def climb(case: Case, parameters, prior, n_steps=100):
    """Iterate the M-step under fixed responsibilities; return parameters and objectives."""
    objectives = [expected_objective(case, parameters, prior)]
    for _ in range(n_steps):
        record = case.record(parameters)
        parameters = case.density.maximise(record, parameters, case.frame, prior)
        objectives.append(expected_objective(case, parameters, prior))
    return parameters, np.array(objectives)


@pytest.mark.parametrize("nu", [0.0, 1.0])
@pytest.mark.parametrize("seed", range(5))
def test_every_m_step_improves(seed, nu):
    case = make_case("weibull", n=60, J=3, seed=seed)
    prior = case.density.fixed_prior(case.frame, Strength(nu))
    start = case.density.start(
        case.density.start_statistics(case.X, case.weighted, case.frame.arrays), case.frame, prior
    )
    for parameters in (start, case.parameters):
        _, objectives = climb(case, parameters, prior, 30)
        assert np.all(np.diff(objectives) >= -1e-11 * np.abs(objectives[1:]))
        assert objectives[-1] > objectives[0]


@pytest.mark.parametrize("factor", [0.05, 0.3, 3.0, 20.0])
def test_it_converges_from_far_away(factor):
    case = make_case("weibull", n=60)
    prior = case.density.fixed_prior(case.frame, Strength(0.0))
    near, _ = climb(case, case.parameters, prior)
    shapes = case.parameters.shapes * factor
    far, objectives = climb(case, WeibullParameters(shapes, 0.0 * shapes), prior)
    np.testing.assert_allclose(far.shapes, near.shapes, rtol=1e-8)
    np.testing.assert_allclose(far.locations, near.locations, rtol=1e-8, atol=1e-8)
    # Not one step on the way goes down: shapes at most halve or double.
    assert np.all(np.diff(objectives) >= -1e-11 * np.abs(objectives[1:]))
    assert objectives[-1] == pytest.approx(objectives.max(), rel=1e-12)


def test_one_component_is_scipys_maximum_likelihood():
    rng = np.random.default_rng(0)
    X = np.column_stack([5.0 * rng.weibull(0.7, 80), 1e4 * rng.weibull(4.0, 80)])
    blocks = ArrayBlocks(X)
    density = Weibull()
    frame = density.frame(blocks)
    ones = np.ones((80, 1))
    start = WeibullParameters(np.ones((1, 2)), np.zeros((1, 2)))
    case = Case(density, X, np.ones(80), ones, blocks, frame, None, start)
    best, _ = climb(case, start, density.fixed_prior(frame, Strength(0.0)))
    shapes, scales = density.shapes_and_scales(best, frame)
    for a in range(2):
        shape, _, scale = weibull_min.fit(X[:, a], floc=0.0)
        assert shapes[0, a] == pytest.approx(shape, rel=1e-3)
        assert scales[0, a] == pytest.approx(scale, rel=1e-3)
        ours = weibull_min(shapes[0, a], scale=scales[0, a]).logpdf(X[:, a]).sum()
        theirs = weibull_min(shape, scale=scale).logpdf(X[:, a]).sum()
        assert ours >= theirs - 1e-9


@pytest.mark.parametrize("nu", [0.0, 2.0])
def test_its_fixed_point_is_the_maximum(nu):
    case = make_case("weibull", d=2)
    prior = case.density.fixed_prior(case.frame, Strength(nu))
    best, _ = climb(case, case.parameters, prior)
    assert_maximum(case, best, prior)


def test_the_prior_is_the_expected_log_density_of_pseudo_rows():
    case = make_case("weibull", d=2)
    frame, nu = case.frame, 1.7
    prior = case.density.fixed_prior(frame, Strength(nu))
    gumbel = gumbel_l(loc=np.euler_gamma * np.sqrt(6) / np.pi, scale=np.sqrt(6) / np.pi)
    assert gumbel.mean() == pytest.approx(0.0, abs=1e-12)
    assert gumbel.var() == pytest.approx(1.0)
    expected = 0.0
    for j in range(2):
        for a in range(2):
            law = weibull_min(case.native.first[j, a], scale=case.native.second[j, a])

            def integrand(u, law=law, a=a):
                x = np.exp(frame.center[a] + frame.scale[a] * u)
                return gumbel.pdf(u) * law.logpdf(x)

            expected += nu * quad(integrand, -25, 5, limit=400)[0]
    got = case.density.log_prior(case.parameters, frame, prior)
    assert got == pytest.approx(expected, rel=1e-6)


def test_the_expected_objective_is_concave_in_its_coordinates():
    case = make_case("weibull", d=2)
    prior = case.density.fixed_prior(case.frame, Strength(0.5))
    rng = np.random.default_rng(1)
    center = case.density.to_vector(case.parameters)

    def objective(vector):
        return expected_objective(case, case.density.from_vector(vector, 2, case.frame), prior)

    for _ in range(30):
        left, right = center + 0.3 * rng.normal(size=(2, len(center)))
        middle = objective((left + right) / 2)
        assert middle >= (objective(left) + objective(right)) / 2 - 1e-9


def test_m_step_stands_still_at_the_maximum():
    case = make_case("weibull", d=2)
    prior = case.density.fixed_prior(case.frame, Strength(0.5))
    best, _ = climb(case, case.parameters, prior)
    again = case.density.maximise(case.record(best), best, case.frame, prior)
    np.testing.assert_allclose(again.shapes, best.shapes, rtol=1e-11)
    np.testing.assert_allclose(again.locations, best.locations, rtol=1e-10, atol=1e-11)

    def loss(vector):
        return -expected_objective(case, case.density.from_vector(vector, 2, case.frame), prior)

    slopes = approx_fprime(case.density.to_vector(best), loss, 1e-6)
    np.testing.assert_allclose(slopes, 0.0, atol=1e-2)


@pytest.mark.parametrize("nu", [0.0, 20.0])
def test_steps_are_newtons_the_priors_rows_included(nu):
    # Near the maximum each step about squares the error.
    case = make_case("weibull", d=2)
    prior = case.density.fixed_prior(case.frame, Strength(nu))
    best, _ = climb(case, case.parameters, prior)
    start = WeibullParameters(best.shapes * 1.3, best.locations)
    errors = []
    for steps in (2, 3, 4):
        near, _ = climb(case, start, prior, steps)
        errors.append(np.abs(near.shapes / best.shapes - 1.0).max())
    assert errors[1] < 10 * errors[0] ** 2
    assert errors[2] < 1e-8


def test_equal_values_do_not_run_away():
    # All weight of component 1 on rows that are alike: only the prior holds its shape.
    case = make_case("weibull", n=30)
    case.R[:] = [1.0, 0.0]
    case.R[:4] = [0.0, 1.0]
    case.X[:4] = case.X[0]
    case.blocks = ArrayBlocks(case.X, weights=case.weights)
    case.frame = case.density.frame(case.blocks)
    for nu in (0.0, 1e-6, 0.1):
        prior = case.density.fixed_prior(case.frame, Strength(nu))
        best, objectives = climb(case, case.parameters, prior, 60)
        assert np.all(np.isfinite(best.shapes)) and np.all(np.isfinite(best.locations))
        assert np.all(np.isfinite(objectives))
        assert np.all(np.isfinite(case.density.covariances(best, case.frame)))


@pytest.mark.parametrize("bad", [0.0, -1.0, -0.0])
def test_values_that_are_not_positive_are_refused_by_column(bad):
    X = np.random.default_rng(0).weibull(2.0, (600, 3))
    X[[4, 500], 1] = bad
    with pytest.raises(ValueError, match="Column 1 of X has 2 values that are not positive"):
        Weibull().frame(ArrayBlocks(X, block_rows=100))


def test_shrinkage_has_no_meaning():
    with pytest.raises(ValueError, match="shrinkage=None"):
        Weibull().fixed_prior(None, Strength(0.1, 2.0))


def test_constant_columns_keep_their_value():
    case = make_case("weibull")
    X = np.column_stack([case.X, np.full(len(case.X), 2.5)])
    frame = Weibull().frame(ArrayBlocks(X, weights=case.weights))
    assert frame.rank == 3
    means = Weibull().means(case.parameters, frame)
    np.testing.assert_allclose(means[:, 3], 2.5, rtol=1e-12)
    assert not Weibull().covariances(case.parameters, frame)[:, 3].any()


@pytest.mark.parametrize("scale", [1e-150, 1e150])
def test_units_of_any_magnitude(scale):
    case, other = make_case("weibull"), make_case("weibull")
    other.X = other.X * scale
    other.frame = other.density.frame(ArrayBlocks(other.X, weights=other.weights))
    expected = case.log_density(case.parameters) - 3 * np.log(scale)
    np.testing.assert_allclose(other.log_density(case.parameters), expected, rtol=1e-11)
