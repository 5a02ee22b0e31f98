"""Any classifier taught by re-weighting: limits, agreement with logistic regression, refusals."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_iris
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression as PlainLogisticRegression
from sklearn.model_selection import GroupKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC, LinearSVC

from labelief import (
    AnnotatorNoise,
    FlipNoise,
    LogisticRegression,
    SoftLabelClassifier,
    SoftLabels,
    Votes,
)

X, Y = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])
RNG = np.random.default_rng(0)
SEEN = np.where(RNG.random(150) < 0.15, RNG.integers(0, 3, 150), Y)
SOFT = SoftLabels.from_confidences(NAMES[SEEN], np.where(RNG.random(150) < 0.3, 0.4, 0.9))
WEIGHTS = RNG.integers(0, 3, 150).astype(float)
EXACT = PlainLogisticRegression(max_iter=10_000, tol=1e-10)
FOREST = RandomForestClassifier(10, random_state=0)
QUIET = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
INNER = [
    HistGradientBoostingClassifier(max_iter=10, random_state=0),
    FOREST,
    CalibratedClassifierCV(SVC(), cv=3),
    CalibratedClassifierCV(SVC(), cv=GroupKFold(3)),
    PlainLogisticRegression(max_iter=1000),
    make_pipeline(StandardScaler(), make_pipeline(PlainLogisticRegression())),
    GaussianNB(),
]


def _votes(truth, rng, right=(0.9, 0.8, 0.6)):
    item, who = np.repeat(np.arange(len(truth)), 3), np.tile([0, 1, 2], len(truth))
    wrong = rng.random(len(item)) > np.array(right)[who]
    said = np.where(wrong, (truth[item] + rng.integers(1, 3, len(item))) % 3, truth[item])
    return Votes({"i": item, "a": who, "l": said}, item="i", annotator="a", label="l")


class Counting(PlainLogisticRegression):
    """Logistic regression that counts its fits and remembers the last copies."""

    fits = 0
    rows = 0

    def fit(self, X, y, sample_weight=None):
        type(self).fits += 1
        type(self).rows = len(y)
        return super().fit(X, y, sample_weight)


# ----------------------------------------------------------------------------------- agreement


@pytest.mark.parametrize(
    ("channel", "y"),
    [
        (None, SOFT),
        (FlipNoise(), SEEN),
        (FlipNoise("symmetric"), SEEN),
        (FlipNoise("symmetric"), SOFT),
        (AnnotatorNoise(), _votes(Y, np.random.default_rng(1))),
    ],
    ids=["soft", "flips", "symmetric flips", "flipped soft", "votes"],
)
def test_it_is_em_where_the_wrapped_classifier_is_logistic_regression(channel, y):
    ours = LogisticRegression(channel=channel, tol=1e-7).fit(X, y)
    model = SoftLabelClassifier(
        EXACT, channel, e_step_cv=None, min_share=0.0, max_iter=300, tol=1e-7
    ).fit(X, y)
    assert model.converged_
    np.testing.assert_allclose(model.predict_proba(X), ours.predict_proba(X), atol=2e-5)
    np.testing.assert_allclose(model.posterior(X, y), ours.posterior(X, y), atol=1e-4)
    assert model.log_likelihood_ == pytest.approx(ours.log_likelihood_, abs=1e-2)
    near = SoftLabelClassifier(EXACT, channel, e_step_cv=None).fit(X, y)
    np.testing.assert_allclose(near.predict_proba(X), ours.predict_proba(X), atol=5e-3)


def test_a_row_of_weight_2_is_the_row_twice():
    twice = np.repeat(np.arange(150), WEIGHTS.astype(int))
    model = SoftLabelClassifier(EXACT, FlipNoise("symmetric"), e_step_cv=None)
    weighted = clone(model).fit(X, SOFT, WEIGHTS)
    repeated = clone(model).fit(X[twice], SOFT[twice])
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-5)
    assert weighted.log_likelihood_ == pytest.approx(repeated.log_likelihood_, abs=1e-4)
    expected = weighted.log_likelihood(X[twice], SOFT[twice])
    assert weighted.log_likelihood(X, SOFT, WEIGHTS) == pytest.approx(expected)


@pytest.mark.parametrize("inner", INNER, ids=lambda e: type(e).__name__)
@pytest.mark.parametrize("e_step_cv", [None, 3])
def test_crisp_labels_give_the_plain_fit(inner, e_step_cv):
    if isinstance(getattr(inner, "cv", None), GroupKFold):
        inner = clone(inner).set_params(cv=3)
    plain = clone(inner).fit(X, NAMES[Y])
    for y in (NAMES[Y], SoftLabels.from_crisp(NAMES[Y])):
        model = SoftLabelClassifier(inner, e_step_cv=e_step_cv).fit(X, y)
        np.testing.assert_array_equal(model.predict(X), plain.predict(X))
        np.testing.assert_array_equal(model.predict_proba(X), plain.predict_proba(X))
        assert model.converged_ and model.n_iter_ == 1


def test_crisp_labels_are_fitted_once():
    Counting.fits = 0
    one_hot = np.eye(3)[Y]
    SoftLabelClassifier(Counting(max_iter=1000)).fit(X, one_hot)
    assert (Counting.fits, Counting.rows) == (1, 150)


@pytest.mark.parametrize("inner", INNER, ids=lambda e: type(e).__name__)
@pytest.mark.parametrize("channel", [None, FlipNoise("symmetric")])
@QUIET
def test_every_kind_of_classifier_learns(inner, channel):
    y = SOFT if channel is None else NAMES[SEEN]
    model = SoftLabelClassifier(inner, channel, e_step_cv=2, max_iter=3, random_state=0)
    model.fit(X, y)
    proba = model.predict_proba(X)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0, atol=1e-6)
    assert model.score(X, NAMES[Y]) > 0.85
    zeta = model.posterior(X, y)
    np.testing.assert_allclose(zeta.sum(axis=1), 1.0)
    product = proba * (SOFT.plausibilities if channel is None else _through(model, SEEN))
    some = product.sum(axis=1) > 1e-9
    expected = product[some] / product[some].sum(axis=1, keepdims=True)
    np.testing.assert_allclose(zeta[some], expected, atol=1e-6)
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(
            model.label_log_likelihood(X, y)[some], np.log(product.sum(axis=1))[some], atol=1e-6
        )


def _through(model, seen):
    return model.channel_.matrix_.T[seen]


# ------------------------------------------------------------------------------ held-out E-steps


def _circles(n, rate, seed):
    rng = np.random.default_rng(seed)
    rows = rng.uniform(-1, 1, (n, 2))
    truth = (np.sum(rows**2, axis=1) < 0.6).astype(int)
    return rows, truth, np.where(rng.random(n) < rate, 1 - truth, truth)


def test_a_flexible_classifier_does_not_confirm_its_own_memory():
    rows, _, seen = _circles(800, 0.25, 0)
    forest = RandomForestClassifier(25, random_state=0)
    out = SoftLabelClassifier(forest, FlipNoise("symmetric"), random_state=0).fit(rows, seen)
    inside = SoftLabelClassifier(forest, FlipNoise("symmetric"), e_step_cv=None).fit(rows, seen)
    rates = [1.0 - np.diagonal(model.channel_.matrix_)[0] for model in (out, inside)]
    assert abs(rates[0] - 0.25) < 0.05
    assert rates[1] < 0.1
    test, answers, _ = _circles(4000, 0.0, 1)
    plain = forest.fit(rows, seen).score(test, answers)
    assert out.score(test, answers) > plain + 0.05


def test_the_best_iteration_is_returned():
    rows, _, seen = _circles(300, 0.3, 2)
    model = SoftLabelClassifier(FOREST, FlipNoise(), random_state=0, max_iter=30).fit(rows, seen)
    objective = np.max(model.history_)
    assert model.n_iter_ == len(model.history_) < 30
    assert np.argmax(model.history_) >= model.n_iter_ - 3
    prior = model._channel.log_prior(model._parameters.channel)
    assert model.log_likelihood_ + prior == pytest.approx(objective)
    last = model.history_[-1]
    assert model.converged_ == (last >= objective - 300 * model.tol)


def test_rows_are_asked_of_classifiers_that_did_not_see_them():
    class Memory(ClassifierMixin, BaseEstimator):
        """Knows what it saw by heart, and nothing else."""

        def fit(self, X, y, sample_weight=None):
            self.classes_ = np.unique(y)
            self.seen_ = set(X[:, 0].tolist())
            return self

        def predict_proba(self, X):
            known = np.array([x in self.seen_ for x in X[:, 0].tolist()])
            sure = np.eye(len(self.classes_))[np.zeros(len(X), dtype=int)]
            return np.where(known[:, None], sure, 1.0 / len(self.classes_))

        def predict(self, X):
            return self.classes_[np.argmax(self.predict_proba(X), axis=1)]

    rows = np.arange(40.0)[:, None]
    y = SoftLabels.from_confidences(np.arange(40) % 2, 0.5)
    held = SoftLabelClassifier(Memory(), random_state=0).fit(rows, y)
    # Probabilities of one half and plausibilities of 1 and 0.5.
    assert held.log_likelihood_ == pytest.approx(40 * np.log(0.75))
    groups = np.arange(40) // 8
    again = SoftLabelClassifier(Memory(), random_state=0).fit(rows, y, groups=groups)
    assert again.log_likelihood_ == pytest.approx(held.log_likelihood_)
    with pytest.raises(ValueError, match=r"e_step_cv=6: .* only 5 groups"):
        SoftLabelClassifier(Memory(), e_step_cv=6).fit(rows, y, groups=groups)


def test_folds_are_drawn_from_the_seed():
    fits = [
        SoftLabelClassifier(GaussianNB(), random_state=seed).fit(X, SOFT).log_likelihood_
        for seed in (0, 0, 1)
    ]
    assert fits[0] == fits[1] != fits[2]
    with parallel_config(backend="threading"):
        parallel = SoftLabelClassifier(GaussianNB(), random_state=0, n_jobs=2).fit(X, SOFT)
    assert parallel.log_likelihood_ == pytest.approx(fits[0])


# --------------------------------------------------------------------------------- classes, rows


def test_classes_that_no_label_names_have_probability_0():
    model = SoftLabelClassifier(GaussianNB(), classes=["none", *NAMES], e_step_cv=2, random_state=0)
    model.fit(X, np.where(np.arange(150) % 3 == 0, None, NAMES[Y]))
    assert model.classes_.tolist() == ["none", *NAMES]
    np.testing.assert_array_equal(model.predict_proba(X)[:, 0], 0.0)
    assert np.all(model.predict_log_proba(X)[:, 0] == -np.inf)
    assert model.score(X, NAMES[Y]) > 0.9
    pl = np.column_stack([np.full(150, 0.0), SOFT.plausibilities])
    np.testing.assert_array_equal(model.posterior(X, pl)[:, 0], 0.0)


def test_training_parts_may_lack_a_class():
    y = np.array([None] * 150, dtype=object)
    y[:60], y[60:70], y[149] = "a", "b", "c"
    model = SoftLabelClassifier(GaussianNB(var_smoothing=1e-3), random_state=0).fit(X, y)
    assert model.predict_proba(X).shape == (150, 3)
    assert np.all(np.isfinite(model.history_))
    y = np.array(["a"] + [None] * 149, dtype=object)
    one = SoftLabelClassifier(EXACT, classes=["a", "b"], random_state=0).fit(X, y)
    np.testing.assert_array_equal(one.predict_proba(X), np.tile([1.0, 0.0], (150, 1)))


def test_rows_without_a_label_join_in_after_the_first_fit():
    y = np.where(np.arange(150) % 2, None, NAMES[Y])
    Counting.fits = 0
    model = SoftLabelClassifier(Counting(max_iter=5000), e_step_cv=None, max_iter=1)
    with pytest.warns(ConvergenceWarning, match="iteration cap"):
        model.fit(X, y)
    assert (Counting.fits, Counting.rows) == (1, 75)
    model.set_params(max_iter=200).fit(X, y)
    assert Counting.rows > 150
    with pytest.raises(ValueError, match="No label says anything"):
        model.set_params(classes=NAMES).fit(X, [None] * 150)


def test_a_channel_learns_also_where_the_first_responsibilities_stay():
    y = SoftLabels.from_crisp(NAMES[Y]).with_verified(np.ones(150, dtype=bool))
    for e_step_cv in (None, 2):
        inner = GaussianNB()
        model = SoftLabelClassifier(inner, FlipNoise(), e_step_cv=e_step_cv, random_state=0)
        matrix = model.fit(X, y).channel_.matrix_
        # No counts: what is left is the prior, 1 on the diagonal and 0.1 elsewhere.
        np.testing.assert_allclose(np.diagonal(matrix), 1.0 / 1.2)
        plain = inner.fit(X, NAMES[Y])
        np.testing.assert_allclose(model.predict_proba(X), plain.predict_proba(X))


def test_no_copies_of_what_carries_no_weight():
    pl = np.full((150, 3), 1e-5)
    pl[np.arange(150), Y] = 1.0
    SoftLabelClassifier(Counting(max_iter=5000), e_step_cv=None, max_iter=5).fit(X, pl)
    assert Counting.rows < 200
    SoftLabelClassifier(Counting(max_iter=5000), e_step_cv=None, max_iter=5, min_share=1e-300).fit(
        X, pl
    )
    assert Counting.rows == 450


def test_groups_reach_the_splits_of_the_wrapped_classifier():
    groups = np.arange(150) // 5
    parts = []

    class Watched(GaussianNB):
        def fit(self, X, y, sample_weight=None):
            parts.append(set(groups[X[:, -1].astype(int)].tolist()))
            return super().fit(X, y, sample_weight)

    inner = CalibratedClassifierCV(Watched(), cv=GroupKFold(3))
    rows = np.column_stack([X, np.arange(150)])
    for y in (NAMES[Y], SOFT):
        parts.clear()
        model = SoftLabelClassifier(inner, e_step_cv=None, max_iter=300)
        model.fit(rows, y, groups=groups)
        assert all(len(part) == 20 for part in parts)


@QUIET
def test_copies_of_a_row_stay_in_one_fold_of_the_wrapped_classifier():
    seen = []

    class Watched(GaussianNB):
        def fit(self, X, y, sample_weight=None):
            seen.append(X[:, 0].copy())
            return super().fit(X, y, sample_weight)

    rows = np.column_stack([np.arange(60.0), RNG.normal(size=60)])
    y = SoftLabels.from_confidences(np.arange(60) % 2, 0.5)
    for cv in (3, GroupKFold(3)):
        inner = CalibratedClassifierCV(Watched(), cv=cv)
        seen.clear()
        SoftLabelClassifier(inner, e_step_cv=None, max_iter=1).fit(rows, y)
        counts = [np.unique(part, return_counts=True) for part in seen]
        assert len(counts) == 3
        for numbers, copies in counts:
            assert len(numbers) == 40 and np.all(copies == 2)
    inner = CalibratedClassifierCV(GaussianNB(), cv=[(np.arange(30), np.arange(30, 60))])
    with pytest.raises(ValueError, match="lists row numbers"):
        SoftLabelClassifier(inner, e_step_cv=None).fit(rows, y)


# ------------------------------------------------------------------------------------ kinds of X


def test_frames_stay_frames():
    frame = pd.DataFrame(X[:, :2], columns=["length", "width"]).assign(colour=np.array([*"rgb"])[Y])
    inner = make_pipeline(
        make_column_transformer((OneHotEncoder(), ["colour"]), remainder="passthrough"),
        PlainLogisticRegression(max_iter=1000),
    )
    model = SoftLabelClassifier(inner, e_step_cv=2, random_state=0).fit(frame, SOFT, WEIGHTS)
    assert model.feature_names_in_.tolist() == ["length", "width", "colour"]
    assert model.n_features_in_ == 3
    assert model.score(frame, NAMES[Y]) > 0.95
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[["width", "length", "colour"]])


@pytest.mark.parametrize("kind", ["csr_array", "csc_matrix", "coo_array"])
def test_sparse_rows(kind):
    model = SoftLabelClassifier(
        PlainLogisticRegression(C=0.1, tol=1e-8, max_iter=1000), e_step_cv=2, random_state=0
    )
    dense = clone(model).fit(X, SOFT)
    thin = clone(model).fit(getattr(sparse, kind)(X), SOFT)
    np.testing.assert_allclose(
        thin.predict_proba(getattr(sparse, kind)(X)), dense.predict_proba(X), atol=1e-4
    )


def test_text_and_missing_features_are_the_wrapped_classifiers_affair():
    texts = ["good fine", "fine good day", "bad awful", "awful day bad"] * 5
    y = SoftLabels.from_confidences(["+", "+", "-", "-"] * 5, [0.9, 0.5, 0.9, 0.5] * 5)
    model = SoftLabelClassifier(
        make_pipeline(TfidfVectorizer(), PlainLogisticRegression()), random_state=0
    ).fit(texts, y)
    assert model.predict(["good", "awful"]).tolist() == ["+", "-"]
    holes = np.where(np.random.default_rng(0).random(X.shape) < 0.2, np.nan, X)
    trees = SoftLabelClassifier(INNER[0], e_step_cv=2, random_state=0).fit(holes, SOFT)
    assert trees.score(holes, NAMES[Y]) > 0.85
    with pytest.raises(ValueError, match="NaN"):
        SoftLabelClassifier(EXACT).fit(holes, SOFT)


def test_fitted_models_are_pickled():
    model = SoftLabelClassifier(FOREST, FlipNoise(), random_state=0).fit(X, SEEN)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.posterior(X, SEEN), model.posterior(X, SEEN))


# -------------------------------------------------------------------------------------- refusals


class NoFit:
    def predict_proba(self, X):
        return X


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (KNeighborsClassifier(), "KNeighborsClassifier has no sample_weight"),
        (make_pipeline(StandardScaler(), KNeighborsClassifier()), "Pipeline has no sample_weight"),
        (LinearSVC(), "LinearSVC has no predict_proba"),
        (SVC(kernel="precomputed", probability=False), "SVC has no predict_proba"),
        (NoFit(), "NoFit has no fit"),
    ],
    ids=lambda value: None,
)
def test_classifiers_that_lack_an_ability_are_refused(estimator, message):
    with pytest.raises(ValueError, match=message):
        SoftLabelClassifier(estimator).fit(X, SOFT)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"e_step_cv": 1}, "e_step_cv"),
        ({"e_step_cv": "5"}, "e_step_cv"),
        ({"max_iter": 0}, "max_iter"),
        ({"tol": -1.0}, "tol"),
        ({"min_share": 1.0}, "min_share"),
    ],
)
def test_wrong_settings_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        SoftLabelClassifier(EXACT, **settings).fit(X, SOFT)


def test_rows_that_do_not_match_are_refused():
    with pytest.raises(ValueError, match="inconsistent"):
        SoftLabelClassifier(EXACT).fit(X[:-1], SOFT)
    with pytest.raises(ValueError, match="inconsistent"):
        SoftLabelClassifier(EXACT).fit(X, SOFT, groups=np.arange(3))
    with pytest.raises(NotFittedError):
        SoftLabelClassifier(EXACT).predict_proba(X)
    with pytest.raises(ValueError, match="FlipNoise reads labels"):
        SoftLabelClassifier(EXACT, FlipNoise()).fit(X, _votes(Y, RNG))


@QUIET
def test_progress_is_printed(capsys):
    SoftLabelClassifier(EXACT, e_step_cv=None, max_iter=2, verbose=1).fit(X, SOFT)
    assert [line.split()[1] for line in capsys.readouterr().out.splitlines()] == ["1", "2"]
