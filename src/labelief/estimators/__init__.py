"""The scikit-learn shell: validate, choose the parts, run the engine, copy results."""

from labelief.estimators.classifiers import (
    GenerativeClassifier,
    LinearDiscriminantAnalysis,
    MixtureDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from labelief.estimators.dawid_skene import DawidSkene
from labelief.estimators.logistic import LogisticRegression
from labelief.estimators.wrapped import SoftLabelClassifier

__all__ = [
    "DawidSkene",
    "GenerativeClassifier",
    "LinearDiscriminantAnalysis",
    "LogisticRegression",
    "MixtureDiscriminantAnalysis",
    "QuadraticDiscriminantAnalysis",
    "SoftLabelClassifier",
]
