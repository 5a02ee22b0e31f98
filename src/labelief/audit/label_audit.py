"""What an audit of labels finds: the record, and the function that makes it from probabilities."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from labelief._typing import BoolArray, FloatArray, IntArray
from labelief.audit.cases import choose_cases
from labelief.audit.gain import expected_gain
from labelief.audit.reading import Observed, describe, read_observed, read_probabilities
from labelief.audit.weighing import weigh
from labelief.estimators.validation import read_weights
from labelief.labels.class_names import Names
from labelief.labels.tables import make_frame
from labelief.labels.targets import Target

__all__ = ["LabelAudit", "audit_target", "weigh_labels"]

# Of fewer objects than this nothing is said about the labels of a class.
_NO_SMALL_MATTER = 5.0


@dataclass(frozen=True, eq=False)
class LabelAudit:
    """What :func:`weigh_labels` found, in the order of the rows.

    Attributes
    ----------
    classes : (K,) array
        In sorted order: that of every column here.
    probabilities : (n, K) array
        Given the features alone, as they were handed in.
    posterior : (n, K) array
        Given features and label.
    conflict : (n,) array
        Dempster's conflict between label and features, ``κ_i = 1 - Σ_k pl_i(k) p_i(k)``.
    doubt : (n,) array
        How likely the label is wrong.
    flip_rates : (K, K) array
        Expected share of the objects of each true class (row) that bear each label (column).
    sharpness : float
        Exponent β by which the probabilities were found too dull (above 1) or too bold (below).
    hypotheses : dict
        Weight of each way in which labels may go wrong, by name.
    converged : bool
        Whether the channel was learned to the end.
    """

    classes: Names
    probabilities: FloatArray = field(repr=False)
    posterior: FloatArray = field(repr=False)
    conflict: FloatArray = field(repr=False)
    doubt: FloatArray = field(repr=False)
    flip_rates: FloatArray
    sharpness: float
    hypotheses: dict[str, float]
    converged: bool
    _observed: Observed = field(repr=False)

    @property
    def expected_errors(self) -> float:
        """Expected number of wrong labels, the sum of the doubts."""
        return float(np.sum(self.doubt))

    @property
    def flagged(self) -> BoolArray:
        """Rows whose label is more likely wrong than right, (n,)."""
        return np.asarray(self.doubt > 0.5)

    @property
    def suggested(self) -> Names:
        """Most probable class of each row given features and label, (n,)."""
        names: Names = self.classes[np.argmax(self.posterior, axis=1)]
        return names

    def order(self) -> IntArray:
        """Return row numbers, worst first: by doubt, then by conflict."""
        return np.lexsort((-self.conflict, -self.doubt))

    def to_frame(
        self,
        budget: float | None = None,
        *,
        cost: Any = None,
        reliability: float = 0.9,
        backend: str = "pandas",
    ) -> Any:
        """Return the table of :func:`labelief.audit.audit_labels`.

        Parameters
        ----------
        budget : float, default=None
            What may be spent on asking again: the number of cases where all cost 1. None: no limit.
        cost : (n,) array-like, default=None
            What it costs to ask about each row, 1 by default.
        reliability : float, default=0.9
            How often the person asked is right.
        backend : str, default="pandas"
            Library of the frame: "pandas", "polars", "pyarrow"...

        Returns
        -------
        data frame
            One row per object, worst first.  In pandas the index is the row number, elsewhere a
            column ``row`` is.
        """
        gain = expected_gain(self.posterior, reliability)
        ask = choose_cases(gain, budget, cost)
        order = self.order()
        believed = np.argmax(self.probabilities, axis=1)
        rows = np.arange(len(order))
        columns: dict[str, Any] = {
            "label": describe(self._observed, order),
            "believed": self.classes[believed][order],
            "probability": self.probabilities[rows, believed][order],
            "posterior": self.posterior[rows, believed][order],
            "conflict": self.conflict[order],
            "doubt": self.doubt[order],
            "suggested": self.suggested[order],
            "gain": gain[order],
            "ask": ask[order],
        }
        frame = make_frame({"row": order, **columns}, backend)
        return frame.set_index("row") if backend == "pandas" else frame

    def __repr__(self) -> str:
        n, worst = len(self.doubt), self.order()[:5]
        lines = [
            f"LabelAudit: {n} labels, {self.expected_errors:.1f} of them wrong, it is expected; "
            f"{int(self.flagged.sum())} rather wrong than right"
        ]
        shown = zip(worst, describe(self._observed, worst), strict=True)
        lines += [
            f"  row {row}: {label}, rather {self.suggested[row]} (doubt {self.doubt[row]:.2f})"
            for row, label in shown
            if self.doubt[row] > 0.5
        ]
        return "\n".join(lines)


def weigh_labels(
    proba: Any, y: Any, *, classes: Any = None, channel: Any = None, sample_weight: Any = None
) -> LabelAudit:
    r"""Weigh labels against class probabilities that were predicted without them.

    The probabilities p, from any tool, must be out of fold: a model that has seen a row's label
    agrees with it.  How labels go wrong is then learned from the whole table, by EM on

    .. math::
        \prod_i \sum_k q_i(k) \, pl_i(k; \gamma, \lambda), \qquad
        q_i(k) = p_i(k)^\beta / \sum_l p_i(l)^\beta,

    the one likelihood of this library (quost2017 eq. 21; liu2022 §2 for γ) with p in place of a
    model.  pl is the probability of the observed label if class k is true: flips γ between classes
    and slips λ to a class that looks alike, see :mod:`labelief.audit.mistakes`; annotators'
    matrices for votes.  β makes p sharper, because a model that learned from wrong labels foretells
    the labels, not the classes.  Whether flips have one rate, a rate per class, or a rate per pair
    of classes is not known beforehand: all three are learned, and their posteriors
    :math:`\zeta_i(k) \propto q_i(k) \, pl_i(k)` (eq. 23) averaged with Akaike's weights
    :math:`\propto \exp(\log L - \text{number of parameters})` (Burnham and Anderson 2002, "Model
    selection and multimodel inference", §2.9).  The doubt about a label is

    .. math:: 1 - \sum_k \zeta_i(k) \, pl_i(k) / \max_l pl_i(l)

    with pl as observed: the probability that a crisp label is wrong, or that the truth is outside a
    candidate set.  The doubts sum to the expected number of wrong labels.

    Parameters
    ----------
    proba : (n, K) array or frame
        Out-of-fold probabilities of the classes; the columns of a frame name them.
    y : labels of any kind
        1-D labels, `SoftLabels`, plausibilities (n, K), `Votes`; unknown labels are never doubted.
    classes : (K,) array-like, default=None
        Class of each column of ``proba`` (and of a bare array ``y``); by default the classes of
        ``y`` in sorted order.
    channel : channel, default=None
        What is believed of the labels instead: ``FlipNoise("symmetric")``,
        ``FlipNoise(matrix=...)``, ``Trusted()``...
    sample_weight : (n,) array-like, default=None
        Weights of the rows in what is learned.

    Returns
    -------
    LabelAudit
        Row by row, with ``to_frame()``.

    Examples
    --------
    >>> from labelief.audit import weigh_labels
    >>> proba = [[0.9, 0.1], [0.8, 0.2], [0.05, 0.95], [0.1, 0.9], [0.02, 0.98]] * 20
    >>> audit = weigh_labels(proba, ["cat", "cat", "dog", "dog", "dog"] * 19 + ["cat"] * 5)
    >>> audit.order()[:3]
    array([99, 97, 98])
    >>> audit
    LabelAudit: 100 labels, 3.0 of them wrong, it is expected; 3 rather wrong than right
      row 99: cat, rather dog (doubt 1.00)
      row 97: cat, rather dog (doubt 1.00)
      row 98: cat, rather dog (doubt 0.98)
    """
    matrix, target = read_probabilities(proba, y, classes)
    return audit_target(matrix, target, y, channel, sample_weight)


def audit_target(
    proba: FloatArray, target: Target, y: Any, channel: Any = None, sample_weight: Any = None
) -> LabelAudit:
    """Do what :func:`weigh_labels` does, with labels that were read already.

    Parameters
    ----------
    proba : (n, K) array
        Rows sum to 1; columns in the order of ``target.classes``.
    target : Target
    y : labels of any kind
        What the target was read from.
    channel, sample_weight
        As there.
    """
    observed = read_observed(y, target)
    weights = read_weights(sample_weight, proba)
    weighed = weigh(proba, target, observed, channel, weights)
    plausible = observed.labels.plausibilities
    relative = plausible / np.max(plausible, axis=1, keepdims=True)
    flip_rates = _flip_rates(weighed.posterior, plausible)
    _warn_of_strange_classes(target.classes, flip_rates, weighed.posterior)
    return LabelAudit(
        classes=target.classes,
        probabilities=proba,
        posterior=weighed.posterior,
        conflict=_implausibility(proba, plausible),
        doubt=_implausibility(weighed.posterior, relative),
        flip_rates=flip_rates,
        sharpness=weighed.sharpness,
        hypotheses=weighed.hypotheses,
        converged=weighed.converged,
        _observed=observed,
    )


def _warn_of_strange_classes(classes: Names, flip_rates: FloatArray, posterior: FloatArray) -> None:
    """Warn where a class bears another's label twice as often as its own."""
    strange = 2.0 * np.diagonal(flip_rates) < np.max(flip_rates, axis=1)
    strange &= np.sum(posterior, axis=0) >= _NO_SMALL_MATTER
    if strange.any():
        k = int(np.argmax(strange))
        name, other = (classes[[k, int(np.argmax(flip_rates[k]))]]).tolist()
        warnings.warn(
            f"Objects of class {name!r} seem to be labelled {other!r} rather than {name!r}. Where "
            "that cannot be, the probabilities confuse the two: take a better classifier, or a "
            "channel that cannot explain it, such as FlipNoise('symmetric').",
            UserWarning,
            stacklevel=4,
        )


def _implausibility(proba: FloatArray, plausible: FloatArray) -> FloatArray:
    """Return ``Σ_k p(k) (1 - pl(k))``, (n,): exactly 0 where all is plausible."""
    return np.asarray(np.clip(np.sum(proba * (1.0 - plausible), axis=1), 0.0, 1.0))


def _flip_rates(posterior: FloatArray, plausible: FloatArray) -> FloatArray:
    """Return ``Σ_i ζ_ik s_ij / Σ_i ζ_ik`` over rows whose label says something, s its shares."""
    says = np.max(plausible, axis=1) - np.min(plausible, axis=1) > 0
    shares = plausible[says] / np.sum(plausible[says], axis=1, keepdims=True)
    counts = posterior[says].T @ shares
    sizes = np.sum(posterior[says], axis=0)[:, None]
    known = sizes > 0
    return np.asarray(np.where(known, counts / np.where(known, sizes, 1.0), np.eye(len(counts))))
