"""Mass functions given by people (Credal Dog and Bird): their published views come out."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from labelief.labels import SoftLabels, Votes

# masses are printed with 8 digits, the views with 6
PRINTED = 1e-6


@pytest.fixture(params=["credal_dog2", "credal_dog4", "credal_bird2"])
def credal(request, data_file):
    masses = pd.read_csv(data_file(f"{request.param}_masses.csv"))
    soft = pd.read_csv(data_file(f"{request.param}_soft.csv"))
    classes = [name[3:] for name in soft.columns if name.startswith("pl_")]
    masses["focal_set"] = [tuple(names.split("|")) for names in masses["focal_set"]]
    return masses, soft, classes


def test_contour_and_pignistic_probabilities(credal):
    masses, soft, classes = credal
    labels = SoftLabels.from_masses(masses, classes)
    assert len(labels) == len(soft)
    pl = soft[[f"pl_{name}" for name in classes]].to_numpy()
    betp = soft[[f"betp_{name}" for name in classes]].to_numpy()
    np.testing.assert_allclose(labels.plausibilities, pl, atol=PRINTED)
    np.testing.assert_allclose(labels.pignistic, betp, atol=PRINTED)
    assert (labels.empty_mass == 0).all()


def test_a_list_of_dicts_is_the_same_as_the_table(credal):
    masses, _, classes = credal
    rows = [
        dict(zip(group["focal_set"], group["mass"], strict=True))
        for _, group in masses.groupby("row")
    ]
    one, two = SoftLabels.from_masses(rows, classes), SoftLabels.from_masses(masses, classes)
    np.testing.assert_array_equal(one.focal.words, two.focal.words)
    np.testing.assert_array_equal(one.focal.mass, two.focal.mass)


def test_the_class_of_highest_pignistic_probability_is_right_as_often_as_published(data_file):
    soft = pd.read_csv(data_file("credal_dog2_soft.csv"))
    masses = pd.read_csv(data_file("credal_dog2_masses.csv"))
    masses["focal_set"] = [tuple(names.split("|")) for names in masses["focal_set"]]
    labels = SoftLabels.from_masses(masses)
    truth = SoftLabels.from_crisp(soft["label"], labels.classes)
    # no answer of Dog-2 makes the truth impossible
    assert (labels.conflict(truth) < 1).all()
    # published: 0.845, with some choice among tied classes
    right = soft["label"].to_numpy()[:, None] == labels.classes
    betp = labels.pignistic
    best = np.abs(betp - betp.max(axis=1, keepdims=True)) < 1e-9
    tied = best.sum(axis=1) > 1
    surely = np.mean((best & right).any(axis=1) & ~tied)
    perhaps = np.mean((best & right).any(axis=1))
    assert surely <= 0.845 + 1e-9 and 0.845 - 1e-9 <= perhaps


def test_votes_on_entailment_and_grades_of_patients(data_file):
    table = pd.read_csv(data_file("anesthesia.csv"))
    votes = Votes(table, "item", "rater", "rating", items=np.unique(table["item"]))
    assert votes.shape == (45, 4) and votes.counts.sum() == 315
    assert (votes.counts.sum(axis=1) == 7).all()
    crowd = pd.read_csv(data_file("crowd_rte.csv"))
    votes = Votes(crowd, "row", "worker", "answer")
    truth = crowd.groupby("row")["label"].first()
    vote = votes.classes[votes.counts.argmax(axis=1)]
    assert np.mean(vote == truth.to_numpy()) == pytest.approx(0.9, abs=0.02)
