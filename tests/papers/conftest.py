"""The style of the papers' figures stays with their tests."""

from __future__ import annotations

from collections.abc import Iterator

import matplotlib as mpl
import pytest


@pytest.fixture(autouse=True)
def style_of_its_own() -> Iterator[None]:
    """Take Matplotlib's settings back after each test."""
    with mpl.rc_context():
        yield
