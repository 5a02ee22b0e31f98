"""``audit_labels`` with estimators of the library and of scikit-learn."""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression as PlainRegression
from sklearn.model_selection import GridSearchCV, KFold, RepeatedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from labelief import (
    AnnotatorNoise,
    EvidentialKNN,
    FlipNoise,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    QuadraticDiscriminantAnalysis,
    SoftLabels,
    Votes,
)
from labelief.audit import audit_labels, weigh_labels
from labelief.model_selection import cross_val_predict
from labelief.simulation import symmetric_noise

X, TRUTH = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])
SEEN = symmetric_noise(NAMES[TRUTH], 0.15, random_state=1).observed
WRONG = SEEN != NAMES[TRUTH]

ESTIMATORS = {
    "LDA": LinearDiscriminantAnalysis(),
    "LDA, flips": LinearDiscriminantAnalysis(channel=FlipNoise()),
    "QDA, flips": QuadraticDiscriminantAnalysis(channel=FlipNoise("symmetric"), shrinkage=0.1),
    "logistic": LogisticRegression(),
    "neighbours": EvidentialKNN(10),
    "pipeline": make_pipeline(StandardScaler(), LogisticRegression(channel=FlipNoise())),
    "plain logistic": make_pipeline(StandardScaler(), PlainRegression()),
    "naive Bayes": GaussianNB(),
    "search": GridSearchCV(GaussianNB(), {"var_smoothing": [1e-9, 1e-3]}, cv=3),
    "forest": RandomForestClassifier(30, min_samples_leaf=3, random_state=0),
}


def precision(audit, wrong=WRONG):
    return wrong[audit.index[: wrong.sum()]].mean()


@pytest.mark.parametrize("name", ESTIMATORS)
def test_wrong_labels_come_first(name):
    audit = audit_labels(ESTIMATORS[name], X, SEEN)
    assert isinstance(audit, pd.DataFrame) and audit.index.name == "row"
    assert sorted(audit.index) == list(range(150))
    assert precision(audit) >= 0.75
    assert audit["doubt"].is_monotonic_decreasing
    assert audit["doubt"].sum() == pytest.approx(WRONG.sum(), rel=0.4)
    mended = audit["suggested"].sort_index().to_numpy()
    assert np.mean(mended == NAMES[TRUTH]) > 0.93 > 1 - WRONG.mean()


def test_it_is_weigh_labels_of_out_of_fold_probabilities():
    model = LinearDiscriminantAnalysis(channel=FlipNoise())
    proba = cross_val_predict(model, X, SEEN, cv=5, method="predict_proba")
    expected = weigh_labels(proba, SEEN).to_frame(7, reliability=0.7)
    found = audit_labels(model, X, SEEN, budget=7, reliability=0.7)
    pd.testing.assert_frame_equal(found, expected)
    assert (found["ask"] > 0).sum() == 7
    fixed = FlipNoise(matrix=np.full((3, 3), 0.1) + 0.7 * np.eye(3))
    expected = weigh_labels(proba, SEEN, channel=fixed).to_frame()
    pd.testing.assert_frame_equal(audit_labels(model, X, SEEN, channel=fixed), expected)


@pytest.mark.parametrize("name", ["LDA, flips", "neighbours", "naive Bayes", "forest", "search"])
@pytest.mark.parametrize("kind", ["object", "list", "series", "soft"])
def test_unknown_labels_are_predicted_and_not_doubted(name, kind):
    unknown = np.arange(150) % 5 == 0
    y = np.where(unknown, None, SEEN)
    y = {
        "object": lambda: y,
        "list": y.tolist,
        "series": lambda: pd.Series(y),
        "soft": lambda: SoftLabels.from_crisp(y),
    }[kind]()
    audit = audit_labels(ESTIMATORS[name], X, y)
    rows = audit.loc[np.flatnonzero(unknown)]
    assert rows["label"].isna().all()
    assert (rows["doubt"] == 0).all() and (rows["conflict"] == 0).all()
    assert np.mean(rows["suggested"] == NAMES[TRUTH][rows.index]) > 0.85
    assert precision(audit, WRONG & ~unknown) >= 0.7


def test_unknown_labels_do_not_train_who_cannot_use_them():
    seen = []

    class Spy(GaussianNB):
        def fit(self, X, y):
            seen.append((len(X), set(y)))
            return super().fit(X, y)

    y = np.where(np.arange(150) % 5 == 0, None, SEEN)
    audit_labels(Spy(), X, y, cv=3)
    assert [size for size, _ in seen] == [80, 80, 80]
    assert all(names == set(NAMES) for _, names in seen)


def test_soft_labels_and_plausibilities():
    soft = SoftLabels.from_confidences(SEEN, 0.9, NAMES)
    audit = audit_labels(LinearDiscriminantAnalysis(channel=FlipNoise()), X, soft)
    assert precision(audit) >= 0.8
    row = audit.index[0]
    assert audit["label"].iloc[0] == f"{SEEN[row]} 0.9, any class 0.1"
    turned = NAMES[[2, 0, 1]]
    model = LinearDiscriminantAnalysis(channel=FlipNoise(), classes=turned)
    bare = soft.reorder(turned).plausibilities
    again = audit_labels(model, X, bare, classes=turned)
    np.testing.assert_allclose(again["doubt"], audit["doubt"], atol=1e-6)
    assert precision(again) >= 0.8


def test_votes():
    rng = np.random.default_rng(0)
    item = np.repeat(np.arange(150), 3)
    said = np.where(rng.random(450) < 0.25, rng.integers(0, 3, 450), TRUTH[item])
    table = {"i": item, "a": np.tile(["x", "y", "z"], 150), "l": NAMES[said]}
    votes = Votes(table, "i", "a", "l")
    majority = np.asarray(votes)
    audit = audit_labels(LinearDiscriminantAnalysis(channel=AnnotatorNoise()), X, votes)
    assert np.mean(audit["suggested"].sort_index() == NAMES[TRUTH]) > np.mean(
        majority == NAMES[TRUTH]
    )
    worst = audit.index[:5]
    assert np.mean(majority[worst] != NAMES[TRUTH][worst]) >= 0.6
    assert all(" " in label for label in audit["label"])


def test_groups_keep_copies_together():
    copies = np.vstack([X, X])
    y = np.concatenate([SEEN, SEEN])
    groups = np.tile(np.arange(150), 2)
    model = RandomForestClassifier(50, random_state=0)
    apart = audit_labels(model, copies, y, groups=groups)
    confirmed = audit_labels(model, copies, y, cv=KFold(5, shuffle=True, random_state=0))
    wrong = np.concatenate([WRONG, WRONG])
    assert precision(apart, wrong) > precision(confirmed, wrong) + 0.15


def test_weights_reach_fit_and_channel():
    weights = np.where(np.arange(150) % 2, 1.0, 3.0)
    model = LinearDiscriminantAnalysis()
    proba = cross_val_predict(model, X, SEEN, cv=5, method="predict_proba", sample_weight=weights)
    expected = weigh_labels(proba, SEEN, sample_weight=weights).to_frame()
    found = audit_labels(model, X, SEEN, sample_weight=weights)
    pd.testing.assert_frame_equal(found, expected)


def test_a_class_that_a_training_part_lacks():
    y = SEEN.copy()
    y[7] = "unicorn"
    audit = audit_labels(GaussianNB(), X, y)
    assert audit["label"].loc[7] == "unicorn"
    assert audit["doubt"].loc[7] > 0.9
    assert np.isfinite(audit["doubt"]).all()


def test_refusals():
    with pytest.raises(ValueError, match="LinearSVC has no method 'predict_proba'"):
        audit_labels(LinearSVC(), X, SEEN)
    with pytest.raises(ValueError, match="exactly one test part"):
        audit_labels(GaussianNB(), X, SEEN, cv=RepeatedKFold(n_splits=3, n_repeats=2))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        audit_labels(GaussianNB(), X, SEEN[:-1])
    with pytest.raises(ValueError, match="one class only"):
        audit_labels(GaussianNB(), X, np.full(150, "a"))
    with pytest.raises(ValueError, match="most plausible class"):
        half = SoftLabels.from_candidates([{"a", "b"}, {"a"}, {"c"}] * 50)
        audit_labels(GaussianNB(), X, half)


def test_without_pandas_the_error_says_what_to_do(monkeypatch):
    audit = weigh_labels([[0.9, 0.1], [0.2, 0.8]], ["a", "b"])
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="pip install pandas"):
        audit.to_frame()
    assert audit.to_frame(backend="polars").columns[0] == "row"
