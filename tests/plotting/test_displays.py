from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from labelief import (
    AnnotatorNoise,
    EvidentialKNN,
    FlipNoise,
    LinearDiscriminantAnalysis,
    SoftLabels,
    Votes,
)
from labelief.feature_selection import weighted_laplacian_score
from labelief.model_selection import rank_models
from labelief.plotting import (
    ClassMapDisplay,
    ConfusionDisplay,
    ConvergenceDisplay,
    FeatureScoreDisplay,
    LabelPrecisionDisplay,
    LeaderboardDisplay,
    SoftCalibrationDisplay,
)
from labelief.plotting.colours import colour_of, mixed

RNG = np.random.default_rng(5)
N = 90
TRUTH = np.tile(["ash", "elm", "oak"], N // 3)
X = RNG.normal(size=(N, 4)) + 2.5 * np.eye(3, 4)[np.arange(N) % 3]
SOFT = SoftLabels.from_confidences(TRUTH, RNG.uniform(0.3, 1.0, N))


@pytest.fixture(scope="module")
def flipped():
    wrong = np.where(np.arange(N) % 7 == 0, "oak", TRUTH)
    return LinearDiscriminantAnalysis(channel=FlipNoise(), tol=1e-4).fit(X, wrong)


@pytest.fixture(scope="module")
def annotated():
    who = np.tile(["ann", "bob", "cy"], N)
    says = np.where(np.arange(3 * N) % 11 == 0, "ash", np.repeat(TRUTH, 3))
    votes = Votes({"i": np.repeat(np.arange(N), 3), "w": who, "s": says}, "i", "w", "s")
    return LinearDiscriminantAnalysis(channel=AnnotatorNoise(), tol=1e-4).fit(X, votes)


def spans(bars):
    return [(bar.get_x(), bar.get_x() + bar.get_width()) for bar in bars]


def test_leaderboard():
    models = {"lda": LinearDiscriminantAnalysis(), "knn": EvidentialKNN(3)}
    ranking = rank_models(models, X, SOFT, cv=3)
    shown = LeaderboardDisplay.from_ranking(ranking).plot()
    results = [ranking.results[name] for name in ranking.names]
    assert shown.names == list(ranking.names)
    np.testing.assert_allclose(spans(shown.bars_), [(r.lower, r.upper) for r in results])
    lines = [segment[:, 0] for segment in shown.whiskers_.get_segments()]
    np.testing.assert_allclose(lines, [r.confidence_interval for r in results])
    assert [words.get_text() for words in shown.ax_.get_yticklabels()] == list(ranking.names)
    # best on top
    assert shown.ax_.yaxis_inverted()
    with pytest.raises(ValueError, match="empty"):
        LeaderboardDisplay.from_estimates({})


def test_flip_matrix(flipped):
    shown = ConfusionDisplay.from_estimator(make_pipeline(StandardScaler(), flipped)[1:]).plot()
    np.testing.assert_array_equal(shown.im_.get_array(), flipped.channel_.matrix_)
    texts = [int(words.get_text()) for words in shown.text_]
    np.testing.assert_allclose(texts, 100 * flipped.channel_.matrix_.ravel(), atol=0.5)
    assert [t.get_text() for t in shown.ax_.get_yticklabels()] == ["ash", "elm", "oak"]
    again = ConfusionDisplay.from_channel(flipped.channel_)
    assert again.classes == ["0", "1", "2"]


def test_annotator_matrices(annotated):
    channel = annotated.channel_
    pooled = ConfusionDisplay.from_estimator(annotated).plot()
    np.testing.assert_array_equal(pooled.im_.get_array(), channel.pooled_matrix_)
    one = ConfusionDisplay.from_channel(channel, annotated.classes_, "bob").plot()
    np.testing.assert_array_equal(one.im_.get_array(), channel.matrices_[1])
    assert "bob" in one.ax_.get_title()
    with pytest.raises(ValueError, match="'dan' gave no votes"):
        ConfusionDisplay.from_estimator(annotated, "dan")


def test_confusion_of_strange_matrices():
    with pytest.raises(ValueError, match="row 1 of matrix"):
        ConfusionDisplay.from_matrix([[1, 0], [3, 1]])
    with pytest.raises(ValueError, match="2-D"):
        ConfusionDisplay.from_matrix([1, 0])
    with pytest.raises(ValueError, match="1 classes and 1 answers"):
        ConfusionDisplay.from_matrix(np.eye(2), ["a"])
    plain = LinearDiscriminantAnalysis().fit(X, TRUTH)
    with pytest.raises(ValueError, match="holds no learned matrix"):
        ConfusionDisplay.from_estimator(plain)
    with pytest.raises(ValueError, match="knows no annotators"):
        ConfusionDisplay.from_estimator(plain, "ann")
    wide = ConfusionDisplay.from_matrix([[0.5, 0.25, 0.25]], ["a"]).plot()
    assert [t.get_text() for t in wide.ax_.get_xticklabels()] == ["0", "1", "2"]
    many = ConfusionDisplay.from_matrix(np.eye(30)).plot()
    assert many.text_ == []


def test_class_map_on_discriminant_axes(flipped):
    shown = ClassMapDisplay.from_estimator(flipped, X, SOFT, doubtful=[3, 8]).plot()
    np.testing.assert_allclose(shown.points_.get_offsets(), flipped.transform(X)[:, :2])
    np.testing.assert_allclose(shown.rings_.get_offsets(), flipped.transform(X)[[3, 8], :2])
    assert [t.get_text() for t in shown.legend_.get_texts()] == [
        "probably wrong",
        "ash",
        "elm",
        "oak",
    ]
    from matplotlib.colors import to_hex

    drawn = [to_hex(colour) for colour in shown.points_.get_facecolors()]
    assert drawn == mixed(SOFT.pignistic)


def test_class_map_of_a_pipeline_and_unknown_labels():
    pipe = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, TRUTH)
    y = TRUTH.astype(object)
    y[0] = None
    mask = np.arange(N) < 2
    shown = ClassMapDisplay.from_estimator(pipe, X, y, doubtful=mask)
    scaled = pipe[0].transform(X)
    # principal components: uncorrelated, largest variance first
    covariance = np.cov(shown.coordinates.T)
    values = np.linalg.eigvalsh(np.cov(scaled.T))[::-1][:2]
    np.testing.assert_allclose(covariance, np.diag(values), atol=1e-10)
    np.testing.assert_allclose(shown.shares[0], 1 / 3)
    assert shown.names[0] == "first principal component"
    assert shown.plot().rings_.get_offsets().shape == (2, 2)
    with pytest.raises(ValueError, match="row numbers from 0 to 89"):
        ClassMapDisplay.from_estimator(pipe, X, y, doubtful=[90])
    with pytest.raises(ValueError, match="90 rows"):
        ClassMapDisplay.from_estimator(pipe, X, y, doubtful=mask[:5])


def test_soft_calibration_lies_between_belief_and_plausibility():
    proba = RNG.dirichlet(np.ones(3), N)
    shown = SoftCalibrationDisplay.from_predictions(SOFT, proba, n_bins=4).plot()
    found = shown.calibration
    best = proba.argmax(axis=1)
    at = np.arange(N), best
    order = np.argsort(proba[at])
    assert found.rows.sum() == N
    for rows, sure, agrees, low, high in zip(
        np.split(order, np.cumsum(found.rows)[:-1]),
        found.sure,
        found.agrees,
        found.lower,
        found.upper,
        strict=True,
    ):
        assert sure == pytest.approx(proba[at][rows].mean())
        assert agrees == pytest.approx(SOFT.pignistic[at][rows].mean())
        assert low == pytest.approx(SOFT.beliefs[at][rows].mean())
        assert high == pytest.approx(SOFT.plausibilities[at][rows].mean())
    np.testing.assert_array_equal(shown.line_.get_data(), [found.sure, found.agrees])
    edge = shown.band_.get_paths()[0].vertices
    assert {tuple(p) for p in np.c_[found.sure, found.upper]} <= {tuple(p) for p in edge}


def test_soft_calibration_of_an_estimator(flipped):
    a = SoftCalibrationDisplay.from_estimator(flipped, X, TRUTH).calibration
    columns = flipped.predict_proba(X)[:, ::-1]
    b = SoftCalibrationDisplay.from_predictions(TRUTH, columns, classes=["oak", "elm", "ash"])
    np.testing.assert_allclose(a.agrees, b.calibration.agrees)
    # crisp labels leave nothing open
    np.testing.assert_allclose(a.lower, a.upper)
    with pytest.raises(ValueError, match="n_bins"):
        SoftCalibrationDisplay.from_estimator(flipped, X, TRUTH, n_bins=0)


def test_equal_certainties_share_a_bin():
    proba = np.tile([0.9, 0.1], (50, 1))
    found = SoftCalibrationDisplay.from_predictions(["a", "b"] * 25, proba).calibration
    assert found.rows.tolist() == [50]
    assert found.agrees.tolist() == [0.5]
    sure = np.r_[np.linspace(0.6, 0.9, 50), np.linspace(0.995, 1, 150)]
    found = SoftCalibrationDisplay.from_predictions(["a", "b"] * 100, np.c_[sure, 1 - sure])
    assert found.calibration.rows.sum() == 200
    assert (np.diff(found.calibration.sure) > 0.01).all()
    assert len(found.calibration.rows) >= 3


def test_convergence(flipped):
    shown = ConvergenceDisplay.from_estimator(flipped).plot()
    steps, gain = shown.line_.get_data()
    np.testing.assert_array_equal(steps, np.arange(1, flipped.n_iter_ + 1))
    np.testing.assert_allclose(gain + flipped.history_[0], flipped.history_)
    assert shown.ax_.get_title() == f"converged after {flipped.n_iter_} iterations"
    with pytest.raises(ValueError, match="EvidentialKNN has no history_"):
        ConvergenceDisplay.from_estimator(EvidentialKNN(3).fit(X, TRUTH))


def test_feature_scores():
    numbers = np.c_[X, np.ones(N)]
    scores = weighted_laplacian_score(numbers, SOFT)
    shown = FeatureScoreDisplay.from_scores([f"x{j}" for j in range(5)], scores).plot()
    order = np.argsort(scores)
    assert shown.names == [f"x{j}" for j in order]
    assert order[-1] == 4
    widths = [bar.get_width() for bar in shown.bars_]
    np.testing.assert_allclose(widths, [*scores[order[:-1]], 0.0])
    assert shown.ax_.texts[-1].get_text() == "constant"
    assert FeatureScoreDisplay.from_scores(None, scores, n_features=1).names == [
        f"feature {order[0]}"
    ]
    for names, values, match in [
        (["a"], [1.0, 2.0], "1 names and 2 scores"),
        (None, [1.0, np.nan], "NaN for feature 1"),
        (None, [], "one number a feature"),
    ]:
        with pytest.raises(ValueError, match=match):
            FeatureScoreDisplay.from_scores(names, values)


def test_label_precision():
    shown = LabelPrecisionDisplay.from_labels(SOFT).plot(bins=10)
    np.testing.assert_allclose(shown.openness, SOFT.nonspecificity() / np.log(3))
    heights = [bar.get_height() for bar in shown.bars_]
    np.testing.assert_array_equal(heights, np.histogram(shown.openness, 10, (0, 1))[0])
    crisp = LabelPrecisionDisplay.from_labels(["a", "b", None]).openness
    np.testing.assert_allclose(crisp, [0, 0, 1])


def test_given_axes_are_drawn_on(flipped):
    from matplotlib.figure import Figure

    figure = Figure()
    ax = figure.subplots()
    shown = ConvergenceDisplay.from_estimator(flipped).plot(ax)
    assert shown.ax_ is ax
    assert shown.figure_ is figure


def test_colours_mix_by_light():
    one = np.eye(12)
    assert mixed(one) == [colour_of(k) for k in range(12)]
    assert len(set(mixed(one))) == 12
    half = int(mixed(np.array([[0.5, 0.5]]))[0][1:3], 16)
    first, second = (int(colour_of(k)[1:3], 16) for k in range(2))
    assert half == round(((first**2.2 + second**2.2) / 2) ** (1 / 2.2))
    assert mixed(np.zeros((1, 2))) == mixed(np.ones((1, 2)))


def test_without_matplotlib_only_drawing_fails():
    code = (
        "import sys; sys.modules['matplotlib'] = None; sys.modules['matplotlib.pyplot'] = None\n"
        "from labelief.plotting import ConvergenceDisplay\n"
        "shown = ConvergenceDisplay([1.0, 2.0])\n"
        "try: shown.plot()\n"
        "except ImportError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.startswith("ConvergenceDisplay.plot needs matplotlib"), done.stderr
