"""Evidential multi-label nearest neighbours (younes2010): labels may be undecided."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.neighbors import NearestNeighbors
from sklearn.utils.validation import check_is_fitted, validate_data

from labelief._typing import Array, FloatArray, IntArray
from labelief.estimators.validation import check_count, read_rows
from labelief.kernels.independent_sets import MOST_VERTICES
from labelief.labels.label_matrix import read_label_matrix
from labelief.metrics.multilabel import accuracy_of_decided
from labelief.neighbors.multilabel_evidence import Evidence, binary, combine, direct
from labelief.neighbors.statements import Statements

__all__ = ["EvidentialMultilabelKNN"]

# Beliefs closer than this share of the larger are tied: rounding must not decide.
_TIE = 1e-12
_RULES = {"direct": direct, "binary": binary}


class EvidentialMultilabelKNN(ClassifierMixin, BaseEstimator):
    r"""Multi-label classifier whose neighbours are pieces of evidence (EML-kNN).

    Neighbour i of a query has the labels A_i, has not the labels B_i, and nobody knows about the
    others. With mass :math:`w_i = \alpha \exp(-\gamma d_i)` it says that the query's label set
    contains A_i and avoids B_i, and with mass :math:`1 - w_i` it says nothing (younes2010 eq.
    13-14). The k mass functions are combined by the unnormalised rule (12), and label q is
    predicted where :math:`bel(q\ in) \ge bel(q\ out)` (15).

    Parameters
    ----------
    n_neighbors : int, default=10
        k; all training rows where there are fewer. At most 64 in the direct approach.
    alpha : float, default=0.95
        Weight of a neighbour at distance 0, between 0 and 1, both excluded.
    gamma : "auto" or float, default="auto"
        How fast weights fall with distance. "auto" is 1 / median distance of the training rows to
        their k neighbours, themselves left out. If that median is 0 (duplicates), only distances
        above 0 count; if all are 0, or there is one row, γ is 1. (The paper's 0.5 depends on the
        units of the features.)
    approach : {"direct", "binary"}, default="direct"
        "direct" combines whole label sets: neighbours who contradict each other on one label are
        not believed together on another. "binary" treats each label alone.
    metric, p, metric_params, algorithm, leaf_size, n_jobs
        As in :class:`sklearn.neighbors.NearestNeighbors`, which searches the neighbours.

    Attributes
    ----------
    classes_ : (Q,) array
        Names of the labels: columns of a frame, else 0..Q-1.
    gamma_ : float
        γ.
    n_neighbors_ : int
        Neighbours used.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Notes
    -----
    The direct sum runs over sets of neighbours who do not contradict each other: exactly, by
    branching on the graph of contradictions, see :mod:`labelief.kernels.independent_sets`. Per
    query it takes O(b Q) time and O(k² Q/64) more for the graph, with b the number of subproblems:
    k where every label is decided, more where undecided labels leave about a fourth of the pairs
    contradictory (80 % undecided of 14 labels, 90 % of 50). There b grows exponentially with k: it
    is about 120 for 14 labels and 200 for 50 at k = 30, or 0.12 and 0.5 ms a query; 0.4 and 4 ms at
    k = 40; 5 and 200 ms at k = 64.
    "binary" takes O(k Q).

    Where no neighbour has an opinion on a label, 0 ≥ 0 and rule (15) says yes; see
    :meth:`predict_imprecise` for a prediction that admits it. Ties at equal beliefs say yes too.

    A query that is a training row finds itself. ``X=None`` in any method stands for the training
    rows, each without itself.

    scikit-learn does not accept NaN in ``y`` where it makes the folds of an integer ``cv``: give
    ``cv=KFold(5)``, or ``LabelSets.from_matrix(y)`` as y. Its scorers refuse NaN as well; the
    default ``score`` and those of :mod:`labelief.metrics` do not.

    Examples
    --------
    >>> import numpy as np
    >>> from labelief import EvidentialMultilabelKNN
    >>> X = [[0.0], [0.2], [0.9], [1.0]]
    >>> y = [[1, 0], [1, np.nan], [0, 1], [np.nan, 1]]
    >>> model = EvidentialMultilabelKNN(n_neighbors=2, gamma=1.0).fit(X, y)
    >>> model.predict([[0.1], [0.95]])
    array([[1, 0],
           [0, 1]])
    >>> model.predict_proba([[0.1], [0.95]]).round(2)
    array([[0.99, 0.07],
           [0.05, 1.  ]])
    """

    classes_: NDArray[Any]
    gamma_: float
    n_neighbors_: int

    def __init__(
        self,
        n_neighbors: int = 10,
        alpha: float = 0.95,
        gamma: Any = "auto",
        approach: str = "direct",
        *,
        metric: Any = "minkowski",
        p: float = 2,
        metric_params: dict[str, Any] | None = None,
        algorithm: str = "auto",
        leaf_size: int = 30,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.alpha = alpha
        self.gamma = gamma
        self.approach = approach
        self.metric = metric
        self.p = p
        self.metric_params = metric_params
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any) -> EvidentialMultilabelKNN:
        """Keep the training rows and choose γ.

        Parameters
        ----------
        X : (n, d) array, frame or CSR matrix
            Features; distances if ``metric="precomputed"``.
        y : (n, Q) array-like, data frame or sparse matrix; LabelSets
            1 where a row has the label, 0 where it has not, NaN (or None) where that is undecided.
            The confidence of a row of `LabelSets` multiplies its weight as a neighbour.

        Returns
        -------
        EvidentialMultilabelKNN
            Itself.
        """
        self._check_parameters()
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None."
            )
        rows = self._read(X, reset=True)
        labels = read_label_matrix(y)
        n = rows.shape[0]
        if labels.inside.shape[0] != n:
            raise ValueError(f"y has {labels.inside.shape[0]} rows, but X has {n}.")
        self.classes_ = labels.labels
        self.n_neighbors_ = min(int(self.n_neighbors), n)
        self._statements = Statements.of(labels)
        self._confidence = labels.confidence
        self._search = NearestNeighbors(
            n_neighbors=self.n_neighbors_,
            metric=self.metric,
            p=self.p,
            metric_params=self.metric_params,
            algorithm=self.algorithm,
            leaf_size=self.leaf_size,
            n_jobs=self.n_jobs,
        ).fit(rows)
        self.gamma_ = self._gamma_of_training_rows() if self.gamma == "auto" else float(self.gamma)
        return self

    def predict(self, X: Any = None) -> NDArray[np.int64]:
        """Predict which labels each row has, by rule (15): bel(in) ≥ bel(out).

        Parameters
        ----------
        X : (m, d) array, frame or CSR matrix, default=None
            Queries; None for the training rows, each without itself.

        Returns
        -------
        (m, Q) int array
            1 or 0. Where no neighbour has an opinion both beliefs are 0, and the rule says 1.
        """
        evidence = self._evidence(X)
        return (evidence.inside >= (1.0 - _TIE) * evidence.outside).astype(np.int64)

    def beliefs(self, X: Any = None) -> FloatArray:
        """Return how sure it is that a row has a label, and that it has not; not normalised.

        Parameters
        ----------
        X : (m, d) array, frame or CSR matrix, default=None
            As in :meth:`predict`.

        Returns
        -------
        (m, Q, 2) array
            bel({q}, ∅), then bel(∅, {q}). Far from all training rows they may underflow to 0;
            predictions compare them before that.
        """
        evidence = self._evidence(X)
        scale = np.exp(evidence.log_scale)[:, None]
        return np.stack((evidence.inside * scale, evidence.outside * scale), axis=2)

    def predict_proba(self, X: Any = None) -> FloatArray:
        r"""Return the pignistic probability of each label.

        .. math:: \tfrac12 + \frac{bel(q\ in) - bel(q\ out)}{2 \, (1 - m(\emptyset))}

        All label sets that a focal set allows share its mass equally, so that half of the mass that
        leaves q open goes to "in" (conflict is normalised away). It is at least ½ where q is
        predicted, but for rounding far from all training rows.

        Parameters
        ----------
        X : (m, d) array, frame or CSR matrix, default=None
            As in :meth:`predict`.

        Returns
        -------
        (m, Q) array
            Rows do not sum to 1: a row may have several labels.
        """
        return np.asarray(np.clip(0.5 + 0.5 * _lead(self._evidence(X)), 0.0, 1.0))

    def predict_imprecise(self, X: Any = None, margin: float = 0.1) -> FloatArray:
        """Predict labels where the beliefs decide, and leave the others open.

        Parameters
        ----------
        X : (m, d) array, frame or CSR matrix, default=None
            As in :meth:`predict`.
        margin : float, default=0.1
            Between 0 and 1. A label is decided where bel(in) and bel(out), divided by 1 - m(∅),
            differ by as much; with 0, wherever they differ.

        Returns
        -------
        (m, Q) float array
            1, 0, or NaN where the beliefs do not decide.
        """
        if not isinstance(margin, int | float | np.number) or not 0 <= margin <= 1:
            raise ValueError(f"margin must be a number between 0 and 1, got {margin!r}.")
        evidence = self._evidence(X)
        inside, outside = evidence.inside, evidence.outside
        apart = np.abs(inside - outside) > _TIE * np.maximum(inside, outside)
        decided = apart & (np.abs(_lead(evidence)) >= margin)
        return np.where(decided, 1.0 * (inside > outside), np.nan)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the middle of the lower and upper multi-label accuracy (eq. 19, Jaccard).

        It is the accuracy where all labels are decided. Rows without a decided label are left out.

        Parameters
        ----------
        X : (m, d) array, frame or CSR matrix, or None
            As in :meth:`predict`.
        y : (m, Q) array-like or data frame; LabelSets
            1, 0 and NaN. A frame's columns are matched by name if the training labels had names.
        sample_weight : (m,) array-like, default=None
            Weights of the rows.

        Returns
        -------
        float
            Between 0 and 1.
        """
        truth = read_label_matrix(y).ordered(self.classes_, "y")
        return accuracy_of_decided(truth, self.predict(X), sample_weight)

    def __sklearn_tags__(self) -> Any:
        """Say what it takes: many labels a row, sparse rows."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        tags.classifier_tags.multi_class = False
        tags.target_tags.single_output = False
        tags.target_tags.multi_output = True
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self.metric == "nan_euclidean"
        tags.input_tags.pairwise = self.metric == "precomputed"
        return tags

    def _check_parameters(self) -> None:
        check_count("n_neighbors", self.n_neighbors)
        if not isinstance(self.alpha, int | float | np.number) or not 0 < self.alpha < 1:
            raise ValueError(f"alpha must lie between 0 and 1, both excluded, got {self.alpha!r}.")
        if self.approach not in _RULES:
            raise ValueError(f"approach must be 'direct' or 'binary', got {self.approach!r}.")
        if self.approach == "direct" and self.n_neighbors > MOST_VERTICES:
            raise ValueError(
                f"n_neighbors={self.n_neighbors} is too many for the direct approach, whose time "
                f"grows exponentially: at most {MOST_VERTICES}. approach='binary' takes any number."
            )
        automatic = isinstance(self.gamma, str) and self.gamma == "auto"
        number = isinstance(self.gamma, int | float | np.number)
        if not automatic and not (number and 0 < self.gamma < np.inf):
            raise ValueError(f"gamma must be 'auto' or a number above 0, got {self.gamma!r}.")

    def _read(self, X: Any, *, reset: bool) -> Array:
        if self.metric != "nan_euclidean":
            return read_rows(self, X, reset=reset, sparse=True)
        return validate_data(self, X, reset=reset, ensure_all_finite="allow-nan")

    def _gamma_of_training_rows(self) -> float:
        if self._statements.kind.size == 1:
            return 1.0
        distances, _ = self._neighbours(None)
        median = float(np.median(distances))
        if median == 0:
            above = distances[distances > 0]
            median = float(np.median(above)) if above.size else 1.0
        return 1.0 / median

    def _neighbours(self, rows: Array | None) -> tuple[FloatArray, IntArray]:
        n = self._statements.kind.size
        k = self.n_neighbors_ if rows is not None else min(self.n_neighbors_, n - 1)
        if k == 0:
            raise ValueError("X=None leaves each training row out, but there is only one.")
        distances, neighbours = self._search.kneighbors(rows, n_neighbors=k)
        # cosines and the like may come out a rounding below 0
        return np.maximum(distances, 0.0), neighbours

    def _evidence(self, X: Any) -> Evidence:
        check_is_fitted(self)
        rows = None if X is None else self._read(X, reset=False)
        distances, neighbours = self._neighbours(rows)
        log_weights = np.log(self.alpha) - self.gamma_ * distances
        if self._confidence is not None:
            with np.errstate(divide="ignore"):
                log_weights += np.log(self._confidence[neighbours])
        return combine(_RULES[self.approach], self._statements, neighbours, log_weights)


def _lead(evidence: Evidence) -> FloatArray:
    """Return (bel(in) - bel(out)) / (1 - m(∅)), 0 where the conflict is total."""
    difference = (evidence.inside - evidence.outside) * np.exp(evidence.log_scale)[:, None]
    possible = np.broadcast_to(evidence.possible, difference.shape)
    return np.divide(difference, possible, out=np.zeros_like(difference), where=possible > 0)
