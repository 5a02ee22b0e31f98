"""Cross-validation folds that spread the plausible classes evenly."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.model_selection import BaseCrossValidator
from sklearn.utils import indexable

from labelief._typing import IntArray
from labelief.estimators.fold_dealing import fold_numbers
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
        fold = fold_numbers(
            codes, groups, self.n_splits, shuffle=self.shuffle, random_state=self.random_state
        )
        for number in range(self.n_splits):
            yield np.flatnonzero(fold != number), np.flatnonzero(fold == number)
