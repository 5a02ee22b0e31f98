from __future__ import annotations

from pathlib import Path

import pytest

from papers.page import Claim, Comparison, Page, figure, percent, write_index
from papers.verdicts import Published, estimate

OURS = estimate([0.1, 0.2, 0.3])


def drawing() -> object:
    picture, axes = figure(1, 2)
    axes[0, 0].plot([0, 1], [0, 1], label="line")
    axes[0, 0].legend()
    return picture


def test_a_page_holds_published_numbers_beside_ours(tmp_path: Path) -> None:
    page = Page("toy", "A toy paper", folder=tmp_path)
    page.comparisons(
        "Table 1",
        [
            Comparison("iris", Published(0.25, 0.01), OURS),
            Comparison("wine", Published(0.9), OURS),
            Comparison("boston | 0.5", Published(0.2), OURS, reason="no threshold is printed"),
            Comparison("vowel", None, estimate([3.14159]), form=".3g"),
        ],
    )
    lines = page.write().read_text().splitlines()
    assert lines[0] == "# A toy paper"
    assert lines[2:] == [
        "| Table 1 | published | ours | 95 % interval | verdict |",
        "| --- | --- | --- | --- | --- |",
        "| iris | 25.0% | 20.0% | -4.8% to 44.8% | agrees |",
        "| wine | 90.0% | 20.0% | -4.8% to 44.8% | better |",
        "| boston \\| 0.5 | 20.0% | 20.0% | -4.8% to 44.8% "
        "| cannot be compared: no threshold is printed |",
        "| vowel | – | 3.14 | exact | not printed |",
    ]


@pytest.mark.parametrize("form", ["svg", "png"])
def test_figures_are_the_same_each_time(tmp_path: Path, form: str) -> None:
    contents = []
    for name in ("first", "second"):
        page = Page("toy", "A toy paper", folder=tmp_path / name)
        contents.append(page.figure(drawing(), "fig1", "One *line*", form=form).read_bytes())
        assert f"![One line](toy_fig1.{form})" in page.write().read_text()
    assert contents[0] == contents[1]
    assert len(contents[0]) < 40_000


def test_quick_pages_say_so_and_stay_away_from_the_docs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("papers.page.QUICK_FOLDER", tmp_path)
    path = Page("toy", "A toy paper", quick=True).write()
    assert path == tmp_path / "toy.md"
    assert "quick run" in path.read_text()


def test_the_index_gathers_the_claims(tmp_path: Path) -> None:
    page = Page("toy", "A toy paper", folder=tmp_path)
    page.claims([Claim("soft is best (Fig. 2)", "partly", "from 0.3 on")])
    page.text("More.")
    page.write()
    text = write_index(tmp_path, ["missing", "toy"]).read_text()
    assert "## [A toy paper](toy.md)\n\n| the paper says | holds? | what came out |" in text
    assert "| soft is best (Fig. 2) | partly | from 0.3 on |" in text
    assert "More." not in text


def test_percent_shows_half_the_interval() -> None:
    assert percent(OURS) == "20.0 ± 24.8"
