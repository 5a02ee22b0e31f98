from __future__ import annotations

import numpy as np
import pytest

from labelief.simulation.draws import beta_draws, other_classes, rng_of


@pytest.mark.parametrize(("mean", "variance"), [(0.1, 0.04), (0.5, 0.1), (0.9, 0.001)])
def test_beta_draws_have_the_mean_and_variance_asked_for(mean, variance):
    drawn = beta_draws(mean, variance, 200_000, np.random.default_rng(0))
    assert drawn.mean() == pytest.approx(mean, abs=5 * np.sqrt(variance / 200_000))
    assert drawn.var() == pytest.approx(variance, rel=0.03)


def test_other_classes_are_other_and_equally_likely():
    codes = np.repeat(np.arange(4), 20_000)
    drawn = other_classes(codes, 4, np.random.default_rng(0))
    for k in range(4):
        shares = np.bincount(drawn[codes == k], minlength=4) / 20_000
        np.testing.assert_allclose(np.delete(shares, k), 1 / 3, atol=0.02)
        assert shares[k] == 0


def test_sources_of_random_numbers():
    rng = np.random.default_rng(0)
    assert rng_of(rng) is rng
    assert rng_of(3).random() == np.random.RandomState(3).random_sample()
