"""labelief: learn from labels you only half believe.

Train, evaluate and audit classifiers when class labels are imprecise, uncertain, noisy, missing, or
given by several people who disagree.

Names are loaded when they are first used: the command's ``--help`` does not wait for SciPy.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from labelief import (
        audit,
        densities,
        feature_selection,
        metrics,
        model_selection,
        plotting,
        simulation,
    )
    from labelief.channels import AnnotatorNoise, FlipNoise, Trusted
    from labelief.decisions import decide
    from labelief.estimators import (
        DawidSkene,
        GenerativeClassifier,
        LinearDiscriminantAnalysis,
        LogisticRegression,
        MixtureDiscriminantAnalysis,
        QuadraticDiscriminantAnalysis,
        SoftLabelClassifier,
    )
    from labelief.labels import LabelSets, SoftLabels, Votes
    from labelief.neighbors import EvidentialKNN, EvidentialMultilabelKNN

__version__ = "0.1.0"

__all__ = [
    "AnnotatorNoise",
    "DawidSkene",
    "EvidentialKNN",
    "EvidentialMultilabelKNN",
    "FlipNoise",
    "GenerativeClassifier",
    "LabelSets",
    "LinearDiscriminantAnalysis",
    "LogisticRegression",
    "MixtureDiscriminantAnalysis",
    "QuadraticDiscriminantAnalysis",
    "SoftLabelClassifier",
    "SoftLabels",
    "Trusted",
    "Votes",
    "audit",
    "decide",
    "densities",
    "feature_selection",
    "metrics",
    "model_selection",
    "plotting",
    "simulation",
]

_HOMES = {
    "channels": ("AnnotatorNoise", "FlipNoise", "Trusted"),
    "decisions": ("decide",),
    "estimators": (
        "DawidSkene",
        "GenerativeClassifier",
        "LinearDiscriminantAnalysis",
        "LogisticRegression",
        "MixtureDiscriminantAnalysis",
        "QuadraticDiscriminantAnalysis",
        "SoftLabelClassifier",
    ),
    "labels": ("LabelSets", "SoftLabels", "Votes"),
    "neighbors": ("EvidentialKNN", "EvidentialMultilabelKNN"),
}


def __getattr__(name: str) -> Any:
    """Load a public name."""
    if name not in __all__:
        raise AttributeError(f"module 'labelief' has no attribute {name!r}")
    home = next((home for home, names in _HOMES.items() if name in names), None)
    module = import_module(f"labelief.{home or name}")
    value = module if home is None else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return the public names, loaded or not."""
    return [*__all__, "__version__"]
