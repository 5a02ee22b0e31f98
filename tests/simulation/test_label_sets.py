from __future__ import annotations

import numpy as np
import pytest

from labelief.simulation import corrupt_label_sets

TRUTH = (np.random.default_rng(0).random((5000, 6)) < 0.3).astype(int)


def test_confidence_governs_errors_and_indecision():
    made = corrupt_label_sets(TRUTH, 0.6, random_state=1)
    wrong = made.noisy != TRUTH
    assert wrong.mean() == pytest.approx(0.25, abs=0.01)
    for low, high in ((0.0, 0.2), (0.2, 0.8), (0.8, 1.0)):
        part = (made.confidence >= low) & (made.confidence <= high)
        expected = (1.0 - made.confidence[part].mean()) / 2.0
        assert wrong[part].mean() == pytest.approx(expected, abs=0.015)
    # 2p ~ Beta(0.5, 0.5): the arcsine law
    for t in (0.2, 0.6):
        share = np.mean(1.0 - made.confidence <= t)
        assert share == pytest.approx(2 / np.pi * np.arcsin(np.sqrt(t)), abs=0.015)
    given = made.confidence >= 0.6
    np.testing.assert_array_equal(np.isnan(made.imprecise), ~given)
    np.testing.assert_array_equal(made.imprecise[given], made.noisy[given])


def test_a_seed_repeats_and_bad_input_is_refused():
    one, two = (corrupt_label_sets(TRUTH, random_state=2) for _ in range(2))
    np.testing.assert_array_equal(one.imprecise, two.imprecise)
    with pytest.raises(ValueError, match="1 and 0"):
        corrupt_label_sets([[0, 2]])
    with pytest.raises(ValueError, match="threshold"):
        corrupt_label_sets(TRUTH, 1.5)
