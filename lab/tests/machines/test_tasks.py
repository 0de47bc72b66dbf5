# SPDX-License-Identifier: Apache-2.0
"""Tasks: what they depend on, and what travels with them; and files that arrive on a machine."""

import errno
import hashlib
import os
import shutil
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from dask_here import FakeBoards

from firesteel.boards.command import BoardProducts
from firesteel.boards.job import Job, JobFile
from firesteel.boards.run import RunCancelled
from firesteel.boards.topology import load_profiles, load_topology
from firesteel.machines.task import SMALL, Packer, Task, bytes_of
from firesteel.machines.worker import DiskFull, Machine


def pack(
    packer: Packer, fake: FakeBoards, word: str = "well", *, seed: int = 1, driver: bytes = b""
) -> Task:
    topology = load_topology("host-host")
    files = {"/job/run": JobFile(f"FAKE {word}\n".encode(), 0o755), "/job/x.ko": JobFile(driver)}
    jobs = {node: Job(files) for node in topology.nodes}
    boards = dict.fromkeys(topology.nodes, fake.products)
    return packer.pack(topology, load_profiles(topology), seed, 30, boards, jobs)


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeBoards:
    (tmp_path / "pids").mkdir()
    monkeypatch.setenv("FAKE_QEMU_PIDS", str(tmp_path / "pids"))
    return FakeBoards(tmp_path)


class Client:
    """Hands out what a packer knows, and counts."""

    def __init__(self, packer: Packer) -> None:
        self.packer = packer
        self.asked: Counter[str] = Counter()

    def fetch(self, digest: str) -> bytes:
        self.asked[digest] += 1
        source = self.packer.source(digest)
        assert source is not None
        return bytes_of(source)


def test_all_that_boards_do_is_in_the_key_and_nothing_else(
    fake: FakeBoards, tmp_path: Path
) -> None:
    packer = Packer()
    assert pack(packer, fake).key == pack(Packer(), fake).key
    keys = {
        pack(packer, fake).key,
        pack(packer, fake, "well other").key,
        pack(packer, fake, seed=2).key,
        pack(packer, fake, driver=b"driver").key,
    }
    for name in ("qemu", "kernel", "initramfs", "cmdline"):
        (tmp_path / "other").write_text(f"other {name}")
        products = vars(fake.products) | {name: tmp_path / "other"}
        changed = FakeBoards(tmp_path)
        changed.products = BoardProducts(**products)
        keys.add(pack(Packer(), changed).key)
    assert len(keys) == 8


def test_two_versions_of_the_lab_share_no_task(
    fake: FakeBoards, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = pack(Packer(), fake).key
    monkeypatch.setattr("firesteel.machines.task.lab_version", lambda: "another")
    assert pack(Packer(), fake).key != ours


def test_the_order_of_nodes_counts(fake: FakeBoards) -> None:
    topology = load_topology("host-host")
    turned = topology.model_copy(update={"nodes": dict(reversed(topology.nodes.items()))})
    keys = set()
    for each in (topology, turned):
        jobs = {node: Job({"/job/run": JobFile(b"FAKE well\n")}) for node in topology.nodes}
        boards = dict.fromkeys(topology.nodes, fake.products)
        keys.add(Packer().pack(each, load_profiles(each), 1, 30, boards, jobs).key)
    assert len(keys) == 2


def test_large_files_travel_on_their_own(fake: FakeBoards) -> None:
    packer = Packer()
    large = bytes(SMALL + 1)
    task = pack(packer, fake, driver=large)
    digest = hashlib.sha256(large).hexdigest()
    assert task.sizes[digest] == SMALL + 1
    assert digest not in task.small
    assert packer.source(digest) == large
    assert b"FAKE well\n" in task.small.values()
    products = [fake.products.qemu, fake.products.kernel, fake.products.initramfs]
    assert {hashlib.sha256(path.read_bytes()).hexdigest() for path in products} < set(task.sizes)


def test_a_machine_asks_for_each_file_once(fake: FakeBoards, tmp_path: Path) -> None:
    client, machine = Client(Packer()), Machine("one", tmp_path / "machine")
    tasks = [pack(client.packer, fake, seed=seed, driver=bytes(SMALL + 1)) for seed in range(4)]

    def run(task: Task) -> str:
        outcome = machine.run(task, client.fetch, threading.Event())
        assert outcome.run is not None
        return outcome.run.trace_digest

    with ThreadPoolExecutor(4) as pool:
        assert len(set(pool.map(run, tasks))) == 4
    assert set(client.asked.values()) == {1}
    again = Machine("one", tmp_path / "machine")
    assert again.run(tasks[0], client.fetch, threading.Event()).run is not None
    assert set(client.asked.values()) == {1}
    assert not list((tmp_path / "machine" / "runs").iterdir())


def test_what_arrives_damaged_is_never_run(fake: FakeBoards, tmp_path: Path) -> None:
    machine = Machine("one", tmp_path / "machine")
    task = pack(Packer(), fake)
    outcome = machine.run(task, lambda _: b"something else", threading.Event())
    assert outcome.run is None
    assert "arrived damaged at one" in outcome.problem
    assert not list((tmp_path / "machine" / "files").glob("*"))


def test_a_file_that_the_disk_damaged_is_asked_for_again(fake: FakeBoards, tmp_path: Path) -> None:
    client, place = Client(Packer()), tmp_path / "machine"
    task = pack(client.packer, fake)
    assert Machine("one", place).run(task, client.fetch, threading.Event()).run is not None
    for path in (place / "files").iterdir():
        path.chmod(0o644)
        path.write_bytes(b"damaged")
    assert Machine("one", place).run(task, client.fetch, threading.Event()).run is not None
    assert set(client.asked.values()) == {2}


def test_a_failed_node_hands_back_its_logs(fake: FakeBoards, tmp_path: Path) -> None:
    client, machine = Client(Packer()), Machine("one", tmp_path / "machine")
    task = pack(client.packer, fake, "panic")
    outcome = machine.run(task, client.fetch, threading.Event())
    assert outcome.failure is not None
    assert "panicked" in outcome.failure.reason
    assert outcome.logs[f"{outcome.failure.node}/console"].count(b"Kernel panic") == 1
    assert not list((tmp_path / "machine" / "runs").iterdir())


def test_a_cancelled_task_leaves_nothing(fake: FakeBoards, tmp_path: Path) -> None:
    client, machine, cancel = Client(Packer()), Machine("one", tmp_path / "m"), threading.Event()
    task = pack(client.packer, fake, "hang")
    threading.Timer(0.3, cancel.set).start()
    with pytest.raises(RunCancelled):
        machine.run(task, client.fetch, cancel)
    assert not list((tmp_path / "m" / "runs").iterdir())


class _Usage:
    free = 1 << 20


def test_a_disk_without_space_is_said_before_anything_is_fetched(
    fake: FakeBoards, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, machine = Client(Packer()), Machine("one", tmp_path / "m")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: _Usage)
    with pytest.raises(DiskFull, match=r"no space for a cell \(1 MiB free\)"):
        machine.run(pack(client.packer, fake), client.fetch, threading.Event())
    assert not client.asked


@pytest.mark.parametrize("what", ["fetched", "run"])
def test_a_disk_that_fills_up_is_said(
    fake: FakeBoards, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    client, machine = Client(Packer()), Machine("one", tmp_path / "m")
    task = pack(client.packer, fake)

    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "x")

    place = "firesteel.boards.run.job_archive" if what == "run" else "os.fsync"
    monkeypatch.setattr(place, full)
    with pytest.raises(DiskFull):
        machine.run(task, client.fetch, threading.Event())
    assert not list((tmp_path / "m" / "runs").iterdir())
    assert not list((tmp_path / "m" / "files").glob(".*"))
