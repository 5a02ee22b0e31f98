"""Labels of several real annotators: four ways to learn from them, two classifiers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from examples.worth.data import Data, Floats, Rows, everybody, load
from examples.worth.recipe import per_repetition
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from labelief import (
    AnnotatorNoise,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    SoftLabels,
    Votes,
)

SETS = ("music_genre", "credal_dog2", "credal_dog4", "credal_bird2", "credal_bird10")
CLASSIFIERS = ("LDA, shrinkage 0.1", "logistic, C 0.1")


def _majority(votes: Votes) -> Any:
    """Class with most of the votes' mass; the first by name of several."""
    return votes.classes[SoftLabels.from_votes(votes).pignistic.argmax(axis=1)]


WAYS: dict[str, Callable[[Votes], Any]] = {
    "majority vote": _majority,
    "mean of votes": SoftLabels.from_votes,
    "Dawid-Skene, then fit": lambda votes: SoftLabels.from_votes(votes, "dawid_skene"),
    "joint fit": lambda votes: votes,
}


def classifier(name: str, n_classes: int, channel: Any) -> Any:
    """Return one of the classifiers; the classes were collected in equal numbers."""
    if name == CLASSIFIERS[1]:
        return LogisticRegression(C=0.1, channel=channel, tol=1e-4)
    priors = np.full(n_classes, 1.0 / n_classes)
    return LinearDiscriminantAnalysis(shrinkage=0.1, priors=priors, channel=channel, tol=1e-5)


def votes_of(data: Data) -> Votes:
    """Return every vote about the rows of a data set."""
    votes: Votes = data.labels if data.name == "music_genre" else everybody(data.name)
    return votes


def errors(data: Data, name: str) -> dict[str, Floats]:
    """Error on the true classes of each way, for each repetition."""
    votes = votes_of(data)
    found = {}
    for way, labels_of in WAYS.items():
        channel = AnnotatorNoise() if way == "joint fit" else None
        model = make_pipeline(StandardScaler(), classifier(name, len(votes.classes), channel))

        def missed(train: Rows, test: Rows, model: Any = model, labels_of: Any = labels_of) -> int:
            # Pooled from the training rows' votes alone, each way.
            model.fit(data.features[train], labels_of(votes[train]))
            return int((model.predict(data.features[test]) != data.truth[test]).sum())

        found[way] = per_repetition(data, missed)
    return found


def table(repetitions: int, progress: Callable[[str], None]) -> list[list[str]]:
    """One row per data set and classifier; the lowest error is set in bold."""
    rows = []
    for name in SETS:
        data = load(name, repetitions)
        for model in CLASSIFIERS:
            progress(f"annotators: {name}, {model}")
            found = errors(data, model)
            best = min(error.mean() for error in found.values())
            cells = [
                f"**{error.mean():.1%}**" if error.mean() == best else f"{error.mean():.1%}"
                for error in found.values()
            ]
            rows.append([name, model, *cells])
    return rows
