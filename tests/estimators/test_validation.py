from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from labelief import LinearDiscriminantAnalysis, LogisticRegression, SoftLabels
from labelief.blocks import Dense, Indicator, Symbols
from labelief.estimators import validation
from labelief.labels import read_target

X = np.random.default_rng(0).normal(size=(6, 2))
Y = np.array([0, 1, 2, 0, 1, 2])


def test_rows_of_numbers_are_not_copied():
    model = LinearDiscriminantAnalysis()
    for rows in (X, np.asfortranarray(X), X.astype(np.float32), (X * 9).astype(int), X > 0):
        assert validation.read_rows(model, rows, reset=True) is rows
    assert model.n_features_in_ == 2


def test_lists_and_objects_become_numbers():
    model = LinearDiscriminantAnalysis()
    assert validation.read_rows(model, X.tolist(), reset=True).dtype == np.float64
    assert validation.read_rows(model, X.astype(object), reset=True).dtype == np.float64
    with pytest.raises(ValueError, match=r"could not convert|not compatible"):
        validation.read_rows(model, [["a", "b"]], reset=True)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (X[0], "1D array"),
        (X[None], "dim 3"),
        (X[:0], "0 sample"),
        (X[:, :0], "0 feature"),
        (X * 1j, "Complex"),
    ],
)
def test_rows_of_other_shapes_are_refused(rows, message):
    with pytest.raises(ValueError, match=message):
        LinearDiscriminantAnalysis().fit(rows, Y[: len(rows)])


def test_features_must_be_as_many_as_at_fit(xp):
    model = LinearDiscriminantAnalysis().fit(xp.asarray(X), Y)
    with pytest.raises(
        ValueError, match="3 features, but LinearDiscriminantAnalysis is expecting 2"
    ):
        model.predict(xp.asarray(np.ones((4, 3))))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_numbers_that_are_none_are_refused_in_every_library(bad, xp):
    rows = X.copy()
    rows[3, 1] = bad
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        LinearDiscriminantAnalysis().fit(xp.asarray(rows), Y)


def test_the_first_number_that_is_none_is_named(monkeypatch):
    monkeypatch.setattr(validation, "_CHECKED_ROWS", 2)
    rows = X.copy()
    rows[5, 0], rows[4, 1] = np.nan, -np.inf
    with pytest.raises(ValueError, match="contains infinity: the first stands in row 4, column 1"):
        validation.read_rows(LinearDiscriminantAnalysis(), rows, reset=True)
    sparse = csr_array(np.array([[0.0, 1.0], [np.nan, 0.0]]))
    with pytest.raises(ValueError, match="contains NaN: the first stands in entry 1"):
        validation.read_rows(LogisticRegression(), sparse, reset=True, sparse=True)


def test_numbers_whose_sum_overflows_are_finite():
    rows = np.full((4, 2), 1.7e308)
    assert validation.read_rows(LinearDiscriminantAnalysis(), rows, reset=True) is rows


def test_empty_rows_are_refused_in_every_library(xp):
    with pytest.raises(ValueError, match=r"rows|sample"):
        LinearDiscriminantAnalysis().fit(xp.asarray(X[:0]), Y[:0])


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, 1, -1, 1, 1, 1], "row 2 is negative"),
        (np.zeros(6), r"nothing to learn|non-zero"),
        ([1, 1, np.nan, 1, 1, 1], "NaN"),
        (np.ones(5), r"shape"),
        (np.ones((6, 2)), "1D"),
    ],
)
def test_bad_weights_are_refused(weights, message):
    with pytest.raises(ValueError, match=message):
        LinearDiscriminantAnalysis().fit(X, Y, weights)


def test_weights_may_be_numbers_or_other_arrays(xp):
    weights = np.array([1.0, 2, 1, 2, 1, 2])
    got = validation.read_weights(xp.asarray(weights), X)
    np.testing.assert_array_equal(got, weights)
    np.testing.assert_array_equal(validation.read_weights(2.0, X), np.full(6, 2.0))
    assert validation.read_weights(None, X) is None


def test_labels_become_the_smallest_evidence():
    crisp = validation.evidence_of(read_target([0, None, 1]))
    assert isinstance(crisp, Symbols)
    np.testing.assert_array_equal(crisp.codes, [0, 2, 1])
    assert crisp.codes.dtype == np.int8
    verified = SoftLabels.from_crisp([0, None, 1]).with_verified([True, True, False])
    np.testing.assert_array_equal(validation.evidence_of(read_target(verified)).codes, [3, 5, 1])
    many = validation.evidence_of(read_target([0, 99], classes=range(100)))
    assert many.codes.dtype == np.int16
    np.testing.assert_array_equal(many.codes, [0, 99])
    most = read_target(SoftLabels.from_crisp([127], range(128)).with_verified([True]))
    np.testing.assert_array_equal(validation.evidence_of(most).codes, [127 + 129])
    soft = read_target(np.array([[1.0, 0.5], [0.2, 1.0]]))
    evidence = validation.evidence_of(soft)
    assert isinstance(evidence, Dense)
    assert evidence.plausibilities is soft.plausibilities
    assert not isinstance(evidence, Indicator)


@pytest.mark.parametrize("bad", [True, "1", None, 1.0, 0, -1])
def test_counts(bad):
    if bad is not True:
        with pytest.raises(ValueError, match="max_iter must be an integer"):
            validation.check_count("max_iter", bad)
    validation.check_count("max_iter", np.int32(3))


@pytest.mark.parametrize("bad", ["1", None, -1e-9, np.nan, np.inf])
def test_amounts(bad):
    with pytest.raises(ValueError, match="tol must be a number"):
        validation.check_amount("tol", bad)
    validation.check_amount("tol", np.float32(0.5))
    validation.check_amount("tol", 0)


def test_starts_are_scaled_to_rows_of_one():
    R = np.array([[1.0, 3.0], [0.0, 2.0]])
    np.testing.assert_allclose(
        validation.read_responsibilities(R, 2, 2), [[0.25, 0.75], [0.0, 1.0]]
    )
    assert validation.read_responsibilities(None, 2, 2) is None


@pytest.mark.parametrize("gaps", [True, False])
def test_rows_that_may_miss_features_tell_whether_they_do(gaps, xp, monkeypatch):
    monkeypatch.setattr(validation, "_CHECKED_ROWS", 2)
    rows = X.copy()
    if gaps:
        rows[3, 1] = np.nan
    model = LinearDiscriminantAnalysis()
    there = xp.asarray(rows)
    got, found = validation.read_gappy_rows(model, there, reset=True, missing=True)
    assert got is there
    assert found is gaps
    rows[5, 0] = np.inf
    message = r"infinity: the first stands in row 5, column 0.*NaN for what is missing"
    with pytest.raises(ValueError, match=message):
        validation.read_gappy_rows(model, xp.asarray(rows), reset=True, missing=True)


def test_whole_numbers_miss_nothing(xp):
    rows = xp.asarray(np.arange(6).reshape(3, 2))
    model = LinearDiscriminantAnalysis()
    assert validation.read_gappy_rows(model, rows, reset=True, missing=True)[1] is False
