"""Mass on single classes and on the whole frame: probabilities, discounted or not, and votes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from labelief._typing import BoolArray, FloatArray, IntArray
from labelief.kernels import bits
from labelief.labels.class_names import Codes, freeze
from labelief.labels.focal import FocalSets


@dataclass(frozen=True, eq=False)
class QuasiBayesian:
    """n mass functions whose focal sets are single classes or the frame.

    A row without mass on the frame is Bayesian, an ordinary probability distribution; a row with
    all its mass there is vacuous.  The family is closed under discounting and Dempster's rule.

    Parameters
    ----------
    singletons : (n, K) float64 array
        Mass of each single class.
    frame : (n,) float64 array
        Mass of the frame; ``singletons.sum(axis=1) + frame`` is 1.

    Examples
    --------
    >>> import numpy as np
    >>> QuasiBayesian(np.array([[0.6, 0.2]]), np.array([0.2])).plausibilities()
    array([[0.8, 0.4]])
    """

    singletons: FloatArray
    frame: FloatArray

    def __post_init__(self) -> None:
        """Make the arrays read-only: they are shared between batches and handed out."""
        object.__setattr__(self, "singletons", freeze(self.singletons))
        object.__setattr__(self, "frame", freeze(self.frame))

    def __reduce__(self) -> tuple[type[QuasiBayesian], tuple[FloatArray, FloatArray]]:
        return QuasiBayesian, (self.singletons, self.frame)

    @property
    def n_classes(self) -> int:
        """Size K of the frame."""
        return int(self.singletons.shape[1])

    def __len__(self) -> int:
        """Return the number n of mass functions."""
        return int(self.singletons.shape[0])

    def plausibilities(self) -> FloatArray:
        """Return m({k}) + m(frame), shape (n, K)."""
        contour = self.singletons + self.frame[:, None]
        return np.minimum(contour, 1.0, out=contour)

    def beliefs(self) -> FloatArray:
        """Return m({k}), shape (n, K); in a frame of one class that is all the mass."""
        if self.n_classes == 1:
            return self.plausibilities()
        return self.singletons

    def pignistic(self) -> FloatArray:
        """Return m({k}) + m(frame)/K, shape (n, K)."""
        return np.add(self.singletons, (self.frame / self.n_classes)[:, None])

    def nonspecificity(self) -> FloatArray:
        """Return m(frame) log K, shape (n,)."""
        return np.multiply(self.frame, np.log(self.n_classes))

    def empty_mass(self) -> FloatArray:
        """Return m(∅) = 0, shape (n,)."""
        return np.zeros(len(self))

    def bel(self, sets: BoolArray) -> FloatArray:
        """Return Σ_{k∈A} m({k}), and all the mass for the frame, shape (n, m)."""
        belief = self.singletons @ sets.T.astype(np.float64)
        belief += self.frame[:, None] * sets.all(axis=1)
        return np.minimum(belief, 1.0)

    def pl(self, sets: BoolArray) -> FloatArray:
        """Return Σ_{k∈A} m({k}) + m(frame) for non-empty A, shape (n, m)."""
        plausibility = self.singletons @ sets.T.astype(np.float64)
        plausibility += self.frame[:, None] * sets.any(axis=1)
        return np.minimum(plausibility, 1.0)

    def codes(self) -> Codes | None:
        """Return class codes (-1 = vacuous) where every row is crisp or vacuous, else None."""
        if len(self) == 0:
            return np.empty(0, dtype=np.int32)
        crisp = self.singletons.max(axis=1) == 1.0
        if self.n_classes == 1:
            return np.zeros(len(self), dtype=np.int32)
        if not (crisp | (self.frame == 1.0)).all():
            return None
        return np.where(crisp, self.singletons.argmax(axis=1), -1).astype(np.int32)

    def discount(self, rates: FloatArray) -> QuasiBayesian:
        """Return (1 - α) m + α [frame], with one rate α per row, shape (n,)."""
        keep = 1.0 - rates
        return QuasiBayesian(self.singletons * keep[:, None], self.frame * keep + rates)

    def take(self, rows: IntArray) -> QuasiBayesian:
        """Return the given rows, in the given order."""
        return QuasiBayesian(self.singletons[rows], self.frame[rows])

    def permute(self, columns: IntArray) -> QuasiBayesian:
        """Return the batch over reordered classes: new class j is old class ``columns[j]``."""
        return QuasiBayesian(np.ascontiguousarray(self.singletons[:, columns]), self.frame)

    def focal(self) -> FocalSets:
        """Return the singletons and the frame as explicit sets."""
        row, code = np.nonzero(self.singletons)
        vague = np.flatnonzero(self.frame)
        width = bits.n_words(self.n_classes)
        frame = np.broadcast_to(bits.full(self.n_classes), (vague.size, width))
        return FocalSets.from_elements(
            np.concatenate((row, vague)),
            np.concatenate((bits.singletons(code, self.n_classes), frame)),
            np.concatenate((self.singletons[row, code], self.frame[vague])),
            len(self),
            self.n_classes,
        )

    def quasi_bayesian(self) -> QuasiBayesian:
        """Return the batch itself."""
        return self
