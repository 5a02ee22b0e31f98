"""The data sets of the experiments: scikit-learn's, and files that do not ship.

Files are looked for in the folder that ``LABELIEF_DATA`` names, then in ``../shared/data``.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn import datasets

__all__ = ["Codes", "Floats", "data_file", "load", "duplicate_groups", "table"]

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]

_ROOT = Path(__file__).parents[1]
_BUNDLED = {
    "breastcancer": datasets.load_breast_cancer,
    "iris": datasets.load_iris,
    "wine": datasets.load_wine,
}
# Columns that say which part of the experiment a row belongs to.
_NO_FEATURES = ["split", "speaker"]


def data_file(name: str) -> Path:
    """Path of a data file."""
    folders = [os.environ.get("LABELIEF_DATA"), str(_ROOT.parent / "shared" / "data")]
    for folder in folders:
        if folder and (path := Path(folder) / name).is_file():
            return path
    raise FileNotFoundError(
        f"{name} is neither in the folder that LABELIEF_DATA names nor in ../shared/data: "
        "set LABELIEF_DATA."
    )


@cache
def table(name: str) -> pd.DataFrame:
    """Read a data file, ``NAME.csv`` or ``NAME.csv.gz``; shared, so not to be written to."""
    try:
        return pd.read_csv(data_file(f"{name}.csv"))
    except FileNotFoundError:
        return pd.read_csv(data_file(f"{name}.csv.gz"))


@cache
def load(name: str) -> tuple[Floats, Codes, tuple[str, ...]]:
    """Features, class codes and class names of a set with one label a row; shared.

    Rows with an empty cell and constant columns are left out: 16 rows of the original breast cancer
    set, column f2 of ionosphere.
    """
    if name in _BUNDLED:
        bunch: Any = _BUNDLED[name]()
        return bunch.data, bunch.target.astype(np.int64), tuple(map(str, bunch.target_names))
    rows = table(name).dropna()
    features = rows.drop(columns=[*_NO_FEATURES, "label"], errors="ignore").to_numpy(np.float64)
    names, codes = np.unique(rows["label"].to_numpy(), return_inverse=True)
    varying = features.min(axis=0) < features.max(axis=0)
    return features[:, varying], codes.astype(np.int64), tuple(map(str, names))


def duplicate_groups(X: Floats) -> Codes:
    """Return a number per row, equal rows alike, so that none is trained on and tested at once."""
    return np.unique(X, axis=0, return_inverse=True)[1].ravel().astype(np.int64)
