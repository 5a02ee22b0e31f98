from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

from labelief import FlipNoise, GenerativeClassifier, LinearDiscriminantAnalysis
from labelief.densities import DiagonalGaussian, FullGaussian, TiedGaussian, Weibull
from labelief.estimators.fitting import warn_unless_converged
from labelief.solvers.loop import Outcome, Status

X, Y = load_iris(return_X_y=True)


@pytest.mark.parametrize("density", [TiedGaussian, FullGaussian, DiagonalGaussian])
@pytest.mark.parametrize("ridge", [0.0, 1e-2])
@pytest.mark.parametrize("acceleration", [None, "squarem"])
def test_labels_that_decide_everything_need_no_iteration(density, ridge, acceleration):
    model = GenerativeClassifier(
        density(), ridge=ridge, acceleration=acceleration, n_init=3, max_iter=1
    ).fit(X, Y)
    assert model.converged_ and model.n_iter_ == 1 and model.n_passes_ == 1
    assert model.log_likelihood_ == pytest.approx(model.log_likelihood(X, Y), rel=1e-12)
    # The same labels as plausibilities go through the loop and end at the same place.
    soft = GenerativeClassifier(density(), ridge=ridge, tol=1e-12).fit(X, np.eye(3)[Y])
    assert soft.n_passes_ > 1
    np.testing.assert_allclose(soft.covariances_, model.covariances_, rtol=1e-8, atol=1e-12)
    assert soft.history_[-1] == pytest.approx(model.history_[-1], rel=1e-12)


@pytest.mark.parametrize(
    "settings",
    [{"channel": FlipNoise()}, {"n_components": 2}, {"density": Weibull()}],
    ids=["channel", "components", "iterative M-step"],
)
def test_where_labels_do_not_decide_the_loop_runs(settings):
    model = GenerativeClassifier(**settings, max_iter=500).fit(X, Y)
    assert model.n_iter_ > 1


def test_one_prior_serves_all_starts():
    # Automatic shrinkage depends on the start; objectives of several starts must compare.
    vacuous = np.ones((150, 3))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        one, many = (
            GenerativeClassifier(
                FullGaussian(), shrinkage="auto", n_init=n, random_state=0, max_iter=30
            ).fit(X, vacuous)
            for n in (1, 5)
        )
    assert many.history_[-1] >= one.history_[-1]
    assert many._model.prior.count == one._model.prior.count


@pytest.mark.parametrize("status", list(Status))
def test_only_the_stop_rule_is_convergence(status):
    outcome = Outcome(None, [1.0, 2.0], status)
    if status is Status.CONVERGED:
        warn_unless_converged(outcome, stacklevel=2)
        return
    with pytest.warns(ConvergenceWarning, match=f"{status.value}, after 2 iterations"):
        warn_unless_converged(outcome, stacklevel=2)


def test_verified_rows_and_held_priors_fix_the_names():
    seen = (Y + 1) % 3
    start = np.eye(3)[Y]
    free = LinearDiscriminantAnalysis(channel=FlipNoise(), max_iter=500)
    free.fit(X, seen, responsibilities=start)
    # Names follow the labels: every row is called what it was labelled.
    assert np.mean(free.predict(X) == seen) > 0.9
    held = LinearDiscriminantAnalysis(channel=FlipNoise(), max_iter=500, priors=[1 / 3] * 3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        held.fit(X, seen, responsibilities=start)
    assert len(set(held.predict(X))) == 3
