from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV
from tests.models.families import random_member

from labelief import (
    FlipNoise,
    GenerativeClassifier,
    MixtureDiscriminantAnalysis,
    SoftLabels,
)
from labelief.densities import (
    DiagonalGaussian,
    FullGaussian,
    ParsimoniousGaussian,
    TiedGaussian,
    Weibull,
)

FAMILIES = [ParsimoniousGaussian(family) for family in ParsimoniousGaussian.families]
SOME = [DiagonalGaussian(), ParsimoniousGaussian("VEE"), FullGaussian()]
IRIS = load_iris().data
ONE_CLASS = np.zeros(150, dtype=int)


def simulated(family, n=900, d=3, J=3, seed=0):
    rng = np.random.default_rng(seed)
    covariances = random_member(family, J, d, rng)
    y = np.arange(n) % J
    roots = np.linalg.cholesky(covariances)
    means = rng.normal(size=(J, d))
    return means[y] + np.einsum("iab,ib->ia", roots[y], rng.normal(size=(n, d))), y


@pytest.mark.parametrize("family", ParsimoniousGaussian.families)
def test_the_family_is_recovered(family):
    X, y = simulated(family)
    model = GenerativeClassifier(FAMILIES).fit(X, y)
    assert model.density_.family == family
    assert len(model.selection_) == 14


@pytest.mark.parametrize("channel", [None, FlipNoise()], ids=["trusted", "flips"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_components", [1, [2, 1, 1], "bic", "icl"], ids=str)
def test_the_table_holds_the_criterion_of_each_fit(n_components, weighted, channel):
    X, truth = simulated("VVV", n=150, d=2)
    rng = np.random.default_rng(2)
    y = SoftLabels.from_confidences(truth, rng.uniform(0.4, 1.0, len(truth)))
    weights = rng.integers(1, 3, len(X)) if weighted else None
    settings = {"channel": channel, "tol": 1e-4, "max_iter": 60}
    model = GenerativeClassifier(SOME, n_components, **settings).fit(X, y, weights)
    table = pd.DataFrame(model.selection_)
    assert list(table.columns[:3]) == ["density", "n_components", "criterion"]
    assert set(table.density) == {repr(density) for density in SOME}
    named = {repr(density): density for density in SOME}
    criterion = n_components if isinstance(n_components, str) else "bic"
    rest = (X, y) if weights is None else (X, y, weights)
    for row in table.itertuples():
        alone = GenerativeClassifier(named[row.density], list(row.n_components), **settings)
        alone.fit(X, y, weights)
        assert row.criterion == pytest.approx(getattr(alone, criterion)(*rest), rel=1e-9)
        assert row.log_likelihood == pytest.approx(alone.log_likelihood_, rel=1e-9)
        assert row.n_parameters == alone._n_parameters()
    chosen = table[table.supported].criterion.min()
    assert getattr(model, criterion)(*rest) == pytest.approx(chosen, rel=1e-9)
    best = table.loc[table[table.supported].criterion.idxmin()]
    assert repr(model.density_) == best.density
    assert tuple(model.n_components_) == best.n_components
    assert model.n_passes_ > model.n_iter_


# -BIC of R's mclust on iris without its classes, mclustBIC(iris[, 1:4]), for 1 and 2 components
# (Scrucca, Fop, Murphy and Raftery 2016; ridge and tolerance move the last digit).
MCLUST = {
    "EII": (-1804.0854, -1123.4117),
    "VII": (-1804.0854, -1012.2352),
    "EEI": (-1522.1202, -1042.9679),
    "VEI": (-1522.1202, -956.2823),
    "EVI": (-1522.1202, -1007.3082),
    "VVI": (-1522.1202, -857.5515),
    "EEE": (-829.9782, -688.0972),
    "VEE": (-829.9782, -656.3270),
    "EVE": (-829.9782, -657.2263),
    "EEV": (-829.9782, -644.5997),
    "VEV": (-829.9782, -561.7285),
    "EVV": (-829.9782, -658.3306),
    "VVV": (-829.9782, -574.0178),
}


@pytest.mark.parametrize("family", MCLUST)
def test_criteria_are_those_of_mclust(family):
    for size, expected in enumerate(MCLUST[family], start=1):
        model = GenerativeClassifier(
            ParsimoniousGaussian(family), size, ridge=1e-9, tol=1e-8, acceleration="squarem"
        )
        model.fit(IRIS, ONE_CLASS)
        assert -model.bic(IRIS, ONE_CLASS) == pytest.approx(expected, abs=1e-3)


def test_the_choice_is_that_of_mclust():
    model = GenerativeClassifier(FAMILIES, "bic", acceleration="squarem").fit(IRIS, ONE_CLASS)
    assert model.density_.family == "VEV"
    assert model.n_components_.tolist() == [2]


@pytest.mark.parametrize("n_components", [1, "bic"])
def test_what_cannot_be_fitted_is_no_candidate(n_components):
    X, y = simulated("VVV", n=90)
    X = X * [1.0, 1.0, 1e-12]
    several = [Weibull(), ParsimoniousGaussian("VEV"), TiedGaussian()]
    model = GenerativeClassifier(several, n_components).fit(X, y)
    assert isinstance(model.density_, TiedGaussian)
    table = pd.DataFrame(model.selection_)
    failed = table[np.isinf(table.criterion)]
    assert not failed.supported.any()
    assert failed.density.tolist() == ["Weibull()", "ParsimoniousGaussian(family='VEV')"]
    assert failed.n_components.tolist() == [(1, 1, 1)] * 2


def test_where_nothing_can_be_fitted_the_first_reason_is_given():
    X, y = simulated("VVV", n=90)
    with pytest.raises(ValueError, match=r"not positive.*Weibull"):
        GenerativeClassifier([Weibull(), ParsimoniousGaussian("none")]).fit(X, y)
    with pytest.raises(ValueError, match="family must be one of"):
        GenerativeClassifier([ParsimoniousGaussian("none"), Weibull()]).fit(X, y)


def test_densities_over_other_dimensions_are_not_compared():
    X, y = simulated("VVV", n=90)
    X = np.column_stack([X, X[:, 0] + X[:, 1]])
    with pytest.raises(ValueError, match=r"FullGaussian\(\) is a density over 3 directions"):
        GenerativeClassifier([DiagonalGaussian(), FullGaussian()]).fit(X, y)
    X[:, 3] = 5.0
    # A constant column is left out by all.
    with pytest.warns(UserWarning, match="1 directions without variance"):
        GenerativeClassifier([DiagonalGaussian(), FullGaussian()]).fit(X, y)


def test_units_shift_all_criteria_alike():
    X, y = simulated("VVV", n=90)
    one, other = (GenerativeClassifier(SOME).fit(rows, y) for rows in (X, X * [1e3, 1e-2, 5.0]))
    shift = 2 * len(X) * np.log(50.0)
    np.testing.assert_allclose(
        [c.criterion for c in other.selection_],
        [c.criterion + shift for c in one.selection_],
        rtol=1e-9,
    )


def test_a_start_of_your_own_goes_to_every_density():
    X, y = simulated("VVV", n=90)
    start = np.eye(3)[y]
    unknown = np.full(90, None)
    model = GenerativeClassifier(SOME, classes=range(3), max_iter=500)
    model.fit(X, unknown, responsibilities=start)
    alone = GenerativeClassifier(model.density_, classes=range(3), max_iter=500)
    alone.fit(X, unknown, responsibilities=start)
    assert model.log_likelihood_ == alone.log_likelihood_
    with pytest.raises(ValueError, match="leaves their number open"):
        GenerativeClassifier(SOME, "bic").fit(X, y, responsibilities=start)


def test_one_density_is_named_too():
    X, y = simulated("VVV", n=90)
    plain = GenerativeClassifier().fit(X, y)
    assert repr(plain.density_) == "FullGaussian()"
    assert plain.selection_ is None
    assert {c.density for c in MixtureDiscriminantAnalysis("bic").fit(X, y).selection_} == {
        "FullGaussian()"
    }
    of_one = GenerativeClassifier((FullGaussian(),)).fit(X, y)
    assert [c.density for c in of_one.selection_] == ["FullGaussian()"]
    assert of_one.log_likelihood_ == plain.log_likelihood_
    with pytest.raises(ValueError, match="empty list"):
        GenerativeClassifier([]).fit(X, y)
    with pytest.raises(ValueError, match="n_components must be"):
        GenerativeClassifier(SOME, "aic").fit(X, y)


def test_lists_are_parameters_like_others():
    X, y = simulated("VEE", n=150)
    model = GenerativeClassifier(SOME, "bic")
    copied = clone(model)
    assert str(copied.get_params()) == str(model.get_params())
    assert copied.density is not model.density
    fitted = copied.fit(X, y)
    assert copied.density == copied.get_params()["density"]
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.predict_proba(X), fitted.predict_proba(X))
    grid = {"density": [SOME, [TiedGaussian()], ParsimoniousGaussian("EEV")]}
    search = GridSearchCV(GenerativeClassifier(), grid, cv=3).fit(X, y)
    assert search.best_score_ > 0.4
    inner = {"density__family": ["EII", "VVV"], "n_components": [1, 2]}
    search = GridSearchCV(GenerativeClassifier(ParsimoniousGaussian("EEE")), inner, cv=3)
    assert search.fit(X, y).best_estimator_.density_.family in ("EII", "VVV")
