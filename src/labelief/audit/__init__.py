"""How sure a fit is of what it learned."""

from labelief.audit.intervals import ChannelIntervals, channel_intervals

__all__ = ["ChannelIntervals", "channel_intervals"]
