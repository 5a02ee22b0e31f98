"""The named generative classifiers: each a choice of density and of components."""

from __future__ import annotations

from functools import partial
from typing import Any, TypeVar

import numpy as np

from labelief._typing import Array, FloatArray, IntArray
from labelief.blocks.arrays import ArrayBlocks
from labelief.estimators.component_choice import (
    CRITERIA,
    Choice,
    choose_components,
    judged_components,
)
from labelief.estimators.density_choice import choose_density
from labelief.estimators.discriminant_axes import DiscriminantAxes
from labelief.estimators.fitting import Fit, Settings
from labelief.estimators.generative import ComponentClassifier
from labelief.estimators.validation import evidence_for
from labelief.labels.targets import Target
from labelief.models.contract import Density
from labelief.models.full import FullGaussian
from labelief.models.tied import TiedGaussian

__all__ = [
    "GenerativeClassifier",
    "LinearDiscriminantAnalysis",
    "MixtureDiscriminantAnalysis",
    "QuadraticDiscriminantAnalysis",
]

_Class = TypeVar("_Class", bound=type)


def with_common_parameters(cls: _Class) -> _Class:
    """Put the parameters that all generative classifiers share into a class's docstring."""
    common = (ComponentClassifier.__doc__ or "").partition("Parameters\n    ----------\n    ")[2]
    cls.__doc__ = (cls.__doc__ or "").replace("{parameters}", common.rstrip())
    return cls


@with_common_parameters
class LinearDiscriminantAnalysis(DiscriminantAxes, ComponentClassifier):
    """Linear discriminant analysis from soft labels (quost2017 §3.2).

    One Gaussian per class, with a common covariance: ``p_k(x) = π_k N(x; μ_k, Σ)``.  Crisp labels
    give the ordinary fit (scikit-learn's ``solver="lsqr"`` where ``ridge=0``), vacuous ones the
    Gaussian mixture with a tied covariance.

    Parameters
    ----------
    {parameters}

    Examples
    --------
    >>> import numpy as np
    >>> from labelief import LinearDiscriminantAnalysis, SoftLabels
    >>> X = np.array([[0.0], [1.0], [2.0], [6.0], [7.0], [8.0]])
    >>> y = SoftLabels.from_confidences(["a", "a", "b", "b", "b", "b"], [1, 1, 0.2, 1, 1, 0.8])
    >>> model = LinearDiscriminantAnalysis().fit(X, y)
    >>> model.predict([[2.0], [6.5]])
    array(['a', 'b'], dtype='<U1')
    """

    def _density(self) -> Density:
        return TiedGaussian()


@with_common_parameters
class QuadraticDiscriminantAnalysis(ComponentClassifier):
    """Quadratic discriminant analysis from soft labels; with FlipNoise it is rNDA.

    One Gaussian per class, each with its own covariance: ``p_k(x) = π_k N(x; μ_k, Σ_k)``.

    Parameters
    ----------
    {parameters}

    Examples
    --------
    >>> import numpy as np
    >>> from labelief import QuadraticDiscriminantAnalysis
    >>> X = np.array([[0.0], [1.0], [2.0], [6.0], [7.0], [8.0]])
    >>> QuadraticDiscriminantAnalysis().fit(X, [0, 0, None, None, 1, 1]).predict([[2.0], [6.0]])
    array([0, 1])
    """

    def _density(self) -> Density:
        return FullGaussian()


class _Mixtures(ComponentClassifier):
    """Classes of one or more components, by the parameter `n_components`."""

    n_components: Any

    def _best_fit(
        self,
        rows: Array,
        target: Target,
        weights: FloatArray | None,
        responsibilities: Any,
        settings: Settings,
    ) -> Fit:
        """Fit with the density and the components asked for, or search for them."""
        n_classes = len(target.classes)

        def fit(density: Density, sizes: IntArray) -> Fit:
            return self._fit_sizes(
                rows, target, weights, responsibilities, sizes, settings, density
            )

        densities, open_ = self._densities(), self.n_components
        searched = isinstance(open_, str) and open_ in CRITERIA
        sizes = component_counts(1 if searched else open_, n_classes)
        if densities is None and not searched:
            self.selection_ = None
            return fit(self._density(), sizes)
        if searched and responsibilities is not None:
            raise ValueError(
                f"responsibilities have a column per component, but n_components={open_!r} "
                "leaves their number open: give numbers, or leave responsibilities out."
            )
        blocks = ArrayBlocks(rows, evidence_for(self._chosen_channel(), target), weights)

        def search(density: Density) -> Choice:
            if searched:
                return choose_components(partial(fit, density), blocks, n_classes, open_)
            return judged_components(partial(fit, density), blocks, sizes, "bic")

        if densities is None:
            choice = search(self._density())
        else:
            choice = choose_density(densities, search, sizes)
        self.selection_ = choice.candidates
        return choice.fit

    def _densities(self) -> list[Density] | None:
        """Return the densities to choose from; None where there is one."""
        return None

    def _takes_missing(self) -> bool:
        several = self._densities()
        return all(
            density.missing for density in ([self._density()] if several is None else several)
        )

    def _store(self, fit: Fit) -> None:
        super()._store(fit)
        self.density_ = fit.model.density
        self.n_components_ = np.bincount(self.component_class_, minlength=len(self.classes_))


@with_common_parameters
class MixtureDiscriminantAnalysis(_Mixtures):
    """A Gaussian mixture in each class, from soft labels; with FlipNoise it is GMDA.

    ``p_k(x) = π_k Σ_{j ∈ k} w_j N(x; μ_j, Σ_j)`` (liu2022 eq. 1).

    Parameters
    ----------
    n_components : int, list of int, "bic" or "icl", default=2
        Gaussians in each class; a list gives one number per class, in the order of ``classes_``.
        "bic" and "icl" search for the numbers that make the criterion lowest, adding components one
        at a time from 1 per class; A additions in K classes cost about 2 (K + A) fits.  The fitted
        ``n_components_`` holds the numbers, ``selection_`` the candidates that were tried.
    {parameters}

    Examples
    --------
    >>> import numpy as np
    >>> from labelief import FlipNoise, MixtureDiscriminantAnalysis
    >>> rng = np.random.default_rng(0)
    >>> X = np.vstack([rng.normal(c, 0.3, (40, 2)) for c in (0, 2, 4, 6)])
    >>> y = np.repeat(["even", "odd", "even", "odd"], 40)
    >>> model = MixtureDiscriminantAnalysis(2, channel=FlipNoise()).fit(X, y)
    >>> model.predict([[0.0, 0.0], [2.0, 2.0], [4.0, 4.0]])
    array(['even', 'odd', 'even'], dtype='<U4')
    """

    def __init__(
        self,
        n_components: Any = 2,
        *,
        channel: Any = None,
        priors: Any = None,
        classes: Any = None,
        init: str = "auto",
        n_init: int = 1,
        max_iter: int = 200,
        tol: float = 1e-6,
        acceleration: str | None = None,
        ridge: float = 1e-6,
        shrinkage: float | str | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            channel=channel,
            priors=priors,
            classes=classes,
            init=init,
            n_init=n_init,
            max_iter=max_iter,
            tol=tol,
            acceleration=acceleration,
            ridge=ridge,
            shrinkage=shrinkage,
            random_state=random_state,
            verbose=verbose,
        )
        self.n_components = n_components

    def _density(self) -> Density:
        return FullGaussian()


@with_common_parameters
class GenerativeClassifier(_Mixtures):
    """Any density of :mod:`labelief.densities`, in each class, from soft labels.

    Parameters
    ----------
    density : Density or list of Density
        For example ``FullGaussian()`` or ``Weibull()``.  Of a list, such as
        ``[ParsimoniousGaussian(family) for family in ParsimoniousGaussian.families]``, the density
        is taken that makes the criterion lowest: the one that `n_components` names, BIC where that
        gives numbers.  What cannot be fitted to the rows is left out.
    n_components : int, list of int, "bic" or "icl", default=1
        Components in each class; a list gives one number per class, in the order of ``classes_``.
        "bic" and "icl" search for the numbers that make the criterion lowest, adding components one
        at a time from 1 per class; A additions in K classes cost about 2 (K + A) fits, for each
        density.  The fitted ``density_`` and ``n_components_`` hold the choice, ``selection_`` the
        candidates that were tried, a row each: density, n_components, criterion, log_likelihood,
        n_parameters, supported.
    {parameters}

    Examples
    --------
    >>> from labelief import GenerativeClassifier
    >>> from labelief.densities import DiagonalGaussian
    >>> X = [[0.0, 1.0], [1.0, 0.0], [4.0, 5.0], [5.0, 4.0]]
    >>> GenerativeClassifier(DiagonalGaussian()).fit(X, [0, 0, 1, 1]).predict([[4.0, 4.0]])
    array([1])

    Which family is it?  Rows whose classes differ in volume alone:

    >>> import numpy as np
    >>> from labelief.densities import ParsimoniousGaussian
    >>> X = np.random.default_rng(0).normal(size=(200, 2)) * np.repeat([[1.0], [3.0]], 100, axis=0)
    >>> some = [ParsimoniousGaussian(family) for family in ("EII", "VII", "VVI", "VVV")]
    >>> model = GenerativeClassifier(some).fit(X, np.repeat([0, 1], 100))
    >>> model.density_
    ParsimoniousGaussian(family='VII')
    >>> [round(candidate.criterion) for candidate in model.selection_]
    [2102, 1881, 1891, 1900]
    """

    def __init__(
        self,
        density: Any = None,
        n_components: Any = 1,
        *,
        channel: Any = None,
        priors: Any = None,
        classes: Any = None,
        init: str = "auto",
        n_init: int = 1,
        max_iter: int = 200,
        tol: float = 1e-6,
        acceleration: str | None = None,
        ridge: float = 1e-6,
        shrinkage: float | str | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            channel=channel,
            priors=priors,
            classes=classes,
            init=init,
            n_init=n_init,
            max_iter=max_iter,
            tol=tol,
            acceleration=acceleration,
            ridge=ridge,
            shrinkage=shrinkage,
            random_state=random_state,
            verbose=verbose,
        )
        self.density = density
        self.n_components = n_components

    def _density(self) -> Density:
        density: Density = FullGaussian() if self.density is None else self.density
        return density

    def _densities(self) -> list[Density] | None:
        return list(self.density) if isinstance(self.density, list | tuple) else None


def component_counts(n_components: Any, n_classes: int) -> IntArray:
    """Return the number of components of each class, (K,)."""
    counts = np.asarray(n_components)
    if counts.ndim == 0:
        counts = np.repeat(counts, n_classes)
    whole = counts.dtype.kind in "iu" and counts.shape == (n_classes,)
    if not whole or np.any(counts < 1):
        raise ValueError(
            f"n_components must be an integer of 1 or more, a list of {n_classes} of them (one "
            f"per class), 'bic' or 'icl'; got {n_components!r}."
        )
    return counts.astype(np.int64)
