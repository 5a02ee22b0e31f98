"""Nearest neighbours whose labels are pieces of evidence."""

from labelief.neighbors.evidential_knn import EvidentialKNN

__all__ = ["EvidentialKNN"]
