"""``FeatureScoreDisplay``: which features follow the labels."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from labelief._typing import FloatArray
from labelief.plotting.axes import ACCENT, open_axes

__all__ = ["FeatureScoreDisplay"]


class FeatureScoreDisplay:
    """Scores of features, best on top: small is good, as in `weighted_laplacian_score`.

    Parameters
    ----------
    names : (d,) sequence of str
    scores : (d,) array
        In the order drawn, from top to bottom.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    bars_ : BarContainer
        One bar a feature; a constant feature, whose score is infinite, has none.

    Examples
    --------
    >>> from labelief.feature_selection import weighted_laplacian_score
    >>> from labelief.plotting import FeatureScoreDisplay
    >>> from labelief.simulation import make_spheres
    >>> X, y = make_spheres(random_state=0)
    >>> names = [f"x{j}" for j in range(X.shape[1])]
    >>> scores = weighted_laplacian_score(X, y)
    >>> display = FeatureScoreDisplay.from_scores(names, scores, n_features=3)
    >>> sorted(display.names)
    ['x0', 'x1', 'x2']
    >>> display = display.plot()
    """

    def __init__(self, names: Any, *, scores: Any) -> None:
        self.names: list[str] = [str(name) for name in names]
        self.scores: FloatArray = np.asarray(scores, dtype=np.float64)

    @classmethod
    def from_scores(cls, names: Any, scores: Any, *, n_features: int = 25) -> Self:
        """Show the features with the smallest scores.

        Parameters
        ----------
        names : (d,) sequence of str, or None
            None: numbers from 0.
        scores : (d,) array-like
        n_features : int, default=25
            How many at most.
        """
        values = np.asarray(scores, dtype=np.float64)
        if values.ndim != 1 or values.size == 0:
            raise ValueError(f"scores must hold one number a feature, got shape {values.shape}")
        if np.isnan(values).any():
            raise ValueError(f"scores holds NaN for feature {int(np.argmax(np.isnan(values)))}")
        if n_features < 1:
            raise ValueError(f"n_features must be 1 or more, got {n_features!r}")
        listed = [f"feature {j}" for j in range(len(values))] if names is None else list(names)
        if len(listed) != len(values):
            raise ValueError(f"there are {len(listed)} names and {len(values)} scores")
        order = np.argsort(values, kind="stable")[:n_features]
        return cls([listed[j] for j in order], scores=values[order])

    def plot(self, ax: Any = None) -> Self:
        """Draw the scores.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None: a new figure.

        Returns
        -------
        self
        """
        n = len(self.names)
        self.figure_, self.ax_ = open_axes(ax, type(self).__name__, (6.4, 1.0 + 0.26 * n))
        finite = np.isfinite(self.scores)
        self.bars_ = self.ax_.barh(np.arange(n), np.where(finite, self.scores, 0.0), color=ACCENT)
        words = [f"{v:.3g}" if np.isfinite(v) else "constant" for v in self.scores]
        self.ax_.bar_label(self.bars_, words, padding=3, fontsize="small")
        self.ax_.margins(x=0.12)
        self.ax_.set_yticks(np.arange(n), self.names)
        self.ax_.invert_yaxis()
        self.ax_.set_xlabel("score: small is good")
        return self
