"""Scores of features by labels that may be soft, by neighbours, or by both; and a selector."""

from labelief.feature_selection.laplacian import laplacian_score, semi_supervised_laplacian_score
from labelief.feature_selection.selector import WeightedLaplacianSelector
from labelief.feature_selection.weighted_laplacian import weighted_laplacian_score

__all__ = [
    "WeightedLaplacianSelector",
    "laplacian_score",
    "semi_supervised_laplacian_score",
    "weighted_laplacian_score",
]
