from __future__ import annotations

import numpy as np
import pytest
from scipy.special import logsumexp
from tests.models.families import FAMILIES, GAUSSIANS, make_case, scipy_log_density

from labelief.models import ComponentModel
from labelief.models.components import ComponentParameters
from labelief.models.shrinkage import Strength

CLASSES = np.array([0, 0, 1, 2, 2])
WEIGHTS = np.array([0.1, 0.3, 0.25, 0.15, 0.2])


def make_model(name="full", priors=None, component_class=CLASSES):
    case = make_case(name, J=len(component_class))
    prior = case.density.fixed_prior(case.frame, Strength(0.1))
    model = ComponentModel(case.density, case.frame, prior, component_class, priors)
    return case, model, ComponentParameters(WEIGHTS[: len(component_class)], case.parameters)


@pytest.mark.parametrize("name", FAMILIES)
def test_log_joint_is_weights_and_densities(name):
    case, model, theta = make_model(name)
    factors = model.factors(theta)
    features = model.features(case.X, factors)
    joint = model.log_joint(features, factors) + model.row_term(features, factors)[:, None]
    expected = scipy_log_density(name, case.native, case.X) + np.log(WEIGHTS)
    np.testing.assert_allclose(joint, expected, rtol=1e-9, atol=1e-9)
    rows = case.weights @ model.row_term(features, factors)
    assert model.row_term_total(theta) == pytest.approx(rows, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("name", GAUSSIANS)
def test_expected_log_joint(name):
    case, model, theta = make_model(name)
    factors = model.factors(theta)
    features = model.features(case.X, factors)
    record = model.statistics(features, case.weighted, None, factors)
    terms = scipy_log_density(name, case.native, case.X) + np.log(WEIGHTS)
    got = model.expected_log_joint(record, theta)
    assert got == pytest.approx(np.sum(case.weighted * terms), rel=1e-9)


def test_a_component_without_weight_is_impossible_without_a_warning():
    case, model, theta = make_model()
    theta = ComponentParameters(np.array([0.0, 0.4, 0.3, 0.3, 0.0]), theta.density)
    factors = model.factors(theta)
    joint = model.log_joint(model.features(case.X, factors), factors)
    assert np.all(joint[:, [0, 4]] == -np.inf)
    assert np.all(np.isfinite(joint[:, 1:4]))


def test_weights_are_shares_of_the_counts():
    case, model, theta = make_model()
    new = model.maximise(case.record(), theta)
    counts = case.weighted.sum(axis=0)
    np.testing.assert_allclose(new.weights, counts / counts.sum(), rtol=1e-13)
    np.testing.assert_allclose(
        model.class_priors(new, 3), np.bincount(CLASSES, new.weights), rtol=1e-14
    )
    within = model.within_class(new, 3)
    np.testing.assert_allclose(np.bincount(CLASSES, within), 1.0, rtol=1e-14)
    np.testing.assert_allclose(model.class_priors(new, 3)[CLASSES] * within, new.weights)


def test_held_priors_are_held():
    priors = np.array([0.5, 0.5, 0.0])
    case, model, theta = make_model(priors=priors)
    new = model.maximise(case.record(), theta)
    np.testing.assert_allclose(model.class_priors(new, 3), priors, rtol=1e-14)
    counts = case.weighted.sum(axis=0)
    np.testing.assert_allclose(new.weights[:2], 0.5 * counts[:2] / counts[:2].sum(), rtol=1e-13)
    back = model.from_vector(model.to_vector(new) + 0.3)
    np.testing.assert_allclose(model.class_priors(back, 3), priors, rtol=1e-14)


def test_a_class_without_rows_shares_its_held_prior_evenly():
    case, model, theta = make_model(priors=np.full(3, 1 / 3))
    case.R[:, 3:] = 0.0
    case.R /= case.R.sum(axis=1, keepdims=True)
    new = model.maximise(case.record(), theta)
    np.testing.assert_allclose(new.weights[3:], 1 / 6, rtol=1e-13)
    learned = ComponentModel(model.density, model.frame, model.prior, CLASSES)
    empty = learned.maximise(case.record(), theta)
    np.testing.assert_array_equal(empty.weights[3:], 0.0)
    np.testing.assert_array_equal(learned.within_class(empty, 3)[3:], 0.5)


@pytest.mark.parametrize("name", FAMILIES)
def test_vectors_and_back(name):
    case, model, theta = make_model(name)
    back = model.from_vector(model.to_vector(theta))
    np.testing.assert_allclose(back.weights, WEIGHTS, rtol=1e-13)
    np.testing.assert_allclose(
        case.log_density(back.density), case.log_density(theta.density), rtol=1e-10, atol=1e-10
    )
    # Log weights are coordinates up to a constant.
    vector = model.to_vector(theta)
    vector[: len(CLASSES)] += 800.0
    np.testing.assert_allclose(model.from_vector(vector).weights, WEIGHTS, rtol=1e-12)


def test_a_weight_of_zero_stays_zero_through_a_vector():
    _, model, theta = make_model()
    theta = ComponentParameters(np.array([0.0, 0.4, 0.3, 0.3, 0.0]), theta.density)
    back = model.from_vector(model.to_vector(theta))
    np.testing.assert_array_equal(back.weights == 0, theta.weights == 0)
    np.testing.assert_allclose(back.weights, theta.weights, rtol=1e-13)


@pytest.mark.parametrize(
    ("classes", "names"),
    # Each class with as many components as the class whose name it takes.
    [((0, 0, 1, 2, 2), (2, 1, 0)), ((0, 1, 2), (1, 2, 0)), ((0, 1, 2, 1, 0, 2), (2, 0, 1))],
)
@pytest.mark.parametrize("name", FAMILIES)
def test_renamed_classes_take_their_components_along(name, classes, names):
    classes = np.array(classes)
    case, model, _ = make_model(name, component_class=classes)
    weights = np.random.default_rng(0).dirichlet(np.ones(len(classes)))
    theta = ComponentParameters(weights, case.parameters)
    moved = model.renamed(theta, np.array(names))

    def class_log_joint(parameters):
        factors = model.factors(parameters)
        features = model.features(case.X, factors)
        joint = model.log_joint(features, factors) + model.row_term(features, factors)[:, None]
        return np.column_stack([logsumexp(joint[:, classes == k], axis=1) for k in range(3)])

    before, after = class_log_joint(theta), class_log_joint(moved)
    for k in range(3):
        np.testing.assert_allclose(after[:, names[k]], before[:, k], rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize(
    ("priors", "expected"),
    # d = 3: five means and triangles of 6, and 4 free weights, 2 of them held by priors.
    [(None, 5 * 9 + 4), (np.full(3, 1 / 3), 5 * 9 + 2)],
)
def test_number_of_parameters(priors, expected):
    _, model, _ = make_model(priors=priors)
    assert model.n_parameters() == expected


def test_an_exact_start_is_the_m_step():
    case, model, _ = make_model()
    record = case.density.start_statistics(case.X, case.weighted, case.frame.arrays)
    exact = model.start(record, exact=True)
    best = case.density.maximise(case.record(), None, case.frame, model.prior)
    np.testing.assert_allclose(exact.density.means, best.means, rtol=1e-12)
    np.testing.assert_allclose(exact.density.factors, best.factors, rtol=1e-12, atol=1e-12)
    held = model.start(record, exact=False)
    assert not np.allclose(held.density.factors, best.factors, rtol=1e-3)


def test_log_prior_is_the_densitys():
    case, model, theta = make_model()
    expected = case.density.log_prior(theta.density, case.frame, model.prior)
    assert model.log_prior(theta) == expected
