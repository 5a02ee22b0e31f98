from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.labels import oracle

from labelief.labels import SoftLabels, combination


def _kinds(rng, K):
    """Labels of every storage, with their masses as brute force knows them."""
    names = oracle.NAMES[:K]
    frame = frozenset(range(K))
    general = oracle.random_masses(rng, 25, K)
    vague = [oracle.discount(m, 0.2, K) for m in oracle.random_masses(rng, 25, K)]
    p = rng.dirichlet(np.ones(K), size=25)
    rates = rng.choice([0.0, 0.3, 1.0], size=25)
    contour = rng.choice([0.25, 0.5, 1.0], size=(25, K))
    contour[np.arange(25), rng.integers(0, K, 25)] = 1.0
    bayes = [{frozenset([k]): row[k] for k in range(K)} for row in p]
    quasi = [oracle.discount(m, r, K) for m, r in zip(bayes, rates, strict=True)]
    codes = rng.integers(-1, K, 25)
    crisp = [{frame if c < 0 else frozenset([int(c)]): 1.0} for c in codes]
    bayesian = SoftLabels.from_probabilities(p, names)
    return {
        "general": (oracle.labels_of(general, K), general),
        "vague": (oracle.labels_of(vague, K), vague),
        "Bayesian": (bayesian, bayes),
        "quasi-Bayesian": (bayesian.discount(rates), quasi),
        "consonant": (
            SoftLabels.from_plausibilities(contour, names),
            [oracle.consonant(row) for row in contour],
        ),
        "crisp": (SoftLabels.from_crisp(np.array([*names, None])[codes], names), crisp),
    }


KINDS = ["general", "vague", "Bayesian", "quasi-Bayesian", "consonant", "crisp"]


@pytest.mark.parametrize("K", [1, 2, 4])
@pytest.mark.parametrize("two", KINDS)
@pytest.mark.parametrize("one", KINDS)
def test_every_rule_on_every_pair_of_storages(one, two, K):
    a, a_rows = _kinds(np.random.default_rng(1), K)[one]
    b, b_rows = _kinds(np.random.default_rng(2), K)[two]
    pairs = list(zip(a_rows, b_rows, strict=True))
    kappa = np.array([oracle.conflict(m, n) for m, n in pairs])
    np.testing.assert_allclose(a.conflict(b), kappa, atol=1e-14)
    np.testing.assert_allclose(b.conflict(a), kappa, atol=1e-14)
    oracle.assert_same_masses(
        a.combine(b, "disjunctive"), [oracle.disjunctive(m, n) for m, n in pairs]
    )
    # total conflict is refused, and tested elsewhere
    fine = np.flatnonzero(kappa < 1 - 1e-9)
    pairs = [pairs[i] for i in fine]
    oracle.assert_same_masses(
        a[fine].combine(b[fine], "conjunctive"), [oracle.conjunctive(m, n) for m, n in pairs]
    )
    oracle.assert_same_masses(a[fine].combine(b[fine]), [oracle.dempster(m, n) for m, n in pairs])
    np.testing.assert_allclose(
        a[fine].combine(b[fine]).pignistic.sum(axis=1), 1.0, err_msg="not normalised"
    )


@pytest.mark.parametrize("other", KINDS)
def test_labels_with_mass_on_the_empty_set(other):
    rows = [
        oracle.discount(m, 0.3, 3)
        for m in oracle.random_masses(np.random.default_rng(3), 25, 3, True)
    ]
    a = oracle.labels_of(rows, 3)
    assert (a.empty_mass > 0).any()
    b, b_rows = _kinds(np.random.default_rng(4), 3)[other]
    pairs = list(zip(rows, b_rows, strict=True))
    np.testing.assert_allclose(a.conflict(b), [oracle.conflict(m, n) for m, n in pairs], atol=1e-14)
    oracle.assert_same_masses(a.combine(b), [oracle.dempster(m, n) for m, n in pairs])
    oracle.assert_same_masses(
        a.combine(b, "conjunctive"), [oracle.conjunctive(m, n) for m, n in pairs]
    )
    oracle.assert_same_masses(
        a.combine(b, "disjunctive"), [oracle.disjunctive(m, n) for m, n in pairs]
    )


def test_few_pairs_at_a_time_give_the_same(monkeypatch):
    a = oracle.labels_of(oracle.random_masses(np.random.default_rng(5), 40, 4), 4).discount(0.1)
    b = oracle.labels_of(oracle.random_masses(np.random.default_rng(6), 40, 4), 4)
    whole = [a.combine(b, rule).focal for rule in combination.RULES]
    monkeypatch.setattr(combination, "PAIRS", 3)
    pieces = [a.combine(b, rule).focal for rule in combination.RULES]
    for one, two in zip(whole, pieces, strict=True):
        np.testing.assert_array_equal(one.words, two.words)
        np.testing.assert_array_equal(one.indptr, two.indptr)
        np.testing.assert_allclose(one.mass, two.mass, rtol=1e-14)


@pytest.mark.parametrize("rule", ["dempster", "conjunctive"])
@pytest.mark.parametrize("kind", ["crisp", "probabilities", "plausibilities"])
def test_total_conflict_is_refused_with_the_rows_named(rule, kind):
    p = np.eye(3)[[0, 1, 2, 0]]
    make = {
        "crisp": lambda p: SoftLabels.from_crisp(p.argmax(axis=1), range(3)),
        "probabilities": SoftLabels.from_probabilities,
        "plausibilities": SoftLabels.from_plausibilities,
    }[kind]
    a, b = make(p), SoftLabels.from_crisp([1, 1, 0, 0], [0, 1, 2])
    with pytest.raises(ValueError, match="rows 0, 2"):
        a.combine(b, rule)
    assert a.conflict(b).tolist() == [1, 0, 1, 0]
    assert len(a.combine(b, "disjunctive")) == 4


def test_almost_total_conflict_keeps_its_digits():
    a = SoftLabels.from_probabilities([[1 - 1e-14, 1e-14, 0.0]])
    b = SoftLabels.from_probabilities([[0.0, 1e-12, 1 - 1e-12]])
    np.testing.assert_allclose(a.combine(b).beliefs, [[0, 1, 0]], rtol=1e-12)


def test_bayesian_side_makes_the_result_bayesian():
    a = SoftLabels.from_probabilities([[0.2, 0.3, 0.5]])
    b = SoftLabels.from_plausibilities([[1.0, 0.5, 0.2]])
    expected = np.array([[0.2, 0.15, 0.1]]) / 0.45
    for made in (a.combine(b), b.combine(a)):
        np.testing.assert_allclose(made.beliefs, expected)
        assert made.nonspecificity() == pytest.approx(0.0)


def test_classes_in_another_order_are_matched_by_name():
    a = SoftLabels.from_confidences(["x", "y"], 0.5, ["x", "y", "z"])
    b = SoftLabels.from_confidences(["x", "x"], 0.5, ["z", "y", "x"])
    made = a.combine(b, "conjunctive")
    assert made.classes.tolist() == ["x", "y", "z"]
    np.testing.assert_allclose(made.empty_mass, [0.0, 0.25])


def test_what_cannot_be_combined():
    a = SoftLabels.from_crisp([0, 1])
    with pytest.raises(ValueError, match="3 rows"):
        a.combine(SoftLabels.from_crisp([0, 1, 0]))
    with pytest.raises(ValueError, match="differ"):
        a.combine(SoftLabels.from_crisp([0, 2]))
    with pytest.raises(ValueError, match="SoftLabels"):
        a.combine(np.eye(2))
    with pytest.raises(ValueError, match="conjunctive"):
        a.combine(a, "yager")


def test_endless_pairs_are_refused_beforehand(monkeypatch):
    monkeypatch.setattr(combination, "MOST_PAIRS", 10)
    a = SoftLabels.from_plausibilities([[1.0, 0.6, 0.3, 0.1]] * 2)
    with pytest.raises(ValueError, match="pool_plausibilities"):
        a.combine(a)


# ------------------------------------------------------------------ laws, whatever the masses


@given(oracle.mass_rows())
def test_belief_pignistic_plausibility_are_in_order(rows):
    labels = oracle.labels_of(rows, 3)
    assert (labels.beliefs <= labels.pignistic + 1e-12).all()
    assert (labels.pignistic <= labels.plausibilities + 1e-12).all()
    sets = [set(A) for A in ("ab", "bc", "abc")]
    bel, pl = labels.bel(sets), labels.pl(sets)
    assert (bel <= pl + 1e-12).all()
    np.testing.assert_allclose(bel[:, 0], 1 - labels.pl({"c"}), atol=1e-12)


@given(oracle.mass_rows(vague=True), oracle.mass_rows())
def test_dempster_commutes(one, two):
    a, b = oracle.labels_of(one, 3), oracle.labels_of(two, 3)
    left, right = a.combine(b).focal, b.combine(a).focal
    np.testing.assert_array_equal(left.words, right.words)
    np.testing.assert_allclose(left.mass, right.mass, rtol=1e-12)


@given(oracle.mass_rows(vague=True), oracle.mass_rows(vague=True), oracle.mass_rows())
def test_dempster_associates(one, two, three):
    a, b, c = (oracle.labels_of(rows, 3) for rows in (one, two, three))
    left = a.combine(b).combine(c)
    right = a.combine(b.combine(c))
    np.testing.assert_allclose(left.plausibilities, right.plausibilities, atol=1e-11)
    np.testing.assert_allclose(left.beliefs, right.beliefs, atol=1e-11)


@given(oracle.mass_rows(vague=True), oracle.mass_rows())
def test_contour_of_a_sum_is_the_product_of_contours(one, two):
    a, b = oracle.labels_of(one, 3), oracle.labels_of(two, 3)
    kappa = a.conflict(b)
    product = a.plausibilities * b.plausibilities
    np.testing.assert_allclose(
        a.combine(b).plausibilities, product / (1 - kappa)[:, None], atol=1e-11
    )
    np.testing.assert_allclose(a.combine(b, "conjunctive").plausibilities, product, atol=1e-12)


@given(oracle.mass_rows(), oracle.mass_rows())
def test_disjunction_multiplies_beliefs(one, two):
    a, b = oracle.labels_of(one, 3), oracle.labels_of(two, 3)
    sets = [{"a"}, {"a", "b"}, {"b", "c"}]
    np.testing.assert_allclose(
        a.combine(b, "disjunctive").bel(sets), a.bel(sets) * b.bel(sets), atol=1e-12
    )


@given(oracle.mass_rows(), st.floats(0, 1), st.floats(0, 1))
def test_discounting_twice_is_discounting_once(rows, one, two):
    labels = oracle.labels_of(rows, 3)
    twice = labels.discount(one).discount(two)
    once = labels.discount(1 - (1 - one) * (1 - two))
    np.testing.assert_allclose(twice.plausibilities, once.plausibilities, atol=1e-12)
    np.testing.assert_allclose(
        twice.plausibilities,
        (1 - one) * (1 - two) * (labels.plausibilities - 1) + 1,
        atol=1e-12,
    )


@given(oracle.mass_rows())
def test_vacuous_labels_change_nothing(rows):
    labels = oracle.labels_of(rows, 3)
    nothing = SoftLabels.from_crisp([None] * 3, labels.classes)
    for made in (labels.combine(nothing), nothing.combine(labels, "conjunctive")):
        np.testing.assert_allclose(made.plausibilities, labels.plausibilities, atol=1e-12)
        np.testing.assert_allclose(made.beliefs, labels.beliefs, atol=1e-12)
    assert (labels.combine(nothing, "disjunctive").beliefs == 0).all()
