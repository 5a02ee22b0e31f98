"""What all tests share: hypothesis profiles, array libraries, data sets that do not ship."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from array_api_compat import array_namespace
from hypothesis import HealthCheck, settings

settings.register_profile(
    "repeatable",
    deadline=None,
    derandomize=True,
    max_examples=40,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "thorough",
    deadline=None,
    max_examples=400,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def repository() -> Path:
    """Top folder of the checkout."""
    return ROOT


@pytest.fixture(scope="session")
def data_file() -> Callable[[str], Path]:
    """Find ``name`` in LABELIEF_DATA, then in ../shared/data, else skip the test."""

    def find(name: str) -> Path:
        folders = [os.environ.get("LABELIEF_DATA"), str(ROOT.parent / "shared" / "data")]
        for folder in folders:
            if folder and (path := Path(folder) / name).is_file():
                return path
        pytest.skip(f"{name} is not in LABELIEF_DATA nor in ../shared/data")

    return find


@pytest.fixture(params=["numpy", "array_api_strict", "torch"])
def xp(request: pytest.FixtureRequest) -> Any:
    """Each array library that is installed, as a namespace of the array-API standard."""
    library = pytest.importorskip(request.param)
    if request.param == "array_api_strict":
        return library
    return array_namespace(importlib.import_module(request.param).asarray([0.0]))
