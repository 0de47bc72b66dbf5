# SPDX-License-Identifier: Apache-2.0
"""Running a topology on a stand-in for QEMU: the good way, and all the bad ones."""

import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest

from firesteel.boards.command import BoardProducts
from firesteel.boards.files import socket_directory, sweep
from firesteel.boards.job import Job, JobFile
from firesteel.boards.result import TopologyRun
from firesteel.boards.run import BoardFailure, RunCancelled, run_topology
from firesteel.boards.topology import load_topology

FAKE = Path(__file__).with_name("fake_qemu.py")


def job(does: str) -> Job:
    return Job({"/job/run": JobFile(f"FAKE {does}\n".encode(), 0o755)})


class Lab:
    """A place to run the stand-in, which knows afterwards what is left of it."""

    def __init__(self, directory: Path) -> None:
        self.workdir = directory / "work,dir"
        self.pids = directory / "pids"
        self.sockets = directory / "tmp"
        self.pids.mkdir()
        self.sockets.mkdir()
        qemu = directory / "qemu"
        qemu.write_text(f'#!/bin/sh\nexec {sys.executable} -I -S {FAKE} "$@"\n')
        qemu.chmod(0o755)
        (directory / "base").write_bytes(b"base image")
        self.boards = BoardProducts(qemu, directory / "kernel", directory / "base")

    def run(
        self,
        board: str = "well",
        peer: str = "well",
        *,
        seed: int = 1,
        timeout: float = 30,
        cancel: threading.Event | None = None,
        keep: Path | None = None,
    ) -> TopologyRun:
        return run_topology(
            load_topology("host-host"),
            {"board": job(board), "peer": job(peer)},
            boards={"board": self.boards, "peer": self.boards},
            seed=seed,
            workdir=self.workdir,
            timeout=timeout,
            cancel=cancel,
            keep=keep,
        )

    def failure(self, board: str = "well", peer: str = "well", timeout: float = 30) -> BoardFailure:
        with pytest.raises(BoardFailure) as caught:
            self.run(board, peer, timeout=timeout)
        assert caught.value.directory.is_dir()
        assert str(caught.value.directory) in str(caught.value)
        assert not list(caught.value.directory.glob("*/job"))
        return caught.value

    def wait_until_up(self) -> None:
        """Wait until both nodes have started."""
        deadline = time.monotonic() + 20
        while sum(bool(path.read_text()) for path in self.pids.iterdir()) < 2:
            assert time.monotonic() < deadline
            time.sleep(0.02)

    def strays(self) -> list[str]:
        """Nodes whose process, or a process of its group, is still there.

        What was killed takes a moment to be gone on a busy machine, if nobody waits for it.
        """
        end = time.monotonic() + 5
        while True:
            groups = {path.name: int(path.read_text()) for path in self.pids.iterdir()}
            alive = [name for name, group in groups.items() if group_lives(group)]
            if not alive or time.monotonic() > end:
                return alive
            time.sleep(0.02)


def group_lives(group: int) -> bool:
    """Whether a process of the group runs; one that has ended but waits for its parent does not."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, its_group = stat.read_text().rpartition(")")[2].split()[:3]
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(its_group) == group and state != "Z":
            return True
    return False


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lab:
    lab = Lab(tmp_path)
    monkeypatch.setenv("FAKE_QEMU_PIDS", str(lab.pids))
    monkeypatch.setattr(tempfile, "tempdir", str(lab.sockets))
    return lab


def test_all_power_off(lab: Lab) -> None:
    run = lab.run(board="well hello")
    assert list(run.nodes) == ["board", "peer"]
    board = run.nodes["board"]
    assert board.data == {"said": b"hello"}
    assert board.mark("job-begin").instructions == 2000
    assert board.marks[-1].name == "power-off"
    assert board.console.startswith("[    0.000000] line 0 of board\n")
    assert not list(lab.workdir.iterdir())
    assert not list(lab.sockets.iterdir())


def test_the_trace_digest_is_of_all_nodes_and_the_seed_enters(lab: Lab) -> None:
    digests = [lab.run(seed=seed).trace_digest for seed in (1, 1, 2)]
    assert len(digests[0]) == 64
    assert digests[0] == digests[1] != digests[2]


def test_a_kept_run_has_its_files(lab: Lab, tmp_path: Path) -> None:
    lab.run(keep=tmp_path / "kept")
    assert sorted(path.name for path in (tmp_path / "kept" / "peer").iterdir()) == [
        "console",
        "probe.jsonl",
        "qemu",
        "trace",
    ]
    assert not list(lab.workdir.iterdir())


def test_a_killed_node_is_named_and_not_the_one_that_saw_it(lab: Lab) -> None:
    failure = lab.failure(
        board="exit lockstep: node 1 (peer) died at 1 ns: connection reset", peer="killed"
    )
    assert failure.node == "peer"
    assert "SIGKILL" in failure.reason
    assert "\n[    0.000029] line 29 of peer" in str(failure)
    assert "line 9 of peer" not in str(failure), "only the last lines"
    assert lab.strays() == []


DIED = "lockstep: node 1 (peer) died at 1 ns"
REFUSAL = "lockstep: node 0 (board) has another topology"
LATE = "lockstep: node 1 (peer) did not come within 60 s"


@pytest.mark.parametrize(
    ("board", "peer", "node", "reason"),
    [
        ("hang", "exit the disk is on fire", "peer", "status 1.*: the disk is on fire$"),
        (f"exit {DIED}", "breed", "board", f"^{re.escape(DIED)}$"),
        ("hang", f"exit {REFUSAL}.", "peer", f"^{re.escape(REFUSAL)}$"),
        (f"late {LATE}", "breed", "board", f"^{re.escape(LATE)}$"),
        ("hang", "panic", "peer", "panicked: No init found.$"),
        ("well", "vanish", "peer", "without a power-off"),
        ("well", "damage", "peer", "probe log"),
    ],
)
def test_a_failure_is_told_of_the_node_nearest_to_its_cause(
    lab: Lab, board: str, peer: str, node: str, reason: str
) -> None:
    failure = lab.failure(board=board, peer=peer)
    assert failure.node == node
    assert re.search(reason, failure.reason)
    assert lab.strays() == []


def test_the_limit_of_wall_time_and_a_qemu_that_is_not_there(lab: Lab) -> None:
    failure = lab.failure(peer="breed", timeout=3)
    assert re.search(r"limit of 3 s .*: peer$", failure.reason)
    assert lab.strays() == []
    lab.boards.qemu.unlink()
    assert f"{lab.boards.qemu}: No such file" in lab.failure().reason


def test_a_failed_job_shows_its_logs(lab: Lab) -> None:
    failure = lab.failure(board="fail no such tunnel")
    assert failure.node == "board"
    assert "job" in failure.reason
    assert failure.logs == "no such tunnel"
    assert "\nno such tunnel" in str(failure)


def test_ctrl_c_leaves_nothing(lab: Lab) -> None:
    def interrupt() -> None:
        lab.wait_until_up()
        signal.raise_signal(signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        lab.run(board="hang", peer="breed")
    thread.join()
    assert lab.strays() == []
    assert not list(lab.workdir.iterdir())
    assert not list(lab.sockets.iterdir())


def test_cancel_leaves_nothing(lab: Lab) -> None:
    cancel = threading.Event()
    threading.Timer(0.5, cancel.set).start()
    with pytest.raises(RunCancelled):
        lab.run(board="hang", peer="breed", cancel=cancel)
    assert lab.strays() == []
    assert not list(lab.workdir.iterdir())


def test_a_killed_lab_leaves_no_board_and_the_next_removes_its_files(lab: Lab) -> None:
    program = """
import sys
from pathlib import Path
from firesteel.boards.command import BoardProducts
from firesteel.boards.job import Job, JobFile
from firesteel.boards.run import run_topology
from firesteel.boards.topology import load_topology

job = Job({"/job/run": JobFile(b"FAKE hang ")})
boards = BoardProducts(*(Path(argument) for argument in sys.argv[1:4]))
run_topology(load_topology("host-host"), {"board": job, "peer": job}, seed=1,
             boards={"board": boards, "peer": boards}, workdir=Path(sys.argv[4]), timeout=60)
"""
    boards = lab.boards
    arguments = [boards.qemu, boards.kernel, boards.initramfs, lab.workdir]
    parent = subprocess.Popen(
        [sys.executable, "-c", program, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "TMPDIR": str(lab.sockets)},
    )
    try:
        lab.wait_until_up()
        sweep([lab.workdir])
        (directory,) = lab.workdir.iterdir()
        large = [directory / node / "job" for node in ("board", "peer")]
        assert all(file.is_file() for file in large), "its lab is alive"
    finally:
        parent.kill()
        parent.wait()
    deadline = time.monotonic() + 20
    while lab.strays():
        assert time.monotonic() < deadline
        time.sleep(0.02)
    assert all(file.is_file() for file in large), "nobody was left to remove them"
    failed = lab.failure(board="fail").directory
    sweep([lab.workdir, lab.workdir / "none"])
    assert list(lab.workdir.iterdir()) == [failed], "what a failed run left is kept"


def test_a_killed_lab_s_sockets_are_removed_by_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    program = """
import os
import re
from firesteel.boards.files import socket_directory

with socket_directory() as directory:
    print(directory, flush=True)
    os.kill(os.getpid(), 9)
"""
    with tempfile.TemporaryDirectory(prefix="fs-", dir="/tmp") as parent:
        killed = subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "TMPDIR": parent},
            check=False,
            capture_output=True,
            text=True,
        )
        stale = Path(killed.stdout.strip())
        assert stale.parent == Path(parent)
        assert stale.is_dir()
        monkeypatch.setattr(tempfile, "tempdir", parent)
        with socket_directory() as mine, socket_directory() as other:
            assert not stale.exists()
            assert mine.is_dir(), "it is in use"
            assert other.is_dir()
        assert not list(Path(parent).iterdir())
