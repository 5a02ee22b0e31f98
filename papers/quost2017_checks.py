"""Why soft labels lose where they lose: explanations of quost2017's exceptions, tested.

- The model: the *true* labels are discounted, so that soft labels carry no noise at all.  On rows
  drawn from the fitted Gaussians (a "twin" of the data) LDA's assumptions hold exactly.
- The start: how much of LDA's result is the oracle's start, and how soon EM leaves it.
"""

from __future__ import annotations

import numpy as np

from labelief import LinearDiscriminantAnalysis, LogisticRegression, SoftLabels
from papers.data import Codes, Floats
from papers.experiment import Cell, generator
from papers.quost2017_noise import PENALTY, Trial, trial_of

__all__ = ["DISCOUNTS", "STEPS", "work_discounts", "work_steps"]

DISCOUNTS = [0.0, 0.05, 0.1, 0.2, 0.3, 0.5]
STEPS = [2, 5, 20, 200]


def work_discounts(cell: Cell) -> dict[str, float | None]:
    """Test errors from true labels that are all discounted alike; LDA on a twin as well."""
    trial = trial_of(cell)
    twin = _gaussian_twin(trial, generator("twin", cell["data"], cell["repetition"]))
    for discount in DISCOUNTS:
        target = SoftLabels.from_confidences(
            trial.y, np.full(len(trial.y), 1.0 - discount), trial.labels.soft.classes
        )
        trial.learn(f"lda {discount}", LinearDiscriminantAnalysis(), target)
        trial.learn(f"lr {discount}", LogisticRegression(PENALTY), target)
        twin.learn(f"twin {discount}", LinearDiscriminantAnalysis(), target)
    return trial.results | twin.results


def work_steps(cell: Cell) -> dict[str, float | None]:
    """Test errors of LDA from soft labels (p_i), a few iterations from the oracle's start."""
    trial = trial_of(cell)
    oracle = np.eye(trial.labels.soft.shape[1])[trial.y]
    for steps in STEPS:
        lda = LinearDiscriminantAnalysis(max_iter=steps)
        trial.learn(f"{steps}", lda, trial.labels.soft, responsibilities=oracle)
    trial.learn("noisy", LinearDiscriminantAnalysis(), trial.labels.observed)
    del trial.results["cut short"]  # on purpose, here
    return trial.results


def _gaussian_twin(trial: Trial, rng: np.random.Generator) -> Trial:
    """Rows of the same classes, drawn from Gaussians with the training rows' moments."""
    lda = LinearDiscriminantAnalysis(classes=trial.labels.soft.classes).fit(trial.X, trial.y)
    factor = np.linalg.cholesky(lda.covariances_[0])

    def draw(codes: Codes) -> Floats:
        noise = rng.normal(size=(len(codes), len(factor)))
        rows: Floats = lda.means_[codes] + noise @ factor.T
        return rows

    test_y = trial.test[1]
    return Trial(draw(trial.y), trial.y, (draw(test_y), test_y), trial.labels)
