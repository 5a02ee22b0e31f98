"""What users hand in, read once: rows, weights, labels as evidence."""

from __future__ import annotations

from typing import Any

import numpy as np
from array_api_compat import is_array_api_obj, is_numpy_array
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from labelief._typing import Array, FloatArray
from labelief.blocks.evidence import Dense, Evidence, Indicator, Symbols
from labelief.channels.contract import Channel
from labelief.kernels.namespace import is_sparse, namespace, to_host
from labelief.labels.targets import Target

__all__ = [
    "check_amount",
    "check_count",
    "check_finite",
    "check_limits",
    "evidence_for",
    "evidence_of",
    "read_gappy_rows",
    "read_responsibilities",
    "read_rows",
    "read_weights",
    "told_weight",
]

# Rows at a time in the search for what is not finite.
_CHECKED_ROWS = 65_536


def check_count(name: str, value: Any) -> None:
    """Refuse a parameter that is no integer of 1 or more."""
    if not isinstance(value, int | np.integer) or value < 1:
        raise ValueError(f"{name} must be an integer of 1 or more, got {value!r}.")


def check_amount(name: str, value: Any) -> None:
    """Refuse a parameter that is no finite number of 0 or more."""
    if not isinstance(value, int | float | np.number) or not 0 <= float(value) < np.inf:
        raise ValueError(f"{name} must be a number of 0 or more, got {value!r}.")


def check_limits(estimator: Any) -> None:
    """Refuse settings of a run that make no sense."""
    check_count("max_iter", estimator.max_iter)
    check_amount("tol", estimator.tol)
    if estimator.acceleration not in (None, "squarem"):
        raise ValueError(f"acceleration must be None or 'squarem', got {estimator.acceleration!r}.")


def read_rows(
    estimator: Any, X: Any, *, reset: bool, sparse: bool = False, finite: bool = True
) -> Array:
    """Return validated rows, uncopied wherever they are numbers already.

    NumPy arrays, frames and lists go through scikit-learn; arrays of another array-API library stay
    where they are and are checked there.  Whoever sees NaN in what a first pass returns saves a
    pass by ``finite=False``, and calls :func:`check_finite` then.
    """
    if not reset:
        check_is_fitted(estimator)
    if is_array_api_obj(X) and not is_numpy_array(X):
        rows = _read_device_rows(estimator, X, reset=reset)
        check_finite(rows, type(estimator).__name__)
        return rows
    rows = validate_data(
        estimator,
        X,
        reset=reset,
        dtype="numeric",
        accept_sparse="csr" if sparse else False,
        ensure_all_finite=False,
    )
    if finite:
        check_finite(rows, type(estimator).__name__)
    return rows


def read_gappy_rows(estimator: Any, X: Any, *, reset: bool, missing: bool) -> tuple[Array, bool]:
    """Return validated rows as `read_rows` does, and whether features are missing (NaN) in them.

    Where `missing` is False, such rows are refused.
    """
    if is_array_api_obj(X) and not is_numpy_array(X):
        if not reset:
            check_is_fitted(estimator)
        rows = _read_device_rows(estimator, X, reset=reset)
    else:
        rows = read_rows(estimator, X, reset=reset, finite=False)
    return rows, check_finite(rows, type(estimator).__name__, missing=missing)


def check_finite(rows: Any, name: str, *, missing: bool = False) -> bool:
    """Refuse infinity, and NaN unless features may be missing, naming the first.

    One pass, and no copy, where there is none.  Returns whether features are missing.
    """
    if not is_sparse(rows) and not is_numpy_array(rows):
        return _check_finite_there(rows, name, missing=missing)
    values = rows.data if is_sparse(rows) else rows
    if values.dtype.kind != "f":
        return False
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(np.sum(values)):
            return False
    gaps = False
    for start in range(0, len(values), _CHECKED_ROWS):
        bad = ~np.isfinite(values[start : start + _CHECKED_ROWS])
        if missing:
            gone = np.isnan(values[start : start + _CHECKED_ROWS])
            gaps, bad = gaps or bool(np.any(gone)), bad & ~gone
        if np.any(bad):
            place = np.argwhere(bad)[0]
            value = values[start : start + _CHECKED_ROWS][tuple(place)]
            kind = "NaN" if np.isnan(value) else "infinity"
            first = start + place[0]
            where = f"row {first}, column {place[1]}" if len(place) > 1 else f"entry {first}"
            raise ValueError(_not_finite(kind, where, name, missing=missing))
    return gaps


def _check_finite_there(rows: Array, name: str, *, missing: bool) -> bool:
    """Check rows of another array library where they are."""
    xp = namespace(rows)
    if not xp.isdtype(rows.dtype, "real floating"):
        return False
    gone = xp.isnan(rows)
    bad = xp.logical_not(xp.isfinite(rows))
    bad = xp.logical_and(bad, xp.logical_not(gone)) if missing else bad
    if bool(xp.any(bad)):
        row = int(xp.argmax(xp.astype(xp.any(bad, axis=1), xp.int8)))
        column = int(xp.argmax(xp.astype(bad[row, :], xp.int8)))
        kind = "NaN" if bool(gone[row, column]) else "infinity"
        where = f"row {row}, column {column}"
        raise ValueError(_not_finite(kind, where, name, missing=missing))
    return bool(xp.any(gone))


def _not_finite(kind: str, where: str, name: str, *, missing: bool) -> str:
    """Say what stands where, and the cure."""
    start = f"Input X contains {kind}: the first stands in {where}. {name} takes "
    if missing:
        return (
            start + "numbers, and NaN for what is missing: set such entries to NaN, or clip them."
        )
    return (
        start + "finite numbers only: drop such rows, or fill them in by an imputer in a pipeline."
    )


def _read_device_rows(estimator: Any, X: Array, *, reset: bool) -> Array:
    xp = namespace(X)
    name = type(estimator).__name__
    if X.ndim != 2 or X.shape[0] == 0 or X.shape[1] == 0:
        raise ValueError(f"X must have rows and columns, got shape {tuple(X.shape)}.")
    if xp.isdtype(X.dtype, "complex floating"):
        raise ValueError("Complex data not supported: X must hold real numbers.")
    if reset:
        estimator.n_features_in_ = int(X.shape[1])
    elif X.shape[1] != estimator.n_features_in_:
        raise ValueError(
            f"X has {X.shape[1]} features, but {name} is expecting "
            f"{estimator.n_features_in_} features as input."
        )
    return X


def read_weights(sample_weight: Any, X: Array) -> FloatArray | None:
    """Return row weights, (n,), or None where all are 1."""
    if sample_weight is None:
        return None
    if is_array_api_obj(sample_weight) and not is_numpy_array(sample_weight):
        sample_weight = to_host(sample_weight)
    n_rows = np.empty((X.shape[0], 1))
    weights = np.asarray(_check_sample_weight(sample_weight, n_rows, dtype=np.float64))
    if np.any(weights < 0):
        raise ValueError(
            f"sample_weight of row {int(np.argmax(weights < 0))} is negative; weights must be 0 or "
            "more."
        )
    if not np.any(weights > 0):
        raise ValueError("Every sample_weight is 0: there is nothing to learn from.")
    return weights


def told_weight(target: Target, weights: FloatArray | None) -> float:
    """Return the weight of the rows whose label says anything."""
    told = target.told()
    return float(np.sum(told) if weights is None else weights @ told)


def read_responsibilities(
    R: Any, n_rows: int, n_components: int | None = None
) -> FloatArray | None:
    """Return a user's start, (n, J), rows summing to one; J is open if not given."""
    if R is None:
        return None
    start = to_host(R)
    shape = (n_rows, n_components or start.shape[-1]) if start.ndim == 2 else None
    if start.shape != shape:
        raise ValueError(
            "responsibilities must have one row per sample and one column per component, "
            f"({n_rows}, {n_components or 'J'}); got shape {start.shape}."
        )
    bad = ~np.all(np.isfinite(start) & (start >= 0), axis=1) | (np.sum(start, axis=1) <= 0)
    if np.any(bad):
        raise ValueError(
            f"Row {int(np.argmax(bad))} of responsibilities must hold finite numbers of 0 or more, "
            "not all 0."
        )
    return np.asarray(start / np.sum(start, axis=1, keepdims=True))


def evidence_for(channel: Channel, target: Target) -> Evidence:
    """Return labels as evidence of the form that a channel reads, or say that they are not."""
    evidence = evidence_of(target)
    if evidence.form != channel.form:
        cure = (
            "pool the votes by SoftLabels.from_votes, or use channel=AnnotatorNoise()"
            if evidence.form == "votes"
            else "give y as Votes, or use another channel"
        )
        raise ValueError(
            f"{type(channel).__name__} reads {channel.form}, but y holds {evidence.form}: {cure}."
        )
    return evidence


def evidence_of(target: Target) -> Evidence:
    """Return labels in the form that channels multiply with."""
    n_classes = len(target.classes)
    if target.codes is not None:
        symbols = np.where(target.codes < 0, n_classes, target.codes)
        if target.verified is not None:
            symbols = symbols + (n_classes + 1) * target.verified
        return Symbols(symbols.astype(_smallest_integer(2 * n_classes + 2)), n_classes)
    if target.plausibilities is not None:
        return Dense(target.plausibilities, target.verified)
    assert target.votes is not None
    votes = target.votes
    truth = np.where(votes.verified, votes.truth_codes, n_classes) if votes.verified.any() else None
    sets = votes.sets if len(votes.sets) else None
    return Indicator(votes.indicator(), votes.annotators, votes.answers, sets, truth)


def _smallest_integer(n_values: int) -> Any:
    return np.min_scalar_type(-n_values)
