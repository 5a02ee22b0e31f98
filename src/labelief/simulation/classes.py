"""How the papers make wrong and doubtful class labels out of true ones."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from labelief._typing import FloatArray, IntArray
from labelief.labels.class_names import Names
from labelief.labels.soft_labels import SoftLabels
from labelief.simulation.draws import beta_draws, check_share, other_classes, read_truth, rng_of

__all__ = [
    "CorruptedLabels",
    "asymmetric_noise",
    "blur_labels",
    "confuse_labels",
    "flip_labels",
    "replace_labels",
    "symmetric_noise",
]


class CorruptedLabels(NamedTuple):
    """Labels that a simulated expert gave.

    Attributes
    ----------
    observed : (n,) array
        The crisp label that the expert gave, right or wrong.
    doubts : (n,) array
        The probability that governed each label's corruption, known to the expert.
    soft : SoftLabels
        What the paper makes of both.
    """

    observed: Names
    doubts: FloatArray
    soft: SoftLabels


def replace_labels(
    y: Any,
    mean: float,
    variance: float = 0.04,
    *,
    classes: Any = None,
    random_state: Any = None,
) -> CorruptedLabels:
    """Replace labels by ones drawn from all classes (quost2017 §5.1).

    ``p_i ~ Beta(mean, variance)``; with probability p_i the label is drawn anew, all classes
    equally likely, so that ``mean (K - 1) / K`` of the labels are wrong.  Soft labels are the
    observed ones discounted by p_i.

    Parameters
    ----------
    y : (n,) array-like
        True labels.
    mean : float
    variance : float, default=0.04
    classes : array-like, default=None
        All classes; those that occur by default.
    random_state : int, RandomState, Generator or None

    Returns
    -------
    CorruptedLabels

    Examples
    --------
    >>> from labelief.simulation import replace_labels
    >>> labels = replace_labels(["a", "b"] * 500, 0.4, random_state=0)
    >>> bool(abs((labels.observed != ["a", "b"] * 500).mean() - 0.2) < 0.05)
    True
    """
    rng = rng_of(random_state)
    names, codes = read_truth(y, classes)
    doubts = beta_draws(mean, variance, len(codes), rng)
    drawn = np.floor(rng.random(len(codes)) * len(names)).astype(np.int64)
    observed = np.where(rng.random(len(codes)) < doubts, drawn, codes)
    return _discounted(names, observed, doubts)


def flip_labels(
    y: Any,
    mean: float,
    variance: float = 0.04,
    *,
    classes: Any = None,
    random_state: Any = None,
) -> CorruptedLabels:
    """Flip labels to other classes (come2008, experiment 2).

    ``p_i ~ Beta(mean, variance)``; with probability p_i the label becomes one of the others,
    equally likely, so that `mean` of the labels are wrong.  Soft labels are the observed ones
    discounted by p_i (eq. 15).  The paper's "variance 0.2" cannot be had at mean 0.1: it is read as
    the standard deviation.

    Parameters
    ----------
    y : (n,) array-like
        True labels.
    mean : float
    variance : float, default=0.04
    classes : array-like, default=None
    random_state : int, RandomState, Generator or None

    Returns
    -------
    CorruptedLabels

    Examples
    --------
    >>> from labelief.simulation import flip_labels
    >>> labels = flip_labels(["a", "b"] * 500, 0.4, random_state=0)
    >>> bool(abs((labels.observed != ["a", "b"] * 500).mean() - 0.4) < 0.05)
    True
    """
    rng = rng_of(random_state)
    names, codes = read_truth(y, classes)
    doubts = beta_draws(mean, variance, len(codes), rng)
    return _discounted(names, _flipped(codes, doubts, len(names), rng), doubts)


def blur_labels(
    y: Any,
    mean: float,
    half_width: float = 0.05,
    *,
    classes: Any = None,
    random_state: Any = None,
) -> CorruptedLabels:
    """Make labels imprecise, but never wrong (come2008, experiment 1).

    The non-specificity of a row is uniform in ``mean ± half_width``, clipped to ``[0, log K]``; its
    share p_i of log K is the plausibility of every class but the true one, whose is 1.

    Parameters
    ----------
    y : (n,) array-like
        True labels.
    mean : float
        Mean non-specificity, from 0 to log K.
    half_width : float, default=0.05
    classes : array-like, default=None
    random_state : int, RandomState, Generator or None

    Returns
    -------
    CorruptedLabels
        ``observed`` is the truth.

    Examples
    --------
    >>> from labelief.simulation import blur_labels
    >>> blur_labels([0, 1, 1], 0.3, 0.0).soft.nonspecificity()
    array([0.3, 0.3, 0.3])
    """
    rng = rng_of(random_state)
    names, codes = read_truth(y, classes)
    most = np.log(len(names))
    drawn = mean + half_width * (2.0 * rng.random(len(codes)) - 1.0)
    return _discounted(names, codes, np.clip(drawn, 0.0, most) / most)


def confuse_labels(
    y: Any,
    mean: float,
    variance: float = 0.1,
    *,
    classes: Any = None,
    random_state: Any = None,
) -> CorruptedLabels:
    """Let an expert hesitate between the true class and one other (doquire2012 §5.1).

    ``β_i ~ Beta(mean, variance)``, one other class s is drawn; the expert gives the true class the
    probability ``1 - β_i`` and s the probability β_i, and names s with probability β_i.

    Parameters
    ----------
    y : (n,) array-like
        True labels.
    mean : float
    variance : float, default=0.1
        The paper's σ = 0.1 is the variance: with it Tables 1-3 come out.
    classes : array-like, default=None
    random_state : int, RandomState, Generator or None

    Returns
    -------
    CorruptedLabels
        ``soft`` are the probabilities.

    Examples
    --------
    >>> from labelief.simulation import confuse_labels
    >>> labels = confuse_labels([0, 1, 2], 0.3, random_state=0)
    >>> (labels.soft.pignistic > 0).sum(axis=1)
    array([2, 2, 2])
    """
    rng = rng_of(random_state)
    names, codes = read_truth(y, classes)
    n = len(codes)
    doubts = beta_draws(mean, variance, n, rng)
    others = other_classes(codes, len(names), rng)
    observed = np.where(rng.random(n) < doubts, others, codes)
    shares = np.zeros((n, len(names)))
    shares[np.arange(n), codes] = 1.0 - doubts
    shares[np.arange(n), others] = doubts
    soft = SoftLabels.from_probabilities(shares, names)
    return CorruptedLabels(names[observed], doubts, soft)


def symmetric_noise(
    y: Any, rate: float, *, classes: Any = None, random_state: Any = None
) -> CorruptedLabels:
    """Flip labels to any other class at one rate (liu2022 §4, symmetric noise).

    Parameters
    ----------
    y : (n,) array-like
        True labels.
    rate : float
        Probability that a label is flipped, all other classes equally likely.
    classes : array-like, default=None
    random_state : int, RandomState, Generator or None

    Returns
    -------
    CorruptedLabels

    Examples
    --------
    >>> from labelief.simulation import symmetric_noise
    >>> symmetric_noise(["a", "b"], 1.0).observed
    array(['b', 'a'], dtype='<U1')
    """
    check_share("rate", rate)
    rng = rng_of(random_state)
    names, codes = read_truth(y, classes)
    doubts = np.full(len(codes), float(rate))
    return _discounted(names, _flipped(codes, doubts, len(names), rng), doubts)


def asymmetric_noise(
    y: Any, rate: float, *, only: Any = None, classes: Any = None, random_state: Any = None
) -> CorruptedLabels:
    """Flip labels to the next class (liu2022 §4, asymmetric noise, which the paper leaves open).

    Our reading: class k is flipped to class k + 1 (the last to the first).  With two classes only
    one of them is flipped, and the rate still counts all objects.

    Parameters
    ----------
    y : (n,) array-like
        True labels.
    rate : float
        Expected share of all objects whose label is flipped.
    only : class name, default=None
        The one class that is flipped; by default the larger one of two, else every class.
    classes : array-like, default=None
    random_state : int, RandomState, Generator or None

    Returns
    -------
    CorruptedLabels

    Examples
    --------
    >>> from labelief.simulation import asymmetric_noise
    >>> asymmetric_noise(["a", "b", "c", "c"], 1.0).observed
    array(['b', 'c', 'a', 'a'], dtype='<U1')
    """
    check_share("rate", rate)
    rng = rng_of(random_state)
    names, codes = read_truth(y, classes)
    sizes = np.bincount(codes, minlength=len(names))
    if only is not None:
        chosen = codes == names.tolist().index(only)
    elif len(names) == 2:
        chosen = codes == sizes.argmax()
    else:
        chosen = np.ones(len(codes), dtype=bool)
    if rate * len(codes) > chosen.sum():
        raise ValueError(
            f"rate is {rate}, but only {chosen.sum()} of {len(codes)} objects are of a class that "
            "is flipped."
        )
    doubts = np.where(chosen, rate * len(codes) / max(int(chosen.sum()), 1), 0.0)
    flipped = rng.random(len(codes)) < doubts
    return _discounted(names, np.where(flipped, (codes + 1) % len(names), codes), doubts)


def _flipped(codes: IntArray, doubts: FloatArray, n_classes: int, rng: Any) -> IntArray:
    others = other_classes(codes, n_classes, rng)
    return np.where(rng.random(len(codes)) < doubts, others, codes)


def _discounted(names: Names, observed: IntArray, doubts: FloatArray) -> CorruptedLabels:
    given = names[observed]
    return CorruptedLabels(given, doubts, SoftLabels.from_confidences(given, 1.0 - doubts, names))
