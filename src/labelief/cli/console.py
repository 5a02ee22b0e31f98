"""What the program says, and how it ends: sentences on the error stream, exit code 2 for misuse."""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from inspect import cleandoc
from typing import Any

import typer

__all__ = ["MISUSE", "STOPPED", "command", "note", "prose", "say", "steps"]

MISUSE, STOPPED, BROKEN = 2, 130, 70


# What the library says to those who write Python, and what the program's users can make of it.
_FOR_USERS = [
    ("without variance", ""),
    ("Increase max_iter", "Some fits were stopped before they had settled, and count as they are."),
]


def say(text: str = "") -> None:
    """Print on the output stream."""
    typer.echo(text)


def note(text: str) -> None:
    """Print on the error stream, where it stays out of pipes."""
    typer.echo(text, err=True)


def prose(text: str | None) -> str:
    """Return a docstring with each paragraph on one line, for the screen to break; examples stay.

    Parameters
    ----------
    text : str or None
    """
    paragraphs = cleandoc(text or "").split("\n\n")
    return "\n\n".join(
        paragraph.replace("\nlabelief", "\n\nlabelief")
        if paragraph.startswith("labelief ")
        else " ".join(paragraph.split())
        for paragraph in paragraphs
    )


def command(function: Callable[..., Any]) -> Callable[..., Any]:
    """Make errors one clear sentence and an exit code; LABELIEF_DEBUG=1 shows where they arose."""

    @wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        debug = bool(os.environ.get("LABELIEF_DEBUG"))
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("always")
                warnings.showwarning = _notes()
                return function(*args, **kwargs)
        except typer.Exit:
            raise
        except KeyboardInterrupt:
            note("Stopped: nothing more was written.")
            raise typer.Exit(STOPPED) from None
        except BrokenPipeError:
            # The reader of our output has gone: not an error of ours.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(0) from None
        except (ValueError, OSError) as error:
            if debug:
                raise
            note(f"Error: {_sentence(error)}")
            raise typer.Exit(MISUSE) from None
        except Exception as error:
            if debug:
                raise
            note(
                f"Error: something went wrong inside labelief ({type(error).__name__}: "
                f"{_sentence(error)}). Set LABELIEF_DEBUG=1 to see where."
            )
            raise typer.Exit(BROKEN) from None

    return run


def _sentence(error: BaseException) -> str:
    notes = "; ".join(getattr(error, "__notes__", []))
    text = " ".join(str(error).split())
    if isinstance(error, OSError) and error.strerror and error.filename:
        text = f"{error.filename}: {error.strerror.lower()}."
    return f"{text} ({notes})" if notes and len(notes) < 200 else text


def _notes() -> Callable[..., None]:
    """Return what shows warnings as notes, each once, whatever the numbers in it."""
    seen: set[str] = set()

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        text = " ".join(str(message).split())
        text = next((ours for theirs, ours in _FOR_USERS if theirs in text), text)
        # Folds of a cross-validation say the same of other counts.
        kind = re.sub(r"\d+(\.\d+)?", "", text)
        if text and kind not in seen:
            seen.add(kind)
            note(f"Note: {text}")

    return show


@contextmanager
def steps(total: int, what: str) -> Iterator[Callable[[str], None]]:
    """Show a bar with the time left, on a terminal; give a function that ends a step.

    Parameters
    ----------
    total : int
    what : str
        What the bar counts.
    """
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True)
    columns = [
        TextColumn("{task.description}"),
        BarColumn(bar_width=30),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    ]
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task(what, total=total)

        def done(now: str) -> None:
            bar.update(task, advance=1, description=now)

        yield done
