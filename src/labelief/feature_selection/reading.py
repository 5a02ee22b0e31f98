"""What the feature scores are given: rows, and labels as shares of the classes."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import numpy as np
from array_api_compat import is_array_api_obj, is_numpy_array
from sklearn.base import BaseEstimator
from sklearn.utils import check_array

from labelief._typing import Array, BoolArray, FloatArray, IntArray
from labelief.blocks.arrays import ArrayBlocks
from labelief.blocks.class_moments import Spreads, class_counts, measure_spreads
from labelief.blocks.evidence import Dense, Evidence, Symbols
from labelief.blocks.threads import single_threaded_blas
from labelief.estimators.validation import check_finite, read_rows
from labelief.kernels.namespace import is_sparse, to_host
from labelief.labels.soft_labels import SoftLabels
from labelief.labels.targets import read_target
from labelief.labels.votes import Votes

__all__ = ["Shares", "host_rows", "measure", "read_features", "read_shares"]

# Smaller tables are done sooner than threads are started.
_THREADED = 1 << 20


class Shares:
    """Labels as shares of the classes: what a row's label gives to each of K classes.

    Parameters
    ----------
    evidence : Symbols or Dense
        Class codes (K = unknown), or numbers in proportion to the shares.
    n_classes : int
    """

    def __init__(self, evidence: Evidence, n_classes: int) -> None:
        self.evidence = evidence
        self.n_classes = n_classes

    def counts(self, weights: FloatArray | None, n_rows: int) -> FloatArray:
        """Return the weight of each class, (K,)."""
        return class_counts(self.evidence, n_rows, weights, self.n_classes)

    def take(self, rows: IntArray) -> Shares:
        """Return the labels of some rows."""
        return Shares(self.evidence.rows(rows), self.n_classes)

    def telling(self) -> BoolArray:
        """Say which rows' labels prefer some class to another, (n,)."""
        if isinstance(self.evidence, Symbols):
            return np.asarray(self.evidence.codes < self.n_classes)
        assert isinstance(self.evidence, Dense)
        shares = self.evidence.plausibilities
        return np.asarray(shares.max(axis=1) > shares.min(axis=1))

    def strata(self) -> Any:
        """Return the largest share's class of each row, (n,), -1 where there is none."""
        if isinstance(self.evidence, Symbols):
            codes = self.evidence.codes
        else:
            assert isinstance(self.evidence, Dense)
            codes = self.evidence.plausibilities.argmax(axis=1)
        return np.where(self.telling(), codes, -1).astype(np.int64)


class LaplacianScore(BaseEstimator):
    """What the scores are called in messages about X."""


def read_features(X: Any, reader: Any = None) -> Array:
    """Validate rows: dense of any array library, CSR, frame or list; uncopied where possible.

    NaN and infinity are found by :func:`measure`, which sees every number anyway.
    """
    if reader is None and type(X) is np.ndarray and X.ndim == 2 and X.dtype.kind == "f" and X.size:
        return X  # at once: a small table is scored sooner than scikit-learn has looked at it
    if reader is None and not (is_array_api_obj(X) and not is_numpy_array(X)):
        name = LaplacianScore.__name__
        return check_array(X, accept_sparse="csr", ensure_all_finite=False, estimator=name)
    reader = LaplacianScore() if reader is None else reader
    return read_rows(reader, X, reset=True, sparse=True, finite=False)


def measure(
    X: Array, evidence: Evidence, weights: FloatArray | None, counts: FloatArray
) -> Spreads:
    """Measure how far apart rows are, in one pass; refuse what cannot be measured."""
    threads = 1 if X.shape[0] * X.shape[1] < _THREADED else None
    blocks = ArrayBlocks(X, evidence, weights, n_threads=threads)
    # threads of BLAS, too, cost more than they save
    with single_threaded_blas() if threads else nullcontext():
        spreads = measure_spreads(blocks, counts)
    bad = ~np.isfinite(spreads.total)
    if np.any(bad):
        check_finite(X, LaplacianScore.__name__)
        raise ValueError(
            f"Column {int(np.argmax(bad))} of X holds numbers too large to be squared, beside "
            "ordinary ones: divide it by a constant."
        )
    return spreads


def host_rows(X: Array) -> Any:
    """Return rows that scikit-learn's neighbours can take: NumPy or CSR."""
    if is_sparse(X) or is_numpy_array(X) or not is_array_api_obj(X):
        return X
    return to_host(X)


def read_shares(y: Any, n_rows: int) -> Shares:
    """Read labels as shares of the classes.

    ``SoftLabels`` give pignistic probabilities, ``Votes`` the shares of each item's votes, the
    rows of an (n, K) array or frame are divided by their sum, a crisp label takes all of its row,
    and an unknown one shares it equally.

    Parameters
    ----------
    y : SoftLabels, Votes, 1-D labels, or (n, K) array or frame
    n_rows : int
    """
    if isinstance(y, Votes):
        y = SoftLabels.from_votes(y)
    if isinstance(y, SoftLabels) and y.codes is None:
        if len(y) != n_rows:
            raise ValueError(
                "Found input variables with inconsistent numbers of samples: X has "
                f"{n_rows} rows and y has {len(y)}"
            )
        return Shares(Dense(y.pignistic), y.shape[1])
    target = read_target(y, n_rows=n_rows)
    n_classes = len(target.classes)
    if target.codes is None:
        return Shares(Dense(target.plausibilities), n_classes)
    return Shares(
        Symbols(np.where(target.codes < 0, n_classes, target.codes), n_classes), n_classes
    )
