"""Every kernel is tried under each array library that is installed."""

from __future__ import annotations

import importlib

import pytest
from array_api_compat import array_namespace


@pytest.fixture(params=["numpy", "array_api_strict", "torch"])
def xp(request):
    library = pytest.importorskip(request.param)
    if request.param == "array_api_strict":
        return library
    return array_namespace(importlib.import_module(request.param).asarray([0.0]))
