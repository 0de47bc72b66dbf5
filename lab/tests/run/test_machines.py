# SPDX-License-Identifier: Apache-2.0
"""Runs on other machines: the same records, nothing lost, and two that want the same cells."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from dask_here import FakeBoards, FakeBoardsRunner, Inside
from distributed.security import Security
from fake_watcher import Notes

from firesteel.base.errors import MachinesError, StoreError
from firesteel.boards.run import run_topology
from firesteel.machines.cluster import Cluster
from firesteel.run.experiment.experiment import load_experiment
from firesteel.run.loop import Options, execute
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


@pytest.fixture
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Inside]:
    """A scheduler with two workers."""
    (tmp_path / "pids").mkdir()
    monkeypatch.setenv("FAKE_QEMU_PIDS", str(tmp_path / "pids"))
    monkeypatch.setenv("FIRESTEEL_CACHE", str(tmp_path / "cache"))
    inside = Inside()
    inside.work("one", jobs=1)
    inside.work("two", jobs=1)
    yield inside
    inside.close()


@pytest.fixture
def cluster(inside: Inside) -> Iterator[Cluster]:
    with Cluster(inside.address, Security()) as cluster:
        yield cluster


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def go(
    store: Store,
    cluster: Cluster | None,
    watcher: Notes | None = None,
    words: dict[str, str] | None = None,
    *,
    fresh: bool = False,
    factor: float = 1,
) -> Journal:
    runner = FakeBoardsRunner(
        cluster.run if cluster else run_topology, FakeBoards(store.root.parent)
    )
    runner.words, runner.factor = words or {}, factor
    told, options = watcher or Notes(), Options(quick=True, fresh=fresh)
    return execute(EXPERIMENT, CELLS, options, runner, store, told, cluster)


def files(store: Store) -> dict[str, bytes]:
    return {
        path.relative_to(store.root).as_posix(): path.read_bytes()
        for kind in ("records", "observations")
        for path in (store.root / kind).rglob("*.*")
    }


def test_two_workers_make_the_records_of_this_machine(store: Store, cluster: Cluster) -> None:
    watching, here = Watching(), Store(store.root.parent / "here")
    journal = go(store, cluster, watching)
    assert journal.count("done") == len(CELLS)
    assert set(watching.machines.values()) == {"one", "two"}
    assert watching.remarks == ["one, two joined; 2 machines for 2 cells at a time"]
    assert watching.jobs == [2]
    go(here, None)
    assert files(store) == files(here)
    assert len(files(store)) == 2 * len(CELLS)
    again = go(store, cluster, fresh=True, factor=1.5)
    assert again.count("failed") == len(CELLS)
    ends = (" Measured on one.", " Measured on two.")
    assert any(entry.problem.endswith(ends) for entry in again.entries)


@pytest.mark.usefixtures("inside")
def test_that_a_cell_waited_for_a_machine_is_none_of_its_seconds(store: Store) -> None:
    empty = Inside()
    threading.Timer(2, empty.work, ("late",)).start()
    with Cluster(empty.address, Security()) as cluster:
        journal = go(store, cluster)
    empty.close()
    assert all(entry.seconds is not None and entry.seconds < 2 for entry in journal.entries)


def test_a_cell_that_fails_has_its_logs_here(store: Store, cluster: Cluster) -> None:
    label = CELLS[3].label
    journal = go(store, cluster, words={label: "fail of this"})
    (failed,) = [entry for entry in journal.entries if entry.state == "failed"]
    assert failed.cell.label == label
    assert failed.problem.startswith("Node `board` on ")
    assert failed.problem.endswith("--- from its job ---\nof this")
    (console,) = store.logs(journal.name).rglob("board/console")
    assert "line 0 of board" in console.read_text()


def test_a_lost_scheduler_loses_nothing(store: Store, inside: Inside, cluster: Cluster) -> None:
    waits, flag = CELLS[4].label, store.root.parent / "flag"

    def lose(label: str) -> None:
        if label == waits:
            inside.close(inside.scheduler)

    words = {waits: f"wait {flag}"}
    with pytest.raises(MachinesError, match="the same command continues from there"):
        go(store, cluster, Watching(lose), words)
    (name,) = store.run_names()
    stopped = store.journal(name)
    assert stopped.count("failed") == 0
    flag.touch()
    notes = Notes()
    assert go(store, None, notes, words).count("done") == len(CELLS)
    assert notes.endings.count("stored") == stopped.count("done") >= 3


def test_a_full_disk_here_stops_the_machines(
    store: Store, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise StoreError("full")

    def fill(label: str) -> None:
        if label == CELLS[2].label:
            monkeypatch.setattr(Store, "put", full)

    with pytest.raises(StoreError, match=r"^full$"):
        go(store, cluster, Watching(fill), {CELLS[3].label: "hang"})
    (name,) = store.run_names()
    assert store.journal(name).count("failed") == 0
