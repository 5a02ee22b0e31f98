"""Small logistic problems with all kinds of labels, and their objective by SciPy in plain sight."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from scipy.special import log_softmax, logsumexp

from labelief.blocks import ArrayBlocks, Dense
from labelief.channels import FlipNoise, Trusted
from labelief.models.conditioning import condition
from labelief.models.logistic import LogisticModel
from labelief.models.newton import no_curvature
from labelief.solvers import Parameters, Problem

CHANNELS = {
    "trusted": Trusted(),
    "full": FlipNoise(),
    "symmetric": FlipNoise("symmetric"),
}


@dataclass
class Logits:
    """A problem and all that it was made from."""

    X: np.ndarray
    pl: np.ndarray
    weights: np.ndarray
    penalty: float
    classes: np.ndarray
    problem: Problem

    def objective(self, vector: np.ndarray) -> float:
        """Return the objective in the coordinates of the problem, row by row."""
        parameters = self.problem.from_vector(vector)
        model, frame = parameters.model, self.problem.model.frame
        eta = model.intercepts + (self.X - frame.center) @ model.coefficients
        logs = np.full((len(self.X), self.pl.shape[1]), -np.inf)
        logs[:, self.classes] = log_softmax(eta, axis=1)
        matrix = np.eye(self.pl.shape[1]) if parameters.channel is None else parameters.channel
        with np.errstate(divide="ignore"):
            rows = logsumexp(logs + np.log(self.pl @ matrix.T), axis=1)
        return float(
            self.weights @ rows
            - self.penalty / 2 * np.sum(model.coefficients**2)
            + self.problem.channel.log_prior(parameters.channel)
        )


def make_logits(
    channel: str = "trusted",
    K: int = 3,
    *,
    penalty: float = 2.0,
    n: int = 60,
    labels: str = "soft",
    sparse: bool = False,
    absent: tuple[int, ...] = (),
    curvatures: Any = no_curvature,
    shift: float = 0.0,
    **settings: Any,
) -> Logits:
    """Return a problem; `absent` classes are those that no label allows."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(n, 4)) @ rng.normal(size=(4, 4))
    X = X * (rng.random(X.shape) < 0.4) if sparse else X
    classes = np.setdiff1d(np.arange(K), absent)
    towards = X @ rng.normal(size=(4, len(classes)))
    truth = classes[np.argmax(towards + rng.gumbel(size=towards.shape), axis=1)]
    X = X + shift
    pl = rng.uniform(0.0, 0.9, (n, K)) if labels == "soft" else np.zeros((n, K))
    pl[np.arange(n), truth] = 1.0
    pl[:, list(absent)] = 0.0
    weights = rng.uniform(0.5, 2.0, n)
    rows = csr_array(X) if sparse else X
    blocks = ArrayBlocks(rows, Dense(pl), weights, **settings)
    frame = condition(blocks, penalty, len(classes))
    model = LogisticModel(frame, penalty, classes, curvatures)
    problem = Problem(blocks, model, CHANNELS[channel].bind(K, blocks.evidence), K)
    return Logits(X, pl, weights, penalty, classes, problem)


def some_vector(case: Logits, seed: int = 0) -> np.ndarray:
    """Return coordinates off the start, which the channel's parameters can take."""
    problem = case.problem
    start = problem.to_vector(Parameters(problem.model.start(), problem.channel.start()))
    vector = start + 0.5 * np.random.default_rng(seed).normal(size=start.shape)
    return problem.to_vector(problem.from_vector(vector))
