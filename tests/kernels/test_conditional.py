"""Missing features of Gaussian rows, against the formulas with sub-matrices, row by row."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from labelief.kernels.conditional import (
    conditional_statistics,
    marginal_log_densities,
    mixed_rows,
)
from labelief.kernels.gaps import filled
from labelief.kernels.namespace import to_host

J = 2


def problem(n=60, r=4, share=0.4, seed=0):
    rng = np.random.default_rng(seed)
    means, roots = rng.normal(size=(J, r)), rng.normal(size=(J, r, r))
    covariances = roots @ np.swapaxes(roots, 1, 2) + 0.3 * np.eye(r)
    X = rng.normal(size=(n, r))
    X[rng.random((n, r)) < share] = np.nan
    if n > 2:
        X[0], X[1] = np.nan, 1.0
    return X, means, covariances, rng.dirichlet(np.ones(J), n)


def conditional(x, mean, covariance):
    """Return the expected row and the covariance of its missing features."""
    here = ~np.isnan(x)
    gone = ~here
    expected, rest = np.where(here, x, mean), np.zeros_like(covariance)
    if gone.any():
        rest[np.ix_(gone, gone)] = covariance[np.ix_(gone, gone)]
    if gone.any() and here.any():
        slope = np.linalg.solve(covariance[np.ix_(here, here)], covariance[np.ix_(here, gone)]).T
        expected[gone] = mean[gone] + slope @ (x[here] - mean[here])
        rest[np.ix_(gone, gone)] -= slope @ covariance[np.ix_(here, gone)]
    return expected, rest


# One word of a pattern's bits holds 64 features; more of them take another path.
@pytest.mark.parametrize(("n", "r"), [(60, 4), (1, 3), (9, 1), (30, 70)])
def test_densities_and_sums_of_incomplete_rows(n, r, xp):
    X, means, covariances, R = problem(n, r)
    if n == 1:
        X[0, 0], X[0, 1] = np.nan, 0.5
    z, gone = filled(xp.asarray(X))
    mixed = mixed_rows(z, gone)
    precisions = np.linalg.inv(covariances)
    constants = -0.5 * np.linalg.slogdet(covariances)[1]
    units = np.linspace(0.1, 0.4, r)
    arguments = [xp.asarray(a) for a in (means, precisions)]
    tiles = marginal_log_densities(
        mixed.gaps,
        *arguments,
        xp.asarray(constants),
        xp.asarray(0.5 * np.log(2 * np.pi) + units),
    )
    whole = np.full((len(to_host(mixed.complete)), J), 7.0)
    got = to_host(mixed.together(xp.asarray(whole), tiles))
    incomplete = np.any(np.isnan(X), axis=1)
    np.testing.assert_array_equal(got[~incomplete], 7.0)
    p = 1 + r + r * (r + 1) // 2
    sums = np.zeros((p, J))
    for i in np.flatnonzero(incomplete):
        here = ~np.isnan(X[i])
        for j in range(J):
            part = covariances[j][np.ix_(here, here)]
            expected = (
                multivariate_normal(means[j][here], part).logpdf(X[i, here]) if here.any() else 0.0
            )
            assert got[i, j] == pytest.approx(expected - units[here].sum(), rel=1e-9, abs=1e-9)
            row, rest = conditional(X[i], means[j], covariances[j])
            second = (np.outer(row, row) + rest)[np.triu_indices(r)]
            sums[:, j] += R[i, j] * np.concatenate([[1.0], row, second])
    record = to_host(conditional_statistics(mixed.gaps, xp.asarray(R), *arguments))
    np.testing.assert_allclose(record, sums, rtol=1e-9, atol=1e-8)


def test_complete_rows_need_no_tiles():
    z, gone = filled(np.ones((3, 2)))
    assert mixed_rows(z, gone) is None


def test_rows_that_miss_the_same_share_their_algebra():
    X = np.tile([[np.nan, 1.0, 2.0], [0.0, np.nan, np.nan]], (50, 1))
    rows = mixed_rows(*filled(X)).gaps
    assert rows.picks.shape == (2, 2, 3)
    assert rows.tiles.shape == (2, 50)
    np.testing.assert_array_equal(np.sort(rows.tiles, axis=None), np.arange(100))


def test_rows_that_miss_something_else_each_fill_few_tiles():
    rng = np.random.default_rng(0)
    X = np.where(rng.random((500, 12)) < 0.5, np.nan, 1.0)
    rows = mixed_rows(*filled(X)).gaps
    assert rows.tiles.size <= 2 * 500 + rows.tiles.shape[1] * len(rows.picks)
    used = rows.tiles[rows.used > 0]
    np.testing.assert_array_equal(np.sort(used), np.flatnonzero(np.isnan(X).any(axis=1)))
