"""quost2017: classification from soft labels by the evidential EM algorithm, run again."""

from __future__ import annotations

from pathlib import Path

from papers import quost2017_checks as checks
from papers import quost2017_noise as noise
from papers.experiment import Cell, run
from papers.page import Page, percent
from papers.quost2017_claims import annotator_claims, noise_claims
from papers.quost2017_figures import (
    beyond_figure,
    discount_figure,
    duel_figure,
    noise_figure,
)
from papers.quost2017_mardia import mardia_claim, mardia_section
from papers.quost2017_people import channels_section, people_section, people_trials
from papers.trials import Score, Trials

__all__ = ["build"]


REPETITIONS, QUICK_REPETITIONS = 50, 2
RAW_REPETITIONS, BEYOND_REPETITIONS, CHECK_REPETITIONS = 10, 10, 20
RAW_MEANS = [0.3, 0.7]
BEYOND_DATA = ["breastcancer", "ionosphere", "satimage", "vowel"]
BEYOND_MEANS = [0.1, 0.3, 0.5, 0.7]
MODELS_BEYOND = ["lda", "lr", "qda", "mda", "knn"]
CHECK_DATA = ["ionosphere", "sonar", "satimage", "vowel"]
CHECK_MEANS = [0.3, 0.5, 0.7]


def build(quick: bool, n_jobs: int) -> Path:
    """Run the experiments and write the page."""
    repetitions = QUICK_REPETITIONS if quick else REPETITIONS
    page = Page("quost2017", "Soft labels and the evidential EM algorithm (quost2017)", quick=quick)
    page.text(
        "B. Quost, T. Denœux, S. Li: *Parametric classification with soft labels using the "
        "evidential EM algorithm*, Advances in Data Analysis and Classification 11 (2017). "
        "The paper's curves are judged by what it says of them; its tables are compared number by "
        "number."
    )
    trials = Trials(
        run("quost2017_noise", noise_cells(repetitions), noise.work, quick=quick, n_jobs=n_jobs),
        "data",
        "mean",
    )
    people = people_trials(quick, n_jobs)
    page.claims([*noise_claims(trials), mardia_claim(), *annotator_claims(people)])
    _noise_section(page, trials, repetitions)
    _raw_section(page, trials, quick, n_jobs)
    _checks_section(page, trials, quick, n_jobs)
    mardia_section(page)
    people_section(page, people)
    _beyond_section(page, quick, n_jobs)
    channels_section(page, people, quick, n_jobs)
    return page.write()


def noise_cells(repetitions: int) -> list[Cell]:
    """List the settings of Figures 2-5."""
    return [
        {"data": data, "mean": level, "repetition": repetition}
        for data in noise.DATA
        for level in noise.noise_means(data)
        for repetition in range(repetitions)
    ]


def _noise_section(page: Page, trials: Trials, repetitions: int) -> None:
    page.heading("Label noise (§5.1, Figures 2-5)")
    page.text(
        f"With probability p, drawn for each label from a beta distribution of mean p̄ and variance "
        f"0.04, a label is replaced by one drawn from all classes. {repetitions} repetitions; bars "
        "are Student's 95 % intervals; differences of methods are taken within repetitions. The "
        "dotted line is the error after training on the truth. LDA starts from the parameters "
        "fitted to the true labels, as in the paper: an oracle, see below.\n\n"
        "Chosen where the paper is silent: features standardised on the training rows (LR's "
        "penalty λ = 0.01 depends on it), λ/2 ‖coef‖² on the summed log-likelihood with one row of "
        "coefficients for each class (the paper penalises K - 1 rows against a reference class), "
        "constant columns left out."
    )
    for drawing, name, caption in [
        (noise_figure(trials, "oracle"), "lda", "LDA under label noise (top rows of Figures 2-5)."),
        (noise_figure(trials, "lr"), "lr", "Logistic regression under label noise (middle rows)."),
        (duel_figure(trials), "both", "LDA against LR from soft labels (bottom rows)."),
    ]:
        page.figure(drawing, f"fig2-5_{name}", caption, form="png")
    page.heading("The start of LDA", 3)
    page.text(
        "Nobody has the paper's start in practice. From the labels given, with no look at the "
        'truth (labelief\'s `init="auto"`), the test errors are, in percent:'
    )
    page.table(
        ["data", "p̄", "soft, p_i: oracle", "honest", "soft, p̄: oracle", "honest"],
        [
            [data, f"{level}"]
            + [
                percent(trials.mean(data, level, of=f"{start} {labels}"))
                for labels in ("soft", "mean")
                for start in ("oracle", "honest")
            ]
            for data in noise.DATA
            for level in (0.3, 0.7)
        ],
    )
    honest = [
        trials.difference(data, level, of="honest soft", less="honest noisy")
        for data in noise.DATA
        for level in noise.noise_means(data)
    ]
    cut_short = sum(sum(trials.values(*key, of="cut short")) for key in trials.groups)
    page.text(
        f"From the honest start soft labels (p_i) beat noisy ones significantly in "
        f"{sum(value.high < 0 for value in honest)} of {len(honest)} settings and lose in "
        f"{sum(value.low > 0 for value in honest)}. Of all fits, {cut_short:.0f} of "
        f"{15 * sum(len(group) for group in trials.groups.values())} stopped at the cap of "
        "iterations."
    )


def _raw_section(page: Page, trials: Trials, quick: bool, n_jobs: int) -> None:
    repetitions = QUICK_REPETITIONS if quick else RAW_REPETITIONS
    cells: list[Cell] = [
        {"data": data, "mean": level, "repetition": repetition, "scaled": False}
        for data in noise.DATA[1:]
        for level in RAW_MEANS
        for repetition in range(repetitions)
    ]
    raw = Trials(
        run("quost2017_noise", cells, noise.work, quick=quick, n_jobs=n_jobs), "data", "mean"
    )
    page.heading("Does standardising matter for LR?", 3)
    page.text(
        f"The same with features as they are ({repetitions} repetitions), error of LR in percent; "
        "LDA is the same to rounding."
    )
    page.table(
        ["data", "p̄", "soft: standardised", "as they are", "noisy: standardised", "as they are"],
        [
            [data, f"{level}"]
            + [
                percent(source.mean(data, level, of=f"lr {labels}"))
                for labels in ("soft", "noisy")
                for source in (trials, raw)
            ]
            for data in noise.DATA[1:]
            for level in RAW_MEANS
        ],
    )


def _checks_section(page: Page, noisy: Trials, quick: bool, n_jobs: int) -> None:
    repetitions = QUICK_REPETITIONS if quick else CHECK_REPETITIONS
    cells: list[Cell] = [
        {"data": data, "mean": 0.5, "repetition": repetition}
        for data in CHECK_DATA
        for repetition in range(repetitions)
    ]
    records = run("quost2017_discounts", cells, checks.work_discounts, quick=quick, n_jobs=n_jobs)
    trials = Trials(records, "data")
    page.heading("Where soft labels lose, and why", 3)
    page.text(
        "LDA from soft labels (p_i) loses significantly to noisy labels on "
        + _lost(noisy, "noisy")
        + "; to semi-supervised ones on "
        + _lost(noisy, "semi")
        + f". Two explanations were tested ({repetitions} repetitions). *The model*: here every "
        "label is the true one, and all are discounted alike, so that soft labels carry no noise. "
        "From no discount to one of 0.5 LDA's error rises by "
        + ", ".join(f"{_rise(trials, data, 'lda'):.1f} points on {data}" for data in CHECK_DATA)
        + "; on twins of the data, drawn from the Gaussians fitted to them, by "
        + ", ".join(f"{_rise(trials, data, 'twin'):.1f}" for data in CHECK_DATA)
        + ". What twins lose too is the price of unsure labels where rows are few for their "
        "dimension (sonar). The rest is the model: a discount makes LDA a mixture, which puts its "
        "Gaussians where the rows are dense rather than where the classes are, which costs where "
        "classes are not Gaussian (vowel, satimage, half of ionosphere's loss). LR models no "
        "density: "
        + ", ".join(f"{_rise(trials, data, 'lr'):+.1f}" for data in CHECK_DATA)
        + " points. On vowel a small discount of *true* labels makes it better: the likelihood of "
        "a discounted label is bounded below, so that no row can pull it far."
    )
    page.figure(
        discount_figure(trials, CHECK_DATA, checks.DISCOUNTS),
        "discounts",
        "True labels, all discounted: what soft labels cost by themselves.",
    )
    cells = [
        {"data": data, "mean": mean, "repetition": repetition}
        for data in CHECK_DATA
        for mean in CHECK_MEANS
        for repetition in range(repetitions)
    ]
    steps = Trials(
        run("quost2017_steps", cells, checks.work_steps, quick=quick, n_jobs=n_jobs), "data", "mean"
    )
    page.text(
        "*The start*: the paper's LDA starts at the parameters of the true labels, and its stop "
        "rule's ε is not printed. The earlier EM stops, the more of that start is left in the "
        "result, and the better it looks; error in percent of LDA from soft labels (p_i) after so "
        "many iterations from the oracle's start, and from noisy labels:"
    )
    columns = [*(str(number) for number in checks.STEPS), "noisy"]
    page.table(
        ["data", "p̄", *(f"{number} iterations" for number in checks.STEPS), "noisy labels"],
        [
            [data, f"{mean}", *(percent(steps.mean(data, mean, of=name)) for name in columns)]
            for data in CHECK_DATA
            for mean in CHECK_MEANS
        ],
    )


def _lost(trials: Trials, rival: str) -> str:
    """List the sets where LDA from soft labels is worse, with the number of levels of noise."""
    counts = {
        data: sum(
            trials.difference(data, mean, of="oracle soft", less=f"oracle {rival}").low > 0
            for mean in noise.noise_means(data)
        )
        for data in noise.DATA
    }
    return ", ".join(
        f"{data} ({count} of {len(noise.noise_means(data))} levels)"
        for data, count in counts.items()
        if count
    )


def _rise(trials: Trials, data: str, model: str) -> float:
    first, last = checks.DISCOUNTS[0], checks.DISCOUNTS[-1]
    return 100 * trials.difference(data, of=f"{model} {last}", less=f"{model} {first}").mean


def _beyond_section(page: Page, quick: bool, n_jobs: int) -> None:
    repetitions = QUICK_REPETITIONS if quick else BEYOND_REPETITIONS
    cells: list[Cell] = [
        {"data": data, "mean": level, "repetition": repetition}
        for data in BEYOND_DATA
        for level in BEYOND_MEANS
        for repetition in range(repetitions)
    ]
    trials = Trials(
        run("quost2017_beyond", cells, noise.work_beyond, quick=quick, n_jobs=n_jobs),
        "data",
        "mean",
    )
    page.heading("Beyond the paper: how to read p, whether to know it, and which model")
    page.figure(
        beyond_figure(trials, BEYOND_DATA, BEYOND_MEANS),
        "beyond",
        "Test error of other readings and other models on the same noisy labels, all from honest "
        f"starts ({repetitions} repetitions).",
        form="png",
    )

    def score(of: str, less: str) -> Score:
        return Score(
            trials.difference(data, mean, of=of, less=less)
            for data in BEYOND_DATA
            for mean in BEYOND_MEANS
        )

    best = {
        data: [
            min(MODELS_BEYOND, key=lambda name: trials.mean(data, mean, of=f"{name} soft").mean)
            for mean in BEYOND_MEANS
        ]
        for data in BEYOND_DATA
    }
    page.text(
        "- *How p is read.* A label that is replaced with probability p by one of K is seen with "
        "probability 1 - p + p/K if it is right and p/K if another class is the true one. These, "
        "as plausibilities, are what the process means; the paper's discount (1 and p) is much "
        "blunter. Likelihood against discount: LDA "
        f"{score('lda likelihood', 'lda soft')}; LR {score('lr likelihood', 'lr soft')}.\n"
        "- *Whether p is known.* With the noisy labels alone and one rate learned, "
        '`FlipNoise("symmetric")`, against soft labels with each p_i discounted: LDA '
        f"{score('lda learned', 'lda soft')}; LR {score('lr learned', 'lr soft')}.\n"
        "- *Which model.* Lowest error from the same soft labels at p̄ = "
        f"{', '.join(map(str, BEYOND_MEANS))}: "
        + "; ".join(f"{data} {', '.join(map(str.upper, names))}" for data, names in best.items())
        + " (MDA: two Gaussians per class; KNN: evidential neighbours).\n\n"
        "For a user: with a model of the features such as LDA, where the chance of an error is "
        "known for each label, pass what it means, the (n, K) array of the chances to see the "
        "label given each class, rather than a discount; LR does as well with either. Where the "
        "chance is unknown, one learned rate replaces it for LDA, less so for LR. And try a model "
        "that suits the rows before refining labels: it moves the error more than either."
    )
