"""Cross-validation and comparison of classifiers whose labels are soft."""

from labelief.model_selection.folds import SoftStratifiedKFold
from labelief.model_selection.intervals import IntervalEstimate, cross_validate_interval
from labelief.model_selection.prediction import cross_val_predict
from labelief.model_selection.ranking import ModelRanking, rank_models

__all__ = [
    "SoftStratifiedKFold",
    "cross_val_predict",
    "cross_validate_interval",
    "IntervalEstimate",
    "rank_models",
    "ModelRanking",
]
