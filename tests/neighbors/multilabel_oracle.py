"""Combination of k neighbours' statements by going through all 2^k subsets."""

from __future__ import annotations

from itertools import product

import numpy as np


def statements(rng, shape, undecided, share=0.5):
    """Random 1, 0 and NaN."""
    y = (rng.random(shape) < share).astype(float)
    y[rng.random(shape) < undecided] = np.nan
    return y


def by_subsets(y, w):
    """Return bel(in), bel(out), both (Q,), and 1 - m(∅), for statements (k, Q) of weights (k,)."""
    k, Q = y.shape
    inside, outside, possible = np.zeros(Q), np.zeros(Q), 0.0
    for chosen in product([False, True], repeat=k):
        J = np.array(chosen)
        A, B = (y[J] == 1).any(axis=0), (y[J] == 0).any(axis=0)
        if (A & B).any():
            continue
        mass = np.prod(np.where(J, w, 1 - w))
        inside += mass * A
        outside += mass * B
        possible += mass
    return inside, outside, possible
