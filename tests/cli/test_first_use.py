"""What someone meets who uses the program for the first time, with tables of their own."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.cli.conftest import birds

from labelief.cli.console import prose

SIMPLE = ("--features", "weight,wing,colour")
QUICK = (*SIMPLE, "--models", "lda", "--cv", 2)


@pytest.fixture
def model(labelief, table):
    """Train a model on the birds."""
    done = labelief("train", table, "--label", "species", *QUICK, "--out", "birds")
    assert done.returncode == 0, done.stderr
    return "birds/model.labelief"


@pytest.mark.parametrize("name", ["knn", "lda", "lda+hard", "lda+annotators"])
def test_models_of_votes_are_kept_and_give_sets(labelief, table, ballots, name):
    told = ("--votes", ballots, "--id", "id", "--features", "weight,wing,colour")
    done = labelief("train", table, *told, "--models", name, "--cv", 2, "--out", "o")
    assert done.returncode == 0, done.stderr
    done = labelief("predict", "o/model.labelief", table, "--set", 0.9, "--out", "sets.csv")
    assert done.returncode == 0, done.stderr
    found = pd.read_csv("sets.csv")
    members = found["set"].str.split("|")
    sums = [sum(row[f"p_{name}"] for name in row["set"].split("|")) for _, row in found.iterrows()]
    assert min(sums) >= 0.9 - 1e-9
    assert all(
        row["class"] in chosen for (_, row), chosen in zip(found.iterrows(), members, strict=True)
    )


def test_baseline_is_left_out_where_there_is_no_doubt(labelief, table):
    wanted = ("--cv", 2, "--out", "o", "--features", "weight,wing")
    done = labelief("train", table, "--label", "truth", *wanted)
    assert "lda+flips" in done.stdout
    assert "lda+hard" not in done.stdout
    assert "lda+hard" in labelief("train", table, "--label", "species", *wanted).stdout
    named = labelief("train", table, "--label", "truth", *wanted, "--models", "lda+hard")
    assert "lda+hard" in named.stdout


def test_votes_that_agree_make_certain_labels(labelief, table, tmp_path):
    frame = birds()
    said = pd.DataFrame(
        [
            (item, who, truth)
            for who in "abcde"
            for item, truth in zip(frame["id"], frame["truth"], strict=True)
        ],
        columns=["item", "annotator", "label"],
    )
    said.to_csv(tmp_path / "same.csv", index=False)
    done = labelief("train", table, "--votes", "same.csv", "--id", "id", *QUICK, "--out", "o")
    assert done.returncode == 0, done.stderr
    assert "90 certain, 0 doubtful, 0 unknown" in (tmp_path / "o/report.html").read_text()


@pytest.mark.parametrize("written", [("0", "1"), ("0.0", "1.0"), ("1", "10")])
def test_numbers_as_classes_come_back_as_written(labelief, tmp_path, written):
    frame = birds()
    frame["y"] = np.where(frame["truth"] == "owl", written[1], written[0])
    frame.loc[3, "y"] = ""
    frame.to_csv(tmp_path / "t.csv", index=False)
    assert labelief("train", "t.csv", "--label", "y", *QUICK, "--out", "o").returncode == 0
    labelief("predict", "o/model.labelief", "t.csv", "--out", "p.csv")
    found = pd.read_csv("p.csv", dtype=str)
    assert set(found["class"]) == set(written)
    assert list(found.columns[1:]) == [f"p_{name}" for name in written]


def test_warnings_of_folds_are_not_shown(labelief, process, tmp_path):
    frame = birds()
    # Gaps in the same row: the columns that mark them are one and the same.
    frame.loc[10, "wing"] = np.nan
    frame[["weight", "wing", "truth"]].to_csv(tmp_path / "t.csv", index=False)
    # The warnings of workers go past this process to its error stream.
    for run, jobs in ((labelief, 1), (process, 2)):
        done = run(
            *("train", "t.csv", "--label", "truth", "--models", "lda", "--cv", 3),
            *("--out", "o", "--jobs", jobs),
        )
        assert done.returncode == 0
        assert done.stderr == ""


def test_columns_that_name_the_classes_are_told(labelief, table):
    done = labelief("train", table, "--label", "species", "--models", "lda", "--out", "o")
    assert "Column 'truth' names the classes" in done.stderr
    assert "'colour' names" not in done.stderr
    record = json.loads(Path("o/run.json").read_text(encoding="utf-8"))
    assert any("'truth' names" in warning for warning in record["warnings"])


def test_labels_that_are_all_imprecise_have_no_baseline(labelief, table):
    frame = pd.read_csv(table)
    frame.assign(says=np.where(frame["truth"] == "owl", "owl|jay", "hawk|jay")).to_csv("t.csv")
    done = labelief("train", "t.csv", "--label", "says", *SIMPLE, "--cv", 2, "--out", "o")
    assert done.returncode == 0, done.stderr
    assert "lda+hard" not in done.stdout


def test_names_of_columns_may_hold_anything(labelief, table):
    names = {"weight": "weight, kg", "wing": "wing [cm]", "colour": "<script>owl"}
    pd.read_csv(table).rename(columns=names).to_csv("t.csv", index=False)
    wanted = '"weight, kg",wing [cm], <script>owl'
    told = ("--label", "truth", "--features", wanted, "--models", "lda", "--out", "o")
    assert labelief("train", "t.csv", *told).returncode == 0
    shown = labelief("show", "o/model.labelief").stdout
    assert all(f"  {name} " in shown for name in names.values())
    page = Path("o/report.html").read_text(encoding="utf-8")
    assert "<script>owl" not in page
    assert "script&gt;owl" in page


def test_classes_written_in_two_ways_are_told(labelief, table):
    frame = pd.read_csv(table)
    frame["truth"] = [
        name.upper() if i % 2 else name + " " for i, name in enumerate(frame["truth"])
    ]
    frame.to_csv("t.csv", index=False)
    done = labelief("train", "t.csv", "--label", "truth", *QUICK, "--out", "o")
    assert "Classes 'HAWK' and 'hawk' differ by small and capital letters only" in done.stderr


def test_words_that_count_as_unknown_are_told(labelief, table):
    frame = pd.read_csv(table)
    frame["truth"] = frame["truth"].where(frame["truth"] != "jay", "none")
    frame.to_csv("t.csv", index=False)
    done = labelief("train", "t.csv", "--label", "truth", *QUICK, "--out", "o")
    count = int((frame["truth"] == "none").sum())
    assert f"{count} labels say 'none', which counts as unknown" in done.stderr
    frame.assign(truth=frame["truth"].where(frame["truth"] == "none", "some")).to_csv("t.csv")
    done = labelief("train", "t.csv", "--label", "truth", *QUICK, "--out", "p")
    assert "Every label is 'some'" in done.stderr
    assert f"{count} labels say 'none'" in done.stderr
    frame.assign(truth=frame["truth"].where(frame["truth"] != "none", "")).to_csv("t.csv")
    done = labelief("train", "t.csv", "--label", "truth", *QUICK, "--out", "o")
    assert "unknown" not in done.stderr


def test_spreadsheets_are_named(labelief, tmp_path):
    (tmp_path / "t.xlsx").write_bytes(b"PK\x03\x04" + bytes(100))
    done = labelief("train", "t.xlsx", "--label", "y")
    assert done.returncode == 2
    assert "save its sheet as CSV" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--plausibility", "z*", "--confidence", "zero"], "--confidence goes with --label"),
        (["--label", "truth", "--confidence", "zero"], "nothing to learn from"),
        (["--label", "truth", *SIMPLE, "--group", "site", "--cv", 50], "'site' has 12"),
        (["--labels", "z*", *SIMPLE, "--cv", 500], "--cv 500 needs as many rows"),
        (["--label", "same"], "Every label is 'x'"),
        (["--label", "species", "--labels", "w*"], "--labels (several labels a row) stands alone"),
        (["--label", "species", "--models", ""], "--models names none"),
        (["--label", "species", "--features", ""], "--features names no column"),
        (["--label", "species", *SIMPLE, "--select", 99], "more than the 5 features"),
        (["--label", "species", "--jobs", 0], "--jobs"),
        (["--label", "species", "--seed", -1], "--seed"),
        (["--label", "species", "--out", "birds.csv"], "is a file, not a folder"),
        (["--label", "species", "--out", "birds.csv/x"], "is a file, not a folder"),
    ],
)
def test_train_refuses_before_the_work(labelief, table, tmp_path, arguments, said):
    pd.read_csv(table).assign(same="x", zero=0, zen=1).to_csv(table, index=False)
    done = labelief("train", "birds.csv", *arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert "seconds" not in done.stdout
    assert os.listdir(tmp_path) == ["birds.csv"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--out", "p.xlsx"], "cannot tell the format"),
        (["--out", "birds"], "cannot tell the format"),
        (["--out", "no/p.csv"], "no is no folder"),
        (["--keep", "class"], "the answer has a column of this name"),
        (["--reject", -1], "--reject"),
    ],
)
def test_predict_refuses(labelief, table, model, arguments, said):
    pd.read_csv(table).assign(**{"class": "x"}).to_csv(table, index=False)
    done = labelief("predict", model, table, *arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert sorted(os.listdir()) == ["birds", "birds.csv"]


def test_predict_packs_and_keeps_digits(labelief, table, model):
    assert labelief("predict", model, table, "--out", "p.csv.gz").returncode == 0
    assert labelief("predict", model, table, "--out", "p.csv").returncode == 0
    assert labelief("predict", model, table, "--out", "p.jsonl").returncode == 0
    assert labelief("predict", model, table, "--out", "-").stdout == Path("p.csv").read_text()
    with gzip.open("p.csv.gz", "rt") as file:
        assert file.read() == Path("p.csv").read_text()
    exact, lines = pd.read_csv("p.csv"), pd.read_json("p.jsonl", lines=True)
    np.testing.assert_allclose(lines["p_owl"], exact["p_owl"], rtol=0, atol=1e-14)


def test_several_labels_have_no_sets(labelief, tmp_path):
    frame = birds()[["weight", "wing"]]
    frame["tag heavy"] = (frame["weight"] > 3).astype(int)
    frame["tag light"] = (frame["weight"] < 3).astype(int)
    frame.to_csv(tmp_path / "t.csv", index=False)
    done = labelief("train", "t.csv", "--labels", "tag*", "--models", "direct-5", "--out", "o")
    assert done.returncode == 0, done.stderr
    done = labelief("predict", "o/model.labelief", "t.csv", "--set", 0.9)
    assert done.returncode == 2
    assert "one label a row" in done.stderr
    done = labelief("predict", "o/model.labelief", "t.csv")
    assert done.stdout.splitlines()[0] == "heavy,light,p_heavy,p_light"


def test_audit_shows_whom_to_ask_about(labelief, table):
    done = labelief("audit", table, "--label", "species", *SIMPLE, "--ask", 4, "--top", 5)
    lines = done.stdout.splitlines()
    ranks = [int(line.split()[-1]) for line in lines[1:]]
    assert lines[0].split()[-1] == "ask"
    assert sorted(rank for rank in ranks if rank) == [1, 2, 3, 4]
    assert len(ranks) >= 5


@pytest.mark.parametrize(
    "arguments",
    [
        ["audit", "birds.csv", "--label", "species", "--out", "x.xlsx"],
        ["audit", "birds.csv", "--label", "species", "--report", "no/x.html"],
        ["select", "birds.csv", "--label", "species", "--out", "x.xlsx"],
        ["simulate", "birds.csv", "--label", "truth", "--out", "x.xlsx"],
        ["combine", "votes.csv", "--out", "x.xlsx"],
        ["annotators", "votes.csv", "--out", "no/x.csv"],
    ],
)
def test_results_that_cannot_be_written_are_not_computed(labelief, table, ballots, arguments):
    done = labelief(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("Error: ")


def test_a_table_of_features_is_no_table_of_votes(labelief, table):
    done = labelief("annotators", table)
    assert done.returncode == 2
    assert "none of the layouts" in done.stderr


def test_votes_that_are_all_the_same_have_nothing_to_compare(labelief, ballots):
    pd.read_csv(ballots).assign(label="owl").to_csv("same.csv", index=False)
    done = labelief("annotators", "same.csv")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "Error: Every vote is 'owl': there is nothing to compare.\n"


def test_simulate_overwrites_nothing(labelief, table):
    assert labelief("simulate", table, "--label", "truth", "--out", "s.csv").returncode == 0
    done = labelief("simulate", "s.csv", "--label", "truth")
    assert done.returncode == 2
    assert "already" in done.stderr


def test_show_gives_one_error_where_both_bounds_are_one(labelief, table):
    labelief("train", table, "--label", "truth", *QUICK, "--out", "o")
    line = labelief("show", "o/model.labelief").stdout.splitlines()[2]
    assert line.startswith("error")
    assert " to " not in line.split("(")[0]


def test_help_breaks_lines_by_the_screen():
    text = "One\n    two.\n\n    three\n    four\n\n    labelief a\n    labelief b"
    assert prose(text) == "One two.\n\nthree four\n\nlabelief a\n\nlabelief b"
