"""Combination of what neighbours state of Q labels (younes2010 section 3; methods section 7).

Neighbour i says "contains A_i, avoids B_i" with mass w_i, and nothing with mass 1 - w_i.  The
direct approach combines these by the unnormalised rule (12): a set J of neighbours is consistent
where no label is in one's A and in another's B, and

    bel(q in) = Σ over consistent J with q in the A_i of some i in J of Π_{i∈J} w_i Π_{i∉J} (1-w_i).

Consistent sets are the independent sets of the graph that joins neighbours who contradict each
other.  The binary approach does so for each label alone, which has a closed form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from labelief._typing import BoolArray, FloatArray, IntArray
from labelief.kernels.independent_sets import independent_set_sums, masks_of
from labelief.neighbors.statements import Statements

# (query, neighbour, label) cells worked on together: what the branching makes of them fits the
# cache, and is long enough for NumPy.
CELLS = 1 << 18
# Where all weights are smaller than this, their products do not count beside them in doubles.
TINY = -40.0


@dataclass(frozen=True, eq=False)
class Evidence:
    """Unnormalised beliefs about each label, divided by ``exp(log_scale)`` of the row.

    Attributes
    ----------
    inside, outside : (n, Q) arrays
        bel(q in) and bel(q out).
    possible : (n, 1) or (n, Q) array
        1 - m(∅), not scaled: over all labels together, or label by label.
    log_scale : (n,) array
        0, or the logarithm of the largest weight where all are tiny.
    """

    inside: FloatArray
    outside: FloatArray
    possible: FloatArray
    log_scale: FloatArray


Rule = Callable[[Statements, IntArray, FloatArray], tuple[FloatArray, FloatArray]]


def combine(
    rule: Rule, statements: Statements, neighbours: IntArray, log_weights: FloatArray
) -> Evidence:
    """Combine the neighbours' statements for n queries.

    Parameters
    ----------
    rule : {direct, binary}
        How.
    statements : Statements
        What the training rows say.
    neighbours : (n, k) integer array
        Training rows near each query.
    log_weights : (n, k) float array
        log w_i, below 0; -inf for a neighbour that does not count.

    Returns
    -------
    Evidence
        The beliefs.
    """
    n, k = neighbours.shape
    Q = statements.n_labels
    beliefs = np.empty((n, 2 * Q))
    possible = np.ones((n, Q if rule is binary else 1))
    largest = log_weights.max(axis=1)
    far = largest < TINY
    log_scale = np.where(far & np.isfinite(largest), largest, 0.0)
    for block in _blocks(np.flatnonzero(~far), k, Q):
        beliefs[block], possible[block] = rule(
            statements, statements.kind[neighbours[block]], log_weights[block]
        )
    for block in _blocks(np.flatnonzero(far), k, Q):
        kinds = statements.kind[neighbours[block]]
        relative = np.exp(log_weights[block] - log_scale[block, None])
        beliefs[block] = _weighted(statements, kinds, relative)
    return Evidence(beliefs[:, :Q], beliefs[:, Q:], possible, log_scale)


def direct(
    statements: Statements, kinds: IntArray, log_weights: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Combine over all labels together, by :func:`independent_set_sums`.

    Parameters
    ----------
    statements : Statements
        What may be said.
    kinds : (b, k) integer array
        What each neighbour says.
    log_weights : (b, k) float array
        log w_i.

    Returns
    -------
    beliefs : (b, 2Q) array
        bel(q in), then bel(q out).
    possible : (b, 1) array
        1 - m(∅).
    """
    kinds, log_out, counted = _merged(kinds, _log_out(log_weights))
    used, rows = np.unique(kinds, return_inverse=True)
    contrary = _contrary(statements, kinds) & counted[:, :, None] & counted[:, None, :]
    sums = independent_set_sums(
        log_out, masks_of(contrary), rows.reshape(kinds.shape), statements.table(used)
    )
    return sums.hitting, sums.total[:, None]


def binary(
    statements: Statements, kinds: IntArray, log_weights: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Combine for each label alone: bel(in) = (1 - Π_in (1-w)) Π_out (1-w).

    Parameters
    ----------
    statements, kinds, log_weights
        As in :func:`direct`.

    Returns
    -------
    beliefs : (b, 2Q) array
        bel(q in), then bel(q out).
    possible : (b, Q) array
        1 - m(∅) of each label.
    """
    log_out = _weighted(statements, kinds, _log_out(log_weights))
    nobody, somebody = np.exp(log_out), -np.expm1(log_out)
    Q = statements.n_labels
    other = np.hstack((nobody[:, Q:], nobody[:, :Q]))
    # 1 - w_in w_out as a sum: exact also where little is left
    return somebody * other, nobody[:, :Q] + somebody[:, :Q] * nobody[:, Q:]


def _blocks(rows: IntArray, k: int, Q: int) -> Iterator[IntArray]:
    step = max(1, CELLS // (2 * k * Q))
    for start in range(0, rows.size, step):
        yield rows[start : start + step]


def _log_out(log_weights: FloatArray) -> FloatArray:
    return np.log1p(-np.exp(log_weights))


def _weighted(statements: Statements, kinds: IntArray, numbers: FloatArray) -> FloatArray:
    """Sum one number per neighbour over those who say q in, and who say q out, (b, 2Q)."""
    used, columns = np.unique(kinds, return_inverse=True)
    ends = np.arange(kinds.shape[0] + 1) * kinds.shape[1]
    matrix = csr_array((numbers.ravel(), columns.ravel(), ends), shape=(len(kinds), used.size))
    return np.asarray(matrix @ statements.table(used))


def _merged(kinds: IntArray, log_out: FloatArray) -> tuple[IntArray, FloatArray, BoolArray]:
    """Make one of the neighbours of a query who say the same.

    Returns what is said, log(1 - w) and which of the m places are used, all (b, m).
    """
    order = np.argsort(kinds, axis=1)
    ordered = np.take_along_axis(kinds, order, axis=1)
    new = np.ones(kinds.shape, dtype=np.bool_)
    new[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    place = np.cumsum(new, axis=1) - 1
    m = int(place[:, -1].max()) + 1
    cell = (place + m * np.arange(len(kinds))[:, None]).ravel()
    size = len(kinds) * m
    merged = np.zeros(size, dtype=np.int64)
    merged[cell] = ordered.ravel()
    numbers = np.take_along_axis(log_out, order, axis=1).ravel()
    sums = np.bincount(cell, numbers, size).astype(np.float64, copy=False)
    counted = np.bincount(cell, minlength=size) > 0
    shape = (len(kinds), m)
    return merged.reshape(shape), sums.reshape(shape), counted.reshape(shape)


def _contrary(statements: Statements, kinds: IntArray) -> BoolArray:
    """Say which neighbours contradict each other, (b, m, m)."""
    contrary = np.zeros((*kinds.shape, kinds.shape[1]), dtype=np.bool_)
    for inside, outside in zip(statements.inside.T, statements.outside.T, strict=True):
        contrary |= (inside[kinds][:, :, None] & outside[kinds][:, None, :]) != 0
    return contrary | contrary.transpose(0, 2, 1)
