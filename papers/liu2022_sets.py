"""The data of liu2022: real sets, made ones, and the noise that is put on their labels."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import AdaBoostClassifier
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from labelief import (
    FlipNoise,
    GenerativeClassifier,
    LogisticRegression,
    MixtureDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from labelief.densities import DiagonalGaussian
from labelief.simulation import asymmetric_noise, symmetric_noise
from papers import data
from papers.data import Codes, Floats
from papers.experiment import generator

__all__ = ["SETS", "Half", "errors", "halves", "mixture", "model", "noisy", "rows_of"]

SETS = ("Synth1", "Synth2", "Breast Issue", "Iris", "Wine", "Heart", "Boston", "Wave form")
_FILES = {
    "Breast Issue": "breast_tissue",
    "Iris": "iris",
    "Wine": "wine",
    "Heart": "spect_heart",
    "Wave form": "waveform",
}


class Half(NamedTuple):
    """A training half, with true labels, and a test half."""

    X: Floats
    y: Codes
    asked: Floats
    truth: Codes
    n_classes: int


def mixture(
    rng: np.random.Generator, n: int, d: int, n_classes: int, components: int, spread: float
) -> tuple[Floats, Codes]:
    """Draw rows from Gaussian mixtures, one in each class.

    Centres are normal with standard deviation `spread`; each component has a covariance of its own,
    ``A Aᵀ + 0.1 I`` with normal A of variance 1/d.
    """
    centres = rng.normal(0.0, spread, (n_classes, components, d))
    factors = rng.normal(size=(n_classes, components, d, d)) / np.sqrt(d)
    y = rng.permutation(np.arange(n) % n_classes)
    which = rng.integers(components, size=n)
    X = centres[y, which] + np.sqrt(0.1) * rng.normal(size=(n, d))
    for k in range(n_classes):
        for j in range(components):
            mine = (y == k) & (which == j)
            X[mine] += rng.normal(size=(int(mine.sum()), d)) @ factors[k, j].T
    return X, y.astype(np.int64)


@cache
def rows_of(name: str) -> tuple[Floats, Codes]:
    """Rows and class codes of a set of Table 1.

    The parameters of Synth1 and Synth2 are not printed: Synth1 has two components a class, Synth2
    overlaps so that about 13 % of its rows are beyond any classifier.  Boston is cut at the median.
    """
    if name == "Synth1":
        return mixture(generator("liu2022", name), 2000, 30, 5, 2, 0.45)
    if name == "Synth2":
        return mixture(generator("liu2022", name, 0), 1000, 2, 2, 2, 1.2)
    if name == "Boston":
        rows = data.table("boston")
        value = rows["target"].to_numpy()
        X = rows.drop(columns="target").to_numpy(np.float64)
        return X, (value > np.median(value)).astype(np.int64)
    X, y, _ = data.load(_FILES[name])
    return X, y


def halves(X: Floats, y: Codes, rng: np.random.Generator, train: float = 0.5) -> Half:
    """Split at random, classes in proportion; features are standardised by the training part."""
    rows, test = train_test_split(
        np.arange(len(y)), train_size=train, stratify=y, random_state=int(rng.integers(2**31))
    )
    scaler = StandardScaler().fit(X[rows])
    return Half(
        scaler.transform(X[rows]), y[rows], scaler.transform(X[test]), y[test], int(y.max()) + 1
    )


def noisy(y: Codes, n_classes: int, kind: str, rate: float, rng: Any) -> NDArray[Any] | None:
    """Labels after noise; None where the rate is more than the class that is flipped has."""
    if rate == 0:
        return y
    classes = np.arange(n_classes)
    if kind == "symmetric":
        return symmetric_noise(y, rate, classes=classes, random_state=rng).observed
    if n_classes == 2 and rate * len(y) > np.bincount(y).max():
        return None
    return asymmetric_noise(y, rate, classes=classes, random_state=rng).observed


def model(method: str, n_classes: int, components: Any = 2, seed: int = 0) -> Any:
    """Return a new classifier; "diagonal" and "shrunk" ones test what the paper may have done."""
    classes = np.arange(n_classes)
    count = 1 if method.startswith("rNDA") else "bic" if "BIC" in method else components
    if method.startswith("Ada"):
        return AdaBoostClassifier(n_estimators=10 if "10" in method else 50, random_state=seed)
    if method == "LR":
        return LogisticRegression(channel=FlipNoise(), classes=classes)
    shared: dict[str, Any] = {"channel": FlipNoise(), "classes": classes}
    if "shrunk" in method:
        shared["shrinkage"] = "auto"
    if "diagonal" in method:
        return GenerativeClassifier(DiagonalGaussian(), count, random_state=seed, **shared)
    if count == 1:
        return QuadraticDiscriminantAnalysis(**shared)
    return MixtureDiscriminantAnalysis(count, random_state=seed, **shared)


def errors(
    half: Half, labels: NDArray[Any] | None, methods: Any, components: Any = 2, seed: int = 0
) -> dict[str, float | None]:
    """Test errors by method; None for all where no label or only one kind of it is there."""
    result: dict[str, float | None] = {}
    for method in methods:
        if labels is None or len(np.unique(labels)) < 2:
            result[method] = None
            continue
        fitted = model(method, half.n_classes, components, seed).fit(half.X, labels)
        result[method] = float((fitted.predict(half.asked) != half.truth).mean())
    return result
