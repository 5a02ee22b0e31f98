"""Cautious answers: sets of classes, by a rule that every classifier shares."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from labelief._typing import BoolArray, FloatArray
from labelief.estimators.set_rules import (
    Calibration,
    calibrate,
    conforming,
    fewest_classes,
    undominated,
)
from labelief.estimators.validation import check_amount
from labelief.kernels.namespace import to_host
from labelief.metrics.targets import check_length, read_labels

__all__ = ["CautiousPredictions"]

_RULES = ("mass", "interval", "conformal")


class _Calibrated(NamedTuple):
    """A calibration, and what was fitted when it was made."""

    of: Any
    calibration: Calibration


class CautiousPredictions:
    """Adds ``predict_set`` and ``calibrate`` to a classifier with ``predict_proba``."""

    classes_: Any
    predict_proba: Any
    _columns: Any
    _calibrated: _Calibrated

    def _bounds(self, X: Any, strength: float) -> tuple[FloatArray, FloatArray]:
        """Return lower and upper probabilities of the classes, two (n, K) arrays."""
        raise TypeError(f"{type(self).__name__} gives no bounds.")

    def _fitted_part(self) -> Any:
        """Return an object that every fit makes anew."""
        raise TypeError(f"{type(self).__name__} has no fitted part.")

    def predict_set(
        self, X: Any, rule: str = "mass", level: float = 0.95, *, strength: float = 2.0
    ) -> BoolArray:
        """Return a set of classes for each row.

        Parameters
        ----------
        X : rows as in ``predict_proba``
        rule : {"mass", "interval", "conformal"}, default="mass"
            "mass": the fewest classes whose probabilities sum to `level` or more; right as often as
            the probabilities are.

            "interval": all classes but those that another surely surpasses, its lower probability
            being above their upper one (interval dominance; Zaffalon 2002, Troffaes 2007).  Bounds:
            belief and plausibility where a classifier has these (:class:`EvidentialKNN`); else
            ``n p_k / (n + s)`` and ``(n p_k + s) / (n + s)``, Walley's imprecise Dirichlet model,
            with s = `strength` and n the rows that a prediction rests on in the mean: labelled
            weight / parameters per contrast of classes, as leverages are in the mean (a wrapped
            classifier counts as a linear rule: raise `strength` for one that is more flexible).
            It tells apart what few rows cannot tell; it says nothing of noise in the labels, of
            rows far from all others, nor of a model that is wrong.

            "conformal": the classes whose probability is no lower than true classes' were on the
            rows given to ``calibrate``, but for a share ``1 - level``; the most probable class
            always.
        level : float, default=0.95
            Not used by "interval".
        strength : float, default=2.0
            For "interval" with probabilities; Walley advises 1 or 2.

        Returns
        -------
        (n, K) bool array
            Whether each class is in the row's set; columns in the order of ``classes_``.
        """
        if rule not in _RULES:
            raise ValueError(f"rule must be 'mass', 'interval' or 'conformal', got {rule!r}.")
        if not 0.0 < level <= 1.0:
            raise ValueError(f"level must be in (0, 1], got {level!r}.")
        check_is_fitted(self)
        if rule == "interval":
            check_amount("strength", strength)
            return undominated(*self._bounds(X, float(strength)))
        proba = self._float_probabilities(X)
        if rule == "mass":
            return fewest_classes(proba, level)
        return conforming(proba, self._calibration().threshold(level))

    def calibrate(self, X: Any, y: Any) -> Self:
        """Keep how probable the true classes of held-out rows were, for ``rule="conformal"``.

        The rows must not have been fitted, and be like those to come.  Labels are taken at their
        word: a learned channel plays no part.  The next ``fit`` makes this void.

        - Crisp labels: a new row's class is in its set with probability `level` at least, over
          draws of calibration and new rows, whatever the classifier (Vovk, Gammerman & Shafer
          2005); if n rows are too few for the level (``level > n / (n + 1)``), sets hold all
          classes.
        - Candidates: the least probable of them counts as the truth; the guarantee stays if they
          hold the truth.
        - Masses in general: a focal set counts so in proportion to its mass; the belief that sets
          on the calibration rows hold the truth is then `level` in the mean at least.  Coverage of
          new rows follows as these grow many, if the truth lies in sets as often as they are
          believed.  What a label leaves open (its mass on all classes) counts as not covered: very
          doubtful labels make for large sets.
        - Rows whose label says nothing are left out.

        The guarantee is for all classes together: one that is rare, or that no calibration row
        has, may be covered less often.

        Parameters
        ----------
        X : rows as in ``fit``, held out
        y : labels, held out
            1-D class labels, :class:`SoftLabels`, or an (n, K) array of possibilities.

        Returns
        -------
        self
        """
        check_is_fitted(self)
        proba = self._float_probabilities(X)
        labels = read_labels(y, self._columns).reorder(self.classes_)
        check_length("y", len(labels), len(proba))
        calibration = calibrate(proba, labels)
        if calibration.n_rows == 0:
            raise ValueError(
                "No label of y says anything about its row's class: there is nothing to calibrate "
                "by. Give some labels."
            )
        self._calibrated = _Calibrated(self._fitted_part(), calibration)
        return self

    def _calibration(self) -> Calibration:
        kept: _Calibrated | None = getattr(self, "_calibrated", None)
        if kept is None or kept.of is not self._fitted_part():
            raise ValueError(
                "rule='conformal' needs rows that were held out: call calibrate(X, y) after fit."
            )
        return kept.calibration

    def _float_probabilities(self, X: Any) -> FloatArray:
        return np.asarray(to_host(self.predict_proba(X)), dtype=np.float64)
