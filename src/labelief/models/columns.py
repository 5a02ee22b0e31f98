"""Tables of mixed types: groups of columns, each with a density of its own."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.pipeline import _name_estimators
from sklearn.utils.metaestimators import _BaseComposition

from labelief._typing import Array, FloatArray, IntArray
from labelief.blocks.columns import ColumnBlocks, first_missing, missing_counts
from labelief.blocks.moments import Moments
from labelief.blocks.source import BlockSource
from labelief.kernels.namespace import namespace, take_features
from labelief.models.column_groups import ColumnsFrame, grouped, indices, positions
from labelief.models.contract import MStep
from labelief.models.shrinkage import Strength

__all__ = ["Columns"]


class Columns(_BaseComposition):
    """A product of densities over groups of columns: ``f_j(x) = Π_g f_jg(x_g)``.

    Groups are independent given the component, within a group the density says what depends on
    what; several components per class bring dependence back between them.

    Parameters
    ----------
    groups : list of (density, columns)
        Columns are an index, a slice, a bool mask, a list of indices, or a name or list of names of
        a frame's columns.  Each column belongs to one group.  For ``get_params`` and ``set_params``
        a density has the name of its class in lower case, with -1, -2, ... where there are several:
        ``density__poisson__pseudo_count``.
    remainder : density, default=None
        Takes all columns that no group names; None means that there must be none.

    Notes
    -----
    A group takes missing features (NaN) where its density does.  `shrinkage` bears on the groups
    with covariances, as for densities with a covariance for each component unless all are tied.

    Examples
    --------
    >>> import numpy as np
    >>> from labelief import GenerativeClassifier
    >>> from labelief.densities import Categorical, Columns, FullGaussian
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat(["sick", "well"], 30)
    >>> X = np.column_stack([rng.normal(y == "well", 1.0), rng.integers(0, 3, 60)])
    >>> density = Columns([(FullGaussian(), [0]), (Categorical(), [1])])
    >>> GenerativeClassifier(density).fit(X, y).predict([[-3.0, 1], [4.0, 1]])
    array(['sick', 'well'], dtype='<U4')
    """

    def __init__(self, groups: Any, remainder: Any = None) -> None:
        self.groups = groups
        self.remainder = remainder

    # ------------------------------------------------------------------------- parameters

    @property
    def _named_groups(self) -> list[tuple[str, Any]]:
        return [(name, density) for name, density in _name_estimators(self._densities())]

    @_named_groups.setter
    def _named_groups(self, named: list[tuple[str, Any]]) -> None:
        pairs = zip(named, self.groups, strict=True)
        self.groups = [(density, columns) for (_, density), (_, columns) in pairs]

    def _densities(self) -> list[Any]:
        return [density for density, _ in self.groups]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return parameters, with those of the groups' densities.

        Parameters
        ----------
        deep : bool, default=True

        Returns
        -------
        dict
        """
        params: dict[str, Any] = self._get_params("_named_groups", deep=deep)
        return params

    def set_params(self, **params: Any) -> Self:
        """Set parameters, also those of the groups' densities.

        Parameters
        ----------
        **params : dict

        Returns
        -------
        self
        """
        self._set_params("_named_groups", **params)
        return self

    # -------------------------------------------------------------------------- abilities

    @property
    def _all(self) -> list[Any]:
        """Densities in the order of a frame's groups; the remainder's may have no columns."""
        rest = [] if self.remainder is None else [self.remainder]
        return [*self._densities(), *rest]

    @property
    def tied(self) -> bool:
        """Whether one covariance serves all components, in every group."""
        return all(density.tied for density in self._all)

    @property
    def missing(self) -> bool:
        """Whether some group takes missing features."""
        return any(density.missing for density in self._all)

    @property
    def shrinks(self) -> bool:
        """Whether some group has covariances to shrink."""
        return any(density.shrinks for density in self._all)

    @property
    def m_step(self) -> MStep:
        """Whether every group's M-step is exact."""
        exact = all(density.m_step == "exact" for density in self._all)
        return "exact" if exact else "improves"

    def m_step_in(self, frame: ColumnsFrame) -> MStep:
        """Return whether every group's M-step is exact in its frame."""
        exact = all(density.m_step_in(inner) == "exact" for density, inner in self._pairs(frame))
        return "exact" if exact else "improves"

    def named(self, names: Array | None) -> Columns:
        """Return the density with columns by their positions."""
        if names is None:
            groups = [(density.named(None), positions(at, None)) for density, at in self.groups]
            return Columns(groups, self.remainder)
        index = [indices(positions(at, names), len(names)) for _, at in self.groups]
        names = np.asarray(names)
        pairs = zip(self._densities(), index, strict=True)
        groups = [(density.named(names[at]), at) for density, at in pairs]
        return Columns(groups, self.remainder)

    def _pairs(self, frame: ColumnsFrame, *more: Any) -> list[tuple[Any, ...]]:
        """Return density and frame of each group, and its share of other tuples."""
        densities = self._all[: len(frame.frames)]
        return list(zip(densities, frame.frames, *more, strict=True))

    def _each(self, *parts: Any) -> list[tuple[Any, ...]]:
        """Return the density of each group and its share of tuples."""
        return list(zip(self._all[: len(parts[0])], *parts, strict=True))

    # ------------------------------------------------------------------------------ frames

    def check(self, blocks: BlockSource, frame: ColumnsFrame | None = None) -> None:
        """Refuse rows outside a group's support, and missing features where it takes none."""
        frames: Any = None if frame is None else frame.frames
        for g, (density, part) in enumerate(self._parts(blocks)):
            inner = None if frames is None else frames[g]
            if part.gaps and not (density.missing if inner is None else inner.gaps):
                _refuse_missing(part, type(density).__name__)
            density.check(part, inner)

    def frame(self, blocks: BlockSource) -> ColumnsFrame:
        """Measure the rows for each group."""
        self.check(blocks)
        d = blocks.n_columns
        mean, scale = np.zeros(d), np.zeros(d)
        columns, frames = [], []
        for density, part in self._parts(blocks):
            inner = density.frame(part)
            mean[part.columns], scale[part.columns] = inner.moments.mean, inner.moments.scale
            if not density.shrinks:
                # What has no covariance says nothing of how strongly covariances are held.
                scale[part.columns] = 0.0
            columns.append(part.columns)
            frames.append(inner)
        moments = Moments(blocks.total_weight, mean, scale, None)
        return ColumnsFrame(tuple(columns), tuple(frames), moments)

    def _parts(self, blocks: BlockSource) -> list[tuple[Any, ColumnBlocks]]:
        """Return the density and the columns of each group."""
        n_columns = blocks.n_columns
        gone = missing_counts(blocks) if blocks.gaps else np.zeros(n_columns)
        return [
            (density, ColumnBlocks(blocks, at, gaps=bool(np.any(gone[at]))))
            for density, at in grouped(self.groups, self.remainder, n_columns)
        ]

    def opened(self, frame: ColumnsFrame) -> ColumnsFrame:
        """Return the frame for rows that may have missing features, where groups take them."""
        frames = tuple(density.opened(inner) for density, inner in self._pairs(frame))
        return replace(frame, frames=frames)

    def width(self, frame: ColumnsFrame, n_components: int) -> int:
        """Return how many doubles a pass holds for each row."""
        widths = (density.width(inner, n_components) for density, inner in self._pairs(frame))
        return int(sum(widths)) + len(frame.moments.mean)

    # ----------------------------------------------------------------------------- kernels

    def coordinates(self, X: Array, arrays: Any) -> Array:
        """Kernel: return the rows in the groups' frames, side by side."""
        parts = [
            density.coordinates(take_features(X, columns), inner)
            for density, (columns, inner) in self._each(arrays)
        ]
        return namespace(parts[0]).concat(parts, axis=1)

    def features(self, X: Array, arrays: Any) -> tuple[Any, ...]:
        """Kernel: return the features of each group."""
        return tuple(
            density.features(take_features(X, columns), inner)
            for density, (columns, inner) in self._each(arrays)
        )

    def log_density(self, features: tuple[Any, ...], factors: tuple[Any, ...]) -> Array:
        """Kernel: return ``log w_j + Σ_g log f_jg(x_g)``, (b, J)."""
        total = None
        for density, phi, factor in self._each(features, factors):
            part = density.log_density(phi, factor)
            total = part if total is None else total + part
        return total

    def row_term(self, features: tuple[Any, ...], arrays: Any, factors: tuple[Any, ...]) -> Array:
        """Kernel: return the common terms that groups leave out, (b,)."""
        total = None
        for density, phi, (_, inner), factor in self._each(features, arrays, factors):
            part = density.row_term(phi, inner, factor)
            total = part if total is None else total + part
        return total

    def statistics(
        self, features: tuple[Any, ...], R: Array, factors: tuple[Any, ...]
    ) -> tuple[Any, ...]:
        """Kernel: return the record of each group."""
        return tuple(
            density.statistics(phi, R, factor)
            for density, phi, factor in self._each(features, factors)
        )

    def start_statistics(self, X: Array, R: Array, arrays: Any) -> tuple[Any, ...]:
        """Kernel: return the record of a start of each group."""
        return tuple(
            density.start_statistics(take_features(X, columns), R, inner)
            for density, (columns, inner) in self._each(arrays)
        )

    # ---------------------------------------------------------------------------- the host

    def factors(
        self, parameters: tuple[Any, ...], frame: ColumnsFrame, log_weights: FloatArray
    ) -> tuple[Any, ...]:
        """Return what `log_density` needs; the components' weights are in the first group's."""
        out, weights = [], log_weights
        for density, inner, theta in self._pairs(frame, parameters):
            out.append(density.factors(theta, inner, weights))
            weights = np.zeros_like(log_weights)
        return tuple(out)

    def row_term_total(self, parameters: tuple[Any, ...], frame: ColumnsFrame) -> float:
        """Return the sum of the row terms."""
        triples = self._pairs(frame, parameters)
        return float(sum(density.row_term_total(theta, inner) for density, inner, theta in triples))

    def expected_log_density(self, record: tuple[Any, ...], factors: tuple[Any, ...]) -> float:
        """Return ``Σ_ij r_ij log w_j f_j(x_i)`` but for row terms, where the M-step is exact."""
        triples = self._each(record, factors)
        terms = (density.expected_log_density(one, factor) for density, one, factor in triples)
        return float(sum(terms))

    def counts(self, record: tuple[Any, ...]) -> FloatArray:
        """Return the weight of each component, (J,)."""
        counts: FloatArray = self._all[0].counts(record[0])
        return counts

    def start(
        self, record: tuple[Any, ...], frame: ColumnsFrame, prior: tuple[Any, ...]
    ) -> tuple[Any, ...]:
        """Return first parameters of each group."""
        quads = self._pairs(frame, record, prior)
        return tuple(density.start(one, inner, held) for density, inner, one, held in quads)

    def maximise(
        self,
        record: tuple[Any, ...],
        parameters: tuple[Any, ...] | None,
        frame: ColumnsFrame,
        prior: tuple[Any, ...],
    ) -> tuple[Any, ...]:
        """Return better (or the best) parameters of each group."""
        old = [None] * len(record) if parameters is None else parameters
        return tuple(
            density.maximise(one, theta, inner, held)
            for density, inner, one, theta, held in self._pairs(frame, record, old, prior)
        )

    def fixed_prior(self, frame: ColumnsFrame, strength: Strength) -> tuple[Any, ...]:
        """Return the fixed priors; only groups with covariances are shrunk, if there are any."""
        plain = Strength(strength.total) if self.shrinks else strength
        return tuple(
            density.fixed_prior(inner, strength if density.shrinks else plain)
            for density, inner in self._pairs(frame)
        )

    def log_prior(
        self, parameters: tuple[Any, ...], frame: ColumnsFrame, prior: tuple[Any, ...]
    ) -> float:
        """Return the sum of the log priors."""
        quads = self._pairs(frame, parameters, prior)
        terms = (density.log_prior(theta, inner, held) for density, inner, theta, held in quads)
        return float(sum(terms))

    def to_vector(self, parameters: tuple[Any, ...]) -> FloatArray:
        """Return the groups' vectors, one after the other."""
        return np.concatenate([d.to_vector(theta) for d, theta in self._each(parameters)])

    def from_vector(
        self, vector: FloatArray, n_components: int, frame: ColumnsFrame
    ) -> tuple[Any, ...]:
        """Return the parameters of a vector."""
        pairs = self._pairs(frame)
        sizes = [density.n_parameters(n_components, inner) for density, inner in pairs]
        vectors = np.split(vector, np.cumsum(sizes)[:-1])
        return tuple(
            density.from_vector(part, n_components, inner)
            for (density, inner), part in zip(pairs, vectors, strict=True)
        )

    def reordered(self, parameters: tuple[Any, ...], order: IntArray) -> tuple[Any, ...]:
        """Return the parameters with components in another order."""
        return tuple(density.reordered(theta, order) for density, theta in self._each(parameters))

    def means(self, parameters: tuple[Any, ...], frame: ColumnsFrame) -> FloatArray:
        """Return component means in the units of the features, (J, d)."""
        parts = [
            (columns, density.means(theta, inner))
            for density, inner, columns, theta in self._pairs(frame, frame.columns, parameters)
        ]
        out = np.empty((len(parts[0][1]), len(frame.moments.mean)))
        for columns, means in parts:
            out[:, columns] = means
        return out

    def covariances(self, parameters: tuple[Any, ...], frame: ColumnsFrame) -> FloatArray:
        """Return component covariances, 0 between groups, (J, d, d)."""
        parts = [
            (columns, density.covariances(theta, inner))
            for density, inner, columns, theta in self._pairs(frame, frame.columns, parameters)
        ]
        d = len(frame.moments.mean)
        out = np.zeros((len(parts[0][1]), d, d))
        for columns, covariances in parts:
            out[:, columns[:, None], columns] = covariances
        return out

    def n_parameters(self, n_components: int, frame: ColumnsFrame) -> int:
        """Return the number of free parameters."""
        pairs = self._pairs(frame)
        return int(sum(density.n_parameters(n_components, inner) for density, inner in pairs))


def _refuse_missing(blocks: BlockSource, name: str) -> None:
    """Refuse what is missing, naming the first."""
    row, column = first_missing(blocks)
    raise ValueError(
        f"Input X contains NaN: the first stands in row {row}, column {column}. {name} takes "
        "finite numbers only: give the column another density in Columns, drop such rows, or fill "
        "them in by an imputer in a pipeline."
    )
