"""Logistic regression as users meet it: against scikit-learn, by the formula, on odd tables."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.sparse import csr_array, csr_matrix
from scipy.special import log_softmax, logsumexp
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression as Rival
from sklearn.preprocessing import StandardScaler

from labelief import AnnotatorNoise, FlipNoise, LogisticRegression, SoftLabels, Votes

SOLVERS = ["lbfgs", "newton", "em"]
IRIS = load_iris(return_X_y=True)
CANCER = load_breast_cancer(return_X_y=True)
FORMS = {
    "codes": lambda y: y,
    "soft labels": SoftLabels.from_crisp,
    "plausibilities": lambda y: np.eye(y.max() + 1)[y],
}


def standardised(data):
    return StandardScaler().fit_transform(data[0]), data[1]


def soft_table(n=200, d=4, K=3, seed=0, wrong=0.2, signal=2.0):
    """Rows, plausibilities with a wrong maximum here and there, the labels seen and the truth."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d))
    truth = np.argmax(signal * X @ rng.normal(size=(d, K)) + rng.gumbel(size=(n, K)), axis=1)
    seen = np.where(rng.random(n) < wrong, rng.integers(0, K, n), truth)
    pl = rng.uniform(0.0, 0.8, (n, K))
    pl[np.arange(n), seen] = 1.0
    return X, pl, seen, truth


def written(model, X, pl, C, weights=1.0):
    """The objective of a fitted model from its public attributes (methods.md §3)."""
    coef, intercept = model.coef_, model.intercept_
    if len(coef) == 1:
        eta = np.column_stack([np.zeros(len(X)), X @ coef[0] + intercept[0]])
    else:
        eta = X @ coef.T + intercept
    matrix = getattr(model.channel_, "matrix_", np.eye(pl.shape[1]))
    with np.errstate(divide="ignore"):
        rows = logsumexp(log_softmax(eta, axis=1) + np.log(pl @ matrix.T), axis=1)
    return np.sum(weights * rows), -np.sum(coef**2) / (2.0 * C)


# ------------------------------------------------------------------------------- hard labels


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("data", [IRIS, CANCER], ids=["iris", "cancer"])
def test_hard_labels_give_scikit_learns_fit(data, solver, form):
    X, y = standardised(data)
    ours = LogisticRegression(C=0.7, solver=solver, tol=1e-7).fit(X, FORMS[form](y))
    theirs = Rival(C=0.7, solver="newton-cholesky", tol=1e-12).fit(X, y)
    assert ours.coef_.shape == theirs.coef_.shape
    assert ours.intercept_.shape == theirs.intercept_.shape
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=2e-5)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=2e-5)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-6)
    assert ours.score(X, y) == theirs.score(X, y)


@pytest.mark.parametrize("solver", SOLVERS)
def test_hard_labels_with_weights(solver):
    X, y = standardised(IRIS)
    weights = np.random.default_rng(0).uniform(0.1, 3.0, len(y))
    ours = LogisticRegression(solver=solver, tol=1e-7).fit(X, y, sample_weight=weights)
    theirs = Rival(solver="newton-cholesky", tol=1e-12).fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=2e-5)


@pytest.mark.parametrize("solver", SOLVERS)
def test_without_a_penalty(solver):
    X, _, _, truth = soft_table(n=400)
    ours = LogisticRegression(C=np.inf, solver=solver, tol=1e-7).fit(X, truth)
    theirs = Rival(C=np.inf, solver="newton-cholesky", tol=1e-12).fit(X, truth)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-6)


@pytest.mark.parametrize("container", [csr_matrix, csr_array])
@pytest.mark.parametrize("solver", SOLVERS)
def test_sparse_rows(solver, container):
    X, y = load_digits(return_X_y=True)
    X, y = X[:300] / 16.0, y[:300]
    model = LogisticRegression(solver=solver).fit(container(X), y)
    dense = LogisticRegression(solver=solver).fit(X, y)
    np.testing.assert_allclose(model.coef_, dense.coef_, atol=1e-3)
    np.testing.assert_allclose(
        model.predict_proba(container(X)), model.predict_proba(X), rtol=1e-12, atol=1e-15
    )


# ------------------------------------------------------------------------------- soft labels


@pytest.mark.parametrize("K", [2, 4])
@pytest.mark.parametrize("channel", [None, FlipNoise(), FlipNoise("symmetric")], ids=str)
@pytest.mark.parametrize("solver", SOLVERS)
def test_log_likelihood_and_history_are_what_they_are_said_to_be(solver, channel, K):
    X, pl, _, _ = soft_table(K=K)
    weights = np.random.default_rng(1).uniform(0.2, 2.0, len(X))
    model = LogisticRegression(C=0.5, channel=channel, solver=solver, max_iter=3000)
    model.fit(X, 3.0 * pl, sample_weight=weights)
    log_likelihood, penalty = written(model, X, 3.0 * pl, 0.5, weights)
    if channel is not None:
        beyond_flat = 0.9 * np.eye(K) + 0.1
        penalty += np.sum(beyond_flat * np.log(model.channel_.matrix_))
    assert model.log_likelihood_ == pytest.approx(log_likelihood, rel=1e-9)
    assert model.history_[-1] == pytest.approx(log_likelihood + penalty, rel=1e-9)
    assert np.all(np.diff(model.history_) >= -1e-9)
    assert model.converged_ and model.n_iter_ == len(model.history_)
    assert model.log_likelihood(X, 3.0 * pl, weights) == pytest.approx(log_likelihood, rel=1e-9)


@pytest.mark.parametrize("solver", SOLVERS)
def test_soft_labels_end_at_a_maximum_of_the_written_objective(solver):
    X, pl, _, _ = soft_table(d=2)
    model = LogisticRegression(solver=solver, tol=1e-7, max_iter=5000).fit(X, pl)

    def loss(vector):
        model.coef_, model.intercept_ = vector[:6].reshape(3, 2), vector[6:]
        return -sum(written(model, X, pl, 1.0))

    fitted = np.concatenate([model.coef_.ravel(), model.intercept_])
    best = minimize(loss, fitted, method="BFGS", options={"gtol": 1e-8})
    assert loss(fitted) <= best.fun + 1e-8
    np.testing.assert_allclose(best.x[:6], fitted[:6], atol=1e-5)


def test_scores_are_symmetric():
    X, pl, _, _ = soft_table()
    model = LogisticRegression().fit(X, pl)
    np.testing.assert_allclose(model.coef_.sum(axis=0), 0.0, atol=1e-12)
    eta = X @ model.coef_.T + model.intercept_
    np.testing.assert_allclose(
        model.predict_log_proba(X), log_softmax(eta, axis=1), rtol=1e-7, atol=1e-12
    )


@pytest.mark.parametrize("solver", SOLVERS)
def test_rows_that_say_nothing_bear_on_nothing(solver):
    X, _, seen, _ = soft_table()
    silent = np.arange(len(X)) % 3 == 0
    with_silent = LogisticRegression(solver=solver, tol=1e-7).fit(X, np.where(silent, None, seen))
    alone = LogisticRegression(solver=solver, tol=1e-7).fit(X[~silent], seen[~silent])
    np.testing.assert_allclose(with_silent.coef_, alone.coef_, atol=1e-6)
    vacuous = SoftLabels.from_crisp(seen, classes=range(3)).plausibilities
    vacuous[silent] = 1.0
    as_soft = LogisticRegression(solver=solver, tol=1e-7).fit(X, vacuous)
    np.testing.assert_allclose(as_soft.coef_, alone.coef_, atol=1e-5)


def test_labels_that_say_nothing_at_all_are_refused():
    X, pl, _, _ = soft_table()
    for y in (np.ones_like(pl), SoftLabels.from_crisp([None] * len(X), classes=range(3))):
        with pytest.raises(ValueError, match="nothing to learn"):
            LogisticRegression().fit(X, y)


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_class_that_no_label_supports(solver):
    X, _, seen, _ = soft_table()
    model = LogisticRegression(solver=solver, classes=[0, 1, 2, 7]).fit(X, seen)
    without = LogisticRegression(solver=solver).fit(X, seen)
    assert model.coef_.shape == (4, 4) and np.all(model.coef_[3] == 0.0)
    np.testing.assert_array_equal(model.predict_proba(X)[:, 3], 0.0)
    np.testing.assert_allclose(model.predict_proba(X)[:, :3], without.predict_proba(X), atol=1e-6)
    eta = X @ model.coef_.T + model.intercept_
    np.testing.assert_allclose(model.predict_proba(X), np.exp(log_softmax(eta, axis=1)), atol=1e-12)


# ------------------------------------------------------------------------------- noisy labels


@pytest.mark.parametrize("kind", ["full", "symmetric"])
@pytest.mark.parametrize("solver", SOLVERS)
def test_the_flipping_matrix_is_found(solver, kind):
    rng = np.random.default_rng(0)
    n = 6000
    X = rng.normal(size=(n, 3))
    truth = np.argmax(3.0 * X + rng.gumbel(size=(n, 3)), axis=1)
    matrix = np.array([[0.7, 0.2, 0.1], [0.1, 0.85, 0.05], [0.15, 0.1, 0.75]])
    if kind == "symmetric":
        matrix = np.full((3, 3), 0.12) + 0.64 * np.eye(3)
    seen = np.array([rng.choice(3, p=matrix[k]) for k in truth])
    model = LogisticRegression(channel=FlipNoise(kind), solver=solver).fit(X, seen)
    assert model.converged_
    np.testing.assert_allclose(model.channel_.matrix_, matrix, atol=0.05)
    naive = LogisticRegression().fit(X, seen)
    clean = LogisticRegression().fit(X, truth)
    ideal = clean.predict_proba(X)
    apart = [np.abs(m.predict_proba(X) - ideal).mean() for m in (model, naive)]
    assert apart[0] < 0.3 * apart[1]


def test_verified_rows_bypass_the_channel():
    X, _, seen, truth = soft_table(n=600, wrong=0.6)
    gold = np.arange(len(X)) % 4 == 0
    labels = SoftLabels.from_crisp(np.where(gold, truth, seen)).with_verified(gold)
    model = LogisticRegression(channel=FlipNoise()).fit(X, labels)
    trusting = LogisticRegression().fit(X, labels)
    assert model.score(X, truth) > trusting.score(X, truth)
    posterior = model.posterior(X, labels)
    np.testing.assert_allclose(posterior[gold], np.eye(3)[truth[gold]], atol=1e-12)


def test_votes():
    X, _, _, truth = soft_table(n=400, wrong=0.0)
    rng = np.random.default_rng(0)
    item, who = np.repeat(np.arange(400), 3), np.tile(["ann", "bob", "cat"], 400)
    wrong = rng.random(1200) < np.tile([0.1, 0.3, 0.6], 400)
    says = np.where(wrong, rng.integers(0, 3, 1200), truth[item])
    votes = Votes({"item": item, "who": who, "says": says}, "item", "who", "says")
    model = LogisticRegression(channel=AnnotatorNoise()).fit(X, votes)
    right = model.channel_.matrices_[:, np.arange(3), np.arange(3)].mean(axis=1)
    np.testing.assert_allclose(right, [0.93, 0.8, 0.6], atol=0.08)


# -------------------------------------------------------------------------------- invariances


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("form", ["codes", "soft"])
def test_weight_two_is_a_row_twice_and_weight_zero_is_none(form, solver):
    X, pl, seen, _ = soft_table()
    y = pl if form == "soft" else seen
    counts = np.random.default_rng(0).integers(0, 3, len(X))
    weighted = LogisticRegression(solver=solver, tol=1e-7, max_iter=5000)
    weighted.fit(X, y, sample_weight=counts)
    again = np.repeat(np.arange(len(X)), counts)
    repeated = LogisticRegression(solver=solver, tol=1e-7, max_iter=5000).fit(X[again], y[again])
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-5)


@pytest.mark.parametrize("solver", SOLVERS)
def test_units_and_offsets_change_nothing_without_a_penalty(solver):
    X, pl, _, _ = soft_table(n=1000, signal=0.2)
    moved = X * [1e-6, 1.0, 1e5, 30.0] + [0.0, 1e4, -1e7, 3.0]
    fits = [
        LogisticRegression(C=np.inf, solver=solver, max_iter=5000, tol=tol).fit(rows, pl)
        for rows, tol in ((X, 1e-8), (moved, 1e-6))
    ]
    np.testing.assert_allclose(fits[0].predict_proba(X), fits[1].predict_proba(moved), atol=1e-4)


def test_order_of_classes_and_rows():
    X, pl, _, _ = soft_table()
    model = LogisticRegression(tol=1e-7).fit(X, pl)
    order = np.random.default_rng(0).permutation(len(X))
    shuffled = LogisticRegression(tol=1e-7).fit(X[order], pl[order][:, [2, 0, 1]])
    np.testing.assert_allclose(
        shuffled.predict_proba(X), model.predict_proba(X)[:, [2, 0, 1]], atol=1e-6
    )


def test_storage_of_rows(tmp_path):
    X, pl, _, _ = soft_table()
    model = LogisticRegression().fit(X, pl)
    np.save(tmp_path / "rows.npy", X)
    for rows in (np.asfortranarray(X), np.load(tmp_path / "rows.npy", mmap_mode="r"), X.tolist()):
        other = LogisticRegression().fit(rows, pl)
        np.testing.assert_allclose(other.coef_, model.coef_, rtol=1e-6, atol=1e-8)
    single = X.astype(np.float32)
    np.testing.assert_allclose(
        LogisticRegression().fit(single, pl).coef_,
        LogisticRegression().fit(single.astype(np.float64), pl).coef_,
        rtol=1e-12,
    )


def test_inputs_are_left_alone():
    X, pl, _, _ = soft_table()
    weights = np.ones(len(X))
    copies = X.copy(), pl.copy()
    for array in (X, pl, weights):
        array.flags.writeable = False
    LogisticRegression(channel=FlipNoise()).fit(X, pl, weights).predict(X)
    np.testing.assert_array_equal(X, copies[0])
    np.testing.assert_array_equal(pl, copies[1])


# ---------------------------------------------------------------------------------- odd tables

RNG = np.random.default_rng(0)
BASE = RNG.normal(size=(30, 3))
ODD = {
    "huge": BASE * 1e150,
    "tiny": BASE * 1e-150,
    "mixed": BASE * [1e150, 1e-150, 1.0],
    "constant": np.column_stack([BASE, np.full(30, 7.0)]),
    "duplicated": np.column_stack([BASE, BASE]),
    "wide": RNG.normal(size=(30, 80)),
    "integers": RNG.integers(-3, 3, (30, 2)),
    "bools": RNG.random((30, 4)) < 0.5,
    "far": BASE + 1e9,
    "all constant": np.ones((30, 2)),
    "strided": np.repeat(BASE, 2, axis=1)[::-1, ::2],
}


@pytest.mark.parametrize("labels", ["crisp", "soft", "flips"])
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("name", ODD)
def test_odd_tables_give_finite_answers(name, solver, labels):
    X = ODD[name]
    pl = np.random.default_rng(1).uniform(0.0, 0.9, (30, 3))
    codes = np.arange(30) % 3
    pl[np.arange(30), codes] = 1.0
    channel = FlipNoise() if labels == "flips" else None
    model = LogisticRegression(solver=solver, channel=channel, max_iter=50)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.filterwarnings("ignore", "The learned flipping matrix")
        model.fit(X, pl if labels == "soft" else codes)
    proba = model.predict_proba(X)
    assert np.all(np.isfinite(model.coef_)) and np.all(np.isfinite(model.intercept_))
    assert np.all(np.isfinite(proba))
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    assert np.all(np.diff(model.history_) >= -1e-9)


@pytest.mark.parametrize("solver", SOLVERS)
def test_separable_labels_without_a_penalty_end_by_saying_so(solver):
    X = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    model = LogisticRegression(C=np.inf, solver=solver, max_iter=200)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X, [0, 0, 1, 1])
    assert np.all(np.isfinite(model.coef_))
    np.testing.assert_array_equal(model.predict(X), [0, 0, 1, 1])


def test_one_class_alone():
    model = LogisticRegression().fit(BASE, ["a"] * 30)
    np.testing.assert_array_equal(model.predict_proba(BASE), np.ones((30, 1)))


def test_the_iteration_cap_is_said():
    X, pl, _, _ = soft_table()
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        model = LogisticRegression(max_iter=2).fit(X, pl)
    assert not model.converged_ and model.n_iter_ == 2


def test_verbose_prints_the_objective(capsys):
    X, pl, _, _ = soft_table()
    model = LogisticRegression(verbose=1).fit(X, pl)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == model.n_iter_
    assert lines[-1].split()[-1] == f"{model.history_[-1] / len(X):.9g}"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"C": 0.0}, "C must be a number above 0"),
        ({"C": "1"}, "C must be a number above 0"),
        ({"C": np.nan}, "C must be a number above 0"),
        ({"solver": "sag"}, "solver must be 'lbfgs', 'newton' or 'em', got 'sag'"),
        ({"max_iter": 0}, "max_iter must be an integer of 1 or more"),
        ({"tol": -1.0}, "tol must be a number of 0 or more"),
    ],
)
def test_settings_that_make_no_sense(settings, message):
    with pytest.raises(ValueError, match=message):
        LogisticRegression(**settings).fit(*IRIS)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_features_that_are_no_numbers_are_refused(bad):
    rows = BASE.copy()
    rows[4, 1] = bad
    with pytest.raises(ValueError, match="row 4, column 1"):
        LogisticRegression().fit(rows, np.arange(30) % 2)
