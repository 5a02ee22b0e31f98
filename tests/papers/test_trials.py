from __future__ import annotations

import pytest

from papers.trials import Score, Trials
from papers.verdicts import Estimate

RECORDS = [
    {"data": data, "repetition": number, "one": value, "other": value + 1.0 + 0.01 * number}
    for data, values in {"iris": [1.0, 5.0, 9.0], "wine": [2.0, 2.0, 2.0]}.items()
    for number, value in enumerate(values)
]


def estimates(n_below: int, n_above: int, n_neither: int) -> list[Estimate]:
    below, above = Estimate(-0.1, -0.2, -0.01, 1, 9), Estimate(0.1, 0.01, 0.2, 1, 9)
    return n_below * [below] + n_above * [above] + n_neither * [Estimate(0.0, -0.1, 0.1, 1, 9)]


def test_repetitions_are_found_by_their_settings() -> None:
    trials = Trials(RECORDS, "data")
    assert trials.values("iris", of="one") == [1.0, 5.0, 9.0]
    assert trials.mean("wine", of="one") == Estimate(2.0, 2.0, 2.0, 0.0, 3)


def test_differences_are_taken_within_repetitions() -> None:
    difference = Trials(RECORDS, "data").difference("iris", of="one", less="other")
    assert difference.mean == pytest.approx(-1.01)
    assert difference.high < -0.98  # the repetitions' own spread is far wider


@pytest.mark.parametrize(
    ("counts", "holds"),
    [
        ((8, 0, 2), "yes"),
        ((19, 1, 0), "yes"),
        ((9, 1, 0), "partly"),
        ((5, 2, 3), "partly"),
        ((5, 3, 2), "no"),
        ((4, 0, 6), "no"),
    ],
)
def test_a_claim_holds_by_a_rule(counts: tuple[int, int, int], holds: str) -> None:
    score = Score(estimates(*counts))
    assert score.holds == holds
    assert (score.below, score.above) == counts[:2]


def test_a_score_in_words() -> None:
    score = Score(estimates(2, 1, 1))
    assert str(score) == (
        "significantly lower error in 2 of 4 settings, higher in 1 (mean difference -2.5 points)"
    )
    assert score.short == "-2.5 (lower in 2, higher in 1 of 4)"
