"""Comparison of classifiers where the truth is uncertain."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from labelief._typing import BoolArray, FloatArray, IntArray
from labelief.labels.html import html_table
from labelief.labels.tables import make_frame
from labelief.metrics.errors import check_pessimism
from labelief.metrics.targets import row_weights
from labelief.model_selection.intervals import IntervalEstimate, estimate_on_folds
from labelief.model_selection.out_of_fold import read_data, read_folds
from labelief.model_selection.uncertainty import estimate_mean

__all__ = ["ModelRanking", "rank_models"]

# Columns that a terminal and a notebook show.
_SHOWN = (
    *("model", "lower", "upper", "expected", "gap", "gap_se", "label_log_loss"),
    *("fit_seconds", "surely_beaten_by"),
)


@dataclass(frozen=True, eq=False)
class ModelRanking:
    """What :func:`rank_models` found, best model first.

    Attributes
    ----------
    names : tuple of str
        The models, by expected error.
    results : dict
        :class:`IntervalEstimate` of each model, in the same order.
    pessimism : float
        Weight of the upper error in ``expected``.
    expected : (M,) array
        ``pessimism * upper + (1 - pessimism) * lower``.
    gap, gap_se : (M,) arrays
        Expected error minus that of the first model, and the standard error of that difference
        (paired over objects, or groups).
    surely_beats : (M, M) bool array
        ``surely_beats[a, b]``: the upper error of a is below the lower error of b.
    """

    names: tuple[str, ...]
    results: dict[str, IntervalEstimate]
    pessimism: float
    expected: FloatArray
    gap: FloatArray
    gap_se: FloatArray
    surely_beats: BoolArray

    @property
    def undominated(self) -> tuple[str, ...]:
        """Names of the models that no other beats for sure (the maximal ones)."""
        return tuple(
            name
            for name, column in zip(self.names, self.surely_beats.T, strict=True)
            if not column.any()
        )

    def columns(self) -> dict[str, list[Any]]:
        """Return the table: column name to one value per model, best model first."""
        results = [self.results[name] for name in self.names]
        beaten_by = [
            ", ".join(name for name, wins in zip(self.names, column, strict=True) if wins)
            for column in self.surely_beats.T
        ]
        return {
            "model": list(self.names),
            "lower": [result.lower for result in results],
            "lower_se": [result.lower_se for result in results],
            "upper": [result.upper for result in results],
            "upper_se": [result.upper_se for result in results],
            "confidence_low": [result.confidence_interval[0] for result in results],
            "confidence_high": [result.confidence_interval[1] for result in results],
            "expected": self.expected.tolist(),
            "gap": self.gap.tolist(),
            "gap_se": self.gap_se.tolist(),
            "label_log_loss": [result.label_log_loss for result in results],
            "label_log_loss_se": [result.label_log_loss_se for result in results],
            "fit_seconds": [float(result.fit_seconds.mean()) for result in results],
            "surely_beaten_by": beaten_by,
        }

    def to_frame(self, backend: str = "pandas") -> Any:
        """Return the table as a data frame.

        Parameters
        ----------
        backend : str
            Library that makes the frame: ``"pandas"``, ``"polars"``, ``"pyarrow"``...

        Returns
        -------
        data frame
            One row per model, best first.
        """
        return make_frame(self.columns(), backend)

    def __repr__(self) -> str:
        table = self.columns()
        cells = [[name, *map(_text, table[name])] for name in _SHOWN]
        widths = [max(map(len, column)) for column in cells]
        rows = zip(*cells, strict=True)
        lines = [
            "  ".join(
                cell.ljust(width) if j in (0, len(_SHOWN) - 1) else cell.rjust(width)
                for j, (cell, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in rows
        ]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        table = self.columns()
        words = {"model", "surely_beaten_by"}
        rows = zip(*([_text(value) for value in table[name]] for name in _SHOWN), strict=True)
        count = f"{len(self.names)} model{'s' if len(self.names) > 1 else ''}"
        return html_table(
            f"{count} by expected error at pessimism {self.pessimism:g}, best first",
            _SHOWN,
            rows,
            numbers=frozenset(_SHOWN) - words,
        )


def _text(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def rank_models(
    models: Mapping[str, Any],
    X: Any,
    y: Any,
    cv: Any = 10,
    groups: Any = None,
    pessimism: float = 0.5,
    *,
    confidence: float = 0.95,
    sample_weight: Any = None,
    classes: Any = None,
    truth: Any = None,
    n_jobs: int | None = None,
    callback: Callable[[str, IntervalEstimate], Any] | None = None,
) -> ModelRanking:
    """Rank classifiers by cross-validation on the same folds (quost2017 §4.2).

    One model beats another *for sure* if its upper error is below the other's lower error: no way
    in which the labels could turn out reverses that (sampling could: see ``gap_se``). Where this
    partial order is silent, the expected error at ``pessimism`` decides. The order by expected
    error never contradicts the sure order, since expected errors lie between lower and upper.

    Parameters
    ----------
    models : dict of str to classifier
        What is compared. A plain scikit-learn classifier needs crisp ``y``: of `SoftLabels` it
        sees each row's single most plausible class only, and rows without one are refused.
    X, y, cv, groups, confidence, sample_weight, classes, truth, n_jobs
        As in :func:`cross_validate_interval`.
    pessimism : float
        Weight of the upper error, in [0, 1].
    callback : callable, optional
        Called with each model's name and estimate as soon as there is one.

    Returns
    -------
    ModelRanking
        A readable table, best model first; ``to_frame()`` for a data frame.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from labelief.model_selection import rank_models
    >>> X, y = load_iris(return_X_y=True)
    >>> ranking = rank_models({"guess": DummyClassifier(), "bayes": GaussianNB()}, X, y, cv=5)
    >>> ranking.names, ranking.undominated
    (('bayes', 'guess'), ('bayes',))
    """
    check_pessimism(pessimism)
    if not isinstance(models, Mapping) or not models:
        raise ValueError("models must be a dict {name: estimator} with at least one entry")
    data = read_data(X, y, groups, sample_weight, truth)
    folds = read_folds(cv, data, groups)
    found: dict[str, IntervalEstimate] = {}
    for name, estimator in models.items():
        try:
            found[name] = estimate_on_folds(
                estimator, data, folds, groups, confidence, classes, n_jobs
            )
            if callback is not None:
                callback(name, found[name])
        except Exception as error:
            error.add_note(f"while ranking the model {name!r}")
            raise
    expected = np.array([result.expected(pessimism) for result in found.values()])
    order = np.argsort(expected, kind="stable")
    names = tuple(np.array(list(found), dtype=object)[order].tolist())
    results = {name: found[name] for name in names}
    gaps = _paired_gaps(list(results.values()), pessimism, data.sample_weight, groups)
    lower = np.array([result.lower for result in results.values()])
    upper = np.array([result.upper for result in results.values()])
    return ModelRanking(
        names=names,
        results=results,
        pessimism=pessimism,
        expected=expected[order],
        gap=expected[order] - expected[order[0]],
        gap_se=gaps,
        surely_beats=upper[:, None] < lower[None, :],
    )


def _paired_gaps(
    results: list[IntervalEstimate], pessimism: float, sample_weight: Any, groups: Any
) -> FloatArray:
    """Return the standard error of each model's expected error minus the first model's."""
    losses = [
        pessimism * result.upper_losses + (1 - pessimism) * result.lower_losses
        for result in results
    ]
    n = losses[0].size
    rows = np.flatnonzero(np.isfinite(losses[0]))
    weights = row_weights(sample_weight, n)
    clusters: IntArray = np.arange(n)
    if groups is not None:
        clusters = np.unique(groups, return_inverse=True)[1]
    return np.array(
        [
            estimate_mean((loss - losses[0])[rows], weights[rows], clusters[rows]).standard_error
            for loss in losses
        ]
    )
