"""Weighted sums over the independent sets of many small graphs at once.

Each of n graphs has up to m ≤ 64 vertices.  A set of vertices is *independent* when no edge joins
two of them, and its weight is ``Π_{i in it} w_i Π_{i not in it} (1 - w_i)``.  Asked for are the sum
over all independent sets, and for each of L properties the sum over those that hit it: that have a
vertex with the property.

Branching on a vertex v, with N(v) its neighbours among the vertices S that are still open,

    Z(S)   = (1 - w_v) Z(S - v)   + w_v c Z(S - v - N(v)),      c = Π_{u ∈ N(v)} (1 - w_u)
    H_l(S) = (1 - w_v) H_l(S - v) + w_v c {Z if v has property l, else H_l}(S - v - N(v))

and vertices I without neighbours in S are folded in at once,

    Z(S) = Z(S - I),      H_l(S) = H_l(S - I) + (Z - H_l)(S - I) · [1 - Π_{i ∈ I has l} (1 - w_i)]

so that all terms are positive and nothing cancels, however small the weights are.  Branching goes
breadth first, on the vertex with most neighbours, for all graphs together, and sets S that come up
twice in a graph are kept once.  That leaves m - 1 sets in a complete graph, and about a hundred in
a graph of 30 vertices at worst, where about a fourth of all pairs are joined; enumeration would
meet up to 2^30.  The number grows exponentially with m all the same, by a factor of about 2.5 for
ten vertices more.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from labelief._typing import BoolArray, FloatArray, IntArray

Masks = NDArray[np.unsignedinteger]

MOST_VERTICES = 64


class Sums(NamedTuple):
    """Sums over independent sets: all of them, (n,), and those that hit a property, (n, L)."""

    total: FloatArray
    hitting: FloatArray


class _Open(NamedTuple):
    """Sets S without vertices that stand alone: graph, bits, and the vertex to branch on."""

    graph: IntArray
    mask: Masks
    vertex: IntArray


class _Reached(NamedTuple):
    """Ways into the next sets: which one (-1 for the empty set), and what is folded in."""

    target: IntArray
    folded: IntArray  # ways on which vertices are folded in
    alone: csr_array  # (folded, properties' rows): log(1 - w) of these vertices


class _Step(NamedTuple):
    """One level of the branching: weights of both branches, then the ways there."""

    without: FloatArray  # 1 - w_v
    taken: FloatArray  # w_v c
    row: IntArray  # of v in the table of properties
    reached: _Reached  # the branches without v, then those with it


def masks_of(members: BoolArray) -> Masks:
    """Pack the last axis, of m ≤ 64 members, into one word of 32 or 64 bits.

    Parameters
    ----------
    members : (..., m) bool array
        Bit i of the word is ``members[..., i]``.

    Returns
    -------
    (...) uint32 or uint64 array
        uint32 where m ≤ 32.

    Examples
    --------
    >>> masks_of(np.array([[True, False, True]]))
    array([5], dtype=uint32)
    """
    size = 4 if members.shape[-1] <= 32 else 8
    packed = np.packbits(members, axis=-1, bitorder="little")
    padded = np.zeros((*members.shape[:-1], size), dtype=np.uint8)
    padded[..., : packed.shape[-1]] = packed
    words: Masks = padded.view(f"<u{size}")[..., 0]
    return words


def independent_set_sums(
    log_out: FloatArray, joined: Masks, rows: IntArray, properties: FloatArray
) -> Sums:
    """Sum the weights of the independent sets of n graphs, all and those that hit a property.

    Parameters
    ----------
    log_out : (n, m) float64 array
        log(1 - w_i) of each vertex, finite; 0 for a vertex that does not count.
    joined : (n, m) uint32 or uint64 array
        Neighbours of each vertex as bits, as :func:`masks_of` makes them; symmetric, no loops.
    rows : (n, m) integer array
        Row of each vertex in ``properties``.
    properties : (U, L) float64 array
        1 where a vertex of that kind has the property, else 0.

    Returns
    -------
    Sums
        Relative accuracy is that of a product of m factors.

    Examples
    --------
    Two vertices that exclude each other, with one property each: 0.5 · 0.5 for either.

    >>> apart = np.array([[2, 1]], dtype=np.uint32)
    >>> sums = independent_set_sums(np.log([[0.5, 0.5]]), apart, np.array([[0, 1]]), np.eye(2))
    >>> sums.total, sums.hitting
    (array([0.75]), array([[0.25, 0.25]]))
    """
    n, m = log_out.shape
    every = np.full(n, (1 << m) - 1, dtype=joined.dtype)
    level, entry = _settle(np.arange(n), every, log_out, joined, rows, properties.shape[0])
    steps: list[_Step] = []
    while level.vertex.size:
        step, level = _branch(level, log_out, joined, rows, properties.shape[0])
        steps.append(step)
    below = Sums(np.empty(0), np.empty((0, properties.shape[1])))
    for step in reversed(steps):
        below = _join(step, _fold(step.reached, below, properties), properties)
    return _fold(entry, below, properties)


def _branch(
    level: _Open, log_out: FloatArray, joined: Masks, rows: IntArray, n_kinds: int
) -> tuple[_Step, _Open]:
    """Leave the chosen vertex of every set out, and take it."""
    graph, mask, vertex = level
    one = np.ones(1, dtype=mask.dtype)
    rest = mask & ~np.left_shift(one, vertex.astype(mask.dtype))
    excluded = rest & joined[graph, vertex]
    out = log_out[graph, vertex]
    log_excluded = np.where(_members(excluded, log_out.shape[1]), log_out[graph], 0.0).sum(axis=1)
    below, reached = _settle(
        np.concatenate((graph, graph)),
        np.concatenate((rest, rest & ~excluded)),
        log_out,
        joined,
        rows,
        n_kinds,
    )
    taken = -np.expm1(out) * np.exp(log_excluded)
    return _Step(np.exp(out), taken, rows[graph, vertex], reached), below


def _settle(
    graph: IntArray,
    mask: Masks,
    log_out: FloatArray,
    joined: Masks,
    rows: IntArray,
    n_kinds: int,
) -> tuple[_Open, _Reached]:
    """Put vertices without neighbours aside, and keep equal sets of the others once."""
    m = log_out.shape[1]
    member = _members(mask, m)
    degree = np.bitwise_count(joined[graph] & mask[:, None])
    degree *= member
    linked = degree > 0
    core = masks_of(linked).astype(mask.dtype, copy=False)
    alone = member & ~linked
    lonely = np.flatnonzero(core != mask)
    # twice as fast as nonzero of the matrix
    row, column = np.divmod(np.flatnonzero(alone[lonely]), m)
    ends = np.concatenate(([0], np.cumsum(np.bincount(row, minlength=lonely.size))))
    origin = graph[lonely][row]
    folded = csr_array(
        (log_out[origin, column], rows[origin, column], ends), shape=(lonely.size, n_kinds)
    )
    target = np.full(graph.size, -1, dtype=np.int64)
    filled = np.flatnonzero(core)
    key = _keys(graph[filled], core[filled], len(log_out), m)
    _, first, target[filled] = np.unique(key, return_index=True, return_inverse=True)
    first = filled[first]
    found = _Open(graph[first], core[first], degree[first].argmax(axis=1))
    return found, _Reached(target, lonely, folded)


def _keys(graph: IntArray, core: Masks, n_graphs: int, m: int) -> NDArray[np.uint64]:
    """Return one number for each pair of a graph and a set."""
    if m + n_graphs.bit_length() > 64:  # the sets by rank, so that both fit into one word
        core, m = np.unique(core, return_inverse=True)[1].astype(np.uint64), 40
    return graph.astype(np.uint64) << np.uint64(m) | core


def _members(mask: Masks, m: int) -> BoolArray:
    """Unpack words into (N, m) membership."""
    as_bytes = np.ascontiguousarray(mask).view(np.uint8).reshape(mask.size, mask.itemsize)
    return np.unpackbits(as_bytes, axis=1, count=m, bitorder="little").view(np.bool_)


def _fold(reached: _Reached, below: Sums, properties: FloatArray) -> Sums:
    """Return the sums at the end of each way, lone vertices included."""
    total = np.append(below.total, 1.0)[reached.target]
    hitting = np.vstack((below.hitting, np.zeros(properties.shape[1])))[reached.target]
    hit = -np.expm1(reached.alone @ properties)
    part = hitting[reached.folded]
    part += (total[reached.folded, None] - part) * hit
    hitting[reached.folded] = part
    return Sums(total, hitting)


def _join(step: _Step, ends: Sums, properties: FloatArray) -> Sums:
    """Add the two branches of each set."""
    half = step.row.size
    total = step.without * ends.total[:half] + step.taken * ends.total[half:]
    has = properties[step.row] > 0
    hitting = np.where(has, ends.total[half:, None], ends.hitting[half:])
    hitting *= step.taken[:, None]
    hitting += step.without[:, None] * ends.hitting[:half]
    return Sums(total, hitting)
