"""come2008: the fits of its two experiments, a cell at a time.

The slides print neither the covariance model nor the size of the test set: here each class has a
Gaussian of its own with a full covariance, and 10 000 objects are tested.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.base import clone
from sklearn.metrics import confusion_matrix
from sklearn.model_selection import StratifiedKFold

from labelief import (
    FlipNoise,
    GenerativeClassifier,
    LinearDiscriminantAnalysis,
    MixtureDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
    SoftLabels,
)
from labelief.densities import DiagonalGaussian
from labelief.simulation import blur_labels, flip_labels
from papers.data import Codes, Floats, load
from papers.experiment import Cell, generator, seed_of

__all__ = [
    "DISTANCES",
    "NOISE",
    "LEVELS",
    "FAMILIES",
    "LEARNERS",
    "SETS",
    "clusters",
    "families_under_noise",
    "imprecise_labels",
    "learners_under_noise",
    "maxima",
]

SETS = {
    "iris": "iris",
    "wine": "wine",
    "crabs": "crabs",
    "breast cancer": "breast_cancer_wisconsin_original",
}
LEARNERS = ["supervised", "semi-supervised", "noise model", "soft", "unsupervised"]
FAMILIES = ["tied", "full", "diagonal", "two components"]
DISTANCES = [1, 2, 4]
LEVELS = [0.05, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65, round(math.log(2), 6)]
NOISE = [0.1, 0.2, 0.3, 0.4]
_SIZE, _TEST_SIZE, _DIMENSION = 1000, 10_000, 10
# Mean log-likelihoods farther apart are two maxima; a gain of 1e-6 or 1e-7 in the last step tells
# as many apart, checked on both.
_APART, _MOST_STEPS = 1e-4, 5000


def imprecise_labels(cell: Cell) -> dict[str, float | None]:
    """Test error and EM iterations of one fit (experiment 1)."""
    X, labels = _two_gaussians(cell)
    model = _family(cell["family"]).set_params(tol=1e-7, max_iter=_MOST_STEPS)
    model.fit(X, labels)
    return {"error": _test_error(model, cell), "iterations": float(model.n_iter_)}


def maxima(cell: Cell) -> dict[str, float | None]:
    """Count the different ends of random starts; their iterations, and the best one's error."""
    X, labels = _two_gaussians(cell)
    ends, iterations, cut_short = [], [], 0.0
    best: Any = None
    for start in range(cell["starts"]):
        model = _family(cell["family"]).set_params(
            init="random", random_state=start, max_iter=_MOST_STEPS
        )
        model.fit(X, labels)
        if best is None or model.log_likelihood_ > best.log_likelihood_:
            best = model
        ends.append(model.log_likelihood_ / len(X))
        iterations.append(model.n_iter_)
        cut_short += not model.converged_
    different = 1 + int(np.sum(np.diff(np.sort(ends)) > _APART))
    return {
        "maxima": float(different),
        "iterations": float(np.mean(iterations)),
        "error": _test_error(best, cell),
        "cut short": cut_short,
    }


def learners_under_noise(cell: Cell) -> dict[str, float | None]:
    """Errors of the learners that see labels, by ten-fold cross-validation (experiment 2)."""
    X, y, _ = load(SETS[cell["data"]])
    labels = _noisy(cell, y)
    kept = (labels.doubts <= 0.5).astype(np.float64)
    semi = SoftLabels.from_confidences(labels.observed, kept, labels.soft.classes)
    trusting = _family(cell["family"])
    robust = clone(trusting).set_params(channel=FlipNoise())
    wrong = dict.fromkeys(LEARNERS[:-1], 0.0)
    for train, test in _folds(cell, y):
        for name, model, target in [
            ("supervised", trusting, labels.observed[train]),
            ("semi-supervised", trusting, semi[train]),
            ("noise model", robust, labels.observed[train]),
            ("soft", trusting, labels.soft[train]),
        ]:
            model.set_params(classes=labels.soft.classes).fit(X[train], target)
            wrong[name] += np.sum(model.predict(X[test]) != y[test])
    return {name: float(count) / len(y) for name, count in wrong.items()}


def clusters(cell: Cell) -> dict[str, float | None]:
    """Error of a mixture that sees no label, its components named to suit the training truth."""
    X, y, names = load(SETS[cell["data"]])
    wrong = 0.0
    for train, test in _folds(cell, y):
        model = _family(cell["family"]).fit(X[train], np.ones((len(train), len(names))))
        counts = confusion_matrix(y[train], model.predict(X[train]), labels=range(len(names)))
        classes, components = linear_sum_assignment(-counts)
        class_of = np.empty(len(names), dtype=np.int64)
        class_of[components] = classes
        wrong += np.sum(class_of[model.predict(X[test])] != y[test])
    return {"unsupervised": wrong / len(y)}


def families_under_noise(cell: Cell) -> dict[str, float | None]:
    """Errors of four families from soft labels, and of the one that has the lowest BIC."""
    X, y, _ = load(SETS[cell["data"]])
    labels = _noisy(cell, y)
    wrong = dict.fromkeys([*FAMILIES, "lowest BIC"], 0.0)
    chosen = dict.fromkeys(FAMILIES, 0.0)
    for train, test in _folds(cell, y):
        criteria, counts = {}, {}
        for name in FAMILIES:
            model = _family(name).set_params(classes=labels.soft.classes)
            model.fit(X[train], labels.soft[train])
            criteria[name] = model.bic(X[train], labels.soft[train])
            counts[name] = float(np.sum(model.predict(X[test]) != y[test]))
            wrong[name] += counts[name]
        best = min(criteria, key=lambda name: criteria[name])
        wrong["lowest BIC"] += counts[best]
        chosen[best] += 0.1
    shares = {f"chosen {name}": share for name, share in chosen.items()}
    return {**{name: count / len(y) for name, count in wrong.items()}, **shares}


def _family(name: str) -> Any:
    return {
        "tied": LinearDiscriminantAnalysis(),
        "full": QuadraticDiscriminantAnalysis(),
        "diagonal": GenerativeClassifier(DiagonalGaussian()),
        "two components": MixtureDiscriminantAnalysis(2),
    }[name]


def _two_gaussians(cell: Cell) -> tuple[Floats, SoftLabels]:
    """Training rows and labels that are imprecise but right; rows alike at all precisions."""
    rng = generator("train", cell["distance"], cell["repetition"])
    X, y = _draw(_SIZE, cell["distance"], rng)
    seed = seed_of("labels", cell["distance"], cell["nonspecificity"], cell["repetition"])
    return X, blur_labels(y, cell["nonspecificity"], classes=[0, 1], random_state=seed).soft


def _draw(n: int, distance: float, rng: np.random.Generator) -> tuple[Floats, Codes]:
    y = rng.integers(2, size=n)
    X = rng.normal(size=(n, _DIMENSION))
    X[:, 0] += distance * y
    return X, y


def _test_error(model: Any, cell: Cell) -> float:
    rng = generator("test", cell["distance"], cell["repetition"])
    X, y = _draw(_TEST_SIZE, cell["distance"], rng)
    return float(np.mean(model.predict(X) != y))


def _noisy(cell: Cell, y: Codes) -> Any:
    seed = seed_of("labels", cell["data"], cell["mean"], cell["repetition"])
    return flip_labels(y, cell["mean"], classes=range(y.max() + 1), random_state=seed)


def _folds(cell: Cell, y: Codes) -> Any:
    seed = seed_of("folds", cell["data"], cell["repetition"])
    return StratifiedKFold(10, shuffle=True, random_state=seed).split(y, y)
