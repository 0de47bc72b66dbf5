# SPDX-License-Identifier: Apache-2.0
"""Authors' tools: schemas, benchmarks, equal stores, and pages of studies."""

import importlib.util
import json
import re
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

import pytest
from advice_store import RATE, Runs, cell
from jsonschema import Draft7Validator
from made_runs import results_of
from processes import environment

from firesteel.base.checkout import CHECKOUT, RECORDED
from firesteel.base.errors import FiresteelError
from firesteel.judge.study import load_studies
from firesteel.profiling.document import Profile, Stack, profile_path, save
from firesteel.store.record import Record
from firesteel.store.store import Store
from firesteel.workloads.openssl_speed import SpeedPlan
from research.fidelity import load_fidelity
from tools import benchmark, figures
from tools.__main__ import main
from tools.benchmark import Figure, conclude, load
from tools.figures import DOCS, fidelity_pages, rendered
from tools.reference import SCHEMAS, schemas
from tools.runs import load_runs

BENCH = CHECKOUT / "lab" / "bench"

# ---- schemas ----

MISTAKES: dict[str, dict[str, Any]] = {
    "experiments/quickstart.toml": {"titel": "x"},
    "experiments/thesis.toml": {"seeds": 0},
    "board/profiles/socrates.toml": {"memory": {"mebibytes": "many"}},
    "board/topologies/host-host.toml": {"links": [{"name": "x"}]},
    "board/assumptions.toml": {"assumptions": [{"name": "x", "low": 0}]},
    "published/delhaye2015/study.toml": {"ratios": [{"kind": "speed"}]},
    "published/delhaye2015/causes.toml": {"cause": []},
    "published/delhaye2015/cycles.toml": {"board": "socrates"},
    "published/delhaye2015/fit.toml": {"numbers": [{"name": "rate"}]},
    "published/delhaye2015/fidelity.toml": {"texts": {"board": 2015}},
}
"""What makes a file of each kind wrong."""


def _as_editors(path: Path) -> dict[str, Any]:
    """A file as editors check it: a date is a text."""
    read = tomllib.loads(path.read_text(encoding="utf-8"))
    told: dict[str, Any] = json.loads(json.dumps(read, default=str))
    return told


@pytest.mark.parametrize("file", MISTAKES)
def test_a_schema_takes_all_files_and_finds_a_mistake(file: str) -> None:
    path = CHECKOUT / file
    kinds = {"experiments": "experiment", "profiles": "profile", "topologies": "topology"}
    kind = kinds.get(path.parent.name, path.stem)
    schema = json.loads(schemas()[SCHEMAS / f"{kind}.json"])
    Draft7Validator.check_schema(schema)
    checked = Draft7Validator(schema)
    alike = f"*/{path.name}" if kind == path.stem else f"{path.parent.name}/*.toml"
    for each in path.parents[1].glob(alike):
        assert not [error.message for error in checked.iter_errors(_as_editors(each))], each
    assert not checked.is_valid(_as_editors(path) | MISTAKES[file])


def test_the_schemas_in_the_checkout_are_those_of_the_code() -> None:
    assert {path: path.read_text(encoding="utf-8") for path in schemas()} == schemas()
    assert "Latency of a cable" in schemas()[SCHEMAS / "topology.json"]


# ---- benchmarks ----

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
    ("value", "goal", "verdict"),
    [
        (10.0, {"most": 10.0}, "met"),
        (10.1, {"most": 10.0}, "missed"),
        (95.0, {"least": 95.0}, "met"),
        (94.9, {"least": 95.0}, "missed"),
        (float("nan"), {"most": 10.0}, "missed"),
        (1e9, {}, ""),
    ],
)
def test_a_goal_is_met_or_missed(value: float, goal: dict[str, float], verdict: str) -> None:
    figure = Figure(what="x", value=value, unit="s", **goal)
    assert (figure.missed, figure.said[-1]) == (verdict == "missed", verdict)


def test_a_benchmark_is_said_kept_and_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = '<!-- {{ benchmark("scale") }} -->\n<!--/-->\n'
    lacking = rendered(page, Store(tmp_path))
    assert "*Not recorded yet: `scripts/bench.sh scale --record`.*" in lacking
    assert conclude(benchmark.benchmark("scale", 100_000, MADE), tmp_path) == 1
    said = capsys.readouterr().out.splitlines()
    assert said[0].split() == ["time", "12.3", "s", "at", "most", "10", "s:", "missed"]
    assert said[1].endswith("at least 95 %: met")
    assert said[2:] == ["memory       12,346 MB", "1 of the goals missed."]
    assert conclude(benchmark.benchmark("scale", 1000, MADE[1:]), None) == 0
    shown = rendered(lacking, Store(tmp_path))
    assert re.search(r"^100,000 cells, on .+ \d+ CPUs? and Python 3\.\d+:$", shown, re.M)
    assert "| time | 12.3 s | at most 10 s | missed |" in shown
    assert "| memory | 12,300 MB |   |   |" in shown
    assert rendered(shown, Store(tmp_path)) == shown
    path = tmp_path / "benchmarks" / "scale.json"
    path.write_text(path.read_text().replace('"cells"', '"cell"'))
    with pytest.raises(FiresteelError, match=r"^[^\n]*scripts/bench\.sh NAME --record[^\n]*$"):
        load(tmp_path, "scale")


def test_benchmarks_are_held_against_their_goals() -> None:
    scale, machines, wall_time = module("scale"), module("machines"), module("wall_time")
    table = {
        scale.PLAN: {10: scale.Took(1.0, 1.0, 10**8), 1000: scale.Took(9.0, 10.5, 10**9 + 10**7)},
        "list": {10: scale.Took(0.1, 0.1, 10**8), 1000: scale.Took(16.0, 16.0, 10**8)},
    }
    alone = {name: {1000: by_size[10]} for name, by_size in table.items()}

    def missed(figures: list[Figure]) -> list[str]:
        return [figure.what for figure in figures if figure.missed]

    def distributed(between: float, client: float) -> list[str]:
        costs = machines.Costs(between, client, 0.001)
        return missed(machines.figures(costs, 10.0, 0.002, 0.001))

    def timed(question: str, before: float, after: float, same: int) -> list[str]:
        asked = wall_time.QUESTIONS[question]
        return missed(wall_time.figures(asked, before, after, same, 25))

    assert missed(scale.figures(alone)) == []
    assert missed(scale.figures(table)) == [
        "plan and list: wall time",
        "plan and list: memory",
        "CPU time of a cell, of 1,000 over of 10, at the most (list)",
    ]
    assert distributed(0.05, 0.02) == []
    assert distributed(0.15, 0.02) == ["distribution costs a worker, for each cell"]
    # Cells end every 100 ms, so a client that takes longer for each cannot keep up.
    assert distributed(0.05, 0.15) == ["computed: 200 workers with cells of 20 s are busy"]
    assert timed("snapshots", 400, 199, 25) == timed("clocks", 400, 539, 0) == []
    assert timed("snapshots", 400, 201, 24) == [
        "from snapshots, as a share",
        "records that are the same",
    ]
    assert timed("clocks", 400, 541, 0) == ["on the clock cycles, as a share"]


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "options"),
    [("scale", ("--without-boards", "18", "36")), ("machines", ("--cells", "4"))],
)
def test_a_benchmark_runs(tmp_path: Path, name: str, options: tuple[str, ...]) -> None:
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


# ---- stores ----


def test_equal_figures_are_equal_in_every_digit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    places = {name: tmp_path / name for name in ("one", "other", "empty")}

    def same(one: str, other: str) -> tuple[int, str]:
        status = main(["same", str(places[one]), str(places[other])])
        said = capsys.readouterr()
        return status, said.out + said.err

    one, other = (Runs(Store(places[name])) for name in ("one", "other"))
    one.add((cell(), {RATE: 5.0}), (cell("hardware"), {RATE: 8.0}))
    for stores in (("one", "other"), ("one", "empty"), ("empty", "one")):
        status, said = same(*stores)
        assert status == 1
        assert "share no cell" in said
    other.add((cell(), {RATE: 5.0}), qemu="another")
    status, said = same("one", "other")
    assert status == 0
    assert ": 1 cells, 1 figures, all equal; 1 cells are not in the other store\n" in said
    other.add((cell("hardware"), {RATE: 8.0 + 1e-14}))
    status, said = same("one", "other")
    assert status == 1
    assert ": 2 cells, 2 figures, 1 differences\n  openvpn aes-256-cbc:sha256 hardware: " in said


def test_counters_that_prove_a_measurement_are_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = Runs(Store(tmp_path))
    runs.add((cell(), {RATE: 5.0}))
    (record,) = (each for each in runs.store.records(runs.store.journal()))
    proofs = iter([{"packets": 1}, {"packets": 2}])

    def records(*_: object) -> list[Record]:
        return [record.model_copy(update={"proof": next(proofs)})]

    monkeypatch.setattr("tools.same._records", records)
    assert main(["same", str(tmp_path), str(tmp_path)]) == 1
    assert "packets is 2 and 1" in capsys.readouterr().out


MOST_WARM = 40
"""The goal: what a figure crosses whose rows the store's index has, as for all but the first."""

MOST_COLD = 14_000
"""No goal: near the 13,201 of 2026-11-30, for the first figure of a run with 24 records.  Its rows
are made of the records, so this grows with them.
"""


def test_a_figure_of_a_page_crosses_few_packages(tmp_path: Path) -> None:
    """Calls from one package of the lab to a function of another, where `tools` counts as one: of
    one figure of a page, on a store whose index is empty, and then once more.
    """
    for kept in ("records", "observations"):
        (tmp_path / kept).symlink_to(RECORDED / kept)
    shutil.copytree(RECORDED / "runs" / "openvpn", tmp_path / "runs" / "openvpn")
    asked = (
        'ratio("openvpn", protocol="openvpn", mac="sha256", experiment="file-transfer", '
        'metric="throughput")'
    )
    page = f"<!-- {{{{ {asked} }}}} --><!--/-->"

    def package(frame: FrameType) -> str:
        top, _, rest = frame.f_globals.get("__name__", "").partition(".")
        return rest.partition(".")[0] if top == "firesteel" else top if top == "tools" else ""

    def crossings() -> Counter[tuple[str, str, str]]:
        found: Counter[tuple[str, str, str]] = Counter()

        def look(frame: FrameType, event: str, _: object) -> None:
            if event == "call" and frame.f_back:
                caller, called = package(frame.f_back), package(frame)
                if caller and called and caller != called:
                    found[caller, called, frame.f_code.co_qualname] += 1

        before = sys.getprofile()
        sys.setprofile(look)
        try:
            rendered(page, Store(tmp_path))
        finally:
            sys.setprofile(before)
        return found

    cold, warm = crossings(), crossings()
    print(f"{cold.total():,} crossings cold, {warm.total()} warm")
    assert warm["tools", "table", "rows"] == 1
    assert warm.total() <= MOST_WARM, warm
    assert cold.total() <= MOST_COLD, cold.most_common(20)


# ---- profiles ----

GHASH = "@0x1 (GHASH for ARMv4/NEON, with NEON)"


def profiled(directory: Path, implementation: str) -> tuple[Store, str]:
    """A store with a profile of a second of a million blocks of 16 bytes; what a page asks."""
    runs = Runs(Store(directory))
    speed = cell(implementation, protocol="openssl", speed=SpeedPlan(sizes=(16,), seconds=2))
    run = runs.add((speed, {("openssl-speed", "16 B", "throughput", "MB/s"): 8.0}))
    (entry,) = runs.store.journal(run).entries
    counts = {GHASH: 80_000_000, "@0x2": 79_000_000, "@0x3 (near GHASH)": 1_000_000}
    profile = Profile(
        cell=speed.label,
        key=entry.key,
        implementation=implementation,
        node="board",
        window="speed-16",
        instructions=sum(counts.values()),
        stacks=tuple(
            Stack(frames=("openssl", "libcrypto", "libcrypto.so.3", name), instructions=count)
            for name, count in counts.items()
        ),
    )
    save(profile_path(runs.store, run, entry.key, "speed-16", "speed-16"), profile)
    return runs.store, f'<!-- {{{{ per_byte("{run}") }}}} -->\n<!--/-->\n'


def test_instructions_per_byte(tmp_path: Path) -> None:
    store, asked = profiled(tmp_path / "software", "software")
    label = "openssl aes-256-cbc:sha256 software"
    assert rendered(asked, store).splitlines()[3:-1] == [
        f"| {label} | Debian's | {GHASH} | 5.0 |",
        f"| {label} | Debian's | all | 10.0 |",
    ]
    store, asked = profiled(tmp_path / "hardware", "hardware")
    with pytest.raises(FiresteelError, match="no such profiles"):
        rendered(asked, store)


# ---- pages of studies ----


def test_pages_of_studies_are_those_of_the_recorded_runs() -> None:
    named = {run.name for run in load_runs()}
    for study in load_studies():
        file = load_fidelity(study)
        assert not file or set(file.runs.all) <= named, study.name
    for path, text in fidelity_pages(Store(RECORDED)).items():
        assert path.read_text(encoding="utf-8") == text, "scripts/figures.sh write"


def test_the_page_is_made_once_its_last_run_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        figures, "page", lambda *parts: f"{len(parts[-1].variants)} runs of variants"
    )
    results = results_of(tmp_path, lambda cell: cell.protocol == "none")
    store = Store(tmp_path)
    (file,) = (load_fidelity(study) for study in load_studies() if study.name == "delhaye2015")
    assert file
    for name in file.runs.all:
        assert DOCS / file.page not in fidelity_pages(store)
        store.save(results.journal.model_copy(update={"name": name}))
    assert fidelity_pages(store)[DOCS / file.page] == "5 runs of variants"
