"""``ClassMapDisplay``: the rows in two coordinates, coloured by what their labels say."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from labelief._typing import BoolArray, FloatArray
from labelief.plotting.axes import open_axes
from labelief.plotting.colours import colour_of, mixed
from labelief.plotting.reading import read_soft_labels
from labelief.plotting.values import class_coordinates

__all__ = ["ClassMapDisplay"]


class ClassMapDisplay:
    """Rows in two coordinates: a pure colour is a precise label, a mixture a doubtful one.

    Parameters
    ----------
    coordinates : (n, 2) array
    shares : (n, K) array
        Labels as shares of the classes (pignistic probabilities).
    classes : (K,) sequence
    names : (str, str)
        What the coordinates are.
    doubtful : (n,) bool array, default=None
        Rows to ring.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    points_ : PathCollection
        All rows, in their order.
    rings_ : PathCollection or None
        Around the doubtful rows.
    legend_ : Legend

    Examples
    --------
    >>> from labelief import LinearDiscriminantAnalysis
    >>> from labelief.plotting import ClassMapDisplay
    >>> from labelief.simulation import confuse_labels, make_spheres
    >>> X, truth = make_spheres(random_state=0)
    >>> labels = confuse_labels(truth, 0.3, random_state=0).soft
    >>> model = LinearDiscriminantAnalysis().fit(X, labels)
    >>> display = ClassMapDisplay.from_estimator(model, X, labels)
    >>> display.names
    ('first discriminant axis', 'second discriminant axis')
    >>> display = display.plot()
    """

    def __init__(
        self,
        coordinates: Any,
        *,
        shares: Any,
        classes: Any,
        names: tuple[str, str],
        doubtful: Any = None,
    ) -> None:
        self.coordinates: FloatArray = np.asarray(coordinates, dtype=np.float64)
        self.shares: FloatArray = np.asarray(shares, dtype=np.float64)
        self.classes: list[str] = [str(name) for name in classes]
        self.names = names
        self.doubtful: BoolArray | None = doubtful

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, *, doubtful: Any = None) -> Self:
        """Show rows on the discriminant axes of an estimator, or on principal components.

        Parameters
        ----------
        estimator : fitted classifier or pipeline
            One without a ``transform`` to two columns or more leaves principal components of what
            it is given: of X, or of what a pipeline's other steps make of X.
        X : (n, d) array-like
        y : labels of any kind that estimators take
        doubtful : (n,) bool array or row numbers, default=None
            Rows to ring; with a frame of :func:`~labelief.audit.audit_labels`:
            ``audit.index[audit["doubt"] > 0.5]``.
        """
        check_is_fitted(estimator)
        n = X.shape[0] if hasattr(X, "shape") else len(X)
        labels = read_soft_labels(y, getattr(estimator, "classes_", None), n)
        numbers, last = X, estimator
        if hasattr(estimator, "steps"):
            numbers, last = estimator[:-1].transform(X), estimator[-1]
        coordinates, names = class_coordinates(last, numbers)
        return cls(
            coordinates,
            shares=labels.pignistic,
            classes=labels.classes,
            names=names,
            doubtful=None if doubtful is None else _as_mask(doubtful, n),
        )

    def plot(self, ax: Any = None, *, s: float = 22.0, alpha: float = 0.8) -> Self:
        """Draw the map.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None: a new figure.
        s : float, default=22.0
            Size of a point.
        alpha : float, default=0.8
            Its opacity.

        Returns
        -------
        self
        """
        self.figure_, self.ax_ = open_axes(ax, type(self).__name__)
        x, y = self.coordinates.T
        self.points_ = self.ax_.scatter(x, y, s, mixed(self.shares), alpha=alpha, linewidths=0)
        self.rings_ = None
        if self.doubtful is not None:
            self.rings_ = self.ax_.scatter(
                x[self.doubtful],
                y[self.doubtful],
                2.2 * s,
                facecolors="none",
                edgecolors="black",
                linewidths=1.1,
                label="probably wrong",
            )
        for k, name in enumerate(self.classes):
            # A name that begins with _ would be left out of the legend.
            self.ax_.scatter([], [], s, colour_of(k), label=name.lstrip("_") or name)
        self.legend_ = self.ax_.legend()
        self.ax_.set(xlabel=self.names[0], ylabel=self.names[1])
        return self


def _as_mask(doubtful: Any, n: int) -> BoolArray:
    found = np.asarray(doubtful)
    if found.dtype == bool:
        if found.shape != (n,):
            raise ValueError(f"doubtful has the shape {found.shape}; X has {n} rows")
        return found
    if found.size and (found.dtype.kind not in "iu" or found.min() < 0 or found.max() >= n):
        raise ValueError(f"doubtful must hold row numbers from 0 to {n - 1}, or n truth values")
    mask = np.zeros(n, dtype=bool)
    mask[found.astype(np.int64)] = True
    return mask
