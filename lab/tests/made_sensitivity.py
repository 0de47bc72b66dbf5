# SPDX-License-Identifier: Apache-2.0
"""Studies of sensitivity of made-up figures, which follow from the board as a test says."""

import hashlib
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from fake_runner import HASH, FakeRunner
from fake_watcher import Notes

from firesteel.boards.assumptions import load_assumptions
from firesteel.boards.catalog import Catalog
from firesteel.boards.profile import Clock, Profile
from firesteel.boards.result import TopologyRun
from firesteel.boards.topology import topology_digest
from firesteel.judge.sensitivity import Extreme, Point, Row, Study, Swing
from firesteel.judge.verdict import RowVerdict
from firesteel.model.cell import Cell
from firesteel.model.figure import Parameter
from firesteel.model.identity import Identity
from firesteel.protocols.site import site_of
from firesteel.run.experiment.collection import Collection, load
from firesteel.run.experiment.experiment import Experiment, select
from firesteel.run.loop import Options, execute
from firesteel.search.plan import Plan, make_plan, make_study
from firesteel.store.journal import Journal
from firesteel.store.record import Inputs
from firesteel.store.setup import Setup
from firesteel.store.store import Store

CBC = ("suite=aes-256-cbc:none",)
GCM = ("suite=aes-256-gcm:gcm",)

Gain = Callable[[Profile], float]
"""How many times as fast hardware is on a board."""

FILE = Parameter(file_bytes=8 << 20)


def as_fast(_: Profile) -> float:
    """Hardware that gains on any board."""
    return 1.5


def by_registers(profile: Profile) -> float:
    """Twice as fast where a register access costs 100 ns, and as fast where it costs 200."""
    return 200 / profile.cores[0].timing.used("register_ns")


class BoardsRunner(FakeRunner):
    """Hardware gains by what its board is; records are addressed by what boards are, not by what
    they are called, as those of real boards are.  Cells fail on the boards that `fail` names, with
    their label before it or all.
    """

    def __init__(self, catalog: Catalog, gain: Gain = as_fast, fail: Sequence[str] = ()) -> None:
        super().__init__()
        self.catalog = catalog
        self.gain = gain
        self.failing = fail
        self.boards_measured: list[tuple[str, str]] = []

    def prepare(self, cells: Sequence[Cell]) -> None:
        super().prepare(cells)
        for cell in cells:
            site_of(cell, self.catalog)

    def inputs(self, cell: Cell) -> Inputs:
        site = site_of(cell, self.catalog)
        nodes = dict.fromkeys(cell.profiles, "")
        said = cell.model_copy(update={"profiles": nodes}).model_dump_json()
        versions = (
            super()
            .inputs(cell)
            .versions.model_copy(
                update={
                    "boards": topology_digest(site.topology, site.profiles),
                    "jobs": hashlib.sha256(said.encode()).hexdigest(),
                }
            )
        )
        return Inputs(cell=cell, versions=versions)

    def measure(self, cell: Cell, logs: Path, cancel: threading.Event) -> TopologyRun:
        board = cell.profiles[cell.measured]
        self.boards_measured.append((cell.label, board))
        failing = {board, f"{cell.label} {board}"} & set(self.failing)
        self.fail = [cell.label] if failing else []
        return super().measure(cell, logs, cancel)

    def _setup(self, cell: Cell) -> Setup:
        site = site_of(cell, self.catalog)
        profiles = dict(site.profiles)
        return Setup(topology=site.topology, profiles=profiles)

    def _near(self, cell: Cell, experiment: str, metric: str, parameter: str) -> float:
        del experiment, parameter
        board = self.catalog.profile(cell.profiles[cell.measured])
        speed = self.gain(board) if cell.on_cores else 1.0
        return {"rtt_mean": 3.0 / speed, "throughput": 6.0 * speed, "cpu": 50.0}[metric]


def plan_of(
    *names: str,
    only: Sequence[str] = CBC,
    experiment: str = "openvpn",
    seeds: int | None = None,
    clock: Clock | None = None,
    together: bool = False,
) -> tuple[Experiment | Collection, Plan]:
    """An experiment and the plan for it; `names` are the assumptions that vary."""
    told = load(experiment, clock=clock)
    cells, known = told.cells(True, seeds), load_assumptions()
    return told, make_plan(told, cells, only, known, names, together=together)


def study_of(
    tmp_path: Path,
    *names: str,
    gain: Gain = as_fast,
    only: Sequence[str] = CBC,
    fail: Sequence[str] = (),
    seeds: int | None = None,
    experiment: str = "openvpn",
    together: bool = False,
) -> tuple[Study, Journal, BoardsRunner]:
    """A study that is made in the store there."""
    told, plan = plan_of(*names, only=only, seeds=seeds, experiment=experiment, together=together)
    store, runner = Store(tmp_path), BoardsRunner(told.catalog, gain, fail)
    journal = execute(
        plan.subject, plan.all_cells, Options(quick=True), runner, store.sensitivity, Notes()
    )
    return make_study(plan, journal, store, told.catalog), journal, runner


def run_of(tmp_path: Path, gain: Gain = as_fast, only: Sequence[str] = (), qemu: str = HASH) -> str:
    """A run in that store of the same experiment, with that build of the emulator; its name."""
    told = load("openvpn")
    cells = select(told.cells(True), only)
    runner = BoardsRunner(told.catalog, gain)
    runner.qemu = qemu
    return execute(told, cells, Options(quick=True), runner, Store(tmp_path), Notes()).name


def point(speed: float, work: float = 1.0, margin: float = 0.0) -> Point:
    """What these ratios say, the first of which may be off by so much."""
    return Point.of(RowVerdict("throughput", speed, work, "", margin, 0.0))


def limited() -> Point:
    """A row that the peer limited."""
    return Point.of(RowVerdict("throughput", 2.0, 1.0, peer_limited=True))


def swing_of(
    low: Point | None,
    high: Point | None,
    values: tuple[float, float, float] = (50, 100, 200),
    assumption: str = "register-access",
) -> Swing:
    """A row at the ends of an assumption, by default of half and twice the board's own number."""
    return Swing(
        assumption=assumption,
        unit="ns",
        nominal=values[1],
        low=Extreme(value=values[0], point=low),
        high=Extreme(value=values[2], point=high),
    )


def row_of(nominal: Point, *swings: Swing) -> Row:
    """A verdict with its swings."""
    suite = ("openvpn", "aes-256-cbc", "none", "hardware", "adaptive")
    return Row(
        identity=Identity("file-transfer", FILE, *suite),
        name="OpenVPN AES-256-CBC:none, 8 MiB",
        metric="throughput",
        records=("0" * 64,),
        nominal=nominal,
        swings=swings,
    )
