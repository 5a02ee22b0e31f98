"""Timing of ours against a rival in turn, and the record of one row."""

from __future__ import annotations

import gc
import os
import platform
import statistics
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy
import sklearn
from numpy.typing import NDArray
from threadpoolctl import threadpool_info

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
Clock = Callable[[], float]  # does the work once and returns the seconds that count

REPEATS = 5
THREADS = 2


@dataclass(frozen=True)
class Row:
    """One row of the table: ours against a rival, or a figure against its limit."""

    work: str
    rival: str
    ours: float
    theirs: float | None
    unit: str
    asked: str
    reached: str
    good: bool
    note: str = ""


def clock(work: Callable[[], Any], number: int = 1) -> Clock:
    """Clock that times all of `work`; work of a millisecond as the mean of a `number` in a row."""

    def run() -> float:
        start = time.perf_counter()
        for _ in range(number):
            work()
        return (time.perf_counter() - start) / number

    return run


def iteration_clock(make: Callable[[int], Any], X: Any, y: Any, first: int = 3) -> Clock:
    """Clock of one iteration: a tenth of what ten more than `first` iterations take.

    `make` returns an estimator that is allowed so many iterations; the data must be such that it
    takes them all.
    """

    def fit(n_iterations: int) -> float:
        model = make(n_iterations)
        seconds = clock(lambda: model.fit(X, y))()
        if model.n_iter_ != n_iterations:
            raise RuntimeError(f"{model} stopped after {model.n_iter_} iterations")
        return seconds

    def run() -> float:
        short = fit(first)
        return (fit(first + 10) - short) / 10.0

    return run


def faster(work: str, rival: str, ours: Clock, theirs: Clock, at_least: float) -> Row:
    """Median times of both, measured in turn, against the asked ratio."""
    pairs = []
    with quiet():
        ours(), theirs()
        for _ in range(REPEATS):
            gc.collect()
            pairs.append((theirs(), ours()))
    rival_time = statistics.median(pair[0] for pair in pairs)
    our_time = statistics.median(pair[1] for pair in pairs)
    ratio = rival_time / our_time
    return Row(
        work, rival, our_time, rival_time, "s", f"{at_least:g}x", f"{ratio:.1f}x", ratio >= at_least
    )


def at_most(work: str, rival: str, value: float, limit: float, unit: str, note: str = "") -> Row:
    """One figure against the largest allowed."""
    return Row(
        work, rival, value, None, unit, f"<= {limit:g}", f"{value:.1f}", value <= limit, note
    )


@contextmanager
def quiet() -> Iterator[None]:
    """No warnings: fits that are cut short on purpose warn that they did not converge."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def gaussian_classes(
    n: int, d: int, K: int, seed: int, spread: float = 1.5
) -> tuple[Floats, Codes]:
    """Rows of K unit Gaussians with means of standard deviation `spread`, and their classes."""
    rng = np.random.default_rng(seed)
    means = rng.normal(scale=spread, size=(K, d))
    codes = rng.integers(K, size=n)
    X = rng.normal(size=(n, d))
    for start in range(0, n, 65536):
        X[start : start + 65536] += means[codes[start : start + 65536]]
    return X, codes


def soft_labels(codes: Codes, K: int, seed: int) -> Floats:
    """Plausibilities: 1 for the true class, uniform on (0, 1) for the others."""
    pl = np.random.default_rng(seed).random((len(codes), K))
    pl[np.arange(len(codes)), codes] = 1.0
    return pl


def machine() -> dict[str, Any]:
    """Machine and versions that the figures hold for."""
    name = platform.processor() or platform.machine()
    information = Path("/proc/cpuinfo")
    if information.exists():
        models = [line for line in information.read_text().splitlines() if "model name" in line]
        name = models[0].split(":")[1].strip() if models else name
    blas = {f"{pool['internal_api']} {pool.get('architecture', '')}" for pool in threadpool_info()}
    return {
        "processor": name,
        "cores": os.cpu_count(),
        "threads": THREADS,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "scikit-learn": sklearn.__version__,
        "pools": sorted(blas),
    }
