# SPDX-License-Identifier: Apache-2.0
"""Runs on other machines: the same records, nothing lost, and two that want the same cells."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from dask_here import FakeBoards, FakeBoardsRunner, Scheduler, WorkerProcess
from distributed.security import Security
from fake_watcher import Notes

from firesteel.base.errors import MachinesError, StoreError
from firesteel.board.run import run_topology
from firesteel.campaign.run import Options, execute
from firesteel.experiment.experiment import load_experiment
from firesteel.machines.cluster import Cluster
from firesteel.store.journal import Entry, Journal
from firesteel.store.store import Store

EXPERIMENT = load_experiment("quickstart")
CELLS = EXPERIMENT.cells(quick=True)


class Watching(Notes):
    """Notes also where cells began, and calls `then` with the label of each that did."""

    def __init__(self, then: Callable[[str], None] = lambda _: None) -> None:
        super().__init__()
        self.machines: dict[str, str] = {}
        self._then = then

    def began(self, entry: Entry, machine: str = "") -> None:
        self.machines[entry.cell.label] = machine
        self._then(entry.cell.label)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("machines")


@pytest.fixture(scope="module")
def scheduler(place: Path) -> Iterator[Scheduler]:
    with (
        Scheduler(place) as scheduler,
        WorkerProcess(scheduler.address, place / "one", name="one", jobs=1) as one,
        WorkerProcess(scheduler.address, place / "two", name="two", jobs=1) as two,
    ):
        one.ready()
        two.ready()
        yield scheduler


def go(
    store: Store,
    cluster: Cluster | None,
    fake: FakeBoards,
    watcher: Notes | None = None,
    words: dict[str, str] | None = None,
) -> Journal:
    runner = FakeBoardsRunner(cluster.run if cluster else run_topology, fake)
    runner.words = words or {}
    told = watcher or Notes()
    return execute(EXPERIMENT, CELLS, Options(quick=True), runner, store, told, cluster)


def files(store: Store) -> dict[str, bytes]:
    return {
        path.relative_to(store.root).as_posix(): path.read_bytes()
        for kind in ("records", "observations")
        for path in (store.root / kind).rglob("*.*")
    }


def test_two_workers_make_the_records_of_this_machine(
    tmp_path: Path, scheduler: Scheduler, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake, watching = FakeBoards(tmp_path), Watching()
    there, here = Store(tmp_path / "there"), Store(tmp_path / "here")
    with Cluster(scheduler.address, Security()) as cluster:
        journal = go(there, cluster, fake, watching)
    assert journal.count("done") == len(CELLS)
    assert all(entry.seconds is not None for entry in journal.entries)
    assert set(watching.machines.values()) == {"one", "two"}
    assert watching.remarks == ["one, two joined; 2 machines for 2 cells at a time"]
    (tmp_path / "pids").mkdir()
    monkeypatch.setenv("FAKE_QEMU_PIDS", str(tmp_path / "pids"))
    go(here, None, fake)
    assert files(there) == files(here)
    assert len(files(there)) == 2 * len(CELLS)


def test_a_cell_that_fails_has_its_logs_here(tmp_path: Path, scheduler: Scheduler) -> None:
    label = CELLS[3].label
    store = Store(tmp_path / "store")
    with Cluster(scheduler.address, Security()) as cluster:
        journal = go(store, cluster, FakeBoards(tmp_path), words={label: "fail of this"})
    (failed,) = [entry for entry in journal.entries if entry.state == "failed"]
    assert failed.cell.label == label
    assert failed.problem.startswith("Node `board` on ")
    assert failed.problem.endswith("--- from its job ---\nof this")
    (console,) = store.logs(journal.name).rglob("board/console")
    assert "line 0 of board" in console.read_text()


def test_a_lost_scheduler_loses_nothing(tmp_path: Path) -> None:
    store, fake, flag = Store(tmp_path / "store"), FakeBoards(tmp_path), tmp_path / "flag"
    waits = CELLS[4].label
    with (
        Scheduler(tmp_path) as scheduler,
        WorkerProcess(scheduler.address, tmp_path / "one", jobs=1).ready() as worker,
        Cluster(scheduler.address, Security()) as cluster,
    ):

        def lose(label: str) -> None:
            if label == waits:
                scheduler.send()

        with pytest.raises(MachinesError, match="the same command continues from there"):
            go(store, cluster, fake, Watching(lose), {waits: f"wait {flag}"})
        (name,) = store.run_names()
        stopped = store.journal(name)
        assert (stopped.count("done"), stopped.count("failed")) == (4, 0)
        flag.touch()
        with Scheduler(tmp_path, port=scheduler.port):
            worker.ready()
            with Cluster(scheduler.address, Security()) as again:
                notes = Notes()
                journal = go(store, again, fake, notes, {waits: f"wait {flag}"})
    assert journal.count("done") == len(CELLS)
    assert notes.endings.count("stored") == 4


class Losing(Watching):
    """Kills the machine of a cell once both have begun, and lets both end when that is told."""

    def __init__(self, victim: str, flags: dict[str, Path]) -> None:
        super().__init__(self._kill)
        self.workers: dict[str, WorkerProcess] = {}
        self._victim = victim
        self._flags = flags

    def _kill(self, _: str) -> None:
        if self.workers and self.machines.keys() >= self._flags.keys():
            self.workers[self.machines[self._victim]].send()
            self.workers.clear()

    def at_once(self, cells: int) -> None:
        super().at_once(cells)
        if cells == 1:
            for flag in self._flags.values():
                flag.touch()


def test_a_run_knows_which_machines_are_left(tmp_path: Path) -> None:
    victim, other = CELLS[0].label, CELLS[1].label
    flags = {victim: tmp_path / "flag", other: tmp_path / "another"}  # Equal tasks are one.
    watching = Losing(victim, flags)
    with (
        Scheduler(tmp_path) as scheduler,
        WorkerProcess(scheduler.address, tmp_path / "one", name="one", jobs=1).ready() as one,
        WorkerProcess(scheduler.address, tmp_path / "two", name="two", jobs=1).ready() as two,
        Cluster(scheduler.address, Security()) as cluster,
    ):
        watching.workers = {"one": one, "two": two}
        words = {label: f"wait {flag}" for label, flag in flags.items()}
        store = Store(tmp_path / "store")
        journal = go(store, cluster, FakeBoards(tmp_path), watching, words)
    assert journal.count("done") == len(CELLS)
    assert watching.jobs == [2, 1]
    assert watching.again == [victim]
    assert watching.machines[victim] == watching.machines[other]


def test_a_full_disk_here_stops_the_machines(
    tmp_path: Path, scheduler: Scheduler, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(tmp_path / "store")

    def full(*_: object) -> None:
        raise StoreError("full")

    def fill(label: str) -> None:
        if label == CELLS[2].label:
            monkeypatch.setattr(Store, "put", full)

    words = {CELLS[3].label: "hang"}
    with (
        Cluster(scheduler.address, Security()) as cluster,
        pytest.raises(StoreError, match=r"^full$"),
    ):
        go(store, cluster, FakeBoards(tmp_path), Watching(fill), words)
    (name,) = store.run_names()
    assert store.journal(name).count("failed") == 0


def test_what_comes_out_otherwise_names_its_machine(tmp_path: Path, scheduler: Scheduler) -> None:
    store, fake = Store(tmp_path / "store"), FakeBoards(tmp_path)
    with Cluster(scheduler.address, Security()) as cluster:
        runner = FakeBoardsRunner(cluster.run, fake)
        options = Options(quick=True, fresh=True)
        execute(EXPERIMENT, CELLS, options, runner, store, Notes(), cluster)
        runner.factor = 1.5
        execute(EXPERIMENT, CELLS, options, runner, store, Watching(), cluster)
    journal = store.journal()
    assert journal.count("failed") == len(CELLS)
    problems = [entry.problem for entry in journal.entries]
    assert any(problem.endswith((" Measured on one.", " Measured on two.")) for problem in problems)
