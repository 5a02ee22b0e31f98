"""Learn from five readers of different skill who label breast-cancer cases.

Each case is read by some of five simulated readers, who miss cancers, raise false alarms, and err
more often on hard cases.  The same logistic regression is then trained three times:

- on the **majority vote** (ties drawn by lot), as is usual;
- on **soft labels**: how plausible each class is, given who said what and how reliable each reader
  turned out to be (Dawid and Skene 1979, from the answers alone);
- on the **truth**, which nobody has in practice: the best that can be hoped for.

Errors are counted on the true classes of held-out cases, over twenty panels of readers and
five-fold cross-validation; the intervals are Student's over the panels.

Run it by ``make demo``.  It takes less than a minute and writes one picture into ``demo/``.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.ticker import PercentFormatter
from numpy.typing import NDArray
from scipy import stats
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression as CrispLogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from labelief import LogisticRegression, SoftLabels, Votes

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]

CLASSES = ["malignant", "benign"]
READERS = ["Ada", "Ben", "Cleo", "Dan", "Eve"]
MISSED = np.array([0.05, 0.05, 0.40, 0.30, 0.45])  # cancers called benign
FALSE_ALARM = np.array([0.05, 0.35, 0.05, 0.30, 0.40])  # benign cases called malignant
HARDNESS = 0.5  # the hardest case is misread (1 + 0.5) times as often, the easiest (1 - 0.5) times
PANELS = 20
READINGS = (1, 2, 3, 4, 5)  # how many of the five read each case
HEADLINE = 3  # the number of readings that the table is about


@dataclass(frozen=True)
class Interval:
    """A mean over panels with its 95 % confidence interval."""

    mean: float
    half_width: float

    @classmethod
    def of(cls, values: list[float]) -> Interval:
        """Student's interval of the mean of independent values."""
        spread = float(np.std(values, ddof=1)) / len(values) ** 0.5
        return cls(float(np.mean(values)), float(stats.t.ppf(0.975, len(values) - 1)) * spread)

    def __str__(self) -> str:
        low, high = self.mean - self.half_width, self.mean + self.half_width
        return f"{self.mean:6.1%}   ({low:.1%} to {high:.1%})"


def case_hardness(X: Floats, truth: Codes) -> Floats:
    """Factor on the readers' error rates: largest near the boundary between the classes."""
    judge = make_pipeline(StandardScaler(), CrispLogisticRegression())
    p = cross_val_predict(judge, X, truth, method="predict_proba")[:, 1]
    ease = np.abs(np.log(p / (1.0 - p))).argsort().argsort() / (len(truth) - 1)
    return np.asarray(1.0 + HARDNESS * (1.0 - 2.0 * ease))


def read_cases(
    truth: Codes, hardness: Floats, n_readings: int, rng: np.random.Generator
) -> pd.DataFrame:
    """Answers on each case of ``n_readings`` readers drawn by lot."""
    n = len(truth)
    readers = rng.random((n, len(READERS))).argsort(axis=1)[:, :n_readings]
    rates = np.where(truth[:, None] == 0, MISSED[readers], FALSE_ALARM[readers])
    wrong = rng.random(readers.shape) < rates * hardness[:, None]
    answers = np.where(wrong, 1 - truth[:, None], truth[:, None])
    return pd.DataFrame(
        {
            "case": np.repeat(np.arange(n), n_readings),
            "reader": np.array(READERS)[readers.ravel()],
            "answer": np.array(CLASSES)[answers.ravel()],
        }
    )


def majority_vote(answers: pd.DataFrame, rng: np.random.Generator) -> NDArray[np.str_]:
    """Most frequent answer on each case, ties drawn by lot."""
    counts = pd.crosstab(answers["case"], answers["answer"])[CLASSES].to_numpy()
    lots = rng.random(counts.shape) / 2.0
    winner: Codes = (counts + lots).argmax(axis=1)
    return np.array(CLASSES)[winner]


def soft_labels(answers: pd.DataFrame, n_cases: int) -> SoftLabels:
    """How plausible each class is on each case, given who said what and who is reliable."""
    votes = Votes(
        answers,
        item="case",
        annotator="reader",
        label="answer",
        items=range(n_cases),
        classes=CLASSES,
    )
    return SoftLabels.from_votes(votes, rule="dawid_skene")


def error_on_truth(X: Floats, labels: Any, truth: NDArray[np.str_], seed: int) -> float:
    """Share of held-out cases whose true class is missed after training on ``labels``."""
    folds = StratifiedKFold(5, shuffle=True, random_state=seed)
    missed = 0
    for train, test in folds.split(X, truth):
        model = make_pipeline(StandardScaler(), LogisticRegression())
        model.fit(X[train], labels[train])
        missed += int((model.predict(X[test]) != truth[test]).sum())
    return missed / len(truth)


def draw(errors: dict[str, list[Interval]], path: Path) -> None:
    """Picture: left the readers, right the error against the number of readings per case."""
    colours = {"majority vote": "#c0392b", "soft labels": "#1f5fa8", "truth": "#555555"}
    style: Any = {"font.size": 11, "axes.spines.top": False, "axes.spines.right": False}
    with plt.rc_context(style):
        figure, (left, right) = plt.subplots(
            1, 2, figsize=(10.5, 4.4), width_ratios=(1, 1.75), layout="constrained"
        )
        rows = np.arange(len(READERS))[::-1]
        left.barh(rows + 0.19, MISSED, 0.36, color="#7a5195", label="cancers missed")
        left.barh(rows - 0.19, FALSE_ALARM, 0.36, color="#efa04c", label="false alarms")
        left.set_yticks(rows, READERS)
        left.set_xlim(0, 0.5)
        left.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
        left.set_xlabel("share of answers that are wrong")
        left.set_title("Five readers, unlike in skill", loc="left", weight="bold")
        left.legend(frameon=False, loc="upper center", bbox_to_anchor=(0.45, -0.16), ncols=2)

        for name, intervals in errors.items():
            mean = np.array([interval.mean for interval in intervals])
            half = np.array([interval.half_width for interval in intervals])
            right.fill_between(READINGS, mean - half, mean + half, color=colours[name], alpha=0.18)
            right.plot(READINGS, mean, "o-", color=colours[name], lw=2, label=name)
            right.annotate(
                f"{name}  {mean[-1]:.1%}",
                (READINGS[-1], mean[-1]),
                xytext=(8, 0),
                textcoords="offset points",
                va="center",
                color=colours[name],
            )
        right.set_xlim(0.9, 6.35)
        right.set_ylim(0, None)
        right.set_xticks(READINGS)
        right.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
        right.grid(axis="y", alpha=0.3)
        right.set_xlabel("readings per case")
        right.set_ylabel("error on the true class")
        right.set_title("The same classifier, trained on...", loc="left", weight="bold")
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, dpi=110)
        plt.close(figure)


def main() -> None:
    """Simulate, train, print the table, draw the picture."""
    parser = argparse.ArgumentParser(description="Learn from five readers who disagree.")
    parser.add_argument("--picture", type=Path, default=Path("demo/readers.png"))
    picture = parser.parse_args().picture

    X, codes = load_breast_cancer(return_X_y=True)
    truth = np.array(CLASSES)[codes]
    hardness = case_hardness(X, codes)
    print(f"{len(codes)} cases, {X.shape[1]} features, {len(READERS)} readers, {PANELS} panels\n")

    on_truth = Interval.of([error_on_truth(X, truth, truth, seed) for seed in range(PANELS)])
    errors: dict[str, list[Interval]] = {"majority vote": [], "soft labels": []}
    wrong: dict[str, list[float]] = {"majority vote": [], "soft labels": []}
    for n_readings in READINGS:
        outcome: dict[str, list[float]] = {name: [] for name in errors}
        for seed in range(PANELS):
            rng = np.random.default_rng([seed, n_readings])
            answers = read_cases(codes, hardness, n_readings, rng)
            majority, soft = majority_vote(answers, rng), soft_labels(answers, len(codes))
            outcome["majority vote"].append(error_on_truth(X, majority, truth, seed))
            outcome["soft labels"].append(error_on_truth(X, soft, truth, seed))
            if n_readings == HEADLINE:
                firmest = np.array(CLASSES)[soft.plausibilities.argmax(axis=1)]
                wrong["majority vote"].append(float((majority != truth).mean()))
                wrong["soft labels"].append(float((firmest != truth).mean()))
        for name, values in outcome.items():
            errors[name].append(Interval.of(values))
    errors["truth"] = [on_truth] * len(READINGS)

    at = READINGS.index(HEADLINE)
    print(f"Each case read by {HEADLINE} of the {len(READERS)} readers:\n")
    print("  trained on        wrong labels   error on the true class (95 % interval)")
    print("  --------------    ------------   ---------------------------------------")
    for name, intervals in errors.items():
        share = float(np.mean(wrong.get(name, [0.0])))
        print(f"  {name:<14}    {share:>12.1%}   {intervals[at]}")

    draw(errors, picture)
    print(f"\nOpen {picture}")


if __name__ == "__main__":
    main()
