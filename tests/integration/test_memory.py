"""A fit holds blocks of rows, never all of them, beside what the user gave."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from labelief import (
    FlipNoise,
    GenerativeClassifier,
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from labelief.densities import DiagonalGaussian

MEGABYTE = 2**20
N, D = 160_000, 20


@pytest.fixture(scope="module")
def mapped(tmp_path_factory):
    """Rows on disk, 24 MB in doubles, and their classes."""
    rng = np.random.default_rng(0)
    classes = rng.integers(0, 3, N).astype(np.int8)
    rows = np.memmap(
        tmp_path_factory.mktemp("rows") / "X", dtype=np.float64, mode="w+", shape=(N, D)
    )
    rows[:] = rng.normal(size=(N, D))
    rows[:, 0] += classes
    rows.flush()
    return np.memmap(rows.filename, dtype=np.float64, mode="r", shape=(N, D)), classes


def peak(work):
    """Return the most bytes that were held at once beyond those held before."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


MODELS = {
    "tied": LinearDiscriminantAnalysis(max_iter=2),
    "full, flips": QuadraticDiscriminantAnalysis(max_iter=2, channel=FlipNoise()),
    "diagonal x 2": GenerativeClassifier(DiagonalGaussian(), 2, max_iter=2),
}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", MODELS)
def test_rows_on_disk_stay_there(name, mapped):
    X, classes = mapped
    whole = X.size * 8
    assert whole > 24 * MEGABYTE
    assert peak(lambda: MODELS[name].fit(X, classes)) < 14 * MEGABYTE


def test_soft_labels_are_read_in_place(mapped):
    X, classes = mapped
    pl = np.full((N, 3), 0.2)
    pl[np.arange(N), classes] = 1.0
    model = LinearDiscriminantAnalysis(max_iter=2)
    with pytest.warns(ConvergenceWarning):
        most = peak(lambda: model.fit(X, pl))
    assert most < 14 * MEGABYTE


def test_predictions_hold_their_answer_and_blocks(mapped):
    X, classes = mapped
    model = LinearDiscriminantAnalysis().fit(X[:5000], classes[:5000])
    answer = N * 3 * 8
    assert peak(lambda: model.predict_proba(X)) < 2.2 * answer + 10 * MEGABYTE


def test_smaller_types_are_not_widened_as_a_whole(mapped):
    X, classes = mapped
    single = X.astype(np.float32)
    assert peak(lambda: LinearDiscriminantAnalysis().fit(single, classes)) < 14 * MEGABYTE
