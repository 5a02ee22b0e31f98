from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import check_grad, minimize
from sklearn.base import clone

from labelief import FlipNoise, SoftLabels
from labelief.blocks import Symbols
from labelief.channels.flip_noise import FixedFlips, FullFlips, SymmetricFlips

RNG = np.random.default_rng(0)
EVIDENCE = Symbols(np.array([0, 1]), 3)
COUNTS = RNG.uniform(0, 20, (3, 3)) + 15 * np.eye(3)
BOUND = {"full": FullFlips(3), "symmetric": SymmetricFlips(3)}
PSEUDO = 0.9 * np.eye(3) + 0.1


def expected_objective(matrix):
    return float(np.sum((COUNTS + PSEUDO) * np.log(matrix)))


@pytest.mark.parametrize("kind", BOUND)
def test_m_step_maximises_the_expected_objective(kind):
    bound = BOUND[kind]
    best = bound.maximise(COUNTS, bound.start())
    np.testing.assert_allclose(best.sum(axis=1), 1.0)
    found = minimize(
        lambda v: -expected_objective(bound.from_vector(v)),
        bound.to_vector(bound.start()),
        method="BFGS",
        options={"gtol": 1e-7},
    )
    np.testing.assert_allclose(best, bound.from_vector(found.x), atol=1e-6)
    assert expected_objective(best) >= -found.fun - 1e-9


def test_m_steps_by_hand():
    total = COUNTS + PSEUDO
    full = BOUND["full"].maximise(COUNTS, None)
    np.testing.assert_allclose(full, total / total.sum(axis=1, keepdims=True))
    rate = 1 - np.trace(total) / total.sum()
    symmetric = BOUND["symmetric"].maximise(COUNTS, None)
    np.testing.assert_allclose(np.diag(symmetric), 1 - rate)
    np.testing.assert_allclose(symmetric[~np.eye(3, dtype=bool)], rate / 2)


@pytest.mark.parametrize("kind", BOUND)
def test_gradient_is_the_derivative(kind):
    bound = BOUND[kind]
    point = bound.to_vector(bound.maximise(COUNTS + RNG.random((3, 3)) * 30, None))
    error = check_grad(
        lambda v: expected_objective(bound.from_vector(v)),
        lambda v: bound.gradient(COUNTS, bound.from_vector(v)),
        point,
    )
    assert error < 1e-4


@pytest.mark.parametrize("kind", BOUND)
def test_vectors_give_back_their_matrix(kind):
    bound = BOUND[kind]
    matrix = bound.maximise(COUNTS, None)
    np.testing.assert_allclose(bound.from_vector(bound.to_vector(matrix)), matrix, rtol=1e-12)
    wild = bound.from_vector(bound.to_vector(matrix) + 1e4)
    assert np.all(wild > 0)
    np.testing.assert_allclose(wild.sum(axis=1), 1.0)
    assert np.isfinite(bound.log_prior(wild))


@pytest.mark.parametrize("kind", BOUND)
def test_start_is_near_the_identity_and_prior_is_counted(kind):
    bound = BOUND[kind]
    start = bound.start()
    np.testing.assert_allclose(start, np.full((3, 3), 0.1) + 0.7 * np.eye(3))
    assert bound.log_prior(start) == pytest.approx(np.sum(PSEUDO * np.log(start)))


def test_a_start_takes_labels_at_their_word():
    for bound in (*BOUND.values(), FixedFlips(np.full((3, 3), 1 / 3))):
        look = bound.first_look()
        assert look.matrix is None
        np.testing.assert_array_equal(np.exp(look.log_table[:, :3]), np.eye(3))


def test_symbols_that_are_unknown_or_verified():
    matrix = BOUND["full"].maximise(COUNTS, None)
    table = np.exp(BOUND["full"].likelihoods(matrix).log_table)
    np.testing.assert_allclose(table[:, :3], matrix)
    np.testing.assert_array_equal(table[:, 3], 1.0)
    np.testing.assert_array_equal(table[:, 4:7], np.eye(3))
    np.testing.assert_array_equal(table[:, 7], 1.0)


SHIFT = np.array([1, 2, 0])


@pytest.mark.parametrize("kind", BOUND)
def test_names_follow_the_labels(kind):
    # Latent class k is labelled SHIFT[k] most of the time.
    counts = np.full((3, 3), 1.0)
    counts[np.arange(3), SHIFT] = 30.0
    bound = BOUND[kind]
    np.testing.assert_array_equal(bound.naming(counts, np.ones(3, dtype=int)), SHIFT)
    named = np.empty_like(counts)
    named[SHIFT] = counts
    assert bound.naming(named, np.ones(3, dtype=int)) is None
    assert np.trace(named) == 90.0


def test_only_classes_of_equal_sizes_exchange_names():
    counts = np.array([[1.0, 30, 1], [30, 1, 1], [1, 1, 30]])
    bound = BOUND["full"]
    np.testing.assert_array_equal(bound.naming(counts, np.array([2, 2, 1])), [1, 0, 2])
    assert bound.naming(counts, np.array([2, 1, 2])) is None


def test_renamed_rows():
    matrix = RNG.dirichlet(np.ones(3), 3)
    moved = BOUND["full"].renamed(matrix, SHIFT)
    for k in range(3):
        np.testing.assert_array_equal(moved[SHIFT[k]], matrix[k])


def test_two_classes_with_symmetric_flips_exchange_names_exactly():
    bound = SymmetricFlips(2)
    swapped = np.array([[0.3, 0.7], [0.7, 0.3]])
    np.testing.assert_allclose(bound.renamed(swapped, np.array([1, 0])), swapped[::-1])


def test_symmetric_flips_are_right_as_often_under_new_names():
    # Latent classes 0 and 1 change places, class 2 stays: only class 2 keeps its rate.
    matrix = np.full((3, 3), 0.1) + 0.7 * np.eye(3)
    moved = SymmetricFlips(3).renamed(matrix, np.array([1, 0, 2]))
    right = (0.1 + 0.1 + 0.8) / 3
    np.testing.assert_allclose(np.diag(moved), right)
    np.testing.assert_allclose(moved[~np.eye(3, dtype=bool)], (1 - right) / 2)


def test_numbers_of_free_parameters():
    assert BOUND["full"].n_parameters() == 6
    assert BOUND["symmetric"].n_parameters() == 1
    assert FixedFlips(np.eye(3)).n_parameters() == 0


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (np.eye(2), "3 x 3"),
        (np.ones(3), "3 x 3"),
        ([[0.5, 0.5, 0], [0, 1, 0], [0.3, 0.3, 0.3]], "Row 2"),
        ([[1.5, -0.5, 0], [0, 1, 0], [0, 0, 1]], "probabilities"),
        ([[np.nan, 1, 0], [0, 1, 0], [0, 0, 1]], "probabilities"),
    ],
)
def test_a_matrix_that_is_none_is_refused(matrix, message):
    with pytest.raises(ValueError, match=message):
        FlipNoise(matrix=matrix).bind(3, EVIDENCE)


def test_unknown_kind_is_refused():
    with pytest.raises(ValueError, match="kind"):
        FlipNoise("sideways").bind(3, EVIDENCE)


def test_one_class_has_nothing_to_flip():
    bound = FlipNoise().bind(1, EVIDENCE)
    assert not bound.learned
    np.testing.assert_array_equal(FlipNoise().fitted(bound, None).matrix_, [[1.0]])


def test_fitting_leaves_the_channel_alone():
    channel = FlipNoise("symmetric")
    bound = channel.bind(3, EVIDENCE)
    fitted = channel.fitted(bound, bound.start())
    assert not hasattr(channel, "matrix_")
    assert fitted is not channel and fitted.kind == "symmetric"
    assert not hasattr(clone(fitted), "matrix_")


def test_a_diagonal_that_is_not_its_rows_maximum_earns_a_warning():
    channel = FlipNoise()
    bound = channel.bind(3, EVIDENCE)
    doubtful = np.array([[0.9, 0.1, 0.0], [0.6, 0.3, 0.1], [0.0, 0.1, 0.9]])
    with pytest.warns(UserWarning, match="class 1"):
        channel.fitted(bound, doubtful)


def test_votes_are_refused_with_advice():
    from labelief import LinearDiscriminantAnalysis, Votes

    table = {"item": [0, 1, 2], "annotator": ["a", "a", "a"], "label": [0, 1, 0]}
    import pandas as pd

    votes = Votes(pd.DataFrame(table), item="item", annotator="annotator", label="label")
    for channel in (None, FlipNoise()):
        with pytest.raises(ValueError, match="from_votes"):
            LinearDiscriminantAnalysis(channel=channel).fit(np.eye(3), votes)


def test_verified_rows_bypass_the_matrix():
    from labelief import LinearDiscriminantAnalysis

    X = np.array([[0.0], [1.0], [0.5], [5.0], [6.0], [5.5]])
    y = SoftLabels.from_crisp([0, 0, 1, 1, 1, 0], [0, 1])
    gold = y.with_verified([False, False, True, False, False, False])
    flips = FlipNoise(matrix=[[0.6, 0.4], [0.4, 0.6]])
    model = LinearDiscriminantAnalysis(channel=flips, ridge=0.1, classes=[0, 1]).fit(X, gold)
    posterior = model.posterior(X, gold)
    np.testing.assert_allclose(posterior[2], [0.0, 1.0])
    assert np.all(posterior[[0, 1, 3, 4, 5]] > 0)
