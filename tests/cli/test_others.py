from __future__ import annotations

import io
import time

import numpy as np
import pandas as pd
import pytest
from tests.cli.conftest import birds

COMMANDS = "train predict audit annotators combine select simulate show".split()


def test_help_reads_like_a_manual(labelief):
    shown = labelief("--help")
    assert shown.returncode == 0
    assert all(f" {name} " in shown.stdout for name in COMMANDS)
    for name in COMMANDS:
        page = labelief(name, "--help")
        assert page.returncode == 0, page.stderr
        assert f"labelief {name}" in page.stdout
        # every option says what it does
        options = [line for line in page.stdout.splitlines() if line.startswith("│ --")]
        assert all(len(line.split()) > 3 for line in options)


def test_help_loads_nothing_heavy():
    import subprocess
    import sys

    code = (
        "import sys; from labelief.cli.app import app; "
        "print(*sorted({'numpy', 'scipy', 'sklearn', 'pandas', 'skops'} & set(sys.modules)))"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert loaded.stdout.split() == [], loaded.stdout


def test_version(process):
    import labelief as library

    assert process("--version").stdout.strip() == f"labelief {library.__version__}"


def test_audit(process, table, tmp_path):
    done = process(
        *("audit", table, "--label", "species", "--features", "weight,wing,colour"),
        *("--ask", 4, "--top", 5, "--out", "audit.csv", "--report", "audit.html"),
    )
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) >= 6
    found = pd.read_csv(tmp_path / "audit.csv")
    assert sorted(found["ask"][found["ask"] > 0]) == [1, 2, 3, 4]
    assert found["doubt"].is_monotonic_decreasing
    page = (tmp_path / "audit.html").read_text()
    assert "Labels that are doubtful" in page
    assert "labelief audit" in page


def test_annotators_and_combine(labelief, process, ballots, tmp_path):
    done = process("annotators", ballots, "--out", "people.csv")
    assert done.returncode == 0, done.stderr
    assert "270 votes by 3 people on 90 items" in done.stderr
    assert pd.read_csv(tmp_path / "people.csv").iloc[0, 0] == "cat"
    for rule in ("dawid_skene", "dempster", "mean"):
        done = labelief("combine", ballots, "--rule", rule)
        assert done.returncode == 0, done.stderr
        soft = pd.read_csv(io.StringIO(done.stdout))
        assert np.mean(soft["class"] == birds()["truth"]) > 0.8, rule
        assert soft.columns[:2].tolist() == ["item", "votes"]


def test_what_combine_writes_train_reads(labelief, process, table, ballots, tmp_path):
    assert process("combine", ballots, "--out", "soft.csv").returncode == 0
    soft = pd.read_csv(tmp_path / "soft.csv")
    joined = birds()[["id", "weight", "wing"]].merge(soft, left_on="id", right_on="item")
    joined.drop(columns=["item", "class", "conflict", "votes"]).to_csv(
        tmp_path / "j.csv", index=False
    )
    done = labelief(
        *("train", "j.csv", "--plausibility", "pl_*", "--models", "lda", "--cv", 3, "--out", "o")
    )
    assert done.returncode == 0, done.stderr


def test_select(labelief, table):
    done = labelief("select", table, "--label", "species", "--features", "wing,site")
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[2] == "wing"
    assert done.stdout.split()[-2] == "site"


@pytest.mark.parametrize("noise", ["replace", "flip", "symmetric", "asymmetric"])
def test_simulate(labelief, table, tmp_path, noise):
    arguments = ("simulate", table, "--label", "truth", "--noise", noise, "--rate", 0.3)
    done = labelief(*arguments, "--out", "s.csv")
    assert done.returncode == 0, done.stderr
    spoiled = pd.read_csv(tmp_path / "s.csv")
    wrong = np.mean(spoiled["observed"] != spoiled["truth"])
    assert 0.08 < wrong < 0.5
    assert f"{round(90 * wrong)} of 90 labels" in done.stderr
    again = labelief(*arguments)
    assert again.stdout == (tmp_path / "s.csv").read_text()


def test_pipes(process, table):
    spoiled = process("simulate", table, "--label", "truth")
    scored = process("select", "-", "--label", "observed", "--features", "w*", stdin=spoiled.stdout)
    assert scored.returncode == 0, scored.stderr
    assert "weight" in scored.stdout


@pytest.mark.parametrize("suffix", [".tsv", ".parquet", ".feather", ".jsonl"])
def test_every_format(labelief, table, tmp_path, suffix):
    done = labelief("simulate", table, "--label", "truth", "--out", f"t{suffix}")
    assert done.returncode == 0, done.stderr
    one = labelief("select", table, "--label", "truth", "--features", "weight,wing,colour")
    other = labelief("select", f"t{suffix}", "--label", "truth", "--features", "weight,wing,colour")
    assert other.stdout == one.stdout != ""


def test_an_interrupted_run_leaves_nothing(table, tmp_path):
    import signal
    import subprocess
    import sys

    from tests.cli.conftest import MAIN

    process = subprocess.Popen(
        [sys.executable, "-c", MAIN, "train", table, "--label", "species", "--out", "out"],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
    )
    time.sleep(4.0)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode in (130, -2)
    assert "Traceback" not in said
    assert not (tmp_path / "out").exists()
