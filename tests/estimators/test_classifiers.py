from __future__ import annotations

import inspect

import numpy as np
import pytest
from sklearn.datasets import load_iris

from labelief import (
    GenerativeClassifier,
    LinearDiscriminantAnalysis,
    MixtureDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from labelief.densities import FullGaussian, TiedGaussian

X, Y = load_iris(return_X_y=True)
PL = np.eye(3)[Y] + np.random.default_rng(0).uniform(0, 0.5, (150, 3))


@pytest.mark.parametrize(
    ("named", "general"),
    [
        (LinearDiscriminantAnalysis(), GenerativeClassifier(TiedGaussian())),
        (QuadraticDiscriminantAnalysis(), GenerativeClassifier(FullGaussian())),
        (QuadraticDiscriminantAnalysis(), GenerativeClassifier()),
        (QuadraticDiscriminantAnalysis(), MixtureDiscriminantAnalysis(1)),
        (MixtureDiscriminantAnalysis(2), GenerativeClassifier(FullGaussian(), 2)),
        (MixtureDiscriminantAnalysis([2, 1, 1]), GenerativeClassifier(FullGaussian(), (2, 1, 1))),
    ],
)
def test_named_classifiers_are_choices_of_parts(named, general):
    one, other = named.fit(X, PL), general.fit(X, PL)
    np.testing.assert_array_equal(one.predict_proba(X), other.predict_proba(X))
    assert one.history_ == other.history_


@pytest.mark.parametrize(
    "bad", [0, -1, 1.5, [1, 2], [1, 2, 0], [1, 2, 1.5], None, "aic", [[1, 1, 1]]]
)
def test_bad_numbers_of_components_are_refused(bad):
    with pytest.raises(ValueError, match="n_components"):
        MixtureDiscriminantAnalysis(bad).fit(X, Y)


def test_common_parameters_are_the_same_everywhere():
    classifiers = [
        LinearDiscriminantAnalysis,
        QuadraticDiscriminantAnalysis,
        MixtureDiscriminantAnalysis,
        GenerativeClassifier,
    ]
    common = inspect.signature(LinearDiscriminantAnalysis).parameters
    for classifier in classifiers:
        parameters = inspect.signature(classifier).parameters
        for name, parameter in common.items():
            assert parameters[name].default == parameter.default
            assert parameters[name].kind is parameter.kind
        described = inspect.getdoc(classifier)
        for name in parameters:
            assert f"\n{name} : " in described, (classifier, name)
        assert "\nAttributes\n----------" in described and "covariances_" in described


def test_defaults_are_those_of_the_design():
    defaults = {n: p.default for n, p in inspect.signature(GenerativeClassifier).parameters.items()}
    assert defaults == {
        "density": None,
        "n_components": 1,
        "channel": None,
        "priors": None,
        "classes": None,
        "init": "auto",
        "n_init": 1,
        "max_iter": 200,
        "tol": 1e-6,
        "acceleration": None,
        "ridge": 1e-6,
        "shrinkage": None,
        "random_state": None,
        "verbose": 0,
    }
    mixture = inspect.signature(MixtureDiscriminantAnalysis).parameters
    assert mixture["n_components"].default == 2


def test_a_density_is_left_as_it_was_given():
    density = TiedGaussian()
    GenerativeClassifier(density).fit(X, Y)
    assert vars(density) == {}
