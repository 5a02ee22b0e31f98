"""Feature selection by the weighted Laplacian score, as a scikit-learn transformer."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.feature_selection import SelectorMixin
from sklearn.metrics import check_scoring
from sklearn.model_selection import check_cv
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_is_fitted

from labelief._typing import BoolArray, FloatArray, IntArray
from labelief.estimators.validation import read_weights
from labelief.feature_selection.laplacian import mixed_scores
from labelief.feature_selection.reading import Shares, read_features, read_shares
from labelief.feature_selection.weighted_laplacian import label_forms, ratio

__all__ = ["WeightedLaplacianSelector"]

# Numbers of features that cross-validation tries; up to as many, it tries every one.
_TRIED = 20


class WeightedLaplacianSelector(SelectorMixin, BaseEstimator):
    """Keep the features that best follow labels that may be soft (doquire2012).

    Parameters
    ----------
    n_features_to_select : int, float, "cv" or None, default=None
        How many: a count, a share of the features in (0, 1], what cross-validation finds best for
        `estimator`, or half of them (None).
    graph_share : float, default=0.0
        Share of the graph of neighbours in the score, from 0 (the labels only: the weighted
        Laplacian score) to 1 (the Laplacian score); in between, see
        :func:`semi_supervised_laplacian_score`.
    n_neighbors : int, default=5
    scale : float, default=1.0
        Of that graph, see :func:`laplacian_score`.
    estimator : classifier, default=None
        For "cv": what is fitted to the best features of each training fold.
    cv : int, splitter or iterable, default=5
        For "cv": folds, stratified by the most plausible class where a number is given.
    scoring : str or callable, default=None
        For "cv"; None takes the estimator's ``score``.

    Attributes
    ----------
    scores_ : (d,) array
        Small is good; infinite for a constant feature.
    ranking_ : (d,) array of int
        1 for the best feature, d for the worst; of equal features the first is the better.
    n_features_ : int
        Number of features kept.
    cv_results_ : dict or None
        For "cv": "n_features", "mean_test_score" and "std_test_score", all (m,), and
        "split_test_scores", (folds, m).
    n_features_in_ : int
    feature_names_in_ : (d,) array

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.pipeline import make_pipeline
    >>> from labelief import LinearDiscriminantAnalysis, SoftLabels
    >>> from labelief.feature_selection import WeightedLaplacianSelector
    >>> X, truth = load_iris(return_X_y=True, as_frame=True)
    >>> y = SoftLabels.from_confidences(truth, 0.8)
    >>> selector = WeightedLaplacianSelector(2).fit(X, y)
    >>> selector.get_feature_names_out()
    array(['petal length (cm)', 'petal width (cm)'], dtype=object)
    >>> model = make_pipeline(selector, LinearDiscriminantAnalysis()).fit(X, y)
    """

    def __init__(
        self,
        n_features_to_select: Any = None,
        *,
        graph_share: float = 0.0,
        n_neighbors: int = 5,
        scale: float = 1.0,
        estimator: Any = None,
        cv: Any = 5,
        scoring: Any = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.graph_share = graph_share
        self.n_neighbors = n_neighbors
        self.scale = scale
        self.estimator = estimator
        self.cv = cv
        self.scoring = scoring

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Score the features.

        Parameters
        ----------
        X : (n, d) array, CSR matrix, frame or list
        y : labels
            As for :func:`weighted_laplacian_score`.
        sample_weight : (n,) array-like, default=None
            Weights of the rows in the score.

        Returns
        -------
        self
        """
        rows = read_features(X, self)
        shares = read_shares(y, rows.shape[0])
        weights = read_weights(sample_weight, rows)
        asked = self._asked(rows.shape[1])
        self.scores_ = self._score(rows, shares, weights)
        self.ranking_ = ranking(self.scores_)
        self.cv_results_ = None
        if asked == "cv":
            self.cv_results_ = self._cross_validate(rows, y, shares, weights)
            best = int(np.argmax(self.cv_results_["mean_test_score"]))
            asked = self.cv_results_["n_features"][best]
        self.n_features_ = int(asked)
        return self

    def _get_support_mask(self) -> BoolArray:
        check_is_fitted(self)
        return np.asarray(self.ranking_ <= self.n_features_)

    def _asked(self, n_features: int) -> Any:
        """Return the number of features asked for, or "cv"."""
        asked = self.n_features_to_select
        if asked is None:
            return max(1, n_features // 2)
        if isinstance(asked, str) and asked == "cv":
            if self.estimator is None:
                raise ValueError(
                    "n_features_to_select='cv' needs a classifier to judge by: give estimator=."
                )
            return asked
        if isinstance(asked, Integral):
            if not isinstance(asked, bool) and 1 <= int(asked) <= n_features:
                return int(asked)
        elif isinstance(asked, Real) and 0.0 < float(asked) <= 1.0:
            return max(1, round(float(asked) * n_features))
        raise ValueError(
            f"n_features_to_select must be a count from 1 to {n_features}, a share in (0, 1], "
            f"'cv' or None, got {asked!r}."
        )

    def _score(self, X: Any, shares: Shares, weights: FloatArray | None) -> FloatArray:
        if self.graph_share == 0:
            return ratio(label_forms(X, shares, weights))
        return mixed_scores(X, shares, weights, self.graph_share, self.n_neighbors, self.scale)

    def _cross_validate(
        self, X: Any, y: Any, shares: Shares, weights: FloatArray | None
    ) -> dict[str, Any]:
        """Judge numbers of features by what the estimator makes of them on held-out folds.

        Features are ranked anew on the training rows of each fold.
        """
        n_features = X.shape[1]
        tried = np.unique(np.geomspace(1, n_features, _TRIED).round().astype(int))
        if n_features <= _TRIED:
            tried = np.arange(1, n_features + 1)
        scorer = check_scoring(self.estimator, scoring=self.scoring)
        strata = shares.strata()
        folds = check_cv(self.cv, strata, classifier=True)
        results = []
        for train, test in folds.split(X, strata):
            part = None if weights is None else weights[train]
            best = np.argsort(ranking(self._score(X[train], shares.take(train), part)))
            y_train, y_test = _safe_indexing(y, train), _safe_indexing(y, test)
            row = []
            for count in tried:
                kept = np.sort(best[:count])
                model = clone(self.estimator).fit(X[train][:, kept], y_train)
                row.append(scorer(model, X[test][:, kept], y_test))
            results.append(row)
        scores = np.asarray(results, dtype=np.float64)
        return {
            "n_features": tried,
            "mean_test_score": scores.mean(axis=0),
            "std_test_score": scores.std(axis=0),
            "split_test_scores": scores,
        }


def ranking(scores: FloatArray) -> IntArray:
    """Return 1 for the smallest score, up to d for the largest; ties in the order of columns."""
    order = np.argsort(scores, kind="stable")
    ranks = np.empty(len(scores), dtype=np.int64)
    ranks[order] = np.arange(1, len(scores) + 1)
    return ranks
