"""``labelief show``: what a model file holds."""

from __future__ import annotations

from typing import Annotated

import typer

from labelief.cli.console import say

__all__ = ["run"]


def run(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A file that train wrote.")],
) -> None:
    """Say what a model file holds: what it learned from, how often it errs, what it needs.

    labelief show birds/model.labelief
    """
    from labelief.model_files import load_model

    file = load_model(model)
    about = file.about
    lower, upper = about["error"]
    low, high = about["interval"]
    bounds = f"{100 * lower:.1f}" + (f" to {100 * upper:.1f}" if upper > lower else "")
    say(f"model      {about['model']}: {about['words']}")
    say(f"classes    {', '.join(about['classes'])}")
    say(
        f"error      {bounds} % out of fold "
        f"(95 % interval {100 * low:.1f} to {100 * high:.1f} %), {about['rows']} rows"
    )
    say(f"made by    {about['command']}")
    say("columns")
    used = set(about["used"])
    width = max(len(column["name"]) for column in about["columns"])
    for column in about["columns"]:
        treatment = "needed" if column["name"] in used else "left out"
        say(f"  {column['name'].ljust(width)}  {treatment}: {column['kind']}, {column['reason']}")
