"""Run the repetitions of an experiment on all cores, keeping each one that is finished.

An experiment is a list of cells (flat dicts of parameters, a repetition number among them) and a
pure function from a cell to its results.  Results go to ``papers/results/NAME.jsonl`` as they come,
so that a run that was interrupted goes on where it stopped.
"""

from __future__ import annotations

import json
import os
import sys
import time
import warnings
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

import numpy as np
from joblib import Parallel, delayed, parallel_config
from threadpoolctl import threadpool_limits

__all__ = ["Cell", "Record", "canonical", "generator", "run", "seed_of"]

Cell = dict[str, Any]
Record = dict[str, Any]
Work = Callable[[Cell], dict[str, float | None]]

RESULTS = Path(__file__).parent / "results"
_LINE_SECONDS = 30.0  # between lines of progress where they cannot be written over


def canonical(value: Any) -> str:
    """Text that equal parameters share, whatever the order of their keys."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def seed_of(*parts: Any) -> int:
    """Seed that the parts determine; the same on every machine."""
    return zlib.crc32(canonical(parts).encode())


def generator(*parts: Any) -> np.random.Generator:
    """Random numbers that the parts determine.

    Cells that differ in the method only and leave it out of `parts` meet the same draws, so that
    methods are compared on the same labels.
    """
    return np.random.default_rng(seed_of(*parts))


def run(
    name: str,
    cells: Sequence[Cell],
    work: Work,
    *,
    quick: bool = False,
    n_jobs: int = -1,
    version: int = 1,
    folder: Path = RESULTS,
    stream: TextIO | None = None,
) -> list[Record]:
    """Results of all cells, computed or read back.

    Parameters
    ----------
    name : str
        Of the experiment and its file.
    cells : sequence of dict
        Parameters that JSON can hold; no two equal.
    work : callable
        ``work(cell)`` gives a dict of numbers or None (no NaN).  It must be a function of a module
        (it runs in other processes) and take its randomness from the cell (:func:`generator`).
    quick : bool
        Read and keep nothing: a quick run shows that today's code works.
    n_jobs : int
        Processes, each with one thread; -1 for all cores, 1 for this one.
    version : int
        Of what `work` computes: finished results of another version are not taken over.
    folder, stream
        Where results are kept and progress is written (standard error).

    Returns
    -------
    list of dict
        A cell's parameters and results together, in the order of `cells`.
    """
    keys = [canonical([version, cell]) for cell in cells]
    if len(set(keys)) < len(keys):
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"{name}: two cells are equal: {twice}")
    path = folder / f"{name}.jsonl"
    finished = {} if quick else _finished(path)
    missing = [(key, cell) for key, cell in zip(keys, cells, strict=True) if key not in finished]
    # Long and short cells mixed, so that the time left can be told from the time spent.
    order = np.random.default_rng(0).permutation(len(missing))
    tasks = [(name, work, *missing[position]) for position in order]
    progress = _Progress(name, len(cells), len(cells) - len(missing), stream or sys.stderr)
    with _log(path, quick) as log:
        for key, result in _results(tasks, n_jobs):
            finished[key] = result
            log(key, result)
            progress.step()
    progress.end()
    return [{**cell, **finished[key]} for key, cell in zip(keys, cells, strict=True)]


def _results(
    tasks: list[tuple[Any, ...]], n_jobs: int
) -> Iterator[tuple[str, dict[str, float | None]]]:
    """Results as they come; joblib sends short cells to a worker many at a time."""
    if n_jobs == 1 or len(tasks) <= 1:
        with threadpool_limits(1):
            yield from (_attempt(*task) for task in tasks)
        return
    with parallel_config(backend="loky", inner_max_num_threads=1):
        pool = Parallel(n_jobs=n_jobs, return_as="generator_unordered", batch_size="auto")
        yield from pool(delayed(_attempt)(*task) for task in tasks)


def _attempt(name: str, work: Work, key: str, cell: Cell) -> tuple[str, dict[str, float | None]]:
    try:
        with warnings.catch_warnings():
            # Thousands of fits: what matters of their warnings belongs into the results.
            warnings.simplefilter("ignore")
            result = work(cell)
        canonical(result)  # NaN and arrays are refused where they arose
        if shared := cell.keys() & result.keys():
            raise ValueError(f"results are named like parameters: {sorted(shared)}")
    except Exception as error:
        raise RuntimeError(f"{name} failed at {cell}: {error}") from error
    return key, result


def _finished(path: Path) -> dict[str, dict[str, float | None]]:
    """Results on file; a last line that was cut off is left out."""
    results = {}
    if path.exists():
        for line in path.read_text().splitlines():
            try:
                entry = json.loads(line)
            except json.JSONDecodeError:
                continue
            results[entry["key"]] = entry["result"]
    return results


@contextmanager
def _log(path: Path, quick: bool) -> Iterator[Callable[[str, Any], None]]:
    """Append results to the file, flushed about once a second."""
    if quick:
        yield lambda key, result: None
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    cut_off = path.exists() and not path.read_bytes().endswith(b"\n") and path.stat().st_size > 0
    flushed = time.monotonic()
    with path.open("a") as file:
        if cut_off:
            file.write("\n")

        def log(key: str, result: Any) -> None:
            nonlocal flushed
            file.write(canonical({"key": key, "result": result}) + "\n")
            if time.monotonic() - flushed > 1.0:
                file.flush()
                flushed = time.monotonic()

        yield log


class _Progress:
    """One line with the time left: written over on a terminal, else repeated now and then."""

    def __init__(self, name: str, total: int, before: int, stream: TextIO) -> None:
        self.name, self.total, self.done, self.before = name, total, before, before
        self.stream, self.over = stream, stream.isatty()
        self.start = self.shown = time.monotonic()

    def step(self) -> None:
        self.done += 1
        now = time.monotonic()
        if now - self.shown > (0.5 if self.over else _LINE_SECONDS):
            self.shown = now
            left = (now - self.start) / (self.done - self.before) * (self.total - self.done)
            self._write(f"{left / 60:.1f} min left", "\r" if self.over else "\n")

    def end(self) -> None:
        seconds = time.monotonic() - self.start
        kept = f", {self.before} kept" if self.before else ""
        self._write(f"{seconds / 60:.1f} min{kept}", "\n")

    def _write(self, tail: str, end: str) -> None:
        text = f"{self.name}: {self.done} of {self.total}, {tail}"
        self.stream.write(f"{text:<70}{end}" if self.over else f"{text}{os.linesep}")
        self.stream.flush()
