"""From the columns of a table to numbers: one stated treatment, kept with the model."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from labelief._typing import FloatArray
from labelief.tables.columns import as_booleans, as_numbers, as_words, recognise
from labelief.tables.files import TableError

__all__ = ["TablePreprocessor"]

# Levels of a categorical column that get a column of their own; the rest share one.
_MOST_LEVELS = 30
# A number above this is a slip, and its square no number.
_LARGEST = 1e100


class TablePreprocessor(TransformerMixin, BaseEstimator):
    """Make a table's columns numbers of mean 0 and variance 1; leave out what says nothing.

    - numeric and boolean: the median of the training rows where a value is missing, and beside it,
      where that happened in training, a column that says so; then centred and scaled;
    - categorical: a 0/1 column for each level but the commonest ("missing" is a level, where it
      occurs), centred and scaled; a level that training did not see counts as the commonest.  Of
      more than 30 levels the 30 commonest have a column each, and all others are 0 in each;
    - ids, dates, sentences, constant and empty columns are left out.

    Parameters
    ----------
    kinds : dict of str to str, default=None
        Kind of each column, where it is known; by default it is recognised from the rows of the
        fit, which in a part of a table may look otherwise than in the whole.

    Attributes
    ----------
    columns_ : list of dict
        name, kind, reason and missing rows of every column seen in training.
    used_ : list of str
        The columns that are used, which a table must have at predict.
    levels_ : dict
        Levels of each categorical column that have a column, commonest first; "" is "missing".
    base_ : dict
        The commonest level of each categorical column, where it has no column.
    n_features_out_ : int

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"size": [1.0, None, 3.0], "colour": ["red", "blue", "red"]})
    >>> numbers = TablePreprocessor().fit(frame)
    >>> numbers.get_feature_names_out().tolist()
    ['size', 'size missing', 'colour=blue']
    >>> numbers.transform(pd.DataFrame({"size": [2.0], "colour": ["green"]})).round(1)
    array([[ 0. , -0.7, -0.7]])
    """

    def __init__(self, kinds: dict[str, str] | None = None) -> None:
        self.kinds = kinds

    def fit(self, X: pd.DataFrame, y: Any = None) -> Self:
        """Recognise the columns and measure them.

        Parameters
        ----------
        X : DataFrame
        y : ignored
        """
        found = [
            column if self.kinds is None else replace(column, kind=self.kinds[column.name])
            for column in recognise(X)
        ]
        self.columns_ = [vars(column) for column in found]
        self.kinds_ = {
            column.name: column.kind
            for column in found
            if column.kind in ("numeric", "boolean", "categorical")
        }
        self.used_ = list(self.kinds_)
        if not self.used_:
            said = "; ".join(f"{column.name}: {column.kind}" for column in found) or "none at all"
            raise TableError(f"No column can be used as a feature ({said}).")
        self.fill_: dict[str, float] = {}
        self.gaps_: dict[str, bool] = {}
        self.levels_: dict[str, list[str]] = {}
        self.base_: dict[str, str | None] = {}
        for name, kind in self.kinds_.items():
            if kind == "categorical":
                counts = as_words(X[name]).value_counts()
                order = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
                levels = [str(level) for level, _ in order]
                few = len(levels) <= _MOST_LEVELS
                self.base_[name] = levels[0] if few else None
                self.levels_[name] = levels[1:] if few else levels[:_MOST_LEVELS]
            else:
                values = self._numbers(name, X[name])
                known = values[~np.isnan(values)]
                self.fill_[name] = float(np.median(known)) if len(known) else 0.0
                self.gaps_[name] = bool(np.isnan(values).any())
        raw = self._raw(X)
        self.mean_ = raw.mean(axis=0)
        deviation = raw.std(axis=0)
        self.scale_ = np.where(deviation > 1e-12 * np.abs(self.mean_), deviation, 1.0)
        self.n_features_out_ = raw.shape[1]
        return self

    def transform(self, X: pd.DataFrame) -> FloatArray:
        """Return the numbers, (n, n_features_out_).

        Parameters
        ----------
        X : DataFrame
            With every column of ``used_``; others are ignored.
        """
        check_is_fitted(self)
        lacking = [name for name in self.used_ if name not in X.columns]
        if lacking:
            raise TableError(
                f"The table has no column {lacking[0]!r}, which the model was trained with"
                + (f" (nor {', '.join(map(repr, lacking[1:4]))})" if lacking[1:] else "")
                + f". It has: {', '.join(map(str, X.columns[:12]))}"
                + ("..." if len(X.columns) > 12 else ".")
            )
        return np.asarray((self._raw(X) - self.mean_) / self.scale_)

    def unseen(self, X: pd.DataFrame) -> dict[str, list[str]]:
        """Return the levels of each categorical column that training did not see.

        Parameters
        ----------
        X : DataFrame
        """
        check_is_fitted(self)
        new = {
            name: sorted(set(as_words(X[name]).unique()) - {*levels, self.base_[name], ""})
            for name, levels in self.levels_.items()
            if self.base_[name] is not None
        }
        return {name: levels for name, levels in new.items() if levels}

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Return what each number is.

        Parameters
        ----------
        input_features : ignored
        """
        check_is_fitted(self)
        names: list[str] = []
        for name, kind in self.kinds_.items():
            if kind == "categorical":
                names += [f"{name}={level or 'missing'}" for level in self.levels_[name]]
            else:
                names += [name, f"{name} missing"] if self.gaps_[name] else [name]
        return np.array(names, dtype=object)

    def _raw(self, X: pd.DataFrame) -> FloatArray:
        blocks: list[FloatArray] = []
        for name, kind in self.kinds_.items():
            if kind == "categorical":
                words = as_words(X[name]).to_numpy()
                blocks += [np.where(words == level, 1.0, 0.0) for level in self.levels_[name]]
                continue
            values = self._numbers(name, X[name])
            gaps = np.isnan(values)
            blocks.append(np.where(gaps, self.fill_[name], values))
            if self.gaps_[name]:
                blocks.append(np.where(gaps, 1.0, 0.0))
        return np.column_stack(blocks) if blocks else np.empty((len(X), 0))

    def _numbers(self, name: str, column: pd.Series) -> FloatArray:
        words = as_words(column)
        numbers = as_booleans(words) if self.kinds_[name] == "boolean" else as_numbers(words)
        wrong = np.flatnonzero(
            (np.isnan(numbers) & (words != "").to_numpy()) | (np.abs(numbers) > _LARGEST)
        )
        if len(wrong):
            raise TableError(
                f"Column {name!r} holds {self.kinds_[name]} values, but row {wrong[0]} (counted "
                f"from 0) says {words.iloc[wrong[0]][:40]!r}."
            )
        return numbers
