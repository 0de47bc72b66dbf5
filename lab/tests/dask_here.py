# SPDX-License-Identifier: Apache-2.0
"""A Dask scheduler and workers as processes of their own, and boards that end at once."""

import asyncio
import contextlib
import json
import os
import queue
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Coroutine, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Self

from distributed.security import Security
from fake_runner import FakeRunner
from processes import environment

from firesteel.base.errors import FiresteelError
from firesteel.boards.command import BoardProducts
from firesteel.boards.job import Job, JobFile
from firesteel.boards.result import TopologyRun
from firesteel.boards.run import RunBoards, RunCancelled
from firesteel.boards.topology import load_topology
from firesteel.machines import scheduler, worker
from firesteel.model.cell import Cell
from firesteel.run.loop import Cancelled

FAKE_QEMU = Path(__file__).parent / "boards" / "fake_qemu.py"
PATIENCE = 180.0
"""Seconds; a worker loads much, and machines of tests are busy."""


class Process:
    """A process whose lines can be waited for; killed at the end, with all that it started."""

    def __init__(self, command: Sequence[str], env: dict[str, str]) -> None:
        self.lines: list[str] = []
        self.environment = env
        self._process = subprocess.Popen(
            command,
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self._queue: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as out:
            for line in out:
                self._queue.put(line.rstrip("\n"))
        self._queue.put(None)

    @property
    def pid(self) -> int:
        """Its number."""
        return self._process.pid

    def expect(self, pattern: str) -> str:
        """Waits for a line in which that is found."""
        deadline = time.monotonic() + PATIENCE
        while True:
            line = self._queue.get(timeout=max(0.01, deadline - time.monotonic()))
            assert line is not None, f"ended without {pattern}: {self.lines}"
            self.lines.append(line)
            if re.search(pattern, line):
                return line

    def send(self, number: int = signal.SIGKILL) -> None:
        """Sends a signal."""
        self._process.send_signal(number)

    def wait(self) -> int:
        """The exit status."""
        status = self._process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        while (line := self._queue.get()) is not None:
            self.lines.append(line)
        return status

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait(PATIENCE)
        self._reader.join(2)  # What it started may hold the pipe open.


class Inside:
    """A scheduler and workers on a thread of this process."""

    def __init__(self, port: int = 0) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._ended: dict[Future[None], threading.Event] = {}
        told: queue.SimpleQueue[str] = queue.SimpleQueue()
        serve = scheduler.serve("127.0.0.1", port, 0, Security(), lambda at, _: told.put(at))
        self.scheduler = self._start(serve)
        self.address = told.get(timeout=PATIENCE)

    def work(self, name: str, jobs: int = 2) -> "Future[None]":
        """Starts a worker, which ends with the test or by `close`."""
        told: queue.SimpleQueue[str] = queue.SimpleQueue()
        capacity = worker.Capacity(jobs, jobs << 40)
        serve = worker.serve(self.address, name, capacity, Security(), PATIENCE, told.put)
        ended = self._start(serve)
        assert "works for" in told.get(timeout=PATIENCE)
        return ended

    def _start(self, work: Coroutine[None, None, None]) -> "Future[None]":
        ended = threading.Event()

        async def until_it_ends() -> None:
            try:
                await work
            finally:
                ended.set()

        future = asyncio.run_coroutine_threadsafe(until_it_ends(), self._loop)
        self._ended[future] = ended
        return future

    def close(self, which: "Future[None] | None" = None) -> None:
        """Ends that worker, or all of them and the scheduler."""
        for each in [which] if which else reversed(self._ended):
            each.cancel()
            assert self._ended[each].wait(PATIENCE)
        if which is None:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(PATIENCE)


class Scheduler(Process):
    """Dask's own, on the loopback."""

    def __init__(self, directory: Path, *more: str, port: int = 0) -> None:
        told = Path(tempfile.mkdtemp(dir=directory)) / "scheduler.json"
        command = (sys.executable, "-P", "-m", "distributed.cli.dask_scheduler")
        options = ("--host", "127.0.0.1", "--port", str(port), "--no-dashboard", "--no-show")
        env = environment(directory)
        super().__init__([*command, *options, "--scheduler-file", str(told), *more], env)
        deadline = time.monotonic() + PATIENCE
        self.address = ""
        while not self.address:
            assert time.monotonic() < deadline
            time.sleep(0.02)
            try:
                self.address = json.loads(told.read_text())["address"]
            except (FileNotFoundError, ValueError):
                continue

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self.address.rpartition(":")[2])


class WorkerProcess(Process):
    """`firesteel machines ADDRESS`."""

    def __init__(
        self, address: str, cache: Path, *more: str, name: str = "one", jobs: int = 2
    ) -> None:
        cache.mkdir(exist_ok=True)
        (cache / "pids").mkdir(exist_ok=True)
        (cache / "tmp").mkdir(exist_ok=True)
        env = environment(cache) | {
            "FAKE_QEMU_PIDS": str(cache / "pids"),
            "TMPDIR": str(cache / "tmp"),
            # A scheduler that is gone is not waited for when a worker closes.
            "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "5s",
        }
        options = ("--name", name, "--jobs", str(jobs), *more)
        command = (sys.executable, "-P", "-m", "firesteel", "machines", address)
        super().__init__([*command, *options], env)

    def ready(self) -> Self:
        """Waits until the scheduler has it."""
        self.expect("works for")
        return self


class FakeBoards:
    """Jobs and products of boards that do what a word says (`boards/fake_qemu.py`)."""

    def __init__(self, directory: Path) -> None:
        qemu = directory / "qemu"
        qemu.write_text(f'#!/bin/sh\nexec {sys.executable} -I -S {FAKE_QEMU} "$@"\n')
        qemu.chmod(0o755)
        (directory / "base").write_bytes(b"base image" + bytes(100_000))
        (directory / "kernel").write_bytes(b"kernel")
        self.products = BoardProducts(qemu, directory / "kernel", directory / "base")

    def run(
        self,
        boards: RunBoards,
        workdir: Path,
        word: str = "well hello",
        *,
        seed: int = 1,
        cancel: threading.Event | None = None,
    ) -> TopologyRun:
        """Two of them, whose board does as the word says."""
        topology = load_topology("host-host")
        large = JobFile(bytes(20_000) + b"driver")
        jobs = {
            node: Job({"/job/run": JobFile(f"FAKE {does}\n".encode(), 0o755), "/job/x.ko": large})
            for node, does in (("board", word), ("peer", "well"))
        }
        return boards(
            topology,
            jobs,
            boards=dict.fromkeys(topology.nodes, self.products),
            seed=seed,
            workdir=workdir,
            timeout=30,
            cancel=cancel,
        )


class FakeBoardsRunner(FakeRunner):
    """Runs fake boards for each cell, then makes figures up for it.

    `words` say what the board of a cell does, by its label; what it says is checked, unless a
    subclass says that it says nothing.
    """

    expects = True

    def __init__(self, boards: RunBoards, fake: FakeBoards) -> None:
        super().__init__()
        self.words: dict[str, str] = {}
        self._boards = boards
        self._fake = fake

    def measure(self, cell: Cell, logs: Path, cancel: threading.Event) -> TopologyRun:
        word = self.words.get(cell.label, f"well {cell.label}")
        try:
            ran = self._fake.run(self._boards, logs, word, seed=cell.seed, cancel=cancel)
        except RunCancelled:
            raise Cancelled from None
        if self.expects and ran.nodes["board"].data != {"said": word.partition(" ")[2].encode()}:
            raise FiresteelError(f"{cell.label}: its board said something else.")
        return super().measure(cell, logs / "made-up", threading.Event())


def alive(directory: Path) -> list[int]:
    """The fake emulators that still run, of those that wrote their numbers there."""
    found = []
    for path in directory.iterdir():
        number = int(path.read_text() or 0)
        try:
            state = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            continue
        if state != "Z" and os.getpgid(number) == number:
            found.append(number)
    return found
