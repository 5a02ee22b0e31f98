"""Beyond younes2010: leaving a label open, and labels of which nine in ten are open."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.preprocessing import StandardScaler

from labelief import EvidentialMultilabelKNN
from labelief.simulation import corrupt_label_sets
from papers.experiment import Cell, Record, generator, run
from papers.page import Page, figure
from papers.verdicts import Estimate, estimate
from papers.younes2010_sets import SETS, THRESHOLD, load, scores

MARGINS = tuple(round(0.05 * i, 2) for i in range(20))
# Fewer decided labels than this share say nothing of how many are right.
_LEAST = 0.02
OPEN = (0.0, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95)
KINDS = ("imprecise", "noisy")


def left_open(cell: Cell) -> dict[str, float | None]:
    """Share of labels decided, and of these right, at each margin of belief."""
    X, y, train = load(cell["set"])
    rng = generator("younes2010", cell["set"], cell["repetition"])
    labels = corrupt_label_sets(y[train], THRESHOLD, random_state=rng)
    scaler = StandardScaler().fit(X[train])
    classifier = EvidentialMultilabelKNN().fit(
        scaler.transform(X[train]), getattr(labels, cell["labels"])
    )
    asked = scaler.transform(X[~train])
    result: dict[str, float | None] = {}
    for margin in MARGINS:
        predicted = classifier.predict_imprecise(asked, margin)
        decided = ~np.isnan(predicted)
        result[f"decided {margin}"] = float(decided.mean())
        right = predicted[decided] == y[~train][decided]
        result[f"right {margin}"] = float(right.mean()) if decided.any() else None
    return result


def mostly_open(cell: Cell) -> dict[str, float | None]:
    """Both criteria where labels are right but a share of them is open, at random."""
    X, y, train = load(cell["set"])
    rng = generator("younes2010 open", cell["set"], cell["share"], cell["repetition"])
    labels = np.where(rng.random(y[train].shape) < cell["share"], np.nan, y[train])
    scaler = StandardScaler().fit(X[train])
    predicted = (
        EvidentialMultilabelKNN(cell["k"], approach=cell["approach"])
        .fit(scaler.transform(X[train]), labels)
        .predict(scaler.transform(X[~train]))
    )
    return scores(y[~train], predicted)


def beyond(page: Page, quick: bool, n_jobs: int) -> None:
    """Run both and draw them side by side."""
    repetitions = 2 if quick else 10
    first = run(
        "younes2010_left_open",
        [
            {"set": name, "labels": kind, "repetition": repetition}
            for name in SETS
            for kind in KINDS
            for repetition in range(repetitions)
        ],
        left_open,
        quick=quick,
        n_jobs=n_jobs,
    )
    second = run(
        "younes2010_mostly_open",
        [
            {"set": "yeast", "share": share, "k": k, "approach": approach, "repetition": r}
            for share in OPEN
            for k in (10, 30)
            for approach in ("direct", "binary")
            for r in range(repetitions)
        ],
        mostly_open,
        quick=quick,
        n_jobs=n_jobs,
    )
    page.heading("Beyond the paper: predictions that may stay open, labels that mostly are")
    drawing, axes = figure(1, 2, width=4.0, height=2.9)
    found = _draw_left_open(axes[0, 0], first)
    at_most = _draw_mostly_open(axes[0, 1], second)
    page.figure(
        drawing,
        "beyond",
        "Left: imprecise predictions as their margin grows from right to left; trained on "
        "imprecise (solid) and noisy labels (dashed), γ = auto, features standardised. Right: "
        "yeast with true labels of which a share is open, γ = auto.",
    )
    page.text(
        "**What to take from it.** "
        + " ".join(found)
        + " "
        + at_most
        + " So ask experts to leave open what they doubt; take k = 30 rather than 10 where labels "
        "are noisy or mostly open (direct or binary hardly matters); and send to a person what "
        "`predict_imprecise` leaves open."
    )


def _draw_left_open(axis: Any, records: list[Record]) -> list[str]:
    found = []
    for color, name in enumerate(SETS):
        for kind, line in zip(KINDS, ("-", "--"), strict=True):
            rows = [r for r in records if (r["set"], r["labels"]) == (name, kind)]
            usable = [m for m in MARGINS if min(r[f"decided {m}"] for r in rows) > _LEAST]
            decided = [estimate(r[f"decided {m}"] for r in rows).mean for m in usable]
            right = [estimate(r[f"right {m}"] for r in rows).mean for m in usable]
            label = name if kind == "imprecise" else None
            axis.plot(decided, right, line, color=f"C{color}", label=label)
            if kind == "imprecise":
                half = int(np.argmin(np.abs(np.array(decided) - 0.5)))
                found.append(
                    f"On {name} {right[0]:.1%} of the labels are right when all are decided, and "
                    f"{right[half]:.1%} of the surest {decided[half]:.0%}."
                )
    axis.set_xlabel("share of labels decided")
    axis.set_ylabel("share of these right")
    axis.legend()
    return found


def _draw_mostly_open(axis: Any, records: list[Record]) -> str:
    curves: dict[tuple[int, str], list[Estimate]] = {}
    for color, k in enumerate((10, 30)):
        for approach, line in zip(("direct", "binary"), ("o-", "s--"), strict=True):
            curve = [
                estimate(
                    r["hamming"]
                    for r in records
                    if (r["k"], r["approach"], r["share"]) == (k, approach, share)
                )
                for share in OPEN
            ]
            curves[k, approach] = curve
            axis.plot(
                OPEN,
                [e.mean for e in curve],
                line,
                color=f"C{color}",
                label=f"k = {k}, {approach}",
            )
    axis.set_xlabel("share of the training labels that is open")
    axis.set_ylabel("1 - Hamming loss")
    axis.legend()
    at = OPEN.index(0.9)
    listed = ", ".join(
        f"k = {k} {approach}: {curve[at].mean:.1%}" for (k, approach), curve in curves.items()
    )
    return f"With nine labels in ten open, yeast still gives {listed} (1 - Hamming loss)."
