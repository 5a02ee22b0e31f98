from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.labels import oracle

from labelief.labels import SoftLabels, pool_plausibilities


@given(oracle.mass_rows(), oracle.mass_rows(), st.floats(0.01, 1), st.floats(0.01, 1))
def test_pool_is_the_contour_of_dempsters_sum(one, two, first, second):
    a, b = oracle.labels_of(one, 3), oracle.labels_of(two, 3)
    pooled = pool_plausibilities([a, b], [first, second]).plausibilities
    summed = a.discount(first).combine(b.discount(second)).plausibilities
    np.testing.assert_allclose(
        pooled, summed / summed.max(axis=1, keepdims=True), rtol=1e-9, atol=1e-12
    )


def test_a_thousand_experts_do_not_underflow():
    a = SoftLabels.from_plausibilities([[1.0, 0.1, 0.2]])
    pooled = pool_plausibilities([a] * 1000, 0.0).plausibilities
    np.testing.assert_allclose(pooled, [[1, 0, 0]], atol=1e-300)


def test_order_of_classes_and_refusals():
    a = SoftLabels.from_crisp(["x", "y"], ["x", "y"])
    b = SoftLabels.from_crisp(["x", "x"], ["y", "x"])
    with pytest.raises(ValueError, match="total conflict in row 1"):
        pool_plausibilities([a, b])
    pooled = pool_plausibilities([a, b], 0.5)
    np.testing.assert_allclose(pooled.plausibilities, [[1, 0.25], [1, 1]])
    with pytest.raises(ValueError, match="same rows"):
        pool_plausibilities([a, b[:1]])
    with pytest.raises(ValueError, match="one expert"):
        pool_plausibilities([])
    with pytest.raises(ValueError, match="one per expert"):
        pool_plausibilities([a, b], [0.1])
