"""Colours of classes, and of labels that mix them: the same in the report and in the displays."""

from __future__ import annotations

from colorsys import hls_to_rgb

import numpy as np

from labelief._typing import FloatArray

__all__ = ["colour_of", "mixed"]

# Okabe and Ito's colours, told apart by most who see colours otherwise.
_PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8a6d3b", "#7f7f7f")
# Screens show a number to this power as light: light is what mixes.
_GAMMA = 2.2


def colour_of(k: int) -> str:
    """Return the colour of class k as ``#rrggbb``."""
    if k < len(_PALETTE):
        return _PALETTE[k]
    # The golden angle keeps neighbours apart however many there are.
    return _hex(np.array(hls_to_rgb((k * 137.508) % 360 / 360, 0.5, 0.55)))


def mixed(shares: FloatArray) -> list[str]:
    """Return the colour of each row of shares: the classes' colours in proportion.

    Parameters
    ----------
    shares : (n, K) array
        Not negative; a row without any share mixes all classes evenly.

    Returns
    -------
    list of str
        ``#rrggbb`` for each row.
    """
    base = np.array([_rgb(colour_of(k)) for k in range(shares.shape[1])])
    total = shares.sum(axis=1, keepdims=True)
    even = np.full_like(shares, 1.0 / shares.shape[1])
    mix = np.where(total > 0, shares / np.where(total > 0, total, 1.0), even) @ base**_GAMMA
    return [_hex(row) for row in np.clip(mix, 0.0, 1.0) ** (1 / _GAMMA)]


def _rgb(colour: str) -> tuple[float, float, float]:
    r, g, b = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return r, g, b


def _hex(rgb: FloatArray) -> str:
    r, g, b = np.round(255 * rgb).astype(int)
    return f"#{r:02x}{g:02x}{b:02x}"
