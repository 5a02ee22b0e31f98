"""No kernel writes to its inputs, and none depends on how they lie in memory."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

from labelief.kernels import (
    class_moments,
    conditional,
    counts,
    features,
    gaps,
    gumbel,
    labels,
    namespace,
    posterior,
)

RNG = np.random.default_rng(0)
X = RNG.normal(size=(7, 3))
LOGS = RNG.normal(size=(7, 3))
R = RNG.dirichlet(np.ones(3), 7)
SQUARE = RNG.dirichlet(np.ones(3), 3)
CODES = np.array([0, 1, 2, 2, 1, 0, 0])
VECTOR = RNG.random(3)
ROWS = RNG.random(7)

HOLES = np.where(RNG.random((7, 3)) < 0.4, np.nan, X)
TILES = conditional.mixed_rows(*gaps.filled(HOLES)).gaps
SYMMETRIC = np.stack([np.eye(3) + 0.1] * 3)

CALLS = {
    class_moments.class_moments: (X, R, R, VECTOR, VECTOR),
    class_moments.row_shares: (R, ROWS),
    conditional.conditional_statistics: (TILES, R, SQUARE, SYMMETRIC),
    conditional.marginal_log_densities: (TILES, SQUARE, SYMMETRIC, VECTOR, VECTOR),
    conditional.mixed_rows: gaps.filled(HOLES),
    counts.indicators: (X, np.array([0, 0, 2]), VECTOR),
    counts.log_factorial: (np.floor(20 * np.abs(X)),),
    counts.not_in: (X, VECTOR),
    gaps.filled: (HOLES,),
    gaps.with_gaps: (features.with_squares, HOLES),
    features.scaled: (X, np.array([0, 2]), VECTOR[:2], VECTOR[:2]),
    features.whitened: (X, VECTOR, SQUARE),
    features.with_ones: (X,),
    features.with_products: (X,),
    features.with_squared_norm: (X,),
    features.with_squares: (X,),
    gumbel.exponential_sums: (np.hstack([np.ones((7, 1)), X]), R, SQUARE, SQUARE),
    gumbel.hazards: (X, SQUARE, SQUARE),
    labels.log_or_minus_infinity: (R,),
    labels.observed_shares: (R, SQUARE, R, ROWS),
    labels.one_hot: (CODES, 3),
    labels.restricted: (LOGS, np.array([3, 1, 2, 0, 3, 3, 1])),
    labels.symbol_log_weights: (CODES, SQUARE),
    labels.told_shares: (LOGS,),
    namespace.by_columns: (X,),
    namespace.column_product: (X, SQUARE),
    namespace.cross_product: (X, R),
    namespace.on_host: (CODES,),
    namespace.take_features: (X, np.array([2, 0])),
    namespace.take_rows: (X, np.array([4, 0])),
    namespace.to_float64: (X.astype(np.float32),),
    namespace.to_host: (X,),
    posterior.class_sums: (R, np.eye(3)),
    posterior.posterior: (LOGS,),
    posterior.relative: (LOGS,),
    posterior.spread: (LOGS, np.array([0, 0, 2, 1])),
    posterior.weighted_posterior: (R, R),
}
# What makes nothing of arrays' values, and what has a test of its own.
OTHERS = {"any_missing", "empty", "is_sparse", "namespace", "stored_class_moments"}


def leaves(value):
    if isinstance(value, tuple):
        return [leaf for part in value for leaf in leaves(part)]
    return [value]


def relaid(array, order):
    return np.asarray(array, order=order) if isinstance(array, np.ndarray) else array


def test_every_kernel_is_tried():
    tried = {function.__name__ for function in CALLS} | OTHERS
    for module in (
        class_moments,
        conditional,
        counts,
        features,
        gaps,
        gumbel,
        labels,
        namespace,
        posterior,
    ):
        functions = {n for n in module.__all__ if inspect.isfunction(getattr(module, n))}
        assert functions <= tried, functions - tried


@pytest.mark.parametrize("kernel", CALLS, ids=lambda kernel: kernel.__name__)
def test_inputs_are_left_alone_however_they_lie(kernel):
    expected = None
    for order in ("C", "F"):
        arguments = [relaid(a, order) for a in CALLS[kernel]]
        before = [np.array(leaf, dtype=object) for a in arguments for leaf in leaves(a)]
        for argument in leaves(tuple(arguments)):
            if isinstance(argument, np.ndarray):
                argument.flags.writeable = False
        got = leaves(kernel(*arguments))
        for argument, value in zip(leaves(tuple(arguments)), before, strict=True):
            if isinstance(argument, np.ndarray):
                np.testing.assert_array_equal(argument, value.astype(argument.dtype))
        if expected is not None:
            for one, other in zip(expected, got, strict=True):
                if one is None:
                    continue
                np.testing.assert_allclose(one, other, rtol=1e-13)
        expected = got
