"""The scikit-learn shell: validate, choose the parts, run the engine, copy results."""

from labelief.estimators.classifiers import (
    GenerativeClassifier,
    LinearDiscriminantAnalysis,
    MixtureDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)

__all__ = [
    "GenerativeClassifier",
    "LinearDiscriminantAnalysis",
    "MixtureDiscriminantAnalysis",
    "QuadraticDiscriminantAnalysis",
]
