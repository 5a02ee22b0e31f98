"""quost2017 §5.1: error against label noise, for four labellings of eight data sets.

With probability ``p_i ~ Beta(mean p̄, variance 0.04)`` a label is replaced by one drawn from all
classes.  Learners are told

- "noisy": the labels as they are;
- "semi": only those with p_i ≤ 0.5;
- "soft": the labels discounted by p_i, plausibility 1 for the label and p_i for the others;
- "mean": the labels discounted by p̄.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from labelief import (
    EvidentialKNN,
    FlipNoise,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    MixtureDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
    SoftLabels,
)
from labelief.simulation import CorruptedLabels, replace_labels
from papers.data import Codes, Floats, load
from papers.experiment import Cell, generator, seed_of

__all__ = [
    "DATA",
    "PENALTY",
    "Trial",
    "noise_means",
    "trial_of",
    "work",
    "work_beyond",
]

# In the order of the paper's Figures 2-5.
DATA = [
    "synthetic",
    "breastcancer",
    "ionosphere",
    "iris",
    "sonar",
    "satimage",
    "vowel",
    "wine",
]
_VARIANCE = 0.04
PENALTY = 100.0  # C = 1/λ: the paper's λ = 0.01


def noise_means(data: str) -> list[float]:
    """List the levels of noise: the paper's p̄."""
    return [round(0.1 * step, 1) for step in range(1, 10 if data == "synthetic" else 8)]


@dataclass
class Trial:
    """Training rows with corrupted labels, test rows, and what was found on them."""

    X: Floats
    y: Codes
    test: tuple[Floats, Codes]
    labels: CorruptedLabels
    results: dict[str, float | None] = field(default_factory=dict)

    def learn(self, name: str, estimator: Any, target: Any, **settings: Any) -> None:
        """Fit, and keep the test error; count the fits that were cut short."""
        estimator.set_params(classes=self.labels.soft.classes).fit(self.X, target, **settings)
        rows, truth = self.test
        self.results[name] = float(np.mean(estimator.predict(rows) != truth))
        cut_short = not getattr(estimator, "converged_", True)
        self.results["cut short"] = (self.results.get("cut short") or 0.0) + cut_short


def work(cell: Cell) -> dict[str, float | None]:
    """Test errors of one repetition: LDA from the paper's start and from ours, and LR.

    "oracle" is LDA that starts from the parameters fitted to the true labels, as in the paper;
    "honest" starts from the labels given.  ``scaled: False`` in the cell leaves the features as
    they are, which changes the penalty of LR and nothing else.
    """
    trial = trial_of(cell)
    observed, doubts, soft = trial.labels
    kept = (doubts <= 0.5).astype(np.float64)
    blurred = np.full(len(observed), 1.0 - cell["mean"])
    targets = {
        "noisy": observed,
        "semi": SoftLabels.from_confidences(observed, kept, soft.classes),
        "soft": soft,
        "mean": SoftLabels.from_confidences(observed, blurred, soft.classes),
        "truth": trial.y,
    }
    oracle = np.eye(soft.shape[1])[trial.y]
    for name, target in targets.items():
        trial.learn(f"oracle {name}", LinearDiscriminantAnalysis(), target, responsibilities=oracle)
        trial.learn(f"honest {name}", LinearDiscriminantAnalysis(), target)
        trial.learn(f"lr {name}", LogisticRegression(PENALTY), target)
    return trial.results


def work_beyond(cell: Cell) -> dict[str, float | None]:
    """Test errors of one repetition: p_i read otherwise, noise that is learned, other classifiers.

    A label that is replaced with probability p by one of K drawn at random is seen with probability
    ``1 - p + p / K`` where it is the true one, and ``p / K`` where another is: "likelihood" labels
    have these as plausibilities.  "learned" has the noisy labels alone.
    """
    trial = trial_of(cell)
    observed, doubts, soft = trial.labels
    n_classes = soft.shape[1]
    seen = observed[:, None] == np.arange(n_classes)
    likelihood = seen * (1.0 - doubts)[:, None] + (doubts / n_classes)[:, None]
    for name, target in {"soft": soft, "likelihood": likelihood}.items():
        trial.learn(f"lda {name}", LinearDiscriminantAnalysis(), target)
        trial.learn(f"lr {name}", LogisticRegression(PENALTY), target)
    channel = FlipNoise("symmetric")
    trial.learn("lda learned", LinearDiscriminantAnalysis(channel=channel), observed)
    trial.learn("lr learned", LogisticRegression(PENALTY, channel=channel), observed)
    trial.learn("qda soft", QuadraticDiscriminantAnalysis(), soft)
    trial.learn("mda soft", MixtureDiscriminantAnalysis(2), soft)
    trial.learn("knn soft", EvidentialKNN(), soft)
    return trial.results


def trial_of(cell: Cell) -> Trial:
    """Split and labels of a cell; the split is the same at all levels of noise."""
    rng = generator("split", cell["data"], cell["repetition"])
    if cell["data"] == "synthetic":
        (X, y), (test_X, test_y), n_classes = _synthetic(200, rng), _synthetic(1000, rng), 3
    else:
        rows, codes, names = load(cell["data"])
        order, cut = rng.permutation(len(codes)), round(2 * len(codes) / 3)
        train, tested = order[:cut], order[cut:]
        X, y, test_X, test_y = rows[train], codes[train], rows[tested], codes[tested]
        n_classes = len(names)
    if cell.get("scaled", True):
        middle, spread = X.mean(axis=0), X.std(axis=0)
        spread[spread == 0] = 1.0
        X, test_X = (X - middle) / spread, (test_X - middle) / spread
    seed = seed_of("noise", cell["data"], cell["mean"], cell["repetition"])
    labels = replace_labels(y, cell["mean"], _VARIANCE, classes=range(n_classes), random_state=seed)
    return Trial(X, y, (test_X, test_y), labels)


def _synthetic(n: int, rng: np.random.Generator) -> tuple[Floats, Codes]:
    """Three Gaussians in the plane, unit covariance."""
    y = rng.choice(3, size=n, p=[0.45, 0.35, 0.2])
    means = np.array([[1.0, -1.0], [0.0, 1.0], [-1.0, 0.0]])
    return rng.normal(size=(n, 2)) + means[y], y.astype(np.int64)
