"""EM ends where the penalised log-likelihood, written down anew in the features' units, is flat."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import gamma, logsumexp
from scipy.stats import bernoulli, norm, poisson, weibull_min
from tests.integration import oracle

from labelief import GenerativeClassifier

N_CLASSES = 3
RIDGE = 0.02
# Beyond a flat prior: labels are mostly right.
PSEUDO = 0.9 * np.eye(N_CLASSES) + 0.1
D = 2


class Objective:
    """Log-likelihood and priors as a function of free parameters in the features' units."""

    def __init__(self, density, channel, X, labelled, n_components, shrunk=None):
        self.density, self.channel, self.X, self.labelled = density, channel, X, labelled
        self.component_class = np.repeat(np.arange(N_CLASSES), n_components)
        self.J = len(self.component_class)
        n = len(X)
        gaps = np.any(np.isnan(X))
        total = np.diag(np.nanvar(X, axis=0)) if gaps else np.cov(X.T, bias=True)
        # (nu, T) of each prior on a covariance.
        self.priors = [(RIDGE * n, total)]
        if shrunk is not None:
            s, ratio, rows = shrunk
            self.priors.append((s * rows / (1 - s), ratio * np.diag(np.diag(total))))

    def pack(self, model):
        """Return the free parameters of a fitted model."""
        parts = [oracle.log_weights(model)]
        if self.density == "weibull":
            shapes, scales = oracle.weibull_parameters(model)
            parts += [np.log(shapes), np.log(scales)]
        elif self.density == "poisson":
            parts.append(np.log(model.means_))
        elif self.density == "bernoulli":
            parts.append(np.log(model.means_ / (1 - model.means_)))
        elif self.density == "categorical":
            inner = model._model.frame
            parts.append(np.log(oracle.level_shares(model._parameters.model.density, inner)))
        elif self.density == "columns":
            inner = model._model.frame.frames[0]
            shares = oracle.level_shares(model._parameters.model.density[0], inner)
            parts += [np.log(shares), model.means_[:, 1], np.log(model.covariances_[:, 1, 1])]
        else:
            parts.append(model.means_)
        if self.density in oracle.PARSIMONIOUS:
            self.member = Member(self.density, model.covariances_)
            parts.append(np.zeros(self.member.size))
        elif self.density in oracle.GAUSSIANS:
            for covariance in (
                model.covariances_[:1] if self.density == "tied" else (model.covariances_)
            ):
                parts.append(self.pack_covariance(covariance))
        if self.channel in ("full", "symmetric"):
            matrix = model.channel_.matrix_
            logits = np.log(matrix)
            parts.append(logits if self.channel == "full" else logits[0, 0] - logits[0, 1])
        return np.concatenate([np.ravel(p) for p in parts])

    def pack_covariance(self, covariance):
        if self.density == "diagonal":
            return np.log(np.diag(covariance))
        if self.density == "spherical":
            return np.log(covariance[0, 0])
        return np.linalg.cholesky(covariance)[np.tril_indices(D)]

    def unpack_covariance(self, take):
        if self.density == "diagonal":
            return np.diag(np.exp(take(D)))
        if self.density == "spherical":
            return np.exp(take(1)[0]) * np.eye(D)
        factor = np.zeros((D, D))
        factor[np.tril_indices(D)] = take(D * (D + 1) // 2)
        return factor @ factor.T

    def __call__(self, vector):
        position = 0

        def take(size):
            nonlocal position
            position += size
            return vector[position - size : position]

        J = self.J
        logits = take(J)
        log_weights = logits - logsumexp(logits)
        if self.density == "weibull":
            shapes, scales = np.exp(take(J * D).reshape(J, D)), np.exp(take(J * D).reshape(J, D))
            logs = [
                weibull_min(k, scale=s).logpdf(self.X).sum(axis=1)
                for k, s in zip(shapes, scales, strict=True)
            ]
            prior = sum(self.pseudo_rows(k, s) for k, s in zip(shapes, scales, strict=True))
        elif self.density == "poisson":
            rates = np.exp(take(J * D).reshape(J, D))
            logs = [np.nansum(poisson(rate).logpmf(self.X), axis=1) for rate in rates]
            base = (np.nansum(self.X, axis=0) + 0.5) / (self.seen + 1)
            prior = self.pseudo_count * np.sum(base * np.log(rates) - rates)
        elif self.density == "bernoulli":
            shares = 1 / (1 + np.exp(-take(J * D).reshape(J, D)))
            logs = [np.nansum(bernoulli(share).logpmf(self.X), axis=1) for share in shares]
            base = (np.nansum(self.X, axis=0) + 0.5) / (self.seen + 1)
            terms = base * np.log(shares) + (1 - base) * np.log(1 - shares)
            prior = self.pseudo_count * np.sum(terms)
        elif self.density == "categorical":
            shares = self.shares(take(J * D * 4).reshape(J, D, 4))
            logs = [oracle.looked_up(share, self.X) for share in shares]
            prior = self.level_prior(shares)
        elif self.density == "columns":
            shares = self.shares(take(J * 4).reshape(J, 1, 4))
            means, variances = take(J), np.exp(take(J))
            logs = [
                oracle.looked_up(share, self.X[:, :1])
                + np.nan_to_num(norm(m, np.sqrt(v)).logpdf(self.X[:, 1]))
                for share, m, v in zip(shares, means, variances, strict=True)
            ]
            total = np.nanvar(self.X[:, 1])
            nu = RIDGE * len(self.X)
            prior = self.level_prior(shares) - 0.5 * nu * np.sum(
                np.log(variances) + total / variances
            )
        else:
            means = take(J * D).reshape(J, D)
            tied = self.density in ("tied", "EII", "EEI")
            if self.density in oracle.PARSIMONIOUS:
                each = self.member.moved(take(self.member.size))
                covariances = each[:1] if tied else each
            else:
                covariances = [self.unpack_covariance(take) for _ in range(1 if tied else J)]
                each = covariances * J if tied else covariances
            logs = [oracle.gaussian(m, S, self.X) for m, S in zip(means, each, strict=True)]
            prior = sum(self.covariance_prior(S) for S in covariances)
        matrix = self.matrix(take)
        if matrix is not None and self.channel != "fixed":
            prior += np.sum(PSEUDO * np.log(matrix))
        pl = self.labelled.plausibilities
        through = pl if matrix is None else pl @ matrix.T
        through = np.where(self.labelled.verified[:, None], pl, through)
        with np.errstate(divide="ignore"):
            joint = log_weights + np.column_stack(logs) + np.log(through)[:, self.component_class]
        assert position == len(vector)
        return float(np.sum(logsumexp(joint, axis=1)) + prior)

    @property
    def pseudo_count(self):
        return 1.0 + RIDGE * len(self.X)

    @property
    def seen(self):
        """How many rows have each feature."""
        return np.sum(~np.isnan(self.X), axis=0)

    @staticmethod
    def shares(logits):
        return np.exp(logits - logsumexp(logits, axis=-1, keepdims=True))

    def level_prior(self, shares):
        """nu rows with the shares of levels over all rows, a quarter of a row more in each."""
        total = 0.0
        for a in range(shares.shape[1]):
            column = self.X[:, a]
            counts = np.array([np.sum(column == level) for level in range(4)])
            base = (counts + 0.25) / (self.seen[a] + 1)
            total += self.pseudo_count * np.sum(base * np.log(shares[:, a]))
        return total

    def matrix(self, take):
        if self.channel == "trusted":
            return None
        if self.channel == "fixed":
            return oracle.some_matrix(N_CLASSES)
        if self.channel == "full":
            rows = np.exp(take(N_CLASSES**2).reshape(N_CLASSES, N_CLASSES))
            return rows / rows.sum(axis=1, keepdims=True)
        logits = np.where(np.eye(N_CLASSES) > 0, take(1)[0], 0.0)
        return np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)

    def covariance_prior(self, S):
        """-1/2 nu (log|S| + tr S^-1 T), methods.md section 2."""
        inverse = np.linalg.inv(S)
        return sum(
            -0.5 * nu * (np.linalg.slogdet(S)[1] + np.sum(inverse * T)) for nu, T in self.priors
        )

    def pseudo_rows(self, shapes, scales):
        """nu rows of a Weibull whose logarithm has the mean and variance of the rows' logarithms.

        For x of shape k0 and scale l0, E log x = log l0 - euler / k0, E x^k = l0^k Gamma(1 + k/k0).
        """
        logs = np.log(self.X)
        k0 = np.pi / np.sqrt(6) / logs.std(axis=0)
        log_l0 = logs.mean(axis=0) + np.euler_gamma / k0
        power = np.exp(shapes * (log_l0 - np.log(scales))) * gamma(1 + shapes / k0)
        mean = np.log(shapes) - shapes * np.log(scales) + (shapes - 1) * logs.mean(axis=0) - power
        return RIDGE * len(self.X) * np.sum(mean)


class Member:
    """Covariances ``λ_j D_j A_j D_jᵀ`` of two features, as moves from those of a fit."""

    def __init__(self, family, covariances):
        self.J = len(covariances)
        self.own = [{"E": 1, "V": self.J, "I": 0}[letter] for letter in family]
        self.size = sum(self.own)
        if family[2] == "V":
            self.axes = np.linalg.eigh(covariances)[1]
        else:
            # Axes of all are axes of any mixture of them.
            mixture = np.einsum("j,jab->ab", np.sqrt(np.arange(2.0, self.J + 2)), covariances)
            self.axes = np.stack([np.linalg.eigh(mixture)[1]] * self.J)
        self.variances = np.einsum("jba,jbc,jca->ja", self.axes, covariances, self.axes)
        rebuilt = self.moved(np.zeros(self.size))
        np.testing.assert_allclose(rebuilt, covariances, rtol=1e-7, atol=1e-9)

    def moved(self, vector):
        """Return covariances with other log volumes, log shapes and angles."""
        pieces = np.split(vector, np.cumsum(self.own)[:-1])
        pieces = [np.broadcast_to(p if len(p) else np.zeros(1), self.J) for p in pieces]
        out = []
        for axes, variances, size, shape, angle in zip(
            self.axes, self.variances, *pieces, strict=True
        ):
            turn = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]] @ axes
            out.append(turn @ np.diag(variances * np.exp([size + shape, size - shape])) @ turn.T)
        return out


def gradient(function, point, step=1e-5):
    """Return the numerical gradient, central differences relative to each coordinate's size."""
    out = np.empty_like(point)
    for i in range(len(point)):
        h = step * max(1.0, abs(point[i]))
        up, down = point.copy(), point.copy()
        up[i] += h
        down[i] -= h
        out[i] = (function(up) - function(down)) / (2 * h)
    return out


def converged(density, channel, labels, n_components=1, gaps=False, **settings):
    X, truth = oracle.make_rows(60, D, N_CLASSES, seed=7)
    X = oracle.rows_for(density, X)
    X = oracle.with_gaps(X) if gaps else X
    labelled = oracle.make_labels(labels, truth, N_CLASSES, seed=8)
    model = GenerativeClassifier(
        oracle.ALL_DENSITIES[density](),
        n_components,
        channel=oracle.make_channel(channel, N_CLASSES),
        classes=range(N_CLASSES),
        ridge=RIDGE,
        tol=1e-13,
        max_iter=20_000,
        acceleration="squarem",
        **settings,
    )
    return X, labelled, model


CASES = [
    (density, channel, labels, 1)
    for density in oracle.DENSITIES
    for channel, labels in [
        ("trusted", "crisp"),
        ("trusted", "soft"),
        ("full", "crisp"),
        ("full", "verified soft"),
        ("symmetric", "verified"),
        ("fixed", "soft"),
    ]
] + [(density, "full", "soft", 2) for density in oracle.ALL_DENSITIES if density != "weibull"]


@pytest.mark.filterwarnings("ignore:The learned flipping matrix")
@pytest.mark.parametrize(("density", "channel", "labels", "n_components"), CASES)
def test_history_ends_at_the_objective_and_its_gradient_vanishes(
    density, channel, labels, n_components
):
    assert_stationary(density, channel, labels, n_components)


@pytest.mark.filterwarnings("ignore:The learned flipping matrix")
@pytest.mark.parametrize("labels", ["crisp", "soft"])
@pytest.mark.parametrize("channel", ["trusted", "full"])
@pytest.mark.parametrize("density", oracle.GAPPY)
def test_the_objective_is_that_of_the_observed_features(density, channel, labels):
    assert_stationary(density, channel, labels, 1, gaps=True)


def assert_stationary(density, channel, labels, n_components, gaps=False):
    X, labelled, model = converged(density, channel, labels, n_components, gaps)
    model.fit(X, labelled.y)
    assert model.converged_
    objective = Objective(density, channel, X, labelled, n_components)
    point = objective.pack(model)
    assert objective(point) == pytest.approx(model.history_[-1], rel=1e-7)
    assert np.max(np.abs(gradient(objective, point))) < 2e-3
    # It can tell: elsewhere it is far from flat.
    elsewhere = point + 0.05 * np.random.default_rng(0).normal(size=len(point))
    assert np.max(np.abs(gradient(objective, elsewhere))) > 0.1
    assert objective(elsewhere) < objective(point)


@pytest.mark.parametrize("density", oracle.GAUSSIANS)
def test_shrinkage_is_the_prior_of_the_formula(density):
    s = 0.3
    X, labelled, model = converged(density, "trusted", "soft", shrinkage=s)
    R = np.random.default_rng(1).dirichlet(np.ones(N_CLASSES), len(X))
    model.fit(X, labelled.y, responsibilities=R)
    u = (X - X.mean(axis=0)) / X.std(axis=0)
    means = (R.T @ u) / R.sum(axis=0)[:, None]
    within = np.sum(u**2) - np.sum(R.sum(axis=0)[:, None] * means**2)
    rows = len(X) if density in ("tied", "EII", "EEI") else len(X) / N_CLASSES
    objective = Objective(
        density, "trusted", X, labelled, 1, shrunk=(s, within / (len(X) * D), rows)
    )
    point = objective.pack(model)
    assert objective(point) == pytest.approx(model.history_[-1], rel=1e-8)
    assert np.max(np.abs(gradient(objective, point))) < 2e-3
