from __future__ import annotations

import numpy as np
import pytest

from labelief import GenerativeClassifier
from labelief.blocks import ArrayBlocks
from labelief.densities import Bernoulli, Categorical
from labelief.models.shrinkage import Strength

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("largest", [0, 1, 15, 16, 17, 255, 256, 1000])
def test_levels_are_those_up_to_the_largest_code(largest):
    X = np.column_stack([RNG.integers(0, 3, 40), RNG.integers(0, largest + 1, 40)]).astype(float)
    X[17, 1], X[5, 0] = largest, np.nan
    frame = Categorical().frame(ArrayBlocks(X, block_rows=9, gaps=True))
    np.testing.assert_array_equal(frame.sizes, [3, largest + 1])
    for a, base in enumerate(np.split(frame.base, [3])):
        assert base.sum() == pytest.approx(1.0)
        assert np.all(base > 0)
        assert np.argmax(base) == np.argmax(np.bincount(X[~np.isnan(X[:, a]), a].astype(int)))


@pytest.mark.parametrize("n_levels", [4, [3, 4]])
def test_levels_may_be_given(n_levels):
    X = RNG.integers(0, 2, (20, 2))
    frame = Categorical(n_levels).frame(ArrayBlocks(X))
    np.testing.assert_array_equal(frame.sizes, np.broadcast_to(n_levels, 2))


@pytest.mark.parametrize("bad", [0, [3], [3, -1], 2.5, "3", [[2, 2]]])
def test_numbers_of_levels_are_checked(bad):
    with pytest.raises(ValueError, match="n_levels of Categorical"):
        Categorical(bad).frame(ArrayBlocks(np.zeros((4, 2))))


def test_a_level_first_seen_after_the_fit_is_refused_with_its_cure():
    X, y = RNG.integers(0, 3, (30, 2)).astype(float), np.arange(30) % 2
    new = X[:5].copy()
    new[3, 1] = 3.0
    with pytest.raises(ValueError, match=r"Column 1 of X holds 3 in row 3: .*n_levels"):
        GenerativeClassifier(Categorical()).fit(X, y).predict(new)
    model = GenerativeClassifier(Categorical(n_levels=4)).fit(X, y)
    assert np.all(np.isfinite(model.predict_log_proba(new)))
    with pytest.raises(ValueError, match="holds 3 in row 5"):
        GenerativeClassifier(Categorical(n_levels=3)).fit(np.vstack([X[:2], new]), [0, 1] * 3 + [0])


def test_numbers_are_no_codes():
    with pytest.raises(ValueError, match=r"Column 0 of X holds 70000 in row 1.*OrdinalEncoder"):
        Categorical().frame(ArrayBlocks(np.array([[1.0], [70_000.0]])))


def test_codes_of_0_and_1_are_bernoulli():
    X = RNG.integers(0, 2, (80, 3)).astype(float)
    X[RNG.random(X.shape) < 0.2] = np.nan
    pl = RNG.uniform(0.1, 1.0, (80, 2))
    pl[np.arange(80), RNG.integers(0, 2, 80)] = 1.0
    one = GenerativeClassifier(Categorical(n_levels=2), tol=1e-12, max_iter=3000).fit(X, pl)
    two = GenerativeClassifier(Bernoulli(), tol=1e-12, max_iter=3000).fit(X, pl)
    np.testing.assert_allclose(one.predict_proba(X), two.predict_proba(X), rtol=1e-5)
    np.testing.assert_allclose(one.means_, two.means_, rtol=1e-5)
    np.testing.assert_allclose(one.covariances_, two.covariances_, rtol=1e-5, atol=1e-12)
    assert one.log_likelihood_ == pytest.approx(two.log_likelihood_, rel=1e-8)


def test_means_and_covariances_are_of_the_codes():
    X = RNG.integers(0, 4, (5000, 2)).astype(float)
    model = GenerativeClassifier(Categorical(pseudo_count=0.0), ridge=0.0).fit(X, np.zeros(5000))
    np.testing.assert_allclose(model.means_[0], X.mean(axis=0), rtol=1e-10)
    np.testing.assert_allclose(np.diag(model.covariances_[0]), X.var(axis=0), rtol=1e-10)


def test_vectors_are_logits_against_the_first_level():
    X = np.array([[0.0, 1.0], [1.0, 2.0], [1.0, 0.0]])
    density = Categorical()
    frame = density.frame(ArrayBlocks(X))
    record = density.start_statistics(X, np.ones((3, 1)), frame.arrays)
    theta = density.maximise(record, None, frame, density.fixed_prior(frame, Strength(0.0)))
    p = np.exp(theta.log_shares[0])
    expected = [np.log(p[1] / p[0]), np.log(p[3] / p[2]), np.log(p[4] / p[2])]
    np.testing.assert_allclose(density.to_vector(theta), expected, atol=1e-14)
    far = density.from_vector(np.array([1e4, -1e4, 1e4]), 1, frame)
    assert np.all(np.isfinite(far.log_shares))
    np.testing.assert_allclose(frame.sums(np.exp(far.log_shares)), 1.0)
