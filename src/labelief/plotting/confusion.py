"""``ConfusionDisplay``: what labels or an annotator call each true class."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from labelief._typing import FloatArray
from labelief.plotting.axes import open_axes
from labelief.plotting.reading import last_step

__all__ = ["ConfusionDisplay"]

# Beyond this many columns numbers would not fit in their cells.
_NUMBERS = 14


class ConfusionDisplay:
    """A matrix of shares: rows are true classes, columns what is said, rows sum to 1.

    Parameters
    ----------
    matrix : (K, S) array
    classes : (K,) sequence
        True classes.
    answers : (S,) sequence, default=None
        What may be said; None: the classes.
    who : str, default="labels"
        Whose matrix it is, for the title.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    im_ : AxesImage
    text_ : list of Text
        Percent in each cell, row by row; empty where there are too many columns for it.

    Examples
    --------
    >>> from labelief import FlipNoise, LinearDiscriminantAnalysis
    >>> from labelief.plotting import ConfusionDisplay
    >>> from labelief.simulation import flip_labels, make_spheres
    >>> X, truth = make_spheres(200, random_state=0)
    >>> noisy = flip_labels(truth, 0.2, random_state=0).observed
    >>> model = LinearDiscriminantAnalysis(channel=FlipNoise()).fit(X, noisy)
    >>> display = ConfusionDisplay.from_channel(model.channel_, model.classes_)
    >>> display.matrix.shape
    (4, 4)
    >>> display = ConfusionDisplay.from_estimator(model).plot()
    """

    def __init__(self, matrix: Any, *, classes: Any, answers: Any = None, who: str = "labels"):
        self.matrix: FloatArray = np.asarray(matrix, dtype=np.float64)
        self.classes: list[str] = [_name(one) for one in classes]
        self.answers: list[str] = self.classes if answers is None else [_name(a) for a in answers]
        self.who = who

    @classmethod
    def from_matrix(
        cls, matrix: Any, classes: Any = None, answers: Any = None, *, who: str = "labels"
    ) -> Self:
        """Show a matrix.

        Parameters
        ----------
        matrix : (K, S) array-like
            Rows sum to 1.
        classes, answers, who
            As in the class; without classes they are numbered from 0.
        """
        values = np.asarray(matrix, dtype=np.float64)
        if values.ndim != 2 or values.size == 0:
            raise ValueError(f"matrix must be 2-D and not empty, got the shape {values.shape}")
        strange = ~(np.isclose(values.sum(axis=1), 1.0, atol=1e-6) & (values >= 0).all(axis=1))
        if strange.any():
            k = int(np.flatnonzero(strange)[0])
            raise ValueError(
                f"row {k} of matrix is {values[k]}: a row holds shares, which are not negative and "
                "sum to 1 (divide counts by the sums of their rows)"
            )
        if classes is None:
            classes = range(len(values))
        if answers is None and values.shape[0] != values.shape[1]:
            answers = range(values.shape[1])
        said = classes if answers is None else answers
        if (len(classes), len(said)) != values.shape:
            raise ValueError(
                f"matrix is {values.shape[0]} x {values.shape[1]}, but there are {len(classes)} "
                f"classes and {len(said)} answers"
            )
        return cls(values, classes=classes, answers=answers, who=who)

    @classmethod
    def from_channel(cls, channel: Any, classes: Any = None, annotator: Any = None) -> Self:
        """Show what a channel learned.

        Parameters
        ----------
        channel : fitted channel
            ``channel_`` of a fitted estimator.
        classes : (K,) array-like, default=None
            Their names: ``classes_`` of the estimator.
        annotator : object, default=None
            Name of one of ``channel.annotators_``; None: the average annotator.
        """
        if hasattr(channel, "matrices_"):
            answers = list(channel.answers_)
            if annotator is None:
                return cls.from_matrix(
                    channel.pooled_matrix_, classes, answers, who="the average annotator"
                )
            names = channel.annotators_.tolist()
            if annotator not in names:
                raise ValueError(
                    f"annotator={annotator!r} gave no votes; there are {len(names)}, among them "
                    f"{', '.join(map(repr, names[:5]))}"
                )
            matrix = channel.matrices_[names.index(annotator)]
            return cls.from_matrix(matrix, classes, answers, who=str(annotator))
        if annotator is not None:
            raise ValueError(f"{type(channel).__name__} knows no annotators: leave annotator out")
        if not hasattr(channel, "matrix_"):
            raise ValueError(
                f"{type(channel).__name__} holds no learned matrix: give channel_ of an estimator "
                "fitted with FlipNoise() or AnnotatorNoise()"
            )
        return cls.from_matrix(channel.matrix_, classes)

    @classmethod
    def from_estimator(cls, estimator: Any, annotator: Any = None) -> Self:
        """Show what the channel of a fitted estimator, or of a pipeline's last step, learned.

        Parameters
        ----------
        estimator : fitted estimator
        annotator : object, default=None
            As in :meth:`from_channel`.
        """
        check_is_fitted(estimator)
        inner = last_step(estimator)
        return cls.from_channel(getattr(inner, "channel_", None), inner.classes_, annotator)

    def plot(self, ax: Any = None, *, cmap: str = "Blues") -> Self:
        """Draw the matrix.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None: a new figure.
        cmap : str, default="Blues"
            A colour map of matplotlib.

        Returns
        -------
        self
        """
        self.figure_, self.ax_ = open_axes(ax, type(self).__name__)
        n_rows, n_columns = self.matrix.shape
        self.im_ = self.ax_.imshow(self.matrix, cmap=cmap, vmin=0.0, vmax=1.0)
        self.text_ = []
        if n_columns <= _NUMBERS:
            for (k, j), share in np.ndenumerate(self.matrix):
                red, green, blue, _ = self.im_.cmap(share)
                dark = 0.299 * red + 0.587 * green + 0.114 * blue < 0.5
                colour = "white" if dark else "black"
                words = f"{100 * share:.0f}"
                self.text_.append(self.ax_.text(j, k, words, ha="center", va="center", c=colour))
        self.ax_.set_xticks(range(n_columns), self.answers)
        self.ax_.set_yticks(range(n_rows), self.classes)
        if max(map(len, self.answers)) > 5:
            self.ax_.tick_params(axis="x", labelrotation=40)
        self.ax_.set(xlabel="said", ylabel="true class")
        self.ax_.set_title(f"What {self.who} call{'' if self.who == 'labels' else 's'} it, in %")
        return self


def _name(one: Any) -> str:
    """Return a class, or a set of classes, as text."""
    return "|".join(sorted(map(str, one))) if isinstance(one, frozenset) else str(one)
