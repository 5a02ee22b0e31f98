"""The figures of quost2017's page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.figure import Figure

from papers import quost2017_annotators as annotators
from papers import quost2017_noise as noise
from papers.page import figure
from papers.trials import Trials, curve, share_legend

__all__ = [
    "beyond_figure",
    "box_figure",
    "components_figure",
    "discount_figure",
    "duel_figure",
    "noise_figure",
]

# The paper's colours and marks.
_LABELLINGS: dict[str, dict[str, Any]] = {
    "noisy": {"color": "#333333", "marker": "o", "label": "noisy labels"},
    "semi": {"color": "#1f5fa8", "marker": "s", "label": "semi-supervised (p ≤ 0.5 kept)"},
    "soft": {"color": "#c0392b", "marker": "x", "label": "soft, each label's p"},
    "mean": {"color": "#2e8b57", "marker": "+", "label": "soft, the mean p̄"},
}
_CROWD: dict[str, dict[str, Any]] = {
    "soft": {"color": "#c0392b", "marker": "x", "label": "soft labels"},
    "majority": {"color": "#333333", "marker": "o", "label": "majority labels"},
    "semi": {"color": "#1f5fa8", "marker": "s", "label": "semi-supervised labels"},
}
_PEOPLE = {
    "music": "music, 10 genres",
    "birds": "birds, 10 species",
    "dogs4": "dogs, 4 breeds",
    "dogs2": "dogs, 2 breeds",
}
_BEYOND: dict[str, dict[str, Any]] = {
    "lda soft": {"color": "#c0392b", "marker": "x", "label": "LDA, p as a discount (the paper)"},
    "lda likelihood": {"color": "#d98c1f", "marker": "^", "label": "LDA, p as a likelihood"},
    "lda learned": {"color": "#555555", "marker": "o", "label": "LDA, p unknown: rate learned"},
    "lr soft": {"color": "#333333", "linestyle": "--", "label": "LR, p as a discount (the paper)"},
    "qda soft": {"color": "#7a5195", "marker": "s", "label": "QDA, p as a discount"},
    "mda soft": {"color": "#2e8b57", "marker": "+", "label": "2 Gaussians per class, discount"},
    "knn soft": {"color": "#1f5fa8", "marker": "D", "label": "evidential 10-NN, discount"},
}


def noise_figure(trials: Trials, model: str) -> Figure:
    """Error against noise for the four labellings of all data sets (Figures 2-5, a row of each)."""
    drawing, axes = figure(2, 4, width=2.5, height=2.2)
    for axis, data in zip(axes.flat, noise.DATA, strict=True):
        levels = noise.noise_means(data)
        for name, style in _LABELLINGS.items():
            errors = [trials.mean(data, level, of=f"{model} {name}") for level in levels]
            curve(axis, levels, errors, **style)
        truth = trials.mean(data, levels[0], of=f"{model} truth").mean
        axis.axhline(100 * truth, color="#333333", linewidth=0.8, linestyle=":")
        axis.set_title(data)
    _name_axes(axes, "mean noise p̄", "test error (%)")
    share_legend(drawing, axes[0, 0], 4)
    return drawing


def duel_figure(trials: Trials) -> Figure:
    """LDA against LR from soft labels (Figures 2-5, bottom row)."""
    drawing, axes = figure(2, 4, width=2.5, height=2.2)
    for axis, data in zip(axes.flat, noise.DATA, strict=True):
        levels = noise.noise_means(data)
        for model, name, line in [("oracle", "LDA", "-"), ("lr", "LR", "--")]:
            for labels in ("soft", "mean"):
                style = _LABELLINGS[labels] | {"linestyle": line}
                style["label"] = f"{name}, {style['label']}"
                errors = [trials.mean(data, level, of=f"{model} {labels}") for level in levels]
                curve(axis, levels, errors, **style)
        axis.set_title(data)
    _name_axes(axes, "mean noise p̄", "test error (%)")
    share_legend(drawing, axes[0, 0], 4)
    return drawing


def components_figure(trials: Trials) -> Figure:
    """Errors on people's labels against the number of principal components (Figures 7 and 12)."""
    panels = [
        (model, criterion) for model in annotators.MODELS for criterion in ("expected", "truth")
    ]
    drawing, axes = figure(len(annotators.DATA), 4, width=2.5, height=2.0)
    for row, data in zip(axes, annotators.DATA, strict=True):
        numbers = annotators.components(data)
        for axis, (model, criterion) in zip(row, panels, strict=True):
            for name, style in _CROWD.items():
                prefix = f"{model} {name}"
                errors = [trials.mean(data, d, of=f"{prefix} {criterion}") for d in numbers]
                curve(axis, numbers, errors, **style)
                if criterion == "expected":
                    lower, upper = (
                        [100 * trials.mean(data, d, of=f"{prefix} {end}").mean for d in numbers]
                        for end in ("lower", "upper")
                    )
                    axis.fill_between(numbers, lower, upper, color=style["color"], alpha=0.08)
            axis.set_title(f"{_PEOPLE[data]}: {model.upper()}")
            axis.set_ylabel(
                "error on the truth (%)" if criterion == "truth" else "expected loss (%)"
            )
    for axis in axes[-1]:
        axis.set_xlabel("principal components")
    share_legend(drawing, axes[0, 1], 3)
    return drawing


def box_figure(trials: Trials, data: str, components: int) -> Figure:
    """Spread over folds of six classifiers by two criteria (Figure 8)."""
    criteria = {
        "expected": "expected loss",
        "majority": "error on the majority",
        "truth": "on the truth",
    }
    drawing, axes = figure(1, len(criteria), width=3.3, height=2.6)
    names = [(model, labels) for model in annotators.MODELS for labels in annotators.LABELLINGS]
    for axis, (criterion, title) in zip(axes[0], criteria.items(), strict=True):
        boxes = [
            [
                100 * value
                for value in trials.values(data, components, of=f"{model} {labels} {criterion}")
            ]
            for model, labels in names
        ]
        drawn = axis.boxplot(
            boxes,
            widths=0.6,
            patch_artist=True,
            medianprops={"color": "black"},
            flierprops={"ms": 2},
        )
        for patch, (_, labels) in zip(drawn["boxes"], names, strict=True):
            patch.set_facecolor(_CROWD[labels]["color"])
            patch.set_alpha(0.55)
        axis.set_xticks(
            range(1, len(names) + 1),
            [f"{model.upper()}\n{labels}" for model, labels in names],
            fontsize=7,
        )
        axis.set_title(title)
        axis.set_ylabel("% of a fold")
    return drawing


def beyond_figure(trials: Trials, data: Sequence[str], levels: Sequence[float]) -> Figure:
    """Draw what else may be done with the same noisy labels: other readings of p, other models."""
    drawing, axes = figure(1, len(data), width=2.6, height=3.0)
    for axis, name in zip(axes[0], data, strict=True):
        for method, style in _BEYOND.items():
            curve(axis, levels, [trials.mean(name, level, of=method) for level in levels], **style)
        axis.set_title(name)
    _name_axes(axes, "mean noise p̄", "test error (%)")
    share_legend(drawing, axes[0, 0], 3)
    return drawing


def discount_figure(trials: Trials, data: Sequence[str], discounts: Sequence[float]) -> Figure:
    """Draw what discounting does to labels that are all right."""
    drawing, axes = figure(1, len(data), width=2.6)
    styles: dict[str, dict[str, Any]] = {
        "lda": {"color": "#c0392b", "marker": "x", "label": "LDA"},
        "twin": {"color": "#2e8b57", "marker": "o", "label": "LDA on a Gaussian twin of the data"},
        "lr": {"color": "#1f5fa8", "marker": "s", "label": "LR"},
    }
    for axis, name in zip(axes[0], data, strict=True):
        for model, style in styles.items():
            curve(
                axis, discounts, [trials.mean(name, of=f"{model} {d}") for d in discounts], **style
            )
        axis.set_title(name)
        axis.set_ylim(0, None)
    _name_axes(axes, "discount of true labels", "test error (%)")
    share_legend(drawing, axes[0, 0], 3)
    return drawing


def _name_axes(axes: Any, below: str, left: str) -> None:
    for axis in axes[-1]:
        axis.set_xlabel(below)
    for axis in axes[:, 0]:
        axis.set_ylabel(left)
