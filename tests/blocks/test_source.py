from __future__ import annotations

from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from labelief.blocks import ArrayBlocks, Block, BlockSource


def test_array_blocks_keep_the_contract():
    for name in ("n_rows", "n_columns", "total_weight", "map_reduce", "map_rows", "sample"):
        assert name in dir(BlockSource)
        assert hasattr(ArrayBlocks(np.zeros((2, 1))), name)


def test_blocks_are_not_written_to():
    block = Block(np.zeros((2, 1)))
    assert block.evidence is block.weights is block.responsibilities is None
    with pytest.raises(FrozenInstanceError):
        block.X = np.ones((2, 1))
