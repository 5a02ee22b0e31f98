from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from tests.channels.crowds import some_matrices, vote

from labelief import (
    AnnotatorNoise,
    FlipNoise,
    GenerativeClassifier,
    MixtureDiscriminantAnalysis,
    SoftLabels,
)
from labelief.densities import DiagonalGaussian, SphericalGaussian, TiedGaussian
from labelief.estimators import component_choice
from labelief.estimators.component_choice import choose_components

CENTERS = {0: [(0, 0), (7, 7)], 1: [(7, 0)], 2: [(0, 7), (-7, 0), (14, 0)]}


def islands(n=300, seed=0):
    """Rows of three classes, of 2, 1 and 3 Gaussian components."""
    rng = np.random.default_rng(seed)
    X, y = [], []
    for k, centers in CENTERS.items():
        for center in centers:
            size = n // len(centers)
            X.append(rng.normal(size=(size, 2)) + center)
            y.append(np.full(size, k))
    return np.vstack(X), np.concatenate(y)


@pytest.mark.parametrize("criterion", ["bic", "icl"])
@pytest.mark.parametrize("labels", ["crisp", "missing", "soft", "noisy", "votes"])
def test_numbers_of_components_are_recovered(criterion, labels):
    X, truth = islands()
    rng = np.random.default_rng(1)
    wrong = np.where(rng.random(len(truth)) < 0.2, rng.integers(0, 3, len(truth)), truth)
    y: Any = {
        "crisp": truth,
        "missing": np.where(rng.random(len(truth)) < 0.5, truth, None),
        "soft": SoftLabels.from_confidences(truth, rng.uniform(0.3, 1.0, len(truth))),
        "noisy": wrong,
        "votes": vote(truth, some_matrices(4, 3, rng), rng, answered=0.7),
    }[labels]
    channel = {"noisy": FlipNoise(), "votes": AnnotatorNoise()}.get(labels)
    model = MixtureDiscriminantAnalysis(criterion, channel=channel, tol=1e-5).fit(X, y)
    assert model.n_components_.tolist() == [2, 1, 3]
    assert model.component_class_.tolist() == [0, 0, 1, 2, 2, 2]
    assert model.score(X, truth) > 0.98


@pytest.mark.parametrize("density", [TiedGaussian, DiagonalGaussian, SphericalGaussian])
def test_other_densities(density):
    X, y = islands()
    model = GenerativeClassifier(density(), "bic", tol=1e-5).fit(X, y)
    assert model.n_components_.tolist() == [2, 1, 3]


@pytest.mark.parametrize("criterion", ["bic", "icl"])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_table_holds_the_criterion_of_each_fit(criterion, weighted):
    X, y = islands(n=120)
    rng = np.random.default_rng(2)
    y = SoftLabels.from_confidences(y, rng.uniform(0.3, 1.0, len(y)))
    weights = rng.integers(0, 3, len(X)) if weighted else None
    model = MixtureDiscriminantAnalysis(criterion, tol=1e-5).fit(X, y, weights)
    kept = np.arange(len(X)) if weights is None else np.flatnonzero(weights)
    total = len(X) if weights is None else weights.sum()
    table = pd.DataFrame(model.selection_)
    assert table.n_components[0] == (1, 1, 1)
    for row in table.itertuples():
        alone = MixtureDiscriminantAnalysis(list(row.n_components), tol=1e-5).fit(X, y, weights)
        rest = (X[kept], y[kept]) if weights is None else (X[kept], y[kept], weights[kept])
        assert row.criterion == pytest.approx(getattr(alone, criterion)(*rest), rel=1e-10)
        assert row.log_likelihood == pytest.approx(alone.log_likelihood_, rel=1e-10)
        J = sum(row.n_components)
        assert row.n_parameters == J - 1 + 5 * J
        # 5 parameters of its own want 5 rows of 2 features below each component.
        rows = alone.priors_[alone.component_class_] * alone.weights_ * total
        several = np.array(row.n_components)[alone.component_class_] > 1
        assert row.supported == np.all(rows[several] >= 5.0)
    # The choice is the best candidate, and no class gains from one more.
    best = table.loc[table.criterion.idxmin()]
    assert best.n_components == tuple(model.n_components_)
    assert best.log_likelihood == model.log_likelihood_
    for k in range(3):
        grown = tuple((model.n_components_ + (np.arange(3) == k)).tolist())
        assert grown in set(table.n_components)
    assert model.n_passes_ > model.n_iter_


def test_the_entropy_counts_for_icl():
    # Two components on top of each other: BIC sees the heavy tails, ICL no two clusters.
    rng = np.random.default_rng(3)
    narrow, wide = rng.normal(0, 1, (400, 1)), rng.normal(0, 6, (400, 1))
    X = np.vstack([narrow, wide, rng.normal(40, 1, (400, 1))])
    y = np.repeat([0, 0, 1], 400)
    by_bic = MixtureDiscriminantAnalysis("bic").fit(X, y)
    by_icl = MixtureDiscriminantAnalysis("icl").fit(X, y)
    assert by_bic.n_components_.tolist() == [2, 1]
    assert by_icl.n_components_.tolist() == [1, 1]


def test_rows_are_not_copied_and_weights_repeat():
    X, y = islands(n=60)
    weights = np.random.default_rng(4).integers(0, 3, len(X))
    weighted = MixtureDiscriminantAnalysis("bic").fit(X, y, weights)
    rows = np.repeat(np.arange(len(X)), weights)
    repeated = MixtureDiscriminantAnalysis("bic").fit(X[rows], y[rows])
    assert weighted.n_components_.tolist() == repeated.n_components_.tolist()
    np.testing.assert_allclose(
        [c.criterion for c in weighted.selection_],
        [c.criterion for c in repeated.selection_],
        rtol=1e-6,
    )


def test_components_on_too_few_rows_are_not_believed():
    # With a tiny ridge a covariance on fewer rows than features makes the likelihood huge.
    rng = np.random.default_rng(5)
    X = rng.normal(size=(60, 12))
    y = np.repeat([0, 1], [45, 15])
    model = MixtureDiscriminantAnalysis("bic", ridge=1e-12, tol=1e-3).fit(X, y)
    assert model.n_components_.tolist() == [1, 1]
    # The small class has no rows for two, so that it is not even tried; the other may be.
    assert all(c.n_components[1] == 1 for c in model.selection_)


def test_what_becomes_singular_is_no_candidate():
    X = np.array([[0.0], [1.0], [2.0], [50.0], [50.0], [50.0], [50.0], [50.0], [9.0], [8.0]])
    y = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1]
    model = MixtureDiscriminantAnalysis("bic", ridge=0.0).fit(X, y)
    assert model.n_components_.tolist() == [1, 1]
    failed = [c for c in model.selection_ if not c.supported]
    assert [c.n_components for c in failed] == [(2, 1)]
    assert failed[0].criterion == np.inf


def test_a_class_without_rows_keeps_one_component():
    X, y = islands(n=60)
    model = MixtureDiscriminantAnalysis("bic", classes=[0, 1, 2, 3]).fit(X, y)
    assert model.n_components_[3] == 1
    assert model.priors_[3] == 0.0


def test_numbers_given_are_no_search():
    X, y = islands(n=60)
    model = MixtureDiscriminantAnalysis("bic").fit(X, y)
    assert model.selection_ is not None
    model.set_params(n_components=[1, 2, 1]).fit(X, y)
    assert model.selection_ is None
    assert model.n_components_.tolist() == [1, 2, 1]
    assert clone(model).get_params()["n_components"] == [1, 2, 1]


@pytest.mark.parametrize("wrong", ["aic", 0, -1, 1.5, [1, 2], [1, 2, 0], None, [[1, 1, 1]], True])
def test_numbers_refused(wrong):
    X, y = islands(n=12)
    with pytest.raises(ValueError, match="n_components must be"):
        MixtureDiscriminantAnalysis(wrong).fit(X, y)


def test_a_start_of_your_own_needs_numbers():
    X, y = islands(n=12)
    with pytest.raises(ValueError, match="leaves their number open"):
        MixtureDiscriminantAnalysis("icl").fit(X, y, responsibilities=np.eye(3)[y])


# ------------------------------------------------------------------------------ the search alone


class _Density:
    def n_parameters(self, n_components, frame):
        return n_components

    def counts(self, record):
        return record


class _Part:
    """Anything with the attributes that it is given."""

    def __init__(self, **attributes):
        self.__dict__.update(attributes)

    def n_parameters(self):
        return 0


def searched(values, rows=1000.0):
    """Search a table of criteria by sizes; return the sizes found and those tried."""
    n_classes = len(next(iter(values)))

    def fit(sizes):
        classes = np.repeat(np.arange(n_classes), sizes)
        record = (np.full(n_classes, rows) / sizes)[classes]
        model = _Part(component_class=classes, density=_Density(), frame=_Part(rank=1))
        value = values.get(tuple(sizes.tolist()))
        if value is None:
            raise ValueError("singular")
        evaluation = _Part(log_likelihood=-value / 2.0, record=record)
        return component_choice.Fit(model, _Part(), _Part(evaluation=evaluation), 1)

    choice = choose_components(fit, _Part(total_weight=1.0), n_classes, "bic")
    chosen = np.bincount(choice.fit.model.component_class)
    return tuple(chosen.tolist()), [c.n_components for c in choice.candidates]


@given(st.integers(1, 3), st.integers(2, 4), st.integers(0, 2**31))
def test_the_search_ends_where_no_class_gains(n_classes, most, seed):
    rng = np.random.default_rng(seed)
    grid = list(itertools.product(range(1, most + 1), repeat=n_classes))
    values = dict(zip(grid, rng.normal(size=len(grid)), strict=True))
    chosen, tried = searched(values)
    for k in range(n_classes):
        grown = tuple(size + (j == k) for j, size in enumerate(chosen))
        assert values.get(grown, np.inf) >= values[chosen]
    assert len(set(tried)) <= len(grid) + n_classes * most
    assert values[chosen] == min(values[t] for t in tried if t in values and t <= chosen)


@given(st.lists(st.integers(1, 9), min_size=1, max_size=4), st.integers(0, 2**31))
def test_independent_gains_are_all_found_at_little_cost(wanted, seed):
    # Convex in each class, sums over classes: the greedy end is the minimum.
    scale = np.random.default_rng(seed).uniform(1.0, 2.0, len(wanted))
    grid = itertools.product(range(1, 11), repeat=len(wanted))
    values = {sizes: float(np.sum(scale * (np.array(sizes) - wanted) ** 2)) for sizes in grid}
    chosen, tried = searched(values)
    assert chosen == tuple(wanted)
    additions = sum(wanted) - len(wanted)
    assert len(tried) <= 1 + 2 * (len(wanted) + additions)


def test_no_class_grows_beyond_its_rows_or_nine():
    values = {(size,): -float(size) for size in range(1, 30)}
    assert searched(values)[0] == (9,)
    assert searched(values, rows=11.0)[0] == (5,)
