from __future__ import annotations

import gzip
import io
import os

import numpy as np
import pandas as pd
import pytest

from labelief.tables import TableError, read_pieces, read_table, write_table

FRAME = pd.DataFrame({"size": [1.5, 2.0], "name": ["owl, grey", 'a "hawk"\nor two']})


def written(tmp_path, name, data):
    path = tmp_path / name
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.parquet", "t.feather", "t.jsonl"])
def test_what_is_written_is_read(name, tmp_path):
    write_table(FRAME, tmp_path / name)
    again = read_table(tmp_path / name)
    assert again["name"].tolist() == FRAME["name"].tolist()
    assert again["size"].astype(float).tolist() == FRAME["size"].tolist()
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_text_stays_text(tmp_path):
    path = written(tmp_path, "t.csv", b"id,x\n007,\n010,1e3\n")
    assert read_table(path).to_numpy().tolist() == [["007", ""], ["010", "1e3"]]


@pytest.mark.parametrize(
    "data",
    [b"\xef\xbb\xbfa,b\n1,2\n", b"a;b\r\n1;2\r\n", b"a\tb\n1\t2", b'"a","b"\n"1","2"\n'],
)
def test_csv_of_every_dialect(data, tmp_path):
    assert read_table(written(tmp_path, "t.csv", data)).to_dict("list") == {"a": ["1"], "b": ["2"]}


def test_nameless_columns_are_numbered(tmp_path):
    assert list(read_table(written(tmp_path, "t.csv", b",b\n0,2\n")).columns) == ["column_1", "b"]


def test_compressed_text(tmp_path):
    path = written(tmp_path, "t.csv.gz", gzip.compress(b"a\n1\n"))
    assert read_table(path)["a"].tolist() == ["1"]


def test_a_header_alone_is_a_table_without_rows(tmp_path):
    assert read_table(written(tmp_path, "t.csv", b"a,b\n")).shape == (0, 2)


@pytest.mark.parametrize("name", ["t.csv", "t.parquet", "t.jsonl"])
def test_pieces_make_the_whole(name, tmp_path):
    frame = pd.DataFrame({"a": np.arange(10)})
    write_table(frame, tmp_path / name)
    pieces = list(read_pieces(tmp_path / name, rows=4))
    assert [len(piece) for piece in pieces] == [4, 4, 2]
    assert pd.concat(pieces)["a"].astype(int).tolist() == list(range(10))


def test_standard_input_and_output(monkeypatch, capsys):
    class Input:
        buffer = io.BytesIO(b'{"a": 1, "b": "x"}\n{"a": 2, "b": null}\n')

    monkeypatch.setattr("sys.stdin", Input)
    frame = read_table("-")
    assert frame["a"].tolist() == [1, 2]
    write_table(frame, "-")
    assert capsys.readouterr().out == "a,b\n1,x\n2,\n"


BAD = {
    "empty.csv": (b"", "is empty"),
    "short.csv": (b"a,b\n1,2\n3\n", "row 3 .* has 1 cells, the header 2"),
    "long.csv": (b"a,b\n1,2,3\n", "row 2 .* has 3 cells, the header 2"),
    "binary.csv": (bytes(range(256)), "binary"),
    "latin.csv": ("a\né\n".encode("latin-1"), "UTF-8"),
    "latin_header.csv": ("é\n1\n".encode("latin-1"), "UTF-8"),
    "twice.csv": (b"a,b,a\n1,2,3\n", "two columns named 'a'"),
    "bad.jsonl": (b'{"a": 1\n{"a": 2}\n', "cannot be read as jsonl"),
    "empty.jsonl": (b"", "is empty"),
    "no.parquet": (b"hello", "damaged or no parquet file"),
    "cut.parquet": (b"PAR1hello", "cannot be read as parquet"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_files_are_named_with_what_is_wrong(name, tmp_path):
    data, message = BAD[name]
    with pytest.raises(TableError, match=message) as caught:
        read_table(written(tmp_path, name, data))
    assert name in str(caught.value)


def test_ten_million_characters_in_a_cell(tmp_path):
    path = written(tmp_path, "t.csv", b"a,b\n" + b"x" * 10_000_000 + b",1\n")
    assert len(read_table(path)["a"][0]) == 10_000_000


def test_missing_files_and_folders(tmp_path):
    with pytest.raises(TableError, match="no file"):
        read_table(tmp_path / "none.csv")
    with pytest.raises(TableError, match="is a folder"):
        read_table(tmp_path)
    with pytest.raises(TableError, match="no folder"):
        write_table(FRAME, tmp_path / "none" / "t.csv")
    with pytest.raises(TableError, match="cannot tell the format"):
        write_table(FRAME, tmp_path / "t.xyz")


def test_nothing_is_left_of_a_write_that_fails(tmp_path, monkeypatch):
    (tmp_path / "t.csv").write_text("old\n")
    monkeypatch.setattr(pd.DataFrame, "to_csv", lambda *a, **k: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        write_table(FRAME, tmp_path / "t.csv")
    assert [path.read_text() for path in tmp_path.iterdir()] == ["old\n"]


def test_files_get_the_rights_that_the_user_gives(tmp_path):
    write_table(FRAME, tmp_path / "t.csv")
    mask = os.umask(0)
    os.umask(mask)
    assert (tmp_path / "t.csv").stat().st_mode & 0o777 == 0o666 & ~mask
