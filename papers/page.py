"""A paper's page: text, tables, figures and the claims that the index gathers."""

from __future__ import annotations

import io
import re
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl
from cycler import cycler
from matplotlib.figure import Figure
from PIL import Image

from papers.verdicts import Estimate, Published, verdict

__all__ = ["DOCS", "Claim", "Comparison", "Page", "figure", "percent", "write_index"]

DOCS = Path(__file__).parents[1] / "docs" / "papers"
QUICK_FOLDER = Path(tempfile.gettempdir()) / "labelief-papers-quick"
CLAIMS = "## Claims"

# A white ground is readable on a light page and on a dark one.
STYLE: Any = {
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "figure.constrained_layout.use": True,
    "font.size": 9.0,
    "axes.titlesize": 9.0,
    "axes.titlelocation": "left",
    "axes.titleweight": "bold",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.3,
    "lines.linewidth": 1.5,
    "lines.markersize": 4.0,
    "legend.frameon": False,
    "svg.hashsalt": "labelief",
    "axes.prop_cycle": cycler(
        color=["#1f5fa8", "#c0392b", "#2e8b57", "#7a5195", "#d98c1f", "#555555"]
    ),
}


@dataclass(frozen=True)
class Claim:
    """What a paper says, and what came of it.

    Attributes
    ----------
    says : str
        The paper's claim, with the place where it stands.
    holds : {"yes", "partly", "no", "cannot be compared"}
    seen : str
        What was measured, in numbers.
    """

    says: str
    holds: str
    seen: str


@dataclass(frozen=True)
class Comparison:
    """One published number beside ours.

    Attributes
    ----------
    what : str
        Where it stands in the paper.
    published : Published or None
        None where the paper prints no number.
    ours : Estimate
    good : {"smaller", "larger", "none"}
    reason : str
        Why the two cannot be compared; empty where they can.
    form : str
        Format of the numbers, such as ".1%" or ".3g".
    """

    what: str
    published: Published | None
    ours: Estimate
    good: str = "smaller"
    reason: str = ""
    form: str = ".1%"

    @property
    def verdict(self) -> str:
        """The verdict in words."""
        if self.reason:
            return f"cannot be compared: {self.reason}"
        if self.published is None:
            return "not printed"
        return verdict(self.published, self.ours, self.good)

    def cells(self) -> list[str]:
        """Return the row of the table."""
        ours, form = self.ours, self.form
        printed = "–" if self.published is None else format(self.published.value, form)
        span = "exact" if ours.n == 1 else f"{ours.low:{form}} to {ours.high:{form}}"
        return [self.what, printed, format(ours.mean, form), span, self.verdict]


class Page:
    """Markdown page that grows from top to bottom and is written at the end.

    Quick pages say that they are quick and go to a temporary folder.
    """

    def __init__(
        self, name: str, title: str, *, quick: bool = False, folder: Path | None = None
    ) -> None:
        self.name, self.quick = name, quick
        self.folder = folder or (QUICK_FOLDER if quick else DOCS)
        self._parts = [f"# {title}"]
        if quick:
            self.text("**A quick run: few repetitions; the numbers say only that the code works.**")

    def text(self, markdown: str) -> None:
        """Add paragraphs."""
        self._parts.append(markdown.strip())

    def heading(self, title: str, level: int = 2) -> None:
        """Add a heading."""
        self._parts.append(f"{'#' * level} {title}")

    def table(self, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
        """Add a table; a bar inside a cell is escaped."""
        lines = [header, ["---"] * len(header), *rows]
        self._parts.append(
            "\n".join(
                "| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |"
                for line in lines
            )
        )

    def comparisons(self, what: str, rows: Iterable[Comparison]) -> None:
        """Add published numbers beside ours; `what` heads the first column."""
        header = [what, "published", "ours", "95 % interval", "verdict"]
        self.table(header, [row.cells() for row in rows])

    def claims(self, claims: Iterable[Claim]) -> None:
        """Add the table of claims, which the index repeats."""
        self._parts.append(CLAIMS)
        self.table(
            ["the paper says", "holds?", "what came out"],
            [[claim.says, claim.holds, claim.seen] for claim in claims],
        )

    def figure(self, drawing: Figure, name: str, caption: str, *, form: str = "svg") -> Path:
        """Save a figure as ``PAGE_NAME.svg`` and show it here; "png" is smaller for many panels."""
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / f"{self.name}_{name}.{form}"
        if form == "svg":
            drawing.savefig(path, metadata={"Date": None})
        else:
            pixels = io.BytesIO()
            drawing.savefig(pixels, dpi=120)
            # Lines and areas of a few colours: a palette makes a third of the size.
            Image.open(pixels).convert("RGB").quantize(64).save(path, optimize=True)
        self._parts.append(f"![{re.sub(r'[*`_]', '', caption)}]({path.name})\n\n*{caption}*")
        return path

    def write(self) -> Path:
        """Write the page; return where."""
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / f"{self.name}.md"
        path.write_text("\n\n".join(self._parts) + "\n", encoding="utf-8")
        return path


def figure(
    rows: int = 1, columns: int = 1, *, width: float = 3.0, height: float = 2.4
) -> tuple[Figure, Any]:
    """Figure and its (rows, columns) array of axes in the pages' style; sizes of one panel."""
    # Artists read their style when they are made, which is in the caller.
    mpl.rcParams.update(STYLE)
    drawing = Figure(figsize=(width * columns, height * rows))
    return drawing, drawing.subplots(rows, columns, squeeze=False)


def percent(value: Estimate, digits: int = 1) -> str:
    """Mean and half-width in percent, such as ``12.3 ± 0.4``."""
    half = (value.high - value.low) / 2.0
    return f"{100 * value.mean:.{digits}f} ± {100 * half:.{digits}f}"


def write_index(folder: Path = DOCS, names: Sequence[str] = ()) -> Path:
    """Gather the claims of the pages that exist into ``index.md``."""
    parts = [
        "# The papers' experiments, run again",
        "Written by `make papers`. Each page sets published numbers beside ours, with 95 % "
        "intervals over repetitions; this one gathers what the papers claim and whether it holds.",
    ]
    for name in names:
        page = folder / f"{name}.md"
        if not page.exists():
            continue
        text = page.read_text(encoding="utf-8")
        title = text.splitlines()[0].removeprefix("# ")
        table = text.partition(f"{CLAIMS}\n\n")[2].partition("\n\n")[0].strip()
        parts += [f"## [{title}]({page.name})", table or "No claims yet."]
    path = folder / "index.md"
    path.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    return path
