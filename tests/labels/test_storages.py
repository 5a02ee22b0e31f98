"""Every storage answers every question as brute force over all subsets does."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from tests.labels import oracle

from labelief.labels import consonant, focal
from labelief.labels.consonant import Consonant
from labelief.labels.focal import FocalSets
from labelief.labels.quasi_bayesian import QuasiBayesian
from labelief.labels.stacking import stack


def _general(rng, n_classes):
    rows = oracle.random_masses(rng, 30, n_classes)
    return oracle.labels_of(rows, n_classes)._masses, rows


def _with_empty(rng, n_classes):
    rows = oracle.random_masses(rng, 30, n_classes, empty=True)
    return oracle.labels_of(rows, n_classes)._masses, rows


def _one_set(rng, n_classes):
    sets = oracle.subsets(n_classes)[1:]
    rows = [{sets[j]: 1.0} for j in rng.integers(0, len(sets), 30)]
    return oracle.labels_of(rows, n_classes)._masses, rows


def _consonant(rng, n_classes):
    levels = rng.choice([0.0, 0.25, 0.5, 0.75, 1.0], size=(30, n_classes))
    levels[np.arange(30), rng.integers(0, n_classes, 30)] = 1.0
    return Consonant(levels), [oracle.consonant(row) for row in levels]


def _quasi_bayesian(rng, n_classes):
    parts = rng.dirichlet(np.ones(n_classes + 1), size=30)
    parts[::4, -1] = 0.0
    parts[1::4, :-1] = 0.0
    parts /= parts.sum(axis=1, keepdims=True)
    rows = []
    for part in parts:
        row = {frozenset([k]): part[k] for k in range(n_classes)}
        frame = frozenset(range(n_classes))
        row[frame] = row.get(frame, 0.0) + part[-1]
        rows.append(row)
    return QuasiBayesian(parts[:, :-1].copy(), parts[:, -1].copy()), rows


KINDS = {
    "general": _general,
    "empty": _with_empty,
    "one set": _one_set,
    "consonant": _consonant,
    "quasi-Bayesian": _quasi_bayesian,
}


@pytest.fixture(params=[(kind, K) for kind in KINDS for K in (1, 2, 3, 4)], ids=str)
def case(request):
    kind, n_classes = request.param
    masses, rows = KINDS[kind](np.random.default_rng(n_classes), n_classes)
    return masses, rows, n_classes


def test_views(case):
    masses, rows, K = case
    single = [frozenset([k]) for k in range(K)]
    expected = {
        "plausibilities": [oracle.contour(m, K) for m in rows],
        "beliefs": [[m.get(A, 0.0) for A in single] for m in rows],
        "pignistic": [oracle.pignistic(m, K) for m in rows],
        "nonspecificity": [oracle.nonspecificity(m) for m in rows],
        "empty_mass": [m.get(frozenset(), 0.0) for m in rows],
    }
    for view, value in expected.items():
        np.testing.assert_allclose(getattr(masses, view)(), value, atol=1e-13, err_msg=view)


def test_belief_and_plausibility_of_every_subset(case):
    masses, rows, K = case
    sets = oracle.subsets(K)
    members = np.array([[k in A for k in range(K)] for A in sets]).reshape(len(sets), K)
    bel = [[oracle.bel(m, A) for A in sets] for m in rows]
    pl = [[oracle.pl(m, A) for A in sets] for m in rows]
    np.testing.assert_allclose(masses.bel(members), bel, atol=1e-13)
    np.testing.assert_allclose(masses.pl(members), pl, atol=1e-13)


def test_focal_sets_written_out(case):
    masses, rows, _ = case
    focal = masses.focal()
    assert len(focal) == len(rows)
    members = focal.members
    for i, m in enumerate(rows):
        start, stop = focal.indptr[i], focal.indptr[i + 1]
        got = {
            frozenset(np.flatnonzero(members[e]).tolist()): focal.mass[e]
            for e in range(start, stop)
        }
        assert len(got) == stop - start, "the same set twice"
        positive = {A: mass for A, mass in m.items() if mass > 1e-15}
        assert set(got) == set(positive)
        for A, mass in positive.items():
            np.testing.assert_allclose(got[A], mass, atol=1e-14)


def test_focal_sets_are_canonical(case):
    focal = case[0].focal()
    assert (focal.mass > 0).all()
    np.testing.assert_allclose(focal.row_sums(focal.mass), 1.0)
    step = np.diff(focal.words[:, 0].astype(np.float64))
    assert (step[np.diff(focal.rows) == 0] > 0).all()


@pytest.mark.parametrize("rate", [0.0, 0.3, 1.0])
def test_discounting(case, rate):
    masses, rows, K = case
    rates = np.full(len(rows), rate)
    rates[0] = 0.5
    expected = [oracle.discount(m, r, K) for m, r in zip(rows, rates, strict=True)]
    got = masses.discount(rates)
    np.testing.assert_allclose(
        got.plausibilities(), [oracle.contour(m, K) for m in expected], atol=1e-13
    )
    np.testing.assert_allclose(
        got.pignistic(), [oracle.pignistic(m, K) for m in expected], atol=1e-13
    )
    np.testing.assert_allclose(
        got.nonspecificity(), [oracle.nonspecificity(m) for m in expected], atol=1e-13
    )


def test_taking_rows(case):
    masses, _, _ = case
    for rows in ([3, 3, 0], [29], [], list(range(30))):
        part = masses.take(np.array(rows, dtype=np.int64))
        assert len(part) == len(rows)
        np.testing.assert_allclose(part.pignistic(), masses.pignistic()[rows], atol=1e-15)
        np.testing.assert_allclose(part.nonspecificity(), masses.nonspecificity()[rows])
        np.testing.assert_allclose(part.empty_mass(), masses.empty_mass()[rows])


def test_reordering_classes(case):
    masses, _, K = case
    columns = np.random.default_rng(0).permutation(K)
    moved = masses.permute(columns)
    np.testing.assert_allclose(moved.plausibilities(), masses.plausibilities()[:, columns])
    np.testing.assert_allclose(moved.pignistic(), masses.pignistic()[:, columns])
    np.testing.assert_allclose(moved.nonspecificity(), masses.nonspecificity())


def test_codes_are_given_only_for_crisp_and_vacuous_rows(case):
    masses, rows, K = case
    expected = []
    for m in rows:
        (A, mass) = max(m.items(), key=lambda item: item[1])
        clear = (mass == 1.0 or K == 1) and len(A) in (1, K)
        expected.append(None if not clear else (min(A) if len(A) == 1 else -1))
    codes = masses.codes()
    if None in expected:
        assert codes is None
    else:
        assert codes.dtype == np.int32
        np.testing.assert_array_equal(codes, expected)


def test_codes_of_each_storage():
    truth = np.array([1, -1, 0], dtype=np.int32)
    contour = np.array([[0.0, 1, 0], [1, 1, 1], [1, 0, 0]])
    frame = np.array([0.0, 1.0, 0.0])
    singletons = contour * (1 - frame)[:, None]
    for masses in (
        Consonant(contour),
        QuasiBayesian(singletons, frame),
        Consonant(contour).focal(),
    ):
        np.testing.assert_array_equal(masses.codes(), truth)
        assert masses.discount(np.array([0.1, 0, 0])).codes() is None


def test_discounted_contours_keep_their_maximum():
    rates = np.random.default_rng(0).random(100_000) ** 3
    made = Consonant(np.ones((rates.size, 1))).discount(rates)
    assert (made.contour == 1.0).all()


def test_stacking_keeps_the_storage_that_all_parts_share(case):
    masses, _, _ = case
    stacked = stack([masses, masses])
    assert type(stacked) is type(masses) and len(stacked) == 60
    np.testing.assert_array_equal(stacked.pignistic()[30:], masses.pignistic())
    mixed = stack([masses, masses.focal()])
    np.testing.assert_allclose(mixed.pignistic(), stacked.pignistic(), atol=1e-15)


def test_arrays_cannot_be_written_to_even_after_pickling(case):
    for masses in (case[0], pickle.loads(pickle.dumps(case[0])), case[0].focal()):
        arrays = [v for v in vars(masses).values() if isinstance(v, np.ndarray)]
        assert arrays
        assert not any(array.flags.writeable for array in arrays)


def test_blocks_of_rows_do_not_change_the_answer(monkeypatch):
    rows = oracle.random_masses(np.random.default_rng(0), 50, 4)
    whole = oracle.labels_of(rows, 4)._masses
    contour = Consonant(np.maximum(whole.plausibilities(), np.eye(4)[np.zeros(50, int)]))
    before = [
        whole.pignistic(), contour.pignistic(), contour.beliefs(), contour.nonspecificity(),
        contour.focal().mass, whole.permute(np.array([3, 1, 0, 2])).mass,
    ]  # fmt: skip
    monkeypatch.setattr(focal, "CELLS", 7)
    monkeypatch.setattr(consonant, "CELLS", 7)
    after = [
        whole.pignistic(), contour.pignistic(), contour.beliefs(), contour.nonspecificity(),
        contour.focal().mass, whole.permute(np.array([3, 1, 0, 2])).mass,
    ]  # fmt: skip
    for one, two in zip(before, after, strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-14)


def test_merging_adds_equal_sets_of_a_row_and_keeps_rows_apart():
    words = np.array([[3], [1], [3], [3]], dtype=np.uint64)
    made = FocalSets.from_elements(
        np.array([1, 0, 1, 0]), words, np.array([0.25, 0.5, 0.75, 0.5]), 2, 2
    )
    assert made.indptr.tolist() == [0, 2, 3]
    assert made.words[:, 0].tolist() == [1, 3, 3]
    assert made.mass.tolist() == [0.5, 0.5, 1.0]


def test_more_than_one_word():
    rng = np.random.default_rng(5)
    contour = rng.choice(np.linspace(0, 1, 9), size=(40, 130))
    contour[np.arange(40), rng.integers(0, 130, 40)] = 1.0
    nested = Consonant(contour)
    focal = nested.focal()
    np.testing.assert_allclose(focal.plausibilities(), contour, atol=1e-14)
    np.testing.assert_allclose(focal.pignistic(), nested.pignistic(), atol=1e-14)
    np.testing.assert_allclose(focal.beliefs(), nested.beliefs(), atol=1e-14)
    np.testing.assert_allclose(focal.nonspecificity(), nested.nonspecificity(), atol=1e-13)
    sets = rng.random((6, 130)) < 0.5
    np.testing.assert_allclose(focal.bel(sets), nested.bel(sets), atol=1e-14)
    np.testing.assert_allclose(focal.pl(sets), nested.pl(sets), atol=1e-14)
