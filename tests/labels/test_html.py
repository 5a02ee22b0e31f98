from __future__ import annotations

from html.parser import HTMLParser

import numpy as np
import pytest
import sklearn
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB

from labelief import FlipNoise, LabelSets, LinearDiscriminantAnalysis, SoftLabels, Votes
from labelief.model_selection import cross_validate_interval, rank_models

EVIL = "<script>alert('&')</script>"


class Cells(HTMLParser):
    """Text of the table's cells row by row, all tags, all attributes."""

    def __init__(self, html):
        super().__init__()
        self.rows, self.tags, self.attributes = [], [], []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_data(self, data):
        if self.rows and self.rows[-1]:
            self.rows[-1][-1] += data


@pytest.fixture(scope="module")
def ranking():
    X = np.arange(20.0)[:, None]
    y = np.repeat(["a", EVIL], 10)
    models = {"bayes": GaussianNB(), EVIL: DummyClassifier()}
    return rank_models(models, X, y, cv=2)


def votes():
    return Votes(
        {
            "item": [0, 0, 1, 1, 1, 1, 1, 1],
            "who": [EVIL, "bob", *"cdefgh"],
            "says": [EVIL, "x", *["x", EVIL] * 3],
        },
        "item",
        "who",
        "says",
    )


def test_everything_is_escaped(ranking):
    for shown in (
        SoftLabels.from_crisp([EVIL, "b"]),
        LabelSets.from_matrix(np.array([[1, 0]]), labels=[EVIL, "b"]),
        votes(),
        ranking,
    ):
        html = shown._repr_html_()
        assert "<script" not in html
        found = Cells(html)
        assert set(found.tags) <= {"div", "p", "table", "thead", "tbody", "tr", "th", "td"}
        assert any(EVIL in cell for row in found.rows for cell in row)
        # the theme of the notebook, light or dark, gives the colours
        assert "color" not in html and "background" not in html


def test_votes_show_who_said_what():
    assert Cells(votes()._repr_html_()).rows == [
        ["item", "votes"],
        ["0", f"{EVIL}: {EVIL}, bob: x"],
        ["1", f"c: x, d: {EVIL}, e: x, f: {EVIL}, g: x, 1 more"],
    ]
    sets = Votes(
        {"i": ["p", "p"], "w": [1, 2], "s": ["b|a", "c"]}, "i", "w", "s", sep="|", items=["p"]
    )
    assert Cells(sets._repr_html_()).rows[1] == ["p", "1: a or b, 2: c"]


def test_many_items_are_cut():
    table = {"i": np.arange(99), "w": ["ann"] * 99, "s": ["x", "y", "x"] * 33}
    votes = Votes(table, "i", "w", "s", items=np.arange(100))
    rows = Cells(votes._repr_html_()).rows[1:]
    assert [item for item, _ in rows] == ["0", "1", "2", "...", "97", "98", "99"]
    assert rows[3:] == [["...", ""], ["97", "ann: y"], ["98", "ann: x"], ["99", "no votes"]]


def test_label_sets_read_as_in_a_terminal():
    labels = LabelSets.from_matrix(np.array([[1, np.nan], [0, 1]]), labels=["sea", "sun"])
    for row, masses in Cells(labels._repr_html_()).rows[1:]:
        assert f"  {row}  {masses}" in repr(labels).splitlines()


def test_ranking(ranking):
    header, *rows = Cells(ranking._repr_html_()).rows
    assert header[:3] == ["model", "lower", "upper"]
    assert [row[0] for row in rows] == list(ranking.names)
    assert [float(row[1]) for row in rows] == [
        ranking.results[name].lower for name in ranking.names
    ]
    assert rows[-1][-1] in ("", ranking.names[0])


def test_interval():
    X = np.arange(20.0)[:, None]
    found = cross_validate_interval(GaussianNB(), X, np.repeat(["a", "b"], 10), cv=2)
    rows = {row[0]: row[1:] for row in Cells(found._repr_html_()).rows}
    assert rows["lower error"] == [f"{found.lower:.4f}", f"{found.lower_se:.4f}"]
    low, high = found.confidence_interval
    assert rows["95% confidence interval"][0] == f"{low:.4f} to {high:.4f}"
    assert "label log loss" in rows


@pytest.mark.skipif(
    tuple(map(int, sklearn.__version__.split(".")[:2])) < (1, 9),
    reason="scikit-learn lists fitted attributes from 1.9 on",
)
def test_fitted_estimators_list_what_they_learned():
    X = np.arange(20.0)[:, None]
    y = np.repeat(["a", EVIL], 10)
    model = LinearDiscriminantAnalysis(channel=FlipNoise()).fit(X, y)
    html = model._repr_html_()
    for name in ("classes_", "log_likelihood_", "n_iter_", "converged_", "priors_"):
        assert name in html
    assert f"{model.log_likelihood_:.4g}" in html
    assert EVIL not in html
