"""Doubtful labels and doubtful annotators, and what is worth asking again."""

from labelief.audit.annotators import audit_annotators
from labelief.audit.gain import expected_gain
from labelief.audit.labels import audit_labels
from labelief.audit.weighing import LabelAudit, weigh_labels

__all__ = ["LabelAudit", "audit_annotators", "audit_labels", "expected_gain", "weigh_labels"]
