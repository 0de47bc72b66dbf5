# SPDX-License-Identifier: Apache-2.0
"""Benchmarks of the lab: they run, say which goals are met, and pages have what they kept."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from processes import environment

from firesteel.base.checkout import CHECKOUT
from firesteel.base.errors import FiresteelError
from firesteel.store.store import Store
from tools.benchmark import Figure, benchmark, conclude, load, save
from tools.figures import rendered

BENCH = CHECKOUT / "lab" / "bench"
MADE = (
    Figure(what="time", value=12.3456, unit="s", most=10.0),
    Figure(what="busy", value=97.0, unit="%", least=95.0),
    Figure(what="memory", value=12345.6, unit="MB"),
)


def module(name: str) -> ModuleType:
    """A benchmark, as a module."""
    spec = importlib.util.spec_from_file_location(f"bench_{name}", BENCH / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    found = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


@pytest.mark.parametrize(
    ("figure", "missed"),
    [
        (Figure(what="x", value=10.0, unit="s", most=10.0), False),
        (Figure(what="x", value=10.1, unit="s", most=10.0), True),
        (Figure(what="x", value=95.0, unit="%", least=95.0), False),
        (Figure(what="x", value=94.9, unit="%", least=95.0), True),
        (Figure(what="x", value=float("nan"), unit="s", most=10.0), True),
        (Figure(what="x", value=1e9, unit="s"), False),
    ],
)
def test_a_goal_is_met_or_missed(figure: Figure, missed: bool) -> None:
    assert figure.missed == missed
    assert figure.verdict == ("missed" if missed else "met" if figure.goal else "")


def test_what_is_missed_is_said_and_is_the_exit_status(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert conclude(benchmark("scale", 1000, MADE), tmp_path) == 1
    said = capsys.readouterr().out.splitlines()
    assert said[0].split() == ["time", "12.3", "s", "at", "most", "10", "s:", "missed"]
    assert said[1].endswith("at least 95 %: met")
    assert said[2:] == ["memory       12,346 MB", "1 of the goals missed."]
    assert conclude(benchmark("scale", 1000, MADE[1:]), None) == 0


def test_a_page_has_what_was_kept(tmp_path: Path) -> None:
    page = '<!-- {{ benchmark("scale") }} -->\n<!--/-->\n'
    lacking = rendered(page, Store(tmp_path))
    assert "*Not recorded yet: `scripts/bench.sh scale --record`.*" in lacking
    save(tmp_path, benchmark("scale", 100_000, MADE))
    shown = rendered(lacking, Store(tmp_path))
    assert re.search(r"^100,000 cells, on .+ \d+ CPUs? and Python 3\.\d+:$", shown, re.M)
    assert "| time | 12.3 s | at most 10 s | missed |" in shown
    assert "| memory | 12,300 MB |   |   |" in shown
    assert rendered(shown, Store(tmp_path)) == shown


def test_a_damaged_record_is_one_sentence(tmp_path: Path) -> None:
    save(tmp_path, benchmark("scale", 1, MADE))
    path = tmp_path / "benchmarks" / "scale.json"
    path.write_text(path.read_text().replace('"cells"', '"cell"'))
    with pytest.raises(FiresteelError, match=r"scripts/bench\.sh NAME --record") as caught:
        load(tmp_path, "scale")
    assert "\n" not in str(caught.value)


def test_scale_holds_the_largest_run_against_its_goals() -> None:
    scale = module("scale")
    table = {
        scale.PLAN: {10: scale.Took(1.0, 1.0, 10**8), 1000: scale.Took(9.0, 10.5, 10**9 + 10**7)},
        "list": {10: scale.Took(0.1, 0.1, 10**8), 1000: scale.Took(16.0, 16.0, 10**8)},
    }
    missed = [figure.what for figure in scale.figures(table) if figure.missed]
    assert missed == [
        "plan and list: wall time",
        "plan and list: memory",
        "CPU time of a cell, of 1,000 over of 10, at the most (list)",
    ]
    alone = {name: {1000: by_size[10]} for name, by_size in table.items()}
    assert not [figure for figure in scale.figures(alone) if figure.missed]


def test_machines_holds_overhead_and_busy_workers_against_their_goals() -> None:
    machines = module("machines")

    def missed(between: float, client: float) -> list[str]:
        costs = machines.Costs(between, client, 0.001)
        found = machines.figures(costs, 10.0, 0.002, 0.001)
        return [figure.what for figure in found if figure.missed]

    assert missed(0.05, 0.02) == []
    assert missed(0.15, 0.02) == ["distribution costs a worker, for each cell"]
    # Cells end every 100 ms, so a client that takes longer for each cannot keep up.
    assert missed(0.05, 0.15) == ["computed: 200 workers with cells of 20 s are busy"]


def test_wall_time_holds_the_second_way_against_the_first() -> None:
    wall_time = module("wall_time")

    def missed(question: str, before: float, after: float, same: int) -> list[str]:
        found = wall_time.figures(wall_time.QUESTIONS[question], before, after, same, 25)
        return [figure.what for figure in found if figure.missed]

    assert missed("snapshots", 400, 199, 25) == []
    assert missed("snapshots", 400, 201, 24) == [
        "from snapshots, as a share",
        "records that are the same",
    ]
    assert missed("clocks", 400, 539, 0) == []
    assert missed("clocks", 400, 541, 0) == ["on the clock cycles, as a share"]


@pytest.mark.parametrize(
    ("name", "options"),
    [("scale", ("--without-boards", "18", "36")), ("machines", ("--cells", "4"))],
)
def test_it_runs(tmp_path: Path, name: str, options: tuple[str, ...]) -> None:
    done = subprocess.run(
        [sys.executable, "-P", BENCH / f"{name}.py", *options],
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    verdicts = re.findall(r"at (?:most|least) \S+.*: (met|missed)$", done.stdout, re.M)
    assert len(verdicts) == {"scale": 3, "machines": 2}[name], done.stderr
    assert done.returncode == (1 if "missed" in verdicts else 0)
    assert "Traceback" not in done.stderr
