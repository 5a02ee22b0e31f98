from __future__ import annotations

import numpy as np
import pytest
from tests.neighbors.multilabel_oracle import statements

from labelief.labels.label_matrix import read_label_matrix
from labelief.neighbors.statements import Statements


@pytest.mark.parametrize("Q", [1, 3, 64, 65, 500])
def test_statements_give_the_rows_back(Q):
    rng = np.random.default_rng(Q)
    y = statements(rng, (12, Q), 0.4)[rng.integers(12, size=50)]
    found = Statements.of(read_label_matrix(y))
    assert len(found.inside) == len(np.unique(np.nan_to_num(y, nan=2.0), axis=0))
    table = found.table(found.kind)
    np.testing.assert_array_equal(table[:, :Q], y == 1)
    np.testing.assert_array_equal(table[:, Q:], y == 0)
