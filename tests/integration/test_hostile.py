"""Hostile input: a clear error or a finite answer, never a NaN, never a point silently dropped."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.exceptions import ConvergenceWarning
from tests.integration import oracle

from labelief import (
    FlipNoise,
    GenerativeClassifier,
    LinearDiscriminantAnalysis,
    MixtureDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
    SoftLabels,
)

N_CLASSES = 3
X, TRUTH = oracle.make_rows(45, 3, N_CLASSES)
CUT = ".*directions without variance"


def with_column(column, value):
    rows = X.copy()
    rows[:, column] = value
    return rows


def far_rows():
    rows = X.copy()
    rows[:3] = [[1e6], [1e4], [1e3]] * rows[:3]
    return rows


# Rows, labels, settings.
HOSTILE = {
    "constant column": lambda: (with_column(1, 7.0), TRUTH, {}),
    "duplicated column": lambda: (with_column(1, X[:, 0]), TRUTH, {}),
    "every column constant": lambda: (np.full_like(X, 3.0), TRUTH, {}),
    "one row": lambda: (X[:1], TRUTH[:1], {}),
    "one row, three classes": lambda: (X[:1], [1], {"classes": [0, 1, 2]}),
    "a row for each class": lambda: (X[:3], [0, 1, 2], {}),
    "one class": lambda: (X, np.zeros(45, dtype=int), {}),
    "one class unknown": lambda: (X, np.array([0, None] * 22 + [0]), {}),
    "repeated rows": lambda: (np.repeat(X[:3], 15, axis=0), np.repeat([0, 1, 2], 15), {}),
    "fewer rows than features": lambda: (
        np.exp(np.random.default_rng(0).normal(size=(8, 20))),
        np.arange(8) % 3,
        {},
    ),
    "classes nobody supports": lambda: (X, TRUTH, {"classes": [0, 1, 2, 3, 4]}),
    "a class of plausibility 0": lambda: (X, np.eye(4)[TRUTH], {}),
    "all labels unknown": lambda: (X, np.full(45, None), {"classes": [0, 1, 2]}),
    "all labels vacuous": lambda: (X, np.ones((45, 3)), {}),
    "huge": lambda: (X * 1e150, TRUTH, {}),
    "tiny": lambda: (X * 1e-150, TRUTH, {}),
    "huge beside tiny": lambda: (X * [1e150, 1.0, 1e-150], TRUTH, {}),
    "subnormal": lambda: (X * 1e-310, TRUTH, {}),
    "far from 0": lambda: (X + 1e9, TRUTH, {}),
    "far rows": lambda: (far_rows(), TRUTH, {}),
    "nearly constant": lambda: (with_column(2, 1 + 1e-13 * np.arange(45)), TRUTH, {}),
    "nearly duplicated": lambda: (with_column(2, X[:, 0] * (1 + 1e-12 * X[:, 1])), TRUTH, {}),
    "small plausibilities": lambda: (X, 1e-150 * (np.eye(3)[TRUTH] + 0.1), {}),
    "uneven plausibilities": lambda: (
        X,
        (np.eye(3)[TRUTH] + 0.1) * 10.0 ** (np.arange(45) % 2 * 300 - 150)[:, None],
        {},
    ),
    "small weights": lambda: (X, TRUTH, {"weights": np.full(45, 1e-100)}),
    "large weights": lambda: (X, TRUTH, {"weights": np.full(45, 1e100)}),
    "few weights": lambda: (X, TRUTH, {"weights": (np.arange(45) < 2) * 1.0}),
    "more components than rows": lambda: (X[:4], TRUTH[:4], {"n_components": 5}),
}


def assert_sound(model, rows, y, weights, far=True):
    """Everything that is said is a number, and it is said of every row."""
    for attribute in ("means_", "covariances_", "priors_", "weights_", "history_"):
        assert np.all(np.isfinite(getattr(model, attribute))), attribute
    assert np.isfinite(model.log_likelihood_)
    assert model.priors_.sum() == pytest.approx(1.0)
    for said in (model.predict_proba(rows), model.posterior(rows, y)):
        assert said.shape == (len(rows), len(model.classes_))
        np.testing.assert_allclose(said.sum(axis=1), 1.0, rtol=1e-9)
    assert np.all(np.isfinite(model.score_samples(rows)))
    assert not np.any(np.isnan(model.predict_log_proba(rows)))
    assert np.isfinite(model.bic(rows, y, weights)) and np.isfinite(model.icl(rows, y, weights))
    assert model.log_likelihood(rows, y, weights) == pytest.approx(model.log_likelihood_, rel=1e-6)
    if far:
        proba = model.predict_proba(np.abs(np.vstack([rows[:1] * 1e3, rows[:1] * 1e-3])) + 1e-300)
        np.testing.assert_allclose(proba.sum(axis=1), 1.0, rtol=1e-9)


# Families of equal shapes or axes, which hold in the units given, need units that can be compared.
RIGID = ["EVE", "VVE", "EEV", "VEV"]
UNEVEN = ["huge beside tiny", "nearly constant"]


@pytest.mark.parametrize("channel", ["trusted", "full"])
@pytest.mark.parametrize("density", oracle.DENSITIES)
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_rows_give_finite_answers(name, density, channel):
    rows, y, settings = HOSTILE[name]()
    rows = oracle.rows_for(density, rows)
    if density in RIGID and name in UNEVEN:
        with pytest.raises(ValueError, match="units are too far apart"):
            assert_survives(rows, y, settings, density, channel)
    else:
        assert_survives(rows, y, settings, density, channel)


@pytest.mark.parametrize("density", oracle.GAPPY)
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_rows_with_missing_features_give_finite_answers(name, density):
    rows, y, settings = HOSTILE[name]()
    rows = oracle.rows_for(density, rows).astype(float)
    rows[np.random.default_rng(0).random(rows.shape) < 0.3] = np.nan
    rows[0] = np.nan
    rows[:, -1] = np.nan
    assert_survives(rows, y, settings, density, "full")


def assert_survives(rows, y, settings, density, channel):
    weights = settings.pop("weights", None)
    model = GenerativeClassifier(
        oracle.DENSITIES[density](),
        channel=None if channel == "trusted" else FlipNoise(),
        max_iter=30,
        **settings,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.filterwarnings("ignore", CUT)
        warnings.filterwarnings("ignore", "The learned flipping matrix")
        model.fit(rows, y, weights)
        whole = density in oracle.DISCRETE or density == "columns"
        assert_sound(model, rows, y, weights, far=not whole)


@pytest.mark.parametrize("density", oracle.GAUSSIANS)
def test_directions_without_variance_are_cut_and_reported(density):
    flat = np.column_stack([X[:, :2], np.full(45, 5.0)])
    model = GenerativeClassifier(oracle.DENSITIES[density]())
    with pytest.warns(UserWarning, match="1 directions"):
        model.fit(flat, TRUTH)
    np.testing.assert_allclose(model.means_[:, 2], 5.0)
    np.testing.assert_array_equal(model.covariances_[:, 2], 0.0)
    plain = GenerativeClassifier(oracle.DENSITIES[density]()).fit(X[:, :2], TRUTH)
    np.testing.assert_allclose(model.predict_proba(flat), plain.predict_proba(X[:, :2]), rtol=1e-9)
    assert model.log_likelihood_ == pytest.approx(plain.log_likelihood_)
    # A new row is judged by its projection.
    moved = flat + np.array([0.0, 0.0, 9.0])
    np.testing.assert_allclose(model.predict_proba(moved), plain.predict_proba(X[:, :2]), rtol=1e-9)


@pytest.mark.parametrize("density", ["tied", "full"])
def test_dependent_columns_are_cut(density):
    doubled = np.column_stack([X, X @ [1.0, -1.0, 2.0]])
    model = GenerativeClassifier(oracle.DENSITIES[density]())
    with pytest.warns(UserWarning, match=CUT):
        model.fit(doubled, TRUTH)
    plain = GenerativeClassifier(oracle.DENSITIES[density]()).fit(X, TRUTH)
    np.testing.assert_allclose(model.predict_proba(doubled), plain.predict_proba(X), rtol=1e-6)
    np.testing.assert_allclose(model.covariances_[:, :3, :3], plain.covariances_, rtol=1e-7)
    for j in range(3):
        assert np.linalg.matrix_rank(model.covariances_[j], tol=1e-8) == 3


@pytest.mark.parametrize("density", oracle.DENSITIES)
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_features_that_are_no_numbers_are_refused(bad, density):
    whole = oracle.rows_for(density, X)
    rows = whole.copy()
    rows[4, 1] = bad
    model = GenerativeClassifier(oracle.DENSITIES[density]())
    if np.isnan(bad) and density in oracle.GAPPY:
        # What is missing is no number either, and is left out.
        assert np.all(np.isfinite(model.fit(rows, TRUTH).predict_proba(rows)))
        return
    with pytest.raises(ValueError, match=r"(NaN|infinity): the first stands in row 4, column 1"):
        model.fit(rows, TRUTH)
    model.fit(whole, TRUTH)
    with pytest.raises(ValueError, match=r"(NaN|infinity): the first stands in row 4, column 1"):
        model.predict_proba(rows)


def test_weibull_names_the_column_that_is_not_positive():
    rows = with_column(2, np.arange(45))
    with pytest.raises(ValueError, match=r"Column 2 of X has 1 values"):
        GenerativeClassifier(oracle.Weibull()).fit(rows, TRUTH)
    model = GenerativeClassifier(oracle.Weibull()).fit(X, TRUTH)
    with pytest.raises(ValueError, match="Column 2"):
        model.predict(rows)


def test_a_label_row_of_zeros_is_named():
    pl = np.eye(3)[TRUTH]
    pl[7] = 0.0
    with pytest.raises(ValueError, match="7"):
        LinearDiscriminantAnalysis().fit(X, pl)
    model = LinearDiscriminantAnalysis().fit(X, TRUTH)
    with pytest.raises(ValueError, match="7"):
        model.posterior(X, pl)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -0.1])
def test_a_label_that_is_no_plausibility_is_named(bad):
    pl = np.eye(3)[TRUTH]
    pl[5, 1] = bad
    with pytest.raises(ValueError, match="5"):
        LinearDiscriminantAnalysis().fit(X, pl)


@pytest.mark.parametrize("density", oracle.DENSITIES)
def test_a_class_nobody_supports_has_prior_0_and_is_never_predicted(density):
    model = GenerativeClassifier(oracle.DENSITIES[density](), classes=["a", "b", "c", "d"])
    rows = oracle.rows_for(density, X)
    model.fit(rows, np.array(["a", "b", "d"])[TRUTH])
    assert model.priors_[2] == 0.0
    np.testing.assert_array_equal(model.predict_proba(rows)[:, 2], 0.0)
    np.testing.assert_array_equal(model.predict_log_proba(rows)[:, 2], -np.inf)
    assert "c" not in model.predict(rows)
    # A label that insists on it decides.
    posterior = model.posterior(rows[:2], ["c", None])
    np.testing.assert_array_equal(posterior[0], [0, 0, 1, 0])
    assert posterior[1, 2] == 0.0


@pytest.mark.parametrize("n_classes", [2, 5])
@pytest.mark.parametrize("density", oracle.DENSITIES)
def test_vacuous_labels_never_end_at_equal_means(density, n_classes):
    for y in (np.ones((45, n_classes)), np.full(45, None)):
        settings = {} if y.ndim == 2 else {"classes": range(n_classes)}
        model = GenerativeClassifier(oracle.DENSITIES[density](), max_iter=30, **settings)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(oracle.rows_for(density, X), y)
        apart = np.abs(model.means_[:, None] - model.means_[None]).sum(axis=2)
        assert np.all(apart[~np.eye(n_classes, dtype=bool)] > 1e-3)


def test_labels_that_cannot_tell_some_classes_apart_are_told_apart_by_features():
    # Classes 1 and 2 always come together: labels alone would start them on one point.
    pl = np.eye(3)[TRUTH]
    pl[TRUTH > 0] = [0.0, 1.0, 1.0]
    model = LinearDiscriminantAnalysis(max_iter=500).fit(X, pl)
    assert np.max(np.abs(model.means_[1] - model.means_[2])) > 1e-2


def test_far_rows_have_a_posterior_and_weigh_in_the_fit():
    model = QuadraticDiscriminantAnalysis().fit(X, TRUTH)
    far = X[:4] * 1e8
    assert np.all(np.isfinite(model.score_samples(far)))
    np.testing.assert_allclose(model.predict_proba(far).sum(axis=1), 1.0)
    np.testing.assert_allclose(model.posterior(far, [None] * 4).sum(axis=1), 1.0)
    soft = np.full((45, 3), 0.5) + 0.5 * np.eye(3)[TRUTH]
    rows = far_rows()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = QuadraticDiscriminantAnalysis(max_iter=50).fit(rows, soft)
    R = model.posterior(rows, soft)
    np.testing.assert_allclose(model.priors_, R.mean(axis=0), atol=1e-2)
    np.testing.assert_allclose(R.sum(axis=1), 1.0)


@pytest.mark.parametrize("density", oracle.DENSITIES)
def test_many_classes(density):
    rng = np.random.default_rng(0)
    codes = np.arange(900) % 300
    rows = np.abs(rng.normal(size=(900, 3)) + 3.0 * rng.normal(size=(300, 3))[codes]) + 0.1
    rows = oracle.rows_for(density, rows)
    model = GenerativeClassifier(oracle.DENSITIES[density](), max_iter=3, ridge=1e-3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(rows, codes)
    assert model.predict_proba(rows).shape == (900, 300)
    assert_sound(model, rows, codes, None, far=density in [*oracle.GAUSSIANS, "weibull"])


def test_many_soft_classes():
    rng = np.random.default_rng(0)
    codes = np.arange(600) % 300
    rows = rng.normal(size=(600, 3)) + 3.0 * rng.normal(size=(300, 3))[codes]
    y = SoftLabels.from_candidates(
        [{int(c), int(o)} for c, o in zip(codes, rng.integers(0, 300, 600), strict=True)],
        range(300),
    )
    model = LinearDiscriminantAnalysis(max_iter=5)
    with pytest.warns(ConvergenceWarning):
        model.fit(rows, y)
    assert_sound(model, rows, y, None)


def test_more_components_than_rows():
    model = MixtureDiscriminantAnalysis(7, max_iter=5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X[:9], TRUTH[:9])
    assert_sound(model, X[:9], TRUTH[:9], None)
    np.testing.assert_allclose(np.bincount(model.component_class_, model.weights_), 1.0)


def test_impossible_labels_are_explained():
    with pytest.raises(ValueError, match="priors"):
        LinearDiscriminantAnalysis(priors=[1.0, 0.0, 0.0]).fit(X, TRUTH)
    never = [[1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    with pytest.raises(ValueError, match="matrix"):
        LinearDiscriminantAnalysis(channel=FlipNoise(matrix=never)).fit(X, TRUTH)


@pytest.mark.parametrize("density", ["tied", "full"])
def test_singular_covariances_without_a_ridge_are_explained(density):
    rows = np.random.default_rng(0).normal(size=(6, 5))
    with pytest.raises(ValueError, match="ridge"):
        GenerativeClassifier(oracle.DENSITIES[density](), ridge=0.0).fit(rows, [0, 0, 1, 1, 2, 2])


@given(
    rows=arrays(
        float,
        st.tuples(st.integers(1, 8), st.integers(1, 3)),
        elements=st.floats(-1e6, 1e6) | st.sampled_from([0.0, 1.0, 1e150, -1e-150]),
    ),
    seed=st.integers(0, 10**6),
    density=st.sampled_from(oracle.GAUSSIANS),
    channel=st.sampled_from(["trusted", "full", "symmetric"]),
    n_components=st.integers(1, 2),
)
def test_any_small_table(rows, seed, density, channel, n_components):
    rng = np.random.default_rng(seed)
    pl = rng.random((len(rows), 3)) * (rng.random((len(rows), 3)) < 0.7)
    pl[np.arange(len(rows)), rng.integers(0, 3, len(rows))] = 1.0
    model = GenerativeClassifier(
        oracle.DENSITIES[density](),
        n_components,
        channel=oracle.make_channel(channel, 3),
        max_iter=20,
        ridge=1e-3,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.filterwarnings("ignore", CUT)
        warnings.filterwarnings("ignore", "The learned flipping matrix")
        model.fit(rows, pl)
    assert_sound(model, rows, pl, None)
    history = np.array(model.history_)
    assert np.all(np.diff(history) >= -1e-10 * (np.abs(history[1:]) + len(rows)))
