"""The pictures of the report as scikit-learn style displays, for notebooks and papers.

Each display is made by a ``from_*`` method, which computes, and drawn by ``plot``, which needs
matplotlib (``pip install labelief[plot]``).  What is drawn is in attributes: another plotting
library can draw it too.
"""

from labelief.plotting.calibration import SoftCalibrationDisplay
from labelief.plotting.class_map import ClassMapDisplay
from labelief.plotting.confusion import ConfusionDisplay
from labelief.plotting.convergence import ConvergenceDisplay
from labelief.plotting.feature_scores import FeatureScoreDisplay
from labelief.plotting.label_precision import LabelPrecisionDisplay
from labelief.plotting.leaderboard import LeaderboardDisplay

__all__ = [
    "ClassMapDisplay",
    "ConfusionDisplay",
    "ConvergenceDisplay",
    "FeatureScoreDisplay",
    "LabelPrecisionDisplay",
    "LeaderboardDisplay",
    "SoftCalibrationDisplay",
]
