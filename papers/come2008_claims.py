"""What come2008 concludes, and what the repetitions say of it; judged by rules, not by eye."""

from __future__ import annotations

from papers import come2008_fits as fits
from papers.come2008_fits import DISTANCES, LEVELS, NOISE
from papers.page import Claim, percent
from papers.trials import Score, Trials
from papers.verdicts import estimate

__all__ = ["claims"]


def claims(errors: Trials, maxima: Trials, noisy: Trials) -> list[Claim]:
    """Judge the conclusions of both experiments."""
    precise, blurred, vacuous = (
        LEVELS[0],
        LEVELS[-2],
        LEVELS[-1],
    )

    def rise(trials: Trials, distance: int, of: str) -> str:
        return " → ".join(
            percent(trials.mean("full", distance, level, of=of))
            if of == "error"
            else f"{trials.mean('full', distance, level, of=of).mean:.1f}"
            for level in (precise, LEVELS[4], blurred, vacuous)
        )

    def grows(trials: Trials, distance: int, of: str) -> bool:
        low, high = (trials.values("full", distance, level, of=of) for level in (precise, blurred))
        return estimate([b - a for a, b in zip(low, high, strict=True)]).low > 0

    def against(rival: str, family: str = "full") -> Score:
        return Score(
            noisy.difference(family, data, mean, of="soft", less=rival)
            for data in fits.SETS
            for mean in NOISE
        )

    def per_set(rival: str, family: str = "full") -> str:
        scores = {
            data: Score(
                noisy.difference(family, data, mean, of="soft", less=rival) for mean in NOISE
            )
            for data in fits.SETS
        }
        return ", ".join(f"{data} {value.points:+.1f}" for data, value in scores.items())

    overlapping = [grows(errors, distance, "error") for distance in (1, 2)]
    apart = 100 * (
        errors.mean("full", 4, blurred, of="error").mean
        - errors.mean("full", 4, precise, of="error").mean
    )
    judged = [
        Claim(
            "More precise labels: fewer errors where classes overlap (δ = 1, 2)",
            "yes" if all(overlapping) else "partly" if any(overlapping) else "no",
            f"error in percent at non-specificity {precise}, {LEVELS[4]}, {blurred}, "
            f"log 2: δ = 1: {rise(errors, 1, 'error')}; δ = 2: {rise(errors, 2, 'error')}",
        ),
        Claim(
            "... and no difference where they do not (δ = 4)",
            "yes" if abs(apart) < 0.5 else "no",
            f"{rise(errors, 4, 'error')}: {apart:+.2f} points up to {blurred}; without labels one "
            "start of a full covariance may fail",
        ),
        *(
            Claim(
                f"More precise labels: {words} (δ = 2)",
                "yes" if grows(maxima, 2, of) else "no",
                "; ".join(
                    f"δ = {distance}: {rise(maxima, distance, of)}" for distance in DISTANCES
                ),
            )
            for words, of in [
                ("fewer local maxima", "maxima"),
                ("fewer EM iterations", "iterations"),
            ]
        ),
    ]
    for rival in ("supervised", "semi-supervised", "noise model", "unsupervised"):
        score = against(rival)
        judged.append(
            Claim(
                f"Label noise: soft labels do better than the {rival} learner"
                if rival != "noise model"
                else "Label noise: soft labels do better than a learned noise model",
                score.holds,
                f"{score}; by set, points: {per_set(rival)}. With a tied covariance: "
                f"{against(rival, 'tied')}; {per_set(rival, 'tied')}",
            )
        )
    breast = {
        family: Score(
            noisy.difference(family, "breast cancer", mean, of="soft", less="supervised")
            for mean in NOISE
        )
        for family in ("full", "tied")
    }
    judged.append(
        Claim(
            "Distributional assumptions must hold for the method to work",
            "yes" if breast["full"].points > breast["tied"].points + 1.0 else "partly",
            "breast cancer, soft against supervised: full covariances "
            f"{breast['full'].points:+.1f} points, a tied one {breast['tied'].points:+.1f}: its "
            "integer scores, most of them 1, are far from Gaussian",
        )
    )
    return judged
