from __future__ import annotations

import pickle
from itertools import product

import numpy as np
import pandas as pd
import pytest

from labelief import LabelSets

NAMES = ["sea", "sun", "people"]


def random_sets(rng, n, Q, n_elements=4):
    """Any mass functions, and the same as a list of dicts {(A, B): mass}; ∅ is None."""
    rows = np.repeat(np.arange(n), n_elements)
    kind = rng.integers(3, size=(n * n_elements, Q))
    mass = rng.dirichlet(np.ones(n_elements), n).ravel()
    sets = LabelSets.from_elements(rows, kind == 1, kind == 2, mass)
    listed = [{} for _ in range(n)]
    for row, k, m in zip(rows, kind, mass, strict=True):
        key = frozenset(np.flatnonzero(k == 1)), frozenset(np.flatnonzero(k == 2))
        listed[row][key] = listed[row].get(key, 0.0) + m
    return sets, listed


def members(key, Q):
    """Label sets that φ(A, B) holds, as a set of membership tuples."""
    A, B = key
    return {
        c
        for c in product([False, True], repeat=Q)
        if all(c[q] for q in A) and not any(c[q] for q in B)
    }


def all_pairs(Q):
    for kind in product([0, 1, 2], repeat=Q):
        yield (
            frozenset(q for q in range(Q) if kind[q] == 1),
            frozenset(q for q in range(Q) if kind[q] == 2),
        )


@pytest.mark.parametrize("Q", [1, 2, 3])
def test_beliefs_are_those_of_mass_functions_on_sets_of_label_sets(Q):
    """By their definition on the frame of all 2^Q label sets."""
    sets, listed = random_sets(np.random.default_rng(Q), 5, Q)
    for A, B in all_pairs(Q):
        asked = members((A, B), Q)
        bel, pl = sets.bel(A, B), sets.pl(A, B)
        for i, row in enumerate(listed):
            held = {key: members(key, Q) for key in row}
            inside = sum(m for key, m in row.items() if held[key] and held[key] <= asked)
            meets = sum(m for key, m in row.items() if held[key] & asked)
            assert bel[i] == pytest.approx(inside, abs=1e-14)
            assert pl[i] == pytest.approx(meets, abs=1e-14)


@pytest.mark.parametrize("Q", [1, 2, 3, 64, 70])
def test_combination_is_the_sum_over_pairs(Q):
    rng = np.random.default_rng(Q)
    (one, first), (two, second) = random_sets(rng, 6, Q), random_sets(rng, 6, Q, 3)
    combined = one.combine(two)
    whole = frozenset(range(Q)), frozenset(range(Q))
    for i in range(6):
        expected = {}
        for (A, B), m in first[i].items():
            for (A2, B2), m2 in second[i].items():
                key = A | A2, B | B2
                key = whole if key[0] & key[1] else key
                expected[key] = expected.get(key, 0.0) + m * m2
        assert combined.masses(i) == pytest.approx(expected)
        assert combined.empty_mass[i] == pytest.approx(expected.get(whole, 0.0))


def test_combination_keeps_its_laws():
    rng = np.random.default_rng(0)
    a, b, c = (random_sets(rng, 8, 3)[0] for _ in range(3))
    nothing = LabelSets.from_matrix(np.full((8, 3), np.nan))
    assert a.combine(nothing) == a
    swapped = b.combine(a)
    np.testing.assert_allclose(a.combine(b).beliefs, swapped.beliefs, rtol=1e-12)
    one, two = a.combine(b).combine(c), a.combine(b.combine(c))
    np.testing.assert_allclose(one.beliefs, two.beliefs, rtol=1e-12)
    np.testing.assert_allclose(one.empty_mass, two.empty_mass, rtol=1e-12)
    total = [sum(one.masses(i).values()) for i in range(8)]
    np.testing.assert_allclose(total, 1.0, rtol=1e-12)


def test_dempster_divides_by_what_is_possible():
    rng = np.random.default_rng(1)
    a, b = random_sets(rng, 8, 4)[0], random_sets(rng, 8, 4)[0]
    raw, scaled = a.combine(b), a.combine(b, rule="dempster")
    possible = 1 - raw.empty_mass
    np.testing.assert_allclose(scaled.beliefs, raw.beliefs / possible[:, None, None], rtol=1e-12)
    np.testing.assert_allclose(scaled.pl({0}, {1}), raw.pl({0}, {1}) / possible, rtol=1e-12)
    assert not scaled.empty_mass.any()


def test_statements_by_hand():
    """Two experts: 'sea and no people' at 0.8, 'people' at 0.5."""
    first = LabelSets.from_matrix([[1, np.nan, 0]], 0.8, labels=NAMES)
    second = LabelSets.from_matrix([[np.nan, np.nan, 1]], 0.5, labels=NAMES)
    both = first.combine(second)
    sea, people = frozenset({"sea"}), frozenset({"people"})
    everything = frozenset(NAMES)
    expected = {
        (sea, people): 0.4,
        (frozenset(), people): pytest.approx(0.0),
        (people, frozenset()): 0.1,
        (frozenset(), frozenset()): 0.1,
        (everything, everything): 0.4,
    }
    del expected[(frozenset(), people)]
    assert both.masses(0) == pytest.approx(expected)
    assert both.bel("sea") == pytest.approx([0.4])
    assert both.pl("people") == pytest.approx([0.2])
    assert both.bel({"sea"}, {"people"}) == pytest.approx([0.4])
    np.testing.assert_allclose(both.bel([{"sea"}, {"sun"}, ()]), [[0.4, 0.0, 0.6]])
    np.testing.assert_allclose(both.pl("sea", [{"sun"}, {"people"}]), [[0.6, 0.5]])
    np.testing.assert_allclose(both.beliefs[0], [[0.4, 0.0], [0.0, 0.0], [0.1, 0.4]])


def test_one_hot_rows_are_single_labels():
    eye = LabelSets.from_matrix(np.eye(3), [0.2, 0.5, 1.0])
    np.testing.assert_allclose(eye.beliefs[:, :, 0], np.diag([0.2, 0.5, 1.0]))
    assert eye[1].masses(0)[(frozenset({1}), frozenset({0, 2}))] == 0.5
    assert eye[2].masses(0) == {(frozenset({2}), frozenset({0, 1})): 1.0}


@pytest.mark.parametrize("Q", [14, 500])
def test_memory_follows_the_focal_elements(Q):
    rng = np.random.default_rng(0)
    y = (rng.random((300, Q)) < 0.5).astype(float)
    y[rng.random(y.shape) < 0.9] = np.nan
    sets = LabelSets.from_matrix(y, 0.5).combine(LabelSets.from_matrix(y[::-1], 0.5))
    focal = sets._focal
    assert focal.mass.size <= 4 * 300
    words = -(-Q // 64)
    assert focal.words.nbytes == focal.mass.size * 2 * words * 8
    clash = ((y == 1) & (y[::-1] == 0)) | ((y == 0) & (y[::-1] == 1))
    np.testing.assert_allclose(sets.empty_mass, 0.25 * clash.any(axis=1))


def test_rows_are_taken_and_stacked():
    sets, _ = random_sets(np.random.default_rng(2), 9, 3)
    assert len(sets) == 9 and sets.shape == (9, 3)
    assert sets[3].masses(0) == sets.masses(3)
    assert LabelSets.concatenate([sets[:4], sets[4:]]) == sets
    assert sets[[2, 0]] != sets[[0, 2]]
    np.testing.assert_array_equal(sets[sets.empty_mass == 0].beliefs, sets.beliefs)
    assert pickle.loads(pickle.dumps(sets)) == sets
    assert sets[:0].beliefs.shape == (0, 3, 2)


def test_frames_and_names():
    frame = pd.DataFrame({"sun": [1.0, None], "sea": [0.0, 1.0]})
    sets = LabelSets.from_matrix(frame)
    assert sets.labels.tolist() == ["sun", "sea"]
    turned = LabelSets.from_matrix(frame, labels=["sea", "sun"])
    np.testing.assert_array_equal(turned.beliefs, sets.beliefs[:, ::-1])
    with pytest.raises(ValueError, match="different labels"):
        sets.combine(turned)


def test_text():
    y = np.array([[1, 0, np.nan]] * 9)
    y[8] = np.nan
    text = repr(LabelSets.from_matrix(y, 0.75, labels=NAMES))
    assert text.splitlines() == [
        "LabelSets: 9 rows, labels 'sea', 'sun', 'people'",
        "  0  {sea, not sun} 0.75, anything 0.25",
        "  1  {sea, not sun} 0.75, anything 0.25",
        "  2  {sea, not sun} 0.75, anything 0.25",
        "  ...",
        "  6  {sea, not sun} 0.75, anything 0.25",
        "  7  {sea, not sun} 0.75, anything 0.25",
        "  8  anything 1",
    ]
    long = repr(LabelSets.from_matrix(np.ones((1, 9))))
    assert "{0, 1, 2, 3, 4, ... 9 labels} 1" in long


def refused(message):
    return pytest.raises(ValueError, match=message)


def test_bad_rows_are_refused_by_number():
    yes, no = LabelSets.from_matrix(np.ones((4, 1))), LabelSets.from_matrix([[1], [0], [1], [0]])
    with refused("total conflict in rows 1, 3"):
        yes.combine(no, rule="dempster")
    with refused("confidence must lie between 0 and 1, got 1.5 \\(row 2\\)"):
        LabelSets.from_matrix(np.ones((4, 1)), [0, 1, 1.5, 1])
    with refused("y holds 3.0 in row 1, column 0"):
        LabelSets.from_matrix([[1.0], [3.0]])
    with refused("masses must sum to 1 in every row, but row 1 sums to 0.5"):
        LabelSets.from_elements([0, 1], [[1], [1]], [[0], [0]], [1.0, 0.5])
    with refused("row 1 sums to 0"):
        LabelSets.from_elements([0, 2], [[1], [1]], [[0], [0]], [1.0, 1.0])
    with refused("a mass of row 1 is -1.0"):
        LabelSets.from_elements([0, 1, 1], [[1]] * 3, [[0]] * 3, [1.0, -1.0, 2.0])


def test_other_nonsense_is_refused():
    sets = LabelSets.from_matrix(np.ones((2, 2)))
    with refused("2 rows cannot be combined with 1"):
        sets.combine(sets[0])
    with refused("rule must be"):
        sets.combine(sets, rule="disjunctive")
    with refused("share a label"):
        sets.bel({0}, {0})
    with refused("not among the classes"):
        sets.bel({7})
    with refused("contains lists 2 sets, but avoids 3"):
        sets.bel([{0}, {1}], [{1}, {0}, ()])
    with refused("at least one batch"):
        LabelSets.concatenate([])
    with refused("contains must be a matrix of 0 and 1"):
        LabelSets.from_elements([0], [[2]], [[0]], [1.0])
    with refused("rows and mass need one entry"):
        LabelSets.from_elements([0, 1], [[1]], [[0]], [1.0])
    with refused("names row 5, but there are only 2"):
        LabelSets.from_elements([5], [[1]], [[0]], [1.0], n_rows=2)
    with refused("rows must be numbers"):
        LabelSets.from_elements([-1], [[1]], [[0]], [1.0])
    with pytest.raises(IndexError):
        sets.masses(slice(2))


def test_statements_come_back():
    y = np.array([[1, 0, np.nan], [np.nan] * 3, [0, 1, 1], [1, 1, 1]])
    stated = LabelSets.from_matrix(y, [0.5, 0.3, 1.0, 0.0], labels=NAMES).statements()
    np.testing.assert_array_equal(stated.inside[:3], y[:3] == 1)
    np.testing.assert_array_equal(stated.outside[:3], y[:3] == 0)
    np.testing.assert_array_equal(stated.confidence, [0.5, 1.0, 1.0, 1.0])
    assert not stated.decided[3].any()
    assert stated.labels.tolist() == NAMES
    assert LabelSets.from_matrix(y).statements().confidence is None
    np.testing.assert_array_equal(np.asarray(LabelSets.from_matrix(y)), np.nan_to_num(y, nan=-1))
    two = LabelSets.from_matrix([[1, np.nan]] * 3, [1.0, 0.5, 1.0])
    with refused("row 1 of the label sets makes more than one statement"):
        two.combine(LabelSets.from_matrix([[np.nan, 1]] * 3)).statements()
    with refused("rows 0, 2 of the label sets make more"):
        two.combine(LabelSets.from_matrix([[0, 1], [np.nan] * 2, [0, 1]])).statements()
