"""The report: one self-contained page of what was learned and how sure it is."""

from labelief.report.content import Channel, Content, Leader, Matrix
from labelief.report.page import page

__all__ = ["Channel", "Content", "Leader", "Matrix", "page"]
