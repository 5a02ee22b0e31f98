"""Compare with what users do today, on labels that real people gave: ``python -m examples.worth``.

Writes ``docs/worth.md``.  cleanlab, where installed, is run again beside the other rivals.
"""

from __future__ import annotations

import argparse
import time
import warnings
from pathlib import Path

import numpy as np
from examples.worth import crowds, page, rivals
from examples.worth.data import Data, Floats, load
from examples.worth.recipe import candidates, choose, true_errors
from scipy.stats import t
from sklearn.exceptions import ConvergenceWarning

PAGE = Path(__file__).parents[2] / "docs" / "worth.md"
_START = time.monotonic()


def main() -> None:
    """Fill both tables and write the page."""
    parser = argparse.ArgumentParser(prog="python -m examples.worth", description=__doc__)
    parser.add_argument("--repetitions", type=int, default=5, help="of the 5 folds (default: 5)")
    parser.add_argument("--page", type=Path, default=PAGE, help="file to write")
    options = parser.parse_args()
    # Small training parts lack classes and leave names in doubt; the errors tell what comes of it.
    warnings.simplefilter("ignore", UserWarning)
    warnings.simplefilter("ignore", ConvergenceWarning)
    rows = [worth(load(name, options.repetitions)) for name in rivals.BEST_TODAY]
    annotators = crowds.table(options.repetitions, progress)
    options.page.write_text(page.text(rows, annotators))
    progress(f"wrote {options.page}")


def worth(data: Data) -> page.Row:
    """Choose a candidate for a data set, measure it, and run the rivals again."""
    progress(f"{data.name}: choosing")
    models = candidates(data)
    scores = choose(models, data)
    chosen, score = next(iter(scores.items()))
    progress(f"{data.name}: measuring {chosen}")
    errors = true_errors(models[chosen], data)
    published, way = rivals.BEST_TODAY[data.name]
    return page.Row(
        name=data.name,
        published=published,
        way=way,
        again=rivals.errors(data),
        error=float(errors.mean()),
        margin=margin(errors, data),
        chosen=chosen,
        score=score,
    )


def margin(errors: Floats, data: Data) -> float:
    """Half the 95 % interval: over repetitions, or of one test part's share of errors."""
    n = len(errors)
    if n > 1:
        return float(t.ppf(0.975, n - 1) * errors.std(ddof=1) / np.sqrt(n))
    share = errors[0]
    return float(1.96 * np.sqrt(share * (1 - share) / len(data.folds[0][2])))


def progress(what: str) -> None:
    """Say what is going on, and since when."""
    print(f"{time.monotonic() - _START:6.0f} s  {what}", flush=True)


if __name__ == "__main__":
    main()
