"""Labels as mass functions, votes, and the reading of every kind of ``y``.

What the numbers of a label mean
--------------------------------
``from_plausibilities``, and an (n, K) array or frame given to a classifier as ``y``
    *Likelihoods* of the observation, pl_i(k): how plausible what was observed about object i is
    if its true class is k.  They enter the fit as log weights, log pl_i(k), added to the model's
    log-density of class k; only their ratios within a row move a fit.  They need not sum to one.
``from_probabilities``
    *Probabilities* of the classes given what the expert knows, base rates included.  Their log
    weights are log p_i(k), or log p_i(k)/b_k when the base rates b are divided out.  They are no
    target distribution that the classifier must reproduce.
``from_masses``
    *Masses*: belief that the class is in a set, and not said more precisely.  The log weights are
    those of the contour, log Σ_{A∋k} m(A), divided by 1 - m(∅).
``from_confidences``, ``discount``
    The chance that a statement is to the point; with the rest of the mass it says nothing.
``from_crisp``, ``from_candidates``, 1-D labels
    The same with ones and zeros: log weights 0 for what is possible, -∞ for what is not.
``sample_weight``
    How often a row counts.  It multiplies the row's log-likelihood and is never part of a label.

No argument takes two of these.
"""

from labelief.labels.expert_pool import pool_plausibilities
from labelief.labels.focal import FocalSets
from labelief.labels.label_sets import LabelSets
from labelief.labels.soft_labels import SoftLabels
from labelief.labels.targets import Target, as_soft_labels, read_target
from labelief.labels.votes import Votes

__all__ = [
    "SoftLabels",
    "LabelSets",
    "Votes",
    "pool_plausibilities",
    "FocalSets",
    "Target",
    "read_target",
    "as_soft_labels",
]
