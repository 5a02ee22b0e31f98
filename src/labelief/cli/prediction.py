"""Predictions for a table, piece by piece."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from labelief import decide
from labelief.cli.console import note
from labelief.estimators.set_rules import fewest_classes
from labelief.model_files import load_model
from labelief.tables import TableError, read_pieces, write_table
from labelief.tables.files import atomic_path, kind_to_write, text_stream

__all__ = ["Wish", "predict"]

_ROWS = 50_000


@dataclass(frozen=True)
class Wish:
    """What is wanted beside the class and its probabilities."""

    keep: list[str]
    share: float | None = None
    reject: float | None = None


def predict(model: str, table: str, out: Path | None, wish: Wish) -> None:
    """Write the predictions, whole or not at all.

    Parameters
    ----------
    model, table : str
    out : Path or None
        None is the standard output.
    wish : Wish
    """
    file = load_model(model)
    kind = "csv" if out is None else kind_to_write(out)
    _check(file.about, wish)
    pieces = _pieces(file.model, file.about, table, wish)
    if out is None or str(out) == "-":
        _stream(pieces, sys.stdout, kind)
    elif kind in ("csv", "tsv", "jsonl"):
        with atomic_path(out) as path, text_stream(path, zipped=out.suffix == ".gz") as stream:
            _stream(pieces, stream, kind)
    else:
        # Predictions are a few numbers a row: these formats are written at once.
        write_table(pd.concat(pieces, ignore_index=True), out)


def _check(about: dict[str, Any], wish: Wish) -> None:
    """Refuse wishes that the model cannot fulfil."""
    if about.get("kind") == "several labels" and (wish.share, wish.reject) != (None, None):
        raise TableError(
            "--set and --reject are for models of one label a row; this one has several."
        )
    for name in wish.keep:
        if name in _columns(about, wish):
            raise TableError(
                f"--keep {name}: the answer has a column of this name; rename the table's."
            )


def _stream(pieces: Iterator[pd.DataFrame], stream: Any, kind: str) -> None:
    for number, piece in enumerate(pieces):
        if kind == "jsonl":
            piece.to_json(
                stream, orient="records", lines=True, force_ascii=False, double_precision=15
            )
        else:
            separator = "\t" if kind == "tsv" else ","
            piece.to_csv(
                stream, index=False, header=number == 0, sep=separator, lineterminator="\n"
            )


def _pieces(model: Any, about: dict[str, Any], table: str, wish: Wish) -> Iterator[pd.DataFrame]:
    unseen: dict[str, set[str]] = {}
    several = about.get("kind") == "several labels"
    for frame in read_pieces(table, rows=_ROWS):
        for name in wish.keep:
            if name not in frame.columns:
                raise TableError(f"--keep: there is no column {name!r} in {table}.")
        kept = frame[wish.keep].reset_index(drop=True)
        if not len(frame):
            answer = pd.DataFrame(columns=_columns(about, wish))
        elif several:
            answer = _several(model, about, frame)
        else:
            answer = _single(model, about, frame, wish)
            for name, levels in model[0].unseen(frame).items():
                unseen.setdefault(name, set()).update(levels)
        yield pd.concat([kept, answer], axis=1)
    for name, levels in unseen.items():
        shown = ", ".join(map(repr, sorted(levels)[:5])) + (", ..." if len(levels) > 5 else "")
        note(f"Note: column {name!r} has levels that training did not see ({shown}): {_TREATED}.")


_TREATED = "they count as the commonest level"


def _columns(about: dict[str, Any], wish: Wish) -> list[str]:
    names = [f"p_{name}" for name in about["classes"]]
    if about.get("kind") == "several labels":
        return [*about["classes"], *names]
    return ["class", *names, *(["set"] if wish.share is not None else [])]


def _single(model: Any, about: dict[str, Any], frame: pd.DataFrame, wish: Wish) -> pd.DataFrame:
    proba = np.asarray(model.predict_proba(frame))
    classes = np.array(about["classes"], dtype=object)
    loss = about.get("cost", 1.0 - np.eye(len(classes)))
    chosen = decide(proba, loss, wish.reject, classes=classes)
    answer = pd.DataFrame({"class": chosen})
    for j, name in enumerate(classes):
        answer[f"p_{name}"] = proba[:, j]
    if wish.share is not None:
        members = fewest_classes(proba, wish.share)
        answer["set"] = ["|".join(classes[row]) for row in members]
    return answer


def _several(model: Any, about: dict[str, Any], frame: pd.DataFrame) -> pd.DataFrame:
    answer = pd.DataFrame(np.asarray(model.predict(frame)), columns=about["classes"])
    proba = np.asarray(model.predict_proba(frame))
    for j, name in enumerate(about["classes"]):
        answer[f"p_{name}"] = proba[:, j]
    return answer
