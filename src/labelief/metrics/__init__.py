"""Evaluation where the truth is uncertain: errors, losses, scores and their scorers."""

from labelief.metrics.agreement import krippendorff_alpha
from labelief.metrics.errors import (
    expected_error,
    expected_error_scorer,
    lower_error,
    lower_error_scorer,
    upper_error,
    upper_error_scorer,
)
from labelief.metrics.log_loss import label_log_loss, label_log_loss_scorer
from labelief.metrics.mardia import MardiaResult, mardia_test
from labelief.metrics.multilabel import (
    ScoreInterval,
    hamming_score,
    hamming_scorer,
    multilabel_accuracy,
    multilabel_accuracy_scorer,
)
from labelief.metrics.set_scores import mean_set_size, set_coverage, u65_score, u80_score

__all__ = [
    "lower_error",
    "upper_error",
    "expected_error",
    "lower_error_scorer",
    "upper_error_scorer",
    "expected_error_scorer",
    "label_log_loss",
    "label_log_loss_scorer",
    "u65_score",
    "u80_score",
    "set_coverage",
    "mean_set_size",
    "multilabel_accuracy",
    "hamming_score",
    "multilabel_accuracy_scorer",
    "hamming_scorer",
    "ScoreInterval",
    "krippendorff_alpha",
    "mardia_test",
    "MardiaResult",
]
