"""One EM iteration on soft labels against one of scikit-learn's GaussianMixture."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from sklearn.mixture import GaussianMixture

from harness import (
    Clock,
    Floats,
    Row,
    at_most,
    clock,
    faster,
    gaussian_classes,
    iteration_clock,
    quiet,
    soft_labels,
)
from labelief import (
    GenerativeClassifier,
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from labelief.densities import DiagonalGaussian


def mixture_iteration(kind: str, X: Floats, K: int) -> Clock:
    """One E-step and one M-step of GaussianMixture on all of X."""
    with quiet():
        mixture = GaussianMixture(
            K, covariance_type=kind, max_iter=1, init_params="random", random_state=0
        ).fit(X[:5000])

    def iterate() -> None:
        _, log_responsibilities = mixture._e_step(X)
        mixture._m_step(X, log_responsibilities)

    return clock(iterate)


def lda(max_iter: int) -> Any:
    return LinearDiscriminantAnalysis(max_iter=max_iter, tol=0.0)


def qda(max_iter: int) -> Any:
    return QuadraticDiscriminantAnalysis(max_iter=max_iter, tol=0.0)


def diagonal(max_iter: int) -> Any:
    return GenerativeClassifier(DiagonalGaussian(), max_iter=max_iter, tol=0.0)


TABLE: list[tuple[str, Callable[[int], Any], int, int, int, float]] = [
    ("tied", lda, 1_000_000, 20, 5, 15.0),
    ("full", qda, 1_000_000, 10, 5, 5.0),
    ("full", qda, 100_000, 50, 10, 2.5),
    ("diag", diagonal, 1_000_000, 20, 5, 3.0),
]


def rows(scale: float) -> Iterator[Row]:
    for seed, (kind, make, n_full, d, K, at_least) in enumerate(TABLE):
        n = int(n_full * scale)
        X, codes = gaussian_classes(n, d, K, seed, spread=0.3)
        pl = soft_labels(codes, K, seed)
        work = f"EM iteration, {kind}, {n} x {d}, K={K}, soft labels"
        ours = iteration_clock(make, X, pl)
        theirs = mixture_iteration(kind, X, K)
        yield faster(work, f"GaussianMixture '{kind}'", ours, theirs, at_least)
        if kind == "tied":
            passes = faster("", "", ours, clock(X.sum), 0.0)
            yield at_most(
                f"EM iteration, tied, {n} x {d}, in read passes",
                "X.sum()",
                passes.ours / (passes.theirs or 1.0),
                6.0,
                "passes",
                f"one X.sum() takes {passes.theirs:.4f} s",
            )
