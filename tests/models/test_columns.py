from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_validate

from labelief import FlipNoise, GenerativeClassifier
from labelief.densities import (
    Bernoulli,
    Categorical,
    Columns,
    DiagonalGaussian,
    FullGaussian,
    Poisson,
    SphericalGaussian,
    TiedGaussian,
    Weibull,
)

RNG = np.random.default_rng(0)
N, K = 90, 3
Y = np.arange(N) % K
X = RNG.normal(size=(N, 4)) @ RNG.normal(size=(4, 4)) + RNG.normal(size=(K, 4))[Y]
PL = 0.3 + 0.7 * np.eye(K)[Y]
SETTINGS = {"max_iter": 15, "tol": 0.0, "ridge": 1e-3}
pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning", "ignore:The learned flipping matrix"
)


def mixed():
    """Return a table of four types, and its classes told by each of them."""
    rng = np.random.default_rng(1)
    return np.column_stack(
        [
            rng.poisson([[1.0], [4.0], [9.0]], (K, N))[Y, np.arange(N)],
            rng.random(N) < np.array([0.2, 0.5, 0.8])[Y],
            (rng.integers(0, 2, N) + Y) % 4,
            rng.normal(Y, 1.0),
            rng.weibull(1.0 + Y),
        ]
    )


def mixed_density():
    return Columns(
        [(Poisson(), 0), (Bernoulli(), 1), (Categorical(4), [2]), (Weibull(), slice(4, 5))],
        remainder=FullGaussian(),
    )


def same(one, other, rtol=1e-9):
    for name in ("means_", "covariances_", "priors_", "weights_", "history_"):
        left, right = getattr(one, name), getattr(other, name)
        np.testing.assert_allclose(right, left, rtol=rtol, atol=rtol)
    assert other.log_likelihood_ == pytest.approx(one.log_likelihood_, rel=rtol)
    np.testing.assert_allclose(other.predict_proba(X), one.predict_proba(X), rtol=1e-7)
    np.testing.assert_allclose(other.score_samples(X), one.score_samples(X), rtol=1e-7)
    assert other.bic(X, PL) == pytest.approx(one.bic(X, PL), rel=rtol)


@pytest.mark.parametrize("acceleration", [None, "squarem"])
@pytest.mark.parametrize("labels", [Y, PL], ids=["crisp", "soft"])
@pytest.mark.parametrize("shrinkage", [None, 0.3])
def test_columns_of_diagonal_gaussians_are_a_diagonal_gaussian(shrinkage, labels, acceleration):
    settings = SETTINGS | {"shrinkage": shrinkage, "acceleration": acceleration}
    groups = [(DiagonalGaussian(), [2, 0]), (DiagonalGaussian(), 1), (DiagonalGaussian(), [3])]
    one = GenerativeClassifier(DiagonalGaussian(), **settings).fit(X, labels)
    same(one, GenerativeClassifier(Columns(groups), **settings).fit(X, labels))


@pytest.mark.parametrize(
    "density", [FullGaussian(), TiedGaussian(), SphericalGaussian(), DiagonalGaussian()]
)
@pytest.mark.parametrize("shrinkage", [None, 0.3, "auto"])
def test_one_group_is_its_density(shrinkage, density):
    settings = SETTINGS | {"shrinkage": shrinkage, "channel": FlipNoise()}
    one = GenerativeClassifier(density, 2, **settings).fit(X, PL)
    same(one, GenerativeClassifier(Columns([(density, slice(None))]), 2, **settings).fit(X, PL))
    same(one, GenerativeClassifier(Columns([], remainder=density), 2, **settings).fit(X, PL))


def test_groups_are_independent_given_the_class():
    rows = mixed()
    model = GenerativeClassifier(mixed_density(), **SETTINGS).fit(rows, Y)
    total = np.log(model.priors_)[None, :]
    parts = [(Poisson(), [0]), (Bernoulli(), [1]), (Categorical(4), [2]), (FullGaussian(), [3])]
    for density, columns in [*parts, (Weibull(), [4])]:
        alone = GenerativeClassifier(density, **SETTINGS).fit(rows[:, columns], Y)
        joint = alone.predict_log_proba(rows[:, columns])
        joint = joint + alone.score_samples(rows[:, columns])[:, None] - np.log(alone.priors_)
        total = total + joint
        np.testing.assert_allclose(model.means_[:, columns], alone.means_, rtol=1e-4)
        block = model.covariances_[:, columns][:, :, columns]
        np.testing.assert_allclose(block, alone.covariances_, rtol=1e-3)
    top = total.max(axis=1, keepdims=True)
    expected = np.exp(total - top) / np.exp(total - top).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(rows), expected, atol=1e-4)
    across = model.covariances_[:, ~np.eye(5, dtype=bool)]
    assert not across.any()
    assert model.score(rows, Y) > 0.8


def test_columns_of_a_frame_by_name():
    pandas = pytest.importorskip("pandas")
    rows = mixed()
    frame = pandas.DataFrame(rows, columns=["visits", "smokes", "site", "age", "time"])
    density = Columns(
        [(Weibull(), "time"), (Poisson(), ["visits"]), (Categorical(4), "site")],
        remainder=Columns([(Bernoulli(), 0)], remainder=FullGaussian()),
    )
    one = GenerativeClassifier(mixed_density(), **SETTINGS).fit(rows, PL)
    two = GenerativeClassifier(density, **SETTINGS).fit(frame, PL)
    np.testing.assert_allclose(two.predict_proba(frame), one.predict_proba(rows), rtol=1e-8)
    assert density.groups[0][1] == "time"
    nested = Columns(
        [(Columns([(Poisson(), "visits")], remainder=Weibull()), ["time", "visits"])],
        remainder=Columns([(Bernoulli(), 0), (Categorical(4), 1)], remainder=FullGaussian()),
    )
    three = GenerativeClassifier(nested, **SETTINGS).fit(frame, PL)
    np.testing.assert_allclose(three.predict_proba(frame), one.predict_proba(rows), rtol=1e-8)
    with pytest.raises(ValueError, match="no names of columns"):
        GenerativeClassifier(density).fit(rows, Y)


def test_parameters_of_the_groups_densities():
    density = Columns(
        [(Poisson(), 0), (Poisson(2.0), 1), (Categorical(4), 2)],
        remainder=Bernoulli(pseudo_count=0.5),
    )
    params = density.get_params()
    assert params["poisson-1__pseudo_count"] == 1.0
    assert params["poisson-2__pseudo_count"] == 2.0
    assert params["categorical__n_levels"] == 4
    assert params["remainder__pseudo_count"] == 0.5
    assert set(density.get_params(deep=False)) == {"groups", "remainder"}
    model = GenerativeClassifier(density)
    model.set_params(density__categorical__n_levels=7, density__remainder__pseudo_count=3.0)
    assert density.groups[2][0].n_levels == 7
    assert density.remainder.pseudo_count == 3.0
    density.set_params(**{"poisson-2": Bernoulli()})
    assert [type(part).__name__ for part, _ in density.groups] == [
        "Poisson",
        "Bernoulli",
        "Categorical",
    ]
    assert [columns for _, columns in density.groups] == [0, 1, 2]
    with pytest.raises(ValueError, match="Invalid parameter"):
        density.set_params(gaussian__ridge=1.0)


def test_clones_share_nothing():
    density = mixed_density()
    copy = clone(density)
    assert repr(copy) == repr(density)
    assert copy.groups[0][0] is not density.groups[0][0]
    copy.set_params(poisson__pseudo_count=9.0)
    assert density.groups[0][0].pseudo_count == 1.0


def test_life_inside_scikit_learn():
    rows = mixed()
    model = GenerativeClassifier(mixed_density())
    assert cross_validate(model, rows, Y, cv=3)["test_score"].mean() > 0.7
    grid = {"density__poisson__pseudo_count": [0.1, 10.0]}
    search = GridSearchCV(model, grid, cv=3).fit(rows, Y)
    assert set(search.cv_results_["param_density__poisson__pseudo_count"]) == {0.1, 10.0}
    again = pickle.loads(pickle.dumps(search.best_estimator_))
    np.testing.assert_array_equal(again.predict_proba(rows), search.predict_proba(rows))


def test_a_fit_leaves_the_density_as_it_was_given():
    density = mixed_density()
    before = repr(density)
    GenerativeClassifier(density).fit(mixed(), Y)
    assert repr(density) == before


def test_messages_name_the_columns_of_the_table():
    rows = mixed()
    rows[[7, 8], 0] = -1.0
    with pytest.raises(ValueError, match="Column 0 of X holds -1 in row 7"):
        GenerativeClassifier(mixed_density()).fit(rows, Y)
    rows = mixed()
    model = GenerativeClassifier(mixed_density()).fit(rows, Y)
    rows[5, 2] = 6.0
    with pytest.raises(ValueError, match="Column 2 of X holds 6 in row 5"):
        model.predict(rows)
    rows = mixed()
    rows[11, 4] = 0.0
    with pytest.raises(ValueError, match="Column 4 of X has 1 values that are not positive"):
        model.predict(rows)


def test_missing_features_are_refused_in_the_groups_that_take_none():
    rows = mixed()
    rows[6, :4] = np.nan
    model = GenerativeClassifier(mixed_density(), max_iter=500).fit(rows, Y)
    assert model.converged_
    assert np.all(np.isfinite(model.predict_proba(rows)))
    rows[[12, 13], 4] = np.nan
    message = r"NaN: the first stands in row 12, column 4. Weibull takes finite numbers only"
    for call in (lambda: GenerativeClassifier(mixed_density()).fit(rows, Y), model.predict):
        with pytest.raises(ValueError, match=message):
            call(rows) if call == model.predict else call()
    only = Columns([(Weibull(), slice(None))])
    with pytest.raises(ValueError, match="row 6, column 0"):
        GenerativeClassifier(only).fit(np.abs(rows[:, [0, 4]]) + (np.arange(2) == 0), Y)


def test_a_full_group_learns_by_expectation_only_where_it_misses_something():
    rows = np.column_stack([mixed()[:, 0], X])
    density = Columns([(Poisson(), 0)], remainder=FullGaussian())
    rows[3, 0] = np.nan
    model = GenerativeClassifier(density).fit(rows, Y)
    assert model.n_iter_ == 1
    alone = GenerativeClassifier(FullGaussian()).fit(X, Y)
    np.testing.assert_allclose(model.means_[:, 1:], alone.means_, rtol=1e-10)
    np.testing.assert_allclose(model.covariances_[:, 1:, 1:], alone.covariances_, rtol=1e-10)
    rows[3, 1] = np.nan
    assert GenerativeClassifier(density).fit(rows, Y).n_iter_ > 1


def test_shrinkage_bears_on_the_groups_with_covariances():
    rows = np.column_stack([mixed()[:, 0], X])
    density = Columns([(Poisson(), 0)], remainder=FullGaussian())
    model = GenerativeClassifier(density, shrinkage=0.4).fit(rows, Y)
    alone = GenerativeClassifier(FullGaussian(), shrinkage=0.4).fit(X, Y)
    np.testing.assert_allclose(model.covariances_[:, 1:, 1:], alone.covariances_, rtol=1e-10)
    with pytest.raises(ValueError, match="Poisson has no covariance to shrink"):
        GenerativeClassifier(Columns([(Poisson(), 0)]), shrinkage=0.4).fit(rows[:, :1], Y)


def test_columns_without_variance_are_counted_over_the_groups():
    rows = np.column_stack([mixed()[:, 0], X, X[:, 0], np.ones(N)])
    density = Columns([(Poisson(), 0), (FullGaussian(), slice(1, 6))], DiagonalGaussian())
    with pytest.warns(UserWarning, match="X has 2 directions without variance"):
        GenerativeClassifier(density).fit(rows, Y)
