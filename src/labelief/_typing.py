"""Array types used throughout the library.

``FloatArray`` and its kin are NumPy arrays on the host.  ``Array`` is any array that follows the
array-API standard (NumPy, PyTorch, CuPy...): what a kernel takes and returns.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = Any
FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
