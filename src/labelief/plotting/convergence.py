"""``ConvergenceDisplay``: how a fit climbed."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from labelief._typing import FloatArray
from labelief.plotting.axes import ACCENT, open_axes
from labelief.plotting.reading import last_step
from labelief.plotting.values import gains

__all__ = ["ConvergenceDisplay"]


class ConvergenceDisplay:
    """Gain in the objective (penalised log-likelihood) after each iteration of a fit.

    Parameters
    ----------
    history : sequence of float
        Objective after each iteration.
    converged : bool or None, default=None
        Whether the fit ended by its stop rule, for the title.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    line_ : Line2D
        Iteration from 1, and objective minus that after the first iteration.

    Examples
    --------
    >>> from labelief import FlipNoise, LinearDiscriminantAnalysis
    >>> from labelief.plotting import ConvergenceDisplay
    >>> from labelief.simulation import flip_labels, make_spheres
    >>> X, truth = make_spheres(200, random_state=0)
    >>> noisy = flip_labels(truth, 0.2, random_state=0).observed
    >>> model = LinearDiscriminantAnalysis(channel=FlipNoise()).fit(X, noisy)
    >>> display = ConvergenceDisplay.from_estimator(model)
    >>> display.converged
    True
    >>> display = display.plot()
    """

    def __init__(self, history: Any, *, converged: bool | None = None) -> None:
        self.history: FloatArray = np.asarray(history, dtype=np.float64)
        self.converged = converged

    @classmethod
    def from_estimator(cls, estimator: Any) -> Self:
        """Show the fit of an estimator, or of a pipeline's last step.

        Parameters
        ----------
        estimator : fitted estimator
            With ``history_``.
        """
        check_is_fitted(estimator)
        inner = last_step(estimator)
        if not hasattr(inner, "history_"):
            raise ValueError(
                f"{type(inner).__name__} has no history_: it is not fitted by iterations"
            )
        converged = getattr(inner, "converged_", None)
        return cls(inner.history_, converged=None if converged is None else bool(converged))

    def plot(self, ax: Any = None) -> Self:
        """Draw the curve.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None: a new figure.

        Returns
        -------
        self
        """
        self.figure_, self.ax_ = open_axes(ax, type(self).__name__)
        steps = np.arange(1, len(self.history) + 1)
        marker = "o" if len(steps) == 1 else ""
        (self.line_,) = self.ax_.plot(steps, gains(self.history), c=ACCENT, marker=marker)
        self.ax_.xaxis.get_major_locator().set_params(integer=True)
        self.ax_.set(xlabel="iteration", ylabel="gain in the objective since the first iteration")
        if self.converged is not None:
            ended = "converged" if self.converged else "not converged"
            self.ax_.set_title(f"{ended} after {len(steps)} iterations")
        self.ax_.grid(alpha=0.3)
        return self
