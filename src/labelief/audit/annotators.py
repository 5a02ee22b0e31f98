"""``audit_annotators``: who disagrees with the consensus, and about what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from labelief._typing import FloatArray, IntArray
from labelief.audit.accuracy import accuracies
from labelief.audit.out_of_fold import held_out_probabilities
from labelief.audit.reading import checked, names_or_none, read_observed
from labelief.audit.weighing import FLOOR, weigh
from labelief.blocks.evidence import Indicator
from labelief.channels.annotators import AnnotatorNoise
from labelief.channels.answer_symbols import AnswerSymbols, by_annotator
from labelief.estimators.dawid_skene import DawidSkene
from labelief.estimators.validation import evidence_for
from labelief.kernels.posterior import posterior
from labelief.labels.class_names import Names
from labelief.labels.tables import make_frame
from labelief.labels.targets import Target, read_target
from labelief.labels.votes import Votes

__all__ = ["audit_annotators"]

# Expected number of votes below which a confusion is not named.
_SELDOM = 0.05


@dataclass(frozen=True, eq=False)
class Consensus:
    """What all votes together say, in terms that let one annotator's votes be taken out.

    Attributes
    ----------
    log_priors : (n, K) array
        Log probabilities of the classes of each item before any vote.
    matrices : (A, K, S) array
        Chance of the plain answer s by annotator a where class k is true.
    log_answers : (A, K, S + T) array
        Logarithms of the same for all answers, sets of classes among them.
    """

    log_priors: FloatArray
    matrices: FloatArray
    log_answers: FloatArray


def audit_annotators(
    votes: Votes,
    estimator: Any = None,
    X: Any = None,
    cv: Any = 5,
    groups: Any = None,
    *,
    confidence: float = 0.95,
    n_jobs: int | None = None,
    backend: str = "pandas",
) -> Any:
    r"""List annotators by how far the others contradict them, worst first.

    Each vote is judged by the consensus *without the votes of its author on that item*,

    .. math::
        \zeta_i^{-a}(k) \propto \pi_i(k) \prod_{b \ne a} \gamma_b(v_{ib} \mid k)

    with priors and matrices learned from all votes (Dawid and Skene 1979); with features, π_i are
    the probabilities that an estimator predicts for the item out of fold.  Nobody confirms himself:
    one who votes where hardly anybody else does gets a wide interval.  The votes are taken to be
    independent given the truth; friends who copy from each other confirm each other.

    Parameters
    ----------
    votes : Votes
        Who said what.
    estimator : classifier with ``predict_proba``, default=None
        One that takes `Votes`, such as ``LinearDiscriminantAnalysis(channel=AnnotatorNoise())``;
        None: votes alone.
    X : (n, d) array-like, default=None
        Features of the items, with an estimator.
    cv, groups, n_jobs
        As for :func:`audit_labels`.
    confidence : float, default=0.95
        Level of the intervals.
    backend : str, default="pandas"
        Library of the frame: "pandas", "polars", "pyarrow"...

    Returns
    -------
    data frame
        One row per annotator; first those who are surely bad: by the high end of the interval.

        ``annotator``, ``votes``
            Who, and how many votes that name a class.
        ``accuracy``, ``low``, ``high``
            How often right, by maximum likelihood under the doubt of the others' consensus, and a
            score interval: Wilson's where the consensus is sure.
        ``agreement``
            Share of equal answers among all pairs of an own vote and another's on the same item;
            NaN where there are none.
        ``learned``
            Accuracy by the annotator's confusion matrix, ``Σ_k π(k) γ_a(k | k)``.
        ``truth``, ``said``, ``times``
            The commonest confusion, and how many times it is expected to have happened; missing
            where no wrong vote is expected.

    Examples
    --------
    >>> import numpy as np
    >>> from labelief import Votes
    >>> from labelief.audit import audit_annotators
    >>> truth = np.tile(["cat", "dog", "fox"], 20)
    >>> says = np.repeat(truth, 4)
    >>> says[3::4] = np.where(truth == "fox", "dog", truth)  # dan knows no foxes
    >>> table = {"photo": np.repeat(np.arange(60), 4), "who": ["ann", "bob", "cat", "dan"] * 60}
    >>> votes = Votes({**table, "says": says}, "photo", "who", "says")
    >>> audit = audit_annotators(votes)
    >>> audit[["annotator", "votes", "accuracy", "truth", "said", "times"]].head(2).round(2)
      annotator  votes  accuracy truth said  times
    0       dan     60      0.67   fox  dog   20.0
    1       ann     60      1.00   NaN   NaN    0.0
    """
    if not isinstance(votes, Votes):
        raise ValueError(f"votes must be a Votes table, got {type(votes).__name__}")
    if (estimator is None) != (X is None):
        raise ValueError("estimator and X go together: give both, or neither for votes alone")
    target = read_target(votes)
    assert target.votes is not None
    if estimator is None:
        consensus = _of_votes(target.votes, target)
    else:
        proba = held_out_probabilities(estimator, X, votes, target, cv, groups, None, n_jobs)
        consensus = _with_features(checked(proba), target)
    return _table(target.votes, consensus, confidence, backend)


def _of_votes(votes: Votes, target: Target) -> Consensus:
    model = DawidSkene(max_iter=1000, acceleration="squarem").fit(votes)
    with np.errstate(divide="ignore"):
        priors = np.log(model.priors_)
    return _consensus(np.broadcast_to(priors, votes.shape), model.matrices_, target)


def _with_features(proba: FloatArray, target: Target) -> Consensus:
    weighed = weigh(proba, target, read_observed(target.votes, target), AnnotatorNoise())
    logs = weighed.sharpness * np.log(np.maximum(proba, FLOOR))
    return _consensus(logs - posterior(logs)[0][:, None], weighed.channel, target)


def _consensus(log_priors: FloatArray, matrices: FloatArray, target: Target) -> Consensus:
    """Return the consensus, certain of the items whose truth is known."""
    votes = target.votes
    assert votes is not None
    evidence = evidence_for(AnnotatorNoise(), target)
    assert isinstance(evidence, Indicator)
    symbols = AnswerSymbols.of(evidence, len(votes.classes))
    with np.errstate(divide="ignore"):
        table = symbols.log_table(matrices)
    known = np.flatnonzero(votes.truth_codes >= 0)
    log_priors = np.array(log_priors)
    log_priors[known] = -np.inf
    log_priors[known, votes.truth_codes[known]] = 0.0
    return Consensus(log_priors, matrices, by_annotator(table, len(matrices), len(symbols.names)))


def _table(votes: Votes, consensus: Consensus, confidence: float, backend: str) -> Any:
    """Judge every vote, and add up by annotator."""
    n_classes, n_people = len(votes.classes), len(votes.annotators)
    if not 0 < confidence < 1:
        raise ValueError(f"confidence is {confidence}, but must lie between 0 and 1")
    named = votes.label_codes < n_classes
    item, who = votes.item_codes[named], votes.annotator_codes[named].astype(np.int64)
    said = votes.label_codes[named].astype(np.int64)
    judged = judge_votes(votes, consensus)[named]
    number = np.bincount(who, minlength=n_people)
    confusions = np.zeros((n_people, n_classes, n_classes))
    np.add.at(confusions, (who, said), judged)
    rates = accuracies(judged, said, who, n_people, confidence)
    truth, answer, times = _commonest(confusions.swapaxes(1, 2), votes.classes)
    shares = posterior(consensus.log_priors)[1].mean(axis=0)
    diagonal = np.arange(n_classes)
    columns = {
        "annotator": votes.annotators,
        "votes": number,
        **rates._asdict(),
        "agreement": _agreement(item, who, said, n_people, n_classes),
        "learned": consensus.matrices[:, diagonal, diagonal] @ shares,
        "truth": truth,
        "said": answer,
        "times": times,
    }
    order = np.lexsort((rates.accuracy, rates.high))
    return make_frame({name: values[order] for name, values in columns.items()}, backend)


def judge_votes(votes: Votes, consensus: Consensus) -> FloatArray:
    """Return ``ζ_i^{-a}``, the consensus on the item of each vote without its author, (V, K)."""
    item, who = votes.item_codes, votes.annotator_codes.astype(np.int64)
    told = consensus.log_answers[who, :, votes.label_codes]
    if votes.confidences is not None:
        told = told * votes.confidences[:, None]
    pairs, pair = np.unique(item * len(votes.annotators) + who, return_inverse=True)
    own = np.zeros((len(pairs), told.shape[1]))
    np.add.at(own, pair, told)
    total = np.array(consensus.log_priors)
    np.add.at(total, item, told)
    judged: FloatArray = posterior(total[item] - own[pair])[1]
    return judged


def _commonest(confusions: FloatArray, classes: Names) -> tuple[Any, Any, FloatArray]:
    """Return the largest count of (true class, class said) off the diagonal, (A,) each."""
    n_people, n_classes, _ = confusions.shape
    wrong = np.where(np.eye(n_classes, dtype=bool), -1.0, confusions).reshape(n_people, -1)
    place = np.argmax(wrong, axis=1)
    times = np.maximum(wrong[np.arange(n_people), place], 0.0)
    names = names_or_none(classes)
    truth, said = np.divmod(place, n_classes)
    # So little is what the consensus is unsure of, and no confusion worth a name.
    seldom = times < _SELDOM
    none = np.int64(n_classes)
    return names[np.where(seldom, none, truth)], names[np.where(seldom, none, said)], times


def _agreement(
    item: IntArray, who: IntArray, said: IntArray, n_people: int, n_classes: int
) -> FloatArray:
    """Return the share of equal answers among pairs of an own and another's vote on an item."""

    def numbers(*keys: IntArray) -> FloatArray:
        """Count the votes that share all keys with each vote."""
        joint = np.zeros(len(item), dtype=np.int64)
        for key in keys:
            joint = np.unique(joint * (int(key.max(initial=0)) + 1) + key, return_inverse=True)[1]
        return np.bincount(joint)[joint].astype(np.float64)

    equal = numbers(item, said) - numbers(item, who, said)
    pairs = numbers(item) - numbers(item, who)
    with np.errstate(invalid="ignore"):
        return np.bincount(who, weights=equal, minlength=n_people) / np.bincount(
            who, weights=pairs, minlength=n_people
        )
