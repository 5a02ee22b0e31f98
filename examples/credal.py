"""Learn breeds of dogs and birds from what people half believed.

People named the animal on a picture by one or more breeds and said how certain they were (Thierry,
Hoarau, Martin, Dubois and Le Gall, BELIEF 2022); each answer is a mass function.  In a separate
campaign people gave one single breed.  Linear discriminant analysis is trained on either and errs
on the true breed of held-out pictures this often.

Labels: the contour of each mass function, discounted by 0.1; for Bird-10, which has several
answers per picture, the mean of their pignistic probabilities.  The pictures were collected as
many from each class, which anybody may know, so the class priors are held equal.  Shrinkage 0.1,
features standardised within each training part, 5-fold cross-validation repeated, equal pictures
kept in one fold.

The files ``credal_*.csv`` are looked for in the folder ``LABELIEF_DATA``, then in
``../shared/data`` beside the repository.
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.model_selection import GroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from labelief import LinearDiscriminantAnalysis, SoftLabels

SETS = {"credal_dog2": "Dog-2", "credal_dog4": "Dog-4", "credal_bird10": "Bird-10"}
DISCOUNT = 0.1


@dataclass(frozen=True)
class Pictures:
    """One data set: features, truth, single labels, belief labels, groups of equal pictures."""

    X: NDArray[np.float64]
    truth: NDArray[np.str_]
    single: NDArray[np.str_]
    beliefs: SoftLabels
    groups: NDArray[np.int64]


def data_folder() -> Path:
    """Folder that holds the credal files."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    for folder in (os.environ.get("LABELIEF_DATA"), beside):
        if folder and (Path(folder) / "credal_dog2.csv").is_file():
            return Path(folder)
    sys.exit("credal_*.csv not found: set LABELIEF_DATA to the folder that holds the files")


def mass_functions(frame: pd.DataFrame, keys: list[str]) -> list[dict[frozenset[str], float]]:
    """One dict {set of classes: mass} for each group of rows with equal ``keys``."""
    return [
        {frozenset(name.split("|")): float(mass) for name, mass in zip(sets, masses, strict=True)}
        for sets, masses in (
            (part["focal_set"], part["mass"]) for _, part in frame.groupby(keys, sort=True)
        )
    ]


def belief_labels(masses: pd.DataFrame, classes: list[str]) -> SoftLabels:
    """Labels of all pictures from the mass functions in a side file."""
    if "worker" not in masses:
        return SoftLabels.from_masses(mass_functions(masses, ["row"]), classes).discount(DISCOUNT)
    keys = ["row", "worker"]
    answers = SoftLabels.from_masses(mass_functions(masses, keys), classes)
    picture = masses.groupby(keys, sort=True).size().reset_index()["row"]
    mean = pd.DataFrame(answers.pignistic).groupby(picture.to_numpy()).mean()
    return SoftLabels.from_probabilities(mean.to_numpy(), classes)


def load(folder: Path, name: str) -> Pictures:
    """Read one data set and its side files."""
    main = pd.read_csv(folder / f"{name}.csv")
    masses = pd.read_csv(folder / f"{name}_masses.csv")
    side = pd.read_csv(folder / f"{name}_soft.csv")
    X = main.drop(columns="label").to_numpy(dtype=np.float64)
    return Pictures(
        X=X,
        truth=main["label"].to_numpy(dtype=str),
        single=side["hard_label"].to_numpy(dtype=str),
        beliefs=belief_labels(masses, sorted(main["label"].unique())),
        groups=np.unique(X, axis=0, return_inverse=True)[1].ravel(),
    )


def errors(data: Pictures, labels: Any, repetitions: int) -> NDArray[np.float64]:
    """Share of pictures whose true class is missed, for each repetition of the five folds."""
    missed = np.zeros(repetitions)
    n_classes = data.beliefs.shape[1]
    equal = np.full(n_classes, 1.0 / n_classes)
    for seed in range(repetitions):
        folds = GroupKFold(5, shuffle=True, random_state=seed)
        for train, test in folds.split(data.X, groups=data.groups):
            classifier = LinearDiscriminantAnalysis(shrinkage=0.1, priors=equal)
            model = make_pipeline(StandardScaler(), classifier)
            model.fit(data.X[train], labels[train])
            missed[seed] += (model.predict(data.X[test]) != data.truth[test]).sum()
    return missed / len(data.truth)


def main() -> None:
    """Print one row per data set."""
    parser = argparse.ArgumentParser(description="Learn from people's belief functions.")
    parser.add_argument("--repetitions", type=int, default=5, help="of the 5 folds (default: 5)")
    repetitions = parser.parse_args().repetitions
    folder = data_folder()
    print(f"Error on the true class, {repetitions} x 5 folds (± standard error over repetitions)\n")
    print("           single labels   ------------ trained on ------------")
    print("           that are wrong  single labels   beliefs         truth")
    for name, title in SETS.items():
        data = load(folder, name)
        row = f"{title:<10} {(data.single != data.truth).mean():14.1%} "
        for labels in (data.single, data.beliefs, data.truth):
            found = errors(data, labels, repetitions)
            margin = found.std(ddof=1) / repetitions**0.5 if repetitions > 1 else np.nan
            row += f" {found.mean():6.1%} ±{margin:5.1%} "
        print(row, flush=True)


if __name__ == "__main__":
    main()
