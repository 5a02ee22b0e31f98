"""Run the papers' experiments and write their pages: ``python -m papers [--quick] [names]``."""

from __future__ import annotations

import argparse
import importlib
from importlib.util import find_spec

from papers.page import DOCS, QUICK_FOLDER, write_index

PAPERS = ["quost2017", "come2008", "liu2022", "doquire2012", "younes2010"]


def main() -> None:
    """Build the pages asked for, then the index of all that exist."""
    known = [name for name in PAPERS if find_spec(f"papers.{name}")]
    parser = argparse.ArgumentParser(prog="python -m papers", description=__doc__)
    parser.add_argument("names", nargs="*", choices=[*known, []], help="default: all of them")
    parser.add_argument(
        "--quick", action="store_true", help="minutes, not hours; pages go to a temporary folder"
    )
    parser.add_argument("--jobs", type=int, default=-1, help="processes (default: all cores)")
    options = parser.parse_args()
    for name in options.names or known:
        page = importlib.import_module(f"papers.{name}").build(options.quick, options.jobs)
        print(page, flush=True)
    print(write_index(QUICK_FOLDER if options.quick else DOCS, PAPERS))


if __name__ == "__main__":
    main()
