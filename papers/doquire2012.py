"""Doquire & Verleysen (2012): the weighted Laplacian score of features under doubtful labels.

Tables 1-5 and Figures 2-4.  Chosen where the paper is silent: the real data are standardised,
features are ranked in each training fold, and folds are stratified by the true classes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelief.feature_selection import weighted_laplacian_score
from labelief.simulation import (
    confuse_labels,
    make_circle,
    make_cosine_product,
    make_friedman_classes,
    make_spheres,
    make_squares,
)
from papers.doquire2012_accuracy import accuracies
from papers.doquire2012_scale import beyond
from papers.experiment import Cell, Record, generator, run
from papers.page import Claim, Comparison, Page, percent
from papers.verdicts import Estimate, Published, estimate

Problem = Callable[[np.random.Generator], tuple[NDArray[Any], NDArray[Any]]]
# By problem, mean doubt, variance of the doubts and kind of label.
Means = dict[tuple[str, float, float, str], Estimate]

METHODS = {"soft": "WLS", "likeliest": "y max", "observed": "y error"}


def _cut(value: Callable[..., NDArray[Any]], n_classes: int) -> Problem:
    """300 uniform rows, in the order of a value, in classes of equal size."""

    def make(rng: np.random.Generator) -> tuple[NDArray[Any], NDArray[Any]]:
        X = rng.uniform(size=(300, 10))
        ranks = np.argsort(np.argsort(value(*X[:, :5].T)))
        return X, ranks * n_classes // 300

    return make


def _two_cosines(f1: Any, f2: Any, f3: Any, f4: Any, f5: Any) -> NDArray[Any]:
    return np.asarray(np.cos(2 * f1) * np.cos(2 * f2) * np.exp(2 * f3) * np.exp(2 * f4))


def _linear(f1: Any, f2: Any, f3: Any, f4: Any, f5: Any) -> NDArray[Any]:
    return np.asarray(10 * np.sin(f1 * f2) + 5 * f3 + 5 * f4 + 5 * f5)


# Problem, then the places of the relevant features.
PROBLEMS: dict[str, tuple[Problem, Sequence[int]]] = {
    "spheres": (lambda rng: make_spheres(random_state=rng), range(3)),
    "squares": (lambda rng: make_squares(random_state=rng), range(2)),
    "circle": (lambda rng: make_circle(random_state=rng), range(2)),
    "Y4": (lambda rng: make_cosine_product(random_state=rng), (0, 2, 3)),
    "Y4, two cosines": (_cut(_two_cosines, 3), range(4)),
    "Y5": (lambda rng: make_friedman_classes(random_state=rng), range(5)),
    "Y5, linear": (_cut(_linear, 2), range(5)),
}

# Tables 1-5: for each mean doubt the three methods' percentages of relevant features.
PUBLISHED: dict[str, dict[float, tuple[float, float, float]]] = {
    "spheres": {
        0.30: (100, 99.33, 96.67),
        0.35: (98, 93.33, 92),
        0.40: (97.33, 90, 88.67),
        0.45: (91.33, 80, 80),
    },
    "squares": {0.35: (100, 98, 96), 0.40: (99, 94, 96), 0.45: (99, 93, 90), 0.50: (96, 81, 78)},
    "circle": {0.25: (100, 100, 92), 0.30: (97, 97, 87), 0.35: (89, 85, 74), 0.40: (80, 72, 64)},
    "Y4": {
        0.25: (95.5, 94.5, 88.5),
        0.30: (95, 89, 87),
        0.35: (89.5, 82.5, 82),
        0.40: (84.5, 75, 74),
    },
    "Y5": {
        0.25: (96.8, 93.6, 91.6),
        0.30: (94, 90, 84.8),
        0.35: (84.8, 79.2, 74.4),
        0.40: (76.4, 72.4, 59.6),
    },
}
TABLES = {"spheres": 1, "squares": 2, "circle": 3, "Y4": 4, "Y5": 5}
# Our readings of misprinted formulas stand beside the printed numbers of their table.
READINGS = {"Y4": "Y4, two cosines", "Y5": "Y5, linear"}


def found(cell: Cell) -> dict[str, float | None]:
    """Share of the relevant features among as many best ones, for the three methods."""
    rng = generator("doquire2012", cell["problem"], cell["mean"], cell["repetition"])
    make, relevant = PROBLEMS[cell["problem"]]
    X, y = make(rng)
    labels = confuse_labels(y, cell["mean"], cell["variance"], random_state=rng)
    kinds: dict[str, Any] = {
        "soft": labels.soft,
        "likeliest": labels.soft.most_plausible(),
        "observed": labels.observed,
        "exact": y,
    }
    shares: dict[str, float | None] = {}
    for kind, given in kinds.items():
        best = np.argsort(weighted_laplacian_score(X, given), kind="stable")[: len(relevant)]
        shares[kind] = float(np.isin(best, relevant).mean())
        if kind == "exact":
            shares["third with exact labels"] = float(2 in best)
    return shares


def build(quick: bool, n_jobs: int) -> Path:
    """Run everything and write the page."""
    page = Page("doquire2012", "doquire2012: features under doubtful labels", quick=quick)
    page.text(
        "G. Doquire, M. Verleysen: *Handling imprecise labels in feature selection with graph "
        "Laplacian*. ICPRAM 2012, 162-169."
    )
    page.text(
        "An expert hesitates between the true class and one other: β is drawn from a Beta "
        "distribution of mean μ and variance 0.1, the true class has probability 1 - β, and the "
        "other is named with probability β. WLS takes the probabilities, *y max* the more probable "
        "label, *y error* the label that was named."
    )
    tables = run(
        "doquire2012_tables", table_cells(10 if quick else 400), found, quick=quick, n_jobs=n_jobs
    )
    claims = write_tables(page, tables)
    claims += accuracies(page, quick, n_jobs)
    beyond(page, quick)
    page.claims(claims)
    return page.write()


def table_cells(repetitions: int) -> list[Cell]:
    """Cells of Tables 1-5, of our readings, and of Table 1 with σ as the standard deviation."""
    cells = [
        {"problem": problem, "mean": mean, "variance": variance, "repetition": repetition}
        for table, rows in PUBLISHED.items()
        for problem, variance in (
            [(table, 0.1)]
            + ([(READINGS[table], 0.1)] if table in READINGS else [])
            + ([(table, 0.01)] if table == "spheres" else [])
        )
        for mean in rows
        for repetition in range(repetitions)
    ]
    return cells


def write_tables(page: Page, records: list[Record]) -> list[Claim]:
    """Tables 1-5 and what they claim."""
    means: Means = {}
    for problem, mean, variance in {(r["problem"], r["mean"], r["variance"]) for r in records}:
        rows = [
            r
            for r in records
            if (r["problem"], r["mean"], r["variance"]) == (problem, mean, variance)
        ]
        for kind in (*METHODS, "exact", "third with exact labels"):
            means[problem, mean, variance, kind] = estimate(row[kind] for row in rows)
    repetitions = sum(r["problem"] == "circle" and r["mean"] == 0.25 for r in records)
    page.heading("Tables 1-5: share of relevant features among the best")
    page.text(
        f"Published: 50 data sets each; ours: {repetitions}. The paper's 95 % interval is taken as "
        "wide as 50 of our repetitions would have it."
    )
    for table, number in TABLES.items():
        page.heading(f"Table {number}: {table}", 3)
        page.comparisons("mean doubt, method", _comparisons(table, means))
        if table in READINGS:
            page.text(_explained(table, means))
    page.text(_spread(means))
    return _table_claims(means)


def _comparisons(table: str, means: Means) -> list[Comparison]:
    reason = "eq. 11 is misprinted, see below" if table == "Y4" else ""
    return [
        Comparison(
            f"μ = {mean}, {METHODS[kind]}",
            Published(printed / 100, 0.0001 if table == "spheres" else 0.001, 50),
            means[table, mean, 0.1, kind],
            good="larger",
            reason=reason,
        )
        for mean, row in PUBLISHED[table].items()
        for kind, printed in zip(METHODS, row, strict=True)
    ]


def _explained(table: str, means: Means) -> str:
    """Test what may be behind the difference: the score without any noise, another formula."""
    reading = READINGS[table]
    rows = [
        f"{percent(means[reading, mean, 0.1, kind])} ({printed:g})"
        for mean, row in PUBLISHED[table].items()
        for kind, printed in zip(METHODS, row, strict=True)
    ]
    agree = sum(
        Comparison(
            "", Published(printed / 100, 0.001, 50), means[reading, mean, 0.1, kind], "larger"
        ).verdict
        == "agrees"
        for mean, row in PUBLISHED[table].items()
        for kind, printed in zip(METHODS, row, strict=True)
    )
    listed = "; ".join(rows)
    if table == "Y4":
        return (
            "Eq. 11 has three relevant features, but the printed shares of 50 data sets are "
            "multiples of 1/200, which takes four. Tested: with "
            f"`cos(2 f1) cos(2 f2) exp(2 f3) exp(2 f4)`, which has four, {agree} of the 12 numbers "
            f"agree. Ours (printed), by μ and method: {listed}."
        )
    exact = means[table, 0.25, 0.1, "exact"]
    third = means[table, 0.25, 0.1, "third with exact labels"]
    return (
        f"Tested: with *exact* labels the score finds {percent(exact)} % of the printed Y5's "
        f"features, and f3 in {percent(third)} % of the data sets (a feature without any bearing "
        "on the classes would be in 17 %). 20 (f3 - 0.5)² is symmetric about the middle of f3's "
        "range, so no score that compares classes by their means can see it, and the printed "
        "96.8 % cannot come out of the printed formula, whatever the labels. With "
        f"`10 sin(f1 f2) + 5 f3 + 5 f4 + 5 f5` {agree} of the 12 numbers agree. Ours (printed): "
        f"{listed}."
    )


def _spread(means: Means) -> str:
    listed = "; ".join(
        f"μ = {mean}: {percent(means['spheres', mean, 0.01, 'soft'])} % for WLS, "
        f"{percent(means['spheres', mean, 0.01, 'observed'])} % for y error (printed "
        f"{row[0]:g} and {row[2]:g})"
        for mean, row in PUBLISHED["spheres"].items()
    )
    return (
        "The paper calls 0.1 a variance and writes σ. Read as a standard deviation, Table 1 does "
        f"not come out: {listed}."
    )


def _table_claims(means: Means) -> list[Claim]:
    cells = [(table, mean) for table, rows in PUBLISHED.items() for mean in rows]

    def value(table: str, mean: float, kind: str) -> float:
        return means[table, mean, 0.1, kind].mean

    best = sum(
        value(*cell, "soft") > max(value(*cell, "likeliest"), value(*cell, "observed"))
        for cell in cells
    )
    worst = sum(value(*cell, "observed") <= value(*cell, "likeliest") for cell in cells)
    at_30 = {table: value(table, 0.3, "soft") for table in PUBLISHED if 0.3 in PUBLISHED[table]}
    lead = {
        table: [value(table, mean, "soft") - value(table, mean, "observed") for mean in rows]
        for table, rows in PUBLISHED.items()
    }
    grows = sum(gaps[-1] > gaps[0] for gaps in lead.values())
    return [
        Claim(
            "WLS finds more relevant features than its two rivals, for each problem and μ "
            "(Tables 1-5; circle at μ ≤ 0.3 is printed as a tie)",
            "yes" if best == len(cells) else "partly",
            f"in {best} of {len(cells)} cells",
        ),
        Claim(
            "WLS finds more than 90 % at μ = 0.3 (§5.2)",
            "yes" if min(at_30.values()) > 0.9 else "partly",
            ", ".join(f"{table} {share:.1%}" for table, share in at_30.items())
            + "; the printed Y5 hides one feature of five from any such score",
        ),
        Claim(
            "The advantage grows with μ (§5.2)",
            "yes" if grows == len(lead) else "partly",
            "lead over y error, least to greatest μ: "
            + ", ".join(f"{t} {g[0]:.1%} to {g[-1]:.1%}" for t, g in lead.items()),
        ),
        Claim(
            "The observed labels do worst, generally (§5.2)",
            "yes" if worst >= 0.8 * len(cells) else "partly",
            f"in {worst} of {len(cells)} cells",
        ),
    ]
