"""The data sets: features, what people said, and the truth, which only the error may look at."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.model_selection import GroupKFold

from labelief import SoftLabels, Votes

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]

CREDAL = ("credal_dog2", "credal_dog4", "credal_bird2", "credal_bird10")
PARTIAL = ("partial_lost", "partial_birdsong")
# Chance that people's belief says nothing about the picture: as in the README's first example.
DISCOUNT = 0.2


@dataclass(frozen=True)
class Data:
    """One data set.

    Attributes
    ----------
    X : (n, d) array
        Features; where there is a second label, its class code is the last column.
    labels : SoftLabels or Votes
        What is learned from.
    said : SoftLabels
        All that was said about each row, every observation counted alike: what a prediction that
        ignores the truth can be compared with.
    truth : (n,) array
    second : bool
        Whether the last column of X is a second label.
    balanced : bool
        Whether the classes were collected in equal numbers, which anybody may know.
    folds : list of (repetition, train, test)
    """

    name: str
    X: Floats
    labels: Any
    said: SoftLabels
    truth: NDArray[Any]
    second: bool
    balanced: bool
    folds: list[tuple[int, Rows, Rows]]

    @property
    def features(self) -> Floats:
        """The features alone."""
        return self.X[:, :-1] if self.second else self.X

    @property
    def groups(self) -> Rows:
        """A number per row, equal rows alike."""
        return same_rows(self.features)

    @property
    def learned_from(self) -> Rows:
        """Rows that are in some training part."""
        return np.unique(np.concatenate([train for _, train, _ in self.folds]))


def folder() -> Path:
    """Folder that holds the data files."""
    beside = Path(__file__).resolve().parents[3] / "shared" / "data"
    for place in (os.environ.get("LABELIEF_DATA"), beside):
        if place and (Path(place) / "credal_dog2.csv").is_file():
            return Path(place)
    sys.exit("credal_dog2.csv not found: set LABELIEF_DATA to the folder that holds the data")


def same_rows(X: Floats) -> Rows:
    """Return a number per row, equal rows alike."""
    return np.unique(X, axis=0, return_inverse=True)[1].ravel().astype(np.int64)


def repeated_folds(groups: Rows, repetitions: int) -> Iterator[tuple[int, Rows, Rows]]:
    """Five folds, repeated, equal rows in one fold."""
    for seed in range(repetitions):
        split = GroupKFold(5, shuffle=True, random_state=seed).split(groups, groups=groups)
        for train, test in split:
            yield seed, train, test


def load(name: str, repetitions: int = 5) -> Data:
    """Read one data set."""
    if name in CREDAL:
        return _credal(name, repetitions)
    return _partial(name, repetitions) if name in PARTIAL else _music()


def _credal(name: str, repetitions: int) -> Data:
    main = pd.read_csv(folder() / f"{name}.csv")
    single = pd.read_csv(folder() / f"{name}_soft.csv")["hard_label"].to_numpy(str)
    X, truth = main.drop(columns="label").to_numpy(np.float64), main["label"].to_numpy(str)
    classes = np.unique(truth)
    beliefs = _beliefs(pd.read_csv(folder() / f"{name}_masses.csv"), classes)
    once = SoftLabels.from_crisp(single, classes)
    return Data(
        name=name,
        X=np.column_stack([X, np.searchsorted(classes, single)]),
        labels=beliefs,
        said=SoftLabels.from_probabilities((beliefs.pignistic + once.pignistic) / 2, classes),
        truth=truth,
        second=True,
        balanced=True,
        folds=list(repeated_folds(same_rows(X), repetitions)),
    )


def _beliefs(masses: pd.DataFrame, classes: NDArray[Any]) -> SoftLabels:
    """Discounted mass functions; several of one picture are combined by Dempster's rule."""
    keys = [key for key in ("row", "worker") if key in masses]
    rows, owners = [], []
    for key, part in masses.groupby(keys, sort=True):
        sets = (frozenset(names.split("|")) for names in part["focal_set"])
        rows.append(dict(zip(sets, part["mass"].astype(float), strict=True)))
        owners.append(key[0])
    each = SoftLabels.from_masses(rows, classes).discount(DISCOUNT)
    owner = pd.Series(owners)
    # What number an answer has among those about its picture; where there is none: nothing known.
    turn = owner.groupby(owner).cumcount().to_numpy()
    each = SoftLabels.concatenate([each, SoftLabels.from_crisp([None], classes)])
    combined = each[np.flatnonzero(turn == 0)]
    for number in range(1, int(turn.max()) + 1):
        answer = np.full(len(combined), len(owner))
        there = np.flatnonzero(turn == number)
        answer[owner[there]] = there
        combined = combined.combine(each[answer])
    return combined


def _partial(name: str, repetitions: int) -> Data:
    main = pd.read_csv(folder() / f"{name}.csv.gz")
    candidates = main.filter(like="cand_").to_numpy(np.int64)
    X = main.drop(columns="label").drop(columns=main.filter(like="cand_").columns)
    labels = SoftLabels.from_candidates(candidates)
    return Data(
        name=name,
        X=X.to_numpy(np.float64),
        labels=labels,
        said=labels,
        truth=main["label"].to_numpy(),
        second=False,
        balanced=False,
        folds=list(repeated_folds(same_rows(X.to_numpy(np.float64)), repetitions)),
    )


def _music() -> Data:
    main = pd.read_csv(folder() / "music_genre.csv.gz")
    answers = pd.read_csv(folder() / "music_genre_answers.csv")
    train, test = (np.flatnonzero(main["split"] == part) for part in ("train", "test"))
    votes = Votes(answers, "row", "worker", "answer", items=np.arange(len(main)))
    return Data(
        name="music_genre",
        X=main.drop(columns=["split", "label"]).to_numpy(np.float64),
        labels=votes,
        said=SoftLabels.from_votes(votes),
        truth=main["label"].to_numpy(str),
        second=False,
        balanced=True,
        folds=[(0, train, test)],
    )


def everybody(name: str) -> Votes:
    """Every answer about a set of pictures as votes of the people who gave them.

    Both steps of an answer, sets of classes with their certainty; the single label of the second
    campaign, whose givers are not named, as the vote of one more annotator.
    """
    answers = pd.read_csv(folder() / f"{name}_answers.csv")
    single = pd.read_csv(folder() / f"{name}_soft.csv")["hard_label"].to_numpy(str)
    columns = ["row", "worker", "answer", "certainty"]
    later = answers[["row", "worker", "answer2", "certainty2"]].dropna().set_axis(columns, axis=1)
    once = {"row": range(len(single)), "worker": "second campaign", "answer": single}
    table = pd.concat([answers[columns], later, pd.DataFrame({**once, "certainty": 7.0})])
    table["certainty"] /= 7.0
    rows = np.arange(len(single))
    return Votes(table, "row", "worker", "answer", "certainty", items=rows, sep="|")
