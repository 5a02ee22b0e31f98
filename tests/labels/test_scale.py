"""20 000 rows over 300 classes are light, whatever the labels: memory, not time, is measured."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from labelief.labels import SoftLabels, Votes, read_target

N, K = 20_000, 300
DENSE = N * K * 8
# Temporaries on top of one result of (n, K) numbers.
SPARE = 30_000_000


def peak(work):
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.fixture(scope="module")
def weights():
    return np.random.default_rng(0).random((N, K))


@pytest.fixture(scope="module")
def every_kind(weights):
    codes = np.random.default_rng(1).integers(0, K, N)
    return {
        "distinct levels": SoftLabels.from_plausibilities(weights),
        "dense probabilities": SoftLabels.from_probabilities(
            weights / weights.sum(axis=1, keepdims=True)
        ),
        "candidates": SoftLabels.from_candidates(weights > 0.5),
        "crisp": SoftLabels.from_crisp(codes, range(K)),
        "confidences": SoftLabels.from_confidences(codes, weights[:, 0], range(K)),
        "discounted probabilities": SoftLabels.from_probabilities(
            weights / weights.sum(axis=1, keepdims=True)
        ).discount(weights[:, 1]),
    }


KINDS = [
    "distinct levels",
    "dense probabilities",
    "candidates",
    "crisp",
    "confidences",
    "discounted probabilities",
]
VIEWS = {
    "plausibilities": lambda y: y.plausibilities,
    "beliefs": lambda y: y.beliefs,
    "pignistic": lambda y: y.pignistic,
    "nonspecificity": lambda y: y.nonspecificity(),
    "most_plausible": lambda y: y.most_plausible(),
    "pl": lambda y: y.pl([{1, 2, 3}, {5}]),
    "bel": lambda y: y.bel([set(range(200)), {5}]),
    "discount": lambda y: y.discount(0.1),
    "take": lambda y: y[::-1],
    "masses": lambda y: y.masses(7),
    "repr": repr,
    "codes": lambda y: y.codes,
    "target": read_target,
}


@pytest.mark.parametrize("kind", KINDS)
def test_views_are_light(every_kind, kind):
    for view, work in VIEWS.items():
        assert peak(lambda work=work: work(every_kind[kind])) < DENSE + SPARE, view


def test_constructors_are_light(weights):
    codes = np.arange(N) % K
    shares = weights / weights.sum(axis=1, keepdims=True)
    some = [set(np.flatnonzero(row).tolist()) for row in weights[::4] > 0.95]
    dense = {
        "plausibilities": lambda: SoftLabels.from_plausibilities(weights),
        "probabilities": lambda: SoftLabels.from_probabilities(shares),
    }
    sparse = {
        "crisp": lambda: SoftLabels.from_crisp(codes),
        "candidate matrix": lambda: SoftLabels.from_candidates(weights > 0.5),
        "candidate sets": lambda: SoftLabels.from_candidates(some, range(K)),
        "confidences": lambda: SoftLabels.from_confidences(codes, 0.5),
        "masses": lambda: SoftLabels.from_masses([{c: 0.5, (c, 0): 0.5} for c in codes], range(K)),
        "votes": lambda: Votes(
            {"i": np.arange(N), "a": codes % 7, "l": codes, "c": weights[:, 0]},
            "i", "a", "l", confidence="c",
        ).indicator(),
    }  # fmt: skip
    for name, work in dense.items():
        assert peak(work) < DENSE + SPARE, name
    for name, work in sparse.items():
        assert peak(work) < SPARE, name


@pytest.mark.parametrize("other", ["dense probabilities", "discounted probabilities"])
def test_combining_with_probabilities_lists_no_pairs(every_kind, other):
    for kind in ("distinct levels", "crisp", "candidates", "dense probabilities"):
        if other.startswith("discounted") and kind != "dense probabilities":
            continue
        made = []
        spent = peak(
            lambda kind=kind, made=made: made.append(every_kind[kind].combine(every_kind[other]))
        )
        assert spent < 2 * DENSE + SPARE, kind
        np.testing.assert_allclose(
            made[0].plausibilities[::997],
            every_kind[kind][::997].combine(every_kind[other][::997]).plausibilities,
        )


def test_sparse_labels_stay_sparse_when_combined(every_kind):
    crisp, sure, sets = (every_kind[kind] for kind in ("crisp", "confidences", "candidates"))
    for rule in ("dempster", "conjunctive", "disjunctive"):
        assert peak(lambda rule=rule: crisp.discount(0.1).combine(sure, rule)) < SPARE
        assert peak(lambda rule=rule: sets.discount(0.1).combine(sure, rule)) < SPARE


def test_reading_a_million_labels_keeps_codes_only():
    y = np.random.default_rng(0).integers(0, 5, 1_000_000)
    assert peak(lambda: read_target(y)) < 20_000_000
    pl = np.random.default_rng(0).random((1_000_000, 5))
    assert peak(lambda: read_target(pl)) < 5_000_000
