from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from papers.data import data_file, duplicate_groups, load


@pytest.mark.parametrize(
    ("name", "shape", "sizes"),
    [
        ("iris", (150, 4), [50, 50, 50]),
        ("ionosphere", (351, 33), [126, 225]),
        ("vowel", (990, 10), [90] * 11),
        ("breast_cancer_wisconsin_original", (683, 9), [444, 239]),
        ("crabs", (200, 5), [50] * 4),
    ],
)
def test_sets_have_the_size_that_the_papers_print(
    data_file: Callable[[str], Path], name: str, shape: tuple[int, int], sizes: list[int]
) -> None:
    if name != "iris":
        data_file(f"{name}.csv")
    X, y, names = load(name)
    assert X.shape == shape
    assert np.bincount(y).tolist() == sizes
    assert len(names) == len(sizes)
    assert np.isfinite(X).all()


def test_a_missing_file_names_the_variable_to_set() -> None:
    with pytest.raises(FileNotFoundError, match=r"no_such_file\.csv .* LABELIEF_DATA"):
        data_file("no_such_file.csv")


def test_equal_rows_share_a_group() -> None:
    groups = duplicate_groups(np.array([[2.0, 1.0], [0.0, 1.0], [2.0, 1.0]]))
    assert groups[0] == groups[2] != groups[1]
