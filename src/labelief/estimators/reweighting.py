"""Teaching a scikit-learn classifier responsibilities: rows repeated, once for each likely class.

A copy of row i labelled k has the weight ``w_i ζ_ik``, so that a classifier that minimises a
weighted loss minimises ``Σ_ik w_i ζ_ik loss(k, x_i)``, the expected complete-data loss.
"""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.utils import _safe_indexing, get_tags

from labelief._typing import FloatArray, IntArray
from labelief.estimators.fold_dealing import fold_numbers
from labelief.labels.class_names import Names, as_classes
from labelief.metrics.columns import align_columns

__all__ = ["check_abilities", "log_probabilities", "probabilities", "teach", "teach_crisp"]


def check_abilities(estimator: Any) -> None:
    """Refuse an estimator that cannot be taught, naming what it lacks."""
    name = type(estimator).__name__
    for method, use in (("fit", "is refitted"), ("predict_proba", "gives class probabilities")):
        if not hasattr(estimator, method):
            cure = ". Wrap it in scikit-learn's CalibratedClassifierCV" if method != "fit" else ""
            raise ValueError(
                f"estimator must be a classifier that {use}, but {name} has no {method}{cure}."
            )
    if _weight_parameter(estimator) is None:
        raise ValueError(
            f"estimator must take weights of rows, but the fit of {name} has no sample_weight: "
            "soft labels are taught by copies of rows that weigh more or less."
        )
    if get_tags(estimator).input_tags.pairwise:
        raise ValueError(
            f"{name} takes distances or kernels between rows for X, of which rows cannot be "
            "repeated: give it features."
        )


def _weight_parameter(estimator: Any) -> str | None:
    """Return the name by which ``fit`` takes weights, or None if it takes none."""
    if hasattr(estimator, "steps"):
        name, last = estimator.steps[-1]
        inner = _weight_parameter(last)
        if inner is None or get_config()["enable_metadata_routing"]:
            return inner and "sample_weight"
        return f"{name}__{inner}"
    parameters = inspect.signature(estimator.fit).parameters
    if "sample_weight" in parameters:
        return "sample_weight"
    if not any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters.values()):
        return None
    # Searches and ensembles hand on what they are given.
    if hasattr(estimator, "estimators"):
        parts = [part for _, part in estimator.estimators if hasattr(part, "fit")]
        named = {_weight_parameter(part) for part in parts}
        return "sample_weight" if named == {"sample_weight"} else None
    inner = getattr(estimator, "estimator", None)
    return None if inner is None else _weight_parameter(inner)


def teach_crisp(
    estimator: Any, X: Any, codes: IntArray, classes: Names, weights: FloatArray | None, groups: Any
) -> Any:
    """Fit a clone to one label for each row: what anybody would do without this library."""
    learner = clone(estimator)
    if groups is not None:
        _keep_together(learner, codes, groups)
    return _fit(learner, X, classes[codes], weights)


def teach(
    estimator: Any,
    X: Any,
    responsibilities: FloatArray,
    classes: Names,
    weights: FloatArray | None,
    *,
    min_share: float,
    groups: Any,
) -> Any:
    """Fit a clone to responsibilities.

    Parameters
    ----------
    estimator : classifier
        Cloned.
    X : (n, ...) array, sparse matrix, frame or list
    responsibilities : (n, K) array
        Rows of 0 are left out.
    classes : (K,) array
    weights : (n,) array or None
    min_share : float
        A class with no more than this share of the row's largest responsibility gets no copy; what
        is left of the row keeps its whole weight.
    groups : (n,) integer array or None
        Where the classifier splits its rows, by a number of folds or a splitter as `cv`, copies of
        a row stay together; and so do rows of a group.

    Returns
    -------
    classifier
        Fitted.  Where all copies are of one class, one that knows no other.
    """
    largest = np.max(responsibilities, axis=1, keepdims=True)
    kept = np.where(responsibilities > min_share * largest, responsibilities, 0.0)
    # One copy after another of the same row: the order of the rows stays.
    rows, codes = np.nonzero(kept)
    shares = kept[rows, codes] / np.sum(kept, axis=1)[rows]
    copies = shares if weights is None else shares * weights[rows]
    copied = X if np.array_equal(rows, np.arange(len(kept))) else _safe_indexing(X, rows)
    labels = classes[codes]
    if np.all(codes == codes[0]):
        return DummyClassifier(strategy="prior").fit(copied, labels)
    learner = clone(estimator)
    strata = np.argmax(kept, axis=1)[rows]
    _keep_together(learner, strata, rows if groups is None else groups[rows])
    return _fit(learner, copied, labels, copies)


def _fit(learner: Any, X: Any, labels: Names, weights: FloatArray | None) -> Any:
    name = _weight_parameter(learner)
    return learner.fit(X, labels, **({} if weights is None else {str(name): weights}))


def _keep_together(learner: Any, strata: IntArray, groups: IntArray) -> None:
    """Give a classifier that splits its rows by `cv` splits that keep groups whole."""
    while hasattr(learner, "steps"):
        learner = learner.steps[-1][1]
    cv = learner.get_params(deep=False).get("cv", "none")
    if isinstance(cv, str):
        return
    if hasattr(cv, "split"):
        # It deals out one row for each group.
        _, first, members = np.unique(groups, return_index=True, return_inverse=True)
        pairs = cv.split(np.empty((len(first), 1)), strata[first], groups[first])
        splits = [(np.isin(members, train), np.isin(members, test)) for train, test in pairs]
    elif cv is None or isinstance(cv, int | np.integer):
        number = 5 if cv is None else int(cv)
        fold = fold_numbers(strata, groups, number, shuffle=False, random_state=None)
        splits = [(fold != f, fold == f) for f in range(number)]
    else:
        raise ValueError(
            f"cv of {type(learner).__name__} lists row numbers, but it is taught copies of rows: "
            "give a number of folds or a splitter."
        )
    learner.set_params(cv=[(np.flatnonzero(a), np.flatnonzero(b)) for a, b in splits])


def probabilities(fitted: Any, X: Any, classes: Names) -> FloatArray:
    """Return ``Pr(k | x)``, (n, K): 0 for classes that the classifier was not taught."""
    given = np.asarray(fitted.predict_proba(X))
    return np.asarray(align_columns(given, as_classes(fitted.classes_), classes, 0.0))


def log_probabilities(fitted: Any, X: Any, classes: Names) -> FloatArray:
    """Return ``log Pr(k | x)``, (n, K): by the classifier's own method where it has one."""
    with np.errstate(divide="ignore"):
        if hasattr(fitted, "predict_log_proba"):
            given = np.asarray(fitted.predict_log_proba(X), dtype=np.float64)
            return np.asarray(align_columns(given, as_classes(fitted.classes_), classes, -np.inf))
        return np.log(np.asarray(probabilities(fitted, X, classes), dtype=np.float64))
