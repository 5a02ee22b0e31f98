"""The program as a process, and small tables to give it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from labelief.cli.app import app


class Done(NamedTuple):
    """How a run ended."""

    returncode: int
    stdout: str
    stderr: str


Run = Callable[..., Done]
MAIN = "import sys; sys.argv[0] = 'labelief'; from labelief.cli.app import main; main()"


@pytest.fixture
def process(tmp_path: Path) -> Run:
    """Run ``labelief`` as a process in an empty folder; refuse tracebacks."""

    def run(*arguments: object, stdin: str | None = None) -> Done:
        outcome = subprocess.run(
            [sys.executable, "-c", MAIN, *map(str, arguments)],
            cwd=tmp_path,
            input=stdin,
            capture_output=True,
            text=True,
            env={**os.environ, "COLUMNS": "100", "NO_COLOR": "1"},
            timeout=120,
        )
        assert "Traceback" not in outcome.stderr, outcome.stderr
        return Done(outcome.returncode, outcome.stdout, outcome.stderr)

    return run


@pytest.fixture
def labelief(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run ``labelief`` in this process, which spares the time to start one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["labelief"])

    def run(*arguments: object, stdin: str | None = None) -> Done:
        words = [str(argument) for argument in arguments]
        monkeypatch.setattr(sys, "argv", ["labelief", *words])
        outcome = CliRunner(env={"COLUMNS": "100", "NO_COLOR": "1"}).invoke(app, words, input=stdin)
        return Done(outcome.exit_code, outcome.stdout, outcome.stderr)

    return run


def birds(n: int = 90, seed: int = 0) -> pd.DataFrame:
    """Return three kinds of birds with a number, a category, an id, gaps, and spoiled labels."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(3, size=n)
    names = np.array(["hawk", "jay", "owl"])
    wrong = rng.random(n) < 0.15
    observed = names[np.where(wrong, rng.integers(3, size=n), truth)].astype(object)
    observed[:4], observed[4:8] = "", "jay|owl"
    weight = rng.normal(size=n) + 3.0 * truth
    weight[10] = np.nan
    colour = np.array(["brown", "grey", "white"])[(truth + (rng.random(n) < 0.3)) % 3]
    return pd.DataFrame(
        {
            "id": [f"B{i:03d}" for i in range(n)],
            "weight": weight,
            "wing": rng.normal(size=n) - 2.0 * truth,
            "colour": colour,
            "seen": pd.date_range("2024-01-01", periods=n).strftime("%Y-%m-%d"),
            "site": rng.integers(12, size=n),
            "species": observed,
            "sure": np.where(observed == "", np.nan, rng.uniform(0.5, 1.0, n).round(2)),
            "truth": names[truth],
        }
    )


def votes(frame: pd.DataFrame, seed: int = 0) -> pd.DataFrame:
    """Return votes of three readers on the birds, the last of them careless."""
    rng = np.random.default_rng(seed)
    rows = []
    for who, rate in (("ann", 0.1), ("bob", 0.2), ("cat", 0.5)):
        for name, truth in zip(frame["id"], frame["truth"], strict=True):
            said = rng.choice(["hawk", "jay", "owl"]) if rng.random() < rate else truth
            rows.append((name, who, said))
    return pd.DataFrame(rows, columns=["item", "annotator", "label"])


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Write the birds as CSV."""
    path = tmp_path / "birds.csv"
    birds().to_csv(path, index=False)
    return path


@pytest.fixture
def ballots(tmp_path: Path) -> Path:
    """Write the votes on the birds as CSV."""
    path = tmp_path / "votes.csv"
    votes(birds()).to_csv(path, index=False)
    return path
