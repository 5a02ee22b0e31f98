"""The papers' label-corruption processes and artificial problems; all take ``random_state``."""

from labelief.simulation.classes import (
    CorruptedLabels,
    asymmetric_noise,
    blur_labels,
    confuse_labels,
    flip_labels,
    replace_labels,
    symmetric_noise,
)
from labelief.simulation.label_sets import CorruptedLabelSets, corrupt_label_sets
from labelief.simulation.problems import (
    make_circle,
    make_cosine_product,
    make_friedman_classes,
    make_spheres,
    make_squares,
)

__all__ = [
    "CorruptedLabelSets",
    "CorruptedLabels",
    "asymmetric_noise",
    "blur_labels",
    "confuse_labels",
    "corrupt_label_sets",
    "flip_labels",
    "make_circle",
    "make_cosine_product",
    "make_friedman_classes",
    "make_spheres",
    "make_squares",
    "replace_labels",
    "symmetric_noise",
]
