"""How features arise given the class, or the class given features."""

from labelief.models.bernoulli import Bernoulli
from labelief.models.categorical import Categorical
from labelief.models.columns import Columns
from labelief.models.components import ComponentModel
from labelief.models.contract import Density, Model
from labelief.models.diagonal import DiagonalGaussian
from labelief.models.featureless import Featureless
from labelief.models.full import FullGaussian
from labelief.models.given import GivenProbabilities
from labelief.models.held_out import HeldOut
from labelief.models.logistic import LogisticModel
from labelief.models.parsimonious import ParsimoniousGaussian
from labelief.models.poisson import Poisson
from labelief.models.spherical import SphericalGaussian
from labelief.models.tied import TiedGaussian
from labelief.models.weibull import Weibull

__all__ = [
    "Bernoulli",
    "Categorical",
    "Columns",
    "ComponentModel",
    "Density",
    "DiagonalGaussian",
    "Featureless",
    "FullGaussian",
    "GivenProbabilities",
    "HeldOut",
    "LogisticModel",
    "Model",
    "ParsimoniousGaussian",
    "Poisson",
    "SphericalGaussian",
    "TiedGaussian",
    "Weibull",
]
