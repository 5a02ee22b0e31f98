"""What every density promises (models/contract.py, models/exponential.py), family by family."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from tests.models.families import EXACT, FAMILIES, make_case, native_moments, scipy_log_density

from labelief import densities
from labelief.blocks import ArrayBlocks
from labelief.blocks.records import map_leaves
from labelief.kernels.namespace import to_host
from labelief.models.shrinkage import Strength

pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture(params=FAMILIES)
def name(request):
    return request.param


def test_every_family_is_tried_here():
    assert {type(density).__name__ for density in FAMILIES.values()} == set(densities.__all__)


@pytest.mark.parametrize("d", [1, 3])
def test_log_density_is_scipys_in_the_features_units(name, d):
    case = make_case(name, d=d)
    expected = scipy_log_density(name, case.native, case.X)
    np.testing.assert_allclose(case.log_density(case.parameters), expected, rtol=1e-10, atol=1e-10)


def test_log_weights_are_added(name):
    case = make_case(name)
    features = case.density.features(case.X, case.frame.arrays)
    weights = np.array([0.3, -1.2])
    with_weights = case.density.factors(case.parameters, case.frame, weights)
    without = case.density.factors(case.parameters, case.frame, np.zeros(2))
    np.testing.assert_allclose(
        case.density.log_density(features, with_weights),
        case.density.log_density(features, without) + weights,
        rtol=1e-12,
        atol=1e-12,
    )


def test_row_terms_sum_to_their_total(name):
    case = make_case(name)
    features = case.density.features(case.X, case.frame.arrays)
    factors = case.density.factors(case.parameters, case.frame, np.zeros(2))
    rows = case.density.row_term(features, case.frame.arrays, factors)
    assert rows.shape == (len(case.X),)
    assert case.density.row_term_total(case.parameters, case.frame) == pytest.approx(
        case.weights @ rows, rel=1e-10, abs=1e-9
    )


def test_kernels_are_the_same_in_every_library(name, xp):
    case = make_case(name)

    def move(arrays):
        return map_leaves(lambda array: xp.asarray(np.ascontiguousarray(array)), arrays)

    density, arrays = case.density, move(case.frame.arrays)
    factors = move(density.factors(case.parameters, case.frame, np.zeros(2)))
    features = density.features(xp.asarray(case.X), arrays)
    rows = to_host(density.row_term(features, arrays, factors))
    whole = to_host(density.log_density(features, factors)) + rows[:, None]
    np.testing.assert_allclose(whole, case.log_density(case.parameters), rtol=1e-11, atol=1e-11)
    R = xp.asarray(case.weighted)
    record = density.statistics(features, R, factors)
    expected = case.record()
    for got, value in zip(as_leaves(record), as_leaves(expected), strict=True):
        np.testing.assert_allclose(to_host(got), value, rtol=1e-10, atol=1e-10)
    start = density.start_statistics(xp.asarray(case.X), R, arrays)
    expected = density.start_statistics(case.X, case.weighted, case.frame.arrays)
    for got, value in zip(as_leaves(start), as_leaves(expected), strict=True):
        np.testing.assert_allclose(to_host(got), value, rtol=1e-10, atol=1e-10)


def as_leaves(record):
    if isinstance(record, tuple):
        return [leaf for part in record for leaf in as_leaves(part)]
    return [record]


def test_counts_are_the_weights_of_components(name):
    case = make_case(name)
    np.testing.assert_allclose(
        case.density.counts(case.record()), case.weighted.sum(axis=0), rtol=1e-13
    )
    start = case.density.start_statistics(case.X, case.weighted, case.frame.arrays)
    np.testing.assert_allclose(case.density.counts(start), case.weighted.sum(axis=0), rtol=1e-13)


@pytest.mark.parametrize("exact", [*EXACT, "columns"])
def test_expected_log_density_is_linear_in_the_record(exact):
    case = make_case(exact)
    weights = np.array([-0.4, -1.1])
    factors = case.density.factors(case.parameters, case.frame, weights)
    got = case.density.expected_log_density(case.record(), factors)
    got += case.density.row_term_total(case.parameters, case.frame)
    densities_ = scipy_log_density(exact, case.native, case.X)
    assert got == pytest.approx(np.sum(case.weighted * (densities_ + weights)), rel=1e-10)


@pytest.mark.parametrize("exact", [*EXACT, "columns"])
def test_a_component_without_weight_adds_nothing_to_it(exact):
    case = make_case(exact)
    case.R[:] = [1.0, 0.0]
    with np.errstate(divide="ignore"):
        factors = case.density.factors(case.parameters, case.frame, np.log([1.0, 0.0]))
    got = case.density.expected_log_density(case.record(), factors)
    got += case.density.row_term_total(case.parameters, case.frame)
    expected = case.weights @ scipy_log_density(exact, case.native, case.X)[:, 0]
    assert got == pytest.approx(expected, rel=1e-10)


def test_vectors_and_back(name):
    case = make_case(name)
    vector = case.density.to_vector(case.parameters)
    back = case.density.from_vector(vector, 2, case.frame)
    assert type(back) is type(case.parameters)
    np.testing.assert_allclose(case.density.to_vector(back), vector, rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(
        case.log_density(back), case.log_density(case.parameters), rtol=1e-11, atol=1e-11
    )
    # Coordinates are free: any step from them is a parameter again.
    step = np.random.default_rng(1).normal(size=vector.shape)
    moved = case.density.from_vector(vector + 0.1 * step, 2, case.frame)
    assert np.all(np.isfinite(case.log_density(moved)))


def test_as_many_coordinates_as_parameters(name):
    case = make_case(name)
    vector = case.density.to_vector(case.parameters)
    assert len(vector) == case.density.n_parameters(2, case.frame)


@pytest.mark.parametrize(
    ("family", "expected"),
    # d = 3, J = 2: means 6, and two variances a feature, one a component, or triangles of 6.
    [
        ("tied", 12),
        ("full", 18),
        ("diagonal", 12),
        ("spherical", 8),
        ("weibull", 12),
        ("poisson", 6),
        ("bernoulli", 6),
        ("categorical", 12),  # two free shares of three, in each column
        ("columns", 14),  # two means and a triangle of 3, and two free shares
        # Volumes 1 or 2, shapes 2 or 4, axes 3 or 6.
        *[("EII", 7), ("EEI", 9), ("VEI", 10), ("EVI", 11), ("VEE", 13)],
        *[("EVE", 14), ("VVE", 15), ("EEV", 15), ("VEV", 16), ("EVV", 17)],
    ],
)
def test_number_of_parameters_by_hand(family, expected):
    case = make_case(family)
    assert case.density.n_parameters(2, case.frame) == expected


def test_means_and_covariances_have_the_features_units(name):
    case = make_case(name)
    means = case.density.means(case.parameters, case.frame)
    covariances = case.density.covariances(case.parameters, case.frame)
    expected_means, expected = native_moments(name, case.native)
    np.testing.assert_allclose(means, expected_means, rtol=1e-10, atol=1e-10)
    assert covariances.shape == (2, 3, 3)
    np.testing.assert_allclose(covariances, expected, rtol=1e-8, atol=1e-12)


def test_reordered_components_keep_their_densities(name):
    case = make_case(name, J=3)
    order = np.array([2, 0, 1])
    moved = case.density.reordered(case.parameters, order)
    expected = case.log_density(case.parameters)[:, order]
    np.testing.assert_allclose(case.log_density(moved), expected, rtol=1e-12)


def test_a_start_gives_finite_parameters_however_few_rows_bear_on_it(name):
    case = make_case(name)
    case.R[:] = [0.0, 0.0]
    case.R[3] = [1.0, 0.0]
    prior = case.density.fixed_prior(case.frame, Strength(1e-6))
    record = case.density.start_statistics(case.X, case.weighted, case.frame.arrays)
    parameters = case.density.start(record, case.frame, prior)
    assert np.all(np.isfinite(case.log_density(parameters)))
    assert np.isfinite(case.density.log_prior(parameters, case.frame, prior))


def test_a_component_without_weight_keeps_finite_parameters(name):
    case = make_case(name)
    case.R[:] = [1.0, 0.0]
    for nu in (0.0, 1e-6):
        prior = case.density.fixed_prior(case.frame, Strength(nu))
        parameters = case.density.maximise(case.record(), case.parameters, case.frame, prior)
        assert np.all(np.isfinite(case.log_density(parameters)))


def test_a_weight_of_two_is_a_row_twice(name):
    case = make_case(name, n=20)
    rng = np.random.default_rng(4)
    times = rng.integers(1, 4, 20)
    once = ArrayBlocks(case.X, weights=times.astype(float))
    twice = ArrayBlocks(np.repeat(case.X, times, axis=0))
    R = case.R
    results = []
    for blocks, responsibilities in ((once, R * times[:, None]), (twice, np.repeat(R, times, 0))):
        frame = case.density.frame(blocks)
        record = case.density.start_statistics(blocks.X, responsibilities, frame.arrays)
        prior = case.density.fixed_prior(frame, Strength(0.01))
        theta = case.density.start(record, frame, prior)
        results.append((case.density.means(theta, frame), case.density.covariances(theta, frame)))
    for left, right in zip(*results, strict=True):
        np.testing.assert_allclose(left, right, rtol=1e-9, atol=1e-10 * np.abs(left).max())


def test_densities_are_cloned_like_estimators(name):
    copy = clone(FAMILIES[name])
    assert type(copy) is type(FAMILIES[name])
    assert repr(copy) == repr(FAMILIES[name])


def test_kernels_write_to_no_input(name):
    case = make_case(name)
    case.X.flags.writeable = False
    factors = case.density.factors(case.parameters, case.frame, np.zeros(2))
    R = case.weighted
    for array in (*as_leaves(factors), R):
        array.flags.writeable = False
    features = case.density.features(case.X, case.frame.arrays)
    for array in as_leaves(features):
        array.flags.writeable = False
    case.density.log_density(features, factors)
    case.density.row_term(features, case.frame.arrays, factors)
    case.density.statistics(features, R, factors)
    case.density.start_statistics(case.X, R, case.frame.arrays)
