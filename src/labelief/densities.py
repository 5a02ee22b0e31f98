"""Families of component densities for :class:`labelief.GenerativeClassifier`."""

from labelief.models.diagonal import DiagonalGaussian
from labelief.models.full import FullGaussian
from labelief.models.parsimonious import ParsimoniousGaussian
from labelief.models.spherical import SphericalGaussian
from labelief.models.tied import TiedGaussian
from labelief.models.weibull import Weibull

__all__ = [
    "DiagonalGaussian",
    "FullGaussian",
    "ParsimoniousGaussian",
    "SphericalGaussian",
    "TiedGaussian",
    "Weibull",
]
