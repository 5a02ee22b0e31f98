"""The command ``labelief``: its subcommands, one file each."""

from __future__ import annotations

from typing import Annotated

import typer

from labelief import __version__
from labelief.cli import (
    annotators,
    audit,
    combine,
    predict,
    select,
    show,
    simulate,
    train,
)
from labelief.cli.console import command, prose, say

__all__ = ["app", "main"]

app = typer.Typer(
    name="labelief",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    help=prose("""Learn from labels you only half believe.

    Tables of features and labels that are imprecise ("owl|hawk"), uncertain (a confidence), noisy,
    missing, or given by several people: train classifiers, see what the doubts were worth, find
    the labels that are wrong.
    """),
    epilog=prose("""Tables are CSV, TSV, Parquet, Feather or JSON lines, "-" is a pipe. Errors are
    one sentence and exit code 2. Start: labelief train TABLE --label COLUMN --out FOLDER"""),
)

for module in (train, predict, audit, annotators, combine, select, simulate, show):
    name = module.__name__.rpartition(".")[2]
    app.command(name, help=prose(module.run.__doc__))(command(module.run))


def _version(wanted: bool) -> None:
    if wanted:
        say(f"labelief {__version__}")
        raise typer.Exit


@app.callback()
def _program(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version and exit.", callback=_version, is_eager=True
        ),
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the program."""
    app()
