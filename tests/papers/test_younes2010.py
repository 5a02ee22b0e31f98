"""younes2010: Table 1, what each method is given, shares of what is left open."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from papers.younes2010 import METHODS, approach_times, cells, model, on_test
from papers.younes2010_beyond import left_open, mostly_open
from papers.younes2010_sets import FEATURES, SETS, load, scaled


@pytest.fixture(autouse=True)
def data(data_file, monkeypatch):
    monkeypatch.setenv("LABELIEF_DATA", str(data_file("emotions.csv").parent))


def test_standard_split_of_emotions():
    X, y, train = load("emotions")
    assert X.shape == (593, 72)
    assert y.shape == (593, 6)
    assert train.sum() == 391


def test_methods_without_a_library_of_their_own_beat_chance():
    """A label is there in 31 % of the cases: saying no to all is right in 69 %, Accuracy 0."""
    for method in METHODS:
        if method == "ML-kNN":
            pytest.importorskip("skmultilearn")
        scores = on_test(
            {"set": "emotions", "features": "standardised", "method": method, "repetition": 0}
        )
        assert scores["accuracy"] > 0.3
        assert scores["hamming"] > 0.6


def test_parameters_are_the_papers():
    direct, binary = model("EML-kNN"), model("EML-kNN, binary, on noisy labels")
    assert (direct.n_neighbors, direct.alpha, direct.gamma) == (10, 0.95, 0.5)
    assert (direct.approach, binary.approach) == ("direct", "binary")
    assert model("EML-kNN, k = 30").n_neighbors == 30
    assert model("Rank-SVM, C = 256").C == 256.0


def test_cells_are_all_different():
    assert len(cells(3)) == len(SETS) * len(FEATURES) * len(METHODS) * 3
    # two sets have 3 repetitions of the slowest method
    assert len(cells(10)) == len(SETS) * len(FEATURES) * len(METHODS) * 10 - 2 * 2 * 7


def test_features_are_scaled_by_the_training_rows():
    train, test = np.array([[0.0], [2.0]]), np.array([[4.0]])
    assert scaled("standardised", train, test)[1].tolist() == [[3.0]]
    assert scaled("as they come", train, test)[1].tolist() == [[4.0]]


def test_a_wider_margin_decides_less_and_errs_less():
    record = left_open({"set": "emotions", "labels": "imprecise", "repetition": 0})
    decided = [v for k, v in record.items() if k.startswith("decided")]
    assert all(a >= b for a, b in itertools.pairwise(decided))
    assert record["right 0.5"] > record["right 0.0"] + 0.05


def test_open_labels_cost():
    cell = {"set": "emotions", "k": 10, "approach": "direct", "repetition": 0}
    assert mostly_open({**cell, "share": 0.0})["hamming"] > (
        mostly_open({**cell, "share": 0.95})["hamming"] + 0.05
    )


def test_times_are_of_both_approaches():
    times = approach_times({"set": "emotions", "repetition": 0})
    assert set(times) == {"direct", "binary"}
    assert min(times.values()) > 0
