from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from papers import quost2017_annotators as annotators
from papers import quost2017_checks as checks
from papers import quost2017_noise as noise
from papers.data import table
from papers.page import Page
from papers.quost2017 import noise_cells
from papers.quost2017_mardia import SOILS, VOWELS, mardia_section
from papers.quost2017_people import people_cells
from papers.verdicts import estimate

DataFile = Callable[[str], Path]


def test_the_settings_are_the_papers() -> None:
    cells = noise_cells(50)
    assert len(cells) == (9 + 7 * 7) * 50
    assert noise.noise_means("wine") == [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]
    assert [len(VOWELS), len(SOILS)] == [11, 6]


def test_a_cell_determines_its_errors() -> None:
    cell = {"data": "iris", "mean": 0.4, "repetition": 3}
    errors = noise.work(cell)
    assert errors == noise.work(dict(cell))
    assert errors != noise.work(cell | {"repetition": 4})


def test_crisp_labels_leave_no_room_for_a_start() -> None:
    errors = noise.work({"data": "synthetic", "mean": 0.5, "repetition": 0})
    assert errors["oracle noisy"] == errors["honest noisy"]
    assert errors["oracle truth"] == errors["honest truth"]
    # Bayes error of the three Gaussians is 0.26; a third of the labels are wrong.
    assert 0.2 < (errors["oracle truth"] or 0) < (errors["oracle noisy"] or 0) < 0.5


def test_splits_are_the_same_at_all_levels_of_noise_and_labels_are_not() -> None:
    low, high = (
        noise.trial_of({"data": "wine", "mean": mean, "repetition": 0}) for mean in (0.1, 0.7)
    )
    np.testing.assert_array_equal(low.X, high.X)
    assert len(low.y) == 119
    assert np.mean(low.labels.observed != low.y) < 0.15 < np.mean(high.labels.observed != high.y)
    raw = noise.trial_of({"data": "wine", "mean": 0.1, "repetition": 0, "scaled": False})
    np.testing.assert_array_equal(low.labels.doubts, raw.labels.doubts)
    assert raw.X.max() > 1000.0 > low.X.max()


def test_songs_have_the_votes_of_their_listeners(data_file: DataFile) -> None:
    data_file("music_genre_answers.csv")
    songs = annotators.crowd("music")
    assert songs.X.shape == (700, 124)
    answers = table("music_genre_answers")
    genres = sorted(answers["answer"].unique())
    first = answers[answers["row"] == 0]["answer"].value_counts()
    shares = dict(zip(genres, songs.soft.beliefs[0], strict=True))
    assert all(shares[name] == pytest.approx(first.get(name, 0) / first.sum()) for name in genres)
    assert np.mean(songs.majority == songs.truth) == pytest.approx(0.711, abs=0.02)


def test_birds_have_the_product_of_discounted_contours(data_file: DataFile) -> None:
    data_file("credal_bird10_masses.csv")
    birds, masses = annotators.crowd("birds"), table("credal_bird10_masses")
    species = sorted(table("credal_bird10")["label"].unique())
    for row in (2, 57):
        contour = np.ones(10)
        for _, answer in masses[masses["row"] == row].groupby("worker"):
            pl = [
                sum(
                    mass
                    for focal, mass in zip(answer["focal_set"], answer["mass"], strict=True)
                    if name in focal.split("|")
                )
                for name in species
            ]
            contour *= 0.1 + 0.9 * np.array(pl)
        np.testing.assert_allclose(birds.soft.plausibilities[row], contour / contour.max())


def test_one_fold_of_people(data_file: DataFile) -> None:
    data_file("credal_dog2_masses.csv")
    errors = annotators.work({"data": "dogs2", "components": 2, "repetition": 0, "fold": 1})
    assert len(errors) == 2 * 3 * 4
    for name in ("lr soft", "lda majority"):
        assert errors[f"{name} lower"] < errors[f"{name} upper"]
        assert errors[f"{name} truth"] < 0.1
    assert len(people_cells(2)) % 20 == 0


def test_the_interval_of_folds_is_wider_than_that_of_independent_values() -> None:
    values = [float(number % 7) for number in range(50)]
    folds, independent = annotators.fold_estimate(values), estimate(values)
    wider = (folds.high - folds.low) / (independent.high - independent.low)
    assert wider == pytest.approx(np.sqrt((1 / 50 + 1 / 9) * 50))


def test_the_twin_has_the_moments_of_the_data() -> None:
    trial = noise.trial_of({"data": "synthetic", "mean": 0.1, "repetition": 0})
    rng = np.random.default_rng(0)
    trial.X, trial.y = np.repeat(trial.X, 100, axis=0), np.repeat(trial.y, 100)
    twin = checks._gaussian_twin(trial, rng)
    for k in range(3):
        mine, theirs = trial.X[trial.y == k], twin.X[twin.y == k]
        np.testing.assert_allclose(mine.mean(axis=0), theirs.mean(axis=0), atol=0.05)
    assert twin.test[0].shape == trial.test[0].shape


@pytest.mark.filterwarnings("ignore:The fit ended by")
def test_a_discount_of_zero_is_the_fit_to_the_truth() -> None:
    cell = {"data": "iris", "mean": 0.1, "repetition": 0}
    discounted, plain = checks.work_discounts(cell), noise.work(cell)
    assert discounted["lda 0.0"] == plain["honest truth"]
    assert discounted["lr 0.0"] == plain["lr truth"]
    assert set(checks.work_steps(cell)) == {"2", "5", "20", "200", "noisy"}


def test_mardias_tables_come_out(data_file: DataFile, tmp_path: Path) -> None:
    data_file("vowel.csv")
    page = Page("mardia", "Mardia", folder=tmp_path)
    mardia_section(page)
    rows = [line for line in page.write().read_text().splitlines() if " / " in line][1:]
    verdicts = [row.split(" | ")[-1].removesuffix(" |") for row in rows if row.startswith("| ")]
    assert len(verdicts) == 17
    assert [verdict for verdict in verdicts if "differs" in verdict] == [
        "agrees within rounding: χ², its p, z; differs: p of z"
    ]
    assert verdicts[11:] == ["agrees"] * 6
