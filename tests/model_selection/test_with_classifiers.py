"""The library's own classifiers under cross-validation, ranking, scorers and searches."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from labelief import AnnotatorNoise, FlipNoise, LinearDiscriminantAnalysis, SoftLabels, Votes
from labelief.metrics import label_log_loss_scorer, lower_error
from labelief.model_selection import SoftStratifiedKFold, cross_val_predict, rank_models

X, TRUTH = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])


def _confident(rng):
    wrong = rng.uniform(size=150) < 0.3
    observed = np.where(wrong, rng.integers(0, 3, 150), TRUTH)
    return SoftLabels.from_confidences(NAMES[observed], 0.7)


def test_ranking_and_out_of_fold_posteriors():
    y = _confident(np.random.default_rng(0))
    plain = LinearDiscriminantAnalysis()
    models = {"plain": plain, "scaled": make_pipeline(StandardScaler(), plain)}
    ranking = rank_models(models, X, y, cv=5)
    one, two = ranking.results["plain"], ranking.results["scaled"]
    assert one.lower == two.lower and one.upper - one.lower == pytest.approx(0.3)
    assert one.label_log_loss == pytest.approx(two.label_log_loss)
    predicted = cross_val_predict(plain, X, y, cv=5)
    assert lower_error(NAMES[TRUTH], predicted) < 0.06
    posterior = cross_val_predict(plain, X, y, cv=5, method="posterior")
    assert posterior.sum(axis=1) == pytest.approx(np.ones(150))


def test_label_log_loss_of_a_learned_channel_inside_a_pipeline():
    rng = np.random.default_rng(1)
    observed = np.where(rng.uniform(size=150) < 0.3, (TRUTH + 1) % 3, TRUTH)
    models = {
        name: make_pipeline(StandardScaler(), LinearDiscriminantAnalysis(channel=channel))
        for name, channel in (("trusted", None), ("learned", FlipNoise()))
    }
    ranking = rank_models(models, X, observed, cv=5)
    # both predict the noisy labels about equally well, but only one explains them
    losses = {name: result.label_log_loss for name, result in ranking.results.items()}
    assert losses["learned"] < losses["trusted"]
    search = GridSearchCV(
        models["trusted"],
        {"lineardiscriminantanalysis__channel": [None, FlipNoise()]},
        scoring=label_log_loss_scorer,
        cv=5,
    ).fit(X, observed)
    assert isinstance(search.best_params_["lineardiscriminantanalysis__channel"], FlipNoise)


def test_models_of_votes_are_judged_by_labels():
    rng = np.random.default_rng(2)
    item, who = np.repeat(np.arange(150), 3), np.tile(["ann", "bob", "cat"], 150)
    wrong = rng.random(450) < np.tile([0.1, 0.3, 0.5], 150)
    says = np.where(wrong, (TRUTH[item] + 1) % 3, TRUTH[item])
    votes = Votes({"item": item, "who": who, "says": says}, "item", "who", "says")
    model = LinearDiscriminantAnalysis(channel=AnnotatorNoise())
    result = rank_models({"crowd": model}, X, votes, cv=5, truth=TRUTH).results["crowd"]
    out = cross_val_predict(
        model, X, votes, cv=SoftStratifiedKFold(5, random_state=0).split(X, TRUTH)
    )
    assert result.lower == result.upper == lower_error(TRUTH, out) < 0.05
    assert 0 < result.label_log_loss < 0.2
    with pytest.raises(ValueError, match="pool them"):
        rank_models({"crowd": model}, X, votes, cv=5)


@pytest.mark.parametrize("method", ["posterior", "label_log_likelihood"])
def test_methods_that_look_at_labels_reach_through_pipelines(method):
    y = _confident(np.random.default_rng(3))
    plain = LinearDiscriminantAnalysis()
    piped = make_pipeline(StandardScaler(), plain)
    np.testing.assert_allclose(
        cross_val_predict(piped, X, y, cv=5, method=method),
        cross_val_predict(plain, X, y, cv=5, method=method),
        atol=1e-6,
    )
