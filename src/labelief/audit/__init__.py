"""Doubtful labels and doubtful annotators, what is worth asking again, how sure a channel is."""

from labelief.audit.annotators import audit_annotators
from labelief.audit.gain import expected_gain
from labelief.audit.intervals import ChannelIntervals, channel_intervals
from labelief.audit.label_audit import LabelAudit, weigh_labels
from labelief.audit.labels import audit_labels

__all__ = [
    "ChannelIntervals",
    "LabelAudit",
    "audit_annotators",
    "audit_labels",
    "channel_intervals",
    "expected_gain",
    "weigh_labels",
]
