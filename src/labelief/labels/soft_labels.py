"""``SoftLabels``: what is believed about the class of each of n objects.

The one public class of soft labels.  The file is long because each method is documented with its
formula and an example; the work is done by the parts that the methods name, in a line or two.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from labelief._typing import BoolArray, FloatArray
from labelief.labels import combination, constructors, display, mass_rows
from labelief.labels.class_names import Codes, Names, as_classes, decode, freeze, match_classes
from labelief.labels.class_sets import read_sets
from labelief.labels.focal import FocalSets
from labelief.labels.indexing import row_numbers
from labelief.labels.stacking import stack
from labelief.labels.storage import MassFunctions
from labelief.labels.tables import make_frame, mass_columns, matrix_columns
from labelief.labels.weights import as_unit_interval

if TYPE_CHECKING:
    from labelief.labels.votes import Votes

# Plausibilities closer than this to the largest are tied with it.
TIE = 1e-12

Rule = Literal["dempster", "conjunctive", "disjunctive"]


class SoftLabels:
    """A batch of n mass functions over K classes: n labels, each as vague or doubtful as it is.

    A mass function m spreads the mass 1 over sets of classes; m(A) is the belief that the class
    is in A, without saying more.  Labels are made by the ``from_...`` methods, never changed
    afterwards, and go wherever scikit-learn takes a ``y``.  Views are worked out when asked for,
    and arrays handed out are read-only or the caller's own.

    Notes
    -----
    For a subset A of the classes (quost2017 section 2.1)

        Bel(A) = Σ_{∅≠B⊆A} m(B),    Pl(A) = Σ_{B∩A≠∅} m(B),    BetP(k) = Σ_{A∋k} m(A)/|A| / (1-m(∅))

    ``np.asarray(labels)`` gives each row's single most plausible class, and a marker that is no
    class (-1 for numbers, "?" for text) where several are equally plausible.  It is what lets an
    integer ``cv=`` of scikit-learn stratify.  Beware of scikit-learn's own ``cross_val_predict``
    with ``method="predict_proba"``: it trains on these hardened labels;
    ``labelief.model_selection.cross_val_predict`` does not.

    Examples
    --------
    >>> labels = SoftLabels.from_candidates([{"cat"}, {"cat", "dog"}, None], ["cat", "dog", "fox"])
    >>> labels
    SoftLabels: 3 rows, classes 'cat', 'dog', 'fox'
      0  cat 1
      1  {cat, dog} 1
      2  any class 1
    >>> labels.plausibilities
    array([[1., 0., 0.],
           [1., 1., 0.],
           [1., 1., 1.]])
    """

    __slots__ = ("_classes", "_masses", "_verified")

    _classes: Names
    _masses: MassFunctions
    _verified: BoolArray

    def __init__(
        self, classes: ArrayLike, masses: MassFunctions, verified: BoolArray | None = None
    ) -> None:
        """Wrap mass functions; use the ``from_...`` methods to make them from data.

        Parameters
        ----------
        classes : (K,) array-like
            Names of the classes.
        masses : FocalSets, Consonant or QuasiBayesian
            The mass functions.
        verified : (n,) bool array, default=None
            Rows that are known to be right; none by default.
        """
        self._classes = as_classes(classes)
        self._masses = masses
        if self._classes.size != masses.n_classes:
            raise ValueError(
                f"{self._classes.size} class names for mass functions over {masses.n_classes}"
            )
        given = np.zeros(len(masses), dtype=np.bool_) if verified is None else verified
        self._verified = freeze(np.array(given))

    # ------------------------------------------------------------------ made from

    @classmethod
    def from_crisp(cls, y: Any, classes: Any = None, missing: Any = None) -> SoftLabels:
        """Take ordinary labels: all mass on the label, or on the frame where there is none.

        Parameters
        ----------
        y : (n,) array-like
            Labels; None, NaN and NA mean that nothing is known.
        classes : array-like, default=None
            The classes, in the order wanted; by default those that occur, sorted.
        missing : scalar, default=None
            A further value that means that nothing is known, such as -1 or "?".

        Returns
        -------
        SoftLabels
            One focal set per row.

        Examples
        --------
        >>> SoftLabels.from_crisp(["b", "?", "a"], missing="?").plausibilities
        array([[0., 1.],
               [1., 1.],
               [1., 0.]])
        """
        return cls(*constructors.crisp(y, classes, missing))

    @classmethod
    def from_candidates(cls, sets: Any, classes: Any = None) -> SoftLabels:
        """Take sets of candidate classes: the class is one of them, no more is known.

        Parameters
        ----------
        sets : list of n collections of class names, or (n, K) array or frame of 0 and 1
            The candidates. A single name stands for itself; None or NaN means any class.
        classes : array-like, default=None
            The classes; by default those that occur, sorted (0..K-1 for an array).

        Returns
        -------
        SoftLabels
            One focal set per row.

        Examples
        --------
        >>> SoftLabels.from_candidates([{"a", "b"}, "b", None]).pignistic
        array([[0.5, 0.5],
               [0. , 1. ],
               [0.5, 0.5]])
        """
        return cls(*constructors.candidates(sets, classes))

    @classmethod
    def from_plausibilities(cls, pl: Any, classes: Any = None) -> SoftLabels:
        """Take the plausibility of each class, as possibility distributions.

        Rows are rescaled to maximum 1.  A contour alone does not fix a mass function; the one
        taken has nested focal sets: with levels l_1 ≥ l_2 ≥ ..., the j most plausible classes
        get mass l_j - l_{j+1} (methods of come2008).

        Parameters
        ----------
        pl : (n, K) array-like or data frame
            Plausibilities, not negative, no row of zeros. A frame's columns name the classes.
        classes : array-like, default=None
            Names of an array's columns, 0..K-1 by default; the order wanted of a frame's.

        Returns
        -------
        SoftLabels
            Nested focal sets, kept as their contour.

        Examples
        --------
        >>> SoftLabels.from_plausibilities([[1.0, 0.4, 0.0]], ["a", "b", "c"])
        SoftLabels: 1 row, classes 'a', 'b', 'c'
          0  a 0.6, {a, b} 0.4
        """
        return cls(*constructors.plausibilities(pl, classes))

    @classmethod
    def from_probabilities(
        cls, p: Any, classes: Any = None, base_rates: ArrayLike | None = None
    ) -> SoftLabels:
        """Take probabilities of the classes: all mass on single classes.

        An expert's probability contains how frequent the class is, and a classifier that learns
        priors counts it a second time: ``base_rates`` b divides it out, m({k}) ∝ p_k / b_k.

        Parameters
        ----------
        p : (n, K) array-like or data frame
            Probabilities; rows sum to 1 within 1e-6 and are then divided by their sum.
        classes : array-like, default=None
            Names of an array's columns, 0..K-1 by default; the order wanted of a frame's.
        base_rates : (K,) array-like, default=None
            Frequencies of the classes that went into ``p``.

        Returns
        -------
        SoftLabels
            Bayesian mass functions.

        Examples
        --------
        >>> SoftLabels.from_probabilities([[0.9, 0.1]], base_rates=[0.9, 0.1]).beliefs
        array([[0.5, 0.5]])
        """
        return cls(*constructors.probabilities(p, classes, base_rates))

    @classmethod
    def from_confidences(cls, y: Any, confidence: Any, classes: Any = None) -> SoftLabels:
        """Take labels with a confidence c: mass c on the label, 1 - c on the frame.

        Parameters
        ----------
        y : (n,) array-like
            Labels; None, NaN and NA mean that nothing is known, whatever the confidence.
        confidence : float or (n,) array-like
            c, between 0 (the label says nothing) and 1 (it is certain).
        classes : array-like, default=None
            The classes; by default those that occur, sorted.

        Returns
        -------
        SoftLabels
            Two focal sets per row at most.

        Examples
        --------
        >>> SoftLabels.from_confidences(["a", "b"], [0.5, 1.0]).plausibilities
        array([[1. , 0.5],
               [0. , 1. ]])
        """
        return cls(*constructors.confidences(y, confidence, classes))

    @classmethod
    def from_masses(cls, rows: Any, classes: Any = None) -> SoftLabels:
        """Take explicit mass functions.

        Parameters
        ----------
        rows : list of n dicts {set of classes: mass}, or data frame
            The masses of each row sum to 1 within 1e-6. Sets are frozensets, tuples or single
            class names; None, as a set or as a whole row, stands for "nothing is known". A frame
            (as ``to_mass_frame`` makes) has the columns ``row``, ``focal_set`` and ``mass``.
        classes : array-like, default=None
            The classes; by default those that occur, sorted.

        Returns
        -------
        SoftLabels
            The mass functions.

        Examples
        --------
        >>> SoftLabels.from_masses([{"a": 0.7, ("a", "b"): 0.3}], ["a", "b"]).beliefs
        array([[0.7, 0. ]])
        """
        return cls(*mass_rows.masses(rows, classes))

    @classmethod
    def from_votes(cls, votes: Votes, rule: str = "mean", discount: ArrayLike = 0.0) -> SoftLabels:
        """Pool the votes of several people about each object.

        Parameters
        ----------
        votes : Votes
            Who said what.
        rule : {"mean", "dempster", "dawid_skene"}, default="mean"
            How votes are pooled, see :mod:`labelief.labels.vote_rules`.
        discount : float or (n_annotators,) array-like, default=0.0
            Chance that a vote says nothing about its object: one number, or one per annotator in
            the order of ``votes.annotators``. "dempster" wants it above 0.

        Returns
        -------
        SoftLabels
            One row per item; items without votes are vacuous.

        Examples
        --------
        >>> from labelief.labels import Votes
        >>> table = {
        ...     "photo": [0, 0, 1],
        ...     "who": ["ann", "bob", "ann"],
        ...     "says": ["cat", "dog", "dog"],
        ... }
        >>> votes = Votes(table, item="photo", annotator="who", label="says")
        >>> SoftLabels.from_votes(votes).plausibilities
        array([[0.5, 0.5],
               [0. , 1. ]])
        """
        from labelief.labels.vote_rules import pool

        return pool(votes, rule, discount)

    @staticmethod
    def concatenate(parts: Iterable[SoftLabels]) -> SoftLabels:
        """Stack batches over the same classes, one after the other.

        Parameters
        ----------
        parts : iterable of SoftLabels
            At least one. The first one's order of classes holds; marks of verified rows are kept.

        Returns
        -------
        SoftLabels
            All rows.

        Examples
        --------
        >>> a = SoftLabels.from_crisp([0, 1])
        >>> len(SoftLabels.concatenate([a, a]))
        4
        """
        batches = list(parts)
        if not batches:
            raise ValueError("concatenate needs at least one batch")
        classes = batches[0].classes
        stored = [batch.reorder(classes)._masses for batch in batches]
        return SoftLabels(
            classes,
            stack(stored),
            np.concatenate([batch._verified for batch in batches]),
        )

    # ------------------------------------------------------------------ views

    @property
    def classes(self) -> Names:
        """Names of the classes, (K,), in the order of the columns."""
        return self._classes

    @property
    def shape(self) -> tuple[int, int]:
        """``(n, K)``."""
        return len(self._masses), self._masses.n_classes

    @property
    def plausibilities(self) -> FloatArray:
        """Contour pl(k) = Σ_{A∋k} m(A), (n, K): how plausible each class is."""
        return self._masses.plausibilities()

    @property
    def beliefs(self) -> FloatArray:
        """Masses of the singletons, m({k}) = Bel({k}), (n, K): what is sure of each class."""
        return self._masses.beliefs()

    @property
    def pignistic(self) -> FloatArray:
        """Pignistic probabilities BetP(k) = Σ_{A∋k} m(A)/|A|, divided by 1 - m(∅), (n, K)."""
        return self._masses.pignistic()

    @property
    def empty_mass(self) -> FloatArray:
        """Mass of the empty set, (n,): above 0 only after ``combine(..., "conjunctive")``."""
        return self._masses.empty_mass()

    @property
    def verified(self) -> BoolArray:
        """Rows known to be right, (n,): they bypass any learned channel."""
        return self._verified

    @property
    def focal(self) -> FocalSets:
        """The focal sets written out; of a contour with many levels that is much."""
        return self._masses.focal()

    @property
    def codes(self) -> Codes | None:
        """Class codes, (n,), -1 where nothing is known; None unless all rows are such."""
        return self._masses.codes()

    def masses(self, i: int) -> dict[frozenset[Any], float]:
        """Return the mass function of one row.

        Parameters
        ----------
        i : int
            Row number.

        Returns
        -------
        dict
            Focal set to mass.

        Examples
        --------
        >>> SoftLabels.from_confidences([1], 0.75, classes=[0, 1]).masses(0)
        {frozenset({1}): 0.75, frozenset({0, 1}): 0.25}
        """
        row = self._masses.take(row_numbers(i, len(self))).focal()
        if len(row) != 1:
            raise IndexError("masses(i) takes one row number")
        names = self._classes.tolist()
        return {
            frozenset(names[k] for k in np.flatnonzero(inside)): float(mass)
            for inside, mass in zip(row.members, row.mass, strict=True)
        }

    def bel(self, sets: Any) -> FloatArray:
        """Return the belief Bel(A) = Σ_{∅≠B⊆A} m(B) that the class is in A.

        Parameters
        ----------
        sets : set of classes, or list of m such
            A set, frozenset or tuple of class names, or one name; or a list of them; or their
            membership as a bool array, (K,) or (m, K).

        Returns
        -------
        (n,) or (n, m) float64 array
            One column per set of a list.

        Examples
        --------
        >>> SoftLabels.from_masses([{"a": 0.7, ("a", "b"): 0.3}], ["a", "b", "c"]).bel(
        ...     [{"a"}, {"a", "b"}]
        ... )
        array([[0.7, 1. ]])
        """
        members, single = read_sets(sets, self._classes)
        answer = self._masses.bel(members)
        return answer[:, 0] if single else answer

    def pl(self, sets: Any) -> FloatArray:
        """Return the plausibility Pl(A) = Σ_{B∩A≠∅} m(B) that the class is in A.

        Parameters
        ----------
        sets : set of classes, or list of m such
            As for :meth:`bel`.

        Returns
        -------
        (n,) or (n, m) float64 array
            One column per set of a list.

        Examples
        --------
        >>> SoftLabels.from_masses([{"a": 0.7, ("a", "b"): 0.3}], ["a", "b", "c"]).pl({"b", "c"})
        array([0.3])
        """
        members, single = read_sets(sets, self._classes)
        answer = self._masses.pl(members)
        return answer[:, 0] if single else answer

    def nonspecificity(self) -> FloatArray:
        """Return N(m) = Σ_A m(A) log|A|, natural logarithm (come2008), (n,).

        Returns
        -------
        (n,) float64 array
            0 where all mass is on single classes, log K where nothing is known.

        Examples
        --------
        >>> SoftLabels.from_candidates([{"a"}, None], ["a", "b"]).nonspecificity()
        array([0.        , 0.69314718])
        """
        return self._masses.nonspecificity()

    def most_plausible(self) -> Names:
        """Return each row's single most plausible class, what ``np.asarray`` gives too.

        Returns
        -------
        (n,) array
            Class names; where several classes lie within 1e-12 of the largest plausibility, a
            marker that is no class: -1 for numbers, "?" for text and everything else.

        Examples
        --------
        >>> SoftLabels.from_candidates(["a", {"a", "b"}], ["a", "b"]).most_plausible()
        array(['a', '?'], dtype='<U1')
        """
        codes = self.codes
        if codes is None:
            pl = self.plausibilities
            codes = pl.argmax(axis=1)
            top = pl[np.arange(len(self)), codes]
            tied = np.count_nonzero(pl >= (top - TIE)[:, None], axis=1) > 1
            codes[tied] = -1
        return decode(codes, self._classes)

    # ------------------------------------------------------------------ operations

    def discount(self, rate: ArrayLike) -> SoftLabels:
        """Weaken labels from a source that is unreliable with probability α (eq. 1).

        Every mass becomes (1 - α) m(A), and α is added to the whole frame.

        Parameters
        ----------
        rate : float or (n,) array-like
            α, between 0 (nothing changes) and 1 (nothing is left known).

        Returns
        -------
        SoftLabels
            The weaker labels; marks of verified rows are kept.

        Examples
        --------
        >>> SoftLabels.from_crisp(["a", "b"]).discount(0.2).plausibilities
        array([[1. , 0.2],
               [0.2, 1. ]])
        """
        rates = as_unit_interval(rate, len(self), "rate")
        return SoftLabels(self._classes, self._masses.discount(rates), self._verified)

    def combine(self, other: SoftLabels, rule: Rule = "dempster") -> SoftLabels:
        """Combine with labels of the same objects from an independent source, row by row.

        Parameters
        ----------
        other : SoftLabels
            As many rows over the same classes, in any order of these.
        rule : {"dempster", "conjunctive", "disjunctive"}, default="dempster"
            Dempster's rule (quost2017 eq. 2-4: both sources are right); its sum without
            normalisation, which leaves conflict as mass of the empty set; or unions (at least
            one source is right).

        Returns
        -------
        SoftLabels
            In the order of this one's classes. A row is verified if it is in both.

        Examples
        --------
        >>> a = SoftLabels.from_masses([{"a": 0.6, ("a", "b"): 0.4}], ["a", "b"])
        >>> b = SoftLabels.from_masses([{"b": 0.5, ("a", "b"): 0.5}], ["a", "b"])
        >>> a.combine(b, "conjunctive").masses(0)
        {frozenset(): 0.3, frozenset({'a'}): 0.3, frozenset({'b'}): 0.2, frozenset({...}): 0.2}
        """
        if rule not in combination.RULES:
            raise ValueError(f"rule={rule!r} is not one of {sorted(combination.RULES)}")
        aligned = self._align(other)
        made = combination.RULES[rule](self._masses, aligned._masses)
        return SoftLabels(self._classes, made, self._verified & aligned._verified)

    def conflict(self, other: SoftLabels) -> FloatArray:
        """Return the conflict κ = Σ_{A∩B=∅} m1(A) m2(B) with other labels (eq. 3).

        Parameters
        ----------
        other : SoftLabels
            As many rows over the same classes.

        Returns
        -------
        (n,) float64 array
            0 where nothing clashes, 1 where everything does.

        Examples
        --------
        >>> SoftLabels.from_crisp([0, 1]).conflict(SoftLabels.from_crisp([1, 1], classes=[0, 1]))
        array([1., 0.])
        """
        return combination.conflict(self._masses, self._align(other)._masses)

    def with_verified(self, mask: ArrayLike) -> SoftLabels:
        """Mark the rows that are known to be right.

        Parameters
        ----------
        mask : (n,) bool array-like
            True for verified rows, which bypass any learned channel.

        Returns
        -------
        SoftLabels
            The same labels with these marks.

        Examples
        --------
        >>> SoftLabels.from_crisp([0, 1]).with_verified([True, False]).verified
        array([ True, False])
        """
        marks = np.asarray(mask)
        if marks.dtype != np.bool_ or marks.shape != (len(self),):
            raise ValueError(
                f"mask must be {len(self)} bools, one per row, got {marks.dtype} of shape "
                f"{marks.shape}"
            )
        return SoftLabels(self._classes, self._masses, marks)

    def reorder(self, classes: Any) -> SoftLabels:
        """Put the classes in another order.

        Parameters
        ----------
        classes : array-like
            The same names.

        Returns
        -------
        SoftLabels
            The same labels, columns reordered.

        Examples
        --------
        >>> SoftLabels.from_crisp(["a", "b"]).reorder(["b", "a"]).plausibilities
        array([[0., 1.],
               [1., 0.]])
        """
        names = as_classes(classes)
        columns = match_classes(self._classes, names, "the SoftLabels")
        if (columns == np.arange(columns.size)).all():
            return self
        return SoftLabels(names, self._masses.permute(columns), self._verified)

    def to_frame(self, backend: str = "pandas") -> Any:
        """Return the plausibilities as a data frame, one row per object, one column per class.

        Any classifier takes this frame as its ``y``, and ``from_plausibilities`` reads it. It
        holds what a fit needs, but not all of a general mass function: see ``to_mass_frame``.

        Parameters
        ----------
        backend : str, default="pandas"
            Library of the frame: "pandas", "polars", "pyarrow"...

        Returns
        -------
        data frame
            ``(n, K)``.

        Examples
        --------
        >>> SoftLabels.from_confidences(["cat", "dog"], 0.75).to_frame()
            cat   dog
        0  1.00  0.25
        1  0.25  1.00
        """
        return make_frame(matrix_columns(self.plausibilities, self._classes), backend)

    def to_mass_frame(self, backend: str = "pandas") -> Any:
        """Return the mass functions as a data frame, one row per focal set.

        ``from_masses`` reads it back without loss.

        Parameters
        ----------
        backend : str, default="pandas"
            Library of the frame: "pandas", "polars", "pyarrow"...

        Returns
        -------
        data frame
            Columns ``row`` (counted from 0), ``focal_set`` (a tuple of class names) and ``mass``.

        Examples
        --------
        >>> SoftLabels.from_confidences(["cat", "dog"], 0.75)[0].to_mass_frame()
           row   focal_set  mass
        0    0      (cat,)  0.75
        1    0  (cat, dog)  0.25
        """
        return make_frame(mass_columns(self.focal, self._classes), backend)

    # ------------------------------------------------------------------ as a sequence

    def __len__(self) -> int:
        return len(self._masses)

    def __getitem__(self, key: Any) -> SoftLabels:
        rows = row_numbers(key, len(self))
        return SoftLabels(self._classes, self._masses.take(rows), self._verified[rows])

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        if copy is False:
            raise ValueError("SoftLabels cannot be read as an array without a copy")
        return np.asarray(self.most_plausible(), dtype=dtype)

    def __reduce__(self) -> tuple[type[SoftLabels], tuple[Any, ...]]:
        return SoftLabels, (self._classes, self._masses, self._verified)

    def __repr__(self) -> str:
        return display.as_text(self._summary())

    def _repr_html_(self) -> str:
        return display.as_html(self._summary())

    def _summary(self) -> display.Summary:
        rows = display.shown_rows(len(self))
        return display.Summary(
            n=len(self),
            classes=self._classes,
            n_verified=int(self._verified.sum()),
            rows=rows,
            focal=self._masses.take(rows).focal(),
        )

    def _align(self, other: SoftLabels) -> SoftLabels:
        if not isinstance(other, SoftLabels):
            raise ValueError(f"other must be SoftLabels, got {type(other).__name__}")
        if len(other) != len(self):
            raise ValueError(f"other has {len(other)} rows, these labels have {len(self)}")
        return other.reorder(self._classes)
