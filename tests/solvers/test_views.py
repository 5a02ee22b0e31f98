from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from scipy.special import logsumexp
from tests.models.families import FAMILIES
from tests.solvers.settings import CHANNELS, K, make_setting

from labelief.blocks import Block, Dense
from labelief.kernels.namespace import to_host
from labelief.solvers import views

CLOSE = {"rtol": 1e-8, "atol": 1e-10}
STRUCTURES = [(0, 1, 2), (0, 0, 1, 2, 2)]


def parameters_of(setting):
    problem = setting.problem
    return (
        problem.model.factors(setting.parameters.model),
        problem.channel.likelihoods(setting.parameters.channel),
        *problem._arrays,
    )


def by_class(setting, log_terms):
    columns = [log_terms[:, setting.component_class == k] for k in range(K)]
    return np.column_stack([logsumexp(c, axis=1) for c in columns])


@pytest.mark.parametrize("structure", STRUCTURES, ids=["one each", "several"])
@pytest.mark.parametrize("name", FAMILIES)
def test_rows_without_their_labels(name, structure):
    setting = make_setting(name, component_class=structure)
    arguments = (setting.problem.model, setting.block(), parameters_of(setting))
    density = logsumexp(setting.log_joint, axis=1)
    expected = by_class(setting, setting.log_joint) - density[:, None]
    np.testing.assert_allclose(views.log_density(*arguments), density, **CLOSE)
    np.testing.assert_allclose(views.log_probabilities(*arguments), expected, **CLOSE)
    np.testing.assert_allclose(views.probabilities(*arguments), np.exp(expected), **CLOSE)
    np.testing.assert_allclose(views.probabilities(*arguments).sum(axis=1), 1.0, rtol=1e-13)


@pytest.mark.parametrize("channel", CHANNELS)
@pytest.mark.parametrize("structure", STRUCTURES, ids=["one each", "several"])
def test_rows_with_their_labels(structure, channel):
    setting = make_setting("full", channel, structure)
    arguments = (setting.problem.model, setting.block(), parameters_of(setting))
    R = setting.responsibilities
    np.testing.assert_allclose(views.posteriors(*arguments), setting.by_class(R), **CLOSE)
    got = views.log_evidence(*arguments)
    entropy = -np.sum(R * np.log(np.where(R > 0, R, 1.0)), axis=1)
    np.testing.assert_allclose(got, np.column_stack([setting.log_evidence, entropy]), **CLOSE)


@pytest.mark.parametrize("name", FAMILIES)
def test_views_are_the_same_in_every_library(name, xp):
    setting = make_setting(name, "full")
    here = setting.problem.blocks
    there = type(here)(xp.asarray(setting.case.X), here.evidence, here.weights, block_rows=7)
    for view in (
        views.probabilities,
        views.log_probabilities,
        views.log_density,
        views.log_evidence,
        views.posteriors,
    ):
        kernel = partial(view, setting.problem.model)
        got = there.map_rows(kernel, parameters_of(setting), 20)
        expected = here.map_rows(kernel, parameters_of(setting), 20)
        assert type(got) is type(there.X)
        np.testing.assert_allclose(to_host(got), expected, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("structure", STRUCTURES, ids=["one each", "several"])
def test_log_probabilities_are_exact_where_probabilities_underflow(structure):
    setting = make_setting("full", component_class=structure)
    setting.case.X = setting.case.X * 60.0
    arguments = (setting.problem.model, setting.block(), parameters_of(setting))
    joint = by_class(setting, setting.log_joint)
    expected = joint - logsumexp(joint, axis=1)[:, None]
    got = views.log_probabilities(*arguments)
    assert np.exp(expected).min() == 0.0
    np.testing.assert_allclose(got, expected, rtol=1e-6, atol=1e-6)
    assert np.all(np.isfinite(got))


def test_a_label_that_the_model_excludes_decides():
    setting = make_setting()
    weights = np.where(setting.component_class == 1, 0.0, setting.weights)
    model = type(setting.parameters.model)(weights / weights.sum(), setting.case.parameters)
    factors = setting.problem.model.factors(model)
    only = Dense(np.tile([0.0, 0.7, 0.0], (len(setting.pl), 1)))
    block = Block(setting.case.X, only)
    parameters = (factors, *parameters_of(setting)[1:])
    got = views.posteriors(setting.problem.model, block, parameters)
    np.testing.assert_array_equal(got, np.tile([0.0, 1.0, 0.0], (len(got), 1)))
    evidence = views.log_evidence(setting.problem.model, block, parameters)
    assert np.all(evidence[:, 0] == -np.inf)
    assert np.all(evidence[:, 1] == 0.0)


def test_rows_come_out_as_users_expect_them():
    setting = make_setting()
    arguments = (setting.problem.model, setting.block(), parameters_of(setting))
    for view in (views.probabilities, views.log_probabilities, views.posteriors):
        assert view(*arguments).flags.c_contiguous
