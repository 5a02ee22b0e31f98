from __future__ import annotations

import hashlib
import json
import zipfile
from importlib import import_module

import numpy as np
import pytest
import skops.io
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression as PlainLogisticRegression
from sklearn.linear_model import RidgeClassifier
from sklearn.pipeline import make_pipeline

import labelief
from labelief import (
    AnnotatorNoise,
    FlipNoise,
    GenerativeClassifier,
    SoftLabels,
    Votes,
    densities,
)
from labelief.model_files import TRUSTED, ModelFileError, load_model, save_model

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3)) ** 2 + 0.1 + np.repeat([0.0, 2.0], 30)[:, None]
CRISP = np.repeat(["a", "b"], 30)
SOFT = SoftLabels.from_confidences(CRISP, np.full(60, 0.8))
MODELS = {
    "lda": (labelief.LinearDiscriminantAnalysis(), SOFT),
    "robust lda": (labelief.LinearDiscriminantAnalysis(channel=FlipNoise()), CRISP),
    "symmetric": (labelief.QuadraticDiscriminantAnalysis(channel=FlipNoise("symmetric")), CRISP),
    "fixed": (labelief.LogisticRegression(channel=FlipNoise(matrix=np.eye(2))), CRISP),
    "mda": (labelief.MixtureDiscriminantAnalysis(n_components="bic"), SOFT),
    "logistic": (labelief.LogisticRegression(), SOFT),
    "neighbours": (labelief.EvidentialKNN(), CRISP),
    "soft neighbours": (labelief.EvidentialKNN(), SOFT),
    "pipeline": (make_pipeline(PCA(2), labelief.LinearDiscriminantAnalysis()), CRISP),
} | {
    name: (GenerativeClassifier(getattr(densities, name)()), SOFT)
    for name in ("DiagonalGaussian", "SphericalGaussian", "Weibull")
}


ITEM, WHO = np.repeat(np.arange(60), 3), np.tile(["ann", "bob", "cat"], 60)
SAYS = [frozenset("ab") if i % 7 == 0 else str(CRISP[item]) for i, item in enumerate(ITEM)]
VOTES = Votes({"i": ITEM, "a": WHO, "l": SAYS}, "i", "a", "l")
MODELS["crowd"] = (labelief.LinearDiscriminantAnalysis(channel=AnnotatorNoise()), VOTES)
MODELS["coins"] = (labelief.LogisticRegression(channel=AnnotatorNoise("one_coin")), VOTES)
MODELS["shared"] = (labelief.LogisticRegression(channel=AnnotatorNoise("shared")), VOTES)
MODELS["list"] = (GenerativeClassifier([densities.TiedGaussian(), densities.FullGaussian()]), SOFT)
MODELS["columns"] = (
    GenerativeClassifier(densities.Columns([(densities.Weibull(), 0)], densities.FullGaussian())),
    SOFT,
)
for family in densities.ParsimoniousGaussian.families:
    MODELS[family] = (GenerativeClassifier(densities.ParsimoniousGaussian(family)), SOFT)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.labelief"


@pytest.mark.parametrize("name", MODELS)
def test_models_come_back_as_they_were(name, path):
    model, y = MODELS[name]
    model.fit(X, y)
    save_model(model, path, {"columns": ["Größe"]})
    loaded = load_model(path)
    assert loaded.about == {"columns": ["Größe"]}
    np.testing.assert_array_equal(loaded.model.predict_proba(X), model.predict_proba(X))
    assert loaded.model.classes_.tolist() == ["a", "b"]


def test_every_type_on_the_list_exists():
    for name in TRUSTED:
        module, _, kind = name.rpartition(".")
        assert hasattr(import_module(module), kind), name


def test_calibrated_wrapped_and_discrete_models(path):
    counts = np.floor(X)
    fitted = [
        labelief.LinearDiscriminantAnalysis().fit(counts, SOFT).calibrate(counts, CRISP),
        labelief.SoftLabelClassifier(PlainLogisticRegression()).fit(counts, SOFT),
        GenerativeClassifier(densities.Poisson()).fit(counts, SOFT),
        GenerativeClassifier(densities.Bernoulli()).fit(counts > 1, SOFT),
        GenerativeClassifier(densities.Categorical()).fit(counts, SOFT),
    ]
    for model in fitted:
        rows = counts > 1 if "Bernoulli" in repr(model) else counts
        save_model(model, path)
        again = load_model(path).model
        np.testing.assert_array_equal(again.predict_proba(rows), model.predict_proba(rows))
    save_model(fitted[0], path)
    sets = load_model(path).model.predict_set(counts, "conformal")
    np.testing.assert_array_equal(sets, fitted[0].predict_set(counts, "conformal"))


def test_the_same_model_gives_the_same_bytes(path):
    kept = []
    for _ in range(2):
        save_model(labelief.LinearDiscriminantAnalysis(channel=FlipNoise()).fit(X, CRISP), path)
        kept.append(path.read_bytes())
    assert kept[0] == kept[1]


def altered(path, **changes):
    """Write the file anew with other entries."""
    with zipfile.ZipFile(path) as file:
        entries = {name: file.read(name) for name in file.namelist()}
    head = json.loads(entries["labelief.json"])
    head.update(changes.pop("head", {}))
    entries["labelief.json"] = json.dumps(head).encode()
    entries.update(changes)
    with zipfile.ZipFile(path, "w") as file:
        for name, content in entries.items():
            file.writestr(name, content)


def test_damaged_foreign_and_newer_files_are_refused(path):
    with pytest.raises(ModelFileError, match="no file"):
        load_model(path)
    save_model(labelief.LinearDiscriminantAnalysis().fit(X, CRISP), path)
    whole = path.read_bytes()
    for data, message in [
        (b"", "no labelief model"),
        (b"hello", "no labelief model"),
        (whole[:-200], "damaged"),
        (whole[:2000] + bytes([whole[2000] ^ 1]) + whole[2001:], "damaged"),
    ]:
        path.write_bytes(data)
        with pytest.raises(ModelFileError, match=message):
            load_model(path)
    path.write_bytes(whole)
    altered(path, head={"format": 99, "labelief": "9.9"})
    with pytest.raises(ModelFileError, match=r"newer labelief \(9\.9"):
        load_model(path)
    path.write_bytes(whole)
    altered(path, head={"sha256": "0"})
    with pytest.raises(ModelFileError, match="checksum"):
        load_model(path)


def test_types_that_no_model_has_are_neither_written_nor_made(path, tmp_path):
    with pytest.raises(ModelFileError, match=r"test_model_files.Stranger"):
        save_model(Stranger(), path)
    # Trees of forests are read by compiled code that believes what it reads.
    with pytest.raises(ModelFileError, match=r"sklearn.tree._tree.Tree"):
        save_model(RandomForestClassifier(5, random_state=0).fit(X, CRISP), path)
    save_model(RidgeClassifier().fit(X, CRISP), path)
    body = skops.io.dumps(Stranger())
    altered(path, **{"model.skops": body})
    altered(path, head={"sha256": hashlib.sha256(body).hexdigest()})
    with pytest.raises(ModelFileError, match="it is not opened"):
        load_model(path)
    assert not Stranger.woken


class Stranger:
    """A type that would run code when it is made."""

    woken = False

    def __setstate__(self, state):
        Stranger.woken = True

    def __getstate__(self):
        return {"x": 1}
