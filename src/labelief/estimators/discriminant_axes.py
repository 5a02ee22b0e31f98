"""Discriminant axes: directions along which class means differ most, within-class spread 1."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin

from labelief._typing import Array, FloatArray
from labelief.kernels.namespace import namespace, to_float64

__all__ = ["DiscriminantAxes"]

# Axes whose shares of the spread differ by less tie.
_TIED = 1e-6


class DiscriminantAxes(ClassNamePrefixFeaturesOutMixin, TransformerMixin):
    """Adds ``transform`` to a classifier with one mean per class and a common covariance."""

    def transform(self, X: Any) -> Array:
        """Project rows on the discriminant axes, most telling first.

        Axes maximise between-class over within-class variance; along each, the within-class
        variance is 1 and the mean of the classes (weighted by their priors) is 0.

        Parameters
        ----------
        X : (n, d) array, frame or list

        Returns
        -------
        (n, min(K - 1, rank)) array
        """
        rows = self._read(X)
        center, axes = self._axes()
        xp = namespace(rows)
        if hasattr(rows, "ctypes"):
            return np.asarray((to_float64(rows) - center) @ axes)
        center, axes = (xp.asarray(a, device=rows.device) for a in (center, axes))
        return (to_float64(rows) - center) @ axes

    @property
    def _n_features_out(self) -> int:
        return int(self._axes()[1].shape[1])

    def _axes(self) -> tuple[FloatArray, FloatArray]:
        """Return the centre (d,) and the axes (d, m)."""
        model, parameters = self._model, self._parameters.model
        frame, gaussian, weights = model.frame, parameters.density, parameters.weights
        middle = weights @ gaussian.means
        # In coordinates where the common covariance is I, the axes are principal.
        spread = np.linalg.solve(gaussian.factors[0], (gaussian.means - middle).T)
        left, sizes, _ = np.linalg.svd(spread * np.sqrt(weights), full_matrices=False)
        left = _settled(left, sizes, spread[:, weights > 0])
        left = left[:, : min(len(weights) - 1, frame.rank)]
        axes = frame.basis @ np.linalg.solve(gaussian.factors[0].T, left)
        signs = np.sign(axes[np.argmax(np.abs(axes), axis=0), np.arange(axes.shape[1])])
        return frame.locations(middle), axes * signs


def _settled(left: FloatArray, sizes: FloatArray, means: FloatArray) -> FloatArray:
    """Turn axes of equal size, which are open within their plane, to class means.

    The first class's mean then lies along the first of them, the second's in the plane of the first
    two, and so on; with fewer rows than features all sizes may be equal.
    """
    out = left.copy()
    steps = np.flatnonzero(np.diff(sizes) < -_TIED * sizes[:1]) + 1
    for start, stop in pairwise([0, *steps, len(sizes)]):
        if stop - start > 1:
            turn = np.linalg.qr(left[:, start:stop].T @ means)[0]
            out[:, start : start + turn.shape[1]] = left[:, start:stop] @ turn
    return out
