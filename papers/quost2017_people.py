"""quost2017 §5.2 and beyond, the page: labels that people gave."""

from __future__ import annotations

import numpy as np
from sklearn.metrics import confusion_matrix

from papers import quost2017_annotators as annotators
from papers.data import load
from papers.experiment import Cell, run
from papers.page import Page, percent
from papers.quost2017_figures import box_figure, components_figure
from papers.trials import Trials

__all__ = ["channels_section", "people_cells", "people_section", "people_trials"]

REPETITIONS, CHANNEL_REPETITIONS = 2, 2
COMPONENTS = 12  # where the paper's best results are


def people_trials(quick: bool, n_jobs: int) -> Trials:
    """Run the repeated cross-validations of §5.2."""
    cells = people_cells(REPETITIONS)
    if quick:
        cells = [cell for cell in cells if cell["repetition"] == 0 and cell["fold"] < 2]
    records = run("quost2017_annotators", cells, annotators.work, quick=quick, n_jobs=n_jobs)
    return Trials(
        annotators.with_expected_loss(records),
        "data",
        "components",
        summary=annotators.fold_estimate,
    )


def people_cells(repetitions: int) -> list[Cell]:
    """List the folds of the repeated cross-validations of §5.2."""
    return [
        {"data": data, "components": number, "repetition": repetition, "fold": fold}
        for data in annotators.DATA
        for number in annotators.components(data)
        for repetition in range(repetitions)
        for fold in range(annotators.FOLDS)
    ]


def people_section(page: Page, people: Trials) -> None:
    """Write what came of soft, majority and semi-supervised labels."""
    n_folds = len(people.values("music", COMPONENTS, of="lr soft truth"))
    page.heading("Labels that people gave (§5.2, Figures 7, 8 and 12)")
    page.text(
        "The EEG signals and face images are not public, so that nothing here can be set beside a "
        "printed number; the same comparison is run on public data with labels of the same kinds: "
        "songs labelled by several people (soft labels are shares of votes, eq. 31; lower and "
        "upper loss are then equal), pictures of birds with several answers, mass functions all "
        "(combined by eq. 32), pictures of dogs with one mass function each. A row is ambiguous, "
        "and unlabelled for the semi-supervised learner, where no class has more than 0.6 of its "
        "pignistic probability (the paper's two or three of five experts). Here the truth is known "
        "as well, which the paper could not look at.\n\n"
        f"{n_folds} folds of repeated ten-fold cross-validations, equal rows in one fold; "
        "components are fitted on the training rows. Intervals count what the folds' training rows "
        "share (Nadeau and Bengio 2003)."
    )
    page.figure(
        components_figure(people),
        "fig7_fig12",
        "Expected loss at pessimism 0.5 (shaded from lower to upper) and error on the truth, by "
        "principal components.",
        form="png",
    )
    page.figure(
        box_figure(people, "music", COMPONENTS),
        "fig8",
        f"Music genres, {COMPONENTS} components: spread over folds (Figure 8).",
        form="png",
    )
    header = ["data", "classifier", "labels", "lower loss", "upper loss", "on majority", "on truth"]
    lines = []
    for data in annotators.DATA:
        for model in annotators.MODELS:
            for labels in annotators.LABELLINGS:
                means = [
                    percent(people.mean(data, COMPONENTS, of=f"{model} {labels} {criterion}"))
                    for criterion in ("lower", "upper", "majority", "truth")
                ]
                lines.append([data, model.upper(), labels, *means])
    page.text(f"With {COMPONENTS} components, in percent:")
    page.table(header, lines)


def channels_section(page: Page, people: Trials, quick: bool, n_jobs: int) -> None:
    """Write what learning people's confusions does."""
    repetitions, folds = (1, 2) if quick else (CHANNEL_REPETITIONS, annotators.FOLDS)
    cells: list[Cell] = [
        {"data": data, "components": COMPONENTS, "repetition": repetition, "fold": fold}
        for data in annotators.DATA
        for repetition in range(repetitions)
        for fold in range(folds)
    ]
    records = run("quost2017_channels", cells, annotators.work_channels, quick=quick, n_jobs=n_jobs)
    by_fold = {
        (record["data"], record["repetition"], record["fold"]): record
        for data in annotators.DATA
        for record in people.groups[data, COMPONENTS]
    }
    merged = [
        by_fold[record["data"], record["repetition"], record["fold"]] | record for record in records
    ]
    trials = Trials(merged, "data", summary=annotators.fold_estimate)
    page.heading("Beyond the paper: who confuses what can be learned")
    page.text(
        f"The same folds and {COMPONENTS} components, error on the truth in percent "
        f"({repetitions} ten-fold cross-validations). *Confusions learned*: majority labels, "
        "one flipping matrix, `FlipNoise()`. *People learned*: the votes themselves with a matrix "
        "for each person, jointly with the classifier, `AnnotatorNoise()`. *Pooled*: soft labels "
        "from the votes by Dawid and Skene's rule, which sees no feature. *Truth*: the limit."
    )
    lines = []
    for data in annotators.DATA:
        for model in annotators.MODELS:
            line = [data, model.upper()]
            line += [
                percent(trials.mean(data, of=f"{model} {labels} truth"))
                for labels in ("soft", "majority")
            ]
            line.append(percent(trials.mean(data, of=f"{model} flip")))
            line += [
                percent(trials.mean(data, of=f"{model} {way}")) if data == "music" else "–"
                for way in ("annotators", "pooled")
            ]
            line.append(percent(trials.mean(data, of=f"{model} truth")))
            lines.append(line)
    header = ["data", "classifier", "soft", "majority", "confusions learned"]
    page.table([*header, "people learned", "pooled", "truth"], lines)

    def change(data: str, of: str, less: str) -> str:
        value = trials.difference(data, of=of, less=less)
        return f"{100 * value.mean:+.1f} ({100 * value.low:+.1f} to {100 * value.high:+.1f})"

    pictures = annotators.DATA[1:]
    page.text(
        "Points of error, with 95 % intervals. LDA, soft labels against majority: "
        + ", ".join(f"{d} {change(d, 'lda soft truth', 'lda majority truth')}" for d in pictures)
        + "; confusions learned against majority: "
        + ", ".join(f"{d} {change(d, 'lda flip', 'lda majority truth')}" for d in pictures)
        + ". LR, soft labels against majority: "
        + ", ".join(f"{d} {change(d, 'lr soft truth', 'lr majority truth')}" for d in pictures)
        + ". Music, people learned against majority: LR "
        + change("music", "lr annotators", "lr majority truth")
        + ", LDA "
        + change("music", "lda annotators", "lda majority truth")
        + ".\n\nFor a user: on 200 to 700 rows the choice between labellings stays mostly within "
        "the intervals; the choice between LDA and LR does not. People's errors are systematic ("
        + _worst_confusion("dogs4")
        + "): LDA, which sees classes as clusters, stands that better than LR, which has labels "
        "only. The expected loss cannot show it, being computed from the same labels: compare "
        "with the truth on a few rows where it can be had. And where there are votes, keep them "
        "rather than their shares: who said what can be learned from."
    )


def _worst_confusion(data: str) -> str:
    """Put the most frequent error of the majority labels into words."""
    people = annotators.crowd(data)
    classes = range(people.soft.shape[1])
    counts = confusion_matrix(people.truth, people.majority, labels=classes)
    np.fill_diagonal(counts, 0)
    true, said = np.unravel_index(counts.argmax(), counts.shape)
    names = load(annotators.FILES[data])[2]
    total = int(np.sum(people.truth == true))
    return f"of {total} {names[true]} pictures {counts[true, said]} are called {names[said]}"
