"""One recipe for all data sets: candidates, and a choice among them that never sees the truth."""

from __future__ import annotations

from typing import Any

import numpy as np
from examples.worth.data import Data, Floats, Rows
from examples.worth.second_label import SecondLabel
from sklearn.base import clone
from sklearn.kernel_approximation import Nystroem
from sklearn.model_selection import GroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from labelief import (
    AnnotatorNoise,
    EvidentialKNN,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    QuadraticDiscriminantAnalysis,
    Votes,
)
from labelief.metrics import expected_error
from labelief.model_selection import cross_val_predict

# Rows that a choice tests in all: small sets are split several times.
TESTED, MOST_SPLITS = 200, 10


def candidates(data: Data) -> dict[str, Any]:
    """Return the classifiers to choose from."""
    votes = isinstance(data.labels, Votes)
    channel = AnnotatorNoise() if votes else None
    classes = len(data.labels.classes)
    priors = np.full(classes, 1.0 / classes) if data.balanced else None
    width = data.features.shape[1]
    common: dict[str, Any] = {"channel": channel, "priors": priors, "tol": 1e-5}

    def logistic(C: float) -> LogisticRegression:
        return LogisticRegression(C=C, channel=channel, tol=1e-4)

    found: dict[str, Any] = {
        f"LDA, shrinkage {s}": LinearDiscriminantAnalysis(shrinkage=s, **common) for s in (0.1, 0.3)
    }
    found["QDA, shrinkage 0.6"] = QuadraticDiscriminantAnalysis(shrinkage=0.6, **common)
    found |= {f"logistic, C {C}": logistic(C) for C in (0.1, 1.0)}
    for C in (3.0, 30.0):
        kernel = Nystroem(gamma=1.0 / width, n_components=300, random_state=0)
        enough = width < len(data.learned_from) // 2 and len(data.learned_from) > 750
        if enough:
            found[f"kernel logistic, C {C:g}"] = make_pipeline(kernel, logistic(C))
    if not votes:
        found["evidential neighbours"] = EvidentialKNN(10)
    scaled = {name: make_pipeline(StandardScaler(), model) for name, model in found.items()}
    if not data.second:
        return scaled
    return {
        f"{name}; flips {'held out' if held_out else 'in turn'}": SecondLabel(model, held_out)
        for name, model in scaled.items()
        for held_out in (True, False)
    }


def choose(models: dict[str, Any], data: Data) -> dict[str, float]:
    """Return the expected error of each candidate, lowest first: the first is the one to take.

    It is the measure that ``rank_models`` orders by, ``(upper + lower) / 2``, against all that was
    said about rows held out, in five folds.  What was said is often wrong; but errors that have
    little to do with the features add about the same to every candidate.
    """
    rows = data.learned_from
    X, labels, said, groups = data.X[rows], data.labels[rows], data.said[rows], data.groups[rows]
    splits = min(max(TESTED // len(rows), 1), MOST_SPLITS)
    # Other seeds than those of the folds that the error is measured in.
    seeds = range(100, 100 + splits)
    found = {}
    for name, model in models.items():
        errors = []
        for seed in seeds:
            cv = GroupKFold(5, shuffle=True, random_state=seed)
            predicted = cross_val_predict(model, X, labels, cv=cv, groups=groups)
            errors.append(expected_error(said, predicted))
        found[name] = float(np.mean(errors))
    return dict(sorted(found.items(), key=lambda item: item[1]))


def true_errors(model: Any, data: Data) -> Floats:
    """Share of rows whose true class is missed, for each repetition of the folds."""

    def missed(train: Rows, test: Rows) -> int:
        fitted = clone(model).fit(data.X[train], data.labels[train])
        return int((fitted.predict(data.X[test]) != data.truth[test]).sum())

    return per_repetition(data, missed)


def per_repetition(data: Data, missed: Any) -> Floats:
    """Add up ``missed(train, test)`` over the folds of each repetition, and divide by the rows."""
    counts = np.zeros(1 + max(seed for seed, _, _ in data.folds))
    tested = np.zeros_like(counts)
    for seed, train, test in data.folds:
        counts[seed] += missed(train, test)
        tested[seed] += len(test)
    return np.asarray(counts / tested)
