"""What a browser makes of the report: Chromium, driven by playwright, with axe-core.

Nothing is downloaded: the browser is the one that is installed.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from tests.report.samples import EVIL, RNG, K, content

from labelief.report import Channel, Matrix, page

playwright = pytest.importorskip(
    "playwright.sync_api", reason="playwright is not installed: no test in a browser"
)
axe = pytest.importorskip("axe_playwright_python.base", reason="axe-core is not installed")

CHROMIUM = os.environ.get("CHROMIUM") or next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="Chromium is not installed (or name it: CHROMIUM)"
)
QUIET = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()
DOUBTS = [0.9, 0.85, 0.101, 0.02, 1.0]


@pytest.fixture(scope="module")
def reports(tmp_path_factory) -> dict[str, str]:
    """Address of a report with much to show, and of one with long names."""
    folder = tmp_path_factory.mktemp("reports")
    doubtful = [
        {**record, "row": row, "doubt": doubt, "believed": believed}
        for record, row, doubt, believed in zip(
            content().doubtful,
            [2, 10, 9, 100, 1],
            DOUBTS,
            ["jay", EVIL, "owl", "jay", "hawk"],
            strict=True,
        )
    ]
    matrices = [
        Matrix(who, RNG.dirichlet(np.full(K, 0.2), K), [EVIL, "hawk", "jay"], [EVIL, "hawk", "jay"])
        for who in ("ann", "bob", EVIL)
    ]
    matrices[0].values[:] = [[1, 0, 0], [0.18, 0.82, 0], [0.17, 0, 0.83]]
    found = {
        "full": content(doubtful=doubtful, channel=Channel("each errs in a way", matrices)),
        "long": content(
            title="a_table_whose_name_never_ends_" * 5,
            classes=["x" * 90, "y" * 50, "z z " * 30],
            doubtful=content().doubtful * 40,
            columns=content().columns * 40,
        ),
    }
    for name, made in found.items():
        (folder / f"{name}.html").write_text(page(made), encoding="utf-8")
    return {name: (folder / f"{name}.html").as_uri() for name in found}


@pytest.fixture(scope="module")
def chromium():
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, headless=True, args=QUIET)
        yield browser
        browser.close()


@pytest.fixture
def visit(chromium, reports):
    """Open a report; complain at the end of errors and of requests."""
    opened, complaints = [], []

    def open_page(name="full", *, width=1100, theme="light"):
        tab = chromium.new_page(color_scheme=theme, viewport={"width": width, "height": 800})
        tab.on("console", lambda said: complaints.append(f"console: {said.text}"))
        tab.on("pageerror", lambda error: complaints.append(f"error: {error}"))
        tab.on("dialog", lambda box: (complaints.append("dialog"), box.dismiss()))
        tab.on(
            "request",
            lambda asked: (
                asked.url == reports[name]
                or asked.url.startswith("data:")
                or complaints.append(f"request: {asked.url}")
            ),
        )
        tab.set_default_timeout(10_000)
        opened.append(tab)
        tab.goto(reports[name])
        return tab

    yield open_page
    for tab in opened:
        tab.close()
    assert complaints == []


def column(tab, name):
    """Texts of a column of the doubtful labels, rows that are hidden left out."""
    heads = tab.locator("table.sortable th button").all_inner_texts()
    rows = tab.locator("table.sortable tbody tr:visible")
    return rows.locator(f"td:nth-child({heads.index(name) + 1})").all_inner_texts()


def test_a_visit_is_quiet(visit):
    tab = visit()
    for link in tab.locator("nav a").all():
        link.click()
    assert tab.evaluate("performance.getEntriesByType('resource').length") == 0


def test_numbers_sort_as_numbers_both_ways(visit):
    tab = visit()
    row = tab.get_by_role("button", name="row", exact=True)
    head = tab.locator("th", has=row)
    row.click()
    assert column(tab, "row") == ["1", "2", "9", "10", "100"]
    assert head.get_attribute("aria-sort") == "ascending"
    row.click()
    assert column(tab, "row") == ["100", "10", "9", "2", "1"]
    assert head.get_attribute("aria-sort") == "descending"
    assert tab.locator("th[aria-sort]").count() == 1
    tab.get_by_role("button", name="doubt").press("Enter")
    assert column(tab, "doubt") == ["2.0 %", "10.1 %", "85.0 %", "90.0 %", "100.0 %"]
    assert column(tab, "row") == ["100", "9", "10", "2", "1"]


def test_text_sorts_as_text_and_ties_stay_in_order(visit):
    tab = visit()
    tab.get_by_role("button", name="believed").click()
    assert column(tab, "believed") == [EVIL, "hawk", "jay", "jay", "owl"]
    assert column(tab, "row") == ["10", "1", "2", "100", "9"]
    tab.get_by_role("button", name="believed").click()
    assert column(tab, "row") == ["9", "2", "100", "1", "10"]


def test_the_filter_hides_rows_and_counts(visit):
    tab = visit()
    search, count = tab.get_by_label("Show rows that contain"), tab.locator("#count")
    assert count.inner_text() == "5 of 5 rows"
    search.fill("OWL")
    assert column(tab, "row") == ["9"]
    assert count.inner_text() == "1 of 5 rows"
    tab.get_by_role("button", name="row", exact=True).click()
    assert column(tab, "row") == ["9"]
    search.fill("nothing like it")
    assert column(tab, "row") == []
    assert count.inner_text() == "0 of 5 rows"
    search.fill("")
    assert len(column(tab, "row")) == 5


def test_what_users_typed_is_shown_as_text(visit):
    tab = visit()
    assert tab.locator("script").count() == 1
    assert EVIL in tab.locator("h1").inner_text()
    assert EVIL in tab.locator("h3").last.inner_text()
    assert column(tab, "label") == [EVIL] * 5
    assert (
        EVIL
        in tab.locator("svg title").first.text_content()
        + tab.locator("svg title").nth(1).text_content()
    )
    assert EVIL in tab.locator("pre").inner_text()


CONTRAST = """() => {
  const parse = (text) => [...text.match(/[\\d.]+/g).map(Number), 1].slice(0, 4);
  const over = (top, under) => [0, 1, 2].map((i) => top[3] * top[i] + (1 - top[3]) * under[i]);
  const light = (rgb) => { const [r, g, b] = rgb.map((v) => v / 255).map(
    (v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const paper = parse(getComputedStyle(document.body).backgroundColor).slice(0, 3);
  const behind = (node) => { for (let at = node; at; at = at.parentElement) {
    const colour = parse(getComputedStyle(at).backgroundColor);
    if (colour[3] > 0) return over(colour, paper); } return paper; };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || node.closest("script, title")) continue;
    const style = getComputedStyle(node), inside = node.closest("svg");
    let under = inside ? paper : behind(node);
    if (/strong|weak/.test(node.getAttribute("class") || "")) {
      const cell = node.previousElementSibling;
      under = over(parse(getComputedStyle(cell).fill), paper);
    }
    const ink = over(parse(inside ? style.fill : style.color), under);
    const [a, b] = [light(ink), light(under)].sort((x, y) => y - x);
    found.push([(a + 0.05) / (b + 0.05), walker.currentNode.data.trim().slice(0, 30)]);
  }
  return found;
}"""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_stands_out_in_both_themes(visit, theme):
    tab = visit(theme=theme)
    red = int(tab.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/)[0]"))
    assert (red < 60) == (theme == "dark")
    found = tab.evaluate(CONTRAST)
    assert len(found) > 150
    faint = [(round(ratio, 2), words) for ratio, words in found if ratio < 4.45]
    assert faint == []


@pytest.mark.parametrize("name", ["full", "long"])
def test_a_phone_shows_it_without_sideways_scrolling(visit, name):
    tab = visit(name, width=360)
    assert tab.evaluate("document.documentElement.scrollWidth") <= 360
    sizes = tab.evaluate(
        """[...document.querySelectorAll("svg")].map((svg) => parseFloat(getComputedStyle(svg)
        .fontSize) * svg.getBoundingClientRect().width / svg.viewBox.baseVal.width)"""
    )
    assert min(sizes) > 8.5


def test_paper_has_no_navigation_and_all_rows(visit):
    tab = visit("long")
    window = tab.locator(".tall").first
    assert window.bounding_box()["height"] < 600
    tab.emulate_media(media="print")
    assert not tab.locator("nav").is_visible()
    assert not tab.get_by_label("Show rows that contain").is_visible()
    assert tab.locator("h1").is_visible()
    assert window.evaluate("at => at.scrollHeight <= at.clientHeight + 1")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_serious(visit, theme):
    tab = visit(theme=theme)
    tab.evaluate((Path(axe.__file__).parent / "axe.min.js").read_text(encoding="utf-8"))
    found = tab.evaluate("axe.run()")
    assert len(found["passes"]) > 20
    bad = [
        (one["id"], one["impact"], [node["html"][:80] for node in one["nodes"][:2]])
        for one in found["violations"]
        if one["impact"] in ("serious", "critical")
    ]
    assert bad == []
