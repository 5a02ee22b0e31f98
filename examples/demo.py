"""Learn from six readers who name owls with their doubts: the command's main job, start to end.

Writes the bundled table and votes into ``demo/``, runs ``labelief train`` on them, and, because the
owls are simulated and so the truth is known, counts what each way of using the votes gets wrong.

Run it by ``make demo``.
"""

from __future__ import annotations

import shlex
from pathlib import Path

import numpy as np
from scipy import stats

from labelief import SoftLabels
from labelief.cli.app import app
from labelief.cli.catalogue import candidates
from labelief.cli.training import Task, pipeline_of, read_data
from labelief.datasets import load_owls, save_owls
from labelief.model_selection import SoftStratifiedKFold, cross_val_predict

FOLDER = Path("demo")
COMPARED = {
    "lda+hard": "LDA trained on the majority vote",
    "lda": "LDA trained on soft labels from the votes",
    "logistic": "logistic regression, soft labels",
    "logistic+annotators": "logistic regression, readers learned too",
}


def interval(wrong: int, n: int) -> str:
    """Return an error rate with its 95 % interval (Wilson)."""
    low, high = stats.binomtest(wrong, n).proportion_ci(method="wilson")
    return f"{100 * wrong / n:5.1f} %   ({100 * low:.1f} to {100 * high:.1f} %)"


def main() -> None:
    """Train, report, and compare with the truth."""
    table, votes, _ = save_owls(FOLDER)
    options = f"{table} --votes {votes} --id owl --group site --out {FOLDER / 'report'}"
    print(f"labelief train {options}\n")
    app(["train", *shlex.split(options)], standalone_mode=False)

    owls = load_owls()
    truth = np.array(owls.truth)
    data = read_data(Task(str(table), votes=str(votes), id="owl", group="site"))
    folds = list(SoftStratifiedKFold(5, random_state=0).split(data.frame, data.labels, data.groups))
    print("\nAgainst the truth, which only a simulation knows (out of fold):")
    majority = SoftLabels.from_votes(owls.votes).most_plausible()
    print(f"  {'the majority vote itself':42s} {interval(np.sum(majority != truth), len(truth))}")
    for one in candidates(list(COMPARED), votes=True, pooling="dawid_skene"):
        model = pipeline_of(one.estimator, data.kinds, None)
        said = cross_val_predict(model, data.frame, data.y, cv=folds)
        print(f"  {COMPARED[one.name]:42s} {interval(np.sum(said != truth), len(truth))}")
    print(f"\nOpen {FOLDER / 'report' / 'report.html'} in a browser.")
    print(f"Then: labelief show {FOLDER / 'report' / 'model.labelief'}")


if __name__ == "__main__":
    main()
