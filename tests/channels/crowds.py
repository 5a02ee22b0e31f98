"""Simulated crowds, and what they say by brute force."""

from __future__ import annotations

from typing import Any

import numpy as np

from labelief import Votes


def some_matrices(n_annotators: int, n_classes: int, rng: np.random.Generator) -> Any:
    """Return confusion matrices of mixed skill, without symmetry and without zeros."""
    skill = rng.uniform(0.5, 0.9, n_annotators)
    wrong = rng.dirichlet(np.ones(n_classes), (n_annotators, n_classes))
    matrices = 0.9 * (1.0 - skill)[:, None, None] * wrong + 0.1 / n_classes
    matrices += (skill * 0.9)[:, None, None] * np.eye(n_classes)
    return matrices / matrices.sum(axis=2, keepdims=True)


def vote(truth: Any, matrices: Any, rng: np.random.Generator, answered: float = 1.0) -> Votes:
    """Return votes by annotators a00, a01... with these matrices, each on a share of the items."""
    n_classes = matrices.shape[1]
    item, who, says = [], [], []
    for a, matrix in enumerate(matrices):
        rows = np.flatnonzero(rng.random(len(truth)) < answered)
        u = rng.random(len(rows))
        answers = (u[:, None] > np.cumsum(matrix[truth[rows]], axis=1)[:, :-1]).sum(axis=1)
        item.append(rows)
        who.append(np.full(len(rows), f"a{a:02d}"))
        says.append(answers)
    table = {
        "item": np.concatenate(item),
        "who": np.concatenate(who),
        "says": np.concatenate(says),
    }
    return Votes(
        table, "item", "who", "says", items=np.arange(len(truth)), classes=np.arange(n_classes)
    )


def vote_log_weights(votes: Votes, matrices: Any) -> Any:
    """Return ``Σ_a c log γ_a(v_ia | k)`` vote by vote."""
    n, n_classes = votes.shape
    out = np.zeros((n, n_classes))
    for i in range(n):
        for v in range(votes.indptr[i], votes.indptr[i + 1]):
            power = 1.0 if votes.confidences is None else votes.confidences[v]
            matrix = matrices[votes.annotator_codes[v]]
            for k in range(n_classes):
                out[i, k] += power * np.log(matrix[k, votes.label_codes[v]])
    return out


def vote_counts(votes: Votes, posterior: Any) -> Any:
    """Return expected counts of (annotator, true class, answer) vote by vote."""
    n, n_classes = votes.shape
    out = np.zeros((len(votes.annotators), n_classes, len(votes.answers)))
    for i in range(n):
        for v in range(votes.indptr[i], votes.indptr[i + 1]):
            power = 1.0 if votes.confidences is None else votes.confidences[v]
            out[votes.annotator_codes[v], :, votes.label_codes[v]] += power * posterior[i]
    return out


def dawid_skene(votes: Votes, n_iter: int) -> tuple[Any, Any, Any, list[float]]:
    """Dawid and Skene's EM with the library's prior and start, in loops.

    Matrices stay at their start in the first M-step.
    """
    K, S = votes.shape[1], len(votes.answers)
    right = np.eye(K, S)
    prior = right + 0.1 * (1 - right)
    matrices = np.repeat(
        (0.8 * right + 0.2 / (S - 1) * (1 - right))[None], len(votes.annotators), 0
    )
    priors = np.full(K, 1 / K)
    history = []
    for t in range(n_iter + 1):
        joint = np.log(priors) + vote_log_weights(votes, matrices)
        log_evidence = np.logaddexp.reduce(joint, axis=1)
        posterior = np.exp(joint - log_evidence[:, None])
        history.append(log_evidence.sum() + np.sum(prior * np.log(matrices)))
        if t == n_iter:
            break
        priors = posterior.mean(axis=0)
        if t > 0:
            counts = vote_counts(votes, posterior) + prior
            matrices = counts / counts.sum(axis=2, keepdims=True)
    return priors, matrices, posterior, history[1:]
