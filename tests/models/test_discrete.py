"""What Poisson, Bernoulli and Categorical share: M-step, prior, support, missing features."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import bernoulli, poisson
from tests.models.families import (
    DISCRETE,
    FAMILIES,
    LEVELS,
    assert_maximum,
    make_case,
)

from labelief.blocks import ArrayBlocks
from labelief.densities import Bernoulli, Categorical, Poisson
from labelief.models.shrinkage import Strength


def base_rows(name, case):
    """Return the distribution of a pseudo-row, from the counts of all rows."""
    w, X = case.weights, case.X
    if name == "categorical":
        counts = np.array([[w[X[:, a] == v].sum() for v in range(LEVELS)] for a in range(3)])
        return (counts + 1 / LEVELS) / (w.sum() + 1)
    return (w @ X + 0.5) / (w.sum() + 1)


@pytest.fixture(params=DISCRETE)
def name(request):
    return request.param


@pytest.mark.parametrize("ridge", [0.0, 0.7])
def test_m_step_adds_pseudo_rows_to_the_sums(name, ridge):
    case = make_case(name)
    prior = case.density.fixed_prior(case.frame, Strength(ridge))
    best = case.density.maximise(case.record(), case.parameters, case.frame, prior)
    nu, base = 1.0 + ridge, base_rows(name, case)
    counts = case.weighted.sum(axis=0)
    for j in range(2):
        r = case.weighted[:, j]
        if name == "categorical":
            seen = [[r[case.X[:, a] == v].sum() for v in range(LEVELS)] for a in range(3)]
            expected = (np.array(seen) + nu * base) / (counts[j] + nu)
            got = np.exp(best.log_shares[j]).reshape(3, LEVELS)
        else:
            expected = (r @ case.X + nu * base) / (counts[j] + nu)
            got = case.density.means(best, case.frame)[j]
        np.testing.assert_allclose(got, expected, rtol=1e-12)


@pytest.mark.parametrize("ridge", [0.0, 0.7])
def test_m_step_maximises_the_expected_objective(name, ridge):
    case = make_case(name, d=2)
    prior = case.density.fixed_prior(case.frame, Strength(ridge))
    best = case.density.maximise(case.record(), case.parameters, case.frame, prior)
    assert_maximum(case, best, prior)


def test_log_prior_is_the_expected_log_density_of_pseudo_rows(name):
    case = make_case(name)
    prior = case.density.fixed_prior(case.frame, Strength(0.5))
    base, first = base_rows(name, case), case.native.first
    if name == "poisson":
        terms = base * np.log(first) - first
    elif name == "bernoulli":
        terms = base * bernoulli(first).logpmf(1) + (1 - base) * bernoulli(first).logpmf(0)
    else:
        terms = base * np.log(first)
    got = case.density.log_prior(case.parameters, case.frame, prior)
    assert got == pytest.approx(1.5 * terms.sum(), rel=1e-12)


def test_what_a_component_never_saw_is_unlikely_in_it_not_impossible(name):
    case = make_case(name)
    case.X[:20], case.X[20:] = 0.0, 1.0
    case.R[:20], case.R[20:] = [1.0, 0.0], [0.0, 1.0]
    case.frame = case.density.frame(ArrayBlocks(case.X, weights=case.weights))
    for pseudo_count in (0.0, 1.0):
        density = type(case.density)(pseudo_count=pseudo_count)
        for ridge in (0.0, 1e-6):
            prior = density.fixed_prior(case.frame, Strength(ridge))
            theta = density.maximise(case.record(), None, case.frame, prior)
            logs = case.log_density(theta)
            assert np.all(np.isfinite(logs))
            assert np.all(logs[20:, 0] < logs[:20, 0].max())
            assert np.isfinite(density.log_prior(theta, case.frame, prior))
            assert np.all(np.isfinite(density.to_vector(theta)))


def test_without_pseudo_rows_the_estimate_is_that_of_maximum_likelihood():
    rng = np.random.default_rng(0)
    X = rng.poisson(4.0, (30, 2))
    density = Poisson(pseudo_count=0.0)
    frame = density.frame(ArrayBlocks(X))
    record = density.start_statistics(X, np.ones((30, 1)), frame.arrays)
    theta = density.maximise(record, None, frame, density.fixed_prior(frame, Strength(0.0)))
    np.testing.assert_allclose(density.means(theta, frame)[0], X.mean(axis=0), rtol=1e-12)


def test_components_without_rows_are_as_all_rows_are(name):
    case = make_case(name)
    case.R[:] = [1.0, 0.0]
    for density in (case.density, type(case.density)(pseudo_count=0.0)):
        prior = density.fixed_prior(case.frame, Strength(0.0))
        theta = density.maximise(case.record(), case.parameters, case.frame, prior)
        got = density.means(theta, case.frame)[1]
        np.testing.assert_allclose(got, density.means(theta, case.frame)[0], rtol=0.1)


BAD = {"poisson": -1.0, "bernoulli": 2.0, "categorical": 3.0}


@pytest.mark.parametrize("whole", [True, False])
def test_values_outside_the_support_are_named(name, whole, xp):
    case = make_case(name, n=60)
    X = case.X.copy()
    X[[41, 50], 1] = value = BAD[name] if whole else 0.5
    blocks = ArrayBlocks(xp.asarray(X), block_rows=20)
    with pytest.raises(ValueError, match=rf"Column 1 of X holds {value:g} in row 41"):
        case.density.frame(blocks)
    with pytest.raises(ValueError, match=r"Column 1 of X .* row 41"):
        case.density.check(blocks, case.frame)


def test_booleans_and_small_integers_are_taken(name):
    case = make_case(name)
    X = case.X % 2
    one = case.density.frame(ArrayBlocks(X))
    for other in (X.astype(bool), X.astype(np.int8), X.astype(np.float32)):
        np.testing.assert_array_equal(case.density.frame(ArrayBlocks(other)).base, one.base)


def test_shrinkage_has_no_meaning(name):
    with pytest.raises(ValueError, match=r"shrinkage=None.*pseudo_count"):
        FAMILIES[name].fixed_prior(None, Strength(0.1, 2.0))


@pytest.mark.parametrize("bad", [-1.0, np.inf, np.nan, "1"])
@pytest.mark.parametrize("family", [Poisson, Bernoulli, Categorical])
def test_pseudo_counts_are_numbers_of_0_or_more(family, bad):
    with pytest.raises(ValueError, match="pseudo_count of"):
        family(pseudo_count=bad).fixed_prior(None, Strength(0.1))


def test_the_terms_that_poisson_components_share():
    case = make_case("poisson")
    factors = case.density.factors(case.parameters, case.frame, np.zeros(2))
    features = case.density.features(case.X, case.frame.arrays)
    rows = case.density.row_term(features, case.frame.arrays, factors)
    # Where the rates are the means over all rows, nothing else is left.
    expected = poisson(case.frame.base).logpmf(case.X).sum(axis=1)
    np.testing.assert_allclose(rows, expected, rtol=1e-12)


def test_starts_lie_at_the_mean_where_features_are_missing(name):
    case = make_case(name)
    X = case.X.copy()
    X[3, 1] = np.nan
    frame = case.density.frame(ArrayBlocks(X, gaps=True))
    z = case.density.coordinates(X, frame.arrays)
    assert np.all(np.isfinite(z))
    width = z.shape[1] // 3
    np.testing.assert_array_equal(z[3, width : 2 * width], 0.0)
    # About its mean over the rows that have it, each column has a total variance of 1.
    here = np.delete(z, 3, axis=0)
    columns = here[:, width : 2 * width]
    np.testing.assert_allclose(np.sum(columns**2, axis=1).mean(), 1.0, rtol=0.1)


def test_densities_far_out_are_finite():
    density = Poisson()
    X = np.array([[0.0, 1e15], [1e9, 3.0]])
    frame = density.frame(ArrayBlocks(X))
    record = density.start_statistics(X, np.eye(2), frame.arrays)
    theta = density.maximise(record, None, frame, density.fixed_prior(frame, Strength(0.0)))
    means = density.means(theta, frame)
    expected = np.column_stack([poisson(m).logpmf(X).sum(axis=1) for m in means])
    factors = density.factors(theta, frame, np.zeros(2))
    features = density.features(X, frame.arrays)
    got = density.log_density(features, factors)
    got = got + density.row_term(features, frame.arrays, factors)[:, None]
    np.testing.assert_allclose(got, expected, rtol=1e-9, atol=10.0)
