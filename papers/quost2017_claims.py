"""What quost2017 claims, and what the repetitions say of it; judged by rules, not by eye."""

from __future__ import annotations

from collections.abc import Iterable

from papers import quost2017_annotators as annotators
from papers import quost2017_noise as noise
from papers.page import Claim
from papers.trials import Score, Trials

__all__ = ["annotator_claims", "noise_claims"]

EXCEPTIONS = ["satimage", "vowel"]


def noise_claims(trials: Trials) -> list[Claim]:
    """Judge the claims of §5.1 (Figures 2-5); LDA starts as in the paper."""

    def score(
        of: str, less: str, data: Iterable[str] = noise.DATA, low: float = 0.0, high: float = 1.0
    ) -> Score:
        return Score(
            trials.difference(name, level, of=of, less=less)
            for name in data
            for level in noise.noise_means(name)
            if low <= level <= high
        )

    lda_noisy, lr_noisy = score("oracle soft", "oracle noisy"), score("lr soft", "lr noisy")
    lda_semi = score("oracle soft", "oracle semi")
    lda_low = score("oracle soft", "oracle noisy", high=0.3)
    lda_high = score("oracle soft", "oracle noisy", low=0.5)
    lr_high = score("lr soft", "lr noisy", low=0.5)
    mean_cost = {name: score("oracle mean", "oracle soft", [name]) for name in noise.DATA}
    cheap = [name for name, cost in mean_cost.items() if cost.points < 2.0]
    others = [name for name in noise.DATA if name not in EXCEPTIONS]
    lda_others = score("oracle soft", "oracle noisy", others)
    lr_others = score("lr soft", "lr noisy", others)
    close = [
        name
        for name in noise.DATA
        if abs(trials.difference(name, 0.1, of="lr soft", less="oracle soft").mean) < 0.03
    ]
    duel_low = score("oracle soft", "lr soft", others, high=0.2)
    duel_high = score("oracle soft", "lr soft", others, low=0.5)
    exceptions = {
        (name, labels): score(f"lr {labels}", f"oracle {labels}", [name])
        for name in EXCEPTIONS
        for labels in ("soft", "mean")
    }
    lr_semi_high = score("lr soft", "lr semi", low=0.5)
    dear = [name for name in EXCEPTIONS if mean_cost[name].above >= 0.5 * mean_cost[name].all]
    lowered = min(value.below / value.all for value in exceptions.values())
    return [
        Claim(
            "Soft labels almost always beat noisy ones significantly: LDA (§5.1)",
            lda_noisy.holds,
            f"soft against noisy: {lda_noisy}",
        ),
        Claim(
            "Soft labels almost always beat noisy ones significantly: LR",
            lr_noisy.holds,
            f"soft against noisy: {lr_noisy}",
        ),
        Claim(
            "Soft labels almost always beat the semi-supervised strategy: LDA",
            lda_semi.holds,
            f"soft against semi-supervised: {lda_semi}",
        ),
        Claim(
            "For LDA the benefit is critical where noise is high",
            "yes" if lda_high.points < min(lda_low.points, lr_high.points) else "no",
            f"soft - noisy at p̄ ≥ 0.5: {lda_high.points:+.1f} points for LDA, "
            f"{lr_high.points:+.1f} for LR; at p̄ ≤ 0.3 {lda_low.points:+.1f} for LDA",
        ),
        Claim(
            "For a majority of sets p̄ does almost as well as each p_i (Figures 2a, 2b, 3a; LDA)",
            "yes" if len(cheap) > len(noise.DATA) / 2 else "no",
            "p̄ costs less than 2 points on "
            + ", ".join(cheap)
            + "; "
            + ", ".join(f"{name} {cost.points:+.1f}" for name, cost in mean_cost.items()),
        ),
        Claim(
            "For some sets each p_i does better than p̄ (Figures 4b satimage, 5a vowel; LDA)",
            {0: "no", 1: "partly", 2: "yes"}[len(dear)],
            "; ".join(
                f"{name}: p_i significantly better at {mean_cost[name].above} of "
                f"{mean_cost[name].all} levels ({mean_cost[name].points:+.1f} points)"
                for name in EXCEPTIONS
            ),
        ),
        Claim(
            "For LR soft labels help less, against semi-supervised ones above all where noise is "
            "high",
            {0: "no", 1: "partly", 2: "yes"}[
                (lr_others.points > lda_others.points) + (lr_semi_high.holds != "yes")
            ],
            f"gain on noisy labels {lr_noisy.points:+.1f} points for LR, {lda_noisy.points:+.1f} "
            f"for LDA (without satimage and vowel {lr_others.points:+.1f} and "
            f"{lda_others.points:+.1f}); LR, soft against semi-supervised at p̄ ≥ 0.5: "
            f"{lr_semi_high}",
        ),
        Claim(
            "With low noise LR and LDA do alike on most sets",
            "yes" if len(close) > len(noise.DATA) / 2 else "no",
            f"at p̄ = 0.1 within 3 points of each other on {len(close)} of 8 sets "
            f"({', '.join(close)})",
        ),
        Claim(
            "LDA becomes superior as noise rises (all sets but satimage and vowel)",
            duel_high.holds,
            f"LDA against LR, soft, at p̄ ≥ 0.5: {duel_high}; at p̄ ≤ 0.2: {duel_low}",
        ),
        Claim(
            "On satimage and vowel LR does critically better than LDA with both soft labels",
            "yes" if lowered >= 0.8 else "partly" if lowered > 0.3 else "no",
            "; ".join(
                f"{name}, {'p_i' if labels == 'soft' else 'p̄'}: {value.points:+.1f} points, "
                f"significant at {value.below} of {value.all} levels"
                for (name, labels), value in exceptions.items()
            ),
        ),
    ]


def annotator_claims(trials: Trials) -> list[Claim]:
    """Judge what §5.2 found on data that are not public, on other data that people labelled."""

    def score(data: str, model: str, rival: str, criterion: str) -> Score:
        return Score(
            trials.difference(
                data, d, of=f"{model} soft {criterion}", less=f"{model} {rival} {criterion}"
            )
            for d in annotators.components(data)
        )

    def listed(model: str, criterion: str) -> str:
        return "; ".join(
            f"{data} {score(data, model, 'majority', criterion).short}" for data in annotators.DATA
        )

    def best(data: str, model: str, labels: str, criterion: str = "truth") -> tuple[float, int]:
        return min(
            (trials.mean(data, d, of=f"{model} {labels} {criterion}").mean, d)
            for d in annotators.components(data)
        )

    winners = {
        data: min(
            (best(data, model, labels)[0], f"{model.upper()} {labels}")
            for model in annotators.MODELS
            for labels in annotators.LABELLINGS
        )
        for data in annotators.DATA
    }
    last = {data: annotators.components(data)[-1] for data in annotators.DATA}
    rises = {
        (data, labels): 100
        * (
            trials.mean(data, last[data], of=f"lda {labels} truth").mean
            - best(data, "lda", labels)[0]
        )
        for data in annotators.DATA
        for labels in ("soft", "majority")
    }
    return [
        Claim(
            "Sleep data: soft labels clearly improve LR by both criteria (Figure 7a, b)",
            "cannot be compared: other data",
            "LR, soft - majority in points (significant at so many dimensions), expected loss: "
            + listed("lr", "expected")
            + ". Error on the truth: "
            + listed("lr", "truth"),
        ),
        Claim(
            "Sleep data: they improve LDA for some numbers of components only (Figure 7c, d)",
            "cannot be compared: other data",
            "LDA, soft - majority in points, error on the truth: " + listed("lda", "truth"),
        ),
        Claim(
            "Sleep data: the best classifier is trained on soft labels (Figure 8)",
            "cannot be compared: other data",
            "lowest error on the truth: "
            + "; ".join(
                f"{data} {name} {100 * low:.1f} %" for data, (low, name) in winners.items()
            ),
        ),
        Claim(
            "Faces: LDA from soft labels overfits sooner as the dimension rises (Figure 12)",
            "cannot be compared: other data",
            "rise of LDA's error on the truth from its best to the last dimension, points, soft "
            "(majority): "
            + "; ".join(
                f"{data} {rises[data, 'soft']:.1f} ({rises[data, 'majority']:.1f})"
                for data in annotators.DATA
            ),
        ),
    ]
