from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from tests.cli.conftest import birds

from labelief.model_files import load_model

FEATURES = ("--features", "weight,wing,colour")
QUICK = ("--models", "lda,lda+flips", "--cv", "3")


def files(folder):
    return sorted(path.name for path in folder.iterdir())


def test_train_writes_what_it_names_and_predict_reads_it(process, table, tmp_path):
    done = process("train", table, "--label", "species", *FEATURES, *QUICK, "--out", "out")
    assert done.returncode == 0, done.stderr
    out = tmp_path / "out"
    assert files(out) == ["doubtful.csv", "model.labelief", "report.html", "run.json"]
    assert all(name in done.stdout for name in files(out))
    assert "lda+flips" in done.stdout
    assert "label log-loss" in done.stdout
    record = json.loads((out / "run.json").read_text())
    assert {leader["name"] for leader in record["leaderboard"]} == {"lda", "lda+flips"}
    doubtful = pd.read_csv(out / "doubtful.csv")
    assert len(doubtful) == 90
    assert doubtful["doubt"].is_monotonic_decreasing
    truth = birds()["truth"].to_numpy()
    top = doubtful.head(6)
    assert np.mean(top["suggested"] == truth[top["row"]]) > 0.6
    done = process("predict", "out/model.labelief", table, "--keep", "id", "--set", 0.9)
    assert done.returncode == 0, done.stderr
    rows = [line.split(",") for line in done.stdout.splitlines()]
    assert rows[0] == ["id", "class", "p_hawk", "p_jay", "p_owl", "set"]
    assert np.mean([row[1] == true for row, true in zip(rows[1:], truth, strict=True)]) > 0.8
    shown = process("show", "out/model.labelief")
    assert "weight  needed: numeric" in shown.stdout
    assert f"labelief train {table} --label species" in shown.stdout


def test_the_same_seed_gives_the_same_bytes_whatever_the_jobs(labelief, table, tmp_path):
    for out, jobs in (("one", 1), ("two", 2)):
        done = labelief(
            "train", table, "--label", "species", *FEATURES, *QUICK, "--jobs", jobs, "--out", out
        )
        assert done.returncode == 0, done.stderr
    for name in ("model.labelief", "report.html", "doubtful.csv"):
        one, two = ((tmp_path / out / name).read_bytes() for out in ("one", "two"))
        assert one.replace(b"--out one", b"") == two.replace(b"--out two", b"") or (
            name == "model.labelief"
        )
    models = [load_model(tmp_path / out / "model.labelief") for out in ("one", "two")]
    proba = [file.model.predict_proba(birds()) for file in models]
    np.testing.assert_array_equal(*proba)


def test_confidences_groups_costs_and_selection(labelief, table, tmp_path):
    (tmp_path / "cost.csv").write_text("predicted,hawk,jay,owl\nhawk,0,1,9\njay,1,0,9\nowl,1,1,0\n")
    done = labelief(
        *("train", table, "--label", "species", "--confidence", "sure", "--group", "site"),
        *("--features", "w*,colour", "--select", 2, "--cost", "cost.csv", *QUICK, "--out", "out"),
    )
    assert done.returncode == 0, done.stderr
    file = load_model(tmp_path / "out" / "model.labelief")
    assert file.about["cost"] == [[0, 1, 9], [1, 0, 9], [1, 1, 0]]
    assert file.model["select"].n_features_ == 2
    plain = file.model.predict(birds())
    done = labelief("predict", "out/model.labelief", table, "--out", "p.parquet")
    assert done.returncode == 0, done.stderr
    costly = pd.read_parquet(tmp_path / "p.parquet")["class"].to_numpy()
    assert np.sum(costly == "owl") > np.sum(plain == "owl")
    report = (tmp_path / "out" / "report.html").read_text()
    assert "12 by site" in report


def test_votes(labelief, table, ballots, tmp_path):
    done = labelief(
        *("train", table, "--votes", ballots, "--id", "id", *FEATURES),
        *("--models", "lda,lda+annotators", "--cv", 3, "--out", "out"),
    )
    assert done.returncode == 0, done.stderr
    assert "lda+annotators" in done.stdout
    report = (tmp_path / "out" / "report.html").read_text()
    assert "270 by 3 people" in report
    done = labelief("predict", "out/model.labelief", table)
    predicted = [line.split(",")[0] for line in done.stdout.splitlines()[1:]]
    assert np.mean(np.array(predicted) == birds()["truth"]) > 0.8


def test_several_labels_a_row(labelief, tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(60, 3)), columns=list("abc"))
    for name, column in (("sings", "a"), ("swims", "b")):
        tags = (frame[column] > 0).astype(int).astype(object)
        tags[rng.random(60) < 0.2] = ""
        frame[f"tag_{name}"] = tags
    frame.to_csv(tmp_path / "tags.csv", index=False)
    done = labelief(
        *("train", "tags.csv", "--labels", "tag_*", "--models", "direct-5,binary-5"),
        *("--cv", 3, "--out", "out"),
    )
    assert done.returncode == 0, done.stderr
    assert files(tmp_path / "out") == ["model.labelief", "report.html", "run.json"]
    done = labelief("predict", "out/model.labelief", "tags.csv")
    assert done.stdout.splitlines()[0] == "sings,swims,p_sings,p_swims"
    sings = [line.split(",")[0] for line in done.stdout.splitlines()[1:]]
    assert np.mean(np.array(sings, dtype=float) == (frame["a"] > 0)) > 0.8
    assert labelief("show", "out/model.labelief").returncode == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("train", "none.csv", "--label", "x"), "There is no file none.csv"),
        (("train", "birds.csv"), "Say where the labels are"),
        (("train", "birds.csv", "--label", "kind"), "no column 'kind'"),
        (("train", "birds.csv", "--label", "species", "--models", "oak"), "no model 'oak'"),
        (("train", "birds.csv", "--label", "species", "--features", "z*"), "matches no column"),
        (("train", "birds.csv", "--label", "species", "--confidence", "weight"), "from 0 to 1"),
        (("train", "birds.csv", "--label", "species", "--cv", "500"), "needs as many rows"),
        (("train", "birds.csv", "--label", "species", "--cost", "birds.csv"), "class 'hawk'"),
        (("train", "birds.csv", "--votes", "birds.csv"), "none of the layouts"),
        (("train", "birds.csv", "--votes", "of.csv"), "not in the table (1 of 1, as 'B000')"),
        (("train", "empty.csv", "--label", "x"), "is empty"),
        (("train", "ragged.csv", "--label", "a"), "ragged"),
        (("train", "binary.csv", "--label", "a"), "binary"),
        (("predict", "birds.csv", "birds.csv"), "no labelief model file"),
        (("show", "none"), "There is no file none"),
        (("simulate", "birds.csv", "--label", "truth", "--noise", "loud"), "none of them"),
    ],
)
def test_misuse_is_one_sentence_and_leaves_nothing(labelief, table, tmp_path, arguments, message):
    (tmp_path / "empty.csv").write_bytes(b"")
    (tmp_path / "of.csv").write_bytes(b"item,annotator,label\nB000,ann,owl\n")
    (tmp_path / "ragged.csv").write_bytes(b"a,b\n1\n")
    (tmp_path / "binary.csv").write_bytes(bytes(range(256)))
    before = files(tmp_path)
    done = labelief(*arguments)
    assert done.returncode == 2, (done.returncode, done.stderr)
    assert message in " ".join(done.stderr.split())
    assert done.stderr.strip().splitlines()[-1].startswith(("Error: ", "│", "╰"))
    assert done.stdout == ""
    assert files(tmp_path) == before


def test_tables_that_do_not_fit_a_model(labelief, table, tmp_path):
    done = labelief("train", table, "--label", "species", *FEATURES, *QUICK, "--out", "out")
    assert done.returncode == 0, done.stderr
    frame = birds()
    frame.drop(columns="wing").to_csv(tmp_path / "lacking.csv", index=False)
    done = labelief("predict", "out/model.labelief", "lacking.csv", "--out", "p.csv")
    assert done.returncode == 2
    assert "no column 'wing'" in done.stderr
    assert not (tmp_path / "p.csv").exists()
    frame.assign(colour="green").to_csv(tmp_path / "new.csv", index=False)
    done = labelief("predict", "out/model.labelief", "new.csv", "--out", "p.csv")
    assert done.returncode == 0
    assert "levels that training did not see ('green')" in done.stderr
    assert np.isfinite(pd.read_csv(tmp_path / "p.csv")["p_owl"]).all()
