from __future__ import annotations

import threading
import time

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from labelief.blocks import threads


@pytest.mark.parametrize("n_threads", [1, 2, 5])
def test_results_come_in_the_order_of_the_items(n_threads):
    def slower_at_first(item):
        time.sleep(0.002 * (4 - item))
        return item * item

    got = list(threads.threaded_map(slower_at_first, list(range(5)), n_threads))
    assert got == [0, 1, 4, 9, 16]


def test_items_run_side_by_side():
    # Each waits for the other: in turn they would never get past the barrier.
    barrier = threading.Barrier(2, timeout=20)
    got = list(threads.threaded_map(lambda item: (barrier.wait(), item)[1], [0, 1], 2))
    assert got == [0, 1]


@pytest.mark.parametrize("n_threads", [1, 2])
def test_an_error_in_a_thread_is_the_callers(n_threads):
    def fail(item):
        raise ZeroDivisionError(f"item {item}")

    with pytest.raises(ZeroDivisionError, match="item 0"):
        list(threads.threaded_map(fail, [0, 1, 2], n_threads))


def test_one_item_stays_in_the_callers_thread():
    (where,) = threads.threaded_map(lambda item: threading.get_ident(), [0], 4)
    assert where == threading.get_ident()


def test_the_limit_of_the_caller_holds():
    with threadpool_limits(1, user_api="blas"):
        assert threads.thread_count() == 1
    assert threads.thread_count() >= 1


def test_blas_has_one_thread_while_blocks_run_side_by_side():
    got = list(threads.threaded_map(lambda item: threads.thread_count(), [0, 1, 2], 2))
    assert got == [1, 1, 1]


def test_the_limit_is_lifted_afterwards():
    before = threads.thread_count()
    with threads.single_threaded_blas():
        assert threads.thread_count() == 1
    assert threads.thread_count() == before


@pytest.mark.parametrize("n_threads", [1, 2])
def test_the_callers_error_state_holds_on_threads(n_threads):
    def overflow(item):
        return float(np.exp(np.array([1e4]))[0])

    with np.errstate(over="ignore"):
        assert list(threads.threaded_map(overflow, [0, 1, 2], n_threads)) == [np.inf] * 3
    with np.errstate(over="raise"), pytest.raises(FloatingPointError):
        list(threads.threaded_map(overflow, [0, 1, 2], n_threads))
