"""What the training rows state of Q labels: each statement once, and who makes it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from labelief._typing import FloatArray, IntArray
from labelief.kernels import bits
from labelief.labels.label_matrix import LabelMatrix


@dataclass(frozen=True, eq=False)
class Statements:
    """The distinct statements "contains A, avoids B" of the training rows.

    Attributes
    ----------
    inside, outside : (U, W) uint64 arrays
        A and B of each statement as bit sets.
    kind : (n,) int64 array
        Statement of each row.
    n_labels : int
        Q.
    """

    inside: bits.Words
    outside: bits.Words
    kind: IntArray
    n_labels: int

    @classmethod
    def of(cls, matrix: LabelMatrix) -> Statements:
        """Find the distinct rows of a label matrix.

        Parameters
        ----------
        matrix : LabelMatrix
            At least one row.

        Returns
        -------
        Statements
            In no particular order.
        """
        words = np.hstack((bits.pack(matrix.inside), bits.pack(matrix.outside)))
        distinct, kind = np.unique(words, axis=0, return_inverse=True)
        half = words.shape[1] // 2
        return cls(distinct[:, :half], distinct[:, half:], kind.reshape(-1), matrix.labels.size)

    def table(self, kinds: IntArray) -> FloatArray:
        """Write statements as rows of 0 and 1.

        Parameters
        ----------
        kinds : (u,) integer array
            Which statements.

        Returns
        -------
        (u, 2Q) float64 array
            Membership in A, then in B.
        """
        halves = (self.inside[kinds], self.outside[kinds])
        return np.hstack([bits.unpack(half, self.n_labels) for half in halves]).astype(np.float64)
