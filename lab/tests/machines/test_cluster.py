# SPDX-License-Identifier: Apache-2.0
"""Boards on other machines: the same as here, and all that can happen on the way."""

import signal
import sys
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
    Process,
    Scheduler,
    WorkerProcess,
    alive,
)
from distributed.security import Security

from firesteel.base.errors import FiresteelError, MachinesError, RequestError
from firesteel.board.files import NODE_BYTES
from firesteel.board.result import TopologyRun
from firesteel.board.run import BoardFailure, RunBoards, RunCancelled, run_topology
from firesteel.cli import bench
from firesteel.machines.cluster import Cluster
from firesteel.machines.version import CELLS, MEMORY, lab_version

AS_ANOTHER = """
import sys
from firesteel.machines import version
version.lab_version = lambda: "another-lab!"
from firesteel.cli import main
sys.argv[1:1] = ["machines"]
main()
"""

ON_A_FULL_DISK = """
import shutil, sys
class Usage:
    free = 1 << 20
shutil.disk_usage = lambda _: Usage
from firesteel.cli import main
sys.argv[1:1] = ["machines"]
main()
"""


class Site:
    """A scheduler, a client of it, and threads that wait for boards."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.fake = FakeBoards(directory)
        self.flag = directory / "flag"
        self.pool = ThreadPoolExecutor(4)
        self.told: list[str] = []
        self.began: list[str] = []
        self.cancel = threading.Event()

    def start(self, cluster: Cluster, word: str, seed: int = 1) -> "Future[TopologyRun]":
        """Runs boards on a thread."""
        workdir = self.directory / "logs"
        return self.pool.submit(
            self.fake.run, cluster.run, workdir, word, seed=seed, cancel=self.cancel
        )

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
                    self.began.append(news[1] or "nowhere")
            time.sleep(0.05)

    def starts(self) -> int:
        """How many boards have waited for the flag."""
        began = self.flag.with_name("flag.began")
        return len(began.read_text().splitlines()) if began.exists() else 0


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    (tmp_path / "pids").mkdir()
    monkeypatch.setenv("FAKE_QEMU_PIDS", str(tmp_path / "pids"))
    site = Site(tmp_path)
    yield site
    site.flag.touch()
    site.cancel.set()
    site.pool.shutdown()


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scheduler]:
    """One for all tests but those that end it; each has its own workers."""
    with Scheduler(tmp_path_factory.mktemp("scheduler")) as scheduler:
        yield scheduler


@pytest.fixture
def cluster(scheduler: Scheduler) -> Iterator[Cluster]:
    with Cluster(scheduler.address, Security()) as cluster:
        yield cluster


def gone(directory: Path) -> bool:
    """Whether no emulator of a worker is left; what was killed takes a moment."""
    deadline = time.monotonic() + 10
    while alive(directory / "pids"):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def test_boards_elsewhere_are_as_here_and_so_are_their_failures(
    site: Site, scheduler: Scheduler, cluster: Cluster
) -> None:
    assert "dashboard is not there" in cluster.greeting
    with WorkerProcess(scheduler.address, site.directory / "one").ready():
        site.until(cluster, lambda: any("one joined" in told for told in site.told))
        assert cluster.room() == cluster.at_once() == 2
        assert site.told[-1] == "one joined; 1 machine for 2 cells at a time"
        there = site.fake.run(cluster.run, site.directory / "there")
        assert there == site.fake.run(run_topology, site.directory / "here")
        files = site.directory / "one" / "worker" / "files"
        kept = {path.name: path.stat().st_ino for path in files.iterdir()}
        assert len(kept) == 5  # emulator, kernel, image, arguments, driver
        with pytest.raises(BoardFailure) as caught:
            site.fake.run(cluster.run, site.directory / "there", "fail because of this")
        # What arrives again is another file in its place.
        assert {path.name: path.stat().st_ino for path in files.iterdir()} == kept
    assert str(caught.value).startswith("Node `board` on one failed: its job reported a failure.")
    assert caught.value.logs == "because of this"
    logs = caught.value.directory
    assert logs.parent == site.directory / "there"
    assert (logs / "board" / "console").read_text().startswith("[    0.000000] line 0 of board")


def test_room_and_time_are_for_the_cells_that_are_left(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "_looked", time.monotonic() + PATIENCE)
    resources = {f"{CELLS} {lab_version()}": 4, MEMORY: 8 * NODE_BYTES}
    worker = {"name": "one", "status": "running", "resources": resources}
    assert list(cluster._workers.look({"tcp://one:1": worker}))
    for boards, room, at_once in (
        ([2, 2, 8], 4, 4),
        ([2, 8, 8], 4, 1),  # Small ones go where the large ones leave memory.
        ([8, 8], 1, 1),
        ([], 4, 4),
    ):
        cluster.expect(boards)
        assert (cluster.room(), cluster.at_once()) == (room, at_once)
        assert list(cluster.news()) == []
    cluster.expect([9])
    assert (cluster.room(), cluster.at_once()) == (1, 0)
    (lacks,) = cluster.news()
    assert f"has {9 * 768} MiB for a cell of 9 boards" in str(lacks)


def test_what_a_killed_worker_ran_goes_to_another(
    site: Site, scheduler: Scheduler, cluster: Cluster
) -> None:
    with (
        WorkerProcess(scheduler.address, site.directory / "one", name="one").ready() as one,
    ):
        running = site.waiting(cluster)
        assert site.began == ["one"]
        one.send()
        site.until(cluster, lambda: any("no machine is ready" in told for told in site.told))
        assert gone(site.directory / "one")
    assert "one left; what ran there is handed to others" in site.told
    assert cluster.at_once() == 0
    assert cluster.room() == 1
    site.flag.touch()
    with WorkerProcess(scheduler.address, site.directory / "two", name="two").ready():
        site.until(cluster, running.done)
        assert running.result().nodes["board"].data == {"said": str(site.flag).encode()}
    assert site.began == ["one", "nowhere", "two"]
    assert cluster.at_once() == 2


def test_a_cell_that_kills_its_workers_fails(
    site: Site, scheduler: Scheduler, cluster: Cluster
) -> None:
    running = site.start(cluster, "hang")
    for name in ("a", "b", "c", "d"):
        before = len(site.began)
        with WorkerProcess(scheduler.address, site.directory / name, name=name).ready() as worker:
            site.until(cluster, lambda since=before: len(site.began) > since)  # type: ignore[misc]
            worker.send()
            worker.wait()
    with pytest.raises(FiresteelError, match=r"^4 workers died while they ran this cell, the last"):
        running.result(PATIENCE)


def test_what_is_stopped_leaves_nothing_on_a_worker(
    site: Site, scheduler: Scheduler, cluster: Cluster
) -> None:
    with WorkerProcess(scheduler.address, site.directory / "one").ready():
        running = site.waiting(cluster)
        site.until(cluster, lambda: site.starts() == 1)
        assert alive(site.directory / "one" / "pids")
        site.cancel.set()
        with pytest.raises(RunCancelled):
            running.result(PATIENCE)
        assert gone(site.directory / "one")
        site.cancel.clear()
        site.flag.touch()
        again = site.start(cluster, f"wait {site.flag}")  # The very task that was stopped.
        assert again.result(PATIENCE).nodes["board"].data == {"said": str(site.flag).encode()}


def test_a_scheduler_that_is_lost_ends_the_run_and_workers_wait_for_it(site: Site) -> None:
    with (
        Scheduler(site.directory) as scheduler,
        WorkerProcess(scheduler.address, site.directory / "one", jobs=1).ready() as one,
    ):
        with Cluster(scheduler.address, Security()) as cluster:
            running = site.waiting(cluster)
            scheduler.send()
            with pytest.raises(MachinesError) as caught:
                running.result(PATIENCE)
            assert str(caught.value) == (
                f"The Dask scheduler at {scheduler.address} is lost; finished cells are kept, and "
                "the same command continues from there once it is back."
            )
            with pytest.raises(MachinesError):
                site.fake.run(cluster.run, site.directory / "logs")
        one.expect("is lost; waiting 60 s for it")
        assert gone(site.directory / "one")
        with Scheduler(site.directory, port=scheduler.port) as back:
            one.expect("one works for .*: 1 cell at a time")
            with Cluster(back.address, Security()) as again:
                assert site.fake.run(again.run, site.directory / "logs")
            one.send(signal.SIGTERM)
            assert one.wait() == 130
    assert one.lines[-1] == "firesteel: stopped."


def test_equal_cells_of_two_clients_run_once(
    site: Site, scheduler: Scheduler, cluster: Cluster
) -> None:
    with (
        WorkerProcess(scheduler.address, site.directory / "one").ready(),
        Cluster(scheduler.address, Security()) as other,
    ):
        mine = site.waiting(cluster)
        theirs = site.start(other, f"wait {site.flag}")
        time.sleep(0.5)
        site.flag.touch()
        assert mine.result(PATIENCE) == theirs.result(PATIENCE)
        assert site.starts() == 1


def test_of_two_clients_one_may_stop(site: Site, scheduler: Scheduler, cluster: Cluster) -> None:
    other_site = Site(site.directory)
    with (
        WorkerProcess(scheduler.address, site.directory / "one").ready(),
        Cluster(scheduler.address, Security()) as other,
    ):
        mine = site.waiting(cluster)
        theirs = other_site.start(other, f"wait {site.flag}")
        time.sleep(0.5)
        site.cancel.set()
        with pytest.raises(RunCancelled):
            mine.result(PATIENCE)
        site.flag.touch()
        assert theirs.result(PATIENCE)
        assert site.starts() == 1
    other_site.pool.shutdown()


def special(script: str, address: str, cache: Path, name: str) -> Process:
    """A worker on a machine where something is otherwise."""
    with WorkerProcess("tcp://127.0.0.1:1", cache) as unused:
        env = unused.environment
    command = [sys.executable, "-P", "-c", script, address, "--name", name, "--jobs", "2"]
    return Process(command, env)


def test_a_worker_of_another_version_gets_no_cells(
    site: Site, scheduler: Scheduler, cluster: Cluster
) -> None:
    with special(AS_ANOTHER, scheduler.address, site.directory / "old", "old") as old:
        old.expect("works for")
        site.until(cluster, lambda: len(site.told) == 2)
        assert site.told[0].startswith("old runs another version of Firesteel or Dask (another-")
        assert site.told[1].startswith(f"no machine is ready at {scheduler.address}")
        with WorkerProcess(scheduler.address, site.directory / "new", name="new").ready():
            assert site.fake.run(cluster.run, site.directory / "logs")
            site.until(cluster, lambda: bool(site.began))
    assert site.began == ["new"]


def test_a_worker_whose_disk_is_full_leaves_and_the_cell_goes_elsewhere(
    site: Site, scheduler: Scheduler, cluster: Cluster
) -> None:
    with special(ON_A_FULL_DISK, scheduler.address, site.directory / "full", "full") as full:
        full.expect("works for")
        running = site.start(cluster, "well")
        assert full.wait() == 1
        assert full.lines[-1].startswith("firesteel: full takes no more cells: the disk of ")
        site.until(cluster, lambda: any("full takes no more" in each for each in site.told))
        with WorkerProcess(scheduler.address, site.directory / "two", name="two").ready():
            assert running.result(PATIENCE)


def test_files_that_went_to_a_worker_that_died_are_offered_again(
    site: Site, scheduler: Scheduler, cluster: Cluster
) -> None:
    with WorkerProcess(scheduler.address, site.directory / "one").ready() as one:
        assert site.fake.run(cluster.run, site.directory / "logs")
        one.send()
        one.wait()
    with WorkerProcess(scheduler.address, site.directory / "two").ready():
        assert site.fake.run(cluster.run, site.directory / "logs", seed=2)


def test_a_client_that_dies_leaves_nothing_on_workers(site: Site, scheduler: Scheduler) -> None:
    script = f"""
import sys
from pathlib import Path
from dask_here import FakeBoards
from distributed.security import Security
from firesteel.machines.cluster import Cluster
with Cluster({scheduler.address!r}, Security()) as cluster:
    FakeBoards(Path({str(site.directory)!r})).run(cluster.run, Path("/nonexistent"), "hang")
"""
    with WorkerProcess(scheduler.address, site.directory / "one").ready() as one:
        with Process([sys.executable, "-P", "-c", script], one.environment) as client:
            deadline = time.monotonic() + PATIENCE
            while not alive(site.directory / "one" / "pids"):
                assert time.monotonic() < deadline
                time.sleep(0.05)
            client.send()
            client.wait()
        assert gone(site.directory / "one")


def test_nobody_at_an_address_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firesteel.machines.cluster._CONNECT_SECONDS", 1)
    with pytest.raises(FiresteelError, match=r"^No Dask scheduler answers at tcp://127.0.0.1:1 wi"):
        Cluster("tcp://127.0.0.1:1", Security())


def test_commands_run_on_machines(
    site: Site, scheduler: Scheduler, monkeypatch: pytest.MonkeyPatch
) -> None:
    def make(_: object, __: object, boards: RunBoards) -> FakeBoardsRunner:
        return FakeBoardsRunner(boards, site.fake)

    monkeypatch.setattr(bench, "make_runner", make)
    monkeypatch.setattr("firesteel.report.write.write_report", lambda *_: site.directory / "page")
    options = ("--quick", "--store", str(site.directory), "--on", scheduler.address)
    studied = ("--only", "suite=aes-256-cbc:none")
    asked = ("--smallest", "board=socrates,socrates-1600", "--require", "throughput >= 0 MB/s")
    with WorkerProcess(scheduler.address, site.directory / "one").ready():
        run = invoke("run", "quickstart", *options, "--only", "protocol=ipsec")
        for words, answer in (
            (("sensitivity", "openvpn", "--assumption", "register-access"), "verdicts hold"),
            (("design", "openvpn", *asked), "all requirements is socrates."),
        ):
            result = invoke(*words, *options, *studied)
            assert result.exit_code == 0, result.stderr
            assert "on one" in result.stderr
            assert answer in result.stdout
            with pytest.raises(RequestError, match="with --on each worker has its own"):
                invoke(*words, *options, *studied, "--jobs", "2")
    assert run.exit_code == 0
    said = run.stderr.splitlines()
    assert said[0].startswith("Dask's dashboard is not there")
    assert said[1].endswith(": 4 cells, quick sizes, 2 at a time")
    assert any("measuring IPsec AES-256-GCM on one" in line for line in said)
    assert said[-1].startswith("[4/4] ")
