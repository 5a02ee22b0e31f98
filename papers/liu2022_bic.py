"""Beyond liu2022: the number of components, which the paper leaves open, chosen by BIC."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from papers.experiment import Cell, Record, generator, run
from papers.liu2022_sets import errors, halves, mixture, noisy, rows_of
from papers.page import Page, figure
from papers.verdicts import Estimate, estimate

__all__ = ["beyond"]

NOISE = 0.2
REAL = ("Breast Issue", "Iris", "Wine", "Heart", "Boston", "Wave form")
ROWS = (500, 1000, 2000, 4000, 8000)
_LINES = {
    "rNDA": "one component (rNDA)",
    "GMDA of two": "two components",
    "GMDA": "the true number",
    "GMDA BIC": "chosen by BIC",
}


def on_real(cell: Cell) -> dict[str, float | None]:
    """Errors of rNDA, GMDA with two components and with BIC's choice, on a real set."""
    rng = generator("liu2022", cell["set"], cell["repetition"])
    half = halves(*rows_of(cell["set"]), rng)
    labels = noisy(half.y, half.n_classes, "symmetric", NOISE, rng)
    return errors(half, labels, ("rNDA", "GMDA", "GMDA BIC"), seed=cell["repetition"])


def by_rows(cell: Cell) -> dict[str, float | None]:
    """Errors on made data of three components a class, 10 features."""
    rng = generator("liu2022 rows", cell["rows"], cell["repetition"])
    half = halves(*mixture(rng, cell["rows"], 10, 3, 3, 0.7), rng)
    labels = noisy(half.y, 3, "symmetric", NOISE, rng)
    two = errors(half, labels, ["GMDA"], 2, cell["repetition"])["GMDA"]
    result = errors(half, labels, ("rNDA", "GMDA", "GMDA BIC"), 3, cell["repetition"])
    return {**result, "GMDA of two": two}


def beyond(
    page: Page,
    components: Sequence[float],
    made: Mapping[str, list[Estimate]],
    quick: bool,
    n_jobs: int,
) -> None:
    """Set BIC's choice beside fixed numbers: by components, by rows, on real sets."""
    repetitions = 2 if quick else 6
    real = run(
        "liu2022_bic",
        [{"set": name, "repetition": r} for name in REAL for r in range(repetitions)],
        on_real,
        quick=quick,
        n_jobs=n_jobs,
    )
    sizes = ROWS[:2] if quick else ROWS
    rows = run(
        "liu2022_rows",
        [{"rows": n, "repetition": r} for n in sizes for r in range(repetitions)],
        by_rows,
        quick=quick,
        n_jobs=n_jobs,
    )
    drawing, axes = figure(1, 3, width=3.2, height=2.7)
    for method, label in _LINES.items():
        _draw(axes[0, 0], components, made[method], label)
        grown = [estimate(r[method] for r in rows if r["rows"] == n) for n in sizes]
        _draw(axes[0, 1], [n / 2 for n in sizes], grown, label)
    axes[0, 0].set_xlabel("components a class, 500 training rows")
    axes[0, 0].set_ylabel("error")
    axes[0, 0].set_title("made data")
    axes[0, 0].legend()
    axes[0, 1].set_xscale("log")
    axes[0, 1].set_xticks([n / 2 for n in sizes], [f"{n // 2}" for n in sizes], minor=False)
    axes[0, 1].set_xticks([], minor=True)
    axes[0, 1].set_ylim(bottom=0)
    axes[0, 1].set_xlabel("training rows, three components a class")
    axes[0, 1].set_title("made data")
    bars = _bars(axes[0, 2], real)
    page.heading("Beyond the paper: the number of components, chosen by BIC")
    page.figure(
        drawing,
        "beyond",
        "Test error with 20 % symmetric noise: BIC's choice of components against fixed numbers. "
        "Real sets: blue one, red two, green BIC's choice.",
    )
    page.text(_advice(sizes, rows, bars))


def _draw(axis: Any, values: Sequence[float], line: list[Estimate], label: str) -> None:
    axis.plot(values, [e.mean for e in line], "o-", label=label)
    axis.fill_between(values, [e.low for e in line], [e.high for e in line], alpha=0.2)


def _bars(axis: Any, real: list[Record]) -> dict[str, list[Estimate]]:
    bars = {
        method: [estimate(r[method] for r in real if r["set"] == name) for name in REAL]
        for method in ("rNDA", "GMDA", "GMDA BIC")
    }
    for place, row in enumerate(bars.values()):
        axis.barh(
            [i + 0.27 * (place - 1) for i in range(len(REAL))],
            [e.mean for e in row],
            0.25,
            xerr=[(e.high - e.low) / 2 for e in row],
            error_kw={"linewidth": 0.8},
        )
    axis.set_yticks(range(len(REAL)), REAL)
    axis.invert_yaxis()
    axis.set_title("real sets")
    axis.set_xlabel("error")
    return bars


def _advice(sizes: Sequence[int], rows: list[Record], bars: Mapping[str, list[Estimate]]) -> str:
    listed = "; ".join(
        f"{name} {one.mean:.1%}, {two.mean:.1%}, {bic.mean:.1%}"
        for name, one, two, bic in zip(
            REAL, bars["rNDA"], bars["GMDA"], bars["GMDA BIC"], strict=True
        )
    )
    grown = "; ".join(
        f"{n // 2}: "
        + ", ".join(
            f"{estimate(r[method] for r in rows if r['rows'] == n).mean:.1%}" for method in _LINES
        )
        for n in sizes
    )
    return (
        f"Errors on real sets with one component, two, BIC's choice: {listed}. On made data of "
        f"three components, by training rows, with one, two, three, BIC's choice: {grown}.\n\n"
        '**What to take from it.** `n_components="bic"` finds the true number once each component '
        "has some hundred rows (66 parameters in ten features), errs as little as if it were told, "
        "and keeps to one a class where rows are few: on Wine two are a ruin. It judges how well "
        "the features are described, not the classes: on Boston, whose features are far from "
        "Gaussian, more components err more. There, and where it stays at one for want of rows, "
        'compare a few numbers with `shrinkage="auto"` by `label_log_loss` on held-out labels.'
    )
