from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from labelief.blocks.records import add, map_leaves, record_to_host


class Pair(NamedTuple):
    total: float
    table: np.ndarray


class Nest(NamedTuple):
    pair: Pair
    other: tuple
    nothing: None = None


def nest(factor=1.0):
    pair = Pair(2.0 * factor, factor * np.arange(6.0).reshape(2, 3))
    return Nest(pair, (factor, np.full(2, factor)))


def test_sum_is_leaf_by_leaf_and_keeps_the_types():
    left, right = nest(), nest(10.0)
    got = add(left, right)
    assert type(got) is Nest
    assert type(got.pair) is Pair
    assert type(got.other) is tuple
    assert got.pair.total == 22.0
    np.testing.assert_array_equal(got.pair.table, 11.0 * np.arange(6.0).reshape(2, 3))
    np.testing.assert_array_equal(got.other[1], [11.0, 11.0])
    assert got.nothing is None
    np.testing.assert_array_equal(left.pair.table, nest().pair.table)
    np.testing.assert_array_equal(right.pair.table, nest(10.0).pair.table)


def test_a_record_may_be_a_bare_number_an_array_or_nothing():
    assert add(1.0, 2.0) == 3.0
    np.testing.assert_array_equal(add(np.ones(3), np.ones(3)), [2.0, 2.0, 2.0])
    assert add(None, None) is None
    assert add((), ()) == ()


def test_records_of_different_shapes_do_not_add():
    with pytest.raises(ValueError, match="shorter"):
        add((1.0, 2.0), (1.0,))


def test_leaves_are_visited_in_order():
    seen = []
    map_leaves(seen.append, (1, (2, None, (3,)), 4))
    assert seen == [1, 2, 3, 4]


def test_host_records_are_numpy_doubles(xp):
    record = Pair(xp.sum(xp.asarray([1.0, 2.0])), xp.asarray([[1.0, 2.0]], dtype=xp.float32))
    got = record_to_host(record)
    assert type(got) is Pair
    assert type(got.total) is float
    assert got.total == 3.0
    assert type(got.table) is np.ndarray
    assert got.table.dtype == np.float64
    np.testing.assert_array_equal(got.table, [[1.0, 2.0]])
