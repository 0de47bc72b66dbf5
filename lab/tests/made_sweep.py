# SPDX-License-Identifier: Apache-2.0
"""Sweeps of made-up figures, which follow from the board as a test says."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from fake_watcher import Notes
from made_sensitivity import BoardsRunner, Gain

from firesteel.boards.profile import Profile
from firesteel.judge.results import Results, load_results
from firesteel.model.cell import Cell
from firesteel.model.figure import Figure, Parameter
from firesteel.run.board_runner import EquivalenceRunner
from firesteel.run.experiment.collection import load
from firesteel.run.experiment.experiment import select
from firesteel.run.experiment.sweep import Method, sweep_of_options
from firesteel.run.loop import Options, execute
from firesteel.store.journal import Journal
from firesteel.store.store import Store
from firesteel.workloads.openssl_speed import SpeedPlan
from firesteel.workloads.workload import rows

CLOCK = "cores.crypto0.timing.clock_hz"
REGISTER = "cores.crypto0.timing.register_ns"
ONLY = ("suite=aes-256-cbc:none",)


def by_clock(profile: Profile) -> float:
    """As fast as software where the cores have 100 MHz."""
    return (profile.cores[0].timing.used("clock_hz") or 0) / 100e6


def by_both(profile: Profile) -> float:
    """The same where a register access takes 100 ns, and slower by as much as that takes longer."""
    return by_clock(profile) * 100 / profile.cores[0].timing.used("register_ns")


def swept(
    root: Path,
    *vary: str,
    gain: Gain = by_clock,
    fail: Sequence[str] = (),
    method: Method | None = None,
    budget: int | None = None,
    only: Sequence[str] = ONLY,
    experiment: str = "openvpn",
) -> tuple[Journal, BoardsRunner, Store]:
    """A sweep of OpenVPN in the store there, or of another experiment."""
    told = load(experiment, sweep=sweep_of_options(vary, method, budget))
    cells = select(told.cells(True), only)
    inner = BoardsRunner(told.catalog, gain, fail)
    store, runner = Store(root), EquivalenceRunner(inner, told.catalog)
    journal = execute(told, cells, Options(quick=True), runner, store, Notes())
    return journal, inner, store


def results_of(root: Path, *vary: str, **options: Any) -> Results:
    """What `swept` gave."""
    journal, _, store = swept(root, *vary, **options)
    return load_results(store, journal.name)


class SpeedRunner(BoardsRunner):
    """Blocks that are encrypted at 20 MB/s in software, and on the cores so many times as fast as
    `gain` says of the board and the size.
    """

    speed: Callable[[Profile, int], float]

    def _ping(self, cell: Cell) -> list[Figure]:
        plan, figures = cell.needed(SpeedPlan), []
        board = self.catalog.profile(cell.profiles[cell.measured])
        for size in plan.sizes:
            rate = 20.0 * (self.speed(board, size) if cell.on_cores else 1)
            values = [("throughput", rate), ("cpu", 100.0), ("time_per_request", size / rate)]
            figures += rows(cell, "openssl-speed", Parameter(size_bytes=size), values)
        return figures


class ManyRunner(SpeedRunner):
    """The same with 20 MB/s for each CPU in software; on the cores each CPU may reach twice that
    and each core 60 MB/s, so that one of both is always busy.
    """

    def _ping(self, cell: Cell) -> list[Figure]:
        board = self.catalog.profile(cell.profiles[cell.measured])
        by_cpu, by_core = 40.0 * board.cpu.count, 60.0 * board.cores[0].count
        rate = min(by_cpu, by_core) if cell.on_cores else by_cpu / 2
        busy = [("cpu_busiest", 100 * rate / by_cpu), ("core_busy", 100 * rate / by_core)]
        values = [("throughput", rate), ("cpu", 100.0), *(busy if cell.on_cores else ())]
        sizes = cell.needed(SpeedPlan).sizes[:1]
        return [
            figure
            for size in sizes
            for figure in rows(cell, "openssl-speed", Parameter(size_bytes=size), values)
        ]


def speed_sweep(
    root: Path,
    speed: Callable[[Profile, int], float] = lambda *_: 1.0,
    vary: Sequence[str] = (),
    kind: type[SpeedRunner] = SpeedRunner,
    experiment: str = "core-clock",
) -> Results:
    """The sweep of the gallery with such figures, or one of another experiment."""
    told = load(experiment, sweep=sweep_of_options(vary))
    cells = select(told.cells(True), ("suite=aes-256-cbc:none",))
    runner = kind(told.catalog)
    runner.speed = speed
    store = Store(root)
    standing = EquivalenceRunner(runner, told.catalog)
    journal = execute(told, cells, Options(quick=True), standing, store, Notes())
    return load_results(store, journal.name)
