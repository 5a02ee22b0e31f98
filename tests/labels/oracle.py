"""Mass functions by brute force over all subsets, for frames of a few classes.

A mass function is a dict {frozenset of class indices: mass}.
"""

from __future__ import annotations

from itertools import chain, combinations, pairwise
from math import log

import numpy as np
from hypothesis import strategies as st

from labelief.labels import SoftLabels

NAMES = ["a", "b", "c", "d"]


def subsets(n_classes):
    return [
        frozenset(members)
        for members in chain.from_iterable(
            combinations(range(n_classes), size) for size in range(n_classes + 1)
        )
    ]


def bel(m, A):
    return sum(mass for B, mass in m.items() if B and B <= A)


def pl(m, A):
    return sum(mass for B, mass in m.items() if B & A)


def contour(m, n_classes):
    return np.array([pl(m, frozenset([k])) for k in range(n_classes)])


def pignistic(m, n_classes):
    share = [sum(mass / len(A) for A, mass in m.items() if k in A) for k in range(n_classes)]
    return np.array(share) / (1 - m.get(frozenset(), 0.0))


def nonspecificity(m):
    return sum(mass * log(len(A)) for A, mass in m.items() if A)


def discount(m, rate, n_classes):
    frame = frozenset(range(n_classes))
    out = {A: (1 - rate) * mass for A, mass in m.items()}
    out[frame] = out.get(frame, 0.0) + rate
    return out


def by_pairs(one, two, meet):
    out: dict[frozenset[int], float] = {}
    for A, a in one.items():
        for B, b in two.items():
            C = meet(A, B)
            out[C] = out.get(C, 0.0) + a * b
    return out


def conjunctive(one, two):
    return by_pairs(one, two, frozenset.intersection)


def disjunctive(one, two):
    return by_pairs(one, two, frozenset.union)


def conflict(one, two):
    return conjunctive(one, two).get(frozenset(), 0.0)


def dempster(one, two):
    raw = conjunctive(one, two)
    kappa = raw.pop(frozenset(), 0.0)
    return {A: mass / (1 - kappa) for A, mass in raw.items()}


def consonant(row):
    """Nested focal sets of a contour, by its distinct levels."""
    levels = sorted(set(row) | {0.0}, reverse=True)
    out = {}
    for high, low in pairwise(levels):
        out[frozenset(np.flatnonzero(np.asarray(row) >= high).tolist())] = high - low
    return out


def random_masses(rng, n_rows, n_classes, empty=False):
    """Mass functions with a random number of random focal sets."""
    frame = subsets(n_classes) if empty else subsets(n_classes)[1:]
    rows = []
    for _ in range(n_rows):
        size = rng.integers(1, len(frame) + 1)
        chosen = rng.choice(len(frame), size=size, replace=False)
        if empty and size == 1:
            chosen = np.array([len(frame) - 1])
        rows.append(
            dict(zip([frame[j] for j in chosen], rng.dirichlet(np.ones(len(chosen))), strict=True))
        )
    return rows


def named(m, n_classes):
    return {frozenset(NAMES[k] for k in A): mass for A, mass in m.items()}


def labels_of(rows, n_classes):
    return SoftLabels.from_masses([named(m, n_classes) for m in rows], NAMES[:n_classes])


def assert_same_masses(labels, rows):
    """Compare SoftLabels with dicts of sets of indices, set by set."""
    index = {name: k for k, name in enumerate(labels.classes.tolist())}
    assert len(labels) == len(rows)
    for i, m in enumerate(rows):
        got = {frozenset(index[c] for c in A): mass for A, mass in labels.masses(i).items()}
        for A in set(got) | set(m):
            np.testing.assert_allclose(got.get(A, 0.0), m.get(A, 0.0), atol=1e-13)


@st.composite
def mass_rows(draw, n_classes=3, n_rows=3, vague=False):
    """Draw mass functions; with ``vague`` every one keeps some mass on the frame."""
    frame = subsets(n_classes)[1:]
    rows = []
    for _ in range(n_rows):
        weights = np.array(
            draw(
                st.lists(
                    st.sampled_from([0.0, 0.0, 1e-9, 0.1, 0.5, 1.0, 3.0]),
                    min_size=len(frame),
                    max_size=len(frame),
                )
            )
        )
        if vague:
            weights[-1] += 0.5
        if weights.sum() == 0:
            weights[draw(st.integers(0, len(frame) - 1))] = 1.0
        weights /= weights.sum()
        rows.append({A: float(w) for A, w in zip(frame, weights, strict=True) if w > 0})
    return rows
