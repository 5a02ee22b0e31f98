"""Standard errors and Wilson intervals."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from labelief.model_selection.uncertainty import MeanEstimate, estimate_mean, wilson_interval


def test_without_clusters_the_usual_standard_error():
    values = np.random.default_rng(0).uniform(size=30)
    found = estimate_mean(values, np.ones(30), np.arange(30))
    assert found.mean == pytest.approx(values.mean())
    assert found.standard_error == pytest.approx(stats.sem(values))
    assert found.effective_size == pytest.approx(30)


def test_repeated_objects_in_one_cluster_count_once():
    rng = np.random.default_rng(1)
    values, times = rng.uniform(size=20), 4
    once = estimate_mean(values, np.ones(20), np.arange(20))
    often = estimate_mean(np.repeat(values, times), np.ones(80), np.repeat(np.arange(20), times))
    assert often.mean == pytest.approx(once.mean)
    assert often.standard_error == pytest.approx(once.standard_error)
    assert often.effective_size == pytest.approx(once.effective_size)


def test_weights():
    values = np.array([0.0, 1.0, 1.0, 0.5])
    assert estimate_mean(values, np.array([2.0, 1, 1, 0]), np.arange(4)).mean == 0.5
    single = estimate_mean(values, np.array([1.0, 0, 0, 0]), np.arange(4))
    assert np.isnan(single.standard_error) and single.effective_size == 1


def test_wilson_is_scipys_for_proportions():
    for errors, n in ((0, 20), (3, 20), (20, 20), (57, 400)):
        ours = wilson_interval(MeanEstimate(errors / n, 0.0, n), 0.9)
        theirs = stats.binomtest(errors, n).proportion_ci(0.9, method="wilson")
        assert ours == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_without_any_error_each_cluster_is_one_object():
    none = estimate_mean(np.zeros(60), np.ones(60), np.repeat(np.arange(20), 3))
    assert none.standard_error == 0 and none.effective_size == 20


def test_coverage_with_clusters():
    rng = np.random.default_rng(2)
    covered, p, groups = 0, 0.2, np.repeat(np.arange(40), 5)
    for _ in range(300):
        own = rng.beta(0.4, 1.6, 40)
        values = (rng.uniform(size=200) < own[groups]).astype(float)
        low, high = wilson_interval(estimate_mean(values, np.ones(200), groups), 0.95)
        covered += low <= p <= high
    assert 0.90 < covered / 300 < 0.99
