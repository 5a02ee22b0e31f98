"""Rules that pool the votes on each item into one mass function.

A vote of annotator a with confidence c, discounted by δ_a, is the mass function with (1 - δ_a) c
on its label and the rest on the frame.  ``VOTE_RULES`` maps the name of a rule to a function of
the votes and of the discount (one rate per annotator); another rule is another entry.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from labelief._typing import FloatArray
from labelief.labels.messages import name_rows
from labelief.labels.quasi_bayesian import QuasiBayesian
from labelief.labels.soft_labels import SoftLabels
from labelief.labels.votes import Votes
from labelief.labels.weights import as_unit_interval

VoteRule = Callable[[Votes, FloatArray], SoftLabels]


def pool(votes: Votes, rule: str, discount: ArrayLike) -> SoftLabels:
    """Pool votes by a rule of the registry.

    Parameters
    ----------
    votes : Votes
        Who said what.
    rule : str
        Name of the rule.
    discount : float or (n_annotators,) array-like
        Discount rate of each annotator.

    Returns
    -------
    SoftLabels
        One row per item.
    """
    if not isinstance(votes, Votes):
        raise ValueError(f"votes must be a Votes table, got {type(votes).__name__}")
    if rule not in VOTE_RULES:
        raise ValueError(f"rule={rule!r} is not one of {sorted(VOTE_RULES)}")
    rates = as_unit_interval(discount, votes.annotators.size, "discount", per="annotator")
    return VOTE_RULES[rule](votes, rates)


def mean(votes: Votes, discount: FloatArray) -> SoftLabels:
    """Average the votes: m = (1/v) Σ_votes m_vote.

    Without discount and confidences these are the shares of the votes, Bayesian.

    Parameters
    ----------
    votes : Votes
        Who said what.
    discount : (n_annotators,) float64 array
        Discount rates δ_a.

    Returns
    -------
    SoftLabels
        Mass on single classes and the frame; all on the frame for an item without votes.

    Examples
    --------
    >>> votes = Votes({"i": [0, 0], "a": ["x", "y"], "l": ["b", "c"]}, "i", "a", "l")
    >>> mean(votes, np.array([0.0, 0.5])).beliefs
    array([[0.5 , 0.25]])
    """
    n, K = votes.shape
    support = _support(votes, discount)
    named = votes.label_codes < K
    cells = votes.item_codes[named] * K + votes.label_codes[named]
    mass: FloatArray = np.bincount(cells, weights=support[named], minlength=n * K).astype(float)
    mass = mass.reshape(n, K)
    number = np.diff(votes.indptr)
    mass /= np.maximum(number, 1)[:, None]
    rest = np.bincount(votes.item_codes, weights=1.0 - support, minlength=n)
    frame = np.where(number > 0, rest / np.maximum(number, 1), 1.0)
    return SoftLabels(votes.classes, QuasiBayesian(mass, frame))


def dempster(votes: Votes, discount: FloatArray) -> SoftLabels:
    """Combine the votes by Dempster's rule (quost2017 eq. 2-4), in closed form.

    With q_k = Π (1 - s) over the votes for class k, s the mass of a vote on its label,

        m({k}) ∝ (1 - q_k) Π_{l≠k} q_l ∝ 1/q_k - 1,      m(frame) ∝ Π_l q_l ∝ 1.

    Parameters
    ----------
    votes : Votes
        Who said what.
    discount : (n_annotators,) float64 array
        Discount rates δ_a; at 0 two different votes are a total conflict.

    Returns
    -------
    SoftLabels
        Mass on single classes and the frame; all on the frame for an item without votes.

    Examples
    --------
    >>> votes = Votes({"i": [0, 0], "a": ["x", "y"], "l": ["b", "c"]}, "i", "a", "l")
    >>> dempster(votes, np.array([0.5, 0.5])).beliefs.round(3)
    array([[0.333, 0.333]])
    """
    n, K = votes.shape
    support = _support(votes, discount)
    named = votes.label_codes < K
    cells = votes.item_codes[named] * K + votes.label_codes[named]
    with np.errstate(divide="ignore"):
        minus_log = -np.log1p(-support[named])
    evidence = np.bincount(cells, weights=minus_log, minlength=n * K).reshape(n, K)
    certain = np.isinf(evidence)
    clash = np.flatnonzero(np.count_nonzero(certain, axis=1) > 1)
    if clash.size:
        raise ValueError(
            f"total conflict in {name_rows(clash)}: certain votes name different classes there. "
            "rule='dempster' needs discount above 0, the chance that a vote says nothing"
        )
    sure = certain.any(axis=1)
    evidence[sure] = 0.0
    # exp(e_k) - 1 and 1, both divided by exp(top), so that many votes do not overflow
    top = evidence.max(axis=1, initial=0.0)
    singletons = np.exp(evidence - top[:, None]) * -np.expm1(-evidence)
    frame = np.exp(-top)
    singletons[sure] = certain[sure]
    frame[sure] = 0.0
    total = singletons.sum(axis=1) + frame
    return SoftLabels(votes.classes, QuasiBayesian(singletons / total[:, None], frame / total))


def _support(votes: Votes, discount: FloatArray) -> FloatArray:
    """Return the mass that each vote puts on its label, 0 for an answer that names no class."""
    support = 1.0 - discount[votes.annotator_codes]
    if votes.confidences is not None:
        support = support * votes.confidences
    return np.where(votes.label_codes < votes.classes.size, support, 0.0)


VOTE_RULES: dict[str, VoteRule] = {"mean": mean, "dempster": dempster}
