from __future__ import annotations

import json

import pandas as pd
import pytest

from labelief import Votes
from labelief.tables import TableError
from labelief.tables.votes import LAYOUTS, read_votes

# The same votes in every layout: two photos, two people, one abstention, one pair of candidates.
EXPECTED = {("7", "ann", "owl"), ("8", "ann", "hawk"), ("8", "bob", "hawk|owl")}

CSV = "task,worker,label\n7,ann,owl\n8,ann,hawk\n8,bob,hawk|owl\n"
WIDE = "id,ann,bob\n7,owl,\n8,hawk,hawk|owl\n"


def choice(*names):
    value = {"choices": list(names)}
    return {"from_name": "bird", "to_name": "image", "type": "choices", "value": value}


LABEL_STUDIO = [
    {
        "id": 7,
        "data": {"image": "7.png"},
        "annotations": [
            {"completed_by": {"id": 1, "email": "ann"}, "result": [choice("owl")]},
            {"completed_by": {"email": "bob"}, "was_cancelled": True, "result": [choice("jay")]},
        ],
    },
    {
        "id": 8,
        "data": {"image": "8.png"},
        "annotations": [
            {"completed_by": "ann", "result": [choice("hawk")]},
            {"completed_by": "bob", "result": [choice("hawk", "owl")]},
        ],
    },
]
DOCCANO = [
    {"id": 7, "text": "x", "label": ["owl"], "username": "ann"},
    {"id": 7, "text": "x", "label": [], "username": "bob"},
    {"id": 8, "text": "y", "label": ["hawk"], "username": "ann"},
    {"id": 8, "text": "y", "label": ["hawk", "owl"], "username": "bob"},
]
PEERANNOT = {"7": {"ann": "owl"}, "8": {"ann": "hawk", "bob": ["hawk", "owl"]}}


def lines(records):
    return "\n".join(json.dumps(record) for record in records)


FILES = {
    "votes.csv": (CSV, "long"),
    "wide.csv": (WIDE, "wide"),
    "studio.json": (json.dumps(LABEL_STUDIO), "label-studio"),
    "doccano.jsonl": (lines(DOCCANO), "doccano"),
    "answers.json": (json.dumps(PEERANNOT), "peerannot"),
}


def as_set(votes):
    return set(votes[["item", "annotator", "label"]].itertuples(index=False, name=None))


@pytest.mark.parametrize("name", FILES)
def test_every_layout_is_recognised(name, tmp_path):
    text, layout = FILES[name]
    path = tmp_path / name
    path.write_text(text)
    votes = read_votes(path)
    assert as_set(votes) == EXPECTED
    pd.testing.assert_frame_equal(read_votes(path, layout), votes)
    for other in set(LAYOUTS) - {layout, "wide"}:  # any table may be a wide one
        with pytest.raises(TableError, match="none of the layouts"):
            read_votes(path, other)


def test_doccano_writes_a_file_for_each_annotator(tmp_path):
    for who in ("ann", "bob"):
        records = [
            {k: v for k, v in line.items() if k != "username"}
            for line in DOCCANO
            if line["username"] == who
        ]
        (tmp_path / f"{who}.jsonl").write_text(lines(records))
    assert as_set(read_votes(tmp_path)) == EXPECTED


def test_confidences_and_names_of_columns(tmp_path):
    path = tmp_path / "v.csv"
    path.write_text("Row,Rater,Answer,Certainty,label\n0,ann,owl,0.5,truth\n")
    votes = read_votes(path)
    assert votes.to_dict("records") == [
        {"item": "0", "annotator": "ann", "label": "owl", "confidence": "0.5"}
    ]


def test_what_is_read_makes_votes(tmp_path):
    path = tmp_path / "v.csv"
    path.write_text("item,annotator,label\n7,ann,owl\n8,bob,hawk\n")
    votes = Votes(read_votes(path), "item", "annotator", "label", items=["8", "7"])
    assert votes.counts.tolist() == [[1, 0], [0, 1]]


def test_an_empty_answer_is_an_abstention(tmp_path):
    path = tmp_path / "v.csv"
    path.write_text("item,annotator,label\n7,ann,\n7,bob,owl\n8,bob,jay\n")
    said = read_votes(path)
    assert said["label"].tolist() == [None, "owl", "jay"]
    votes = Votes(said, "item", "annotator", "label", items=["7", "8"])
    assert votes.classes.tolist() == ["jay", "owl"]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("v.csv", "a\n1\n", "none of the layouts"),
        ("v.csv", "item,annotator,label\n", "holds no votes"),
        ("v.csv", "item,annotator,label\n1,ann,x\n,bob,x\n", "Vote 1 .* its item is empty"),
        ("v.csv", "item,annotator,label\n1,,x\n", "Vote 0 .* its annotator is empty"),
        ("v.json", "{", "is no JSON"),
        ("v.json", "[]", "none of the layouts"),
        ("v.json", "[1, 2]", "none of the layouts"),
        ("v.jsonl", '{"id": 1, "label": "x"}\n{', "Line 2 of .* is no JSON"),
    ],
)
def test_bad_files(name, text, message, tmp_path):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(TableError, match=message):
        read_votes(path)


def test_missing_files(tmp_path):
    with pytest.raises(TableError, match="no file"):
        read_votes(tmp_path / "none.json")
    with pytest.raises(TableError, match=r"without \.jsonl"):
        read_votes(tmp_path)
    with pytest.raises(TableError, match="no layout 'x'"):
        read_votes(tmp_path, "x")
