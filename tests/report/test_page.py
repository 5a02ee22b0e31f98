from __future__ import annotations

import re
from html.parser import HTMLParser

import numpy as np
import pytest
from tests.report.samples import EVIL, RNG, K, N, content

from labelief.report import Channel, Matrix, page


class Checker(HTMLParser):
    """Collect tags, ids, links and text; complain of tags that are not closed."""

    VOID = frozenset({"meta", "link", "input", "br"})

    def __init__(self, html):
        super().__init__()
        self.open, self.ids, self.links, self.tags = [], [], [], []
        self.feed(html)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.append(value)
            if name in ("href", "src", "action", "xlink:href"):
                self.links.append(value)
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)

    def handle_endtag(self, tag):
        if tag in self.open:
            assert self.open.pop() == tag


def test_what_users_typed_is_text():
    html = page(content())
    assert html.count("<script>") == 1
    assert "alert(" in html
    assert "alert(&" not in html.split("<script>")[1].split("</script>")[0]
    assert EVIL not in html
    Checker(html)


def test_the_page_is_whole_and_loads_nothing():
    found = Checker(page(content()))
    assert len(found.ids) == len(set(found.ids))
    targets = {link[1:] for link in found.links if link.startswith("#")}
    assert targets <= set(found.ids)
    assert all(link.startswith(("#", "data:")) for link in found.links)
    assert found.tags.count("svg") == 9
    html = page(content())
    assert "url(" not in html
    assert "default-src 'none'" in html
    assert len(html) < 500_000


def test_the_same_content_gives_the_same_page():
    made = content()
    assert page(made) == page(made)


def test_parts_without_content_are_left_out():
    bare = content(
        votes_per_row=None,
        disagreement=None,
        channel=Channel("labels taken at their word"),
        doubtful=[],
        history=[],
        scores=[],
        pignistic=np.empty((0, K)),
        proba=np.empty((0, K)),
        warnings=[],
    )
    html = page(bare)
    Checker(html)
    for part in ("doubtful", "channel", "calibration", "convergence", "features"):
        assert f'id="{part}"' not in html
        assert f'href="#{part}"' not in html
    assert "nan" not in html.split("<script>")[0].lower()


@pytest.mark.parametrize("n_classes", [2, 12, 40])
def test_many_classes_and_long_names(n_classes):
    names = [f"a rather long name of class number {k}" for k in range(n_classes)]
    shares = RNG.dirichlet(np.ones(n_classes), N)
    html = page(
        content(
            classes=names,
            class_shares=shares.mean(axis=0),
            pignistic=shares,
            proba=shares,
            channel=Channel("x", [Matrix("ann", np.eye(n_classes), names, names)] * 30),
        )
    )
    Checker(html)
    assert f"{25 if n_classes == 40 else 18} more, with fewer votes, are in the model" in html


def test_a_large_problem_makes_no_large_page():
    n, k = 20_000, 150
    names = [f"class {j}" for j in range(k)]
    shares = RNG.dirichlet(np.full(k, 0.1), n)
    matrix = RNG.dirichlet(np.ones(k), k)
    matrix[3] = np.eye(k)[3]
    made = content(
        classes=names,
        class_shares=shares.mean(axis=0),
        nonspecificity=RNG.random(n),
        disagreement=RNG.random(n),
        channel=Channel("x", [Matrix("ann", matrix, names, names)] * 500),
        doubtful=content().doubtful * 40,
        coordinates=RNG.normal(size=(n, 2)),
        pignistic=shares,
        proba=shares,
        scores=[(f"f{j}", 0.1) for j in range(1000)],
        columns=content().columns * 1000,
        rows=np.arange(n),
    )
    html = page(made)
    Checker(html)
    assert len(html) < 5_000_000
    assert "40 of 150 classes" in html
    # the class that is always named rightly is not among those that are drawn
    assert "class 3 is called" not in html
    assert "3000 of 20000 rows" in html


def test_a_matrix_says_how_many_votes_it_is_from():
    names = ["a", "b", "c"]
    two = [Matrix("ann", np.eye(K), names, names, 12), Matrix("bob", np.eye(K), names, names)]
    html = page(content(channel=Channel("x", two)))
    assert '<h3>ann <span class="soft">12 votes</span></h3>' in html
    assert "<h3>bob</h3>" in html


def test_the_map_and_its_key_have_the_same_colours():
    from labelief.plotting.colours import colour_of

    k = 11
    names = [f"c{j}" for j in range(k)]
    html = page(
        content(
            classes=names,
            class_shares=np.full(k, 1 / k),
            pignistic=np.eye(k)[np.arange(N) % k],
            proba=np.eye(k)[np.arange(N) % k],
        )
    )
    for j in range(k):
        assert f'fill="{colour_of(j)}"' in html
        assert f"background:{colour_of(j)}" in html


def test_numbers_in_the_page_are_the_contents():
    html = page(content())
    assert "10.0–20.0 %" in html
    assert re.search(r"errs on 10\.0–20\.0 %", html)
    assert "5 labels are probably wrong" in html
    assert html.count('data-value="0.9"') == 1


def test_one_row_is_enough():
    shares = np.ones((1, K)) / K
    one = {"rows": np.arange(1), "coordinates": np.zeros((1, 2)), "nonspecificity": np.zeros(1)}
    Checker(page(content(**one, pignistic=shares, proba=shares)))
