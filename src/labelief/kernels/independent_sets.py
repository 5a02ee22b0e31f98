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
twice in a graph are kept once.  That leaves m - 1 sets in a complete graph, and in a random one at
most about 70 of 20 vertices and 470 of 30 (a fifth of all pairs joined), where enumeration would
meet up to 2^30.  The number still grows exponentially with m, about fivefold for ten vertices more.
NumPy only: the sets are bits of its words.
"""

from __future__ import annotations

from typing import Any, NamedTuple

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


class _Graphs(NamedTuple):
    """The graphs, their vertices filled up to the bits of a word."""

    log_out: FloatArray  # (n, width): log(1 - w)
    joined: Masks  # (n, width): neighbours
    rows: IntArray  # (n, width): in the table of properties
    n_vertices: int  # m, at most the width
    n_kinds: int  # U


class _Open(NamedTuple):
    """Sets S without vertices that stand alone: graph, bits, and the vertex to branch on."""

    graph: IntArray
    mask: Masks
    vertex: IntArray


class _Reached(NamedTuple):
    """Ways into the next sets: which one (-1 for the empty set), and what is folded in."""

    target: IntArray
    folded: IntArray  # ways on which vertices are folded in
    alone: csr_array  # (folded, U): log(1 - w) of these vertices


class _Step(NamedTuple):
    """One level of the branching: weights of both branches, then the ways there."""

    without: FloatArray  # 1 - w_v
    taken: FloatArray  # w_v c
    row: IntArray  # of v in the table of properties
    reached: _Reached  # the branches without v, then those with it


def masks_of(members: BoolArray) -> Masks:
    """Pack the last axis, of m ≤ 64 members, into one word of 8, 16, 32 or 64 bits.

    Parameters
    ----------
    members : (..., m) bool array
        Bit i of the word is ``members[..., i]``.

    Returns
    -------
    (...) unsigned integer array
        Of the smallest type that has m bits.

    Examples
    --------
    >>> masks_of(np.array([[True, False, True]]))
    array([5], dtype=uint8)
    """
    m = members.shape[-1]
    size = next(size for size in (1, 2, 4, 8) if m <= 8 * size)
    return _packed(_widened(members, 8 * size), size)


def independent_set_sums(
    log_out: FloatArray, joined: Masks, rows: IntArray, properties: FloatArray
) -> Sums:
    """Sum the weights of the independent sets of n graphs, all and those that hit a property.

    Parameters
    ----------
    log_out : (n, m) float64 array
        log(1 - w_i) of each vertex, finite; 0 for a vertex that does not count.
    joined : (n, m) unsigned integer array
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

    >>> apart = np.array([[2, 1]], dtype=np.uint8)
    >>> sums = independent_set_sums(np.log([[0.5, 0.5]]), apart, np.array([[0, 1]]), np.eye(2))
    >>> sums.total, sums.hitting
    (array([0.75]), array([[0.25, 0.25]]))
    """
    n, m = log_out.shape
    width = 8 * joined.itemsize
    graphs = _Graphs(
        _widened(log_out, width), _widened(joined, width), _widened(rows, width), m, len(properties)
    )
    every = np.full(n, (1 << m) - 1, dtype=joined.dtype)
    level, entry = _settle(np.arange(n), every, graphs)
    steps: list[_Step] = []
    while level.vertex.size:
        step, level = _branch(level, graphs)
        steps.append(step)
    below = Sums(np.empty(0), np.empty((0, properties.shape[1])))
    for step in reversed(steps):
        below = _join(step, _fold(step.reached, below, properties), properties)
    return _fold(entry, below, properties)


def _branch(level: _Open, graphs: _Graphs) -> tuple[_Step, _Open]:
    """Leave the chosen vertex of every set out, and take it."""
    graph, mask, vertex = level
    one = np.ones(1, dtype=mask.dtype)
    rest = mask & ~np.left_shift(one, vertex.astype(mask.dtype))
    excluded = rest & graphs.joined[graph, vertex]
    log_excluded = np.einsum("ij,ij->i", _members(excluded), graphs.log_out.take(graph, axis=0))
    below, reached = _settle(
        np.concatenate((graph, graph)), np.concatenate((rest, rest & ~excluded)), graphs
    )
    out = graphs.log_out[graph, vertex]
    taken = -np.expm1(out) * np.exp(log_excluded)
    return _Step(np.exp(out), taken, graphs.rows[graph, vertex], reached), below


def _settle(graph: IntArray, mask: Masks, graphs: _Graphs) -> tuple[_Open, _Reached]:
    """Put vertices without neighbours aside, and keep equal sets of the others once."""
    member = _members(mask)
    degree = np.bitwise_count(graphs.joined.take(graph, axis=0) & mask[:, None])
    degree *= member
    linked = degree > 0
    core = _packed(linked, mask.itemsize)
    alone = member & ~linked
    lonely = np.flatnonzero(core != mask)
    # rows are as wide as a word; much faster than nonzero of the matrix
    cell, width = np.flatnonzero(alone[lonely]), alone.shape[1]
    row, column = cell >> (width.bit_length() - 1), cell & (width - 1)
    ends = np.concatenate(([0], np.cumsum(np.bincount(row, minlength=lonely.size))))
    origin = graph[lonely][row]
    folded = csr_array(
        (graphs.log_out[origin, column], graphs.rows[origin, column], ends),
        shape=(lonely.size, graphs.n_kinds),
    )
    target = np.full(graph.size, -1, dtype=np.int64)
    filled = np.flatnonzero(core)
    key = _keys(graph[filled], core[filled], graphs)
    _, first, target[filled] = np.unique(key, return_index=True, return_inverse=True)
    first = filled[first]
    found = _Open(graph[first], core[first], degree[first].argmax(axis=1))
    return found, _Reached(target, lonely, folded)


def _keys(graph: IntArray, core: Masks, graphs: _Graphs) -> NDArray[np.uint64]:
    """Return one number for each pair of a graph and a set."""
    bits = graphs.n_vertices
    if bits + len(graphs.rows).bit_length() > 64:  # sets by rank, so that both fit into one word
        core, bits = np.unique(core, return_inverse=True)[1].astype(np.uint64), 40
    return graph.astype(np.uint64) << np.uint64(bits) | core


def _widened(array: NDArray[Any], width: int) -> NDArray[Any]:
    """Fill the last axis up with zeros."""
    wide = np.zeros((*array.shape[:-1], width), dtype=array.dtype)
    wide[..., : array.shape[-1]] = array
    return wide


def _packed(members: BoolArray, size: int) -> Masks:
    """Pack a last axis of ``8 * size`` members into words; all at once is much faster."""
    words: Masks = np.packbits(members.reshape(-1), bitorder="little").view(f"<u{size}")
    return words.reshape(members.shape[:-1])


def _members(mask: Masks) -> BoolArray:
    """Unpack N words into (N, bits) membership."""
    as_bytes = np.ascontiguousarray(mask).view(np.uint8)
    unpacked = np.unpackbits(as_bytes, bitorder="little").view(np.bool_)
    return unpacked.reshape(mask.size, 8 * mask.itemsize)


def _fold(reached: _Reached, below: Sums, properties: FloatArray) -> Sums:
    """Return the sums at the end of each way, lone vertices included."""
    # target -1 wraps to the empty set, which comes last
    total = np.append(below.total, 1.0).take(reached.target, mode="wrap")
    ends = np.vstack((below.hitting, np.zeros(properties.shape[1])))
    hitting = ends.take(reached.target, axis=0, mode="wrap")
    hit = reached.alone @ properties
    np.expm1(hit, out=hit)
    # hit is minus the weight of what hits
    part = hitting.take(reached.folded, axis=0)
    hit *= part - total[reached.folded, None]
    hitting[reached.folded] = part + hit
    return Sums(total, hitting)


def _join(step: _Step, ends: Sums, properties: FloatArray) -> Sums:
    """Add the two branches of each set."""
    half = step.row.size
    total = step.without * ends.total[:half] + step.taken * ends.total[half:]
    has = properties.take(step.row, axis=0) > 0
    hitting = np.where(has, ends.total[half:, None], ends.hitting[half:])
    hitting *= step.taken[:, None]
    ends.hitting[:half] *= step.without[:, None]
    hitting += ends.hitting[:half]
    return Sums(total, hitting)
