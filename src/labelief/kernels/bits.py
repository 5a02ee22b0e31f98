"""Subsets of a frame of K classes as bit sets.

A subset is a row of ``W = ceil(K / 64)`` unsigned 64-bit words (one word at least); class k is bit
``k % 64`` of word ``k // 64``.  Bits at K and above are always zero, so two subsets are equal
exactly where their words are.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelief._typing import BoolArray, IntArray

Words = NDArray[np.uint64]
Integers = NDArray[np.integer[Any]]

WORD = 64


def n_words(n_classes: int) -> int:
    """Return W, the number of words that a subset of ``n_classes`` classes takes.

    Parameters
    ----------
    n_classes : int
        Size K of the frame.

    Returns
    -------
    int
        ``max(1, ceil(K / 64))``.
    """
    return max(1, -(-n_classes // WORD))


def pack(members: BoolArray) -> Words:
    """Pack membership rows into words.

    Parameters
    ----------
    members : (F, K) bool array
        ``members[f, k]`` says whether class k belongs to subset f.

    Returns
    -------
    (F, W) uint64 array
        The subsets.

    Examples
    --------
    >>> import numpy as np
    >>> pack(np.array([[True, False, True]]))
    array([[5]], dtype=uint64)
    """
    packed = np.packbits(members, axis=1, bitorder="little")
    padded = np.zeros((members.shape[0], 8 * n_words(members.shape[1])), dtype=np.uint8)
    padded[:, : packed.shape[1]] = packed
    words: Words = padded.view("<u8").astype(np.uint64, copy=False)
    return words


def unpack(words: Words, n_classes: int) -> BoolArray:
    """Unpack words into membership rows, the inverse of :func:`pack`.

    Parameters
    ----------
    words : (F, W) uint64 array
        The subsets.
    n_classes : int
        Size K of the frame.

    Returns
    -------
    (F, K) bool array
        Membership of each class in each subset.

    Examples
    --------
    >>> import numpy as np
    >>> unpack(np.array([[5]], dtype=np.uint64), 3)
    array([[ True, False,  True]])
    """
    little = np.ascontiguousarray(words, dtype="<u8")
    as_bytes = little.view(np.uint8).reshape(words.shape[0], 8 * words.shape[1])
    used = as_bytes[:, : max(1, -(-n_classes // 8))]
    return np.unpackbits(used, axis=1, count=n_classes, bitorder="little").view(np.bool_)


def popcount(words: Words) -> IntArray:
    """Count the members of each subset.

    Parameters
    ----------
    words : (F, W) uint64 array
        The subsets.

    Returns
    -------
    (F,) int64 array
        Cardinality of each subset.

    Examples
    --------
    >>> import numpy as np
    >>> popcount(np.array([[5], [0]], dtype=np.uint64))
    array([2, 0])
    """
    if words.shape[1] == 1:
        return np.asarray(np.bitwise_count(words[:, 0]), dtype=np.int64)
    return np.asarray(np.bitwise_count(words).sum(axis=1), dtype=np.int64)


def full(n_classes: int) -> Words:
    """Return the whole frame.

    Parameters
    ----------
    n_classes : int
        Size K of the frame.

    Returns
    -------
    (W,) uint64 array
        The subset that holds every class.

    Examples
    --------
    >>> full(3)
    array([7], dtype=uint64)
    """
    frame: Words = pack(np.ones((1, n_classes), dtype=np.bool_))[0]
    return frame


def singletons(codes: Integers, n_classes: int) -> Words:
    """Return one singleton per code.

    Parameters
    ----------
    codes : (F,) integer array
        Class of each subset, 0..K-1.
    n_classes : int
        Size K of the frame.

    Returns
    -------
    (F, W) uint64 array
        The subsets ``{codes[f]}``.

    Examples
    --------
    >>> import numpy as np
    >>> singletons(np.array([0, 2]), 3)
    array([[1],
           [4]], dtype=uint64)
    """
    codes = np.asarray(codes, dtype=np.int64)
    words = np.zeros((codes.size, n_words(n_classes)), dtype=np.uint64)
    bit = np.left_shift(np.uint64(1), (codes % WORD).astype(np.uint64))
    words[np.arange(codes.size), codes // WORD] = bit
    return words


def singleton_codes(words: Words) -> IntArray:
    """Return the lowest class of each subset: the class itself where the subset is a singleton.

    Parameters
    ----------
    words : (F, W) uint64 array
        Non-empty subsets.

    Returns
    -------
    (F,) int64 array
        Smallest class index in each subset.

    Examples
    --------
    >>> import numpy as np
    >>> singleton_codes(np.array([[4], [1]], dtype=np.uint64))
    array([2, 0])
    """
    word = (words != 0).argmax(axis=1)
    value = words[np.arange(words.shape[0]), word]
    # value & -value is the lowest bit 2^b, and 2^b - 1 has b bits set
    lowest = value & (~value + np.uint64(1))
    return np.asarray(word * WORD + np.bitwise_count(lowest - np.uint64(1)), dtype=np.int64)


def from_members(subset: Integers, code: Integers, n_subsets: int, n_classes: int) -> Words:
    """Build subsets from a list of (subset, class) pairs, in any order, repeats allowed.

    Parameters
    ----------
    subset : (M,) integer array
        Which subset each pair speaks of, 0..F-1.
    code : (M,) integer array
        Which class belongs to it, 0..K-1.
    n_subsets : int
        Number F of subsets; those that no pair names are empty.
    n_classes : int
        Size K of the frame.

    Returns
    -------
    (F, W) uint64 array
        The subsets.

    Examples
    --------
    >>> import numpy as np
    >>> from_members(np.array([0, 0, 1]), np.array([0, 2, 1]), 2, 3)
    array([[5],
           [2]], dtype=uint64)
    """
    words = np.zeros((n_subsets, n_words(n_classes)), dtype=np.uint64)
    bit = np.left_shift(np.uint64(1), (np.asarray(code) % WORD).astype(np.uint64))
    np.bitwise_or.at(words, (subset, np.asarray(code) // WORD), bit)
    return words
