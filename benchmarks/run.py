"""Run the benchmarks: JSON lines as they come, then a table, kept in RESULTS.md.

``make bench`` runs all of them; ``python benchmarks/run.py lda memory`` some.  Ours and the rival
run in turn in one process, on two threads, in float64; each time is the median of five.  RESULTS.md
is written only by a whole run on a machine that did nothing else: on a busy one, threads that wait
for each other make either side look many times slower than it is.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
from dataclasses import asdict
from pathlib import Path

from threadpoolctl import threadpool_limits

from harness import THREADS, Row, machine

HERE = Path(__file__).parent
GROUPS = [
    "em_iterations",
    "lda",
    "logistic",
    "squarem",
    "features",
    "neighbours",
    "multilabel",
    "memory",
]


def table(rows: list[Row]) -> str:
    """Markdown table of the rows."""
    lines = [
        "| work | rival | ours | rival's | asked | reached | |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        theirs = "" if row.theirs is None else f"{row.theirs:.4g} {row.unit}"
        mark = "yes" if row.good else "**no**"
        lines.append(
            f"| {row.work} | {row.rival} | {row.ours:.4g} {row.unit} | {theirs} "
            f"| {row.asked} | {row.reached} | {mark} |"
        )
    return "\n".join(lines)


def main() -> None:
    """Run the chosen groups."""
    parser = argparse.ArgumentParser(description="Time labelief against its rivals.")
    parser.add_argument("groups", nargs="*", choices=[*GROUPS, []], help="default: all of them")
    parser.add_argument("--scale", type=float, default=1.0, help="share of the rows, for trying")
    options = parser.parse_args()
    about = machine()
    print(json.dumps(about))
    done: list[Row] = []
    busiest = 0.0
    with (HERE / "results.jsonl").open("w") as record:
        record.write(json.dumps(about) + "\n")
        for group in options.groups or GROUPS:
            for row in importlib.import_module(group).rows(options.scale):
                line = json.dumps(asdict(row))
                print(line, flush=True)
                record.write(line + "\n")
                done.append(row)
                busiest = max(busiest, os.getloadavg()[0])
    print("\n" + table(done))
    if busiest > THREADS + 1:
        print(f"\nThe machine was busy (load {busiest:.1f}): the times say little")
    elif not options.groups and options.scale == 1.0:
        facts = "\n".join(f"- {key}: {value}" for key, value in about.items())
        text = f"# Benchmarks\n\nWritten by `make bench`; see run.py.\n\n{table(done)}\n\n{facts}\n"
        (HERE / "RESULTS.md").write_text(text)


if __name__ == "__main__":
    with threadpool_limits(THREADS):
        main()
