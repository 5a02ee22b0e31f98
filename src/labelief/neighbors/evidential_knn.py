"""The evidential k-nearest-neighbour rule (Denœux 1995)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, Self

import numpy as np
from array_api_compat import is_array_api_obj, is_numpy_array
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.neighbors import NearestNeighbors
from sklearn.utils.validation import check_is_fitted

from labelief._typing import FloatArray, IntArray
from labelief.estimators.cautious import CautiousPredictions
from labelief.estimators.scoring import ExpectedErrorScore
from labelief.estimators.validation import check_count, read_rows
from labelief.kernels.namespace import is_sparse, to_host
from labelief.labels.soft_labels import SoftLabels
from labelief.labels.stacking import stack
from labelief.neighbors.discount_rates import (
    Leave,
    fitted_rates,
    mean_squared_distances,
    weights_of,
)
from labelief.neighbors.label_masses import Combined, LabelMasses
from labelief.neighbors.reading import read_label_masses

__all__ = ["EvidentialKNN"]

# Queries whose neighbours are searched for together.
_QUERIES = 1 << 16
# Where no weight is larger, classes are told apart by their sums of weights.
_WEAK = 1e-8


class _Near(NamedTuple):
    """Neighbours of some queries, (b, k): row numbers, weights, and the exponents ``-γ d²``."""

    neighbours: IntArray
    weights: FloatArray
    exponents: FloatArray


class EvidentialKNN(ExpectedErrorScore, CautiousPredictions, ClassifierMixin, BaseEstimator):
    """Nearest neighbours whose labels are pieces of evidence (Denœux 1995).

    A neighbour at distance d says what its label says, discounted to ``α exp(-γ d²)``; the k of
    them are combined by Dempster's rule.  Labels may be crisp, soft or missing; a neighbour without
    a label says nothing, and far from all rows nothing is said.

    Parameters
    ----------
    n_neighbors : int, default=10
        k; all rows where there are fewer.
    alpha : float, default=0.95
        Weight of a neighbour at distance 0, above 0 and below 1: two neighbours that are wholly
        believed could contradict each other wholly.
    gamma : "auto", "fit", float or (K,) array, default="auto"
        γ of each class, in the order of `classes` if these are given, else of ``classes_``.
        "auto": 1 / (mean squared distance within the class).  "fit": those that make the squared
        error of leave-one-out pignistic values smallest (Zouhal & Denœux 1998), by L-BFGS from
        "auto".  A neighbour with a soft label has the mean of γ under its pignistic probabilities.
    metric : str or callable, default="euclidean"
        Of scikit-learn's ``NearestNeighbors``; "precomputed" takes distances for X.
    metric_params : dict, default=None
    algorithm : {"auto", "ball_tree", "kd_tree", "brute"}, default="auto"
    n_jobs : int, default=None
        Of the search.
    classes : array-like, default=None
        All classes, also such as no label names; None takes those that occur.

    Attributes
    ----------
    classes_ : (K,) array
    gamma_ : (K,) array
        In the order of ``classes_``.
    n_features_in_ : int

    Notes
    -----
    Beside the search, a query costs O(k + K) where labels are crisp and O(k K) where their mass is
    on single classes and the frame (probabilities, confidences, votes).  General labels (candidate
    sets, plausibilities) are combined exactly too, set by set: O(k F f) with f focal sets a label
    and F the intersections that occur, ``2^K - 1`` at most.

    Features count by their units: scale them in a pipeline.  There is no ``sample_weight``.

    References
    ----------
    Denœux (1995), A k-nearest neighbor classification rule based on Dempster-Shafer theory, IEEE
    Trans. SMC 25(5).  Zouhal & Denœux (1998), An evidence-theoretic k-NN rule with parameter
    optimization, IEEE Trans. SMC C 28(2).

    Examples
    --------
    >>> import numpy as np
    >>> from labelief import EvidentialKNN
    >>> X = np.array([[0.0], [1.0], [2.0], [6.0], [7.0], [8.0]])
    >>> model = EvidentialKNN(3).fit(X, ["a", "a", None, "b", "b", "b"])
    >>> model.predict([[0.5], [6.5]])
    array(['a', 'b'], dtype='<U1')
    >>> model.predict_proba([[7.0], [4.0], [100.0]]).round(2)
    array([[0.  , 1.  ],
           [0.44, 0.56],
           [0.5 , 0.5 ]])
    >>> model.predict_mass([[6.5], [100.0]])
    SoftLabels: 2 rows, classes 'a', 'b'
      0  b 0.982, any class 0.0181
      1  any class 1
    """

    _labels: LabelMasses

    def __init__(
        self,
        n_neighbors: int = 10,
        alpha: float = 0.95,
        gamma: Any = "auto",
        *,
        metric: Any = "euclidean",
        metric_params: Any = None,
        algorithm: str = "auto",
        n_jobs: int | None = None,
        classes: Any = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.alpha = alpha
        self.gamma = gamma
        self.metric = metric
        self.metric_params = metric_params
        self.algorithm = algorithm
        self.n_jobs = n_jobs
        self.classes = classes

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.metric == "precomputed"
        return tags

    def fit(self, X: Any, y: Any) -> Self:
        """Keep the rows and their labels, and set γ.

        Parameters
        ----------
        X : (n, d) array, CSR matrix, frame or list; (n, n) distances if metric="precomputed"
        y : labels
            1-D class labels (None or NaN = unknown), :class:`SoftLabels`, or an (n, K) floating or
            bool array or frame of plausibilities, read as possibility distributions.

        Returns
        -------
        self
        """
        self._check()
        rows = self._read(X, reset=True)
        self.classes_, self._labels = read_label_masses(y, rows.shape[0], self.classes)
        if not np.any(self._labels.telling()):
            raise ValueError(
                "No label says anything about its row's class: neighbours have nothing to say. "
                "Give some labels."
            )
        options = dict(self.metric_params or {})
        self._search = NearestNeighbors(
            metric=self.metric,
            p=options.pop("p", 2),
            metric_params=options or None,
            algorithm=self.algorithm,
            n_jobs=self.n_jobs,
        ).fit(rows)
        self.gamma_ = self._rates(rows)
        self._row_rates = self._labels.pignistic() @ self.gamma_
        return self

    def predict(self, X: Any = None) -> Any:
        """Return the class of largest pignistic probability.

        Where all neighbours are so far that these are equal up to rounding, the class that they
        favour most in proportion is returned.

        Parameters
        ----------
        X : (n, d) array, CSR matrix, frame or list, default=None
            None: the training rows, each without itself.

        Returns
        -------
        (n,) array of class labels
        """
        shares = None
        chosen = []
        for near in self._near(X):
            scores = self._labels.combine(near.neighbours, near.weights).masses.pignistic()
            weak = np.flatnonzero(near.weights.max(axis=1) < _WEAK)
            if len(weak):
                shares = self._labels.pignistic() if shares is None else shares
                exponents = near.exponents[weak]
                with np.errstate(under="ignore"):
                    ratios = np.exp(exponents - exponents.max(axis=1, keepdims=True))
                scores[weak] = np.einsum("bk,bkq->bq", ratios, shares[near.neighbours[weak]])
            chosen.append(np.argmax(scores, axis=1))
        return self.classes_[np.concatenate(chosen)]

    def predict_proba(self, X: Any = None) -> FloatArray:
        """Return pignistic probabilities.

        Parameters
        ----------
        X : (n, d) array, CSR matrix, frame or list, default=None
            None: the training rows, each without itself.

        Returns
        -------
        (n, K) array
            Columns in the order of ``classes_``.
        """
        return np.concatenate([part.masses.pignistic() for part in self._combined(X)])

    def predict_mass(self, X: Any = None) -> SoftLabels:
        """Return what the neighbours say together: normalised mass functions.

        They go wherever soft labels go, such as into another classifier as its ``y``.

        Parameters
        ----------
        X : (n, d) array, CSR matrix, frame or list, default=None
            None: the training rows, each without itself.

        Returns
        -------
        SoftLabels
        """
        check_is_fitted(self)
        return SoftLabels(self.classes_, stack([part.masses for part in self._combined(X)]))

    def _bounds(self, X: Any, strength: float) -> tuple[FloatArray, FloatArray]:
        """Return belief and plausibility of each class."""
        said = self.predict_mass(X)
        return said.beliefs, said.plausibilities

    def _fitted_part(self) -> Any:
        return self._labels

    def conflict(self, X: Any = None) -> FloatArray:
        """Return how much the neighbours contradict each other.

        Parameters
        ----------
        X : (n, d) array, CSR matrix, frame or list, default=None
            None: the training rows, each without itself.

        Returns
        -------
        (n,) array
            κ, the mass of the empty set before normalisation: the masses of ``predict_mass`` times
            ``1 - κ`` are those of the unnormalised rule.
        """
        logs = np.concatenate([part.log_agreement for part in self._combined(X)])
        return np.asarray(np.clip(-np.expm1(logs), 0.0, 1.0))

    def _combined(self, X: Any) -> Iterator[Combined]:
        for near in self._near(X):
            yield self._labels.combine(near.neighbours, near.weights)

    def _near(self, X: Any) -> Iterator[_Near]:
        """Yield the neighbours of as many queries as are combined at once."""
        check_is_fitted(self)
        rows = None if X is None else self._read(X, reset=False)
        k = self._k(left_out=X is None)
        step = self._labels.rows_at_once(k)
        n = self._search.n_samples_fit_ if rows is None else rows.shape[0]
        for first in range(0, n, n if rows is None else _QUERIES):
            queries = None if rows is None else rows[first : first + _QUERIES]
            distances, neighbours = self._search.kneighbors(queries, k)
            for start in range(0, len(distances), step):
                part = slice(start, start + step)
                squared = np.square(distances[part], dtype=np.float64)
                rates = self._row_rates[neighbours[part]]
                weights = weights_of(self.alpha, rates, squared)
                yield _Near(neighbours[part], weights, -rates * squared)

    def _k(self, *, left_out: bool) -> int:
        most = self._search.n_samples_fit_ - left_out
        if most == 0:
            raise ValueError(
                "1 sample was fitted: it has no neighbours but itself, and these are left out "
                "where X is None."
            )
        return int(min(self.n_neighbors, most))

    def _check(self) -> None:
        check_count("n_neighbors", self.n_neighbors)
        if not isinstance(self.alpha, int | float | np.number) or not 0 < float(self.alpha) < 1:
            raise ValueError(f"alpha must be a number above 0 and below 1, got {self.alpha!r}.")
        if isinstance(self.gamma, str) and self.gamma not in ("auto", "fit"):
            raise ValueError(f"gamma must be 'auto', 'fit' or numbers, got {self.gamma!r}.")

    def _read(self, X: Any, *, reset: bool) -> Any:
        rows = read_rows(self, X, reset=reset, sparse=True)
        if is_array_api_obj(rows) and not is_numpy_array(rows) and not is_sparse(rows):
            return to_host(rows)
        return rows

    def _rates(self, rows: Any) -> FloatArray:
        """Return γ of each class, (K,), in the order of ``classes_``."""
        if not isinstance(self.gamma, str):
            return self._given_rates()
        options = dict(self.metric_params or {})
        start = 1.0 / mean_squared_distances(rows, self._labels, self.metric, options)
        if self.gamma == "auto":
            return start
        distances, neighbours = self._search.kneighbors(None, self._k(left_out=True))
        left_out = Leave(neighbours, np.square(distances, dtype=np.float64))
        return fitted_rates(start, self._labels, left_out, float(self.alpha))

    def _given_rates(self) -> FloatArray:
        n_classes = len(self.classes_)
        try:
            rates = np.asarray(self.gamma, dtype=np.float64)
        except (TypeError, ValueError):
            raise ValueError(
                f"gamma must be 'auto', 'fit' or numbers, got {self.gamma!r}."
            ) from None
        if rates.ndim == 0:
            rates = np.full(n_classes, rates)
        if rates.shape != (n_classes,) or not np.all(np.isfinite(rates) & (rates >= 0)):
            raise ValueError(
                f"gamma must be one number of 0 or more, or {n_classes} of them (one per class), "
                f"got {self.gamma!r}."
            )
        if self.classes is None:
            return rates
        given = list(np.asarray(self.classes).tolist())
        return rates[[given.index(name) for name in self.classes_.tolist()]]
