"""``SoftCalibrationDisplay``: whether a model's certainty can be trusted, by soft labels."""

from __future__ import annotations

from typing import Any, Self

from labelief.audit.reading import read_observed, read_probabilities
from labelief.plotting.axes import ACCENT, PALE, open_axes
from labelief.plotting.values import Calibration, calibrate

__all__ = ["SoftCalibrationDisplay"]


class SoftCalibrationDisplay:
    """How often labels agree with the class that is predicted, against how sure the model is.

    Labels that leave something open agree at least as often as they believe in the class and at
    most as often as they find it plausible: the band.  The line is in between (pignistic
    probabilities).  A calibrated model's line follows the diagonal, wrong labels pull it down.

    Parameters
    ----------
    calibration : Calibration
        Attributes ``sure``, ``agrees``, ``rows``, ``lower``, ``upper``: one entry a bin.
    n_classes : int

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    line_ : Line2D
        A point for each bin.
    band_ : PolyCollection or None
        None where no bounds are known.
    ideal_ : Line2D
        The diagonal.

    Examples
    --------
    >>> import numpy as np
    >>> from labelief.plotting import SoftCalibrationDisplay
    >>> proba = np.tile([[0.8, 0.2], [0.4, 0.6]], (50, 1))
    >>> y = np.tile(["a", "b"], 50)
    >>> SoftCalibrationDisplay.from_predictions(y, proba).calibration.agrees
    array([1., 1.])
    """

    def __init__(self, calibration: Calibration, *, n_classes: int) -> None:
        self.calibration = calibration
        self.n_classes = n_classes

    @classmethod
    def from_predictions(cls, y: Any, proba: Any, *, classes: Any = None, n_bins: int = 10) -> Self:
        """Compare probabilities with labels.

        Parameters
        ----------
        y : labels of any kind that estimators take
            Labels that the model did not see.
        proba : (n, K) array-like or frame
            Predicted probabilities.
        classes : (K,) array-like, default=None
            Class of each column; None: in sorted order.
        n_bins : int, default=10
            Bins at most, with equally many rows.
        """
        if n_bins < 1:
            raise ValueError(f"n_bins must be 1 or more, got {n_bins!r}")
        matrix, target = read_probabilities(proba, y, classes)
        labels = read_observed(y, target).labels
        found = calibrate(
            matrix, labels.pignistic, labels.beliefs, labels.plausibilities, n_bins=n_bins
        )
        return cls(found, n_classes=matrix.shape[1])

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, *, n_bins: int = 10) -> Self:
        """Compare what a fitted classifier predicts with labels that it did not see.

        Parameters
        ----------
        estimator : fitted classifier with ``predict_proba``
        X : (n, d) array-like
        y : labels of any kind that estimators take
        n_bins : int, default=10
        """
        proba = estimator.predict_proba(X)
        return cls.from_predictions(y, proba, classes=estimator.classes_, n_bins=n_bins)

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
        found, least = self.calibration, 1.0 / self.n_classes
        (self.ideal_,) = self.ax_.plot([least, 1], [least, 1], "--", c="0.5", label="ideal")
        self.band_ = None
        if found.lower is not None and found.upper is not None:
            self.band_ = self.ax_.fill_between(
                found.sure, found.lower, found.upper, color=PALE, alpha=0.5, label="left open"
            )
        (self.line_,) = self.ax_.plot(found.sure, found.agrees, "o-", c=ACCENT, label="labels")
        self.ax_.set(
            xlabel="how sure the model is",
            ylabel="how often the label agrees",
            xlim=(least - 0.02, 1.02),
            ylim=(-0.02, 1.02),
        )
        for axis in (self.ax_.xaxis, self.ax_.yaxis):
            axis.set_major_formatter(lambda value, _: f"{100 * value:.0f} %")
        self.ax_.legend(loc="lower right")
        return self
