"""Beyond doquire2012: what the weighted Laplacian score costs on a million rows."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelief import SoftLabels
from labelief.feature_selection import weighted_laplacian_score
from papers.experiment import Cell, generator, run
from papers.page import Page, figure

FEATURES, CLASSES = 20, 5
_MB = 2.0**20
# The n × n matrices of the largest take 256 MB each.
_MOST_PRINTED = 4000


def as_printed(X: NDArray[Any], P: NDArray[Any]) -> NDArray[Any]:
    """Equations 3-5 with their n × n matrices."""
    alike = P @ P.T
    scores = []
    for S in (alike, 1.0 - alike):
        laplacian = np.diag(S.sum(axis=1)) - S
        scores.append(np.einsum("ir,ij,jr->r", X, laplacian, X, optimize=True))
    return np.asarray(scores[0] / scores[1])


def cost(cell: Cell) -> dict[str, float | None]:
    """Seconds (the least of three) and peak memory, of the score and of its printed form."""
    rng = generator("doquire2012 scale", cell["rows"])
    X = rng.normal(size=(cell["rows"], FEATURES))
    P = rng.dirichlet(np.ones(CLASSES), cell["rows"])
    X[:, 0] += 2 * P[:, 0]
    labels = SoftLabels.from_probabilities(P)
    seconds, memory = _measured(lambda: weighted_laplacian_score(X, labels))
    result: dict[str, float | None] = {"seconds": seconds, "memory": memory}
    result |= {"printed seconds": None, "printed memory": None, "apart": None}
    if cell["rows"] <= _MOST_PRINTED:
        result["printed seconds"], result["printed memory"] = _measured(lambda: as_printed(X, P))
        ours, theirs = weighted_laplacian_score(X, labels), as_printed(X, P)
        result["apart"] = float(np.max(np.abs(ours / theirs - 1.0)))
    return result


def _measured(work: Callable[[], Any]) -> tuple[float, float]:
    seconds = []
    for _ in range(3):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    tracemalloc.start()
    try:
        work()
        return min(seconds), tracemalloc.get_traced_memory()[1] / _MB
    finally:
        tracemalloc.stop()


def beyond(page: Page, quick: bool) -> None:
    """Measure on one core and draw."""
    most = 100_000 if quick else 1_000_000
    sizes = [n for n in (500, 1000, 2000, 4000, 10_000, 100_000, 1_000_000) if n <= most]
    cells: list[Cell] = [{"rows": n} for n in sizes]
    records = run("doquire2012_scale", cells, cost, quick=quick, n_jobs=1)
    drawing, axes = figure(1, 2, width=3.6)
    printed = [r for r in records if r["printed seconds"] is not None]
    for axis, key, unit in zip(axes[0], ("seconds", "memory"), ("seconds", "peak MB"), strict=True):
        axis.loglog(sizes, [r[key] for r in records], "o-", label="labelief")
        axis.loglog(
            [r["rows"] for r in printed],
            [r[f"printed {key}"] for r in printed],
            "s-",
            label="as printed, n × n",
        )
        axis.set_xlabel("rows")
        axis.set_ylabel(unit)
    axes[0, 0].legend()
    page.heading("Beyond the paper: a million rows")
    page.figure(
        drawing,
        "scale",
        f"Time on one core and memory beside X, {FEATURES} features, {CLASSES} classes.",
    )
    last, rival = records[-1], printed[-1]
    page.text(
        f"{last['rows']:,} rows take {last['seconds']:.2f} s and {last['memory']:.0f} MB beside X; "
        f"the printed n × n form takes {rival['printed seconds']:.2f} s and "
        f"{rival['printed memory']:.0f} MB for {rival['rows']:,} rows, and would take "
        f"{8 * last['rows'] ** 2 / 2**40:.1f} TB for one of its matrices here. The scores are the "
        f"same within {max(r['apart'] for r in printed):.0e}."
    )
    page.text(
        "**What to take from it.** The score is one pass over the data: use it on everything you "
        "have rather than on a sample, with the experts' probabilities as they are. Rounding them "
        "to the more probable label costs most where the experts doubt most."
    )
