"""Table files: CSV, TSV, Parquet, Feather and JSON lines, whole or piece by piece, and ``-``.

Cells of text files stay text until a column's kind is known (:mod:`labelief.tables.columns`), so
that "007" keeps its zeros and a column means the same whichever rows come first.
"""

from __future__ import annotations

import gzip
import io
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, TextIO

import pandas as pd
import pyarrow as pa
from pyarrow import csv, feather, json, parquet

__all__ = [
    "FORMATS",
    "TableError",
    "atomic_path",
    "check_target",
    "kind_to_write",
    "read_pieces",
    "read_table",
    "text_stream",
    "write_table",
]

FORMATS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".txt": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".feather": "feather",
    ".arrow": "feather",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
}
"""Format of a file by the end of its name; ``.gz`` before it is undone for text."""

# A row must fit into a block of the parser: room for cells of tens of millions of characters.
_BLOCK_BYTES = 64 * 2**20
_MAGIC = {b"PAR1": "parquet", b"ARROW1": "feather", b"FEA1": "feather"}


class TableError(ValueError):
    """A table that cannot be read or used, said in one sentence."""


def read_table(source: str | Path, kind: str | None = None) -> pd.DataFrame:
    """Read a whole table.

    Parameters
    ----------
    source : path
        "-" is the standard input.
    kind : str, default=None
        One of ``FORMATS``' values; by default the file's name decides, or its first bytes.

    Returns
    -------
    DataFrame
        Columns of text files hold text and None.
    """
    pieces = list(read_pieces(source, kind))
    return pieces[0] if len(pieces) == 1 else pd.concat(pieces, ignore_index=True)


def read_pieces(
    source: str | Path, kind: str | None = None, rows: int | None = None
) -> Iterator[pd.DataFrame]:
    """Read a table piece by piece; one empty piece for a table without rows.

    Parameters
    ----------
    source : path
        "-" is the standard input.
    kind : str, default=None
        As in :func:`read_table`.
    rows : int, default=None
        Rows of a piece, at most; None reads all at once.
    """
    name = "standard input" if str(source) == "-" else str(source)
    first = True
    try:
        with _opened(source) as file:
            kind = kind or _kind_of(source, file)
            for batch in _batches(kind, file, name):
                table = (
                    pa.Table.from_batches([batch]) if isinstance(batch, pa.RecordBatch) else batch
                )
                if first:
                    _check_names(table.column_names, name)
                step = rows or max(table.num_rows, 1)
                for start in range(0, max(table.num_rows, 1 if first else 0), step):
                    first = False
                    yield _as_frame(table.slice(start, step))
    except (pa.ArrowInvalid, pa.ArrowKeyError, pa.ArrowNotImplementedError) as error:
        raise TableError(_explained(error, name, kind)) from None
    except UnicodeDecodeError as error:
        raise TableError(
            f"{name} is not UTF-8 text (byte {error.start}): save it as UTF-8."
        ) from None
    if first:
        raise TableError(f"{name} is empty: a table needs a line with column names.")


def write_table(frame: pd.DataFrame, path: str | Path, kind: str | None = None) -> None:
    """Write a table whole or not at all; "-" is the standard output.

    Parameters
    ----------
    frame : DataFrame
    path : path
    kind : str, default=None
        As in :func:`read_table`; CSV on the standard output.
    """
    if str(path) == "-":
        sys.stdout.write(_as_text(frame, kind or "csv"))
        return
    kind = kind or kind_to_write(path)
    with atomic_path(path) as unfinished:
        if kind == "parquet":
            frame.to_parquet(unfinished, index=False)
        elif kind == "feather":
            feather.write_feather(
                pa.Table.from_pandas(frame, preserve_index=False), str(unfinished)
            )
        else:
            with text_stream(unfinished, zipped=Path(path).suffix == ".gz") as stream:
                stream.write(_as_text(frame, kind))


def kind_to_write(path: str | Path) -> str:
    """Return the format that a name asks for; refuse what cannot be written, before the work.

    Parameters
    ----------
    path : path
        "-" is the standard output, as CSV.
    """
    if str(path) == "-":
        return "csv"
    target = Path(path)
    kind = FORMATS.get(_suffix(target))
    if kind is None or (target.suffix == ".gz" and kind not in ("csv", "tsv", "jsonl")):
        raise TableError(
            f"{path}: cannot tell the format by the name; end it by one of "
            f"{', '.join(sorted(FORMATS))}."
        )
    check_target(target)
    return kind


def check_target(path: str | Path) -> None:
    """Refuse a file that cannot be written.

    Parameters
    ----------
    path : path
    """
    target = Path(path)
    if target.is_dir():
        raise TableError(f"{target} is a folder: name a file in it.")
    if not target.parent.is_dir():
        raise TableError(f"{target.parent} is no folder: make it first.")
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise TableError(f"{target} cannot be written: no permission in its folder.")


@contextmanager
def text_stream(path: Path, *, zipped: bool) -> Iterator[TextIO]:
    """Open a text file to write; zipped ones hold no time, so that they are the same each time.

    Parameters
    ----------
    path : path
    zipped : bool
    """
    with path.open("wb") as file:
        if not zipped:
            with io.TextIOWrapper(file, encoding="utf-8", newline="") as stream:
                yield stream
            return
        with (
            gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed,
            io.TextIOWrapper(packed, encoding="utf-8", newline="") as stream,
        ):
            yield stream


@contextmanager
def atomic_path(path: str | Path) -> Iterator[Path]:
    """Give a path to write to, which takes the name `path` when all is written, else is removed."""
    target = Path(path)
    check_target(target)
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    os.close(handle)
    unfinished = Path(name)
    try:
        yield unfinished
        unfinished.chmod(0o666 & ~_umask())
        unfinished.replace(target)
    finally:
        unfinished.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


@contextmanager
def _opened(source: str | Path) -> Iterator[BinaryIO]:
    if str(source) == "-":
        # Parquet and Feather are read from their end: a pipe has to be taken whole.
        yield io.BytesIO(sys.stdin.buffer.read())
        return
    path = Path(source)
    if path.is_dir():
        raise TableError(f"{path} is a folder, not a table.")
    try:
        file = path.open("rb")
    except FileNotFoundError:
        raise TableError(f"There is no file {path}.") from None
    except OSError as error:
        raise TableError(f"{path} cannot be read: {error.strerror}.") from None
    with file:
        if path.suffix == ".gz":
            with pa.CompressedInputStream(file, "gzip") as stream:
                yield io.BytesIO(stream.read())
        else:
            yield file


def _suffix(path: Path) -> str:
    return Path(path.stem).suffix.lower() if path.suffix == ".gz" else path.suffix.lower()


def _kind_of(source: str | Path, file: BinaryIO) -> str:
    head = file.read(8)
    file.seek(0)
    for magic, kind in _MAGIC.items():
        if head.startswith(magic):
            return kind
    if head.startswith(b"PK\x03\x04"):
        raise TableError(f"{source} is a spreadsheet or another zip file: save its sheet as CSV.")
    named = None if str(source) == "-" else FORMATS.get(_suffix(Path(source)))
    if named in ("parquet", "feather"):
        raise TableError(f"{source} is damaged or no {named} file: it does not begin like one.")
    return named or ("jsonl" if head.lstrip()[:1] == b"{" else "csv")


def _batches(kind: str, file: BinaryIO, name: str) -> Iterator[Any]:
    if kind == "parquet":
        yield from parquet.ParquetFile(file).iter_batches()
    elif kind == "feather":
        yield feather.read_table(file)
    elif kind == "jsonl":
        if file.read(1) == b"":
            return
        file.seek(0)
        yield json.read_json(file, read_options=json.ReadOptions(block_size=_BLOCK_BYTES))
    elif kind in ("csv", "tsv"):
        yield from _csv_batches(file, name, "\t" if kind == "tsv" else None)
    else:
        raise TableError(
            f"There is no format {kind!r}: it is one of {sorted(set(FORMATS.values()))}."
        )


def _csv_batches(file: BinaryIO, name: str, separator: str | None) -> Iterator[Any]:
    start = file.read(1 << 16)
    file.seek(0)
    if b"\x00" in start:
        raise TableError(f"{name} is binary, not a table of text.")
    head = file.readline()
    file.seek(0)
    if not head.strip():
        return
    ragged: list[csv.InvalidRow] = []

    def refuse(row: csv.InvalidRow) -> str:
        ragged.append(row)
        return "error"

    header = head.decode("utf-8-sig")
    separator = separator or max(",;\t", key=header.count)
    parse = csv.ParseOptions(
        delimiter=separator, newlines_in_values=True, invalid_row_handler=refuse
    )
    # One thread, so that rows have numbers.
    plain = csv.ReadOptions(block_size=_BLOCK_BYTES, use_threads=False)
    # The header is read by the parser that reads the rows: names may be quoted.
    names = csv.read_csv(io.BytesIO(head), read_options=plain, parse_options=parse).column_names
    names = [column or f"column_{i + 1}" for i, column in enumerate(names)]
    _check_names(names, name)
    convert = csv.ConvertOptions(
        column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False
    )
    read = csv.ReadOptions(
        block_size=_BLOCK_BYTES, use_threads=False, column_names=names, skip_rows=1
    )
    try:
        with csv.open_csv(
            file, read_options=read, parse_options=parse, convert_options=convert
        ) as rows:
            batch = next(rows, None)
            yield rows.schema.empty_table() if batch is None else batch
            yield from rows
    except pa.ArrowInvalid:
        if not ragged:
            raise
        row = ragged[0]
        raise TableError(
            f"{name} is ragged: row {row.number} (the header is row 1) has {row.actual_columns} "
            f"cells, the header {row.expected_columns}."
        ) from None


def _as_frame(table: pa.Table) -> pd.DataFrame:
    frame: pd.DataFrame = table.to_pandas(ignore_metadata=True)
    return frame.reset_index(drop=True)


def _as_text(frame: pd.DataFrame, kind: str) -> str:
    if kind == "jsonl":
        return frame.to_json(orient="records", lines=True, force_ascii=False, double_precision=15)
    if kind not in ("csv", "tsv"):
        raise TableError(f"{kind} is not text: give a file name instead of '-'.")
    return frame.to_csv(index=False, sep="\t" if kind == "tsv" else ",", lineterminator="\n")


def _check_names(names: list[str], name: str) -> None:
    twice = sorted({column for column in names if names.count(column) > 1})
    if twice:
        raise TableError(f"{name} has two columns named {twice[0]!r}: rename one.")


def _explained(error: Exception, name: str, kind: str | None) -> str:
    said = " ".join(str(error).split())
    if "UTF8" in said or "utf8" in said.lower():
        return f"{name} is not UTF-8 text: save it as UTF-8 (in a spreadsheet: CSV UTF-8)."
    if "straddl" in said:
        return f"{name} has a row longer than 64 MB: is a quotation mark left open?"
    return f"{name} cannot be read as {kind}: {said[:200]}"
