"""Find wrong labels: ours beside cleanlab, on the same out-of-fold probabilities.

One label in five is made wrong: at random (symmetric), into the next class (asymmetric), or where
two classes look alike (boundary: the likelier the runner-up, the likelier it is named).
Probabilities come from scikit-learn's logistic regression, standardised, 5 folds.  Every method
ranks all labels; counted is the share of wrong ones among the first E, E their true number.

- cleanlab: ``find_label_issues`` with its defaults, ranked by self-confidence; what it does not
  list follows by self-confidence.  Its two other scores rank all labels by themselves.
- ours: ``weigh_labels`` on these very probabilities.
- ours, beside: the same on the mean of these and of `EvidentialKNN`'s out-of-fold probabilities.
- cleanlab, beside: ``find_label_issues`` on that same mean.

Differences are paired over repetitions, with 95 % t-intervals.  Files are looked for in the folder
``LABELIEF_DATA``, then in ``../shared/data`` beside the repository; sets not found are left out.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats
from sklearn import datasets
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from labelief import EvidentialKNN, LinearDiscriminantAnalysis
from labelief.audit import weigh_labels
from labelief.model_selection import SoftStratifiedKFold, cross_val_predict
from labelief.simulation import asymmetric_noise, symmetric_noise

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

RATE = 0.2
LARGEST = 1000
NOISES = ("symmetric", "asymmetric", "boundary")
SHIPPED = ("breast_cancer", "iris", "wine", "digits")
FILES = ("vowel", "satimage", "ionosphere", "sonar", "waveform")
METHODS = (
    "cleanlab",
    "self-confidence",
    "normalised margin",
    "ours",
    "cleanlab, beside",
    "ours, beside",
)
PAIRS = (("ours", "cleanlab"), ("ours, beside", "cleanlab"), ("ours, beside", "cleanlab, beside"))


def rival() -> Any:
    """Return cleanlab's two modules, or say what is missing."""
    try:
        return importlib.import_module("cleanlab.filter"), importlib.import_module("cleanlab.rank")
    except ImportError as error:
        sys.exit(f"this comparison needs cleanlab, which is not here ({error}): install cleanlab")


def problems() -> Iterator[tuple[str, Floats, Ints]]:
    """Yield name, features and true classes; of large sets a fixed sample of rows."""
    folder = Path(
        os.environ.get("LABELIEF_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data"
    )
    for name in SHIPPED + FILES:
        if name in SHIPPED:
            X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
        elif (folder / f"{name}.csv").is_file():
            table = pd.read_csv(folder / f"{name}.csv")
            y = np.unique(table["label"].astype(str), return_inverse=True)[1]
            extra = [column for column in ("label", "speaker", "split") if column in table]
            X = table.drop(columns=extra).to_numpy(dtype=np.float64)
        else:
            print(f"{name}.csv not found: left out", file=sys.stderr)
            continue
        rows = np.random.default_rng(0).permutation(len(y))[:LARGEST]
        yield name, X[rows], y[rows].astype(np.int64)


def boundary_noise(y: Ints, proba: Floats, rng: np.random.Generator) -> Ints:
    """Name the runner-up, the oftener the likelier it is beside the true class."""
    rows = np.arange(len(y))
    others = proba.copy()
    others[rows, y] = -1.0
    runner_up, chance = others.argmax(axis=1), others.max(axis=1)
    alike = chance / (chance + proba[rows, y] + 1e-12) + 0.02
    low, high = 0.0, 1e4
    for _ in range(60):
        middle = (low + high) / 2
        if np.minimum(middle * alike, 0.9).mean() < RATE:
            low = middle
        else:
            high = middle
    return np.where(rng.random(len(y)) < np.minimum(low * alike, 0.9), runner_up, y)


def corrupted(noise: str, y: Ints, proba: Floats, seed: int) -> Ints:
    """Return the labels with errors."""
    if noise == "boundary":
        return boundary_noise(y, proba, np.random.default_rng(seed))
    process = symmetric_noise if noise == "symmetric" else asymmetric_noise
    return np.asarray(process(y, RATE, random_state=seed).observed)


def listed_first(issues: Ints, quality: Floats) -> Ints:
    """Return cleanlab's list, then all other rows, lowest quality first."""
    rest = np.argsort(quality, kind="stable")
    return np.concatenate([issues, rest[~np.isin(rest, issues)]])


def orders(seen: Ints, X: Floats, seed: int, modules: Any) -> dict[str, Ints]:
    """Rank the labels by every method."""
    find, rank = modules
    folds = SoftStratifiedKFold(5, random_state=seed)

    def held_out(model: Any) -> Floats:
        scaled = make_pipeline(StandardScaler(), model)
        return np.asarray(cross_val_predict(scaled, X, seen, cv=folds, method="predict_proba"))

    def clean(proba: Floats) -> Ints:
        issues = find.find_label_issues(
            seen, proba, return_indices_ranked_by="self_confidence", n_jobs=1
        )
        return listed_first(issues, rank.get_label_quality_scores(seen, proba))

    def score(method: str) -> Ints:
        quality = rank.get_label_quality_scores(seen, proba, method=method)
        return np.asarray(np.argsort(quality, kind="stable"))

    classes = np.arange(seen.max() + 1)
    proba = held_out(LogisticRegression(max_iter=1000))
    both = (proba + held_out(EvidentialKNN(15))) / 2
    return {
        "cleanlab": clean(proba),
        "self-confidence": score("self_confidence"),
        "normalised margin": score("normalized_margin"),
        "ours": weigh_labels(proba, seen, classes=classes).order(),
        "cleanlab, beside": clean(both),
        "ours, beside": weigh_labels(both, seen, classes=classes).order(),
    }


def interval(differences: Floats) -> str:
    """Write mean and 95 % interval in percentage points."""
    n = len(differences)
    if n < 2:
        return f"{100 * differences.mean():+.1f}"
    half = stats.t.isf(0.025, n - 1) * differences.std(ddof=1) / np.sqrt(n)
    mark = " **worse**" if differences.mean() + half < 0 else ""
    return f"{100 * differences.mean():+.1f} ± {100 * half:.1f}{mark}"


def row(name: str, part: pd.DataFrame) -> str:
    """Write one line of the table from precisions, one row per repetition."""
    cells = [f"{100 * part[method].mean():.1f}" for method in METHODS]
    cells += [interval((part[ours] - part[theirs]).to_numpy()) for ours, theirs in PAIRS]
    return f"| {name} | " + " | ".join(cells) + " |"


def main() -> None:
    """Print the table in Markdown."""
    parser = argparse.ArgumentParser(description="Find wrong labels, ours beside cleanlab.")
    parser.add_argument("--repetitions", type=int, default=10, help="noise draws (default: 10)")
    parser.add_argument("--first", type=int, default=0, help="seed of the first (default: 0)")
    options = parser.parse_args()
    seeds = range(options.first, options.first + options.repetitions)
    modules = rival()
    warnings.simplefilter("ignore")  # constant pixels of digits, iterations of the regression
    found = []
    for name, X, y in problems():
        given = LinearDiscriminantAnalysis(shrinkage=0.05)
        truth = np.asarray(cross_val_predict(given, X, y, cv=5, method="predict_proba"))
        for noise in NOISES:
            for seed in seeds:
                seen = corrupted(noise, y, truth, seed)
                wrong = seen != y
                ranked = orders(seen, X, seed, modules)
                hits = {m: wrong[order[: wrong.sum()]].mean() for m, order in ranked.items()}
                found.append({"data": name, "noise": noise, "seed": seed, **hits})
        print(f"{name} done", file=sys.stderr, flush=True)
    table = pd.DataFrame(found)
    heads = [*METHODS, *(f"{ours} - {theirs}" for ours, theirs in PAIRS)]
    print("| data, noise | " + " | ".join(heads) + " |")
    print("|---|" + "---|" * len(heads))
    for cell, part in table.groupby(table["data"] + ", " + table["noise"], sort=False):
        print(row(str(cell), part))
    for noise in NOISES:
        means = table[table["noise"] == noise].groupby("seed")[list(METHODS)].mean()
        print(row(f"**all, {noise}**", means))
    print(row("**all**", table.groupby("seed")[list(METHODS)].mean()))


if __name__ == "__main__":
    main()
