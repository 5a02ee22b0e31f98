"""SoftStratifiedKFold: a partition, balanced in every stratum, whole groups."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import StratifiedGroupKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB

from labelief.labels import SoftLabels
from labelief.model_selection import SoftStratifiedKFold


def _fold_of_rows(splitter, y, groups=None):
    n = len(y)
    fold = np.full(n, -1)
    for number, (train, test) in enumerate(splitter.split(np.zeros((n, 1)), y, groups)):
        assert np.array_equal(np.sort(np.concatenate([train, test])), np.arange(n))
        assert np.all(np.diff(train) > 0) and np.all(np.diff(test) > 0)
        assert np.all(fold[test] == -1)
        fold[test] = number
    assert np.all(fold >= 0)
    return fold


def _table(fold, strata, n_splits):
    table = np.zeros((n_splits, len(np.unique(strata))), dtype=int)
    np.add.at(table, (fold, np.unique(strata, return_inverse=True)[1]), 1)
    return table


@given(
    st.integers(0, 10_000), st.integers(2, 7), st.integers(7, 60), st.integers(1, 9), st.booleans()
)
def test_balanced_to_one_row_in_every_stratum_and_in_size(seed, n_splits, n, K, shuffle):
    rng = np.random.default_rng(seed)
    codes = rng.choice(K, n, p=rng.dirichlet(np.full(K, 0.5)))
    y = np.array([*"abcdefghi"], dtype=object)[codes]
    y[codes == 0] = None
    folds = SoftStratifiedKFold(n_splits, shuffle=shuffle, random_state=seed if shuffle else None)
    table = _table(_fold_of_rows(folds, y), codes, n_splits)
    assert np.all(np.ptp(table, axis=0) <= 1)
    assert np.ptp(table.sum(axis=1)) <= 1


@given(st.integers(0, 10_000), st.integers(2, 4), st.integers(4, 20))
def test_groups_stay_whole(seed, n_splits, n_groups):
    rng = np.random.default_rng(seed)
    groups = np.concatenate([np.arange(n_groups), rng.integers(0, n_groups, 40)])
    y = rng.integers(0, 3, groups.size)
    folds = SoftStratifiedKFold(n_splits, random_state=seed)
    fold = _fold_of_rows(folds, y, np.array([f"patient {g}" for g in groups]))
    for g in range(n_groups):
        assert len(set(fold[groups == g])) == 1
    assert set(fold) == set(range(n_splits))


def test_groups_are_balanced_as_well_as_by_scikit_learn():
    rng = np.random.default_rng(0)
    ours, theirs = [], []
    for seed in range(30):
        groups = rng.integers(0, 60, 300)
        y = (rng.uniform(size=60) < 0.3).astype(int)[groups] + (rng.uniform(size=300) < 0.3)
        for spread, folds in (
            (ours, SoftStratifiedKFold(5, random_state=seed)),
            (theirs, StratifiedGroupKFold(5, shuffle=True, random_state=seed)),
        ):
            table = _table(_fold_of_rows(folds, y, groups), y, 5)
            spread.append(np.mean(table.std(axis=0) / table.mean(axis=0)))
    assert np.mean(ours) <= 1.05 * np.mean(theirs)


def test_single_rows_fill_what_large_groups_leave_open():
    # one group of 4 rows of class 0, 8 single rows of class 0, 4 single rows of class 1
    groups = np.concatenate([np.zeros(4), np.arange(1, 13)])
    y = np.repeat([0, 1], [12, 4])
    fold = _fold_of_rows(SoftStratifiedKFold(3, random_state=1), y, groups)
    table = _table(fold, y, 3)
    assert table[:, 0].tolist() == [4, 4, 4]
    assert sorted(table[:, 1]) == [1, 1, 2]


def test_random_state():
    y = np.repeat([0, 1], 20)
    one, two, same = (
        _fold_of_rows(SoftStratifiedKFold(4, random_state=seed), y) for seed in (0, 1, 0)
    )
    assert np.array_equal(one, same)
    assert not np.array_equal(one, two)
    ordered = _fold_of_rows(SoftStratifiedKFold(4, shuffle=False), y)
    assert np.array_equal(ordered, np.tile(np.repeat(np.arange(4), 5), 2))


def test_soft_labels_and_their_contour_split_alike():
    labels = SoftLabels.from_confidences(np.repeat(["b", "a", None], 10), 0.8)
    folds = SoftStratifiedKFold(5, random_state=0)
    assert np.array_equal(
        _fold_of_rows(folds, labels),
        _fold_of_rows(folds, labels.plausibilities),
    )


def test_inside_scikit_learn():
    X, y = load_iris(return_X_y=True)
    folds = SoftStratifiedKFold(5, random_state=0)
    assert folds.get_n_splits() == 5
    assert repr(folds) == "SoftStratifiedKFold(n_splits=5, random_state=0, shuffle=True)"
    assert cross_val_score(GaussianNB(), X, y, cv=folds).mean() > 0.9
    groups = np.arange(150) // 3
    assert len(cross_val_score(GaussianNB(), X, y, cv=folds, groups=groups)) == 5
    assert clone(folds, safe=False) is not folds


@pytest.mark.parametrize("n_splits", [1, 0, 2.5, "5", None])
def test_number_of_folds(n_splits):
    with pytest.raises(ValueError, match="n_splits"):
        SoftStratifiedKFold(n_splits)


@pytest.mark.parametrize(
    ("y", "groups", "message"),
    [
        (None, None, "y is None"),
        ([0, 1, 0], None, "only 3 rows"),
        ([0] * 6, [0, 0, 1, 1, 2, 2], "only 3 groups"),
        ([0] * 6, [0, 1, 2], "inconsistent"),
        ([0] * 6, [[0]] * 6, "one dimension"),
    ],
)
def test_refusals(y, groups, message):
    X = np.zeros((6 if y is None else len(y), 1))
    with pytest.raises(ValueError, match=message):
        list(SoftStratifiedKFold(4).split(X, y, groups))
