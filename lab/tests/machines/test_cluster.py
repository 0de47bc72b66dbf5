# SPDX-License-Identifier: Apache-2.0
"""Boards on other machines: the same as here, and all that can happen on the way."""

import shutil
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest
from commands import invoke
from dask_here import (
    PATIENCE,
    FakeBoards,
    FakeBoardsRunner,
    Inside,
    Scheduler,
    WorkerProcess,
    alive,
)
from distributed.security import Security

from firesteel.base.errors import FiresteelError, MachinesError, RequestError
from firesteel.boards.result import TopologyRun
from firesteel.boards.run import BoardFailure, RunBoards, RunCancelled, run_topology
from firesteel.cli import bench
from firesteel.machines.cluster import Cluster
from firesteel.machines.worker import Capacity


class Site:
    """Threads that wait for boards, and what a client has been told."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.fake = FakeBoards(directory)
        self.flag = directory / "flag"
        self.pool = ThreadPoolExecutor(4)
        self.told: list[str] = []
        self.began: list[str] = []
        self.cancel = threading.Event()

    def start(self, cluster: Cluster, word: str) -> "Future[TopologyRun]":
        """Runs boards on a thread."""
        workdir = self.directory / "logs"
        return self.pool.submit(self.fake.run, cluster.run, workdir, word, cancel=self.cancel)

    def waiting(self, cluster: Cluster) -> "Future[TopologyRun]":
        """Runs boards that wait for the flag; they have begun."""
        before = len(self.began)
        running = self.start(cluster, f"wait {self.flag}")
        self.until(cluster, lambda: len(self.began) > before)
        return running

    def until(self, cluster: Cluster, holds: Callable[[], bool]) -> None:
        """Takes the news until that holds."""
        deadline = time.monotonic() + PATIENCE
        while not holds():
            assert time.monotonic() < deadline, self.told
            cluster.room()
            for news in cluster.news():
                if isinstance(news, str):
                    self.told.append(news)
                else:
                    self.began.append(news[1])
            time.sleep(0.02)

    def starts(self) -> int:
        """How many boards have waited for the flag."""
        began = self.flag.with_name("flag.began")
        return len(began.read_text().splitlines()) if began.exists() else 0

    def gone(self, pids: Path) -> bool:
        """Whether no emulator is left; what was killed takes a moment."""
        deadline = time.monotonic() + 10
        while alive(pids) and time.monotonic() < deadline:
            time.sleep(0.05)
        return not alive(pids)


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    (tmp_path / "pids").mkdir()
    monkeypatch.setenv("FAKE_QEMU_PIDS", str(tmp_path / "pids"))
    monkeypatch.setenv("FIRESTEEL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("firesteel.machines.cluster._LOOK_SECONDS", 0.1)
    site = Site(tmp_path)
    yield site
    site.flag.touch()
    site.cancel.set()
    site.pool.shutdown()


@pytest.fixture
def inside() -> Iterator[Inside]:
    inside = Inside()
    yield inside
    inside.close()


@pytest.fixture
def cluster(inside: Inside) -> Iterator[Cluster]:
    with Cluster(inside.address, Security()) as cluster:
        yield cluster


def test_boards_elsewhere_are_as_here_and_so_are_their_failures(
    site: Site, inside: Inside, cluster: Cluster
) -> None:
    inside.work("one")
    site.until(cluster, lambda: bool(site.told))
    assert cluster.room() == cluster.at_once() == 2
    assert site.told == ["one joined; 1 machine for 2 cells at a time"]
    there = site.fake.run(cluster.run, site.directory / "there")
    assert there == site.fake.run(run_topology, site.directory / "here")
    files = site.directory / "cache" / "worker" / "files"
    kept = {path.name: path.stat().st_ino for path in files.iterdir()}
    assert len(kept) == 5  # emulator, kernel, image, arguments, driver
    with pytest.raises(BoardFailure) as caught:
        site.fake.run(cluster.run, site.directory / "there", "fail because of this")
    assert {path.name: path.stat().st_ino for path in files.iterdir()} == kept
    assert str(caught.value).startswith("Node `board` on one failed: its job reported a failure.")
    assert caught.value.logs == "because of this"
    console = caught.value.directory / "board" / "console"
    assert console.read_text().startswith("[    0.000000] line 0 of board")


def test_what_a_machine_that_leaves_ran_goes_to_another(
    site: Site, inside: Inside, cluster: Cluster
) -> None:
    one = inside.work("one")
    running = site.waiting(cluster)
    inside.close(one)
    site.until(cluster, lambda: any("no machine is ready" in told for told in site.told))
    assert site.gone(site.directory / "pids")
    assert "one left; what ran there is handed to others" in site.told
    assert (cluster.at_once(), cluster.room()) == (0, 1)
    site.flag.touch()
    inside.work("two")
    site.until(cluster, running.done)
    assert running.result().nodes["board"].data == {"said": str(site.flag).encode()}
    assert site.began == ["one", "two"]


def test_what_is_stopped_leaves_nothing_and_may_be_asked_for_again(
    site: Site, inside: Inside, cluster: Cluster
) -> None:
    inside.work("one")
    running = site.waiting(cluster)
    site.until(cluster, lambda: site.starts() == 1)
    assert alive(site.directory / "pids")
    site.cancel.set()
    with pytest.raises(RunCancelled):
        running.result(PATIENCE)
    assert site.gone(site.directory / "pids")
    site.cancel.clear()
    site.flag.touch()
    again = site.start(cluster, f"wait {site.flag}")
    assert again.result(PATIENCE).nodes["board"].data == {"said": str(site.flag).encode()}


def test_equal_cells_of_two_clients_run_once_and_one_of_them_may_stop(
    site: Site, inside: Inside, cluster: Cluster
) -> None:
    inside.work("one")
    with Cluster(inside.address, Security()) as other:
        mine = site.waiting(cluster)
        theirs = site.pool.submit(
            site.fake.run, other.run, site.directory / "theirs", f"wait {site.flag}"
        )
        time.sleep(0.3)
        site.cancel.set()
        with pytest.raises(RunCancelled):
            mine.result(PATIENCE)
        site.flag.touch()
        assert theirs.result(PATIENCE)
        assert site.starts() == 1


def test_a_machine_of_another_version_gets_no_cells(
    site: Site, inside: Inside, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = {"firesteel cells another-lab!": 2, "firesteel memory": 1 << 40}
    with monkeypatch.context() as context:
        context.setattr(Capacity, "resources", other)
        inside.work("old")
    site.until(cluster, lambda: len(site.told) == 2)
    assert site.told[0].startswith("old runs another version of Firesteel or Dask (another-lab!")
    assert site.told[1].startswith(f"no machine is ready at {inside.address}")
    inside.work("new")
    assert site.fake.run(cluster.run, site.directory / "logs")
    site.until(cluster, lambda: bool(site.began))
    assert site.began == ["new"]


def test_a_machine_whose_disk_is_full_leaves_and_the_cell_goes_elsewhere(
    site: Site, inside: Inside, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Usage:
        free = 1 << 20

    full = inside.work("full")
    with monkeypatch.context() as context:
        context.setattr(shutil, "disk_usage", lambda _: Usage)
        running = site.start(cluster, "well")
        with pytest.raises(FiresteelError, match="full takes no more cells: the disk of "):
            full.result(PATIENCE)
    site.until(cluster, lambda: any("full takes no more" in each for each in site.told))
    inside.work("two")
    assert running.result(PATIENCE)


def test_room_is_by_the_memory_of_the_machines(
    site: Site, inside: Inside, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("firesteel.machines.cluster.NODE_BYTES", 1 << 38)
    inside.work("one", 4)  # With memory for 16 boards.
    site.until(cluster, lambda: bool(site.told))
    for boards, room, at_once in (([2, 2, 8], 4, 4), ([2, 8, 8], 4, 2), ([16], 1, 1), ([], 4, 4)):
        cluster.expect(boards)
        assert (cluster.room(), cluster.at_once()) == (room, at_once)
        assert list(cluster.news()) == []
    cluster.expect([17])
    assert (cluster.room(), cluster.at_once()) == (1, 0)
    (lacks,) = cluster.news()
    assert "MiB for a cell of 17 boards" in str(lacks)


def test_processes_that_are_killed(site: Site) -> None:
    """A worker, then the scheduler."""
    with (
        Scheduler(site.directory) as scheduler,
        WorkerProcess(scheduler.address, site.directory / "one", jobs=1) as one,
        WorkerProcess(scheduler.address, site.directory / "two", name="two", jobs=1) as two,
    ):
        workers = {"one": one.ready(), "two": two.ready()}
        with Cluster(scheduler.address, Security()) as cluster:
            running = site.waiting(cluster)
            site.until(cluster, lambda: site.starts() == 1)
            (first,) = site.began
            second = "two" if first == "one" else "one"
            workers[first].send()
            site.until(cluster, lambda: len(site.began) == 2)
            assert site.began[1] == second
            assert site.gone(site.directory / first / "pids")
            scheduler.send()
            with pytest.raises(MachinesError) as caught:
                running.result(PATIENCE)
            assert str(caught.value) == (
                f"The Dask scheduler at {scheduler.address} is lost; finished cells are kept, and "
                "the same command continues from there once it is back."
            )
            with pytest.raises(MachinesError):
                site.fake.run(cluster.run, site.directory / "logs")
        assert site.gone(site.directory / second / "pids")


def test_workers_wait_for_a_scheduler_that_comes_back(site: Site) -> None:
    first, workers = Inside(), Inside()
    workers.address = first.address
    workers.work("one")
    first.close()
    back = Inside(int(first.address.rpartition(":")[2]))
    with Cluster(back.address, Security()) as again:
        assert site.fake.run(again.run, site.directory / "logs")
    workers.close()
    back.close()


def test_nobody_at_an_address_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firesteel.machines.cluster._CONNECT_SECONDS", 1)
    with pytest.raises(FiresteelError, match=r"^No Dask scheduler answers at tcp://127.0.0.1:1 wi"):
        Cluster("tcp://127.0.0.1:1", Security())


def test_commands_run_on_machines(
    site: Site, inside: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    def make(_: object, __: object, boards: RunBoards) -> FakeBoardsRunner:
        return FakeBoardsRunner(boards, site.fake)

    monkeypatch.setattr(bench, "make_runner", make)
    monkeypatch.setattr(
        "firesteel.show.report.write.write_report", lambda *_: site.directory / "page"
    )
    options = ("--quick", "--store", str(site.directory), "--on", inside.address)
    inside.work("one")
    run = invoke("run", "quickstart", *options, "--only", "protocol=ipsec")
    assert run.exit_code == 0
    said = run.stderr.splitlines()
    assert said[0].endswith(": 4 cells, quick sizes, 2 at a time")
    assert any("measuring IPsec AES-256-GCM on one" in line for line in said)
    assert said[-1].startswith("[4/4] ")
    asked = ("--smallest", "board=socrates,socrates-1600", "--require", "throughput >= 0 MB/s")
    words = ("design", "openvpn", *asked, *options, "--only", "suite=aes-256-cbc:none")
    result = invoke(*words)
    assert result.exit_code == 0, result.stderr
    assert "on one" in result.stderr
    with pytest.raises(RequestError, match="with --on each worker has its own"):
        invoke(*words, "--jobs", "2")
