"""liu2022: the printed tables read as they must be, data as described, verdicts of one split."""

from __future__ import annotations

import numpy as np
import pytest

from papers.liu2022_compare import KINDS, means_of, not_comparable, one_split, verdict
from papers.liu2022_large import made
from papers.liu2022_printed import RATES, TABLE_5, TABLE_7, TABLES, misplaced, wins
from papers.liu2022_sets import errors, halves, mixture, noisy
from papers.liu2022_tables import COMPUTED, TESTED, cells
from papers.verdicts import estimate


def test_wins_are_counted():
    rows = {"a": [0.1, 0.2, 0.3, None], "b": [0.2, 0.2, 0.1, None], "c": [0.3, 0.4, 0.1, None]}
    assert wins(rows) == {"a": "1/1/1", "b": "0/2/1", "c": "0/1/2"}


def test_all_but_three_entries_of_table_5_follow_from_tables_3_and_4():
    differing = [
        (kind, name, method)
        for place, kind in enumerate(KINDS)
        for name, rows in TABLES[kind].items()
        for method in rows
        if wins(rows)[method] != TABLE_5[name][method][place]
    ]
    assert differing == [
        ("symmetric", "Wine", "rNDA"),
        ("symmetric", "Wine", "GMDA"),
        ("asymmetric", "Iris", "Ada"),
    ]


def test_rows_under_the_names_where_they_are_printed_contradict_table_5():
    following = {"Synth1": "Synth2", "Wine": "Heart", "Heart": "Boston"}
    wrong = 0
    for place, kind in enumerate(KINDS):
        for name, rows in misplaced(TABLES[kind]).items():
            for method, tally in wins(rows).items():
                home = following[name] if "LR" in method else name
                wrong += tally != TABLE_5[home][method][place]
    assert wrong == 16


def test_every_printed_row_has_six_rates():
    for table in TABLES.values():
        assert {len(row) for rows in table.values() for row in rows.values()} == {len(RATES)}
        assert list(table) == list(TABLE_5)
    assert all(len(row) == 6 for *_, rows in TABLE_7.values() for row in rows.values())


def test_mixtures_have_equal_classes_and_the_components_asked_for():
    X, y = mixture(np.random.default_rng(0), 900, 3, 3, 2, 50.0)
    assert np.bincount(y).tolist() == [300, 300, 300]
    for k in range(3):
        apart = np.linalg.norm(X[y == k][:, None] - X[y == k], axis=2)
        near = apart[0] < 15
        assert 100 < near.sum() < 200
        assert np.linalg.norm(X[y == k][near].mean(axis=0) - X[y == k][~near].mean(axis=0)) > 15


@pytest.mark.parametrize("name", ["Synth3", "Synth6"])
def test_large_sets_are_of_the_printed_size(name):
    X, y = made(name)
    sizes, _, correlated, _ = TABLE_7[name]
    assert X.shape == (15000, 200)
    assert tuple(np.bincount(y)) == sizes
    shared = np.corrcoef(X[:, :20].T)[np.triu_indices(20, 1)].mean()
    assert (shared > 0.95) if correlated else (abs(shared) < 0.05)


def test_halves_keep_the_classes_in_proportion():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [60, 140])
    half = halves(rng.normal(5.0, 3.0, (200, 2)), y, rng)
    assert np.bincount(half.y).tolist() == np.bincount(half.truth).tolist() == [30, 70]
    assert half.X.mean(axis=0) == pytest.approx([0, 0], abs=1e-12)


def test_a_rate_beyond_the_flipped_class_has_no_labels_and_no_error():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 20)
    assert noisy(y, 2, "asymmetric", 0.6, rng) is None
    half = halves(rng.normal(size=(40, 2)), y, rng)
    assert errors(half, None, ["Ada", "GMDA"]) == {"Ada": None, "GMDA": None}
    assert errors(half, np.zeros(20, dtype=int), ["LR"]) == {"LR": None}


def test_all_methods_learn_what_is_easy():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 40)
    half = halves(rng.normal(size=(120, 2)) + 10.0 * y[:, None], y, rng)
    methods = ["Ada", "rNDA", "GMDA", "LR", "rNDA diagonal", "GMDA diagonal", "GMDA shrunk"]
    found = errors(half, half.y, [*methods, "GMDA BIC"])
    assert set(found) == {*methods, "GMDA BIC"}
    assert max(found.values()) < 0.05


def test_one_printed_split_agrees_where_one_of_ours_might_have_been_it():
    ours = estimate(np.linspace(0.1, 0.3, 21))
    assert one_split(0.08, ours) == "agrees"
    assert one_split(0.05, ours) == "worse"
    assert one_split(0.35, ours) == "better"
    assert verdict("Iris", "symmetric", 0.2, 0.05, ours) == "worse"
    assert verdict("Synth1", "symmetric", 0.2, 0.05, ours) == "n.c."
    assert verdict("Iris", "symmetric", 0.2, 0.05, None) == "n.c."


def test_what_cannot_be_compared_is_settled_beforehand():
    assert not not_comparable("Heart", "asymmetric", 0.4)
    assert not_comparable("Heart", "symmetric", 0.5)
    assert not not_comparable("Iris", "symmetric", 0.5)
    assert not_comparable("Iris", "asymmetric", 0.5)
    assert not_comparable("Boston", "symmetric", 0.0)


def test_rate_zero_stands_in_both_tables():
    found = [cell for cell in cells(quick=True) if cell["set"] == "Iris"]
    assert len(found) == 2 * (3 + 2)
    records = [{**cell, **dict.fromkeys((*COMPUTED, *TESTED), 0.1)} for cell in found]
    records[0]["Ada"] = 0.3
    means = means_of(records)
    assert means["Iris", "symmetric", 0.0, "Ada"].mean == pytest.approx(0.2)
    assert means["Iris", "asymmetric", 0.0, "Ada"].mean == pytest.approx(0.2)
    assert means["Iris", "asymmetric", 0.5, "GMDA"].n == 2
