from __future__ import annotations

import numpy as np
import pytest

from labelief.simulation import (
    asymmetric_noise,
    blur_labels,
    confuse_labels,
    flip_labels,
    replace_labels,
    symmetric_noise,
)

N, K = 40_000, 4
NAMES = np.array(["a", "b", "c", "d"])
CODES = np.random.default_rng(0).choice(K, size=N, p=[0.4, 0.3, 0.2, 0.1])
TRUTH = NAMES[CODES]


def close(share, expected, spread=0.5):
    """Whether a share of N draws is as expected within five standard errors."""
    return abs(np.mean(share) - expected) < 5.0 * spread / np.sqrt(np.size(share))


@pytest.mark.parametrize("mean", [0.1, 0.4])
@pytest.mark.parametrize("process", [replace_labels, flip_labels, confuse_labels])
def test_doubts_have_their_mean_and_variance_and_govern_the_errors(process, mean):
    variance = 0.05
    made = process(TRUTH, mean, variance, random_state=1)
    assert close(made.doubts, mean, np.sqrt(variance))
    assert made.doubts.var() == pytest.approx(variance, rel=0.05)
    wrong = made.observed != TRUTH
    factor = (K - 1) / K if process is replace_labels else 1.0
    for low, high in ((0.0, 0.1), (0.1, 0.5), (0.5, 1.0)):
        part = (made.doubts >= low) & (made.doubts < high)
        assert close(wrong[part], factor * made.doubts[part].mean())
    # wrong labels are spread evenly over the other classes
    for k in range(K):
        seen = made.observed[wrong & (CODES == k)]
        for other in set(NAMES) - {NAMES[k]}:
            assert close(seen == other, 1 / (K - 1))


@pytest.mark.parametrize("process", [replace_labels, flip_labels])
def test_soft_labels_are_discounted_by_the_doubt(process):
    made = process(TRUTH, 0.3, random_state=2)
    pl = made.soft.plausibilities
    own = np.searchsorted(NAMES, made.observed)
    np.testing.assert_array_equal(pl[np.arange(N), own], 1.0)
    np.testing.assert_allclose(pl[np.arange(N), (own + 1) % K], made.doubts)


def test_doquires_expert_hesitates_between_two():
    made = confuse_labels(TRUTH, 0.3, random_state=3)
    assert made.doubts.var() == pytest.approx(0.1, rel=0.05)
    p = made.soft.pignistic
    np.testing.assert_allclose(p[np.arange(N), CODES], 1.0 - made.doubts)
    assert np.all((p > 0).sum(axis=1) <= 2)
    # what is observed is one of the two, the other one with probability β
    seen = np.searchsorted(NAMES, made.observed)
    expected = np.where(seen == CODES, 1.0 - made.doubts, made.doubts)
    np.testing.assert_allclose(p[np.arange(N), seen], expected)


def test_blurred_labels_are_vague_and_never_wrong():
    made = blur_labels(TRUTH, 0.5, random_state=4)
    np.testing.assert_array_equal(made.observed, TRUTH)
    vague = made.soft.nonspecificity()
    assert vague.min() >= 0.45 - 1e-12
    assert vague.max() <= 0.55 + 1e-12
    assert close(vague, 0.5, 0.1 / np.sqrt(12))
    np.testing.assert_array_equal(made.soft.plausibilities[np.arange(N), CODES], 1.0)
    two = blur_labels([0, 1], np.log(2), random_state=0).soft
    assert two.nonspecificity().max() <= np.log(2) + 1e-12


def test_symmetric_noise():
    made = symmetric_noise(TRUTH, 0.3, random_state=5)
    assert close(made.observed != TRUTH, 0.3)
    for k in range(K):
        of_class = made.observed[CODES == k]
        assert close(of_class == NAMES[(k + 2) % K], 0.1)


def test_asymmetric_noise_goes_to_the_next_class():
    made = asymmetric_noise(TRUTH, 0.3, random_state=6)
    wrong = made.observed != TRUTH
    assert close(wrong, 0.3)
    np.testing.assert_array_equal(made.observed[wrong], NAMES[(CODES[wrong] + 1) % K])


def test_of_two_classes_one_is_flipped_and_all_objects_count():
    truth = np.where(np.random.default_rng(0).random(N) < 0.7, "x", "y")
    made = asymmetric_noise(truth, 0.2, random_state=7)
    wrong = made.observed != truth
    assert close(wrong, 0.2)
    assert set(truth[wrong]) == {"x"}
    made = asymmetric_noise(truth, 0.2, only="y", random_state=7)
    assert set(truth[made.observed != truth]) == {"y"}
    assert close(made.observed != truth, 0.2)
    with pytest.raises(ValueError, match="of a class that is flipped"):
        asymmetric_noise(truth, 0.5, only="y")


PROCESSES = [replace_labels, flip_labels, confuse_labels, symmetric_noise, asymmetric_noise]


@pytest.mark.parametrize("process", [*PROCESSES, blur_labels])
def test_a_seed_repeats_and_the_truth_is_left_alone(process):
    before = TRUTH.copy()
    one, two = (process(TRUTH, 0.2, random_state=8) for _ in range(2))
    np.testing.assert_array_equal(one.observed, two.observed)
    np.testing.assert_array_equal(one.soft.plausibilities, two.soft.plausibilities)
    np.testing.assert_array_equal(before, TRUTH)
    rng = np.random.default_rng(8)
    one, two = (process(TRUTH, 0.2, random_state=rng) for _ in range(2))
    assert np.any(one.observed != two.observed) or np.any(one.doubts != two.doubts)


@pytest.mark.parametrize("process", PROCESSES)
def test_classes_that_do_not_occur_can_be_observed(process):
    made = process(["a"] * 500, 0.8, classes=["a", "b"], random_state=0)
    assert set(made.observed) == {"a", "b"}
    assert made.soft.classes.tolist() == ["a", "b"]
    with pytest.raises(ValueError, match="one class"):
        process(["a"] * 500, 0.9)
    with pytest.raises(ValueError, match="row 1"):
        process(["a", None, "b"], 0.9)


def test_impossible_parameters_are_refused():
    with pytest.raises(ValueError, match=r"variance above 0 and below 0\.09"):
        flip_labels(TRUTH, 0.1, 0.2)
    with pytest.raises(ValueError, match="mean"):
        replace_labels(TRUTH, 1.0)
    with pytest.raises(ValueError, match="rate"):
        symmetric_noise(TRUTH, 1.2)
