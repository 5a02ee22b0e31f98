"""Weighted Laplacian score against one read pass over X, and against its definition.

The least that a score needs is each number of X read once, 8 n d bytes, and 2 n d (K + 2)
operations: a product of K columns with a block, two with its square, both in the cache by then.
"""

from __future__ import annotations

import gc
import statistics
from collections.abc import Iterator
from functools import partial

import numpy as np

from harness import REPEATS, Floats, Row, at_most, clock, faster, soft_labels
from labelief.feature_selection import weighted_laplacian_score


def definition(X: Floats, P: Floats) -> Floats:
    """Score by doquire2012 eq. 3-5, with n × n matrices."""
    S = P @ P.T
    forms = []
    for weights in (S, 1.0 - S):
        laplacian = np.diag(weights.sum(axis=1)) - weights
        forms.append((X * (laplacian @ X)).sum(axis=0))
    alike, unlike = forms
    return np.asarray(alike / unlike)


def rows(scale: float) -> Iterator[Row]:
    rng = np.random.default_rng(0)
    n, d, K = int(1_000_000 * scale), 100, 5
    X = rng.normal(size=(n, d))
    codes = rng.integers(K, size=n)
    P = soft_labels(codes, K, 0)
    for name, y in (("probabilities", P), ("crisp labels", codes)):
        ours = clock(partial(weighted_laplacian_score, X, y))
        read = clock(X.sum)
        ours(), read()
        passes = []
        for _ in range(2 * REPEATS):
            gc.collect()
            passes.append(ours() / read())
        work = f"WLS, {name}, {n} x {d}, K={K}, in read passes"
        yield at_most(work, "X.sum()", statistics.median(passes), 4.0, "passes")
    n = int(5_000 * scale)
    X, P = rng.normal(size=(n, d)), rng.dirichlet(np.ones(K), n)
    np.testing.assert_allclose(weighted_laplacian_score(X, P), definition(X, P), rtol=1e-8)
    yield faster(
        f"WLS, probabilities, {n} x {d}, K={K}",
        "definition, n x n matrices",
        clock(lambda: weighted_laplacian_score(X, P), number=20),
        clock(lambda: definition(X, P)),
        200.0,
    )
