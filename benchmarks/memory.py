"""Peak memory of a fit beside X and the labels as given.

Each fit runs in a process of its own: the high-water mark of resident memory during the fit, less
what is resident once X and the labels are loaded.  Buffers of BLAS and threads count as ours.
Reads /proc, so it runs on Linux only.
"""

from __future__ import annotations

import json
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


def resident(field: str) -> float:
    """Resident memory of this process in MB: VmRSS now, VmHWM at its highest."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(float(line.split()[1]) for line in lines if line.startswith(field)) / 1024.0


def child(folder: Path, name: str) -> None:
    """Measure one fit and print the extra MB."""
    labels, make = fits()[name]
    model = make()
    X, y = np.load(folder / "X.npy"), np.load(folder / f"{labels}.npy")
    Path("/proc/self/clear_refs").write_text("5")  # the high-water mark starts again from here
    before = resident("VmRSS")
    with quiet():
        model.fit(X, y)
    print(json.dumps(resident("VmHWM") - before))


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
