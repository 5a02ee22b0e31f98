"""Reading loss matrices."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from labelief.labels.class_names import as_classes
from labelief.metrics.losses import read_loss


def test_arrays_are_copied_and_frames_matched():
    given = np.arange(9.0).reshape(3, 3)
    read = read_loss(given, 3)
    read[0, 0] = 99
    assert given[0, 0] == 0
    names = as_classes(["a", "b", "c"])
    frame = pd.DataFrame(given, index=["c", "a", "b"], columns=["b", "c", "a"])
    found = read_loss(frame, 3, names)
    for predicted in "abc":
        for true in "abc":
            position = "abc".index(predicted), "abc".index(true)
            assert found[position] == frame.loc[predicted, true]


@pytest.mark.parametrize(
    ("loss", "message"),
    [
        (np.zeros((2, 3)), r"\(2, 3\), but must be \(2, 2\)"),
        (np.zeros(4), r"\(4,\)"),
        ([[0, np.inf], [1, 0]], r"loss\[0, 1\] is inf"),
        (pd.DataFrame(np.eye(2), index=["a", "b"], columns=["a", "z"]), "columns of loss"),
        (pd.DataFrame(np.eye(2)), "rows of loss"),
    ],
)
def test_refusals(loss, message):
    with pytest.raises(ValueError, match=message):
        read_loss(loss, 2, as_classes(["a", "b"]))
