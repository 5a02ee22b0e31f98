"""What must not matter: units, order, names, blocks, threads, storage; what weights mean."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from tests.integration import oracle

from labelief import (
    FlipNoise,
    GenerativeClassifier,
    LinearDiscriminantAnalysis,
    MixtureDiscriminantAnalysis,
    SoftLabels,
)
from labelief.blocks import arrays
from labelief.densities import FullGaussian, TiedGaussian

N_CLASSES = 3
MODELS = {
    "tied": lambda: GenerativeClassifier(TiedGaussian()),
    "full, flips": lambda: GenerativeClassifier(FullGaussian(), channel=FlipNoise()),
    "diagonal x 2": lambda: GenerativeClassifier(oracle.DiagonalGaussian(), 2),
    "spherical": lambda: GenerativeClassifier(oracle.SphericalGaussian()),
    "weibull": lambda: GenerativeClassifier(oracle.Weibull()),
    "VVE": lambda: GenerativeClassifier(oracle.ParsimoniousGaussian("VVE")),
    "mixture, flips": lambda: MixtureDiscriminantAnalysis(channel=FlipNoise("symmetric")),
}
# Families with rows of their own, some of them with missing features.
OTHERS = {
    "poisson": lambda: GenerativeClassifier(oracle.Poisson()),
    "bernoulli": lambda: GenerativeClassifier(oracle.Bernoulli(), 2),
    "categorical, flips": lambda: GenerativeClassifier(
        oracle.Categorical(n_levels=4), channel=FlipNoise()
    ),
    "full, gaps": lambda: GenerativeClassifier(FullGaussian()),
    "diagonal, gaps": lambda: GenerativeClassifier(oracle.DiagonalGaussian(), 2),
    "poisson, gaps": lambda: GenerativeClassifier(oracle.Poisson()),
    "columns, gaps": lambda: GenerativeClassifier(oracle.mixed_columns()),
}
ALL = MODELS | OTHERS


def steps(model, n=8):
    """Return the model with a fixed number of iterations."""
    return model.set_params(max_iter=n, tol=0.0, ridge=1e-3)


def problem(labels="soft", n=90, d=3, seed=0, name="tied"):
    X, truth = oracle.make_rows(n, d, N_CLASSES, seed=seed)
    X = oracle.rows_for(name.split(",")[0], X)
    X = oracle.with_gaps(X) if "gaps" in name else X
    return X, oracle.make_labels(labels, truth, N_CLASSES, seed=seed).y


pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning", "ignore:The learned flipping matrix"
)


def same(one, other, X, rtol=1e-9, other_X=None):
    other_X = X if other_X is None else other_X
    np.testing.assert_allclose(
        other.predict_proba(other_X), one.predict_proba(X), rtol=rtol, atol=rtol
    )
    np.testing.assert_allclose(other.priors_, one.priors_, rtol=rtol, atol=rtol)


# ------------------------------------------------------------------------------------- units


@pytest.mark.parametrize("labels", ["crisp", "soft", "vacuous"])
@pytest.mark.parametrize("condition", [1.0, 1e4])
@pytest.mark.parametrize("scale", [1e-150, 1.0, 1e150])
@pytest.mark.parametrize("offset", [0.0, 1e6])
@pytest.mark.parametrize("name", ["tied", "full, flips", "mixture, flips"])
def test_affine_changes_change_nothing(name, offset, scale, condition, labels):
    X, y = problem(labels)
    rng = np.random.default_rng(1)
    turns = [np.linalg.qr(rng.normal(size=(3, 3)))[0] for _ in range(2)]
    A = turns[0] @ np.diag(np.geomspace(1.0, 1.0 / condition, 3)) @ turns[1]
    changed = (X @ A + offset) * scale
    model = steps(MODELS[name]().set_params(init="labels" if labels != "vacuous" else "auto"))
    one, other = clone(model).fit(X, y), clone(model).fit(changed, y)
    # The offset leaves fewer bits of the smallest direction.
    lost = 1e-15 * condition**2 + 1e-15 * offset * condition + 1e-9
    same(one, other, X, min(1e3 * lost, 1e-3), changed)
    shift = len(X) * (np.linalg.slogdet(A)[1] + 3 * np.log(scale))
    assert other.log_likelihood_ == pytest.approx(one.log_likelihood_ - shift, rel=1e-5, abs=1e-3)
    np.testing.assert_allclose(other.means_ / scale, one.means_ @ A + offset, rtol=1e-7, atol=1e-6)


@pytest.mark.parametrize("units", [[1.0, 1e6, 1e-6], [1e150, 1.0, 1e-150], [-2.0, 3.0, 1e3]])
@pytest.mark.parametrize("offset", [0.0, 1e5])
@pytest.mark.parametrize("labels", ["crisp", "soft", "vacuous"])
def test_units_of_columns_change_nothing_in_diagonal_covariances(labels, offset, units):
    X, y = problem(labels)
    changed = (X + offset) * units
    model = steps(MODELS["diagonal x 2"]())
    one, other = clone(model).fit(X, y), clone(model).fit(changed, y)
    same(one, other, X, 1e-7, changed)
    shift = len(X) * np.sum(np.log(np.abs(units)))
    assert other.log_likelihood_ == pytest.approx(one.log_likelihood_ - shift, rel=1e-7)


@pytest.mark.parametrize("offset", [0.0, 1e5])
@pytest.mark.parametrize("scale", [1e-150, -3.0, 1e150])
def test_rotations_and_common_units_change_nothing_in_spherical_covariances(scale, offset):
    X, y = problem()
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]
    changed = (X @ turn + offset) * scale
    model = steps(MODELS["spherical"]())
    one, other = clone(model).fit(X, y), clone(model).fit(changed, y)
    same(one, other, X, 1e-7, changed)
    shift = 3 * len(X) * np.log(abs(scale))
    assert other.log_likelihood_ == pytest.approx(one.log_likelihood_ - shift, rel=1e-7)


@pytest.mark.parametrize("power", [0.5, 1.0, 3.0, -1.0])
@pytest.mark.parametrize("units", [[1.0, 1.0, 1.0], [1e100, 1.0, 1e-100]])
def test_powers_and_units_change_nothing_in_weibull_features(power, units):
    X, y = problem()
    if power < 0:
        with pytest.raises(ValueError, match="Column 0"):
            MODELS["weibull"]().fit(-X, y)
        return
    changed = X**power * units
    model = steps(MODELS["weibull"]())
    one, other = clone(model).fit(X, y), clone(model).fit(changed, y)
    same(one, other, X, 1e-7, changed)
    volume = np.log(power) + (power - 1) * np.log(X)
    shift = np.sum(volume) + len(X) * np.sum(np.log(units))
    assert other.log_likelihood_ == pytest.approx(one.log_likelihood_ - shift, rel=1e-7)


# ---------------------------------------------------------------------------- order and names


@pytest.mark.parametrize("labels", ["crisp", "soft", "missing"])
@pytest.mark.parametrize("name", ALL)
def test_order_of_rows(name, labels):
    X, y = problem(labels, name=name)
    order = np.random.default_rng(2).permutation(len(X))
    model = steps(ALL[name]())
    same(clone(model).fit(X, y), clone(model).fit(X[order], y[order]), X, 1e-7)


@pytest.mark.parametrize("labels", ["crisp", "soft", "missing"])
@pytest.mark.parametrize("name", MODELS)
def test_order_of_columns(name, labels):
    X, y = problem(labels)
    model = steps(MODELS[name]())
    one, other = clone(model).fit(X, y), clone(model).fit(X[:, ::-1], y)
    same(one, other, X, 1e-6, X[:, ::-1])


@pytest.mark.parametrize("name", ALL)
def test_order_of_classes(name):
    X, pl = problem("soft", name=name)
    order = [2, 0, 1]
    model = steps(ALL[name]())
    one, other = clone(model).fit(X, pl), clone(model).fit(X, pl[:, order])
    np.testing.assert_allclose(
        other.predict_proba(X), one.predict_proba(X)[:, order], rtol=1e-7, atol=1e-9
    )
    if "flips" in name:
        matrix = one.channel_.matrix_[np.ix_(order, order)]
        np.testing.assert_allclose(other.channel_.matrix_, matrix, atol=1e-7)


@pytest.mark.parametrize("name", ["poisson", "categorical, flips", "full, gaps", "diagonal, gaps"])
def test_order_of_columns_that_are_counted_or_missing(name):
    X, y = problem("soft", name=name)
    model = steps(OTHERS[name]())
    one, other = clone(model).fit(X, y), clone(model).fit(X[:, ::-1], y)
    same(one, other, X, 1e-6, X[:, ::-1])


@pytest.mark.parametrize("labels", ["crisp", "soft", "vacuous"])
@pytest.mark.parametrize("units", [[1.0, 1e6, 1e-6], [1e150, 1.0, 1e-150], [-2.0, 3.0, 1e3]])
@pytest.mark.parametrize("name", ["full, gaps", "diagonal, gaps"])
def test_units_of_columns_change_nothing_where_features_are_missing(name, units, labels):
    X, y = problem(labels, name=name)
    model = steps(OTHERS[name]())
    one, other = clone(model).fit(X, y), clone(model).fit(X * units, y)
    same(one, other, X, 1e-7, X * units)
    shift = np.sum(~np.isnan(X), axis=0) @ np.log(np.abs(units))
    assert other.log_likelihood_ == pytest.approx(one.log_likelihood_ - shift, rel=1e-7)


NAMES = {
    "text": np.array(["ant", "bee", "cat"]),
    "numbers": np.array([5, 7, 300]),
    "floats": np.array([0.0, 1.0, 2.0]),
    "objects": np.array(["a", "b", "c"], dtype=object),
}


@pytest.mark.parametrize("names", NAMES)
def test_names_of_classes(names):
    X, codes = problem("crisp")
    given = NAMES[names]
    model = steps(LinearDiscriminantAnalysis(channel=FlipNoise()))
    one, other = clone(model).fit(X, codes), clone(model).fit(X, given[codes])
    np.testing.assert_array_equal(other.classes_, given)
    same(one, other, X)
    np.testing.assert_array_equal(other.predict(X), given[one.predict(X)])


def test_classes_that_are_true_and_false():
    X, codes = problem("crisp")
    y = codes == 1
    model = LinearDiscriminantAnalysis().fit(X, y)
    np.testing.assert_array_equal(model.classes_, [False, True])
    assert model.predict(X).dtype == bool
    assert model.score(X, y) == np.mean(model.predict(X) == y)


def test_bare_columns_are_in_the_order_of_classes_at_fit_and_afterwards():
    X, pl = problem("soft")
    order = ["c", "a", "b"]
    priors = [0.5, 0.2, 0.3]
    sorted_pl = pl[:, [1, 2, 0]]
    one = steps(LinearDiscriminantAnalysis(classes=["a", "b", "c"], priors=[0.2, 0.3, 0.5]))
    other = steps(LinearDiscriminantAnalysis(classes=order, priors=priors))
    one.fit(X, sorted_pl)
    other.fit(X, pl)
    np.testing.assert_array_equal(other.classes_, ["a", "b", "c"])
    np.testing.assert_allclose(other.priors_, [0.2, 0.3, 0.5])
    same(one, other, X)
    assert other.log_likelihood(X, pl) == pytest.approx(one.log_likelihood(X, sorted_pl))
    np.testing.assert_allclose(other.posterior(X, pl), one.posterior(X, sorted_pl))
    frame = pytest.importorskip("pandas").DataFrame(pl, columns=order)
    same(one, steps(LinearDiscriminantAnalysis(priors=[0.2, 0.3, 0.5])).fit(X, frame), X)


def test_labels_in_an_order_of_their_own():
    X, pl = problem("soft")
    here = SoftLabels.from_plausibilities(pl, ["a", "b", "c"])
    there = here.reorder(["c", "a", "b"])
    model = steps(LinearDiscriminantAnalysis(channel=FlipNoise()))
    one, other = clone(model).fit(X, here), clone(model).fit(X, there)
    np.testing.assert_array_equal(other.classes_, ["a", "b", "c"])
    same(one, other, X)
    np.testing.assert_allclose(one.posterior(X, there), one.posterior(X, here))


# ------------------------------------------------------------------------------------ weights


@pytest.mark.parametrize("labels", ["crisp", "soft", "missing", "vacuous"])
@pytest.mark.parametrize("name", ALL)
def test_weight_two_is_a_row_twice_and_weight_zero_is_none(name, labels):
    X, y = problem(labels, name=name)
    weights = np.random.default_rng(3).integers(0, 3, len(X))
    rows = np.repeat(np.arange(len(X)), weights)
    model = steps(ALL[name]())
    weighted, repeated = clone(model).fit(X, y, weights), clone(model).fit(X[rows], y[rows])
    same(repeated, weighted, X, 1e-7)
    assert weighted.log_likelihood_ == pytest.approx(repeated.log_likelihood_, rel=1e-9)
    kept = weights > 0
    dropped = clone(model).fit(X[kept], y[kept], weights[kept])
    same(dropped, weighted, X, 1e-12)


@pytest.mark.parametrize("shrinkage", [0.2, "auto"])
def test_weights_and_shrinkage(shrinkage):
    X, y = problem("soft")
    weights = np.random.default_rng(3).integers(0, 3, len(X))
    rows = np.repeat(np.arange(len(X)), weights)
    model = steps(GenerativeClassifier(FullGaussian(), shrinkage=shrinkage))
    same(clone(model).fit(X[rows], y[rows]), clone(model).fit(X, y, weights), X, 1e-7)


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_the_unit_of_weights_does_not_matter_to_trusted_labels(scale):
    X, y = problem("soft")
    weights = np.random.default_rng(3).uniform(0.5, 2, len(X))
    model = steps(MODELS["tied"]())
    one, other = clone(model).fit(X, y, weights), clone(model).fit(X, y, weights * scale)
    same(one, other, X, 1e-7)


def test_a_start_of_ones_own_is_sliced_with_the_rows():
    X, y = problem("vacuous")
    R = np.random.default_rng(4).dirichlet(np.ones(3), len(X))
    weights = (np.arange(len(X)) % 3 > 0).astype(float)
    kept = weights > 0
    model = steps(MODELS["tied"](), 2)
    one = clone(model).fit(X[kept], y[kept], responsibilities=R[kept])
    same(one, clone(model).fit(X, y, weights, responsibilities=R), X, 1e-12)


# --------------------------------------------------------------------- blocks, threads, storage


@pytest.mark.parametrize("labels", ["crisp", "verified soft", "vacuous"])
@pytest.mark.parametrize("name", ALL)
def test_blocks_and_threads(name, labels, monkeypatch):
    X, y = problem(labels, n=120, name=name)
    model = steps(ALL[name]())
    one = clone(model).fit(X, y)
    for rows, n_threads in [(1, 1), (7, 2), (50, 3)]:
        usual = arrays.ArrayBlocks.__init__

        def small(self, *args, usual=usual, rows=rows, n_threads=n_threads, **settings):
            usual(self, *args, **{**settings, "block_rows": rows, "n_threads": n_threads})

        with monkeypatch.context() as patch:
            patch.setattr(arrays.ArrayBlocks, "__init__", small)
            other = clone(model).fit(X, y)
            same(one, other, X, 1e-10)
        assert other.log_likelihood_ == pytest.approx(one.log_likelihood_, rel=1e-10)
        np.testing.assert_allclose(other.covariances_, one.covariances_, rtol=1e-9, atol=1e-12)


def layouts(X, folder):
    mapped = np.memmap(folder / "rows", dtype=X.dtype, mode="w+", shape=X.shape)
    mapped[:] = X
    wide = np.zeros((2 * X.shape[0], 3 * X.shape[1]), dtype=X.dtype)
    wide[::2, ::3] = X
    still = X.copy()
    still.setflags(write=False)
    return {
        "Fortran": np.asfortranarray(X),
        "memory map": mapped,
        "strided": wide[::2, ::3],
        "backwards": X[::-1][::-1],
        "read-only": still,
        "list": X.tolist(),
    }


@pytest.mark.parametrize("name", ALL)
def test_storage_of_rows(name, tmp_path):
    X, y = problem("soft", name=name)
    model = steps(ALL[name]())
    one = clone(model).fit(X, y)
    for rows in layouts(X, tmp_path).values():
        other = clone(model).fit(rows, y)
        same(one, other, X, 1e-11)
        np.testing.assert_allclose(one.predict_proba(rows), one.predict_proba(X), rtol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.int8, np.uint16, np.float16])
@pytest.mark.parametrize("name", MODELS)
def test_types_of_rows_are_computed_in_doubles(name, dtype):
    X, y = problem("soft")
    X = (X * 10 + 1).astype(dtype)
    model = steps(MODELS[name]())
    one, other = clone(model).fit(X.astype(float), y), clone(model).fit(X, y)
    same(one, other, X.astype(float), 1e-11, X)
    assert other.means_.dtype == np.float64


def test_bool_rows():
    X, y = problem("soft")
    X = X > np.median(X, axis=0)
    same(MODELS["tied"]().fit(X.astype(float), y), MODELS["tied"]().fit(X, y), X)


def test_sparse_rows_are_refused():
    X, y = problem()
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        LinearDiscriminantAnalysis().fit(csr_array(X), y)


def test_inputs_are_left_alone():
    X, y = problem("soft")
    weights, R = np.ones(len(X)), np.full((len(X), 3), 1 / 3)
    R[:, 0] += 0.1
    copies = [a.copy() for a in (X, y, weights, R)]
    steps(MODELS["full, flips"]()).fit(X, y, weights, responsibilities=R).predict_proba(X)
    for now, before in zip((X, y, weights, R), copies, strict=True):
        np.testing.assert_array_equal(now, before)


@pytest.mark.parametrize("dtype", [np.float32, bool])
def test_types_of_plausibilities(dtype):
    X, y = problem("candidate")
    pl = y.plausibilities
    model = steps(MODELS["full, flips"]())
    same(clone(model).fit(X, pl), clone(model).fit(X, pl.astype(dtype)), X, 1e-9)
    same(clone(model).fit(X, pl), clone(model).fit(X, np.asfortranarray(pl)), X, 1e-9)
