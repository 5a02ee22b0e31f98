"""Model files: a classifier with what it was trained on, in a form that never runs code.

A file is a zip of two entries: ``labelief.json`` (format version, library versions, a checksum and
what the caller wants kept: columns, options, scores) and ``model.skops`` (the estimator, by skops:
arrays and names of types).  Only the types listed here, and those that skops itself trusts, are
made on loading.  The same model gives the same bytes.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import zipfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy
import sklearn
import skops.io

import labelief

__all__ = ["FORMAT", "TRUSTED", "ModelFile", "ModelFileError", "load_model", "save_model"]

FORMAT = 1
"""Version of the format; files of later versions are refused."""

_ABOUT, _MODEL = "labelief.json", "model.skops"
_EPOCH = (1980, 1, 1, 0, 0, 0)
# A file that unpacks to more than this many times its size, and to more than this, is a trap.
_RATIO, _LARGE = 200, 2**30

TRUSTED = frozenset(
    f"labelief.{name}"
    for name in """
    blocks.frames.Axes blocks.frames.Whitening blocks.moments.Moments
    channels.annotator_kinds.FullMatrices channels.annotator_kinds.OneCoin
    channels.annotator_kinds.SharedMatrix channels.annotators.AnnotatorNoise
    channels.answer_symbols.AnswerSymbols channels.flip_noise.FixedFlips
    channels.flip_noise.FlipNoise channels.flip_noise.FullFlips channels.flip_noise.SymmetricFlips
    channels.trusted.BoundTrust channels.trusted.Trusted cli.catalogue.Hardened
    cli.catalogue.PooledVotes estimators.cautious._Calibrated
    estimators.classifiers.GenerativeClassifier estimators.classifiers.LinearDiscriminantAnalysis
    estimators.classifiers.MixtureDiscriminantAnalysis
    estimators.classifiers.QuadraticDiscriminantAnalysis estimators.component_choice.Candidate
    estimators.logistic.LogisticRegression estimators.set_rules.Calibration
    estimators.wrapped.SoftLabelClassifier feature_selection.selector.WeightedLaplacianSelector
    labels.focal.FocalSets models.aligned.AlignedParameters models.axis_gaussian.AxisParameters
    models.axis_gaussian.AxisPrior models.bernoulli.Bernoulli models.bernoulli.BernoulliParameters
    models.categorical.Categorical models.categorical.LevelFrame
    models.categorical.LevelParameters models.column_groups.ColumnsFrame models.columns.Columns
    models.components.ComponentModel models.components.ComponentParameters
    models.conditioning.Conditioning models.decomposition.Decomposition
    models.diagonal.DiagonalGaussian models.discrete.DiscreteFrame models.discrete.DiscretePrior
    models.full.FullGaussian models.gaussian.MatrixParameters models.gaussian.MatrixPrior
    models.given.GivenProbabilities models.logistic.LogisticModel
    models.logistic.LogisticParameters models.newton.no_curvature
    models.oriented.OrientedParameters models.parsimonious.ParsimoniousGaussian
    models.poisson.Poisson models.poisson.PoissonParameters models.spherical.SphericalGaussian
    models.tied.TiedGaussian models.weibull.Weibull models.weibull.WeibullParameters
    models.weibull.WeibullPrior neighbors.evidential_knn.EvidentialKNN
    neighbors.label_masses.CrispLabels neighbors.label_masses.PointLabels
    neighbors.multilabel_knn.EvidentialMultilabelKNN neighbors.set_masses.SetLabels
    neighbors.statements.Statements solvers.problem.Parameters
    tables.preprocessing.TablePreprocessor
    """.split()
) | {
    "builtins.frozenset",
    "sklearn.metrics._dist_metrics.EuclideanDistance64",
    "sklearn.neighbors._ball_tree.BallTree",
    "sklearn.neighbors._kd_tree.KDTree",
}
"""Types that a model file may hold besides those of scikit-learn and NumPy that skops trusts."""


class ModelFileError(ValueError):
    """A file that is no model of this program's, said in one sentence."""


class ModelFile(NamedTuple):
    """What a model file holds.

    Attributes
    ----------
    model : estimator
    about : dict
        What was kept beside it, plain values only.
    """

    model: Any
    about: dict[str, Any]


def save_model(model: Any, path: str | Path, about: dict[str, Any] | None = None) -> None:
    """Write a model, and plain values about it.

    Parameters
    ----------
    model : estimator
        Made of types that a file may hold.
    path : path
    about : dict, default=None
        What JSON can say.

    Examples
    --------
    >>> import os, tempfile
    >>> from labelief import LinearDiscriminantAnalysis
    >>> model = LinearDiscriminantAnalysis().fit([[0.0], [1.0], [4.0], [5.5]], ["a", "a", "b", "b"])
    >>> path = os.path.join(tempfile.mkdtemp(), "model.labelief")
    >>> save_model(model, path, {"columns": ["size"]})
    >>> loaded = load_model(path)
    >>> loaded.model.predict([[5.0]]), loaded.about["columns"]
    (array(['b'], dtype='<U1'), ['size'])
    """
    body = _steady(skops.io.dumps(model))
    strange = sorted(set(skops.io.get_untrusted_types(data=body)) - TRUSTED)
    if strange:
        raise ModelFileError(f"A model file cannot hold {strange[0]}: it is no trusted type.")
    head = {
        "format": FORMAT,
        "labelief": labelief.__version__,
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "scikit-learn": sklearn.__version__,
        "sha256": hashlib.sha256(body).hexdigest(),
        "about": about or {},
    }
    text = json.dumps(head, indent=1, sort_keys=True, ensure_ascii=False)
    Path(path).write_bytes(_zipped({_ABOUT: text.encode(), _MODEL: body}))


def load_model(path: str | Path) -> ModelFile:
    """Read a model; nothing in the file is executed.

    Parameters
    ----------
    path : path

    Returns
    -------
    ModelFile
    """
    try:
        data = Path(path).read_bytes()
    except FileNotFoundError:
        raise ModelFileError(f"There is no file {path}.") from None
    except OSError as error:
        raise ModelFileError(f"{path} cannot be read: {error.strerror}.") from None
    head, body = _unpacked(data, path)
    version = head.get("format")
    if not isinstance(version, int) or version < 1:
        raise ModelFileError(f"{path} does not say which format it has: it is no labelief model.")
    if version > FORMAT:
        raise ModelFileError(
            f"{path} was written by a newer labelief ({head.get('labelief')}, format {version}); "
            f"this is {labelief.__version__}, which reads formats up to {FORMAT}: update it."
        )
    if hashlib.sha256(body).hexdigest() != head.get("sha256"):
        raise ModelFileError(f"{path} is damaged: its checksum is wrong. Take another copy.")
    try:
        strange = sorted(set(skops.io.get_untrusted_types(data=body)) - TRUSTED)
        if strange:
            raise ModelFileError(
                f"{path} holds {strange[0]}, which no labelief model does: it is not opened."
            )
        model = skops.io.loads(body, trusted=sorted(TRUSTED))
    except ModelFileError:
        raise
    except Exception as error:
        raise ModelFileError(
            f"{path} cannot be opened with these versions (written with labelief "
            f"{head.get('labelief')}, scikit-learn {head.get('scikit-learn')}): {error}"
        ) from None
    return ModelFile(model, head.get("about", {}))


def _unpacked(data: bytes, path: str | Path) -> tuple[dict[str, Any], bytes]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as file:
            size = sum(entry.file_size for entry in file.infolist())
            if size > max(_LARGE, _RATIO * len(data)):
                raise ModelFileError(f"{path} unpacks to {size} bytes: it is not opened.")
            head = json.loads(file.read(_ABOUT))
            body = file.read(_MODEL)
    except (zipfile.BadZipFile, KeyError, EOFError, ValueError) as error:
        if isinstance(error, ModelFileError):
            raise
        kind = "damaged" if data[:2] == b"PK" else "no labelief model file"
        raise ModelFileError(f"{path} is {kind}.") from None
    if not isinstance(head, dict):
        raise ModelFileError(f"{path} is no labelief model file.")
    return head, body


def _steady(data: bytes) -> bytes:
    """Return a skops file with its objects numbered in their order, not by address."""
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        entries = {name: file.read(name) for name in file.namelist()}
    schema = entries.pop("schema.json").decode()
    names: dict[str, str] = {}

    def renamed(match: re.Match[str]) -> str:
        return match[1] + names.setdefault(match[2], str(len(names) + 1)) + match[3]

    schema = re.sub(r'("__id__": )(\d+)()', renamed, schema)
    schema = re.sub(r'("file": ")(\d+)(\.[a-z]+")', renamed, schema)
    moved = {}
    for name, content in entries.items():
        stem, dot, suffix = name.partition(".")
        moved[names.setdefault(stem, str(len(names) + 1)) + dot + suffix] = content
    return _zipped({"schema.json": schema.encode(), **dict(sorted(moved.items()))})


def _zipped(entries: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in entries.items():
            file.writestr(zipfile.ZipInfo(name, _EPOCH), content, zipfile.ZIP_DEFLATED)
    return out.getvalue()
