"""quost2017 §5.2 on labels that people gave: soft, majority and semi-supervised labels, by PCA.

The paper's EEG signals and face images are not public.  In their place:

- "music": 700 songs of ten genres, each labelled by 1 to 7 people; soft labels are the shares of
  their votes, as in eq. 31;
- "birds": 200 pictures of ten species, each with 4 to 9 answers that are mass functions; soft
  labels combine their contours, discounted by 0.1, as in eq. 32;
- "dogs4" and "dogs2": 400 and 200 pictures, each with one person's mass function.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler

from labelief import (
    AnnotatorNoise,
    FlipNoise,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    SoftLabels,
    Votes,
)
from labelief.labels import pool_plausibilities
from labelief.metrics import lower_error, upper_error
from labelief.model_selection import SoftStratifiedKFold
from papers.data import Codes, Floats, duplicate_groups, table
from papers.experiment import Cell, Record, generator, seed_of
from papers.verdicts import Estimate, student

__all__ = [
    "DATA",
    "FILES",
    "FOLDS",
    "LABELLINGS",
    "MODELS",
    "Crowd",
    "components",
    "crowd",
    "fold_estimate",
    "with_expected_loss",
    "work",
    "work_channels",
]

DATA = ["music", "birds", "dogs4", "dogs2"]
FILES = {"birds": "credal_bird10", "dogs4": "credal_dog4", "dogs2": "credal_dog2"}
MODELS = ["lr", "lda"]
LABELLINGS = ["soft", "majority", "semi"]
FOLDS = 10
_COMPONENTS = [1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 30, 40]
_DISCOUNT = 0.1
# λ of §5.1 for votes; of §5.2.2 (1e-4) for the combined plausibilities.
_C = {"music": 1e2, "birds": 1e4, "dogs4": 1e2, "dogs2": 1e2}
# No class has more than this share of a row's probability: such a row is ambiguous (the paper's two
# or three votes of five).
_AMBIGUOUS = 0.6 + 1e-9


@dataclass(frozen=True)
class Crowd:
    """Features, soft labels and what is made of them, and the truth, as class codes."""

    X: Floats
    soft: SoftLabels
    majority: Codes
    semi: SoftLabels
    truth: Codes
    groups: Codes
    votes: Votes | None


def components(data: str) -> list[int]:
    """List the numbers of principal components that are tried."""
    return [number for number in _COMPONENTS if number <= crowd(data).X.shape[1]]


@cache
def crowd(data: str) -> Crowd:
    """Read a set that people labelled."""
    votes = _votes() if data == "music" else None
    X, soft, truth = _music(votes) if votes is not None else _credal(FILES[data])
    probability = soft.pignistic
    # Ties for the majority are drawn by lot, once.
    lots = 1e-6 * generator("ties", data).random(probability.shape)
    majority = np.argmax(probability + lots, axis=1)
    clear = probability.max(axis=1) > _AMBIGUOUS
    semi = SoftLabels.from_confidences(majority, clear.astype(np.float64), soft.classes)
    return Crowd(X, soft, majority, semi, truth, duplicate_groups(X), votes)


def work(cell: Cell) -> dict[str, float | None]:
    """Errors on one fold of a set reduced to so many principal components of the training rows."""
    people = crowd(cell["data"])
    Z, train, test = _fold(people, cell)
    targets: dict[str, Any] = {
        "soft": people.soft,
        "majority": people.majority,
        "semi": people.semi,
    }
    results: dict[str, float | None] = {}
    for model in MODELS:
        for name, target in targets.items():
            found = _classifier(model, cell).fit(Z[train], target[train]).predict(Z[test])
            results |= {
                f"{model} {name} lower": lower_error(people.soft[test], found),
                f"{model} {name} upper": upper_error(people.soft[test], found),
                f"{model} {name} majority": float(np.mean(found != people.majority[test])),
                f"{model} {name} truth": float(np.mean(found != people.truth[test])),
            }
    return results


def work_channels(cell: Cell) -> dict[str, float | None]:
    """Errors on the truth where people's reliability is learned, on the folds of :func:`work`.

    "flip" learns one matrix of confusions from the majority labels; with votes, "annotators" learns
    one for each person, and "pooled" takes their votes pooled by Dawid and Skene, from the votes
    alone.
    """
    people = crowd(cell["data"])
    Z, train, test = _fold(people, cell)
    ways: dict[str, tuple[Any, Any]] = {
        "truth": (people.truth, None),
        "flip": (people.majority, FlipNoise()),
    }
    if people.votes is not None:
        ways["annotators"] = (people.votes, AnnotatorNoise())
        ways["pooled"] = (SoftLabels.from_votes(people.votes, rule="dawid_skene"), None)
    results: dict[str, float | None] = {}
    for model in MODELS:
        for name, (target, channel) in ways.items():
            classifier = _classifier(model, cell).set_params(channel=channel)
            found = classifier.fit(Z[train], target[train]).predict(Z[test])
            results[f"{model} {name}"] = float(np.mean(found != people.truth[test]))
    return results


def _fold(people: Crowd, cell: Cell) -> tuple[Floats, Codes, Codes]:
    """Components fitted on the training rows, for all rows; training and test rows."""
    seed = seed_of("folds", cell["data"], cell["repetition"])
    folds = SoftStratifiedKFold(FOLDS, random_state=seed)
    train, test = list(folds.split(people.X, people.majority, people.groups))[cell["fold"]]
    # The pictures' features are principal component scores already: their variances mean something.
    scaler = StandardScaler(with_std=cell["data"] == "music").fit(people.X[train])
    pca = PCA(cell["components"], svd_solver="full").fit(scaler.transform(people.X[train]))
    Z: Floats = pca.transform(scaler.transform(people.X))
    return Z, train, test


def _classifier(model: str, cell: Cell) -> Any:
    classes = crowd(cell["data"]).soft.classes
    if model == "lda":
        return LinearDiscriminantAnalysis(classes=classes)
    return LogisticRegression(_C[cell["data"]], classes=classes)


def with_expected_loss(records: list[Record]) -> list[Record]:
    """Add the losses at pessimism 0.5 (eq. 26)."""
    names = [f"{model} {labels}" for model in MODELS for labels in LABELLINGS]
    return [
        record
        | {
            f"{name} expected": (record[f"{name} lower"] + record[f"{name} upper"]) / 2
            for name in names
        }
        for record in records
    ]


def fold_estimate(values: list[float]) -> Estimate:
    """Mean over folds with a 95 % interval that counts what their training rows share.

    The variance over folds is multiplied by ``1/n + 1/(B - 1)`` for B folds and n values, not 1/n
    (Nadeau and Bengio 2003): repeating a cross-validation does not make it exact.
    """
    return student(values, 1.0 / len(values) + 1.0 / (FOLDS - 1))


def _songs() -> pd.DataFrame:
    songs = table("music_genre")
    return songs[songs["split"] == "train"]


def _votes() -> Votes:
    songs, answers = _songs(), table("music_genre_answers")
    names = sorted(songs["label"].unique())
    return Votes(
        answers.assign(answer=answers["answer"].map(names.index)),
        item="row",
        annotator="worker",
        label="answer",
        items=songs.index.tolist(),
        classes=range(len(names)),
    )


def _music(votes: Votes) -> tuple[Floats, SoftLabels, Codes]:
    songs = _songs()
    X = songs.drop(columns=["split", "label"]).to_numpy(np.float64)
    truth = songs["label"].map(sorted(songs["label"].unique()).index).to_numpy(np.int64)
    return X, SoftLabels.from_votes(votes), truth


def _credal(name: str) -> tuple[Floats, SoftLabels, Codes]:
    pictures, masses = table(name), table(f"{name}_masses")
    names = sorted(pictures["label"].unique())
    if "worker" in masses:
        # The answers to a picture in any order, as those of so many experts; none says nothing.
        order = masses.groupby("row")["worker"].transform(lambda ids: ids.factorize()[0])
        experts = [
            _mass_functions(masses[order == number], len(pictures), names)
            for number in range(order.max() + 1)
        ]
        soft = pool_plausibilities(experts, _DISCOUNT)
    else:
        soft = _mass_functions(masses, len(pictures), names)
    X = pictures.drop(columns="label").to_numpy(np.float64)
    return X, soft, pictures["label"].map(names.index).to_numpy(np.int64)


def _mass_functions(masses: pd.DataFrame, n: int, names: list[str]) -> SoftLabels:
    rows: list[dict[tuple[int, ...], float]] = [{} for _ in range(n)]
    for row, focal, mass in masses[["row", "focal_set", "mass"]].itertuples(index=False):
        rows[row][tuple(names.index(part) for part in focal.split("|"))] = mass
    everything = {tuple(range(len(names))): 1.0}
    return SoftLabels.from_masses([row or everything for row in rows], range(len(names)))
