from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def canvas():
    """Draw to memory and leave no figure open."""
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    yield
    import matplotlib.pyplot as plt

    plt.close("all")
