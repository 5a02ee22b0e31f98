"""Linear discriminant analysis on crisp labels against scikit-learn's."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as Rival

from harness import Row, clock, faster, gaussian_classes
from labelief import LinearDiscriminantAnalysis


def rows(scale: float) -> Iterator[Row]:
    n, d, K = int(1_000_000 * scale), 20, 5
    X, codes = gaussian_classes(n, d, K, seed=0)
    ours = clock(lambda: LinearDiscriminantAnalysis().fit(X, codes))
    for solver, at_least in (("svd", 6.0), ("lsqr", 2.5)):
        theirs = clock(partial(Rival(solver=solver).fit, X, codes))
        work = f"LDA fit, crisp labels, {n} x {d}, K={K}"
        yield faster(work, f"scikit-learn '{solver}'", ours, theirs, at_least)
    us, them = LinearDiscriminantAnalysis().fit(X, codes), Rival().fit(X, codes)
    yield faster(
        f"LDA predict_proba, {n} x {d}, K={K}",
        "scikit-learn",
        clock(lambda: us.predict_proba(X)),
        clock(lambda: them.predict_proba(X)),
        1.5,
    )
