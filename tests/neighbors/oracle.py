"""Dempster's rule over all subsets, one query at a time: what neighbours must agree with."""

from __future__ import annotations

import itertools

import numpy as np

from labelief import SoftLabels

KINDS = ["crisp", "missing", "confidences", "probabilities", "candidates", "plausibilities"]


def make_labels(kind, n, K, seed=0):
    """Labels of one kind, and the mass function of each row as {frozenset of codes: mass}."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(K, size=n)
    codes[:K] = np.arange(K)
    names = list(range(K))
    if kind == "crisp":
        y, soft = codes, SoftLabels.from_crisp(codes, names)
    elif kind == "missing":
        y = [None if rng.random() < 0.3 and i >= K else int(c) for i, c in enumerate(codes)]
        soft = SoftLabels.from_crisp(y, names)
    elif kind == "confidences":
        y = soft = SoftLabels.from_confidences(codes, rng.random(n), names)
    elif kind == "probabilities":
        y = soft = SoftLabels.from_probabilities(rng.dirichlet(np.ones(K), n), names)
    elif kind == "candidates":
        member = rng.random((n, K)) < 0.4
        member[np.arange(n), codes] = True
        y = soft = SoftLabels.from_candidates(member, names)
    else:
        pl = rng.random((n, K)) * (rng.random((n, K)) < 0.7)
        pl[np.arange(n), codes] = 1.0
        y, soft = pl, SoftLabels.from_plausibilities(pl, names)
    return y, [soft.masses(i) for i in range(n)]


def pignistic(mass, K):
    out = np.zeros(K)
    for subset, m in mass.items():
        for k in subset:
            out[k] += m / len(subset)
    return out / sum(m for subset, m in mass.items() if subset)


def unnormalised(masses, weights, K):
    """Combine discounted mass functions, by the conjunctive rule, pair by pair."""
    frame = frozenset(range(K))
    combined = {frame: 1.0}
    for mass, w in zip(masses, weights, strict=True):
        one = {subset: w * m for subset, m in mass.items()}
        one[frame] = one.get(frame, 0.0) + 1.0 - w
        met = {}
        for (a, m), (b, v) in itertools.product(combined.items(), one.items()):
            met[a & b] = met.get(a & b, 0.0) + m * v
        combined = met
    return combined


def evidential_knn(X, masses, queries, k, alpha, gamma, *, left_out=False):
    """Unnormalised mass functions of each query, by the definition."""
    K = len(gamma)
    rates = [pignistic(mass, K) @ gamma for mass in masses]
    out = []
    for i, x in enumerate(queries):
        squared = ((X - x) ** 2).sum(axis=1)
        order = [j for j in np.argsort(squared, kind="stable") if not (left_out and j == i)][:k]
        weights = [alpha * np.exp(-rates[j] * squared[j]) for j in order]
        out.append(unnormalised([masses[j] for j in order], weights, K))
    return out
