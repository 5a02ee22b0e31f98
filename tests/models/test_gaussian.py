from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from labelief.models import gaussian
from labelief.models.gaussian import MatrixParameters, MatrixPrior

RNG = np.random.default_rng(0)


def covariances(J=3, r=4):
    roots = RNG.normal(size=(J, r, r))
    return roots @ np.swapaxes(roots, 1, 2) + 0.1 * np.eye(r)


@pytest.mark.parametrize("rank", [0, 1, 2, 5])
def test_products_unpack_to_symmetric_matrices(rank):
    z = RNG.normal(size=(6, rank))
    pairs = [(a, b) for a in range(rank) for b in range(a, rank)]
    products = np.array([[row[a] * row[b] for row in z] for a, b in pairs]).reshape(-1, 6)
    expected = np.einsum("ia,ib->iab", z, z)
    np.testing.assert_array_equal(gaussian.unpack_products(products, rank), expected)


def test_means_of_empty_components_are_the_centre():
    got = gaussian.means_of(np.array([2.0, 0.0]), np.array([[2.0, 4.0], [0.0, 0.0]]))
    np.testing.assert_array_equal(got, [[1.0, 2.0], [0.0, 0.0]])


def test_determinants_come_from_factors():
    S = covariances()
    got = gaussian.log_determinants(np.linalg.cholesky(S))
    np.testing.assert_allclose(got, np.linalg.slogdet(S)[1], rtol=1e-12)


@pytest.mark.parametrize(("J", "r"), [(1, 1), (3, 4), (2, 0)])
def test_log_cholesky_and_back(J, r):
    factors = np.linalg.cholesky(covariances(J, r)) if r else np.empty((J, 0, 0))
    vector = gaussian.log_cholesky(factors)
    assert vector.shape == (J * r * (r + 1) // 2,)
    np.testing.assert_allclose(gaussian.triangle_from_log(vector, J, r), factors, rtol=1e-14)


def test_any_vector_is_a_covariance():
    factors = gaussian.triangle_from_log(3.0 * RNG.normal(size=2 * 6), 2, 3)
    assert np.all(np.diagonal(factors, axis1=1, axis2=2) > 0)
    np.testing.assert_array_equal(factors, np.tril(factors))


def test_precisions_invert_covariances():
    S = covariances()
    parameters = MatrixParameters(np.zeros((3, 4)), np.linalg.cholesky(S))
    np.testing.assert_allclose(parameters.precisions @ S, np.tile(np.eye(4), (3, 1, 1)), atol=1e-10)
    unit = parameters.inverse_factors @ parameters.factors
    np.testing.assert_allclose(unit, np.tile(np.eye(4), (3, 1, 1)), atol=1e-12)


def test_the_prior_is_the_expected_log_density_of_pseudo_rows():
    # ν rows with mean μ_j and covariance T: -½ ν (log|2πΣ| + tr Σ⁻¹T) but for the 2π.
    S, T, nu = covariances(), covariances(1)[0], 2.5
    prior = MatrixPrior(nu, nu * T)
    parameters = MatrixParameters(np.zeros((3, 4)), np.linalg.cholesky(S))
    rows = np.vstack([np.linalg.cholesky(T).T, -np.linalg.cholesky(T).T]) * 2.0
    np.testing.assert_allclose(rows.T @ rows / 8, T, rtol=1e-12)
    expected = sum(
        nu * np.mean(multivariate_normal(np.zeros(4), covariance).logpdf(rows)) for covariance in S
    )
    expected += nu * 3 * 2.0 * gaussian.LOG_2PI
    assert prior.log_density(parameters, 0.0) == pytest.approx(expected, rel=1e-12)
    # A unit cube of the frame has volume e^0.7 in the features' units.
    assert prior.log_density(parameters, 0.7) == pytest.approx(expected - nu * 3 * 0.7, rel=1e-12)
    assert MatrixPrior(0.0, 0.0 * T).log_density(parameters, 0.7) == 0.0


@pytest.mark.parametrize("bad", [np.nan, np.inf, "flat", "rounding", "negative"])
def test_what_has_no_factor_is_named(bad):
    S = covariances()
    np.testing.assert_allclose(
        gaussian.cholesky_or_explain(S) @ np.swapaxes(gaussian.cholesky_or_explain(S), 1, 2), S
    )
    flat = np.ones((4, 4))
    rounding = 1e-15 * np.eye(4)
    broken = {"flat": flat - 1e-18, "rounding": flat + rounding, "negative": -flat}.get(
        bad, 1 * flat
    )
    if not isinstance(bad, str):
        broken[0, 0] = bad
    S[1] = broken
    with pytest.raises(ValueError, match=r"component 1 is singular.*ridge"):
        gaussian.cholesky_or_explain(S)
