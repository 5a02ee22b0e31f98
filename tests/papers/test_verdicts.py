from __future__ import annotations

import numpy as np
import pytest

from papers.verdicts import Estimate, Published, estimate, student, verdict

OURS = Estimate(mean=0.20, low=0.18, high=0.22, deviation=0.07, n=50)


def test_the_interval_is_students() -> None:
    ours = estimate([1.0, 2.0, 3.0, 4.0, None])
    # t(0.975; 3) = 3.18245, deviation sqrt(5 / 3)
    half = 3.182446 * np.sqrt(5.0 / 3.0) / 2.0
    assert ours.n == 4
    assert [ours.mean, ours.low, ours.high] == pytest.approx([2.5, 2.5 - half, 2.5 + half])


def test_one_value_is_exact_and_none_is_refused() -> None:
    assert estimate([0.3]) == Estimate(0.3, 0.3, 0.3, 0.0, 1)
    with pytest.raises(ValueError, match="no repetition"):
        estimate([None])


@pytest.mark.parametrize(
    ("value", "good", "expected"),
    [
        (0.21, "smaller", "agrees"),
        (0.2205, "smaller", "agrees"),  # within half the last digit of the interval
        (0.23, "smaller", "better"),
        (0.17, "smaller", "worse"),
        (0.23, "larger", "worse"),
        (0.17, "larger", "better"),
        (0.17, "none", "differs"),
        (0.23, "none", "differs"),
    ],
)
def test_verdicts(value: float, good: str, expected: str) -> None:
    assert verdict(Published(value, last_digit=0.001), OURS, good) == expected


def test_a_published_number_has_a_sampling_error_of_its_own() -> None:
    assert verdict(Published(0.235), OURS) == "better"
    # t(0.975; 9) = 2.262: 2.262 * 0.07 / sqrt(10) = 0.050
    assert verdict(Published(0.235, repetitions=10), OURS) == "agrees"
    assert verdict(Published(0.255, repetitions=10), OURS) == "better"
    assert verdict(Published(0.255, repetitions=10, deviation=0.2), OURS) == "agrees"


def test_rounding_alone_separates_exact_numbers() -> None:
    exact = estimate([0.5549])
    assert verdict(Published(0.55, last_digit=0.01), exact, "none") == "agrees"
    assert verdict(Published(0.56, last_digit=0.01), exact, "none") == "differs"


@pytest.mark.parametrize(
    ("text", "value", "last_digit"),
    [("45.9", 45.9, 0.1), ("688", 688.0, 1.0), ("1.10e-49", 1.1e-49, 1e-51), ("0", 0.0, 0.0)],
)
def test_printed_numbers_tell_how_far_they_are_rounded(
    text: str, value: float, last_digit: float
) -> None:
    published = Published.printed(text, repetitions=7)
    assert published.value == value
    assert published.last_digit == pytest.approx(last_digit, rel=1e-12)
    assert published.repetitions == 7


def test_a_larger_variance_factor_widens_the_interval() -> None:
    independent, shared = estimate([1.0, 2.0, 4.0]), student([1.0, 2.0, 4.0], 4.0 / 3.0)
    assert shared.high - shared.mean == pytest.approx(2.0 * (independent.high - shared.mean))
