"""What users do today, run again in the same folds: a check that the comparison is a fair one."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
from examples.worth.data import Data, Floats, Rows
from examples.worth.recipe import per_repetition
from numpy.typing import NDArray
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

Fitted = Callable[[Floats, Rows], Any]

# The error of the best of today's ways for each set, chosen with the truth in hand.
BEST_TODAY = {
    "credal_dog2": (0.013, "cleanlab + shrunk LDA"),
    "credal_dog4": (0.066, "cleanlab + shrunk LDA"),
    "credal_bird2": (0.265, "probabilities as weights, logistic"),
    "credal_bird10": (0.280, "cleanlab + shrunk LDA"),
    "music_genre": (0.358, "majority + shrunk LDA"),
    "partial_lost": (0.525, "candidates as weights, logistic"),
    "partial_birdsong": (0.369, "candidates as weights, logistic"),
}


def errors(data: Data) -> dict[str, float]:
    """Return the error on the true classes of each rival that the data set allows."""
    ways: dict[str, Fitted] = {"weights, logistic": lambda X, rows: _weighted(X, rows, data)}
    if data.second or data.name == "music_genre":
        codes = data.X[:, -1].astype(int) if data.second else data.said.pignistic.argmax(axis=1)
        what = "single label" if data.second else "majority"
        ways[f"{what} + shrunk LDA"] = lambda X, rows: shrunk().fit(X, codes[rows])
        cleaning = _cleanlab()
        if cleaning is not None:
            ways["cleanlab + shrunk LDA"] = lambda X, rows: cleaning(shrunk(), seed=0).fit(
                X, codes[rows]
            )
    return {way: _error(data, fitted) for way, fitted in ways.items()}


def shrunk() -> Any:
    """Linear discriminant analysis with Ledoit and Wolf's shrinkage."""
    return LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto")


def _weighted(X: Floats, rows: Rows, data: Data) -> Any:
    """Repeat each row for each class that is possible, weighed by its probability."""
    shares: NDArray[np.float64] = data.said.pignistic[rows]
    if data.second:
        shares = data.labels.pignistic[rows]
    row, code = np.nonzero(shares)
    model = LogisticRegression(max_iter=2000)
    return model.fit(X[row], code, sample_weight=shares[row, code])


def _error(data: Data, fitted: Fitted) -> float:
    truth = np.searchsorted(data.said.classes, data.truth)

    def missed(train: Rows, test: Rows) -> int:
        scaler = StandardScaler().fit(data.features[train])
        model = fitted(scaler.transform(data.features[train]), train)
        return int((model.predict(scaler.transform(data.features[test])) != truth[test]).sum())

    return float(per_repetition(data, missed).mean())


def _cleanlab() -> Any:
    """Return cleanlab's class, or None where it is not installed."""
    try:
        return importlib.import_module("cleanlab.classification").CleanLearning
    except ImportError:
        return None
