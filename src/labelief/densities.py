"""Families of component densities for :class:`labelief.GenerativeClassifier`."""

from labelief.models.bernoulli import Bernoulli
from labelief.models.categorical import Categorical
from labelief.models.columns import Columns
from labelief.models.diagonal import DiagonalGaussian
from labelief.models.full import FullGaussian
from labelief.models.parsimonious import ParsimoniousGaussian
from labelief.models.poisson import Poisson
from labelief.models.spherical import SphericalGaussian
from labelief.models.tied import TiedGaussian
from labelief.models.weibull import Weibull

__all__ = [
    "Bernoulli",
    "Categorical",
    "Columns",
    "DiagonalGaussian",
    "FullGaussian",
    "ParsimoniousGaussian",
    "Poisson",
    "SphericalGaussian",
    "TiedGaussian",
    "Weibull",
]
