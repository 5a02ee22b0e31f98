"""Evidential neighbours: each neighbour is a piece of evidence, combined by belief functions."""

from labelief.neighbors.multilabel_knn import EvidentialMultilabelKNN

__all__ = ["EvidentialMultilabelKNN"]
