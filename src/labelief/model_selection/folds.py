"""Cross-validation folds that spread the plausible classes evenly."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.model_selection import BaseCrossValidator
from sklearn.utils import check_random_state, indexable

from labelief._typing import IntArray
from labelief.model_selection.strata import strata

__all__ = ["SoftStratifiedKFold"]


class SoftStratifiedKFold(BaseCrossValidator):
    """K folds with the same share of each most plausible class.

    The stratum of a row is its single most plausible class. Rows without one (unknown labels and
    ties) make a stratum of their own. Within each stratum the folds' counts differ by one at most,
    and so do the folds' sizes. With ``groups``, every group lies in one fold and the strata are
    balanced as far as the groups allow.

    Parameters
    ----------
    n_splits : int
        Number of folds, at least 2.
    shuffle : bool
        Whether rows are dealt out in random order; otherwise in the order given.
    random_state : int, RandomState instance or None
        Source of that order.

    Notes
    -----
    Differs from scikit-learn's `StratifiedKFold` in that ``y`` may hold soft and unknown labels,
    and that classes with fewer rows than folds are neither refused nor warned about: labels of
    that kind always have rare strata.

    Examples
    --------
    >>> import numpy as np
    >>> from labelief.model_selection import SoftStratifiedKFold
    >>> y = np.array([[1.0, 0.2], [1.0, 0.0], [0.3, 1.0], [0.0, 1.0], [1.0, 1.0], [1.0, 1.0]])
    >>> folds = SoftStratifiedKFold(n_splits=2, shuffle=False)
    >>> [test.tolist() for _, test in folds.split(np.zeros((6, 1)), y)]
    [[0, 2, 4], [1, 3, 5]]
    """

    def __init__(
        self, n_splits: int = 5, *, shuffle: bool = True, random_state: Any = None
    ) -> None:
        if not isinstance(n_splits, int | np.integer) or n_splits < 2:
            raise ValueError(f"n_splits is {n_splits!r}, but must be an integer of 2 or more")
        self.n_splits = int(n_splits)
        self.shuffle = shuffle
        self.random_state = random_state

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of folds; all arguments are ignored."""
        return self.n_splits

    def split(
        self, X: Any, y: Any = None, groups: Any = None
    ) -> Iterator[tuple[IntArray, IntArray]]:
        """Yield the rows of the training and the test part of each fold.

        Parameters
        ----------
        X : array-like of shape (n, ...)
            Only its length is looked at.
        y : SoftLabels, array-like of shape (n,) or (n, K)
            Labels of any kind that the classifiers take.
        groups : array-like of shape (n,), optional
            Rows of one group (one patient, one duplicated object) stay together.

        Yields
        ------
        train, test : integer arrays
            Sorted row numbers.
        """
        if y is None:
            raise ValueError("y is None, but the folds are stratified by it")
        codes = strata(y)
        indexable(X, codes, groups)
        fold = self._fold_of_rows(codes, groups)
        for number in range(self.n_splits):
            yield np.flatnonzero(fold != number), np.flatnonzero(fold == number)

    def _fold_of_rows(self, codes: IntArray, groups: Any) -> IntArray:
        """Fold number of each row, (n,)."""
        n = codes.size
        members = np.arange(n) if groups is None else _group_codes(groups)
        n_groups = int(members.max(initial=-1)) + 1
        if n_groups < self.n_splits:
            what = "rows" if groups is None else "groups"
            raise ValueError(
                f"n_splits is {self.n_splits}, but there are only {n_groups} {what}: ask for fewer"
            )
        order = np.arange(n_groups)
        if self.shuffle:
            order = check_random_state(self.random_state).permutation(n_groups)
        sizes = np.bincount(members, minlength=n_groups)
        counts = np.zeros((self.n_splits, int(codes.max(initial=0)) + 1))
        fold_of_group = np.empty(n_groups, dtype=np.int64)
        large = order[sizes[order] > 1]
        _place_groups(large, members, codes, sizes, counts, fold_of_group)
        single = order[sizes[order] == 1]
        stratum_of_group = np.empty(n_groups, dtype=np.int64)
        stratum_of_group[members] = codes
        _deal_rows(single, stratum_of_group[single], counts, fold_of_group)
        return fold_of_group[members]


def _group_codes(groups: Any) -> IntArray:
    """0..G-1 for each row."""
    values = np.asarray(groups)
    if values.ndim != 1:
        raise ValueError(f"groups must have one dimension, but has {values.ndim}")
    return np.unique(values, return_inverse=True)[1].astype(np.int64)


def _place_groups(
    large: IntArray,
    members: IntArray,
    codes: IntArray,
    sizes: IntArray,
    counts: Any,
    fold_of_group: IntArray,
) -> None:
    """Put groups of several rows, largest first, where they disturb the balance least.

    The fold is the one where Σ_k (its count of stratum k)² / n_k grows least: the product of the
    fold's and the group's counts, each divided by n_k. Fills ``counts`` and ``fold_of_group``.
    """
    position = np.full(sizes.size, -1)
    position[large] = np.arange(large.size)
    inside = position[members] >= 0
    table = np.zeros((large.size, counts.shape[1]))
    np.add.at(table, (position[members[inside]], codes[inside]), 1.0)
    stratum_sizes = np.maximum(np.bincount(codes, minlength=counts.shape[1]), 1)
    for row in np.argsort(-sizes[large], kind="stable"):
        growth = counts @ (table[row] / stratum_sizes)
        fold = np.lexsort((counts.sum(axis=1), growth))[0]
        counts[fold] += table[row]
        fold_of_group[large[row]] = fold


def _deal_rows(single: IntArray, stratum: IntArray, counts: Any, fold_of_group: IntArray) -> None:
    """Deal groups of one row out, stratum by stratum, to the folds that have fewest of it.

    Ties go to the smallest fold. Fills ``counts`` and ``fold_of_group``.
    """
    for k in np.unique(stratum):
        rows = single[stratum == k]
        have = counts[:, k]
        level = _water_level(have, rows.size)
        add = np.maximum(level - have, 0).astype(np.int64)
        spare = rows.size - int(add.sum())
        open_folds = np.flatnonzero(have <= level)
        smallest = np.argsort(counts.sum(axis=1)[open_folds] + add[open_folds], kind="stable")
        add[open_folds[smallest[:spare]]] += 1
        fold_of_group[rows] = np.repeat(np.arange(len(have)), add)
        counts[:, k] += add


def _water_level(have: Any, amount: int) -> int:
    """Largest integer level with Σ_f max(level - have_f, 0) ≤ amount."""
    ordered = np.sort(have)
    rank = np.arange(1, ordered.size + 1)
    # with the lowest f folds raised, the level is (amount + their sum) / f
    levels = (amount + np.cumsum(ordered)) // rank
    return int(levels[levels >= ordered][-1])
