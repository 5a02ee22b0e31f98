"""Rows dealt to folds; balance and refusals are tested with ``SoftStratifiedKFold``."""

from __future__ import annotations

import numpy as np
import pytest

from labelief.estimators.fold_dealing import fold_numbers, group_codes


def test_strata_are_dealt_in_turn():
    fold = fold_numbers(np.array([0, 0, 0, 1, 1, 1]), None, 3, shuffle=False, random_state=None)
    assert fold.tolist() == [0, 1, 2, 0, 1, 2]


def test_groups_are_numbered_and_whole():
    assert group_codes(["b", "a", "b"]).tolist() == [1, 0, 1]
    groups = np.repeat(np.arange(10), 3)
    fold = fold_numbers(np.zeros(30, dtype=int), groups, 4, shuffle=True, random_state=0)
    assert all(len(set(fold[groups == g])) == 1 for g in range(10))
    assert set(fold) == {0, 1, 2, 3}
    with pytest.raises(ValueError, match="only 2 groups"):
        fold_numbers(np.zeros(4, dtype=int), [0, 0, 1, 1], 3, shuffle=False, random_state=None)
