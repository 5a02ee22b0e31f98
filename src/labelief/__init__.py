"""labelief: learn from labels you only half believe.

Train, evaluate and audit classifiers when class labels are imprecise, uncertain, noisy, missing, or
given by several people who disagree.
"""

from labelief import audit, densities, feature_selection, metrics, model_selection, simulation
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
    "simulation",
]
