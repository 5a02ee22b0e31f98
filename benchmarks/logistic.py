"""Logistic regression to the same penalised objective against scikit-learn's lbfgs.

Each side gets the loosest tolerance, in powers of ten, with which its own stop rule ends within
1e-6 (relative) of the best objective that either can reach.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression as Rival

from harness import Codes, Floats, Row, clock, faster, gaussian_classes, quiet
from labelief import LogisticRegression

LADDER = [10.0**-power for power in range(2, 9)]


def objective(model: Any, X: Floats, codes: Codes, C: float = 1.0) -> float:
    """Negative log-likelihood plus the penalty on the coefficients, from the fitted model."""
    eta = X @ model.coef_.T + model.intercept_
    eta -= eta.max(axis=1, keepdims=True)
    log_p = eta[np.arange(len(codes)), codes] - np.log(np.exp(eta).sum(axis=1))
    return float(-log_p.sum() + (model.coef_**2).sum() / (2.0 * C))


def loosest(make: Callable[[float], Any], X: Floats, codes: Codes, target: float) -> float:
    """Loosest tolerance on the ladder that reaches the target."""
    for tol in LADDER:
        if objective(make(tol).fit(X, codes), X, codes) <= target:
            return tol
    raise RuntimeError(f"{make(LADDER[-1])} does not reach the objective {target}")


def ours(tol: float) -> Any:
    return LogisticRegression(tol=tol)


def theirs(tol: float) -> Any:
    return Rival(tol=tol, max_iter=1000)


def rows(scale: float) -> Iterator[Row]:
    for n_full, d, K in ((1_000_000, 20, 5), (100_000, 100, 10)):
        n = int(n_full * scale)
        X, codes = gaussian_classes(n, d, K, seed=d, spread=0.4)
        with quiet():
            best = min(objective(make(1e-8).fit(X, codes), X, codes) for make in (ours, theirs))
            target = best * (1.0 + 1e-6)
            our_tol, their_tol = (loosest(make, X, codes, target) for make in (ours, theirs))
        row = faster(
            f"logistic fit to the same objective, {n} x {d}, K={K}",
            "scikit-learn lbfgs",
            clock(partial(ours(our_tol).fit, X, codes)),
            clock(partial(theirs(their_tol).fit, X, codes)),
            1.5,
        )
        yield replace(row, note=f"tolerances {our_tol:g} and {their_tol:g}")
