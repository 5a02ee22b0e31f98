"""The score that every classifier of the library has: 1 minus its expected error."""

from __future__ import annotations

from typing import Any

import numpy as np

from labelief.estimators.validation import read_weights
from labelief.labels.soft_labels import SoftLabels
from labelief.labels.targets import read_target
from labelief.metrics.errors import loss_intervals
from labelief.metrics.targets import read_pair

__all__ = ["ExpectedErrorScore"]


class ExpectedErrorScore:
    """Adds ``score`` to a classifier with ``predict``, ``classes`` and ``classes_``."""

    classes: Any
    classes_: Any
    predict: Any

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return 1 minus the expected error at pessimism 0.5; the accuracy for crisp labels.

        ``½ Σ_i w_i [pl_i(ŷ_i) + m_i({ŷ_i})] / Σ_i w_i`` (quost2017 eq. 26-28) over the rows whose
        label says something.

        Parameters
        ----------
        X : (n, d) array, frame or list
        y : labels of any kind that ``fit`` takes
        sample_weight : (n,) array-like, default=None

        Returns
        -------
        float
        """
        predicted = self.predict(X)
        classes = None
        if not isinstance(y, SoftLabels):
            named = read_target(y, n_rows=len(predicted)).codes is None
            classes = self._columns if named else np.union1d(self.classes_, read_target(y).classes)
        pair = read_pair(y, predicted, classes)
        labels = pair.labels
        known = (np.min(labels.plausibilities, axis=1) < 1.0) | (labels.shape[1] == 1)
        weights = read_weights(sample_weight, known[:, None])
        weights = 1.0 * known if weights is None else weights * known
        if not np.any(weights > 0):
            raise ValueError("No row of y says anything about its class: there is no score.")
        bounds = loss_intervals(labels, pair.predicted)
        return float(1.0 - 0.5 * np.average(bounds.lower + bounds.upper, weights=weights))

    @property
    def _columns(self) -> Any:
        """The classes in the order in which a bare matrix of plausibilities has its columns."""
        return self.classes_ if self.classes is None else self.classes
