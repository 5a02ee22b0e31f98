from __future__ import annotations

import numpy as np
import pytest

from labelief import SoftLabels, Votes
from labelief.audit.reading import describe, read_observed
from labelief.labels import read_target


def described(y, rows, classes=None):
    return list(describe(read_observed(y, read_target(y, classes=classes)), np.array(rows)))


def test_crisp_labels_are_class_names():
    assert described(["b", "a", "c"], [2, 0]) == ["c", "b"]
    assert described([3, 1], [0]) == [3]
    assert described(["b", None, "a"], [1, 0]) == [None, "b"]
    assert described(SoftLabels.from_crisp(["b", "a"], ["b", "a"]), [0, 1]) == ["b", "a"]


def test_soft_labels_are_masses():
    y = SoftLabels.from_masses([{"a": 0.75, ("a", "b"): 0.25}, None], ["c", "a", "b"])
    assert described(y, [1, 0]) == ["any class", "a 0.75, {a, b} 0.25"]
    assert described(np.array([[0.5, 0.25], [0.1, 0.2]]), [0]) == ["0 0.5, any class 0.5"]


def test_votes_are_counted():
    table = {"i": [0, 0, 0, 1], "a": ["x", "y", "z", "x"], "l": ["cat", "dog", "dog", "cat"]}
    votes = Votes(table, "i", "a", "l", items=[0, 1, 2])
    assert described(votes, [2, 0, 1]) == ["no vote", "dog 2, cat 1", "cat 1"]


def test_conflict_within_a_label_is_divided_out():
    a = SoftLabels.from_masses([{"a": 0.6, ("a", "b"): 0.4}], ["a", "b"])
    b = SoftLabels.from_masses([{"b": 0.5, ("a", "b"): 0.5}], ["a", "b"])
    both = a.combine(b, "conjunctive").with_verified([True])
    observed = read_observed(both, read_target(both)).labels
    assert observed.plausibilities[0] == pytest.approx([1.0, 0.8])
    assert observed.verified.tolist() == [True]
