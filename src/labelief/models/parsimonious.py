"""The fourteen families of Gaussians by volume, shape and orientation."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from sklearn.base import BaseEstimator

from labelief.models.aligned import AlignedGaussian
from labelief.models.contract import Density
from labelief.models.decomposition import Form
from labelief.models.diagonal import DiagonalGaussian
from labelief.models.full import FullGaussian
from labelief.models.oriented import OrientedGaussian
from labelief.models.spherical import SphericalGaussian
from labelief.models.structure import (
    Structure,
    own_matrices,
    proportional_matrices,
    shared_axes,
)
from labelief.models.tied import TiedGaussian
from labelief.models.volume_shape import (
    common_spread,
    own_shapes,
    own_spread,
    own_volumes,
    round_spread,
)

__all__ = ["ParsimoniousGaussian"]


def _aligned(volumes: bool, shapes: bool | None, spread: Any, *, rigid: bool = False) -> Density:
    return AlignedGaussian(Structure(Form(volumes, shapes, None), spread, rigid=rigid))


def _oriented(
    volumes: bool, shapes: bool, axes: bool, spread: Any, turn: Any, *, rigid: bool
) -> Density:
    return OrientedGaussian(Structure(Form(volumes, shapes, axes), spread, turn, rigid))


_DENSITIES: dict[str, Density] = {
    "EII": _aligned(False, None, round_spread, rigid=True),
    "VII": SphericalGaussian(),
    "EEI": _aligned(False, False, common_spread),
    "VEI": _aligned(True, False, own_volumes),
    "EVI": _aligned(False, True, own_shapes),
    "VVI": DiagonalGaussian(),
    "EEE": TiedGaussian(),
    "VEE": _oriented(True, False, False, own_volumes, proportional_matrices, rigid=False),
    "EVE": _oriented(False, True, False, own_shapes, shared_axes, rigid=True),
    "VVE": _oriented(True, True, False, own_spread, shared_axes, rigid=True),
    "EEV": _oriented(False, False, True, common_spread, own_matrices, rigid=True),
    "VEV": _oriented(True, False, True, own_volumes, own_matrices, rigid=True),
    "EVV": _oriented(False, True, True, own_shapes, own_matrices, rigid=False),
    "VVV": FullGaussian(),
}


class ParsimoniousGaussian(BaseEstimator):
    """Gaussian components whose covariances share volume, shape or orientation.

    ``Σ_j = λ_j D_j A_j D_jᵀ`` with the volume ``λ_j = |Σ_j|^{1/d}``, the shape A_j (diagonal, of
    determinant 1) and the orientation D_j (Banfield and Raftery 1993; Celeux and Govaert 1995).
    Three letters, as in R's mclust, say of each whether it is equal in all components (E), each
    component's own (V), or the identity (I):

    ===================  ====================================================================
    spherical            EII (λI), VII (λ_j I)
    diagonal             EEI (λA), VEI (λ_j A), EVI (λA_j), VVI (λ_j A_j)
    one orientation      EEE (λDADᵀ), VEE (λ_j DADᵀ), EVE (λDA_jDᵀ), VVE (λ_j DA_jDᵀ)
    own orientations     EEV (λD_jAD_jᵀ), VEV (λ_j D_jAD_jᵀ), EVV (λD_jA_jD_jᵀ), VVV (any Σ_j)
    ===================  ====================================================================

    VVV is :class:`FullGaussian`, EEE :class:`TiedGaussian`, VVI :class:`DiagonalGaussian` and VII
    :class:`SphericalGaussian`.

    The equalities hold in the features' own units, as in mclust.  Any affine change of the features
    leaves EEE, VEE, EVV and VVV as they are, any change of units the diagonal families; the others
    (EII, VII, EVE, VVE, EEV, VEV) change with the units of single features, so features that are
    not measured in one unit are better scaled first (``StandardScaler``).

    All M-steps are the maximum under the family and the fixed prior, whose ν rows and target T add
    to the weight and the scatter of each covariance: closed where Celeux and Govaert (1995) have
    a formula, by Newton's method where volumes alone are own (VEI, VEE, VEV), and by descent
    among rotations, to a maximum that no small turn improves, where axes alone are shared (EVE,
    VVE; Browne and McNicholas 2014).

    Parameters
    ----------
    family : str
        One of ``ParsimoniousGaussian.families``.

    Examples
    --------
    >>> import numpy as np
    >>> from labelief import GenerativeClassifier
    >>> from labelief.densities import ParsimoniousGaussian
    >>> X = np.random.default_rng(0).normal(size=(40, 2)) + np.repeat([[0, 0], [4, 4]], 20, axis=0)
    >>> model = GenerativeClassifier(ParsimoniousGaussian("VEE")).fit(X, [0] * 20 + [1] * 20)
    >>> first, second = model.covariances_
    >>> np.allclose(first / first[0, 0], second / second[0, 0])
    True
    """

    families: ClassVar[tuple[str, ...]] = tuple(_DENSITIES)

    def __init__(self, family: str) -> None:
        self.family = family

    def named(self, names: Any) -> Self:
        """Return itself: it takes all columns alike."""
        return self

    def __getattr__(self, name: str) -> Any:
        # A family is a density of its own: it answers for all that the engine asks.
        if name.startswith("_") or name == "family":
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        if self.family not in _DENSITIES:
            raise ValueError(
                f"family must be one of {', '.join(self.families)}, got {self.family!r}."
            )
        return getattr(_DENSITIES[self.family], name)
