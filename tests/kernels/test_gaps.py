from __future__ import annotations

import numpy as np
import pytest

from labelief.kernels.features import with_squares
from labelief.kernels.gaps import any_missing, filled, with_gaps
from labelief.kernels.namespace import to_host

Z = np.array([[1.0, np.nan, 3.0], [np.nan, np.nan, np.nan], [4.0, 5.0, -6.0]])


def test_what_is_missing_is_zero_and_marked(xp):
    z, gone = filled(xp.asarray(Z))
    np.testing.assert_array_equal(to_host(z), [[1, 0, 3], [0, 0, 0], [4, 5, -6]])
    np.testing.assert_array_equal(to_host(gone), np.isnan(Z))


def test_marks_stand_beside_the_features(xp):
    phi = to_host(with_gaps(with_squares, xp.asarray(Z)))
    assert phi.shape == (3, 10)
    np.testing.assert_array_equal(phi[:, :7], with_squares(np.nan_to_num(Z)))
    np.testing.assert_array_equal(phi[:, 7:], np.isnan(Z))


def test_complete_blocks_have_no_marks(xp):
    phi = with_gaps(with_squares, xp.asarray(Z[2:]))
    np.testing.assert_array_equal(to_host(phi), with_squares(Z[2:]))


@pytest.mark.parametrize(
    ("rows", "expected"), [(Z, True), (Z[2:], False), (np.full((2, 2), 1e308), False)]
)
def test_a_sum_tells_whether_something_is_missing(rows, expected, xp):
    with np.errstate(over="ignore"):
        assert any_missing(xp.asarray(rows)) is expected
