"""Which fold each row goes to: strata spread evenly, groups kept whole."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from labelief._typing import IntArray

__all__ = ["fold_numbers", "group_codes"]


def fold_numbers(
    codes: IntArray, groups: Any, n_splits: int, *, shuffle: bool, random_state: Any
) -> IntArray:
    """Deal rows out to folds.

    Parameters
    ----------
    codes : (n,) integer array
        Stratum of each row, 0..S-1.
    groups : (n,) array-like or None
        Rows of one group go to one fold.
    n_splits : int
    shuffle : bool
        Whether in random order; otherwise in the order given.
    random_state : seed or generator

    Returns
    -------
    (n,) integer array
        0..n_splits-1.
    """
    n = codes.size
    members = np.arange(n) if groups is None else group_codes(groups)
    n_groups = int(members.max(initial=-1)) + 1
    if n_groups < n_splits:
        what = "rows" if groups is None else "groups"
        raise ValueError(
            f"n_splits is {n_splits}, but there are only {n_groups} {what}: ask for fewer"
        )
    order = np.arange(n_groups)
    if shuffle:
        order = check_random_state(random_state).permutation(n_groups)
    sizes = np.bincount(members, minlength=n_groups)
    counts = np.zeros((n_splits, int(codes.max(initial=0)) + 1))
    fold_of_group = np.empty(n_groups, dtype=np.int64)
    large = order[sizes[order] > 1]
    _place_groups(large, members, codes, sizes, counts, fold_of_group)
    single = order[sizes[order] == 1]
    stratum_of_group = np.empty(n_groups, dtype=np.int64)
    stratum_of_group[members] = codes
    _deal_rows(single, stratum_of_group[single], counts, fold_of_group)
    return fold_of_group[members]


def group_codes(groups: Any) -> IntArray:
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
