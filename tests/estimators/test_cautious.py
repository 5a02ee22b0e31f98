"""``predict_set`` and ``calibrate`` on every classifier."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.pipeline import make_pipeline

from labelief import (
    AnnotatorNoise,
    EvidentialKNN,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    QuadraticDiscriminantAnalysis,
    SoftLabelClassifier,
    SoftLabels,
    Votes,
)
from labelief.metrics import mean_set_size, set_coverage

X, Y = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])
CLASSIFIERS = [
    LinearDiscriminantAnalysis(shrinkage=0.99),
    QuadraticDiscriminantAnalysis(),
    LogisticRegression(),
    SoftLabelClassifier(GaussianNB()),
    EvidentialKNN(),
]
every = pytest.mark.parametrize("model", CLASSIFIERS, ids=lambda m: type(m).__name__)


@every
@pytest.mark.parametrize("level", [0.3, 0.9, 0.999, 1.0])
def test_sets_hold_the_fewest_classes_that_reach_the_level(model, level):
    model = clone(model).fit(X, NAMES[Y])
    proba, sets = model.predict_proba(X), model.predict_set(X, level=level)
    assert sets.dtype == bool and sets.shape == proba.shape
    inside = np.where(sets, proba, 0.0)
    assert np.all(inside.sum(axis=1) >= level - 1e-9)
    smallest = np.where(sets, proba, np.inf).min(axis=1)
    assert np.all(inside.sum(axis=1) - smallest < level)
    assert np.all(smallest >= np.where(sets, 0.0, proba).max(axis=1))


@every
def test_unknown_rules_and_levels_are_refused(model):
    model = clone(model)
    for rule in ("mass", "interval", "conformal"):
        with pytest.raises(NotFittedError):
            model.predict_set(X, rule)
    with pytest.raises(NotFittedError):
        model.calibrate(X, Y)
    model.fit(X, Y)
    with pytest.raises(ValueError, match="rule must be"):
        model.predict_set(X, rule="odds")
    for level in (0.0, 1.1):
        with pytest.raises(ValueError, match="level"):
            model.predict_set(X, level=level)
    with pytest.raises(ValueError, match="strength"):
        model.predict_set(X, "interval", strength=-1.0)
    with pytest.raises(ValueError, match="call calibrate"):
        model.predict_set(X, "conformal")


# --------------------------------------------------------------------------------------- interval


@pytest.mark.parametrize(
    ("model", "n_parameters"),
    [
        (LogisticRegression(), 2 * 5),
        (LinearDiscriminantAnalysis(), 2 + 12 + 10),
        (QuadraticDiscriminantAnalysis(), 2 + 12 + 30),
        (SoftLabelClassifier(GaussianNB()), 2 * 5),
    ],
    ids=lambda m: type(m).__name__,
)
def test_classes_stay_within_the_bounds_of_the_imprecise_dirichlet_model(model, n_parameters):
    y = np.where(np.arange(150) % 5 == 0, None, NAMES[Y])
    weights = np.where(np.arange(150) % 2, 2.0, 1.0)
    told = weights @ (np.arange(150) % 5 > 0)
    model.fit(X, y, weights)
    proba = model.predict_proba(X)
    n_rows = told * 2 / n_parameters
    for strength in (0.5, 2.0, 30.0):
        margin = strength / n_rows
        expected = proba >= proba.max(axis=1, keepdims=True) - margin
        clear = np.abs(proba.max(axis=1, keepdims=True) - margin - proba) > 1e-9
        sets = model.predict_set(X, "interval", strength=strength)
        np.testing.assert_array_equal(sets[clear], expected[clear])
    assert model.predict_set(X, "interval", strength=1e9).all()
    single = model.predict_set(X, "interval", strength=0.0)
    np.testing.assert_array_equal(single.sum(axis=1), 1)


def test_fewer_rows_make_larger_sets():
    rows = np.random.default_rng(0).permutation(150)
    sizes = [
        mean_set_size(LogisticRegression().fit(X[part], Y[part]).predict_set(X, "interval"))
        for part in (rows[:15], rows[:50], rows)
    ]
    assert sizes[0] > sizes[1] > sizes[2] >= 1.0


def test_neighbours_drop_what_is_less_plausible_than_another_is_believed():
    model = EvidentialKNN(5).fit(X, NAMES[Y])
    rng = np.random.default_rng(0)
    queries = np.vstack([X, X + rng.normal(size=X.shape), X * 100.0])
    said = model.predict_mass(queries)
    sets = model.predict_set(queries, "interval")
    for bel, pl, chosen in zip(said.beliefs, said.plausibilities, sets, strict=True):
        for k in range(3):
            beaten = any(bel[other] > pl[k] + 1e-12 for other in range(3) if other != k)
            assert chosen[k] == (not beaten)
    assert sets[-1].all()
    assert 1 < mean_set_size(sets) < 3
    left_out = model.predict_set(None, "interval")
    assert left_out.shape == (150, 3) and mean_set_size(left_out) < 1.2


def test_votes_count_as_labels_and_texts_as_features():
    table = {"i": np.arange(100), "a": np.zeros(100, dtype=int), "l": Y[:100]}
    votes = Votes(table, item="i", annotator="a", label="l", items=np.arange(150))
    model = LinearDiscriminantAnalysis(channel=AnnotatorNoise()).fit(X, votes)
    assert model._told == 100
    texts = ["good fine", "fine good day", "bad awful", "awful day bad"] * 5
    inner = make_pipeline(TfidfVectorizer(), MultinomialNB())
    words = SoftLabelClassifier(inner).fit(texts, ["+", "+", "-", "-"] * 5)
    assert words._n_free() == 6  # five words and a constant
    assert words.predict_set(["day"], "interval").all()


# -------------------------------------------------------------------------------------- conformal


def _drawn(n, rng):
    y = rng.integers(0, 3, n)
    return rng.normal(size=(n, 2)) + 1.2 * np.array([[0, 0], [1, 0], [0, 1]])[y], y


@pytest.mark.parametrize("level", [0.7, 0.9])
def test_crisp_calibration_covers_as_often_as_asked(level):
    rng = np.random.default_rng(0)
    covered = []
    for _ in range(200):
        rows, y = _drawn(60, rng)
        # A model that is wrong: it was told flipped labels.
        seen = np.where(rng.random(60) < 0.3, rng.integers(0, 3, 60), y)
        model = LinearDiscriminantAnalysis().fit(rows, seen)
        model.calibrate(*_drawn(39, rng))
        test, truth = _drawn(200, rng)
        sets = model.predict_set(test, "conformal", level)
        covered.append(set_coverage(truth, sets, classes=model.classes_).lower)
    error = 3 * np.std(covered) / np.sqrt(200)
    # (n + 1) level is a whole number, so that coverage is level but for forced singletons.
    assert level - error < np.mean(covered) < level + 0.03 + error


def test_candidates_that_hold_the_truth_keep_the_guarantee():
    rng = np.random.default_rng(1)
    covered, sizes = [], []
    for _ in range(100):
        model = LinearDiscriminantAnalysis().fit(*_drawn(60, rng))
        rows, y = _drawn(59, rng)
        sets = rng.random((59, 3)) < 0.2
        sets[np.arange(59), y] = True
        model.calibrate(rows, SoftLabels.from_candidates(sets.astype(int)))
        test, truth = _drawn(200, rng)
        chosen = model.predict_set(test, "conformal", 0.8)
        covered.append(set_coverage(truth, chosen).lower)
        sizes.append(mean_set_size(chosen))
    assert np.mean(covered) > 0.8
    assert np.mean(sizes) < 2.9


def test_belief_of_calibration_rows_reaches_the_level():
    rng = np.random.default_rng(2)
    model = LinearDiscriminantAnalysis().fit(*_drawn(100, rng))
    rows, y = _drawn(400, rng)
    labels = SoftLabels.from_confidences(y, rng.uniform(0.9, 1.0, 400))
    sets = model.calibrate(rows, labels).predict_set(rows, "conformal", 0.8)
    assert 0.8 <= set_coverage(labels, sets).lower < 0.84


@every
def test_calibration_belongs_to_one_fit(model):
    model = clone(model).fit(X[::2], NAMES[Y][::2])
    order = ["virginica", "setosa", "versicolor"]
    for y in (NAMES[Y][1::2], SoftLabels.from_crisp(NAMES[Y][1::2], classes=order)):
        sets = model.calibrate(X[1::2], y).predict_set(X, "conformal", 0.95)
        assert set_coverage(NAMES[Y], sets).lower > 0.9
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_set(X, "conformal", 0.95), sets)
    model.fit(X[::2], NAMES[Y][::2])
    with pytest.raises(ValueError, match="call calibrate"):
        model.predict_set(X, "conformal")


def test_classes_that_calibration_does_not_name():
    model = LinearDiscriminantAnalysis().fit(X, NAMES[Y])
    model.calibrate(X[:100], NAMES[Y[:100]])
    sets = model.predict_set(X[100:], "conformal", 0.9)
    assert sets[:, 2].mean() > 0.9
    named = LinearDiscriminantAnalysis(classes=["virginica", "setosa", "versicolor"])
    pl = np.eye(3)[(Y + 1) % 3]
    sets = named.fit(X, pl).calibrate(X, pl).predict_set(X, "conformal", 0.95)
    assert set_coverage(NAMES[Y], sets).lower > 0.94
    assert mean_set_size(sets) < 1.2


def test_too_few_or_empty_calibration_rows():
    model = LinearDiscriminantAnalysis().fit(X, NAMES[Y])
    model.calibrate(X[::20], NAMES[Y[::20]])
    assert model.predict_set(X, "conformal", 0.9).all()
    assert not model.predict_set(X, "conformal", 0.8).all()
    unknown = np.where(np.arange(150) % 2, NAMES[Y], None)
    sets = model.calibrate(X, unknown).predict_set(X, "conformal", 0.9)
    same = model.calibrate(X[1::2], NAMES[Y[1::2]]).predict_set(X, "conformal", 0.9)
    np.testing.assert_array_equal(sets, same)
    with pytest.raises(ValueError, match="nothing to calibrate"):
        model.calibrate(X, [None] * 150)
    with pytest.raises(ValueError, match="unheard of"):
        model.calibrate(X[:2], ["setosa", "unheard of"])
    with pytest.raises(ValueError, match="rows"):
        model.calibrate(X, NAMES[Y][:100])
