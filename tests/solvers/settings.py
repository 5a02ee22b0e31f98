"""Small problems with parameters in the features' units, and what is true of them by SciPy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import logsumexp
from tests.models.families import Case, make_case, native_log_prior, scipy_log_density

from labelief.blocks import ArrayBlocks, Block, Dense
from labelief.channels import FlipNoise, Trusted
from labelief.models import ComponentModel
from labelief.models.components import ComponentParameters
from labelief.models.shrinkage import Strength
from labelief.solvers import Parameters, Problem

K = 3
MATRIX = np.array([[0.7, 0.2, 0.1], [0.05, 0.8, 0.15], [0.2, 0.2, 0.6]])
CHANNELS = {
    "trusted": Trusted(),
    "fixed": FlipNoise(matrix=MATRIX),
    "full": FlipNoise(),
    "symmetric": FlipNoise("symmetric"),
}
STRENGTH = Strength(0.5)


@dataclass
class Setting:
    """A problem, parameters, and all that they were made from."""

    name: str
    case: Case
    component_class: np.ndarray
    pl: np.ndarray
    verified: np.ndarray
    weights: np.ndarray
    matrix: np.ndarray
    problem: Problem
    parameters: Parameters

    def block(self, xp: Any = np) -> Block:
        """Return all rows as one block."""
        evidence = Dense(self.pl, self.verified)
        if xp is not np:
            evidence = evidence.moved(xp.asarray)
        return Block(xp.asarray(self.case.X), evidence, xp.asarray(self.case.weights))

    @property
    def label_likelihood(self) -> np.ndarray:
        """``Pr(label | k)``, (n, K)."""
        return np.where(self.verified[:, None], self.pl, self.pl @ self.matrix.T)

    @property
    def log_joint(self) -> np.ndarray:
        """``log π_c w_j f_j(x_i)``, (n, J)."""
        return scipy_log_density(self.name, self.case.native, self.case.X) + np.log(self.weights)

    @property
    def log_joint_with_labels(self) -> np.ndarray:
        """``log pl_i(c_j) π_c w_j f_j(x_i)``, (n, J)."""
        with np.errstate(divide="ignore"):
            return self.log_joint + np.log(self.label_likelihood)[:, self.component_class]

    @property
    def log_evidence(self) -> np.ndarray:
        """``log Σ_k pl_i(k) p_k(x_i)``, (n,)."""
        return logsumexp(self.log_joint_with_labels, axis=1)

    @property
    def responsibilities(self) -> np.ndarray:
        """``r_ij``, (n, J)."""
        return np.exp(self.log_joint_with_labels - self.log_evidence[:, None])

    def by_class(self, components: np.ndarray) -> np.ndarray:
        """Sum over the components of each class."""
        return components @ np.eye(K)[self.component_class]

    @property
    def log_prior(self) -> float:
        """Log prior of the covariances."""
        return native_log_prior(self.name, self.case, self.case.native.second, STRENGTH)


def make_setting(
    name: str = "full",
    channel: str = "trusted",
    component_class: tuple[int, ...] = (0, 0, 1, 2, 2),
    n: int = 40,
    block_rows: int | None = None,
    n_threads: int = 1,
) -> Setting:
    """Return a problem with soft labels, some of them verified, some vacuous, some crisp."""
    rng = np.random.default_rng(7)
    classes = np.array(component_class)
    case = make_case(name, n=n, J=len(classes))
    pl = rng.uniform(0.1, 1.0, (n, K))
    pl[: n // 5] = np.eye(K)[rng.integers(0, K, n // 5)]
    pl[n // 5 : n // 4] = 0.6
    verified = rng.random(n) < 0.2
    blocks = ArrayBlocks(
        case.X, Dense(pl, verified), case.weights, block_rows=block_rows, n_threads=n_threads
    )
    prior = case.density.fixed_prior(case.frame, STRENGTH)
    bound = CHANNELS[channel].bind(K, blocks.evidence)
    problem = Problem(blocks, ComponentModel(case.density, case.frame, prior, classes), bound, K)
    weights = rng.dirichlet(np.full(len(classes), 5.0))
    matrix = {"trusted": np.eye(K), "symmetric": np.full((K, K), 0.15) + 0.55 * np.eye(K)}.get(
        channel, MATRIX
    )
    gamma = matrix if bound.learned else None
    parameters = Parameters(ComponentParameters(weights, case.parameters), gamma)
    return Setting(name, case, classes, pl, verified, weights, matrix, problem, parameters)
