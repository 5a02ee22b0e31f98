"""Each form of label against loops over rows, classes and symbols."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from labelief.blocks import Dense, Indicator, Symbols
from labelief.blocks.evidence import Likelihoods
from labelief.kernels.namespace import to_host

K = 3
RNG = np.random.default_rng(0)
MATRIX = RNG.dirichlet(np.ones(K), K)
UNKNOWN = K


def table(matrix):
    """Log likelihoods of the K classes, unknown, the K classes verified, unknown verified."""
    with np.errstate(divide="ignore"):
        return np.log(np.hstack([matrix, np.ones((K, 1)), np.eye(K), np.ones((K, 1))]))


TRUSTED = Likelihoods(None, table(np.eye(K)))
FLIPPED = Likelihoods(MATRIX, table(MATRIX))

CODES = np.array([0, 1, 2, UNKNOWN, 4, 5, 6, 7, 0, 2])
PL = np.array(
    [
        [1.0, 0.0, 0.0],
        [0.2, 1.0, 0.4],
        [0.3, 0.3, 0.3],
        [0.5, 0.0, 2.0],
        [0.0, 1.0, 0.0],
        [1.0, 0.9, 0.1],
        [0.7, 0.7, 0.7],
    ]
)
VERIFIED = np.array([False, False, False, False, True, True, True])
ZETA = RNG.dirichlet(np.ones(K), len(CODES))


def log(values):
    with np.errstate(divide="ignore"):
        return np.log(values)


def through(matrix, pl, verified):
    out = np.empty_like(pl)
    for i, row in enumerate(pl):
        for k in range(K):
            flipped = sum(row[j] * matrix[k, j] for j in range(K))
            out[i, k] = row[k] if verified[i] else flipped
    return out


def expected_counts(matrix, pl, verified, zeta):
    counts = np.zeros((K, K))
    for i, row in enumerate(pl):
        if verified[i] or row.max() == row.min():
            continue
        for k in range(K):
            likelihood = np.sum(row * matrix[k])
            # A class that the label excludes has no share in it.
            if likelihood > 0:
                counts[k] += zeta[i, k] * row * matrix[k] / likelihood
    return counts


def moved(evidence, xp, likelihoods):
    matrix = None if likelihoods.matrix is None else xp.asarray(likelihoods.matrix)
    there = Likelihoods(matrix, xp.asarray(likelihoods.log_table))
    return evidence.moved(lambda array: xp.asarray(np.ascontiguousarray(array))), there


# ------------------------------------------------------------------------------- crisp labels


def symbols_as_plausibilities():
    pl = np.ones((len(CODES), K))
    verified = CODES > UNKNOWN
    for i, code in enumerate(CODES):
        if code % (K + 1) != K:
            pl[i] = np.eye(K)[code % (K + 1)]
    return pl, verified


@pytest.mark.parametrize("likelihoods", [TRUSTED, FLIPPED], ids=["trusted", "flipped"])
def test_codes_say_what_their_plausibilities_say(xp, likelihoods):
    pl, verified = symbols_as_plausibilities()
    matrix = np.eye(K) if likelihoods.matrix is None else MATRIX
    evidence, there = moved(Symbols(CODES, K), xp, likelihoods)
    got = to_host(evidence.log_weights(there))
    np.testing.assert_allclose(got, log(through(matrix, pl, verified)), rtol=1e-13, atol=1e-15)
    counts = to_host(evidence.counts(xp.asarray(ZETA), there))
    expected = expected_counts(MATRIX, pl, verified, ZETA)
    np.testing.assert_allclose(counts, expected, rtol=1e-13)


def test_codes_tell_all_or_nothing():
    got = Symbols(CODES, K).told(TRUSTED)
    pl, _ = symbols_as_plausibilities()
    unknown = pl.min(axis=1) == 1.0
    np.testing.assert_array_equal(got, np.where(unknown[:, None], 0.0, pl))


def test_many_classes_in_few_bytes():
    codes = np.array([0, 59, 60, 61, 120, 121], dtype=np.int8)
    evidence = Symbols(codes, 60)
    eye = np.eye(60)
    full_table = log(np.hstack([eye, np.ones((60, 1)), eye, np.ones((60, 1))]))
    got = np.exp(evidence.log_weights(Likelihoods(None, full_table)))
    classes = [0, 59, None, 0, 59, None]
    for row, k in zip(got, classes, strict=True):
        np.testing.assert_array_equal(row, np.ones(60) if k is None else eye[k])
    counts = evidence.counts(np.tile(np.arange(60.0), (6, 1)), Likelihoods(None, full_table))
    expected = np.zeros((60, 60))
    expected[:, 0] = expected[:, 59] = np.arange(60.0)
    np.testing.assert_array_equal(counts, expected)


# -------------------------------------------------------------------------------- soft labels


@pytest.mark.parametrize("verified", [None, VERIFIED], ids=["none verified", "some verified"])
@pytest.mark.parametrize("likelihoods", [TRUSTED, FLIPPED], ids=["trusted", "flipped"])
def test_soft_labels_by_loops(xp, likelihoods, verified):
    mask = np.zeros(len(PL), dtype=bool) if verified is None else verified
    matrix = np.eye(K) if likelihoods.matrix is None else MATRIX
    zeta = ZETA[: len(PL)] * (PL > 0)
    evidence, there = moved(Dense(PL, verified), xp, likelihoods)
    got = to_host(evidence.log_weights(there))
    np.testing.assert_allclose(got, log(through(matrix, PL, mask)), rtol=1e-13, atol=1e-15)
    if likelihoods.matrix is not None:
        counts = to_host(evidence.counts(xp.asarray(zeta), there))
        np.testing.assert_allclose(counts, expected_counts(matrix, PL, mask, zeta), rtol=1e-13)


def test_trusted_counts_follow_the_responsibilities():
    pl, zeta = (
        PL[[0, 1, 2, 3]],
        np.array([[1, 0, 0], [0.1, 0.6, 0.3], [0, 0.5, 0.5], [0.5, 0, 0.5]]),
    )
    got = Dense(pl).counts(zeta, TRUSTED)
    np.testing.assert_allclose(got, np.diag(zeta[[0, 1, 3]].sum(axis=0)), rtol=1e-14)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, np.bool_])
def test_plausibilities_of_any_type(dtype):
    pl = (PL > 0.5).astype(dtype)
    got = Dense(pl).log_weights(FLIPPED)
    assert got.dtype == np.float64
    np.testing.assert_allclose(got, Dense(pl.astype(float)).log_weights(FLIPPED), rtol=1e-14)
    counts = Dense(pl).counts(ZETA[: len(pl)], FLIPPED)
    np.testing.assert_allclose(counts, Dense(pl.astype(float)).counts(ZETA[: len(pl)], FLIPPED))


def test_told_shares_a_row_unless_its_label_says_nothing():
    got = Dense(PL).told(TRUSTED)
    np.testing.assert_array_equal(got[0], [1, 0, 0])
    np.testing.assert_array_equal(got[2], [0, 0, 0])
    p = PL[1] / PL[1].sum()
    np.testing.assert_allclose(got[1], p, rtol=1e-13)


def test_crisp_codes_and_crisp_plausibilities_agree():
    codes = np.array([0, 2, 1, 1])
    soft, crisp = Dense(np.eye(K)[codes]), Symbols(codes, K)
    for likelihoods in (TRUSTED, FLIPPED):
        np.testing.assert_allclose(
            soft.log_weights(likelihoods), crisp.log_weights(likelihoods), rtol=1e-14
        )
        np.testing.assert_allclose(soft.told(likelihoods), crisp.told(likelihoods), rtol=1e-14)
        np.testing.assert_allclose(
            soft.counts(ZETA[:4], FLIPPED), crisp.counts(ZETA[:4], FLIPPED), rtol=1e-13
        )


# -------------------------------------------------------------------------------------- votes


def make_votes():
    # Two annotators with three answers each; row 2 has no vote at all.
    votes = np.zeros((5, 6))
    for row, column in [(0, 0), (0, 4), (1, 1), (3, 2), (3, 5), (4, 3)]:
        votes[row, column] = 1.0
    return votes


def test_votes_by_loops(xp):
    votes = make_votes()
    matrices = RNG.dirichlet(np.ones(3), (2, K))
    likelihoods = Likelihoods(None, log(np.concatenate(matrices, axis=1)))
    here = Indicator(csr_array(votes), np.arange(2), np.arange(3))
    evidence, there = (
        (here, likelihoods) if xp.__name__.endswith("numpy") else moved(here, xp, likelihoods)
    )
    expected = np.zeros((5, K))
    for i, a, s in zip(*np.nonzero(votes.reshape(5, 2, 3)), strict=True):
        expected[i] += np.log(matrices[a, :, s])
    np.testing.assert_allclose(to_host(evidence.log_weights(there)), expected, rtol=1e-13)
    counts = to_host(evidence.counts(xp.asarray(ZETA[:5]), there))
    np.testing.assert_allclose(counts, ZETA[:5].T @ votes, rtol=1e-13)
    told = to_host(evidence.told(there))
    np.testing.assert_allclose(told[2], 0.0, atol=1e-15)
    assert np.all(told[[0, 1, 3, 4]].sum(axis=1) > 0)


# ----------------------------------------------------------------------------------- any form


FORMS = {
    "symbols": Symbols(CODES[:5], K),
    "dense": Dense(PL[:5], VERIFIED[:5]),
    "votes": Indicator(csr_array(make_votes()), np.arange(2), np.arange(3)),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("likelihoods", [TRUSTED, FLIPPED], ids=["trusted", "flipped"])
def test_weights_are_log_weights_where_they_are_safe(form, likelihoods, xp):
    if form == "votes":
        # A product over many annotators would underflow.
        assert FORMS[form].weights(likelihoods) is None
        return
    evidence, there = moved(FORMS[form], xp, likelihoods)
    got = to_host(evidence.weights(there))
    expected = np.exp(to_host(evidence.log_weights(there)))
    np.testing.assert_allclose(got, expected, rtol=1e-13, atol=0)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("index", [slice(1, 4), np.array([3, 0, 0, 4])], ids=["slice", "index"])
def test_rows_are_cut_alike(form, index):
    evidence = FORMS[form]
    likelihoods = FLIPPED
    if form == "votes":
        likelihoods = Likelihoods(None, log(np.hstack([MATRIX, MATRIX])))
    got = evidence.rows(index)
    assert type(got) is type(evidence)
    assert got.form == evidence.form
    np.testing.assert_array_equal(
        got.log_weights(likelihoods), evidence.log_weights(likelihoods)[index]
    )
    whole = evidence.counts(ZETA[:5], likelihoods)
    parts = [
        evidence.rows(part).counts(ZETA[:5][part], likelihoods)
        for part in (slice(0, 2), slice(2, 5))
    ]
    np.testing.assert_allclose(parts[0] + parts[1], whole, rtol=1e-13)
