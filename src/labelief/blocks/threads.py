"""Threads over chunks of blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from contextvars import copy_context
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController

__all__ = ["single_threaded_blas", "thread_count", "threaded_map"]


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


def thread_count() -> int:
    """Return how many threads to use: what BLAS is allowed to.

    So ``OMP_NUM_THREADS``, ``threadpoolctl.threadpool_limits`` and joblib's limits in worker
    processes hold here too.
    """
    pools = [pool["num_threads"] for pool in _controller().info() if pool["user_api"] == "blas"]
    return max(pools, default=1)


def single_threaded_blas() -> AbstractContextManager[Any]:
    """Keep BLAS to one thread for each of ours while blocks run side by side."""
    limit: AbstractContextManager[Any] = _controller().limit(limits=1, user_api="blas")
    return limit


def threaded_map(function: Callable[[Any], Any], items: list[Any], n_threads: int) -> Iterable[Any]:
    """Yield ``function(item)`` in order, computed on `n_threads` threads."""
    if n_threads == 1 or len(items) == 1:
        yield from map(function, items)
        return
    with single_threaded_blas(), ThreadPoolExecutor(n_threads) as executor:
        # NumPy's error state belongs to the context; a thread starts with a fresh one.
        contexts = [copy_context() for _ in items]
        yield from executor.map(lambda context, item: context.run(function, item), contexts, items)
