"""Doubtful labels and doubtful annotators, and what is worth asking again."""

from labelief.audit.annotators import audit_annotators
from labelief.audit.gain import expected_gain
from labelief.audit.label_audit import LabelAudit, weigh_labels
from labelief.audit.labels import audit_labels

__all__ = ["LabelAudit", "audit_annotators", "audit_labels", "expected_gain", "weigh_labels"]
