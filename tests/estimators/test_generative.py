from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from labelief import (
    FlipNoise,
    GenerativeClassifier,
    LinearDiscriminantAnalysis,
    MixtureDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
    SoftLabels,
)
from labelief.densities import FullGaussian, TiedGaussian

X, Y = load_iris(return_X_y=True)
PL = np.eye(3)[Y] + np.random.default_rng(0).uniform(0, 0.8, (150, 3))


def test_fitted_attributes():
    model = MixtureDiscriminantAnalysis([1, 2, 1], channel=FlipNoise()).fit(X, PL)
    check_is_fitted(model)
    assert model.fit(X, PL) is model
    np.testing.assert_array_equal(model.classes_, [0, 1, 2])
    np.testing.assert_array_equal(model.component_class_, [0, 1, 1, 2])
    assert model.priors_.shape == (3,) and model.priors_.sum() == pytest.approx(1)
    np.testing.assert_allclose(np.bincount(model.component_class_, model.weights_), 1.0)
    assert model.means_.shape == (4, 4) and model.covariances_.shape == (4, 4, 4)
    np.testing.assert_array_equal(model.covariances_, np.swapaxes(model.covariances_, 1, 2))
    assert type(model.log_likelihood_) is float and type(model.history_) is list
    assert model.n_iter_ == len(model.history_) and model.converged_ is True
    assert model.n_passes_ >= model.n_iter_
    assert model.n_features_in_ == 4
    assert isinstance(model.channel_, FlipNoise) and model.channel_ is not model.channel
    assert LinearDiscriminantAnalysis().fit(X, Y).covariances_.shape == (3, 4, 4)


BAD = {
    "init": ["nearest", None],
    "n_init": [0, 1.5, "2"],
    "max_iter": [0, -3, 2.0],
    "tol": [-1e-3, np.inf, np.nan, "small"],
    "ridge": [-1.0, np.inf, np.nan, None],
    "acceleration": ["turbo", True],
    "shrinkage": [1.0, -0.1, np.nan, "some"],
}


@pytest.mark.parametrize(("name", "value"), [(n, v) for n in BAD for v in BAD[n]])
def test_bad_parameters_are_refused_by_name(name, value):
    model = LinearDiscriminantAnalysis(**{name: value})
    with pytest.raises(ValueError, match=name):
        model.fit(X, Y)


@pytest.mark.parametrize(
    "priors", [[0.5, 0.5], [0.2, 0.2, 0.2], [1.2, -0.1, -0.1], [np.nan, 0.5, 0.5], 0.3]
)
def test_bad_priors_are_refused(priors):
    with pytest.raises(ValueError, match="priors"):
        LinearDiscriminantAnalysis(priors=priors).fit(X, Y)


def test_priors_are_held():
    for model in (
        LinearDiscriminantAnalysis(priors=[0.2, 0.5, 0.3]),
        MixtureDiscriminantAnalysis(2, priors=[0.2, 0.5, 0.3], channel=FlipNoise()),
        QuadraticDiscriminantAnalysis(priors=[0.2, 0.5, 0.3], acceleration="squarem"),
    ):
        np.testing.assert_allclose(model.fit(X, PL).priors_, [0.2, 0.5, 0.3], rtol=1e-12)


def test_a_prior_of_0_forbids_a_class():
    model = LinearDiscriminantAnalysis(priors=[0.5, 0.0, 0.5]).fit(X, PL)
    np.testing.assert_array_equal(model.predict_proba(X)[:, 1], 0.0)
    assert np.all(np.isfinite(model.means_))


# -------------------------------------------------------------------------------------- starts


@pytest.mark.parametrize("init", ["auto", "labels", "kmeans", "random"])
@pytest.mark.parametrize("n_components", [1, 2])
def test_every_start_leads_somewhere_sound(init, n_components):
    model = GenerativeClassifier(
        TiedGaussian(), n_components, init=init, random_state=0, max_iter=500
    )
    assert model.fit(X, PL).score(X, Y) > 0.9
    again = clone(model).fit(X, PL)
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def test_the_automatic_start_is_deterministic():
    fits = [
        MixtureDiscriminantAnalysis(2, max_iter=500, random_state=seed).fit(X, PL)
        for seed in (None, 0, 1)
    ]
    for model in fits[1:]:
        np.testing.assert_array_equal(model.predict_proba(X), fits[0].predict_proba(X))


def test_the_best_of_several_starts_is_kept():
    vacuous = np.ones((150, 3))
    few, many = (
        QuadraticDiscriminantAnalysis(
            init="random", n_init=n, random_state=3, max_iter=1000, ridge=1e-3
        ).fit(X, vacuous)
        for n in (1, 6)
    )
    assert many.history_[-1] >= few.history_[-1]
    assert many.n_passes_ > few.n_passes_
    single = [
        QuadraticDiscriminantAnalysis(init="random", random_state=s, max_iter=1000, ridge=1e-3)
        .fit(X, vacuous)
        .history_[-1]
        for s in range(8)
    ]
    # The starts are different, or there would be nothing to choose.
    assert np.ptp(single) > 1.0


def test_labels_that_tell_nothing_are_no_start():
    with pytest.raises(ValueError, match="init='auto'"):
        LinearDiscriminantAnalysis(init="labels").fit(X, np.ones((150, 3)))


def test_a_start_of_ones_own():
    R = np.eye(3)[(Y + 1) % 3]
    vacuous = np.ones((150, 3))
    model = LinearDiscriminantAnalysis(max_iter=500).fit(X, vacuous, responsibilities=R)
    assert np.mean(model.predict(X) == (Y + 1) % 3) > 0.9
    scaled = LinearDiscriminantAnalysis(max_iter=500).fit(X, vacuous, responsibilities=5 * R)
    np.testing.assert_array_equal(scaled.predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize("labels", [Y, np.eye(3)[Y], SoftLabels.from_crisp(Y)], ids=str)
def test_a_start_of_ones_own_cannot_overrule_crisp_labels(labels):
    R = np.random.default_rng(0).dirichlet(np.ones(3), 150)
    for model in (LinearDiscriminantAnalysis(), QuadraticDiscriminantAnalysis()):
        plain = clone(model).fit(X, Y)
        started = clone(model).fit(X, labels, responsibilities=R)
        np.testing.assert_allclose(started.means_, plain.means_, rtol=1e-9)
        np.testing.assert_allclose(started.covariances_, plain.covariances_, rtol=1e-7)
        assert started.log_likelihood_ == pytest.approx(plain.log_likelihood_)


@pytest.mark.parametrize(
    ("R", "message"),
    [
        (np.ones((150, 2)), "responsibilities must have one row per sample"),
        (np.ones((10, 3)), r"\(150, J\); got shape \(10, 3\)"),
        (np.ones(150), r"got shape \(150,\)"),
        (np.where(np.arange(150)[:, None] == 4, 0.0, np.ones((150, 3))), "Row 4"),
        (np.where(np.arange(150)[:, None] == 6, np.nan, np.ones((150, 3))), "Row 6"),
        (np.where(np.arange(150)[:, None] == 8, -1.0, np.ones((150, 3))), "Row 8"),
    ],
)
@pytest.mark.parametrize("weights", [None, (np.arange(150) > 2) * 1.0], ids=["plain", "weighted"])
def test_a_start_that_is_none_is_refused(R, message, weights):
    with pytest.raises(ValueError, match=message):
        LinearDiscriminantAnalysis().fit(X, PL, weights, responsibilities=R)


# ----------------------------------------------------------------------------------- criteria


def test_criteria_prefer_the_truth():
    rng = np.random.default_rng(0)
    part = rng.integers(0, 4, 800)
    rows = 6.0 * np.array([[0, 0], [1, 1], [0, 1], [1, 0]])[part] + rng.normal(size=(800, 2))
    y = part // 2
    fits = [MixtureDiscriminantAnalysis(m, max_iter=500).fit(rows, y) for m in (1, 2, 3)]
    for criterion in ("bic", "icl"):
        values = [getattr(model, criterion)(rows, y) for model in fits]
        assert int(np.argmin(values)) == 1


def test_icl_is_bic_for_crisp_labels():
    model = LinearDiscriminantAnalysis().fit(X, Y)
    assert model.icl(X, Y) == pytest.approx(model.bic(X, Y))


def test_bic_uses_what_varies():
    flat = np.column_stack([X, np.ones(150)])
    with pytest.warns(UserWarning, match="directions"):
        model = QuadraticDiscriminantAnalysis().fit(flat, Y)
    plain = QuadraticDiscriminantAnalysis().fit(X, Y)
    assert model.bic(flat, Y) == pytest.approx(plain.bic(X, Y))


# ------------------------------------------------------------------------------------- speech


def test_verbose_prints_each_iteration(capsys):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        LinearDiscriminantAnalysis(verbose=1, max_iter=3).fit(X, PL)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3 and all("objective" in line for line in lines)
    LinearDiscriminantAnalysis().fit(X, PL)
    assert capsys.readouterr().out == ""


def test_warnings_point_at_the_call():
    with pytest.warns(ConvergenceWarning) as caught:
        LinearDiscriminantAnalysis(max_iter=1).fit(X, PL)
    assert [w.filename for w in caught] == [__file__]
    with pytest.warns(UserWarning, match="directions") as caught:
        LinearDiscriminantAnalysis().fit(np.column_stack([X, X[:, 0]]), Y)
    assert [w.filename for w in caught] == [__file__]


def test_a_refit_forgets():
    model = LinearDiscriminantAnalysis(channel=FlipNoise()).fit(X, Y)
    model.set_params(channel=None).fit(X[:, :2], np.where(Y == 2, "b", "a"))
    fresh = LinearDiscriminantAnalysis().fit(X[:, :2], np.where(Y == 2, "b", "a"))
    np.testing.assert_array_equal(model.predict_proba(X[:, :2]), fresh.predict_proba(X[:, :2]))
    assert not hasattr(model.channel_, "matrix_")


@pytest.mark.parametrize(
    ("density", "expected"),
    [(FullGaussian(), True), (TiedGaussian(), False), (None, True)],
)
def test_tags_say_whether_features_may_be_missing(density, expected):
    tags = GenerativeClassifier(density).__sklearn_tags__()
    assert tags.input_tags.allow_nan is expected
