from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array, csr_matrix
from tests.feature_selection import oracle

from labelief import SoftLabels, Votes
from labelief.feature_selection import weighted_laplacian_score
from labelief.kernels.namespace import to_host
from labelief.simulation import (
    confuse_labels,
    make_circle,
    make_spheres,
    make_squares,
)

RNG = np.random.default_rng(0)
N, D, K = 60, 5, 3
X = RNG.normal(size=(N, D)) * [1, 10, 1, 1e-3, 1] + [0, 0, 5, 0, 1]
X[:, 4] *= RNG.random(N) < 0.3
P = RNG.dirichlet(np.ones(K), N)
CODES = RNG.integers(K, size=N)
MISSING = [None if i % 4 == 0 else int(c) for i, c in enumerate(CODES)]

LABELS = {
    "probabilities": (SoftLabels.from_probabilities(P), P),
    "array": (7.0 * P, P),
    "float32": (P.astype(np.float32), P),
    "frame": (pd.DataFrame(P), P),
    "crisp": (CODES, np.eye(K)[CODES]),
    "soft crisp": (SoftLabels.from_crisp(CODES).with_verified(CODES == 1), np.eye(K)[CODES]),
    "missing": (
        MISSING,
        np.array([np.full(K, 1 / K) if c is None else np.eye(K)[c] for c in MISSING]),
    ),
    "plausibilities": (
        SoftLabels.from_plausibilities(P),
        SoftLabels.from_plausibilities(P).pignistic,
    ),
}


@pytest.mark.parametrize("kind", LABELS)
@pytest.mark.parametrize("rows", ["C", "F", "csr_array", "csr_matrix"])
def test_it_is_the_definition_with_n_by_n_matrices(kind, rows):
    y, shares = LABELS[kind]
    made = {"csr_array": csr_array, "csr_matrix": csr_matrix}.get(rows)
    stored = np.asarray(X, order=rows) if made is None else made(X)
    expected = oracle.weighted_laplacian(X, shares)
    tolerance = 1e-6 if kind == "float32" else 1e-10
    np.testing.assert_allclose(weighted_laplacian_score(stored, y), expected, rtol=tolerance)


def test_many_blocks():
    X, y = RNG.normal(size=(3000, 7)), RNG.integers(4, size=3000)
    expected = oracle.weighted_laplacian(X, np.eye(4)[y])
    np.testing.assert_allclose(weighted_laplacian_score(X, y), expected, rtol=1e-10)
    np.testing.assert_allclose(weighted_laplacian_score(csr_array(X), y), expected, rtol=1e-10)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize(
    ("shift", "scale", "tolerance"),
    [(0, -3.0, 1e-12), (1e8, 1.0, 1e-6), (0, 1e-200, 1e-12), (0, 1e200, 1e-12), (-5, 1e-7, 1e-6)],
)
def test_a_feature_may_be_shifted_and_scaled(shift, scale, tolerance, sparse):
    changed = X * scale + shift
    stored = csr_array(changed) if sparse else changed
    expected = weighted_laplacian_score(X, P)
    # what is left of the feature of spread 1e-3, beside a shift of 1e8, is rounding
    kept = [0, 1, 2, 4]
    got = weighted_laplacian_score(stored, P)
    np.testing.assert_allclose(got[kept], expected[kept], rtol=tolerance)


@pytest.mark.parametrize("value", [0.0, 0.1, -1e300, 1e-300])
@pytest.mark.parametrize("sparse", [False, True])
def test_a_constant_feature_is_last(value, sparse):
    stored = np.column_stack([np.full(N, value), X])
    scores = weighted_laplacian_score(csr_array(stored) if sparse else stored, P)
    assert scores[0] == np.inf
    assert np.all(np.isfinite(scores[1:]))


def test_weights_are_repetitions_and_rows_of_weight_0_are_absent():
    counts = RNG.integers(0, 4, N)
    again = np.repeat(np.arange(N), counts)
    expected = weighted_laplacian_score(X[again], P[again])
    for stored in (X, csr_array(X)):
        got = weighted_laplacian_score(stored, P, sample_weight=counts)
        np.testing.assert_allclose(got, expected, rtol=1e-10)


def test_a_feature_that_is_the_class_scores_0():
    X = np.column_stack([CODES, RNG.normal(size=N)])
    assert weighted_laplacian_score(X, CODES)[0] == pytest.approx(0.0, abs=1e-14)


def test_other_array_libraries(xp):
    got = weighted_laplacian_score(xp.asarray(X), P)
    np.testing.assert_allclose(to_host(got), weighted_laplacian_score(X, P), rtol=1e-10)
    whole = (10 * X).astype(np.int64)
    got = weighted_laplacian_score(xp.asarray(whole), CODES)
    np.testing.assert_allclose(got, weighted_laplacian_score(whole, CODES), rtol=1e-10)


def test_what_cannot_be_scored_is_refused():
    bad = X.copy()
    bad[17, 2] = np.nan
    for stored in (bad, csr_array(bad)):
        with pytest.raises(ValueError, match="NaN"):
            weighted_laplacian_score(stored, P)
    bad[17, 2] = np.inf
    with pytest.raises(ValueError, match="row 17, column 2"):
        weighted_laplacian_score(bad, P)
    mixed = np.random.default_rng(0).normal(size=(4000, 2))
    mixed[3, 1] = 1e200
    with pytest.raises(ValueError, match=r"Column 1 .* too large"):
        weighted_laplacian_score(mixed, np.arange(4000) % 2)
    with pytest.raises(ValueError, match="same class"):
        weighted_laplacian_score(X, np.zeros(N))
    with pytest.raises(ValueError, match="60 rows and y has 59"):
        weighted_laplacian_score(X, SoftLabels.from_probabilities(P[:59]))


def test_votes_are_shares():
    item = np.repeat(np.arange(N), 3)
    said = np.random.default_rng(0).integers(2, size=3 * N)
    votes = Votes({"i": item, "a": np.tile([0, 1, 2], N), "l": said}, "i", "a", "l")
    shares = np.stack([1.0 - said.reshape(N, 3).mean(axis=1), said.reshape(N, 3).mean(axis=1)], 1)
    np.testing.assert_allclose(
        weighted_laplacian_score(X, votes), weighted_laplacian_score(X, shares)
    )


# ------------------------------------------------------- doquire2012, Tables 1-3

# problem, number of relevant features, mean doubt: percentages for WLS, y max, y error
TABLES = [
    (make_spheres, 3, 0.30, (100.0, 99.33, 96.67)),
    (make_spheres, 3, 0.35, (98.0, 93.33, 92.0)),
    (make_spheres, 3, 0.40, (97.33, 90.0, 88.67)),
    (make_spheres, 3, 0.45, (91.33, 80.0, 80.0)),
    (make_squares, 2, 0.35, (100.0, 98.0, 96.0)),
    (make_squares, 2, 0.40, (99.0, 94.0, 96.0)),
    (make_squares, 2, 0.45, (99.0, 93.0, 90.0)),
    (make_squares, 2, 0.50, (96.0, 81.0, 78.0)),
    (make_circle, 2, 0.25, (100.0, 100.0, 92.0)),
    (make_circle, 2, 0.30, (97.0, 97.0, 87.0)),
    (make_circle, 2, 0.35, (89.0, 85.0, 74.0)),
    (make_circle, 2, 0.40, (80.0, 72.0, 64.0)),
]


def rates(make, relevant, mean, repeats):
    """Shares of relevant features among as many best ones, (repeats, 3)."""
    out = np.empty((repeats, 3))
    for i in range(repeats):
        rng = np.random.default_rng(i)
        X, y = make(random_state=rng)
        labels = confuse_labels(y, mean, random_state=rng)
        most_probable = labels.soft.pignistic.argmax(axis=1)
        for j, seen in enumerate((labels.soft, most_probable, labels.observed)):
            best = np.argsort(weighted_laplacian_score(X, seen))[:relevant]
            out[i, j] = np.mean(best < relevant)
    return out


@pytest.mark.slow
@pytest.mark.parametrize(("make", "relevant", "mean", "printed"), TABLES)
def test_relevant_features_are_found_at_the_rates_of_the_tables(make, relevant, mean, printed):
    found = rates(make, relevant, mean, 400)
    # theirs is a mean of 50; a rate near 1 has little spread of its own in 50 draws
    error = np.sqrt(np.maximum(found.var(axis=0), 0.01 / relevant) * (1 / 50 + 1 / 400))
    assert np.all(np.abs(found.mean(axis=0) - np.array(printed) / 100) < 3.0 * error)
    assert found[:, 0].mean() > found[:, 1:].mean(axis=0).max() - 0.01


def test_doubt_known_finds_more_features_than_labels_taken_at_their_word():
    found = rates(make_spheres, 3, 0.45, 30).mean(axis=0)
    assert 0.85 < found[0] < 0.98
    assert found[0] > found[2] + 0.05
