"""Where rows live.

A :class:`BlockSource` hands blocks of rows to a pure kernel and adds what comes back.  Methods
never know whether the rows are in memory, on disk or on a device.
"""

from labelief.blocks.arrays import ArrayBlocks
from labelief.blocks.evidence import Dense, Evidence, Indicator, Symbols
from labelief.blocks.moments import Moments, measure_moments
from labelief.blocks.source import Block, BlockSource

__all__ = [
    "ArrayBlocks",
    "Block",
    "BlockSource",
    "Dense",
    "Evidence",
    "Indicator",
    "Moments",
    "Symbols",
    "measure_moments",
]
