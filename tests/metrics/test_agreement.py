from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelief import Votes
from labelief.metrics import krippendorff_alpha

# Krippendorff (2011), section C: four observers, twelve units, five values, missing data.
FOUR = [
    "1 2 3 3 2 1 4 1 2 . . .",
    "1 2 3 3 2 2 4 1 2 5 . 3",
    ". 3 3 3 2 3 4 2 2 5 1 .",
    "1 2 3 3 2 4 4 1 2 5 1 .",
]
# Section A: two observers, ten units, two values.
TWO = ["0 1 0 0 0 0 0 0 1 0", "1 1 1 0 0 1 0 0 0 0"]


def read(lines, **options):
    rows = [
        (unit, who, None if value == "." else int(value))
        for who, line in enumerate(lines)
        for unit, value in enumerate(line.split())
    ]
    unit, who, value = zip(*rows, strict=True)
    items = range(len(lines[0].split()))
    return Votes({"u": unit, "w": who, "v": list(value)}, "u", "w", "v", items=items, **options)


@pytest.mark.parametrize(
    ("metric", "alpha"),
    [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)],
)
def test_krippendorffs_example_with_missing_data(metric, alpha):
    assert krippendorff_alpha(read(FOUR), metric) == pytest.approx(alpha, abs=5e-4)


def test_krippendorffs_example_of_two_observers():
    assert krippendorff_alpha(read(TWO)) == pytest.approx(0.095, abs=5e-4)


def by_pairs(votes, difference):
    """Return alpha from all ordered pairs of votes within items and altogether."""
    observed, values = 0.0, []
    for i in range(len(votes)):
        codes = votes.label_codes[votes.indptr[i] : votes.indptr[i + 1]]
        if len(codes) < 2:
            continue
        values.extend(codes)
        pairs = permutations(range(len(codes)), 2)
        total = sum(difference(votes.answers[codes[a]], votes.answers[codes[b]]) for a, b in pairs)
        observed += total / (len(codes) - 1)
    n = len(values)
    expected = sum(
        difference(votes.answers[a], votes.answers[b]) for a, b in permutations(values, 2)
    )
    return 1 - (observed / n) / (expected / (n * (n - 1)))


def jaccard(a, b):
    A, B = (x if isinstance(x, frozenset) else frozenset([x]) for x in (a, b))
    return 1 - len(A & B) / len(A | B)


@given(st.integers(0, 2**31), st.booleans())
def test_alpha_from_all_pairs(seed, with_sets):
    rng = np.random.default_rng(seed)
    V = 60
    says = [int(k) for k in rng.integers(0, 4, V)]
    if with_sets:
        says = [(k, (k + 1) % 4) if rng.random() < 0.3 else k for k in says]
    table = {"i": rng.integers(0, 15, V), "a": rng.integers(0, 4, V), "l": says}
    votes = Votes(table, "i", "a", "l", items=range(16), classes=range(4))
    assert krippendorff_alpha(votes) == pytest.approx(by_pairs(votes, jaccard), rel=1e-10)
    if not with_sets:
        interval = by_pairs(votes, lambda a, b: float(a - b) ** 2)
        assert krippendorff_alpha(votes, "interval") == pytest.approx(interval, rel=1e-10)


def test_what_says_nothing_is_left_out():
    plain = read(TWO)
    table = {
        "u": np.append(plain.item_codes, [0, 3, 3]),
        "w": np.append(plain.annotator_codes, [2, 2, 3]),
        "v": [*map(int, plain.label_codes), (0, 1), "unsure", (1, 0)],
    }
    more = Votes(table, "u", "w", "v", items=range(10), classes=[0, 1], unsure="answer")
    assert krippendorff_alpha(more) == pytest.approx(krippendorff_alpha(plain))


def test_weight_two_is_an_item_twice():
    votes = read(FOUR)
    weights = np.random.default_rng(0).integers(0, 3, len(votes))
    twice = votes[np.repeat(np.arange(len(votes)), weights)]
    weighted = krippendorff_alpha(votes, sample_weight=weights)
    assert weighted == pytest.approx(krippendorff_alpha(twice))


@pytest.mark.parametrize(
    ("votes", "options", "message"),
    [
        ([0, 1], {}, "takes Votes"),
        (read(TWO), {"metric": "euclid"}, "metric must be one of"),
        (read(["0 1 . .", ". . 1 0"]), {}, "No item has two votes"),
        (read(["0 0", "0 0"], classes=[0, 1]), {}, "are the same"),
    ],
)
def test_what_cannot_be_measured_is_said(votes, options, message):
    with pytest.raises(ValueError, match=message):
        krippendorff_alpha(votes, **options)


def test_names_have_no_distance():
    votes = Votes({"i": [0, 0], "a": [0, 1], "l": ["x", "y"]}, "i", "a", "l")
    assert krippendorff_alpha(votes, "ordinal") == pytest.approx(0.0)
    with pytest.raises(ValueError, match="numbers"):
        krippendorff_alpha(votes, "interval")
    sets = Votes({"i": [0, 0], "a": [0, 1], "l": ["x", ("y", "z")]}, "i", "a", "l")
    with pytest.raises(ValueError, match="takes no sets"):
        krippendorff_alpha(sets, "ordinal")
