"""The scikit-learn shell: validate, choose the parts, run the engine, copy results."""

from labelief.estimators.classifiers import (
    GenerativeClassifier,
    LinearDiscriminantAnalysis,
    MixtureDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from labelief.estimators.dawid_skene import DawidSkene

__all__ = [
    "DawidSkene",
    "GenerativeClassifier",
    "LinearDiscriminantAnalysis",
    "MixtureDiscriminantAnalysis",
    "QuadraticDiscriminantAnalysis",
]
