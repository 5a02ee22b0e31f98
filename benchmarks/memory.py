"""Peak memory of a fit beside X and the labels as given.

Each fit runs in a process of its own: the high-water mark of resident memory after the fit, less
the mark after X and the labels were loaded and a small fit had warmed up libraries and threads.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from harness import THREADS, Row, at_most, gaussian_classes, quiet, soft_labels

N, D, K = 1_000_000, 20, 5
LIMIT = 64.0


def fits() -> dict[str, tuple[str, Callable[[], Any]]]:
    """Name of each fit, the labels that it takes, and its estimator."""
    import labelief as lb

    return {
        "LDA": ("codes", lambda: lb.LinearDiscriminantAnalysis()),
        "LDA, soft labels": ("soft", lambda: lb.LinearDiscriminantAnalysis(max_iter=5)),
        "QDA, soft labels": ("soft", lambda: lb.QuadraticDiscriminantAnalysis(max_iter=3)),
        "MDA, two components": ("codes", lambda: lb.MixtureDiscriminantAnalysis(2, max_iter=3)),
        "LDA, learned flips": (
            "codes",
            lambda: lb.LinearDiscriminantAnalysis(channel=lb.FlipNoise(), max_iter=5),
        ),
        "diagonal, soft labels": (
            "soft",
            lambda: lb.GenerativeClassifier(lb.densities.DiagonalGaussian(), max_iter=5),
        ),
        "logistic, lbfgs": ("codes", lambda: lb.LogisticRegression(max_iter=10)),
        "logistic, newton, soft labels": (
            "soft",
            lambda: lb.LogisticRegression(solver="newton", max_iter=3),
        ),
    }


def peak() -> float:
    """High-water mark of this process's resident memory in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0


def child(folder: Path, name: str) -> None:
    """Measure one fit and print the extra MB."""
    labels, make = fits()[name]
    small, small_codes = gaussian_classes(20_000, D, K, seed=1)
    small_labels = small_codes if labels == "codes" else soft_labels(small_codes, K, 1)
    with quiet():
        make().fit(small, small_labels)
        X, y = np.load(folder / "X.npy"), np.load(folder / f"{labels}.npy")
        before = peak()
        make().fit(X, y)
    print(json.dumps(peak() - before))


def rows(scale: float) -> Iterator[Row]:
    n = int(N * scale)
    with tempfile.TemporaryDirectory() as scratch:
        X, codes = gaussian_classes(n, D, K, seed=0)
        np.save(Path(scratch, "X.npy"), X)
        np.save(Path(scratch, "codes.npy"), codes)
        np.save(Path(scratch, "soft.npy"), soft_labels(codes, K, 0))
        del X, codes
        for name in fits():
            command = [sys.executable, __file__, scratch, name]
            answer = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            work = f"peak extra memory, {name}, {n} x {D}, K={K}"
            yield at_most(work, "", float(json.loads(answer)), LIMIT, "MB")


if __name__ == "__main__":
    with threadpool_limits(THREADS):
        child(Path(sys.argv[1]), sys.argv[2])
