"""Published numbers beside ours: intervals and verdicts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
from scipy import stats

__all__ = ["Estimate", "Published", "estimate", "student", "verdict"]

# Ours and theirs, a good share apart, yet better and worse have no meaning for the number.
_WORDS = {"smaller": ("better", "worse"), "larger": ("worse", "better"), "none": ("differs",) * 2}


@dataclass(frozen=True)
class Estimate:
    """Mean over repetitions with Student's 95 % interval.

    Attributes
    ----------
    mean, low, high : float
    deviation : float
        Standard deviation of one repetition.
    n : int
        Repetitions; 1 for a number that is computed, not estimated.
    """

    mean: float
    low: float
    high: float
    deviation: float
    n: int


@dataclass(frozen=True)
class Published:
    """A printed number.

    Attributes
    ----------
    value : float
    last_digit : float
        Unit of the last printed digit: 0.1 for 5.3.
    repetitions : int, optional
        How many repetitions it is the mean of; its sampling error is counted only where this is
        known.
    deviation : float, optional
        Its standard deviation over repetitions; ours stands for it where it is not printed.
    """

    value: float
    last_digit: float = 0.0
    repetitions: int | None = None
    deviation: float | None = None

    @classmethod
    def printed(cls, text: str, repetitions: int | None = None) -> Published:
        """Take a number as it is printed: its last digit tells how far it is rounded.

        A lone "0" is exact.
        """
        number = Decimal(text)
        exponent = number.as_tuple().exponent
        assert isinstance(exponent, int)  # a number, not "NaN"
        return cls(float(number), 10.0**exponent if number else 0.0, repetitions)


def estimate(values: Iterable[float | None]) -> Estimate:
    """Mean and 95 % interval of independent repetitions; None is left out."""
    numbers = [value for value in values if value is not None]
    return student(numbers, 1.0 / max(len(numbers), 1))


def student(values: Sequence[float], variance_factor: float) -> Estimate:
    """Mean with Student's 95 % interval, where the mean varies this much less than a repetition.

    The factor is 1/n for n independent repetitions.
    """
    if not len(values):
        raise ValueError("no repetition has a value")
    numbers = np.asarray(values, dtype=np.float64)
    mean, n = float(numbers.mean()), int(numbers.size)
    if n == 1:
        return Estimate(mean, mean, mean, 0.0, 1)
    deviation = float(numbers.std(ddof=1))
    half = float(stats.t.ppf(0.975, n - 1)) * deviation * math.sqrt(variance_factor)
    return Estimate(mean, mean - half, mean + half, deviation, n)


def verdict(published: Published, ours: Estimate, good: str = "smaller") -> str:
    """Say whether ours agrees with the published number, or which is better.

    They agree where they are no farther apart than the half-widths of both 95 % intervals (the root
    of the sum of squares) and half the last printed digit.

    Parameters
    ----------
    published : Published
    ours : Estimate
    good : {"smaller", "larger", "none"}
        Which numbers are the better ones; "none" where neither is (a test statistic).

    Returns
    -------
    {"agrees", "better", "worse", "differs"}
        From our side: "better" means that ours is the better number.
    """
    half = (ours.high - ours.low) / 2.0
    theirs = 0.0
    if published.repetitions and published.repetitions > 1:
        deviation = ours.deviation if published.deviation is None else published.deviation
        quantile = float(stats.t.ppf(0.975, published.repetitions - 1))
        theirs = quantile * deviation / math.sqrt(published.repetitions)
    difference = ours.mean - published.value
    if abs(difference) <= math.hypot(half, theirs) + 0.5 * published.last_digit * (1.0 + 1e-9):
        return "agrees"
    below, above = _WORDS[good]
    return below if difference < 0 else above
