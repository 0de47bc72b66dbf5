# SPDX-License-Identifier: Apache-2.0
"""What a cell costs the lab as runs grow: planning, resuming, listing, showing and exporting.

    scripts/bench.sh scale [--in DIRECTORY] [--record] [--without-boards] [CELLS…]

Cells are those of the experiment `quickstart` on boards and links of a sweep; no board runs: their
records are made up, and written without flushing the disk.  Each stage has a process of its own.
Says CPU seconds, the same for each cell in microseconds, and peak memory; what grows as the cells
has about the same microseconds in each row.  One stage is beside the others: what real boards would
be sent for each cell is made, as a run does before its first.

Ends with status 1 when a goal is missed; --record keeps the figures for docs/machines.md.
"""

import argparse
import json
import math
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import asdict, dataclass, replace
from datetime import date
from functools import partial
from io import StringIO
from pathlib import Path

import made_up
from fake_runner import FakeRunner
from fake_watcher import Notes

from firesteel.base.checkout import RECORDED
from firesteel.base.envelope import digest
from firesteel.boards.catalog import Catalog
from firesteel.boards.result import TopologyRun
from firesteel.cli import collect_seldom
from firesteel.cli.bench import make_runner
from firesteel.cli.show import list_all
from firesteel.judge.export import Form, export_frames, write_export
from firesteel.judge.results import MOST, load_results
from firesteel.model.cell import Cell
from firesteel.protocols.site import site_of
from firesteel.run.board_runner import EquivalenceRunner
from firesteel.run.experiment.collection import Collection, load
from firesteel.run.experiment.experiment import Experiment
from firesteel.run.experiment.sweep import sweep_of_options
from firesteel.run.loop import Options, execute
from firesteel.store import observations
from firesteel.store.journal import Entry, Journal
from firesteel.store.record import FORMAT, Derived, RecordFile, use
from firesteel.store.setup import Setup
from firesteel.store.store import Store
from tools.benchmark import Figure, benchmark, conclude

SIZES = (10_000, 100_000)
"""Cells, unless others are named; 100,000 take 2 GB of disk and about 20 minutes."""

PLAN = "plan and list"
BOARDS = "plan for boards"

_SECONDS_GOAL = 10.0
_MEGABYTES_GOAL = 1000.0
"""Of the stage `PLAN`, for 100,000 cells."""

_GROWTH_GOAL = 1.5
"""How many times the CPU time of a cell in the smallest run it may take in the largest."""


class OneOfEach(FakeRunner):
    """Makes figures up once for cells that differ only in where they are measured."""

    def __init__(self, catalog: Catalog) -> None:
        super().__init__()
        self._catalog = catalog
        self._made: dict[str, TopologyRun] = {}

    def measure(self, cell: Cell, logs: Path, cancel: threading.Event) -> TopologyRun:
        """As the fake runner, on the cell's boards."""
        if cell.label not in self._made:
            self._made[cell.label] = super().measure(cell, logs, cancel)
            shutil.rmtree(logs)
        run, site = self._made[cell.label], site_of(cell, self._catalog)
        nodes = {
            name: replace(node, profile=site.profiles[name]) for name, node in run.nodes.items()
        }
        return replace(run, nodes=nodes, topology=site.topology)


def plan(count: int) -> tuple[Experiment | Collection, tuple[Cell, ...]]:
    """So many cells, of an experiment whose boards and links vary."""
    base = len(load("quickstart").cells(quick=True))
    points = math.ceil(count / base)
    boards = max(2, math.ceil(math.sqrt(points)))
    vary = (
        f"cpu.hertz=400..1600 MHz x{boards}",
        f"links.*.latency_ns=100..900 us x{max(2, math.ceil(points / boards))}",
    )
    told = load("quickstart", sweep=sweep_of_options(vary, None, None))
    return told, told.cells(quick=True)[:count]


def planned(root: Path, count: int) -> None:
    """Expands the experiment, and writes the run's journal; then lists it."""
    told, cells = plan(count)
    store, runner = Store(root), FakeRunner()
    runner.prepare(cells)
    begin(store, told, cells, runner)
    listed(root, count)


def planned_for_boards(root: Path, count: int) -> None:
    """The addresses of all cells, as `firesteel run` finds them."""
    del root
    told, cells = plan(count)
    runner = EquivalenceRunner(make_runner(told.catalog, None), told.catalog)
    runner.prepare(cells)
    assert all(runner.inputs(cell).key for cell in cells)


def begin(
    store: Store, told: Experiment | Collection, cells: Sequence[Cell], runner: FakeRunner
) -> str:
    """A run of which nothing is measured yet."""
    name = store.start_run(told.name, date(2026, 1, 1))
    journal = Journal(
        name=name,
        experiment=told.name,
        title=told.title,
        quick=True,
        started="2026-01-01T00:00:00+00:00",
        entries=[Entry(cell=cell, key=runner.inputs(cell).key) for cell in cells],
        varied=told.varied,
    )
    store.save(journal)
    return name


def made(root: Path, count: int) -> None:
    """Writes records and observations of all cells, and what the index has of them, as `Store.put`
    would but for flushing the disk; what is the same in all of them is made once.
    """
    told, cells = plan(count)
    store, runner = Store(root), OneOfEach(told.catalog)
    parsers = made_up.MadeUp()
    observed: dict[str, tuple[str, bytes, Derived]] = {}
    for cell in cells:
        run, inputs = runner.measure(cell, root / "logs", threading.Event()), runner.inputs(cell)
        if cell.label not in observed:
            text = observations.to_text(run)
            seen = observations.digest_of(text), observations.pack(text), parsers.derive(cell, run)
            observed[cell.label] = seen
        seen_digest, packed, figures = observed[cell.label]
        file = RecordFile(
            cell=cell,
            versions=inputs.versions,
            setup=Setup.of(run),
            trace=run.trace_digest,
            observed=seen_digest,
            packages=runner.packages(),
        )
        content = _sealed(file)
        for path, written in (
            (store.observations_path(inputs.key), packed),
            (store.record_path(inputs.key), content),
        ):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(written)
        store.remember(file, content, cell, figures)


def _sealed(file: RecordFile) -> bytes:
    """A record's file, in one line."""
    content = {"format": FORMAT, **file.model_dump(mode="json")}
    return json.dumps(content | {"digest": digest(content)}).encode()


def resumed(root: Path, count: int) -> None:
    """Runs cells that are all in the store."""
    told, cells = plan(count)
    notes, store, runner = Notes(), Store(root), FakeRunner()
    execute(told, cells, Options(quick=True), runner, store, notes)
    assert not runner.measured


def listed(root: Path, _: int) -> None:
    """`firesteel list`."""
    with redirect_stdout(StringIO()):
        list_all(root)


def shown(root: Path, _: int) -> None:
    """The figures of `firesteel show`."""
    assert load_results(Store(root), most=MOST).means


def reported(root: Path, _: int) -> None:
    """`firesteel report`."""
    from firesteel.show.report.write import write_report

    store = Store(root)
    path = write_report(store, load_results(store, most=MOST))
    print(f"  report: {path.stat().st_size / 1e6:.1f} MB", file=sys.stderr)


def exported(form: Form, root: Path, _: int) -> None:
    """`firesteel show --part samples`."""
    store = Store(root)
    journal = store.journal()
    with (root / f"export.{form}").open("wb") as file:
        records = store.each_record(journal, journal.entries)
        write_export(export_frames(journal, records), form, file)


STAGES: dict[str, Callable[[Path, int], None]] = {
    PLAN: planned,
    BOARDS: planned_for_boards,
    "make records": made,
    "resume, first": resumed,
    "resume, again": resumed,
    "list": listed,
    "show": shown,
    "report": reported,
    "export parquet": partial(exported, "parquet"),
    "export csv": partial(exported, "csv"),
}


def stage(name: str, root: Path, count: int) -> None:
    """Runs one in this process, and says what it took."""
    use(made_up.MadeUp())
    collect_seldom()
    began, wall = time.process_time(), time.monotonic()
    STAGES[name](root, count)
    spent = time.process_time() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(Took(spent, time.monotonic() - wall, peak).text)


@dataclass(frozen=True)
class Took:
    """What a stage took: CPU and wall seconds, and bytes of memory at the peak."""

    cpu: float
    wall: float
    peak: int

    @property
    def text(self) -> str:
        """From one process to another."""
        return json.dumps(asdict(self))


Table = Mapping[str, Mapping[int, Took]]
"""What each stage took, by the number of cells."""


def measured(directory: Path, sizes: Sequence[int], stages: Sequence[str]) -> Table:
    """Runs stages for all sizes, and says what each took."""
    print(f"{'stage':<16}{'cells':>9}{'CPU, s':>10}{'wall, s':>10}{'µs/cell':>10}{'peak, MB':>10}")
    found: dict[str, dict[int, Took]] = {name: {} for name in stages}
    for count in sizes:
        root = directory / str(count)
        for name in stages:
            command = [sys.executable, "-P", __file__, "--stage", name, str(root), str(count)]
            done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
            took = found[name][count] = Took(**json.loads(done.stdout))
            each = took.cpu / count * 1e6
            print(
                f"{name:<16}{count:>9,}{took.cpu:>10.2f}{took.wall:>10.2f}{each:>10.0f}"
                f"{took.peak / 1e6:>10.0f}",
                flush=True,
            )
    return found


def figures(found: Table) -> list[Figure]:
    """What the largest run took; and how much more a cell costs there than in the smallest."""
    few, many = min(found[PLAN]), max(found[PLAN])
    told = [
        Figure(
            what=f"{name}: wall time",
            value=by_size[many].wall,
            unit="s",
            most=_SECONDS_GOAL if name == PLAN else None,
        )
        for name, by_size in found.items()
    ]
    peak = found[PLAN][many].peak / 1e6
    told.append(Figure(what=f"{PLAN}: memory", value=peak, unit="MB", most=_MEGABYTES_GOAL))
    if few < many:
        grown = {
            name: by_size[many].cpu / many / (by_size[few].cpu / few)
            for name, by_size in found.items()
        }
        worst = max(grown, key=lambda name: grown[name])
        told.append(
            Figure(
                what=f"CPU time of a cell, of {many:,} over of {few:,}, at the most ({worst})",
                value=grown[worst],
                unit="",
                most=_GROWTH_GOAL,
            )
        )
    return told


def main(arguments: Sequence[str]) -> int:
    """Runs all stages for all sizes; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("cells", type=int, nargs="*", metavar="CELLS", help="of each run")
    parser.add_argument("--in", type=Path, metavar="DIRECTORY", dest="directory", help="for stores")
    parser.add_argument("--record", action="store_const", const=RECORDED, help="keep the figures")
    parser.add_argument(
        "--without-boards", action="store_true", help="leave out what needs the products of boards"
    )
    told = parser.parse_args(arguments)
    sizes = sorted(told.cells or SIZES)
    stages = [name for name in STAGES if name != BOARDS or not told.without_boards]
    with tempfile.TemporaryDirectory() as temporary:
        if BOARDS in stages:
            plain = load("quickstart")
            make_runner(plain.catalog, None).prepare(plain.cells(quick=True))  # Builds what lacks.
        found = measured(told.directory or Path(temporary), sizes, stages)
    return conclude(benchmark("scale", sizes[-1], figures(found)), told.record)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--stage"]:
        stage(sys.argv[2], Path(sys.argv[3]), int(sys.argv[4]))
    else:
        sys.exit(main(sys.argv[1:]))
