"""How sure a channel is of what it learned: bootstrap intervals for flip rates and annotators."""

from __future__ import annotations

import warnings
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted

from labelief._typing import BoolArray, FloatArray
from labelief.blocks.evidence import Indicator
from labelief.channels.answer_symbols import AnswerSymbols
from labelief.estimators.validation import evidence_of
from labelief.kernels.namespace import to_host
from labelief.labels.tables import make_frame
from labelief.labels.targets import Target, read_target
from labelief.metrics.targets import row_weights

__all__ = ["ChannelIntervals", "channel_intervals"]

# Fewer effective observations than this, and the prior says more than they do.
_FEW = 5.0
# An interval that spans more than this says little.
_WIDE = 0.5
# Rows of matrices that a warning names.
_NAMED = 3


@dataclass(frozen=True, eq=False)
class ChannelIntervals:
    """What :func:`channel_intervals` found: an entry for each (annotator, true class, answer).

    Attributes
    ----------
    annotator : (N,) array
        Name of the annotator; None where the channel knows no annotators.
    true_class, answer : (N,) arrays
        What is true, and what is said.
    estimate : (N,) array
        Chance of the answer, ``channel_.matrices_`` or ``channel_.matrix_``.
    low, high : (N,) arrays
        Ends of the interval.
    n_effective : (N,) array
        Effective number of observations of this true class by this annotator: each counts by how
        well its true class is known without it, from features and from the others' votes.  Where
        nothing else tells the classes apart the prior alone decides, however many labels there
        are and however little resamples differ.
    weak : (N,) bool array
        Whether the entry is weakly identified: fewer than 5 effective observations, or an interval
        wider than 0.5.
    level : float
        Level of the intervals.
    n_resamples : int
        Bootstrap samples.
    """

    annotator: NDArray[Any]
    true_class: NDArray[Any]
    answer: NDArray[Any]
    estimate: FloatArray
    low: FloatArray
    high: FloatArray
    n_effective: FloatArray
    weak: BoolArray
    level: float
    n_resamples: int

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return the entries as columns of a table."""
        names = ("annotator", "true_class", "answer", "estimate", "low", "high", "n_effective")
        return {name: getattr(self, name) for name in (*names, "weak")}

    def to_frame(self, backend: str = "pandas") -> Any:
        """Return the entries as a data frame, one row each.

        Parameters
        ----------
        backend : str, default="pandas"
            Library of the frame: "pandas", "polars", "pyarrow"...

        Returns
        -------
        data frame
        """
        return make_frame(self.columns(), backend)

    def __len__(self) -> int:
        return len(self.estimate)

    def __repr__(self) -> str:
        return (
            f"ChannelIntervals: {len(self)} entries at level {self.level:g} from "
            f"{self.n_resamples} resamples, {int(np.sum(self.weak))} weakly identified"
        )


@dataclass(frozen=True, eq=False)
class _Matrices:
    """A fitted channel's matrices with the names of their axes."""

    annotators: list[Any]
    answers: list[Any]
    values: FloatArray


def channel_intervals(
    estimator: Any,
    X: Any,
    y: Any,
    level: float = 0.95,
    *,
    n_resamples: int = 200,
    groups: Any = None,
    sample_weight: Any = None,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> ChannelIntervals:
    """Bootstrap the matrices that a fit has learned, and warn where they are weakly identified.

    Rows (groups, if there are any) are drawn with replacement, as weights; the model is fitted
    again to each draw, from the channel at hand, so that the names of the classes stay matched; the
    interval of each entry is that between percentiles of its refits, widened to hold the estimate.

    Parameters
    ----------
    estimator : fitted estimator
        A classifier with a learned channel (:class:`FlipNoise`, :class:`AnnotatorNoise`), a
        pipeline that ends in one (its other steps are held as they were fitted), or
        :class:`DawidSkene`. Never changed.
    X : (n, d) array, frame or list, or None
        Features of the fit; None for :class:`DawidSkene`.
    y : labels or Votes
        Labels of the fit.
    level : float, default=0.95
    n_resamples : int, default=200
    groups : (n,) array-like, default=None
        Rows that are drawn together: repeated measurements, duplicates.
    sample_weight : (n,) array-like, default=None
        The weights of the fit.
    random_state : int, RandomState or None, default=None
    n_jobs : int, default=None
        Processes; 1 by default.

    Returns
    -------
    ChannelIntervals

    Examples
    --------
    >>> import numpy as np
    >>> from labelief import FlipNoise, LinearDiscriminantAnalysis
    >>> rng = np.random.default_rng(0)
    >>> truth = np.repeat([0, 1], 200)
    >>> X = rng.normal(size=(400, 2)) + 4.0 * truth[:, None]
    >>> seen = np.where(rng.random(400) < 0.2, 1 - truth, truth)
    >>> model = LinearDiscriminantAnalysis(channel=FlipNoise()).fit(X, seen)
    >>> found = channel_intervals(model, X, seen, n_resamples=50, random_state=0)
    >>> found.to_frame()[["true_class", "answer", "estimate", "low", "high"]].round(2)
       true_class  answer  estimate   low  high
    0           0       0      0.81  0.77  0.85
    1           0       1      0.19  0.15  0.23
    2           1       0      0.20  0.16  0.26
    3           1       1      0.80  0.74  0.84
    """
    if not 0.0 < level < 1.0:
        raise ValueError(f"level must be between 0 and 1, got {level!r}.")
    if not isinstance(n_resamples, int | np.integer) or n_resamples < 2:
        raise ValueError(f"n_resamples must be an integer of 2 or more, got {n_resamples!r}.")
    check_is_fitted(estimator)
    estimator, X = _last_step(estimator, X)
    matrices = _matrices(estimator)
    target = read_target(y, classes=estimator.classes_)
    weights = row_weights(sample_weight, len(target))
    if sample_weight is not None:
        weights = weights * float(np.max(sample_weight))
    observed = _observed(estimator, X, y, target, weights)
    draws = _draws(len(target), groups, n_resamples, check_random_state(random_state))
    refits = Parallel(n_jobs=n_jobs)(
        delayed(_refit)(estimator, X, y, weights * draw) for draw in draws
    )
    tail = (1.0 - level) / 2.0
    low, high = np.quantile(np.array(list(refits)), [tail, 1.0 - tail], axis=0)
    low, high = np.minimum(low, matrices.values), np.maximum(high, matrices.values)
    few = np.broadcast_to((observed < _FEW)[:, :, None], low.shape)
    weak = few | (high - low > _WIDE)
    _warn(matrices, estimator.classes_.tolist(), observed, low, high, weak)
    A, K, S = low.shape
    return ChannelIntervals(
        annotator=_names(matrices.annotators)[np.repeat(np.arange(A), K * S)],
        true_class=np.tile(np.repeat(estimator.classes_, S), A),
        answer=_names(matrices.answers)[np.tile(np.arange(S), A * K)],
        estimate=matrices.values.ravel().copy(),
        low=low.ravel(),
        high=high.ravel(),
        n_effective=np.repeat(observed, S),
        weak=weak.ravel(),
        level=float(level),
        n_resamples=int(n_resamples),
    )


def _last_step(estimator: Any, X: Any) -> tuple[Any, Any]:
    """Return the classifier, and the rows as it sees them."""
    if not hasattr(estimator, "steps"):
        return estimator, X
    before = estimator[:-1]
    return estimator[-1], before.transform(X) if len(before) else X


def _matrices(estimator: Any) -> _Matrices:
    """Return what the fitted channel has learned, (A, K, S)."""
    channel: Any = getattr(estimator, "channel_", None)
    if hasattr(channel, "matrices_"):
        return _Matrices(channel.annotators_.tolist(), channel.answers_.tolist(), channel.matrices_)
    if hasattr(channel, "matrix_") and channel.matrix is None:
        return _Matrices([None], estimator.classes_.tolist(), channel.matrix_[None])
    raise ValueError(
        f"{type(estimator).__name__} has learned no flip rates: use channel=FlipNoise(), or "
        "AnnotatorNoise() with Votes."
    )


def _observed(estimator: Any, X: Any, y: Any, target: Target, weights: FloatArray) -> FloatArray:
    """Return the effective number of observations of each true class by each annotator, (A, K)."""
    if target.votes is not None:
        posterior = estimator.predict_proba(y) if X is None else estimator.posterior(X, y)
        return _votes_observed(target, to_host(posterior), weights, estimator.channel_)
    if target.codes is not None:
        informed = target.codes >= 0
    else:
        assert target.plausibilities is not None
        pl = target.plausibilities
        informed = pl.max(axis=1) > pl.min(axis=1)
    if target.verified is not None:
        informed = informed & ~target.verified
    others = to_host(estimator.predict_proba(X))
    share = np.average(others, axis=0, weights=weights)
    known = _known(others[informed], share) * weights[informed, None]
    return np.asarray(np.sum(known, axis=0))[None]


def _votes_observed(
    target: Target, posterior: FloatArray, weights: FloatArray, channel: Any
) -> FloatArray:
    """Count the items on which each annotator voted, told by all but his own votes."""
    evidence = evidence_of(target)
    assert isinstance(evidence, Indicator)
    K = posterior.shape[1]
    symbols = AnswerSymbols.of(evidence, K)
    place = {name: a for a, name in enumerate(channel.annotators_.tolist())}
    rows = [place[name] for name in evidence.annotators.tolist()]
    table = symbols.log_table(channel.matrices_[rows])
    votes = evidence.votes.tocoo()
    who, said = np.divmod(votes.col, len(symbols.names))
    # The set of all classes is no observation.
    telling = np.concatenate(
        [np.ones(len(symbols.plain), dtype=np.bool_), np.sum(symbols.sets, axis=1) < K]
    )[said]
    pair, first, member = np.unique(
        votes.row[telling].astype(np.int64) * len(rows) + who[telling],
        return_index=True,
        return_inverse=True,
    )
    item, annotator = votes.row[telling][first], who[telling][first]
    own = np.zeros((len(pair), K))
    power = votes.data[telling]
    np.add.at(own, member.ravel(), power[:, None] * table[:, votes.col[telling]].T)
    count = np.bincount(member.ravel(), weights=power, minlength=len(pair))
    with np.errstate(divide="ignore"):
        logs = np.log(posterior[item]) - own
    others = np.exp(logs - logs.max(axis=1, keepdims=True))
    others /= others.sum(axis=1, keepdims=True)
    share = np.average(posterior, axis=0, weights=weights)
    observed = np.zeros((len(rows), K))
    known = _known(others, share) * (weights[item] * count)[:, None]
    np.add.at(observed, annotator, known)
    out = np.zeros((len(channel.annotators_), K))
    out[rows] = observed
    return out


def _known(others: FloatArray, share: FloatArray) -> FloatArray:
    """Return each row's part in the count of a class, (n, K).

    A row that is of class k with chance p, its own label left out, counts as p, times the part of
    the variance p_k (1 - p_k) of the class's share p_k that the rest of the data takes away.
    """
    doubt = others * (1.0 - others)
    spread = share * (1.0 - share)
    kept = np.where(spread > 0, doubt / np.where(spread > 0, spread, 1.0), 0.0)
    return np.asarray(others * np.maximum(1.0 - kept, 0.0))


def _draws(n: int, groups: Any, n_resamples: int, generator: Any) -> list[FloatArray]:
    """Return how often each row is drawn, rows of a group alike."""
    member = np.arange(n)
    if groups is not None:
        member = np.unique(np.asarray(groups), return_inverse=True)[1].ravel()
        if member.size != n:
            raise ValueError(f"groups has {member.size} entries, but there are {n} rows.")
    size = int(member.max()) + 1
    chances = np.full(size, 1.0 / size)
    return [generator.multinomial(size, chances)[member].astype(float) for _ in range(n_resamples)]


def _refit(estimator: Any, X: Any, y: Any, weights: FloatArray) -> FloatArray:
    """Return the matrices of a fit to a draw, from where the estimator's own fit ended."""
    if "warm_start" in estimator.get_params():
        model = deepcopy(estimator).set_params(warm_start=True)
    else:
        model = clone(estimator).set_params(channel=estimator.channel_)
    if not np.any(weights > 0):
        return _matrices(estimator).values
    with warnings.catch_warnings():
        # A draw may leave classes doubtful or stop at the cap: that is what the intervals show.
        warnings.simplefilter("ignore")
        if X is None:
            model.fit(y, sample_weight=weights)
        else:
            model.fit(X, y, sample_weight=weights)
    return _matrices(model).values


def _names(values: list[Any]) -> NDArray[Any]:
    """Return names as an array; of objects where they are no plain text or numbers."""
    array = np.array(values) if values else np.array([], dtype=object)
    if array.ndim != 1 or array.tolist() != values:
        array = np.array([*values, None], dtype=object)[:-1]
    return array


def _warn(
    matrices: _Matrices,
    classes: list[Any],
    observed: FloatArray,
    low: FloatArray,
    high: FloatArray,
    weak: BoolArray,
) -> None:
    """Name the rows of matrices that are weakly identified, the weakest first."""
    rows = np.argwhere(np.any(weak, axis=2))
    if not len(rows):
        return
    rows = rows[np.argsort(observed[tuple(rows.T)], kind="stable")]
    told = []
    for a, k in rows[:_NAMED].tolist():
        who = matrices.annotators[a]
        whose = "" if who is None else f"annotator {who!r}, "
        told.append(
            f"{whose}true class {classes[k]!r} ({observed[a, k]:.1f} effective observations; "
            f"right between {low[a, k, k]:.2f} and {high[a, k, k]:.2f})"
        )
    more = f" and {len(rows) - _NAMED} more" if len(rows) > _NAMED else ""
    warnings.warn(
        f"{len(rows)} of {low.shape[0] * low.shape[1]} rows of what the channel learned are weakly "
        f"identified: {'; '.join(told)}{more}. More labels or votes there, verified rows, or a "
        "simpler kind of channel would tell.",
        UserWarning,
        stacklevel=3,
    )
