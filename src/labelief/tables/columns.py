"""What kind of column each one is, recognised from its values and said with a reason."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from labelief._typing import FloatArray

__all__ = [
    "MISSING",
    "Column",
    "ColumnKind",
    "as_booleans",
    "as_numbers",
    "as_words",
    "recognise",
]

ColumnKind = str
"""numeric, boolean or categorical (used); id, date, text, constant or empty (left out)."""

MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", "?", "<na>", "nat"})
"""What a cell says that says nothing, in small letters."""

_TRUE = frozenset({"true", "yes", "y", "t"})
_FALSE = frozenset({"false", "no", "n", "f"})
_DATE = re.compile(
    r"\d{4}-\d{1,2}-\d{1,2}([T ]\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?"
    r"|\d{1,2}[./]\d{1,2}[./](\d{4}|\d{2})( \d{1,2}:\d{2}(:\d{2})?)?"
)
_ID_NAME = re.compile(r"(^|[_\W])(id|uid|uuid|guid|key|index|idx|no|nr)$", re.IGNORECASE)
# Texts of more words than this on average are sentences.
_WORDS = 4.0
# A column of words where more than half of the rows have one of their own tells rows, not kinds.
_OWN = 0.5
# A column of numbers of which less than this share is something else has slips, not kinds.
_STRAY = 0.1
_COMMA = re.compile(r"[+-]?\d+(,\d+)?")
# Below so many rows nothing is said to be an id by its values alone.
_FEW = 20


@dataclass(frozen=True)
class Column:
    """A column's name, its kind and how that was seen.

    Attributes
    ----------
    name : str
    kind : str
    reason : str
        A phrase that completes "recognised as ..., because ...".
    missing : int
        Rows without a value.
    """

    name: str
    kind: ColumnKind
    reason: str
    missing: int


def recognise(frame: pd.DataFrame, names: Iterable[str] | None = None) -> list[Column]:
    """Say what kind each column is.

    Parameters
    ----------
    frame : DataFrame
        As :func:`labelief.tables.read_table` gives it, or any other.
    names : iterable of str, default=None
        Some of the columns; by default all.

    Returns
    -------
    list of Column

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"size": ["1.5", "", "2"], "colour": ["red", "blue", "red"]})
    >>> [(column.name, column.kind, column.missing) for column in recognise(frame)]
    [('size', 'numeric', 1), ('colour', 'categorical', 0)]
    """
    return [
        _kind_of(str(name), frame[name]) for name in (frame.columns if names is None else names)
    ]


def _kind_of(name: str, values: pd.Series) -> Column:
    words = as_words(values)
    known = words[words != ""]
    missing = len(words) - len(known)

    def found(kind: str, reason: str) -> Column:
        return Column(name, kind, reason, missing)

    if len(known) == 0:
        return found("empty", "no row has a value")
    distinct = known.unique()
    if len(distinct) == 1 and missing == 0:
        return found("constant", f"every row says {_short(distinct[0])}")
    if pd.api.types.is_datetime64_any_dtype(values):
        return found("date", "its type is a date")
    if pd.api.types.is_bool_dtype(values) or _all_in(distinct, _TRUE | _FALSE):
        return found("boolean", "its values are yes and no")
    numbers = as_numbers(known)
    if not np.isnan(numbers).any():
        return _number_kind(name, numbers, len(distinct), missing)
    if all(_DATE.fullmatch(value) for value in distinct[:1000]):
        return found("date", "its values are written like dates")
    share = len(distinct) / len(known)
    if float(np.mean([value.count(" ") + 1 for value in distinct[:1000]])) > _WORDS:
        return found("text", "its values are sentences")
    if len(known) >= _FEW and share > _OWN:
        if np.isnan(numbers).mean() < _STRAY:
            stray = known.to_numpy()[np.isnan(numbers)]
            return found(
                "text", f"numbers, but {len(stray)} of {len(known)} are not, as {_short(stray[0])}"
            )
        if all(_COMMA.fullmatch(value) for value in distinct):
            return found("text", f"decimal commas, as {_short(distinct[0])}: write points")
        if len(distinct) == len(known):
            return found("id", "every row has a value of its own")
        return found("text", f"{len(distinct)} different values in {len(known)} rows")
    return found("categorical", f"{len(distinct)} different values")


def _number_kind(name: str, numbers: FloatArray, distinct: int, missing: int) -> Column:
    whole = bool(np.all(np.abs(numbers) < 2**53) and np.all(numbers == np.round(numbers)))
    own = whole and distinct == len(numbers) and missing == 0
    if own and _ID_NAME.search(name):
        return Column(name, "id", "by its name, and every row has a number of its own", missing)
    if own and len(numbers) >= _FEW and len(set(np.diff(numbers))) == 1:
        return Column(name, "id", "its values count the rows", missing)
    return Column(name, "numeric", "all its values are numbers", missing)


def as_words(values: pd.Series) -> pd.Series:
    """Return each cell as text without blanks around it, "" where it says nothing."""
    if pd.api.types.is_numeric_dtype(values) and not pd.api.types.is_bool_dtype(values):
        numbers = values.to_numpy(dtype=np.float64, na_value=np.nan)
        words = pd.Series([_number_text(value) for value in numbers], dtype=object)
    else:
        words = values.astype(object).where(values.notna(), "").map(str).str.strip()
        words = words.astype(object).reset_index(drop=True)
    return words.where(~words.str.lower().isin(MISSING), "")


def _number_text(value: float) -> str:
    if np.isnan(value):
        return ""
    return str(int(value)) if value == round(value) and abs(value) < 2**53 else repr(float(value))


def as_numbers(values: pd.Series) -> FloatArray:
    """Return cells as doubles, NaN where they say nothing or are no number (as ``isnan`` shows)."""
    if pd.api.types.is_numeric_dtype(values) or pd.api.types.is_bool_dtype(values):
        return values.to_numpy(dtype=np.float64, na_value=np.nan)
    return pd.to_numeric(values, errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)


def as_booleans(values: pd.Series) -> FloatArray:
    """Return 1 for yes, 0 for no, NaN for anything else."""
    words = as_words(values).str.lower()
    yes = words.isin(_TRUE | {"1"}).to_numpy()
    no = words.isin(_FALSE | {"0"}).to_numpy()
    return np.where(yes, 1.0, np.where(no, 0.0, np.nan))


def _all_in(values: Any, words: frozenset[str]) -> bool:
    return len(values) <= len(words) and all(str(value).lower() in words for value in values)


def _short(value: str) -> str:
    return repr(value if len(value) <= 30 else value[:27] + "...")
