"""Verdicts on Tables 3 and 4 of liu2022, and tests of what is behind those that are worse."""

from __future__ import annotations

import math
from collections.abc import Iterable

from scipy import stats

from papers.experiment import Record
from papers.liu2022_printed import RATES, TABLES
from papers.verdicts import Estimate, estimate

__all__ = [
    "COMPUTED",
    "EARLY",
    "KINDS",
    "OURS",
    "TESTED",
    "TWO_CLASSES",
    "Case",
    "Means",
    "compare",
    "means_of",
    "not_comparable",
    "one_split",
    "verdict",
    "worse_cases",
]

# LR is rLR and rmLR: with two classes they are one model.
COMPUTED = ("Ada", "rNDA", "GMDA", "LR")
TESTED = ("rNDA diagonal", "GMDA diagonal", "GMDA shrunk")
OURS = {"Ada": "Ada", "rNDA": "rNDA", "GMDA": "GMDA", "rmLR": "LR", "rLR": "LR"}
KINDS = ("symmetric", "asymmetric")
TWO_CLASSES = ("Synth2", "Heart", "Boston")

Key = tuple[str, str, float, str]
Means = dict[Key, Estimate | None]


EARLY = "Ada, 10 rounds"
_VARIANTS = {
    "rNDA": {"rNDA diagonal": "diagonal covariances"},
    "GMDA": {
        "GMDA diagonal": "diagonal covariances",
        "GMDA shrunk": 'full ones with `shrinkage="auto"`',
        "rNDA diagonal": "one component of diagonal covariance",
        "GMDA renamed": "the names of two classes chosen afterwards",
    },
    "Ada": {EARLY: "10 rounds instead of 50"},
}


Case = tuple[str, str, float, float]


def compare(means: Means) -> tuple[dict[str, int], dict[str, list[Case]], dict[str, int]]:
    """Count verdicts; gather the cases where ours is worse, and the comparisons of each method."""
    counts: dict[str, int] = {}
    worse: dict[str, list[Case]] = {}
    compared: dict[str, int] = {}
    for kind in KINDS:
        for name, printed in TABLES[kind].items():
            for method, row in printed.items():
                for rate, number in zip(RATES, row, strict=True):
                    if number is None or (kind == "asymmetric" and rate == 0):
                        continue
                    ours = means.get((name, kind, rate, OURS[method]))
                    word = verdict(name, kind, rate, number, ours)
                    counts[word] = counts.get(word, 0) + 1
                    compared[method] = compared.get(method, 0) + (word != "n.c.")
                    if word == "worse":
                        worse.setdefault(method, []).append((name, kind, rate, number))
    return counts, worse, compared


def not_comparable(name: str, kind: str, rate: float) -> str:
    """Say why a number cannot be compared, before it is looked at; "" where it can be."""
    if name.startswith("Synth"):
        return "set not printed"
    if name == "Boston":
        return "cut not printed"
    if rate == 0.5 and kind == "symmetric" and name in TWO_CLASSES:
        return "the labels say nothing"
    if rate == 0.5 and kind == "asymmetric" and name not in TWO_CLASSES:
        return "half of each class bears the next one's name"
    return ""


def one_split(printed: float, ours: Estimate, good: str = "smaller") -> str:
    """Compare with a number of one random split: it has the spread of one of our repetitions.

    Ours is a mean of n with deviation s; a single repetition is within
    ``t_{0.975, n-1} s sqrt(1 + 1/n)`` of it 95 times in 100.
    """
    wide = float(stats.t.ppf(0.975, ours.n - 1)) * ours.deviation * math.sqrt(1.0 + 1.0 / ours.n)
    if abs(ours.mean - printed) <= wide + 0.0005:
        return "agrees"
    return "better" if (ours.mean < printed) == (good == "smaller") else "worse"


def verdict(name: str, kind: str, rate: float, printed: float, ours: Estimate | None) -> str:
    """Verdict of one number, in a word or two."""
    if ours is None or ours.n < 2:
        return "n.c."
    if not_comparable(name, kind, rate):
        return "n.c."
    return one_split(printed, ours)


def means_of(records: Iterable[Record]) -> Means:
    """Mean errors by set, kind of noise, rate and method; None where there is none."""
    lists: dict[Key, list[float | None]] = {}
    for r in records:
        for kind in KINDS if r["rate"] == 0 else (r["kind"],):
            for method in (*COMPUTED, *TESTED):
                lists.setdefault((r["set"], kind, r["rate"], method), []).append(r[method])
            if r["set"] in TWO_CLASSES:
                error = r["GMDA"]
                best = None if error is None else min(error, 1.0 - error)
                lists.setdefault((r["set"], kind, r["rate"], "GMDA renamed"), []).append(best)
    return {
        key: None if all(value is None for value in values) else estimate(values)
        for key, values in lists.items()
    }


def worse_cases(means: Means) -> str:
    """Test explanations where ours is worse."""
    counts, worse, compared = compare(means)
    lines = [
        "**Verdicts** (rate 0 counted once): "
        + ", ".join(f"{word} {count}" for word, count in sorted(counts.items()))
        + "."
    ]
    for method, cases in worse.items():
        listed = ", ".join(f"{name} {kind} {rate:g}" for name, kind, rate, _ in cases)
        lines.append(
            f"*{method}* is worse in {len(cases)} of {compared[method]}: {listed}. "
            + _tested(method, cases, means)
        )
    lines.append(
        "One in forty comparisons is worse by chance alone. On Heart, asymmetric noise at 0.4 "
        "gives half of the larger class the other's name: which of the two is which is a toss-up."
    )
    return "\n\n".join([*lines, _distances(means)])


def _tested(method: str, cases: list[Case], means: Means) -> str:
    """Say how many of these cases a variant of the method explains."""
    explained = []
    gone: set[Case] = set()
    for variant, words in _VARIANTS.get(method, {}).items():
        now = {
            case
            for case in cases
            if (ours := means.get((*case[:3], variant))) is not None
            and ours.n > 1
            and one_split(case[3], ours) != "worse"
        }
        gone |= now
        explained.append(f"{len(now)} of {len(cases)} are no longer worse with {words}")
    if not explained:
        return ""
    if len(explained) > 1:
        explained.append(f"{len(gone)} with one of these")
    return "Tested: " + "; ".join(explained) + "."


def _distances(means: Means) -> str:
    """Mean distance to the printed numbers of full and diagonal covariances."""
    told = []
    for method in ("rNDA", "GMDA"):
        for variant in (method, f"{method} diagonal"):
            apart = [
                abs(ours.mean - number)
                for kind in KINDS
                for name, printed in TABLES[kind].items()
                for rate, number in zip(RATES, printed[method], strict=True)
                if number is not None
                and name not in ("Heart", "Boston")
                and not not_comparable(name, kind, rate)
                and (kind == "symmetric" or rate > 0)
                and (ours := means.get((name, kind, rate, variant))) is not None
            ]
            told.append(f"{variant} {sum(apart) / len(apart):.3f}")
    return (
        "Mean distance to the printed numbers on Breast Issue, Iris, Wine and Wave form: "
        + ", ".join(told)
        + ". What the paper calls rNDA is near to one Gaussian of *diagonal* covariance a class, "
        "which it does not say: full ones overfit halves of 53 to 89 rows, and on Wave form's 2500 "
        "they are better than printed. Without regularisation and with two components a class, "
        "Wine's 13 features leave a component fewer rows than its covariance needs."
    )
