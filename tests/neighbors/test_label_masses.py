from __future__ import annotations

import numpy as np
import pytest

from labelief import SoftLabels
from labelief.neighbors.label_masses import CrispLabels, PointLabels
from labelief.neighbors.set_masses import SetLabels

RNG = np.random.default_rng(0)
N, K = 12, 3
CODES = RNG.integers(-1, K, size=N)
FORMS = {
    "codes": CrispLabels(CODES, K),
    "points": PointLabels(np.where(CODES[:, None] == np.arange(K), 1.0, 0.0)),
    "sets": SetLabels(
        SoftLabels.from_crisp([None if c < 0 else int(c) for c in CODES], range(K)).focal
    ),
}
NEIGHBOURS = np.array([RNG.permutation(N)[:5] for _ in range(8)])
WEIGHTS = RNG.uniform(0.0, 0.99, NEIGHBOURS.shape)


@pytest.mark.parametrize("form", FORMS)
def test_every_form_says_the_same_of_crisp_labels(form):
    labels, codes = FORMS[form], FORMS["codes"]
    np.testing.assert_allclose(labels.pignistic(), codes.pignistic(), atol=1e-15)
    np.testing.assert_array_equal(labels.telling(), CODES >= 0)
    one, other = labels.combine(NEIGHBOURS, WEIGHTS), codes.combine(NEIGHBOURS, WEIGHTS)
    np.testing.assert_allclose(one.masses.beliefs(), other.masses.beliefs(), atol=1e-14)
    np.testing.assert_allclose(one.log_agreement, other.log_agreement, atol=1e-13)
    target = RNG.dirichlet(np.ones(K), len(NEIGHBOURS))
    slopes = RNG.normal(size=(*WEIGHTS.shape, 2))
    mine = labels.slope(NEIGHBOURS, WEIGHTS, slopes, target)
    theirs = codes.slope(NEIGHBOURS, WEIGHTS, slopes, target)
    assert mine.error == pytest.approx(theirs.error)
    np.testing.assert_allclose(mine.gradient, theirs.gradient, rtol=1e-10)


@pytest.mark.parametrize("form", FORMS)
def test_slopes_are_numerical_derivatives(form):
    target = RNG.dirichlet(np.ones(K), len(NEIGHBOURS))
    slopes = RNG.normal(size=(*WEIGHTS.shape, 2))

    def error(step):
        return FORMS[form].slope(NEIGHBOURS, WEIGHTS + slopes @ step, slopes, target).error

    gradient = FORMS[form].slope(NEIGHBOURS, WEIGHTS, slopes, target).gradient
    for q in range(2):
        step = 1e-6 * np.eye(2)[q]
        assert gradient[q] == pytest.approx((error(step) - error(-step)) / 2e-6, rel=1e-5)


@pytest.mark.parametrize("form", FORMS)
def test_a_thousand_neighbours_overflow_nothing(form):
    many = np.tile(np.arange(N), (1, 100))
    combined = FORMS[form].combine(many, np.full(many.shape, 1.0 - 1e-12))
    counts = np.bincount(CODES[CODES >= 0], minlength=K)
    belief = combined.masses.beliefs()[0]
    assert np.all(np.isfinite(belief))
    top = counts == counts.max()
    np.testing.assert_allclose(belief, top / top.sum(), atol=1e-3)


@pytest.mark.parametrize("form", FORMS)
def test_weights_of_nothing_say_nothing(form):
    combined = FORMS[form].combine(NEIGHBOURS, np.zeros(WEIGHTS.shape))
    np.testing.assert_array_equal(combined.masses.pignistic(), np.full((8, K), 1 / K))
    np.testing.assert_array_equal(combined.log_agreement, 0.0)
