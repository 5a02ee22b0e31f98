"""Rules that pool the votes on each item into one mass function.

A vote of annotator a with confidence c, discounted by δ_a, is the mass function with (1 - δ_a) c
on its label, a class or a set of classes, and the rest on the frame.  A verified item has its truth
for certain, whatever the votes.  ``VOTE_RULES`` maps the name of a rule to a function of
the votes and of the discount (one rate per annotator); another rule is another entry.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from labelief._typing import BoolArray, FloatArray, IntArray
from labelief.kernels import bits
from labelief.labels import combination
from labelief.labels.focal import FocalSets
from labelief.labels.messages import name_rows
from labelief.labels.quasi_bayesian import QuasiBayesian
from labelief.labels.soft_labels import SoftLabels
from labelief.labels.storage import MassFunctions
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


class _Statements(NamedTuple):
    """What is said of the items: mass on sets of classes, the rest of it on the frame.

    Attributes
    ----------
    rows : (V,) integer array
        Item of each statement.
    said : (V,) integer array
        The set, a row of ``sets``.
    support : (V,) float64 array
        Mass on the set.
    sets : (S, K) bool array
        The K single classes first.
    """

    rows: IntArray
    said: IntArray
    support: FloatArray
    sets: BoolArray


def mean(votes: Votes, discount: FloatArray) -> SoftLabels:
    """Average the votes: m = (1/v) Σ_votes m_vote.

    Without discount and confidences these are the shares of the votes, Bayesian where no vote is
    for a set of classes.

    Parameters
    ----------
    votes : Votes
        Who said what.
    discount : (n_annotators,) float64 array
        Discount rates δ_a.

    Returns
    -------
    SoftLabels
        Mass on the classes and sets that were voted for and on the frame; all on the frame for an
        item without votes, all on the truth of a verified item.

    Examples
    --------
    >>> votes = Votes({"i": [0, 0], "a": ["x", "y"], "l": ["b", "c"]}, "i", "a", "l")
    >>> mean(votes, np.array([0.0, 0.5])).beliefs
    array([[0.5 , 0.25]])
    """
    n, K = votes.shape
    said = _statements(votes, discount)
    number = np.bincount(said.rows, minlength=n)
    share = said.support / number[said.rows]
    single = said.said < K
    cells = said.rows[single] * K + said.said[single]
    mass: FloatArray = np.bincount(cells, weights=share[single], minlength=n * K).astype(float)
    mass = mass.reshape(n, K)
    rest = np.bincount(said.rows, weights=1.0 - said.support, minlength=n)
    frame = np.where(number > 0, rest / np.maximum(number, 1), 1.0)
    points = QuasiBayesian(mass, frame)
    if single.all():
        return SoftLabels(votes.classes, points, votes.verified)
    part = points.focal()
    made = FocalSets.from_elements(
        np.concatenate((part.rows, said.rows[~single])),
        np.concatenate((part.words, bits.pack(said.sets)[said.said[~single]])),
        np.concatenate((part.mass, share[~single])),
        n,
        K,
    )
    return SoftLabels(votes.classes, made, votes.verified)


def dempster(votes: Votes, discount: FloatArray) -> SoftLabels:
    """Combine the votes by Dempster's rule (quost2017 eq. 2-4).

    Votes for single classes combine in closed form: with q_k = Π (1 - s) over the votes for class
    k, s the mass of a vote on its label,

        m({k}) ∝ (1 - q_k) Π_{l≠k} q_l ∝ 1/q_k - 1,      m(frame) ∝ Π_l q_l ∝ 1.

    Votes for one set of classes combine to the mass 1 - Π (1 - s) on it, and the sets follow one
    after the other.

    Parameters
    ----------
    votes : Votes
        Who said what.
    discount : (n_annotators,) float64 array
        Discount rates δ_a; at 0 votes that exclude each other are a total conflict.

    Returns
    -------
    SoftLabels
        Mass on the intersections of what was voted for and on the frame; all on the frame for an
        item without votes, all on the truth of a verified item.

    Examples
    --------
    >>> votes = Votes({"i": [0, 0], "a": ["x", "y"], "l": ["b", "c"]}, "i", "a", "l")
    >>> dempster(votes, np.array([0.5, 0.5])).beliefs.round(3)
    array([[0.333, 0.333]])
    """
    n, K = votes.shape
    said = _statements(votes, discount)
    _refuse_clashes(said, n)
    single = said.said < K
    cells = said.rows[single] * K + said.said[single]
    with np.errstate(divide="ignore"):
        minus_log = -np.log1p(-said.support[single])
    evidence = np.bincount(cells, weights=minus_log, minlength=n * K).reshape(n, K)
    certain = np.isinf(evidence)
    sure = certain.any(axis=1)
    evidence[sure] = 0.0
    # exp(e_k) - 1 and 1, both divided by exp(top), so that many votes do not overflow
    top = evidence.max(axis=1, initial=0.0)
    singletons = np.exp(evidence - top[:, None]) * -np.expm1(-evidence)
    frame = np.exp(-top)
    singletons[sure] = certain[sure]
    frame[sure] = 0.0
    total = singletons.sum(axis=1) + frame
    pooled: MassFunctions = QuasiBayesian(singletons / total[:, None], frame / total)
    for layer in _set_layers(said, ~single, n, K):
        pooled = combination.dempster(pooled, layer)
    return SoftLabels(votes.classes, pooled, votes.verified)


def _statements(votes: Votes, discount: FloatArray) -> _Statements:
    """Return the votes on items that are not verified, and the truth of those that are."""
    support = 1.0 - discount[votes.annotator_codes]
    if votes.confidences is not None:
        support = support * votes.confidences
    sets = votes.answer_sets
    # A set of all classes is the frame itself.
    frame = np.flatnonzero(np.sum(sets, axis=1) == votes.classes.size)
    frame = frame[frame >= votes.classes.size]
    support = np.where(np.isin(votes.label_codes, frame), 0.0, support)
    rows, said = votes.item_codes, votes.label_codes.astype(np.int64)
    if votes.verified.any():
        open_ = ~votes.verified[rows]
        known = np.flatnonzero(votes.verified)
        rows = np.concatenate((rows[open_], known))
        said = np.concatenate((said[open_], votes.truth_codes[known]))
        support = np.concatenate((support[open_], np.ones(known.size)))
    # What names no set narrower than the frame counts as a statement without support.
    said = np.where((support == 0) & (said >= votes.classes.size), 0, said)
    return _Statements(rows, said, support, sets)


def _refuse_clashes(said: _Statements, n: int) -> None:
    """Refuse items of which certain statements leave no class possible."""
    certain = said.support == 1.0
    possible = np.ones((n, said.sets.shape[1]), dtype=np.bool_)
    np.logical_and.at(possible, said.rows[certain], said.sets[said.said[certain]])
    clash = np.flatnonzero(~possible.any(axis=1))
    if clash.size:
        raise ValueError(
            f"total conflict in {name_rows(clash)}: certain votes name different classes there. "
            "rule='dempster' needs discount above 0, the chance that a vote says nothing"
        )


def _set_layers(
    said: _Statements, chosen: BoolArray, n: int, n_classes: int
) -> Iterator[FocalSets]:
    """Yield mass functions on one set a row: the first set of each item, the second, ..."""
    width = len(said.sets)
    cells, place = np.unique(said.rows[chosen] * width + said.said[chosen], return_inverse=True)
    with np.errstate(divide="ignore"):
        minus_log = -np.log1p(-said.support[chosen])
    support = -np.expm1(-np.bincount(place, weights=minus_log, minlength=cells.size))
    rows, number = np.divmod(cells, width)
    first = np.searchsorted(rows, rows)
    turn = np.arange(cells.size) - first
    words = bits.pack(said.sets)[number]
    everyone = np.arange(n)
    frame = np.broadcast_to(bits.full(n_classes), (n, words.shape[1]))
    for layer in range(int(turn.max(initial=-1)) + 1):
        now = turn == layer
        rest = np.ones(n)
        rest[rows[now]] = 1.0 - support[now]
        yield FocalSets.from_elements(
            np.concatenate((rows[now], everyone)),
            np.concatenate((words[now], frame)),
            np.concatenate((support[now], rest)),
            n,
            n_classes,
        )


VOTE_RULES: dict[str, VoteRule] = {"mean": mean, "dempster": dempster}
