"""Labels of training rows as neighbours use them: discounted, then combined by Dempster's rule.

Neighbour i has the mass function ``w_i m_i + (1 - w_i) [frame]``, where m_i is its label and the
weight w_i < 1 falls with its distance (Denœux 1995).  Some mass stays on the frame, so there is
never total conflict.  Three forms of labels answer the same questions: :class:`CrispLabels` and
:class:`PointLabels` here, in closed form, and :class:`~labelief.neighbors.set_masses.SetLabels`.

With mass on single classes and the frame only, ``f_i = 1 - w_i Σ_k m_i({k})`` stays on the frame,
and

    s_k = Σ_i log(1 + w_i m_i({k}) / f_i),    m({k}) ∝ exp(s_k) - 1,    m(frame) ∝ 1

(Denœux 1995 eq. 20-24 for crisp labels, where ``1 + w / f = 1 / (1 - w)``); the sum of these before
normalisation, times ``Π_i f_i``, is one minus the conflict.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from labelief._typing import BoolArray, FloatArray, IntArray
from labelief.labels.quasi_bayesian import QuasiBayesian
from labelief.labels.storage import MassFunctions

__all__ = ["Combined", "CrispLabels", "LabelMasses", "PointLabels", "Slope"]


class Combined(NamedTuple):
    """What neighbours say together.

    Attributes
    ----------
    masses : MassFunctions
        b normalised mass functions.
    log_agreement : (b,) array
        ``log(1 - κ)``, κ being the mass of conflict before normalisation.
    """

    masses: MassFunctions
    log_agreement: FloatArray


class Slope(NamedTuple):
    """A sum of squared errors and its derivatives in the K directions of the weights."""

    error: float
    gradient: FloatArray


class LabelMasses(Protocol):
    """Labels of n training rows.

    ``neighbours`` (b, k) are row numbers, ``weights`` (b, k) what their labels are discounted to.
    """

    @property
    def n_classes(self) -> int:
        """Number K of classes."""

    def pignistic(self) -> FloatArray:
        """Return pignistic probabilities, (n, K)."""

    def telling(self) -> BoolArray:
        """Say whose label says something, (n,)."""

    def rows_at_once(self, n_neighbors: int) -> int:
        """Return how many queries to combine together, so that memory stays bounded."""

    def combine(self, neighbours: IntArray, weights: FloatArray) -> Combined:
        """Combine the labels of each query's neighbours."""

    def slope(
        self, neighbours: IntArray, weights: FloatArray, slopes: FloatArray, target: FloatArray
    ) -> Slope:
        """Return ``Σ ‖BetP - target‖²`` and its derivatives.

        Parameters
        ----------
        slopes : (b, k, K) array
            Derivatives of the weights in K directions.
        target : (b, K) array
        """


@dataclass(frozen=True)
class CrispLabels:
    """Class codes, -1 where nothing is known: the closed form costs O(k + K) a query."""

    codes: IntArray
    n_classes: int

    def pignistic(self) -> FloatArray:
        """Return pignistic probabilities, (n, K)."""
        out = np.full((len(self.codes), self.n_classes), 1.0 / self.n_classes)
        known = self.telling()
        out[known] = np.eye(self.n_classes)[self.codes[known]]
        return out

    def telling(self) -> BoolArray:
        """Say whose label says something, (n,)."""
        return np.asarray(self.codes >= 0)

    def rows_at_once(self, n_neighbors: int) -> int:
        """Return how many queries to combine together."""
        return _rows_at_once(n_neighbors + self.n_classes)

    def combine(self, neighbours: IntArray, weights: FloatArray) -> Combined:
        """Combine the labels of each query's neighbours."""
        support, log_frame = self._support(neighbours, weights)
        return _closed_form(support, log_frame)

    def slope(
        self, neighbours: IntArray, weights: FloatArray, slopes: FloatArray, target: FloatArray
    ) -> Slope:
        """Return the squared error and its derivatives."""
        codes = self.codes[neighbours]
        error, pull = _error(self.combine(neighbours, weights), target)
        by_weight = np.take_along_axis(pull, np.maximum(codes, 0), axis=1) / (1.0 - weights)
        by_weight[codes < 0] = 0.0
        return Slope(error, np.einsum("bk,bkq->q", by_weight, slopes))

    def _support(self, neighbours: IntArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return s, (b, K), and ``Σ_i log f_i``, (b,)."""
        codes = self.codes[neighbours]
        logs = -np.log1p(-weights)
        logs[codes < 0] = 0.0
        rows, K = len(codes), self.n_classes
        cells = np.maximum(codes, 0) + K * np.arange(rows)[:, None]
        flat = np.bincount(cells.ravel(), logs.ravel(), minlength=rows * K).astype(np.float64)
        support = flat.reshape(rows, K)
        return support, -support.sum(axis=1)


@dataclass(frozen=True)
class PointLabels:
    """Mass on single classes, (n, K), the rest on the frame: O(k K) a query."""

    singletons: FloatArray

    @property
    def n_classes(self) -> int:
        """Number K of classes."""
        return int(self.singletons.shape[1])

    def pignistic(self) -> FloatArray:
        """Return pignistic probabilities, (n, K)."""
        rest = 1.0 - self.singletons.sum(axis=1)
        return np.asarray(self.singletons + rest[:, None] / self.n_classes)

    def telling(self) -> BoolArray:
        """Say whose label says something, (n,)."""
        return np.asarray(self.singletons.max(axis=1) > 0)

    def rows_at_once(self, n_neighbors: int) -> int:
        """Return how many queries to combine together."""
        return _rows_at_once(n_neighbors * self.n_classes)

    def combine(self, neighbours: IntArray, weights: FloatArray) -> Combined:
        """Combine the labels of each query's neighbours."""
        mass, frame = self._discounted(neighbours, weights)
        support = np.log1p(mass / frame[:, :, None]).sum(axis=1)
        return _closed_form(support, np.log(frame).sum(axis=1))

    def slope(
        self, neighbours: IntArray, weights: FloatArray, slopes: FloatArray, target: FloatArray
    ) -> Slope:
        """Return the squared error and its derivatives: ``∂s_k/∂w = m_k / (f (f + w m_k))``."""
        error, pull = _error(self.combine(neighbours, weights), target)
        mass, frame = self._discounted(neighbours, weights)
        frame = frame[:, :, None]
        rise = self.singletons[neighbours] / (frame * (frame + mass))
        by_weight = np.einsum("bkq,bq->bk", rise, pull)
        return Slope(error, np.einsum("bk,bkq->q", by_weight, slopes))

    def _discounted(
        self, neighbours: IntArray, weights: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return ``w_i m_i({k})``, (b, k, K), and ``f_i``, (b, k)."""
        mass = self.singletons[neighbours] * weights[:, :, None]
        return mass, 1.0 - mass.sum(axis=2)


def _rows_at_once(cells: int) -> int:
    return int(np.clip((1 << 20) // max(cells, 1), 64, 1 << 14))


def _closed_form(support: FloatArray, log_frame: FloatArray) -> Combined:
    """Return the normalised masses; the largest support is taken out, so that none overflows."""
    top = support.max(axis=1)
    with np.errstate(under="ignore"):
        singletons = -np.expm1(-support) * np.exp(support - top[:, None])
        frame = np.exp(-top)
    total = singletons.sum(axis=1) + frame
    masses = QuasiBayesian(singletons / total[:, None], frame / total)
    return Combined(masses, log_frame + top + np.log(total))


def _error(combined: Combined, target: FloatArray) -> tuple[float, FloatArray]:
    """Return ``Σ ‖BetP - target‖²`` and its derivatives by s, (b, K).

    ``∂BetP_k/∂s_j = pl_j (1[j = k] - BetP_k)``.
    """
    betp = combined.masses.pignistic()
    apart = betp - target
    common = np.einsum("bk,bk->b", apart, betp)
    pull = 2.0 * combined.masses.plausibilities() * (apart - common[:, None])
    return float(np.einsum("bk,bk->", apart, apart)), pull
