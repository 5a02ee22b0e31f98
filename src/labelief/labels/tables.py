"""Data frames in and out, through narwhals: pandas, polars, pyarrow and their like."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from labelief._typing import FloatArray
from labelief.labels.class_names import Names, as_classes
from labelief.labels.focal import FocalSets


def is_frame(table: Any) -> bool:
    """Say whether an object is a data frame that narwhals knows.

    Parameters
    ----------
    table : object
        Anything.

    Returns
    -------
    bool
        True for an eager data frame.
    """
    # narwhals takes its time to see that an array is none
    return not isinstance(table, np.ndarray) and bool(nw.dependencies.is_into_dataframe(table))


def frame_matrix(table: Any, name: str = "y") -> tuple[Names, NDArray[Any]]:
    """Read a frame whose columns name the classes.

    Parameters
    ----------
    table : data frame
        One numeric or boolean column per class.
    name : str, default="y"
        What the frame is, for messages.

    Returns
    -------
    names : (K,) array
        Column names.
    matrix : (n, K) array
        The numbers; missing entries are NaN.
    """
    frame = nw.from_native(table, eager_only=True)
    for column in frame.columns:
        dtype = frame.get_column(column).dtype
        if not (dtype.is_numeric() or dtype == nw.Boolean):
            raise ValueError(
                f"{name} has the column {column!r} of type {dtype}: every column is a class and "
                "holds numbers"
            )
    names = as_classes(list(frame.columns))
    return names, np.asarray(frame.to_numpy())


def table_column(table: Any, column: Any, role: str) -> Any:
    """Take one column of a frame or of a mapping of arrays.

    Parameters
    ----------
    table : data frame or mapping
        The table.
    column : str
        Column name.
    role : str
        The parameter that names the column, for messages.

    Returns
    -------
    series or array-like
        The column.
    """
    if isinstance(table, Mapping):
        names = list(table)
    else:
        try:
            table = nw.from_native(table, eager_only=True)
        except TypeError:
            raise ValueError(
                f"table must be a data frame or a dict of columns, got {type(table).__name__}"
            ) from None
        names = list(table.columns)
    if column not in names:
        raise ValueError(f"{role}={column!r} is not a column of the table; it has {names}")
    values = table[column]
    return values.to_native() if isinstance(values, nw.Series) else values


def make_frame(columns: Mapping[Any, Any], backend: str) -> Any:
    """Make a data frame from named columns.

    Parameters
    ----------
    columns : mapping
        Name to values.
    backend : str
        Module that makes the frame: ``"pandas"``, ``"polars"``, ``"pyarrow"``...

    Returns
    -------
    data frame
        A frame of that library; only pandas keeps names that are not text.
    """
    try:
        importlib.import_module(backend)
    except ImportError:
        raise ImportError(
            f"a frame of {backend} needs {backend}: `pip install {backend}`, or name a library "
            "that is installed by backend="
        ) from None
    if backend == "pandas":
        import pandas

        return pandas.DataFrame(dict(columns))
    named = {str(name): values for name, values in columns.items()}
    return nw.from_dict(named, backend=backend).to_native()  # type: ignore[arg-type]


def matrix_columns(matrix: FloatArray, classes: Names) -> dict[Any, FloatArray]:
    """Name the columns of a matrix by class.

    Parameters
    ----------
    matrix : (n, K) float64 array
        The numbers.
    classes : (K,) array
        The names.

    Returns
    -------
    dict
        Class name to column.
    """
    return {name: matrix[:, k] for k, name in enumerate(classes.tolist())}


def mass_columns(focal: FocalSets, classes: Names) -> dict[str, Any]:
    """Write mass functions as the columns of a table with one row per focal set.

    Parameters
    ----------
    focal : FocalSets
        Explicit focal sets.
    classes : (K,) array
        Names of the classes.

    Returns
    -------
    dict
        ``row`` (counted from 0), ``focal_set`` (a tuple of class names), ``mass``.
    """
    names = classes.tolist()
    listed = [names[k] for k in np.nonzero(focal.members)[1]]
    ends = np.cumsum(focal.cardinality)
    sets = [
        tuple(listed[start:stop])
        for start, stop in zip((ends - focal.cardinality).tolist(), ends.tolist(), strict=True)
    ]
    return {"row": focal.rows, "focal_set": sets, "mass": focal.mass}
