"""Each family against a search over its parameters, written down anew in the features' units."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import multivariate_normal
from sklearn.base import clone
from tests.models.families import random_member

from labelief import GenerativeClassifier
from labelief.blocks import ArrayBlocks
from labelief.densities import (
    DiagonalGaussian,
    FullGaussian,
    ParsimoniousGaussian,
    SphericalGaussian,
    TiedGaussian,
)
from labelief.models import parsimonious
from labelief.models.shrinkage import Strength

FOURTEEN = ParsimoniousGaussian.families
STRENGTHS = [Strength(0.0), Strength(0.4), Strength(0.2, 5.0, 0.7)]
ONE_COVARIANCE = ("EII", "EEI", "EEE")


class Rows:
    """Weighted rows, responsibilities, and what the M-step makes of them."""

    def __init__(self, family, n=40, d=2, J=2, seed=0, strength=STRENGTHS[0], units=1.0):
        rng = np.random.default_rng(seed)
        covariances = random_member("VVV", J, d, rng)
        means = 2.0 * rng.normal(size=(J, d))
        truth = np.arange(n) % J
        roots = np.linalg.cholesky(covariances)
        X = means[truth] + np.einsum("iab,ib->ia", roots[truth], rng.normal(size=(n, d)))
        self.X = X * units
        self.weights = rng.uniform(0.5, 2.0, n)
        self.R = 0.8 * np.eye(J)[truth] + 0.2 * rng.dirichlet(np.ones(J), n)
        self.weighted = self.R * self.weights[:, None]
        self.strength = strength
        self.density = ParsimoniousGaussian(family)
        self.frame = self.density.frame(ArrayBlocks(self.X, weights=self.weights))
        self.prior = self.density.fixed_prior(self.frame, strength)

    def maximise(self, previous=None):
        record = self.density.start_statistics(self.X, self.weighted, self.frame.arrays)
        return self.density.maximise(record, previous, self.frame, self.prior)

    def means(self):
        columns = self.weighted.T
        return np.stack([np.average(self.X, axis=0, weights=r) for r in columns])

    def objective(self, means, covariances, family):
        """``Σ w_i r_ij log f_j(x_i)`` and the fixed prior, once for each distinct covariance."""
        total = np.cov(self.X.T, aweights=self.weights, ddof=0)
        target = self.strength.total * total
        target = target + self.strength.diagonal * self.strength.ratio * np.diag(np.diag(total))
        out = 0.0
        for r, mean, covariance in zip(self.weighted.T, means, covariances, strict=True):
            out += r @ multivariate_normal(mean, covariance).logpdf(self.X)
        for covariance in covariances[: 1 if family in ONE_COVARIANCE else None]:
            out -= 0.5 * self.strength.count * np.linalg.slogdet(covariance)[1]
            out -= 0.5 * np.sum(np.linalg.inv(covariance) * target)
        return out


def turn(angles, d):
    """Return a product of plane rotations."""
    out, planes = np.eye(d), [(a, b) for a in range(d) for b in range(a)]
    for angle, (a, b) in zip(angles, planes, strict=True):
        plane = np.eye(d)
        plane[a, a] = plane[b, b] = np.cos(angle)
        plane[a, b], plane[b, a] = -np.sin(angle), np.sin(angle)
        out = out @ plane
    return out


def member(family, vector, J, d):
    """Return the covariances ``λ_j D_j A_j D_jᵀ`` with these logarithms and angles."""
    sizes = [1, d - 1, d * (d - 1) // 2]
    pieces = []
    for letter, size in zip(family, sizes, strict=True):
        rows = {"E": 1, "V": J, "I": 0}[letter]
        piece, vector = vector[: rows * size].reshape(rows, size), vector[rows * size :]
        pieces.append(np.broadcast_to(piece if rows else np.zeros((1, size)), (J, size)))
    assert not len(vector)
    covariances = []
    for volume, shape, angles in zip(*pieces, strict=True):
        axes = turn(angles, d)
        variances = np.exp(volume[0] + np.append(shape, -np.sum(shape)))
        covariances.append(axes @ np.diag(variances) @ axes.T)
    return np.stack(covariances)


def coordinates(family, J, d):
    sizes = [1, d - 1, d * (d - 1) // 2]
    return sum({"E": 1, "V": J, "I": 0}[a] * size for a, size in zip(family, sizes, strict=True))


def searched(rows, family, starts=4):
    """Return the best objective of several quasi-Newton searches over the family's parameters."""
    J, d = rows.R.shape[1], rows.X.shape[1]
    counts, means = rows.weighted.sum(axis=0), rows.means()
    # The rows come in through their scatters alone: what is left is a function of covariances.
    at_zero = rows.objective(means, np.stack([np.eye(d)] * J), family)
    total = np.cov(rows.X.T, aweights=rows.weights, ddof=0)
    target = rows.strength.total * total
    target = target + rows.strength.diagonal * rows.strength.ratio * np.diag(np.diag(total))
    deviations = rows.X[None] - means[:, None]
    scatters = np.einsum("ij,jia,jib->jab", rows.weighted, deviations, deviations)
    if family in ONE_COVARIANCE:
        scatters = scatters + target / J
        counts = counts + rows.strength.count / J
    else:
        scatters, counts = scatters + target, counts + rows.strength.count

    def loss(vector):
        covariances = member(family, np.clip(vector, -10.0, 10.0), J, d)
        traces = np.sum((np.linalg.inv(covariances) - np.eye(d)) * scatters, axis=(1, 2))
        return 0.5 * (counts @ np.linalg.slogdet(covariances)[1] + np.sum(traces)) - at_zero

    rng = np.random.default_rng(1)
    size = coordinates(family, J, d)
    found = [
        minimize(loss, 0.7 * rng.normal(size=size), method="BFGS", options={"gtol": 1e-6})
        for _ in range(starts)
    ]
    best = min(found, key=lambda result: result.fun)
    assert rows.objective(means, member(family, best.x, J, d), family) == pytest.approx(-best.fun)
    return -best.fun


@pytest.mark.parametrize(
    ("d", "J", "strength"),
    [(2, 2, STRENGTHS[0]), (2, 3, STRENGTHS[1]), (3, 2, STRENGTHS[2])],
    ids=["2 features", "3 components, ridge", "3 features, ridge and shrinkage"],
)
@pytest.mark.parametrize("family", FOURTEEN)
def test_m_step_is_the_maximum_in_the_features_units(family, strength, d, J):
    # Units apart, but not so far that the search of the test would fail.
    rows = Rows(family, d=d, J=J, strength=strength, units=[1.0, 3.0, 0.5][:d])
    best = rows.maximise()
    means = rows.density.means(best, rows.frame)
    np.testing.assert_allclose(means, rows.means(), rtol=1e-9)
    covariances = rows.density.covariances(best, rows.frame)
    got, expected = rows.objective(means, covariances, family), searched(rows, family)
    assert got == pytest.approx(expected, abs=1e-6 * rows.weights.sum())
    # What the search does is rough; what the M-step does is not.
    assert got >= expected - 1e-9 * rows.weights.sum()


@pytest.mark.parametrize("d", [1, 2, 3, 5])
@pytest.mark.parametrize("family", FOURTEEN)
def test_covariances_are_members_of_the_family(family, d):
    rows = Rows(family, d=d, J=3, n=60, strength=STRENGTHS[2], units=np.geomspace(0.1, 10, d))
    covariances = rows.density.covariances(rows.maximise(), rows.frame)
    volumes = np.linalg.det(covariances) ** (1 / d)
    unit = covariances / volumes[:, None, None]
    volume, shape, orientation = family
    assert_letter(volume, volumes)
    values = np.linalg.eigvalsh(unit)
    if shape == "I":
        np.testing.assert_allclose(values, 1.0, rtol=1e-9)
    elif d > 1:
        assert_letter(shape, values)
    if orientation == "I":
        np.testing.assert_array_equal(covariances, covariances * np.eye(d))
    elif d > 1:
        # Matrices have the same axes where, and only where, they commute.
        commutator = unit[0] @ unit[1] - unit[1] @ unit[0]
        scale = np.linalg.norm(unit[0] @ unit[1])
        commute = np.linalg.norm(commutator) < 1e-8 * scale
        assert commute == (orientation == "E")


def assert_letter(letter, values):
    apart = np.max(np.abs(values[1:] / values[:1] - 1.0))
    assert apart < 1e-8 if letter == "E" else apart > 1e-2


@pytest.mark.parametrize("family", FOURTEEN)
@pytest.mark.parametrize("seed", range(3))
def test_a_family_does_no_better_than_one_that_holds_it(family, seed):
    """E at a letter is within V, and I within E."""
    d, J = 4, 3

    def best(name):
        rows = Rows(name, n=50, d=d, J=J, seed=seed)
        covariances = rows.density.covariances(rows.maximise(), rows.frame)
        return rows.objective(rows.means(), covariances, name)

    ranks = "IEV"
    wider = {family[:i] + letter + family[i + 1 :] for i in range(3) for letter in "EV"}
    for name in wider & set(FOURTEEN):
        if all(ranks.index(a) <= ranks.index(b) for a, b in zip(family, name, strict=True)):
            assert best(name) >= best(family) - 1e-9


# As in Celeux and Govaert (1995), and as R's nMclustParams(family, d = 4, G = 3) without weights
# and means: λ 1, A d - 1, D d (d - 1) / 2, each once or three times.
PARAMETERS = {
    "EII": 1,
    "VII": 3,
    "EEI": 4,
    "VEI": 6,
    "EVI": 10,
    "VVI": 12,
    "EEE": 10,
    "VEE": 12,
    "EVE": 16,
    "VVE": 18,
    "EEV": 22,
    "VEV": 24,
    "EVV": 28,
    "VVV": 30,
}


@pytest.mark.parametrize("family", FOURTEEN)
def test_number_of_parameters(family):
    rows = Rows(family, d=4, J=3)
    assert rows.density.n_parameters(3, rows.frame) == 12 + PARAMETERS[family]
    # A component with its own letters alone.
    more = rows.density.n_parameters(4, rows.frame) - rows.density.n_parameters(3, rows.frame)
    letters = zip(family, (1, 3, 6), strict=True)
    assert more == 4 + sum(size for letter, size in letters if letter == "V")


@pytest.mark.parametrize("strength", STRENGTHS, ids=["none", "ridge", "ridge and shrinkage"])
@pytest.mark.parametrize("family", FOURTEEN)
def test_log_prior_counts_each_distinct_covariance_once(family, strength):
    rows = Rows(family, d=3, J=3, strength=strength)
    best = rows.maximise()
    covariances = rows.density.covariances(best, rows.frame)
    expected = rows.objective(rows.means(), covariances, family)
    rows.strength = STRENGTHS[0]
    expected -= rows.objective(rows.means(), covariances, family)
    got = rows.density.log_prior(best, rows.frame, rows.prior)
    assert got == pytest.approx(expected, rel=1e-9, abs=1e-8)


@pytest.mark.parametrize("family", FOURTEEN)
def test_steps_from_other_parameters_rise_to_the_same(family):
    rows = Rows(family, d=3, J=3, strength=STRENGTHS[2])
    best = rows.maximise()
    before = rows.maximise()
    assert rows.density.m_step == "exact"
    for _ in range(3):
        again = rows.maximise(before)
        np.testing.assert_allclose(
            rows.density.covariances(again, rows.frame),
            rows.density.covariances(best, rows.frame),
            rtol=1e-5,
            atol=1e-6,
        )
        before = again


LIMITS = {
    "VVV": FullGaussian,
    "EEE": TiedGaussian,
    "VVI": DiagonalGaussian,
    "VII": SphericalGaussian,
}


@pytest.mark.parametrize("shrinkage", [None, 0.2])
@pytest.mark.parametrize("family", LIMITS)
def test_four_families_are_densities_of_their_own(family, shrinkage):
    rows = Rows(family, n=60, d=3)
    labels = rows.R
    one, other = (
        GenerativeClassifier(density, shrinkage=shrinkage).fit(rows.X, labels)
        for density in (ParsimoniousGaussian(family), LIMITS[family]())
    )
    assert one.history_ == other.history_
    np.testing.assert_array_equal(one.covariances_, other.covariances_)


@pytest.mark.parametrize(
    ("family", "limit"),
    [
        ("VEE", "EEE"),
        ("EVE", "EEE"),
        ("EEV", "EEE"),
        ("EVV", "EEE"),
        ("VEI", "EEI"),
        ("EVI", "EEI"),
    ],
)
def test_one_component_is_the_tied_family(family, limit):
    for strength in STRENGTHS:
        one, other = (Rows(name, d=3, J=1, strength=strength) for name in (family, limit))
        np.testing.assert_allclose(
            one.density.covariances(one.maximise(), one.frame),
            other.density.covariances(other.maximise(), other.frame),
            rtol=1e-9,
            atol=1e-11,
        )


AFFINE, UNITS = ("EEE", "VEE", "EVV", "VVV"), ("EEI", "VEI", "EVI", "VVI")


@pytest.mark.parametrize("family", FOURTEEN)
def test_changes_of_coordinates_that_leave_the_family_as_it_is(family):
    d = 3
    rng = np.random.default_rng(3)
    turned = np.linalg.qr(rng.normal(size=(d, d)))[0]
    changes = {"units": np.diag([1e-3, 1.0, 1e4]), "turn": 1e3 * turned}
    changes["scale"] = 1e5 * np.eye(d)
    changes["affine"] = turned @ np.diag([1.0, 30.0, 900.0]) @ turned
    harmless = {"scale"}
    if family in AFFINE:
        harmless = set(changes)
    elif family in UNITS:
        harmless |= {"units"}
    else:
        harmless |= {"turn"}
    plain = Rows(family, n=60, d=d, J=3)
    covariances = plain.density.covariances(plain.maximise(), plain.frame)
    for name, change in changes.items():
        rows = Rows(family, n=60, d=d, J=3)
        rows.X = rows.X @ change
        rows.frame = rows.density.frame(ArrayBlocks(rows.X, weights=rows.weights))
        rows.prior = rows.density.fixed_prior(rows.frame, rows.strength)
        inverse = np.linalg.inv(change)
        got = inverse.T @ rows.density.covariances(rows.maximise(), rows.frame) @ inverse
        error = np.max(np.abs(got - covariances)) / np.max(np.abs(covariances))
        assert error < 1e-6 if name in harmless else error > 1e-4, name


@pytest.mark.parametrize("family", [*AFFINE, *UNITS, "EVE", "VVE"])
def test_units_apart_leave_digits(family):
    """A member of the family is found again though features are measured in uneven units."""
    units = np.array([1.0, 1e-6, 1e-3])
    # Other units turn axes that are not the features' own.
    straight = {"EVE": "EVI", "VVE": "VVI"}.get(family, family)
    members = random_member(straight, 2, 3, np.random.default_rng(0))
    # Six rows whose covariance is exactly the member's.
    corners = np.sqrt(3.0) * np.vstack([np.eye(3), -np.eye(3)])
    X = np.vstack([corners @ np.linalg.cholesky(S).T + 9.0 * j for j, S in enumerate(members)])
    model = GenerativeClassifier(ParsimoniousGaussian(family), ridge=0.0)
    model.fit(X * units, np.repeat([0, 1], 6))
    got = model.covariances_ / np.outer(units, units)
    np.testing.assert_allclose(got, members, rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("family", ["EVE", "VVE", "EEV", "VEV"])
def test_units_too_far_apart_are_refused(family):
    rows = Rows(family, d=3)
    with pytest.raises(ValueError, match=r"units are too far apart.*StandardScaler"):
        GenerativeClassifier(rows.density).fit(rows.X * [1.0, 1e-10, 1.0], rows.R)


@pytest.mark.parametrize("family", FOURTEEN)
def test_components_without_rows_take_a_members_covariance(family):
    rows = Rows(family, d=3, J=3)
    rows.weighted[:, 1] = 0.0
    covariances = rows.density.covariances(rows.maximise(), rows.frame)
    assert np.all(np.linalg.eigvalsh(covariances) > 0)
    others = Rows(family, d=3, J=3)
    others.weighted = others.weighted[:, [0, 2]]
    expected = others.density.covariances(others.maximise(), others.frame)
    np.testing.assert_allclose(covariances[[0, 2]], expected, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("family", [f for f in FOURTEEN if f not in ("EEE", "EEI", "EII", "EEV")])
def test_a_component_on_one_row_without_a_prior_is_explained(family):
    rows = Rows(family, d=3)
    rows.weighted[:, 1] = 0.0
    rows.weighted[0] = [0.0, 1.0]
    with pytest.raises(ValueError, match=r"(?i)component 1 .*ridge"):
        rows.maximise()


@pytest.mark.parametrize("family", FOURTEEN)
def test_families_are_copied_like_parameters(family):
    density = ParsimoniousGaussian(family)
    for copied in (clone(density), copy.deepcopy(density), pickle.loads(pickle.dumps(density))):
        assert copied.get_params() == {"family": family}
        assert copied.tied == (family in ONE_COVARIANCE)
    assert repr(density) == f"ParsimoniousGaussian(family='{family}')"
    assert density.set_params(family="VVV").tied is False


@pytest.mark.parametrize("family", ["vvv", "VVX", "VIE", "", None, 3])
def test_other_names_are_refused(family):
    density = ParsimoniousGaussian(family)
    repr(density)
    with pytest.raises(ValueError, match=r"family must be one of EII, VII, .* VVV, got"):
        GenerativeClassifier(density).fit([[0.0], [1.0]], [0, 1])
    assert not hasattr(density, "_anything")


def test_families_are_those_of_mclust():
    assert len(FOURTEEN) == len(set(FOURTEEN)) == 14
    assert set(FOURTEEN) == set(parsimonious._DENSITIES) == set(PARAMETERS)
