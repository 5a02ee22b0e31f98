from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from papers.experiment import canonical, generator, run, seed_of

CELLS = [{"rate": 0.1 * rate, "repetition": number} for rate in range(3) for number in range(4)]


def draw(cell: dict[str, Any]) -> dict[str, float | None]:
    return {"value": float(generator(cell).random()), "nothing": None}


class Counted:
    """Work that counts its calls, and stops the run before one of them."""

    def __init__(self, stop_before: int | None = None) -> None:
        self.calls = 0
        self.stop_before = stop_before

    def __call__(self, cell: dict[str, Any]) -> dict[str, float | None]:
        if self.calls == self.stop_before:
            raise KeyboardInterrupt
        self.calls += 1
        return draw(cell)


def quiet(folder: Path, work: Any, **settings: Any) -> list[dict[str, Any]]:
    options = {"n_jobs": 1, "folder": folder, "stream": io.StringIO()} | settings
    return run("test", options.pop("cells", CELLS), work, **options)


def test_a_run_that_was_interrupted_goes_on_where_it_stopped(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        quiet(tmp_path, Counted(stop_before=5))
    rest = Counted()
    records = quiet(tmp_path, rest)
    assert rest.calls == len(CELLS) - 5
    assert records == [{**cell, **draw(cell)} for cell in CELLS]
    again = Counted()
    assert quiet(tmp_path, again) == records
    assert again.calls == 0


def test_a_line_that_was_cut_off_is_computed_again(tmp_path: Path) -> None:
    records = quiet(tmp_path, draw)
    path = tmp_path / "test.jsonl"
    path.write_text(path.read_text()[:-9])
    counted = Counted()
    assert quiet(tmp_path, counted) == records
    assert counted.calls == 1
    assert quiet(tmp_path, Counted(stop_before=0)) == records


def test_results_of_another_version_or_cell_are_not_taken_over(tmp_path: Path) -> None:
    quiet(tmp_path, draw)
    counted = Counted()
    quiet(tmp_path, counted, version=2)
    assert counted.calls == len(CELLS)
    more = [*CELLS, {"rate": 0.1, "repetition": 99}]
    counted = Counted()
    quiet(tmp_path, counted, cells=more)
    assert counted.calls == 1


def test_a_quick_run_keeps_and_reads_nothing(tmp_path: Path) -> None:
    quiet(tmp_path, draw, quick=True)
    assert list(tmp_path.iterdir()) == []
    quiet(tmp_path, draw)
    counted = Counted()
    quiet(tmp_path, counted, quick=True)
    assert counted.calls == len(CELLS)


def test_processes_give_the_same_records(tmp_path: Path) -> None:
    cells = [{"size": size} for size in range(1, 40)]
    parallel = quiet(tmp_path, largest_thread_pool, cells=cells, n_jobs=2, quick=True)
    assert parallel == quiet(tmp_path, largest_thread_pool, cells=cells, quick=True)
    assert {record["threads"] for record in parallel} == {1}


def largest_thread_pool(cell: dict[str, Any]) -> dict[str, float | None]:
    from threadpoolctl import threadpool_info

    np.ones((4, 4)) @ np.ones((4, 4))
    return {"threads": max(pool["num_threads"] for pool in threadpool_info())}


def test_keys_do_not_depend_on_the_order_of_parameters(tmp_path: Path) -> None:
    assert canonical({"b": 1, "a": [1, None]}) == '{"a":[1,null],"b":1}'
    quiet(tmp_path, draw)
    turned = [dict(reversed(cell.items())) for cell in CELLS]
    counted = Counted()
    quiet(tmp_path, counted, cells=turned)
    assert counted.calls == 0


def test_seeds_are_the_same_everywhere_and_differ_with_each_part() -> None:
    assert seed_of("iris", 0.1, 3) == 3430404666
    seeds = {seed_of(name, number) for name in ("iris", "wine") for number in range(100)}
    assert len(seeds) == 200


@pytest.mark.parametrize(
    ("result", "message"),
    [
        ({"error": float("nan")}, "not JSON compliant"),
        ({"rate": 1.0}, r"named like parameters: \['rate'\]"),
    ],
)
def test_results_that_cannot_be_kept_name_their_cell(
    tmp_path: Path, result: dict[str, float], message: str
) -> None:
    with pytest.raises(RuntimeError, match=rf"test failed at .*'repetition'.*{message}"):
        quiet(tmp_path, lambda cell: result)


def test_equal_cells_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"two cells are equal: \[1,\{\"a\":1\}\]"):
        quiet(tmp_path, draw, cells=[{"a": 1}, {"a": 1}])


def test_lines_can_be_read_by_others(tmp_path: Path) -> None:
    quiet(tmp_path, draw)
    lines = (tmp_path / "test.jsonl").read_text().splitlines()
    assert sorted(json.loads(line)["key"] for line in lines) == sorted(
        canonical([1, cell]) for cell in CELLS
    )


def test_progress_tells_what_was_kept(tmp_path: Path) -> None:
    quiet(tmp_path, draw, cells=CELLS[:5])
    stream = io.StringIO()
    quiet(tmp_path, draw, stream=stream)
    assert stream.getvalue().splitlines()[-1].startswith("test: 12 of 12, ")
    assert stream.getvalue().endswith("5 kept\n")
