"""Evidential neighbours: each neighbour is a piece of evidence, combined by belief functions."""

from labelief.neighbors.evidential_knn import EvidentialKNN
from labelief.neighbors.multilabel_knn import EvidentialMultilabelKNN

__all__ = ["EvidentialKNN", "EvidentialMultilabelKNN"]
