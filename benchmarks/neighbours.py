"""Evidential neighbours against scikit-learn's: the search costs nearly all on either side.

The rest is a few operations on (queries, k) arrays: one exponential, one logarithm and one sum by
class for each neighbour.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from sklearn.neighbors import KNeighborsClassifier

from harness import Row, clock, faster, gaussian_classes
from labelief import EvidentialKNN, SoftLabels


def rows(scale: float) -> Iterator[Row]:
    n, d, K, k = int(100_000 * scale), 10, 5, 10
    X, codes = gaussian_classes(n + 10_000, d, K, seed=1)
    X, queries, codes = X[:n], X[n:], codes[:n]
    rival = KNeighborsClassifier(k).fit(X, codes)
    confidence = np.random.default_rng(0).uniform(0.3, 1.0, n)
    labels = {
        "crisp labels": codes,
        "confidences": SoftLabels.from_confidences(codes, confidence),
    }
    for name, y in labels.items():
        ours = EvidentialKNN(k).fit(X, y)
        yield faster(
            f"EvidentialKNN predict, {name}, {n} x {d}, {len(queries)} queries",
            "KNeighborsClassifier",
            clock(partial(ours.predict, queries)),
            clock(partial(rival.predict, queries)),
            1 / 1.3,
        )
