"""scikit-learn's own checks, and life inside its tools."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression as PlainLogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    StratifiedKFold,
    cross_validate,
    train_test_split,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from labelief import (
    FlipNoise,
    GenerativeClassifier,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    MixtureDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
    SoftLabelClassifier,
    SoftLabels,
    densities,
)
from labelief.metrics import expected_error_scorer

X, Y = load_iris(return_X_y=True)
RNG = np.random.default_rng(0)
SEEN = np.where(RNG.random(150) < 0.15, RNG.integers(0, 3, 150), Y)
SOFT = SoftLabels.from_confidences(SEEN, np.where(RNG.random(150) < 0.3, 0.4, 0.9))

CHECKED = [
    LinearDiscriminantAnalysis(),
    LinearDiscriminantAnalysis(channel=FlipNoise("symmetric"), shrinkage="auto"),
    QuadraticDiscriminantAnalysis(channel=FlipNoise()),
    MixtureDiscriminantAnalysis(2),
    GenerativeClassifier(densities.DiagonalGaussian(), 2, init="kmeans", random_state=0),
    GenerativeClassifier(densities.SphericalGaussian(), acceleration="squarem"),
    GenerativeClassifier(densities.ParsimoniousGaussian("EVE")),
    GenerativeClassifier([densities.TiedGaussian(), densities.ParsimoniousGaussian("VEE")]),
    GenerativeClassifier(
        densities.Columns([(densities.FullGaussian(), 0)], remainder=densities.DiagonalGaussian())
    ),
    LogisticRegression(),
    LogisticRegression(channel=FlipNoise(), solver="newton"),
    SoftLabelClassifier(PlainLogisticRegression(C=1)),
]
MORE = [
    LinearDiscriminantAnalysis(acceleration="squarem", shrinkage=0.3),
    QuadraticDiscriminantAnalysis(),
    QuadraticDiscriminantAnalysis(shrinkage="auto"),
    MixtureDiscriminantAnalysis("bic"),
    MixtureDiscriminantAnalysis(2, channel=FlipNoise()),
    GenerativeClassifier(),
    GenerativeClassifier(densities.TiedGaussian(), 2),
    GenerativeClassifier(densities.DiagonalGaussian()),
    GenerativeClassifier(densities.SphericalGaussian(), n_init=2, random_state=0),
    *[
        GenerativeClassifier(densities.ParsimoniousGaussian(family))
        for family in densities.ParsimoniousGaussian.families
    ],
    LogisticRegression(channel=FlipNoise("symmetric")),
    LogisticRegression(solver="newton", C=10.0),
    LogisticRegression(solver="em"),
    SoftLabelClassifier(PlainLogisticRegression(C=1), FlipNoise(), e_step_cv=None),
]
QUIET = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning",
    "ignore:.*directions without variance",
    "ignore:The learned flipping matrix",
)


@QUIET
@parametrize_with_checks(CHECKED)
def test_checks_of_scikit_learn(estimator, check):
    check(estimator)


@QUIET
@pytest.mark.slow
@parametrize_with_checks(MORE)
def test_more_checks_of_scikit_learn(estimator, check):
    check(estimator)


# They feed normal features, about half of them negative, which a Weibull density refuses by name.
NEED_NEGATIVE_FEATURES = [
    "check_estimators_overwrite_params",
    "check_estimators_fit_returns_self",
    "check_readonly_memmap_input",
    "check_n_features_in_after_fitting",
    "check_estimators_dtypes",
    "check_pipeline_consistency",
    "check_estimators_pickle",
    "check_classifier_data_not_an_array",
    "check_classifiers_classes",
    "check_classifiers_train",
    # "positive only" there means that 0 is allowed, which a Weibull density refuses too.
    "check_positive_only_tag_during_fit",
]


@QUIET
@parametrize_with_checks(
    [GenerativeClassifier(densities.Weibull())],
    expected_failed_checks=lambda _: dict.fromkeys(
        NEED_NEGATIVE_FEATURES, "features must be positive"
    ),
)
def test_checks_of_scikit_learn_for_positive_features(estimator, check):
    check(estimator)


@QUIET
@pytest.mark.slow
@parametrize_with_checks(
    [SoftLabelClassifier(GaussianNB(), FlipNoise("symmetric"), e_step_cv=2, random_state=0)],
    expected_failed_checks=lambda _: {
        "check_sample_weight_equivalence_on_dense_data": "repeated rows fall into other folds"
    },
)
def test_checks_of_scikit_learn_with_inner_folds(estimator, check):
    check(estimator)


# ------------------------------------------------------------------------------ life in its tools


@pytest.mark.parametrize("y", [SEEN, SOFT, SOFT.plausibilities], ids=["crisp", "soft", "array"])
def test_pipelines(y):
    model = make_pipeline(StandardScaler(), LinearDiscriminantAnalysis(channel=FlipNoise()))
    model.fit(X, y)
    plain = LinearDiscriminantAnalysis(channel=FlipNoise()).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), plain.predict_proba(X), rtol=1e-4, atol=1e-6)
    assert model.score(X, Y) > 0.9
    reduced = make_pipeline(LinearDiscriminantAnalysis(), QuadraticDiscriminantAnalysis())
    assert reduced.fit(X, SOFT).score(X, Y) > 0.9
    assert reduced[0].transform(X).shape == (150, 2)


def test_weights_reach_a_step():
    model = make_pipeline(StandardScaler(), LinearDiscriminantAnalysis())
    weights = (np.arange(150) % 2).astype(float)
    model.fit(X, SOFT, lineardiscriminantanalysis__sample_weight=weights)
    assert model[-1].bic(StandardScaler().fit(X).transform(X), SOFT) > 0


@pytest.mark.parametrize("y", [SEEN, SOFT], ids=["crisp", "soft"])
def test_cross_validate(y):
    scores = cross_validate(
        QuadraticDiscriminantAnalysis(channel=FlipNoise("symmetric")),
        X,
        y,
        cv=5,
        scoring={"default": None, "error": expected_error_scorer} if y is SOFT else None,
    )
    key = "test_default" if y is SOFT else "test_score"
    assert scores[key].shape == (5,)
    assert np.mean(scores[key]) > (0.6 if y is SOFT else 0.7)


def test_labels_are_split_with_the_rows():
    folds = StratifiedKFold(5, shuffle=True, random_state=0).split(X, SEEN)
    by_hand = []
    for train, test in folds:
        model = LinearDiscriminantAnalysis().fit(X[train], SOFT[train])
        by_hand.append(model.score(X[test], SOFT[test]))
    cv = list(StratifiedKFold(5, shuffle=True, random_state=0).split(X, SEEN))
    scores = cross_validate(LinearDiscriminantAnalysis(), X, SOFT, cv=cv)["test_score"]
    np.testing.assert_allclose(scores, by_hand)
    X_train, _, y_train, _ = train_test_split(X, SOFT, random_state=0)
    assert len(X_train) == len(y_train) == 112


def test_grids_reach_into_channels_and_densities():
    search = GridSearchCV(
        QuadraticDiscriminantAnalysis(channel=FlipNoise()),
        {"channel__kind": ["full", "symmetric"], "shrinkage": [None, 0.2], "ridge": [1e-6, 1e-2]},
        cv=3,
    ).fit(X, SOFT)
    assert set(search.best_params_) == {"channel__kind", "shrinkage", "ridge"}
    assert search.best_estimator_.channel_.kind == search.best_params_["channel__kind"]
    assert not hasattr(search.estimator.channel, "matrix_")
    choices = [densities.TiedGaussian(), densities.DiagonalGaussian()]
    search = GridSearchCV(
        GenerativeClassifier(), {"density": choices, "n_components": [1, 2]}, cv=3
    )
    assert search.fit(X, SOFT).best_score_ > 0.6


def test_calibration_takes_the_classifier():
    model = CalibratedClassifierCV(LinearDiscriminantAnalysis(), cv=3).fit(X, Y)
    assert model.score(X, Y) > 0.9


@pytest.mark.parametrize(
    "model",
    [
        LinearDiscriminantAnalysis(channel=FlipNoise()),
        MixtureDiscriminantAnalysis(2),
        GenerativeClassifier(densities.Weibull()),
        GenerativeClassifier(densities.ParsimoniousGaussian("EVE")),
    ],
    ids=str,
)
def test_fitted_models_are_pickled_and_cloned(model):
    fitted = clone(model).fit(X, SOFT)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.predict_proba(X), fitted.predict_proba(X))
    np.testing.assert_array_equal(again.posterior(X, SOFT), fitted.posterior(X, SOFT))
    assert not hasattr(clone(fitted), "classes_")
    assert str(clone(fitted).get_params()) == str(model.get_params())


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames(library):
    frames = pytest.importorskip(library)
    names = ["sepal length", "sepal width", "petal length", "petal width"]
    frame = frames.DataFrame({name: X[:, i] for i, name in enumerate(names)})
    labels = frames.DataFrame({str(k): SOFT.plausibilities[:, k] for k in (2, 0, 1)})
    model = LinearDiscriminantAnalysis().fit(frame, labels)
    np.testing.assert_array_equal(model.feature_names_in_, names)
    np.testing.assert_array_equal(model.classes_, ["0", "1", "2"])
    plain = LinearDiscriminantAnalysis().fit(X, SOFT)
    np.testing.assert_allclose(model.predict_proba(frame), plain.predict_proba(X), rtol=1e-9)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[[names[1], names[0], names[2], names[3]]])
    codes = frames.Series([str(c) for c in SEEN])
    crisp = LinearDiscriminantAnalysis().fit(frame, codes)
    assert crisp.score(frame, codes) == np.mean(crisp.predict(frame) == SEEN.astype(str))


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_transform_gives_frames_where_asked(library):
    pytest.importorskip(library)
    model = LinearDiscriminantAnalysis().set_output(transform=library).fit(X, Y)
    axes = model.transform(X)
    expected = ["lineardiscriminantanalysis0", "lineardiscriminantanalysis1"]
    assert list(axes.columns) == list(model.get_feature_names_out()) == expected
    model.set_output(transform="default")
    np.testing.assert_array_equal(np.asarray(axes), model.transform(X))
