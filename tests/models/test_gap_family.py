"""Missing features: what a density says of a row is what it says of the rest of it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from tests.models.families import (
    DISCRETE,
    EXACT_WITH_GAPS,
    FAMILIES,
    GAPPY,
    make_case,
    native_moments,
    scipy_log_density,
)

from labelief import GenerativeClassifier, densities
from labelief.blocks import ArrayBlocks
from labelief.kernels.namespace import to_host
from labelief.models.shrinkage import Strength

RNG = np.random.default_rng(0)


def gappy_case(name, n=40, d=3):
    """Return a case of which features are missing, in a frame that knows it."""
    case = make_case(name, n=n, d=d)
    case.X = case.X.copy()
    case.X[np.random.default_rng(5).random(case.X.shape) < 0.3] = np.nan
    case.X[0], case.X[1] = np.nan, case.X[np.argmax(~np.isnan(case.X).any(axis=1))]
    case.frame = case.density.frame(ArrayBlocks(case.X, weights=case.weights, gaps=True))
    prior = case.density.fixed_prior(case.frame, Strength(0.1))
    record = case.density.start_statistics(case.X, case.weighted, case.frame.arrays)
    case.parameters = case.density.start(record, case.frame, prior)
    return case


def test_those_that_take_missing_features_say_so():
    assert {name for name, density in FAMILIES.items() if density.missing} == set(GAPPY)
    assert set(densities.__all__) == {type(density).__name__ for density in FAMILIES.values()}


@pytest.mark.parametrize("name", GAPPY)
def test_an_opened_frame_says_the_same_of_complete_rows(name):
    case = make_case(name)
    opened = case.density.opened(case.frame)
    assert opened.gaps and not case.frame.gaps
    before = case.log_density(case.parameters)
    case.frame = opened
    np.testing.assert_allclose(case.log_density(case.parameters), before, rtol=1e-13)


@pytest.mark.parametrize("name", GAPPY)
def test_densities_of_the_observed_features(name):
    # Parameters learned from complete rows judge rows that are not.
    case = make_case(name)
    case.frame = case.density.opened(case.frame)
    case.X = np.where(np.random.default_rng(1).random(case.X.shape) < 0.4, np.nan, case.X)
    case.X[4] = np.nan
    got = case.log_density(case.parameters)
    means, covariances = native_moments(name, case.native)
    for i, x in enumerate(case.X):
        here = ~np.isnan(x)
        for j in range(2):
            if name in DISCRETE:
                part = type(case.native)(case.native.first[j : j + 1, here])
                expected = scipy_log_density(name, part, x[None, here])[0, 0]
            elif name == "columns":
                last = case.native.first[j, 0]
                expected = 0.0 if np.isnan(x[-1]) else np.log(last[int(x[-1])])
                others = np.append(here[:-1], False)
                expected += normal(means[j], covariances[j], x, others)
            else:
                expected = normal(means[j], covariances[j], x, here)
            assert got[i, j] == pytest.approx(expected, rel=1e-8, abs=1e-8)


def normal(mean, covariance, x, here):
    if not here.any():
        return 0.0
    return multivariate_normal(mean[here], covariance[np.ix_(here, here)]).logpdf(x[here])


# One variance serves all features of a spherical component: see below.
@pytest.mark.parametrize("name", [name for name in EXACT_WITH_GAPS if name != "spherical"])
def test_m_step_takes_each_feature_from_the_rows_that_have_it(name):
    # A fit of each column alone, by the rows that have it, is the fit of all.
    case = gappy_case(name)
    density = case.density if name != "categorical" else densities.Categorical(n_levels=3)
    prior = density.fixed_prior(case.frame, Strength(0.0))
    best = density.maximise(case.record(), case.parameters, case.frame, prior)
    means, covariances = density.means(best, case.frame), density.covariances(best, case.frame)
    for a in range(3):
        here = ~np.isnan(case.X[:, a])
        X, w = case.X[here][:, [a]], case.weights[here]
        frame = density.frame(ArrayBlocks(X, weights=w))
        record = density.start_statistics(X, case.weighted[here], frame.arrays)
        alone = density.maximise(record, None, frame, density.fixed_prior(frame, Strength(0.0)))
        np.testing.assert_allclose(means[:, a], density.means(alone, frame)[:, 0], rtol=1e-10)
        np.testing.assert_allclose(
            covariances[:, a, a], density.covariances(alone, frame)[:, 0, 0], rtol=1e-9
        )


def test_a_spherical_variance_is_over_what_is_observed():
    case = gappy_case("spherical")
    prior = case.density.fixed_prior(case.frame, Strength(0.0))
    best = case.density.maximise(case.record(), case.parameters, case.frame, prior)
    r = case.weighted
    for j in range(2):
        here = ~np.isnan(case.X)
        means = np.nansum(r[:, [j]] * case.X, axis=0) / np.sum(r[:, [j]] * here, axis=0)
        squares = np.nansum(r[:, [j]] * (case.X - means) ** 2)
        variance = squares / np.sum(r[:, [j]] * here)
        np.testing.assert_allclose(case.density.means(best, case.frame)[j], means, rtol=1e-10)
        got = case.density.covariances(best, case.frame)[j]
        np.testing.assert_allclose(got, variance * np.eye(3), rtol=1e-9)


@pytest.mark.parametrize("name", GAPPY)
def test_kernels_are_the_same_in_every_library_and_in_blocks(name, xp):
    case = gappy_case(name)
    whole, record = case.log_density(case.parameters), case.record()
    start = case.density.start_statistics(case.X, case.weighted, case.frame.arrays)

    def run(block, parameters):
        arrays, factors = parameters
        features = case.density.features(block.X, arrays)
        R = block.responsibilities * block.weights[:, None]
        return (
            case.density.statistics(features, R, factors),
            case.density.start_statistics(block.X, R, arrays),
        )

    def rows(block, parameters):
        arrays, factors = parameters
        features = case.density.features(block.X, arrays)
        common = case.density.row_term(features, arrays, factors)
        return case.density.log_density(features, factors) + common[:, None]

    factors = case.density.factors(case.parameters, case.frame, np.zeros(2))
    blocks = ArrayBlocks(
        xp.asarray(case.X), None, case.weights, case.R, block_rows=3, n_threads=2, gaps=True
    )
    parameters = (case.frame.arrays, factors)
    got = blocks.map_reduce(run, parameters, 10)
    for left, right in zip(leaves(got), leaves((record, start)), strict=True):
        np.testing.assert_allclose(left, right, rtol=1e-9, atol=1e-9)
    got = to_host(blocks.map_rows(rows, parameters, 10))
    np.testing.assert_allclose(got, whole, rtol=1e-10, atol=1e-10)


def leaves(record):
    if isinstance(record, tuple):
        return [leaf for part in record for leaf in leaves(part)]
    return [record]


@pytest.mark.parametrize("name", GAPPY)
def test_the_shared_terms_sum_to_their_total(name):
    case = gappy_case(name)
    features = case.density.features(case.X, case.frame.arrays)
    factors = case.density.factors(case.parameters, case.frame, np.zeros(2))
    rows = case.density.row_term(features, case.frame.arrays, factors)
    total = case.density.row_term_total(case.parameters, case.frame)
    assert total == pytest.approx(case.weights @ rows, rel=1e-10, abs=1e-9)


@pytest.mark.parametrize("name", GAPPY)
def test_a_row_that_says_nothing_changes_nothing_but_the_priors(name):
    case = make_case(name, n=60)
    y = np.arange(60) % 2
    nothing = np.full((20, case.X.shape[1]), np.nan)
    model = GenerativeClassifier(FAMILIES[name], ridge=0.0, tol=1e-12, max_iter=1000)
    if name == "columns":
        model.density = densities.Columns(
            [(densities.Categorical(3), -1)], densities.FullGaussian()
        )
    one = model.fit(np.vstack([case.X[:59], nothing[:1]]), np.append(y[:59], y[59]))
    means, covariances = one.means_, one.covariances_
    two = model.fit(np.vstack([case.X[:59], nothing]), np.append(y[:59], [1] * 20))
    np.testing.assert_allclose(two.means_, means, rtol=1e-6)
    np.testing.assert_allclose(two.covariances_, covariances, rtol=1e-5, atol=1e-9)
    # Its label counts; of a new one nothing is known but the priors.
    np.testing.assert_allclose(two.priors_, [30 / 79, 49 / 79])
    np.testing.assert_allclose(two.predict_proba(nothing[:1])[0], two.priors_, rtol=1e-12)


@pytest.mark.filterwarnings("ignore:X has 1 directions")
@pytest.mark.parametrize("name", GAPPY)
def test_a_column_that_nobody_has_says_nothing(name):
    case = make_case(name, n=60)
    y = np.arange(60) % 2
    pl = RNG.uniform(0.1, 0.5, (60, 2))
    pl[np.arange(60), y] = 1.0
    empty = np.column_stack([case.X, np.full(60, np.nan)])
    density = FAMILIES[name]
    if name == "columns":
        density = densities.Columns([(densities.Categorical(3), 2)], densities.DiagonalGaussian())
    settings = {"max_iter": 20, "tol": 0.0, "ridge": 0.0}
    holes = case.X.copy()
    holes[::7, 0] = np.nan
    empty[::7, 0] = np.nan
    with pytest.warns(UserWarning):
        one = GenerativeClassifier(density, **settings).fit(holes, pl)
        two = GenerativeClassifier(density, **settings).fit(empty, pl)
    np.testing.assert_allclose(two.predict_proba(empty), one.predict_proba(holes), rtol=1e-8)
    assert two.log_likelihood_ == pytest.approx(one.log_likelihood_, rel=1e-9)
    assert np.all(np.isfinite(two.means_)) and np.all(np.isfinite(two.covariances_))


@pytest.mark.parametrize("name", GAPPY)
def test_rows_without_gaps_are_fitted_as_ever(name):
    case = make_case(name, n=60)
    model = GenerativeClassifier(case.density).fit(case.X, np.arange(60) % 2)
    with_one = np.vstack([case.X, np.full(case.X.shape[1], np.nan)])
    again = GenerativeClassifier(case.density).fit(
        with_one, np.append(np.arange(60) % 2, 0), sample_weight=np.append(np.ones(60), 0.0)
    )
    assert again.history_ == model.history_
    np.testing.assert_array_equal(again.means_, model.means_)
