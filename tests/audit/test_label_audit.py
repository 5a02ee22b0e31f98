"""Labels weighed against held-out probabilities."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.special import softmax

from labelief import AnnotatorNoise, FlipNoise, SoftLabels, Trusted, Votes
from labelief.audit import weigh_labels
from labelief.audit.mistakes import EvenFlips, LabelledProbabilities, Mistakes, alike
from labelief.blocks import ArrayBlocks
from labelief.channels.flip_noise import FullFlips, SymmetricFlips
from labelief.models import HeldOut
from labelief.solvers import Parameters, Problem
from labelief.solvers.em import squarem_step
from labelief.solvers.loop import State

CLASSES = np.array(["cat", "dog", "fox"])


def simulated(n=3000, seed=0, n_classes=3, rate=0.15, sharp=1.0):
    """Probabilities that are right, truth drawn from them, labels flipped to the next class."""
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.full(n_classes, 0.25), n)
    truth = (rng.random((n, 1)) > np.cumsum(p, axis=1)).sum(axis=1)
    wrong = rng.random(n) < rate
    seen = np.where(wrong, (truth + 1) % n_classes, truth)
    given = p**sharp
    return given / given.sum(axis=1, keepdims=True), truth, seen


def with_label(p, codes, matrix, beta=1.0):
    """Bayes, row by row."""
    out = np.empty_like(p)
    for i, row in enumerate(p):
        joint = np.array([row[k] ** beta * matrix[k][codes[i]] for k in range(len(row))])
        out[i] = joint / joint.sum()
    return out


def test_under_a_known_channel_the_posterior_is_bayes():
    p, _, seen = simulated(200)
    matrix = np.array([[0.8, 0.1, 0.1], [0.3, 0.6, 0.1], [0.0, 0.2, 0.8]])
    audit = weigh_labels(p, CLASSES[seen], channel=FlipNoise(matrix=matrix))
    floored = np.maximum(p, 1e-6)
    expected = with_label(floored, seen, matrix, audit.sharpness)
    np.testing.assert_allclose(audit.posterior, expected, rtol=1e-8, atol=1e-12)
    np.testing.assert_allclose(audit.doubt, 1 - expected[np.arange(200), seen], atol=1e-12)
    np.testing.assert_allclose(audit.conflict, 1 - p[np.arange(200), seen], atol=1e-12)
    np.testing.assert_allclose(audit.probabilities, p)
    assert audit.expected_errors == pytest.approx(audit.doubt.sum())
    assert audit.flagged.tolist() == (audit.doubt > 0.5).tolist()
    np.testing.assert_array_equal(audit.suggested, CLASSES[expected.argmax(axis=1)])
    assert audit.converged


def test_doubts_are_the_frequencies_of_errors():
    p, truth, seen = simulated(6000)
    audit = weigh_labels(p, CLASSES[seen])
    wrong = truth != seen
    assert audit.expected_errors == pytest.approx(wrong.sum(), rel=0.08)
    for low, high in ((0.0, 0.1), (0.1, 0.5), (0.5, 0.9), (0.9, 1.01)):
        inside = (audit.doubt >= low) & (audit.doubt < high)
        assert inside.sum() > 30
        margin = 4 * np.sqrt(audit.doubt[inside].mean() * 0.5 / inside.sum()) + 0.02
        assert wrong[inside].mean() == pytest.approx(audit.doubt[inside].mean(), abs=margin)
    flips = np.zeros((3, 3))
    np.add.at(flips, (truth, seen), 1.0)
    flips /= flips.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(audit.flip_rates, flips, atol=0.03)
    assert audit.sharpness == pytest.approx(1.0, abs=0.15)


def test_the_kind_of_flips_is_learned_too():
    p, _, _ = simulated(4000, n_classes=4)
    truth = (np.random.default_rng(9).random((4000, 1)) > np.cumsum(p, axis=1)).sum(axis=1)
    truth = truth.clip(max=3)
    rng = np.random.default_rng(3)
    anywhere = (truth + rng.integers(1, 4, 4000)) % 4
    rates = np.array([0.05, 0.3, 0.05, 0.3])
    for expected, rate, other in (
        ("one rate", 0.2, anywhere),
        ("a rate per class", rates[truth], anywhere),
        ("a rate per pair", 0.2, (truth + 1) % 4),
    ):
        seen = np.where(rng.random(4000) < rate, other, truth)
        audit = weigh_labels(p, seen)
        assert max(audit.hypotheses, key=audit.hypotheses.get) == expected
        assert sum(audit.hypotheses.values()) == pytest.approx(1.0)
        assert audit.expected_errors == pytest.approx((truth != seen).sum(), rel=0.12)


def test_hypotheses_are_averaged_by_akaikes_weights():
    """Every hypothesis fitted alone: the mean of their posteriors by exp(log L - parameters)."""
    p, _, seen = simulated(60, seed=4)
    audit = weigh_labels(p, seen)
    q = np.maximum(p, 1e-6)
    q /= q.sum(axis=1, keepdims=True)
    labels = np.eye(3)[seen]
    evidence = LabelledProbabilities(labels, alike(labels, q))
    scores, posteriors = [], []
    for flips in (SymmetricFlips, EvenFlips, FullFlips):
        channel = Mistakes(flips(3))
        problem = Problem(ArrayBlocks(np.log(q), evidence), HeldOut(3), channel, 3)
        state = State(problem.evaluate(Parameters(0.0, channel.start())))
        for _ in range(300):
            state, _ = squarem_step(problem, state)
        best = state.evaluation.parameters
        weights = evidence.weights(channel.likelihoods(best.channel))
        prior = softmax(np.exp(best.model) * np.log(q), axis=1)
        joint = prior * weights
        posteriors.append(joint / joint.sum(axis=1, keepdims=True))
        scores.append(np.sum(np.log(joint.sum(axis=1))) - channel.n_parameters())
    shares = softmax(scores)
    # the library stops where an iteration gains less than 1e-6 a row
    np.testing.assert_allclose(list(audit.hypotheses.values()), shares, atol=0.02)
    np.testing.assert_allclose(audit.posterior, np.tensordot(shares, posteriors, axes=1), atol=0.05)


@pytest.mark.parametrize("sharp", [0.5, 2.0])
def test_dull_and_bold_probabilities_are_mended(sharp):
    p, truth, seen = simulated(6000, sharp=sharp)
    audit = weigh_labels(p, CLASSES[seen])
    assert audit.sharpness == pytest.approx(1 / sharp, rel=0.2)
    assert audit.expected_errors == pytest.approx((truth != seen).sum(), rel=0.1)


def test_slips_to_alike_classes_are_told_from_habits():
    rng = np.random.default_rng(5)
    p = rng.dirichlet(np.full(4, 0.4), 5000)
    truth = (rng.random((5000, 1)) > np.cumsum(p, axis=1)).sum(axis=1)
    others = p.copy()
    others[np.arange(5000), truth] = 0
    others /= others.sum(axis=1, keepdims=True)
    slip = (rng.random((5000, 1)) > np.cumsum(others, axis=1)).sum(axis=1).clip(max=3)
    seen = np.where(rng.random(5000) < 0.2, slip, truth)
    found = weigh_labels(p, seen)
    alone = weigh_labels(p, seen, channel=FlipNoise())
    wrong = truth != seen
    worst = [wrong[audit.order()[: wrong.sum()]].mean() for audit in (found, alone)]
    assert worst[0] > worst[1]
    assert found.expected_errors == pytest.approx(wrong.sum(), rel=0.1)


def test_trusted_labels_are_not_doubted():
    p, _, seen = simulated(100)
    audit = weigh_labels(p, CLASSES[seen], channel=Trusted())
    assert audit.doubt.max() == 0.0 and not audit.flagged.any()


@pytest.mark.parametrize("kind", ["crisp", "missing", "soft", "matrix", "frame", "votes"])
def test_every_kind_of_label_finds_the_wrong_ones(kind):
    p, truth, seen = simulated(1500, seed=2)
    wrong, unknown = truth != seen, np.zeros(1500, dtype=bool)
    crisp = CLASSES[seen]
    if kind == "crisp":
        y = pd.Series(crisp, index=np.arange(1500)[::-1])
    elif kind == "missing":
        unknown[::7] = True
        y = np.where(unknown, None, crisp)
    elif kind == "soft":
        y = SoftLabels.from_confidences(crisp, 0.9, CLASSES)
    elif kind == "votes":
        item = np.repeat(np.arange(1500), 3)
        rng = np.random.default_rng(0)
        # one of three follows the truth, two agree on what was seen
        said = np.where(np.tile([True, False, False], 1500), truth[item], seen[item])
        said = np.where(rng.random(4500) < 0.1, rng.integers(0, 3, 4500), said)
        table = {"i": item, "a": np.tile(["x", "y", "z"], 1500), "l": CLASSES[said]}
        y = Votes(table, "i", "a", "l")
    else:
        matrix = 0.4 * (0.1 + 0.9 * np.eye(3)[seen])
        y = matrix if kind == "matrix" else pd.DataFrame(matrix, columns=CLASSES)
    audit = weigh_labels(p, y, classes=CLASSES)
    assert audit.posterior.shape == (1500, 3)
    assert np.all((audit.doubt >= 0) & (audit.doubt <= 1))
    np.testing.assert_allclose(audit.posterior.sum(axis=1), 1.0)
    assert not audit.doubt[unknown].any() and not audit.conflict[unknown].any()
    wrong &= ~unknown
    worst = audit.order()[: wrong.sum()]
    assert wrong[worst].mean() > 0.7
    assert np.mean(CLASSES[truth] == audit.suggested) > np.mean(truth == seen)


def test_conflict_is_dempsters_with_the_prediction():
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(3), 20)
    sets = [{"cat": 0.5, ("dog", "fox"): 0.3, ("cat", "dog", "fox"): 0.2}] * 20
    labels = SoftLabels.from_masses(sets, CLASSES)
    audit = weigh_labels(p, labels)
    np.testing.assert_allclose(
        audit.conflict, labels.conflict(SoftLabels.from_probabilities(p, CLASSES)), atol=1e-12
    )


def test_doubt_compares_with_what_the_label_favours():
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(2), 50)
    given = np.column_stack([np.full(50, 0.6), np.full(50, 0.4)])
    audit = weigh_labels(p, SoftLabels.from_probabilities(given))
    np.testing.assert_allclose(audit.doubt, audit.posterior[:, 1] * (1 - 0.4 / 0.6), atol=1e-12)
    np.testing.assert_allclose(audit.conflict, 1 - p @ [0.6, 0.4], atol=1e-12)


def test_a_candidate_set_is_doubted_where_the_truth_lies_outside():
    p, truth, _ = simulated(1000, seed=3)
    first = np.where(np.arange(1000) < 60, (truth + 1) % 3, truth)
    second = np.where(np.arange(1000) < 60, (truth + 2) % 3, (truth + 1) % 3)
    y = SoftLabels.from_candidates(
        [{CLASSES[a], CLASSES[b]} for a, b in zip(first, second, strict=True)]
    )
    audit = weigh_labels(p, y)
    outside = 1 - audit.posterior[np.arange(1000), first] - audit.posterior[np.arange(1000), second]
    np.testing.assert_allclose(audit.doubt, outside, atol=1e-10)
    assert np.mean(audit.order()[:30] < 60) > 0.6


def test_verified_rows_are_taken_at_their_word():
    p, _, seen = simulated(300)
    verified = np.arange(300) % 2 == 0
    y = SoftLabels.from_crisp(CLASSES[seen], CLASSES).with_verified(verified)
    audit = weigh_labels(p, y)
    assert audit.doubt[verified].max() == pytest.approx(0.0, abs=1e-12)
    assert audit.doubt[~verified].max() > 0.5


def test_rows_and_classes_may_come_in_any_order():
    p, _, seen = simulated(400)
    audit = weigh_labels(p, CLASSES[seen])
    rows = np.random.default_rng(1).permutation(400)
    turned = weigh_labels(p[rows], CLASSES[seen][rows])
    np.testing.assert_allclose(turned.posterior, audit.posterior[rows], atol=1e-8)
    columns = np.array([2, 0, 1])
    other = weigh_labels(p[:, columns], CLASSES[seen], classes=CLASSES[columns])
    np.testing.assert_allclose(other.posterior, audit.posterior, atol=1e-12)
    named = weigh_labels(pd.DataFrame(p[:, columns], columns=CLASSES[columns]), CLASSES[seen])
    np.testing.assert_allclose(named.posterior, audit.posterior, atol=1e-12)
    both = weigh_labels(
        pl.DataFrame(p, schema=CLASSES.tolist()), CLASSES[seen], classes=CLASSES[columns]
    )
    np.testing.assert_allclose(both.posterior, audit.posterior, atol=1e-12)
    matrix = 0.2 + 0.8 * np.eye(3)[seen]
    bare = weigh_labels(p[:, columns], matrix[:, columns], classes=CLASSES[columns])
    straight = weigh_labels(p, matrix, classes=CLASSES)
    np.testing.assert_allclose(bare.posterior, straight.posterior, atol=1e-12)
    assert bare.classes.tolist() == CLASSES.tolist()


def test_weights_count_rows():
    p, _, seen = simulated(300)
    weights = np.random.default_rng(0).integers(0, 3, 300)
    weights[:3] = 1
    audit = weigh_labels(p, CLASSES[seen], sample_weight=weights)
    times = np.repeat(np.arange(300), weights)
    repeated = weigh_labels(p[times], CLASSES[seen][times])
    np.testing.assert_allclose(audit.posterior[times], repeated.posterior, atol=1e-6)
    assert audit.sharpness == pytest.approx(repeated.sharpness, abs=1e-6)


def test_classes_nobody_has_and_impossible_labels_make_no_nan():
    p = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]] * 5)
    y = np.array(["cat", "dog", "dog"] * 5)
    audit = weigh_labels(p, y, classes=CLASSES)
    for values in (audit.posterior, audit.doubt, audit.conflict, audit.flip_rates):
        assert np.all(np.isfinite(values))
    np.testing.assert_allclose(audit.flip_rates.sum(axis=1), 1.0)
    nothing = weigh_labels(p, np.full(15, None), classes=CLASSES)
    assert nothing.expected_errors == 0.0
    np.testing.assert_array_equal(nothing.flip_rates, np.eye(3))


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_frames_of_every_library(backend):
    p, _, seen = simulated(30)
    audit = weigh_labels(p, CLASSES[seen])
    frame = audit.to_frame(4, backend=backend)
    if backend == "pandas":
        assert frame.index.name == "row"
        frame = frame.reset_index()
    columns = {
        name: np.asarray(frame[name]) for name in ("row", "label", "doubt", "ask", "believed")
    }
    np.testing.assert_array_equal(columns["row"], audit.order())
    np.testing.assert_array_equal(columns["label"], CLASSES[seen][audit.order()])
    np.testing.assert_allclose(columns["doubt"], np.sort(audit.doubt)[::-1])
    assert sorted(columns["ask"])[-4:] == [1, 2, 3, 4]
    believed = CLASSES[audit.probabilities.argmax(axis=1)][audit.order()]
    np.testing.assert_array_equal(columns["believed"], believed)


def test_what_stands_in_the_frame():
    p, _, seen = simulated(200)
    audit = weigh_labels(p, CLASSES[seen])
    cost = np.random.default_rng(0).random(200) + 0.5
    frame = audit.to_frame(5.0, cost=cost, reliability=0.8)
    rows = frame.index.to_numpy()
    best = p.argmax(axis=1)[rows]
    np.testing.assert_allclose(frame["probability"], p[rows, best])
    np.testing.assert_allclose(frame["posterior"], audit.posterior[rows, best])
    np.testing.assert_allclose(frame["conflict"], audit.conflict[rows])
    assert frame["suggested"].tolist() == audit.suggested[rows].tolist()
    asked = frame[frame["ask"] > 0].sort_values("ask")
    assert cost[asked.index].sum() <= 5.0
    worth = asked["gain"] / cost[asked.index]
    assert np.all(np.diff(worth) <= 1e-12)


@pytest.mark.parametrize(
    ("proba", "y", "options", "message"),
    [
        ([[0.5, 0.5]] * 2, ["a", "b"], {"classes": ["a", "b", "c"]}, "proba has 2 columns"),
        ([[0.5, 0.5]] * 2, ["a", "b", "a"], {}, "proba has 2 rows, but y has 3"),
        ([[0.5, 0.4], [0.5, 0.5]], ["a", "b"], {}, "row 0 of proba"),
        ([[0.5, 0.5], [1.5, -0.5]], ["a", "b"], {}, "row 1 of proba"),
        ([[0.5, 0.5], [np.nan, 0.5]], ["a", "b"], {}, "row 1 of proba"),
        ([0.5, 0.5], ["a", "b"], {}, "two dimensions"),
        ([[1.0], [1.0]], ["a", "a"], {}, "one class only"),
        ([[0.5, 0.5]] * 2, ["a", "b"], {"sample_weight": [-1, 1]}, "negative"),
    ],
)
def test_refusals(proba, y, options, message):
    with pytest.raises(ValueError, match=message):
        weigh_labels(proba, y, **options)


def test_a_class_that_bears_the_label_of_another_earns_a_warning():
    p = np.repeat([[0.97, 0.03], [0.05, 0.95]], [150, 50], axis=0)
    y = np.repeat(["sick", "well"], [190, 10])
    with pytest.warns(UserWarning, match="'well' seem to be labelled 'sick' rather"):
        weigh_labels(p, y)


def test_a_channel_for_other_labels_is_refused():
    with pytest.raises(ValueError, match="reads votes"):
        weigh_labels([[0.5, 0.5]] * 2, ["a", "b"], channel=AnnotatorNoise())
