from __future__ import annotations

import math

import numpy as np
import pytest

from papers import come2008_fits as fits
from papers.come2008 import cluster_cells, maxima_cells, noise_cells


def test_the_settings_are_the_slides() -> None:
    assert len(maxima_cells("full", 3, 50)) == 3 * 8 * 3
    assert {cell["mean"] for cell in noise_cells(1)} == {0.1, 0.2, 0.3, 0.4}
    assert len(cluster_cells("full", 5)) == 4 * 5


def test_precise_labels_have_one_maximum_and_reach_the_best_error() -> None:
    cell = {"family": "tied", "distance": 4, "nonspecificity": 0.05, "repetition": 0}
    found = fits.maxima(cell | {"starts": 50})
    assert found["maxima"] == 1.0
    assert found["cut short"] == 0.0
    assert found["error"] == fits.imprecise_labels(cell)["error"]
    assert found["error"] == pytest.approx(0.0228, abs=0.005)  # Φ(-2)


def test_almost_vacuous_labels_have_several_maxima() -> None:
    level = round(math.log(2), 6)
    cell = {"family": "tied", "distance": 4, "nonspecificity": level, "repetition": 0}
    assert (fits.maxima(cell | {"starts": 6})["maxima"] or 0) > 1


def test_clusters_take_the_names_of_the_true_classes(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    y = np.repeat([2, 0, 1], 30)
    X = rng.normal(size=(90, 2)) + 20.0 * np.array([[0, 0], [1, 0], [0, 1]])[y]
    monkeypatch.setattr(fits, "load", lambda name: (X, y, ("a", "b", "c")))
    cell = {"family": "tied", "data": "iris", "repetition": 0}
    assert fits.clusters(cell) == {"unsupervised": 0.0}


def test_learners_meet_the_same_labels() -> None:
    cell = {"family": "full", "data": "iris", "mean": 0.3, "repetition": 0}
    errors = fits.learners_under_noise(cell)
    assert errors == fits.learners_under_noise(cell)
    assert errors["soft"] < errors["supervised"]
    families = fits.families_under_noise(cell)
    assert families["full"] == errors["soft"]
    assert sum(families[f"chosen {name}"] for name in fits.FAMILIES) == pytest.approx(1.0)
