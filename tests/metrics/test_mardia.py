"""Mardia's test: the double sum, the published tables, memory, and what cannot be tested."""

from __future__ import annotations

import csv
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from labelief.metrics import mardia_test
from labelief.metrics.mardia import _skewness_by_moments, _skewness_by_products, _whiten

# quost2017, Tables 2 and 3: skewness, chi-squared, p, kurtosis, z, p.  The printed z of vowel
# class 6 is -0.588 (p 0.556); -0.585 (0.559) is what the formula gives, so that row says so.  Far
# in the tail a p-value moves 4 % when its statistic moves 0.1: printed skewness p-values of classes
# 1, 5, 6 and 8 stand for 688.32, 664.61, 707.44, 539.42, the public copy has 688.45, 664.63,
# 707.52, 539.43 (all tails checked against the exact Poisson sum).
VOWEL = [
    (45.9, 688, 1.11e-49, 116, -1.153, 2.49e-1),
    (42.0, 631, 2.70e-41, 110, -3.182, 1.46e-3),
    (46.0, 690, 6.06e-50, 113, -2.103, 3.55e-2),
    (42.5, 638, 2.30e-42, 109, -3.267, 1.09e-3),
    (44.3, 665, 3.48e-46, 114, -1.979, 4.78e-2),
    (47.2, 707, 1.53e-52, 118, -0.585, 5.59e-1),
    (44.0, 660, 1.65e-45, 109, -3.517, 4.36e-4),
    (36.0, 539, 7.91e-29, 108, -3.608, 3.09e-4),
    (29.1, 437, 1.76e-16, 109, -3.256, 1.13e-3),
    (44.4, 666, 2.52e-46, 113, -2.296, 2.17e-2),
    (36.8, 552, 1.89e-30, 115, -1.529, 1.26e-1),
]
SATIMAGE = [
    (344, 87861, 0, 2032, 248.4, 0),
    (227, 26561, 0, 1644, 69.9, 0),
    (363, 82257, 0, 2020, 229.5, 0),
    (321, 33475, 0, 1769, 96.0, 0),
    (181, 21357, 0, 1613, 62.4, 0),
    (210, 52795, 0, 1774, 150.5, 0),
]


def _table(path, n_features, class_order):
    with path.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    labels = np.array([row["label"] for row in rows])
    X = np.array([[float(row[f"f{j + 1}"]) for j in range(n_features)] for row in rows])
    assert set(class_order) == set(labels)
    return [X[labels == k] for k in class_order]


def _double_sum(X):
    centred = X - X.mean(axis=0)
    S = centred.T @ centred / len(X)
    products = centred @ np.linalg.solve(S, centred.T)
    return np.mean(products**3), np.mean(np.diag(products) ** 2)


@pytest.mark.parametrize("shape", [(5, 1), (7, 4), (60, 3), (12, 11), (40, 30), (900, 4)])
def test_equals_the_double_sum(shape):
    rng = np.random.default_rng(sum(shape))
    X = rng.exponential(size=shape) @ (np.eye(shape[1]) + rng.normal(size=(shape[1],) * 2) / 5)
    n, d = shape
    result = mardia_test(X)
    skewness, kurtosis = _double_sum(X)
    assert result.skewness == pytest.approx(skewness, rel=1e-9)
    assert result.kurtosis == pytest.approx(kurtosis, rel=1e-9)
    assert result.skewness_statistic == pytest.approx(n * skewness / 6, rel=1e-9)
    z = (kurtosis - d * (d + 2)) / np.sqrt(8 * d * (d + 2) / n)
    assert result.kurtosis_statistic == pytest.approx(z, rel=1e-8, abs=1e-12)
    assert result.kurtosis_pvalue == pytest.approx(2 * stats.norm.cdf(-abs(z)), rel=1e-7)
    freedom = d * (d + 1) * (d + 2) // 6
    assert result.skewness_pvalue == pytest.approx(
        stats.chi2(freedom).sf(n * skewness / 6), rel=1e-6
    )


def test_both_routes_agree_over_several_blocks():
    Z = _whiten(np.random.default_rng(0).gamma(1.0, size=(2000, 70)))
    assert _skewness_by_moments(Z) == pytest.approx(_skewness_by_products(Z), rel=1e-11)


def test_one_feature_is_squared_skewness_and_plain_kurtosis():
    x = np.random.default_rng(1).exponential(size=300)
    result = mardia_test(x)
    assert result.skewness == pytest.approx(stats.skew(x) ** 2)
    assert result.kurtosis == pytest.approx(stats.kurtosis(x, fisher=False))


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 5), st.integers(0, 30))
def test_affine_changes_and_row_order_change_nothing(seed, d, extra):
    rng = np.random.default_rng(seed)
    X = rng.exponential(size=(d + 2 + extra, d))
    A = np.linalg.qr(rng.normal(size=(d, d)))[0] * 10.0 ** rng.uniform(-3, 3, size=d)
    other = mardia_test(rng.permutation(X @ A + rng.normal(size=d)))
    result = mardia_test(X)
    assert other.skewness == pytest.approx(result.skewness, rel=1e-7, abs=1e-9)
    assert other.kurtosis == pytest.approx(result.kurtosis, rel=1e-7)


@pytest.mark.parametrize(
    ("data", "n_features", "published"), [("vowel.csv", 10, VOWEL), ("satimage.csv", 36, SATIMAGE)]
)
def test_published_tables(data_file, data, n_features, published):
    vowels = ["hid", "hId", "hEd", "hAd", "hYd", "had", "hOd", "hod", "hUd", "hud", "hed"]
    soils = ["red soil", "cotton crop", "grey soil", "damp grey soil", "vegetation stubble"]
    order = vowels if data == "vowel.csv" else [*soils, "very damp grey soil"]
    digits = 3 if data == "vowel.csv" else 1
    for rows, printed in zip(_table(data_file(data), n_features, order), published, strict=True):
        result = mardia_test(rows)
        assert result.skewness == pytest.approx(printed[0], abs=0.051 if digits == 3 else 0.51)
        assert result.skewness_statistic == pytest.approx(printed[1], abs=0.53)
        assert result.skewness_pvalue == pytest.approx(printed[2], rel=0.05, abs=1e-300)
        assert result.kurtosis == pytest.approx(printed[3], abs=0.51)
        assert result.kurtosis_statistic == pytest.approx(printed[4], abs=0.51 * 10.0**-digits)
        assert result.kurtosis_pvalue == pytest.approx(printed[5], rel=0.006, abs=1e-300)


@pytest.mark.parametrize("shape", [(20_000, 5), (3_000, 80)])
def test_memory_stays_near_the_size_of_the_data(shape):
    X = np.random.default_rng(2).normal(size=shape)
    mardia_test(X[:200, :3])
    tracemalloc.start()
    mardia_test(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 6 * X.nbytes + 5e6  # an n x n matrix would take 3.2 GB and 72 MB


def test_gaussian_rows_keep_the_stated_level():
    rng = np.random.default_rng(3)
    results = [mardia_test(rng.normal(size=(400, 4))) for _ in range(200)]
    for name in ("skewness_pvalue", "kurtosis_pvalue"):
        rejected = np.mean([getattr(result, name) < 0.05 for result in results])
        assert 0.01 < rejected < 0.10


def test_extreme_units():
    X = np.random.default_rng(4).exponential(size=(50, 2))
    plain, extreme = mardia_test(X), mardia_test(X * [1e150, 1e-150])
    assert extreme.skewness == pytest.approx(plain.skewness)
    assert extreme.kurtosis == pytest.approx(plain.kurtosis)
    largest = mardia_test(X / X.max() * np.array([1.7e308, -1.7e308]))
    assert largest.skewness == pytest.approx(plain.skewness)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.eye(3), "more rows than features"),
        (np.zeros((0, 2)), "more rows than features"),
        (np.zeros((4, 0)), "no feature"),
        (np.zeros((2, 2, 2)), "two dimensions"),
        (np.c_[np.arange(5.0), np.full(5, 0.1)], "constant in column 1"),
        (np.c_[np.arange(5.0), 3 * np.arange(5.0) + 1], "singular"),
        (np.array([[1.0, 2], [3, 4], [5, np.nan], [7, 9]]), "row 2, column 1"),
        (np.array([[1.0, 2], [np.inf, 4], [5, 3], [7, 9]]), "row 1, column 0"),
    ],
)
def test_what_cannot_be_tested_is_refused(X, message):
    with pytest.raises(ValueError, match=message):
        mardia_test(X)


def test_input_is_left_alone_and_other_types_are_taken():
    X = np.random.default_rng(5).integers(0, 50, size=(60, 3))
    before = X.copy()
    result = mardia_test(X)
    assert np.array_equal(X, before)
    assert mardia_test(np.asfortranarray(X).tolist()) == result
