from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl

from labelief import SoftLabels
from labelief.datasets import load_owls, save_owls


def test_the_owls_are_what_the_docstring_says():
    owls = load_owls()
    assert list(owls.frame.columns) == [
        *("owl", "wing", "weight", "tail", "call pitch", "eyes", "ear tufts", "site", "seen")
    ]
    assert owls.frame["call pitch"].isna().sum() > 50
    assert owls.votes.items.tolist() == owls.frame["owl"].tolist()
    assert len(owls.votes.annotators) == 6
    assert any(len(answer) == 2 for answer in owls.votes.answers if isinstance(answer, frozenset))
    assert sorted(set(owls.truth)) == owls.votes.classes.tolist()


def test_the_readers_err_but_together_they_know_much():
    owls = load_owls()
    truth = np.array(owls.truth)
    majority = SoftLabels.from_votes(owls.votes).most_plausible()
    learned = SoftLabels.from_votes(owls.votes, rule="dawid_skene").most_plausible()
    assert 0.6 < np.mean(majority == truth) < np.mean(learned == truth) < 0.95


def test_other_frames():
    assert isinstance(load_owls("polars").frame, pl.DataFrame)


def test_files_for_the_command(tmp_path):
    table, votes, truth = save_owls(tmp_path / "new")
    assert pd.read_csv(table).shape == (320, 9)
    assert pd.read_csv(votes).shape == (960, 4)
    assert pd.read_csv(truth)["truth"].tolist() == load_owls().truth
