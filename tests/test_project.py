"""The project's own promises: pinned versions, import directions, light import, set-up files."""

from __future__ import annotations

import contextlib
import io
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

IMPORT_LINTER = Path(sys.executable).with_name("lint-imports")
SKIPPED_FOLDERS = {".venv", ".git", "demo", "dist", "build"}
TEXT_SUFFIXES = {".py", ".md", ".toml", ".txt", ".cfg", ".yml", ".yaml", ".sh", ""}


def normalised(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def text_files(root: Path) -> list[Path]:
    return [
        path
        for path in root.rglob("*")
        if path.is_file()
        and path.suffix in TEXT_SUFFIXES
        and not any(part in SKIPPED_FOLDERS or part.endswith("cache") for part in path.parts)
        and ".hypothesis" not in path.parts
    ]


@pytest.fixture(scope="module")
def project(repository: Path) -> dict[str, Any]:
    return tomllib.loads((repository / "pyproject.toml").read_text())


@pytest.fixture(scope="module")
def pins(repository: Path) -> dict[str, str]:
    lines = (repository / "constraints.txt").read_text().splitlines()
    wanted = [line for line in lines if line and not line.startswith("#")]
    pairs = [re.fullmatch(r"([A-Za-z0-9_.-]+)==([0-9][\w.]*)", line) for line in wanted]
    assert all(pairs), [line for line, pair in zip(wanted, pairs, strict=True) if not pair]
    return {normalised(pair[1]): pair[2] for pair in pairs if pair}


def test_every_dependency_is_pinned(project: dict[str, Any], pins: dict[str, str]) -> None:
    table = project["project"]
    groups = [table["dependencies"], *table["optional-dependencies"].values()]
    names = {normalised(re.split(r"[\[<>=!~ ]", spec)[0]) for group in groups for spec in group}
    assert names <= pins.keys(), names - pins.keys()


def test_torch_is_asked_for_by_one_exact_version(project: dict[str, Any]) -> None:
    extras = project["project"]["optional-dependencies"]
    assert extras["gpu"] == ["torch==2.13.0"]
    assert not any("torch" in spec for spec in project["project"]["dependencies"] + extras["dev"])


def test_no_file_names_a_package_index(repository: Path) -> None:
    index_words = re.compile(r"https?://[^\s]*(?:/simple\b|whl/)|--(?:extra-)?index" + "-url")
    named = [path for path in text_files(repository) if index_words.search(path.read_text())]
    assert named == []


def test_make_help_lists_every_target(repository: Path) -> None:
    makefile = (repository / "Makefile").read_text()
    targets = set(re.search(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)[1].split())  # type: ignore[index]
    described = set(re.findall(r"^([a-z-]+):[^#\n]* ## ", makefile, re.MULTILINE))
    assert targets == described


def run_import_linter(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [IMPORT_LINTER, "--no-cache", "--no-logo", "--config", folder / "pyproject.toml"],
        cwd=folder / "src",
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": str(folder / "src"), "PATH": "/usr/bin:/bin"},
    )


@pytest.fixture
def copy_of_sources(repository: Path, tmp_path: Path) -> Path:
    shutil.copy(repository / "pyproject.toml", tmp_path)
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(repository / "src", tmp_path / "src", ignore=ignored)
    return tmp_path


@pytest.mark.skipif(not IMPORT_LINTER.exists(), reason="import-linter is not installed")
@pytest.mark.parametrize(
    ("importer", "imported"),
    [
        ("kernels", "estimators"),
        ("models", "labels"),
        ("channels", "models"),
        ("solvers", "metrics"),
        ("blocks", "channels"),
        ("estimators", "model_selection"),
    ],
)
def test_an_import_against_the_direction_is_found(
    copy_of_sources: Path, importer: str, imported: str
) -> None:
    package = copy_of_sources / "src" / "labelief"
    (package / importer / "against.py").write_text(f"import labelief.{imported}\n")
    outcome = run_import_linter(copy_of_sources)
    assert outcome.returncode == 1
    assert f"labelief.{importer}.against -> labelief.{imported}" in outcome.stdout


@pytest.mark.skipif(not IMPORT_LINTER.exists(), reason="import-linter is not installed")
def test_a_package_without_a_layer_is_found(copy_of_sources: Path) -> None:
    (copy_of_sources / "src" / "labelief" / "elsewhere.py").write_text("")
    outcome = run_import_linter(copy_of_sources)
    assert outcome.returncode != 0
    assert "elsewhere" in outcome.stdout


def test_import_loads_no_optional_package() -> None:
    optional = "torch dask pandas polars pyarrow matplotlib plotly typer rich skops".split()
    code = (
        "import sys, sklearn.mixture; before = set(sys.modules); from labelief import *; "
        f"print(*sorted((set(sys.modules) - before) & set({optional!r})))"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert loaded.stdout.split() == []


def test_names_are_loaded_when_they_are_used() -> None:
    code = (
        "import sys, labelief; assert not {'numpy', 'scipy', 'sklearn'} & set(sys.modules); "
        "names = set(dir(labelief)); assert set(labelief.__all__) <= names; "
        "assert all(getattr(labelief, name) is not None for name in names); "
        "from labelief import *; SoftLabels; labelief.metrics.lower_error"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)
    with pytest.raises(AttributeError, match="nothing"):
        import labelief

        labelief.nothing  # noqa: B018


def test_the_package_is_typed(repository: Path) -> None:
    assert (repository / "src" / "labelief" / "py.typed").is_file()


def test_version_is_the_one_of_the_build_file(project: dict[str, Any]) -> None:
    import labelief

    assert labelief.__version__ == project["project"]["version"]


def test_the_example_of_the_readme_runs(repository: Path) -> None:
    blocks = re.findall(r"```python\n(.*?)```", (repository / "README.md").read_text(), re.DOTALL)
    assert len(blocks) == 1
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(blocks[0], "README.md", "exec"), {})
    assert printed.getvalue().splitlines()[0] == "['owl' 'hawk']"


def test_the_links_of_the_readme_lead_somewhere(repository: Path) -> None:
    targets = re.findall(r"\]\(([^)#]+)\)", (repository / "README.md").read_text())
    assert targets
    assert [t for t in targets if "://" not in t and not (repository / t).exists()] == []
