"""The comparison with what users do today runs, and its choice does not look at the truth."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from examples.worth import crowds, page, recipe, rivals
from examples.worth.data import Data, load
from examples.worth.recipe import candidates, choose, true_errors
from examples.worth.second_label import SecondLabel

from labelief import LinearDiscriminantAnalysis, SoftLabels

SMALL = ("LDA, shrinkage 0.1; flips held out", "LDA, shrinkage 0.1; flips in turn")


@pytest.fixture
def birds(data_file: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch) -> Data:
    """The smallest set, one repetition."""
    monkeypatch.setenv("LABELIEF_DATA", str(data_file("credal_dog2.csv").parent))
    return load("credal_bird2", 1)


@pytest.mark.parametrize("held_out", [True, False])
def test_second_label_is_heard_as_far_as_it_is_right(held_out: bool) -> None:
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], 200)
    X = rng.normal(size=(600, 2)) + 6.0 * np.array([[0, 0], [1, 0], [0, 1]])[truth]
    second = np.where(rng.random(600) < 0.3, (truth + 1) % 3, truth)
    doubtful = SoftLabels.from_confidences(truth, 0.2).plausibilities
    labels = SoftLabels.from_plausibilities(doubtful)
    rows = np.column_stack([X, second])
    heard = SecondLabel(LinearDiscriminantAnalysis(), held_out).fit(rows, labels)
    flips = np.array([[0.7, 0.3, 0], [0, 0.7, 0.3], [0.3, 0, 0.7]])
    np.testing.assert_allclose(heard.matrix_, flips, atol=0.05)
    lies = np.column_stack([X, (second + 1) % 3])
    np.testing.assert_array_equal(heard.predict(lies), heard.predict(rows))


def test_beliefs_about_one_picture_are_combined(
    data_file: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LABELIEF_DATA", str(data_file("credal_dog2.csv").parent))
    beliefs = load("credal_bird10", 1).labels
    masses = pd.read_csv(data_file("credal_bird10_masses.csv"))
    # The contour of Dempster's combination is the product of the contours, up to a constant.
    product = np.ones(beliefs.shape)
    for (row, _), answer in masses.groupby(["row", "worker"]):
        for k, name in enumerate(beliefs.classes):
            plausible = answer["mass"][[name in sets.split("|") for sets in answer["focal_set"]]]
            product[row, k] *= 0.2 + 0.8 * plausible.sum()
    ratio = beliefs.plausibilities / beliefs.plausibilities.max(axis=1, keepdims=True)
    np.testing.assert_allclose(ratio, product / product.max(axis=1, keepdims=True), rtol=1e-4)


def test_choice_does_not_look_at_the_truth(birds: Data, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recipe, "MOST_SPLITS", 1)
    models = {name: candidates(birds)[name] for name in SMALL}
    shuffled = replace(birds, truth=np.random.default_rng(0).permutation(birds.truth))
    assert choose(models, birds) == choose(models, shuffled)
    assert set(choose(models, birds)) == set(SMALL)


def test_recipe_rivals_and_page(birds: Data) -> None:
    name = SMALL[0]
    error = float(true_errors(candidates(birds)[name], birds).mean())
    again = rivals.errors(birds)
    assert 0.05 < error < 0.4
    assert all(0.1 < rival < 0.7 for rival in again.values())
    row = page.Row("credal_bird2", 0.265, "weights", again, error, 0.1, name, 0.4)
    assert f"**{error:.1%}**" in page.text([row], [["birds", "LDA", "1", "2", "3", "4"]])


def test_all_ways_to_learn_from_votes_run(birds: Data) -> None:
    found = crowds.errors(birds, crowds.CLASSIFIERS[0])
    assert list(found) == list(crowds.WAYS)
    assert all(0.05 < error[0] < 0.7 for error in found.values())
