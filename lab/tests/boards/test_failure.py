# SPDX-License-Identifier: Apache-2.0
"""What is told of a node's failure, in few lines."""

import errno
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from processes import environment

from firesteel.base.errors import FiresteelError
from firesteel.boards.run import KERNEL_PART, BoardFailure, BoardProcess, Failure, Rank

_KERNEL = [KERNEL_PART, "[    0.000583] evm: security.ima"]


def told(*lines: str) -> list[str]:
    failure = Failure("peer", "its job reported a failure", Rank.CAUSE, "\n".join(lines) + "\n")
    return str(BoardFailure(failure, "", Path("/logs"))).split("\n")


def test_a_short_job_is_told_whole_and_without_the_kernel() -> None:
    head, line, *job = told("the job ended with status 1; its last lines:", "no such key", *_KERNEL)
    assert head == "Node `peer` failed: its job reported a failure. All logs are in /logs."
    assert line == "--- from its job ---"
    assert job == ["the job ended with status 1; its last lines:", "no such key"]


def test_of_a_long_job_the_first_and_the_last_lines_are_told() -> None:
    job = ["the job ended with status 1; its last lines:", "timed out", *map(str, range(50))]
    shown = told(*job, *_KERNEL)[2:]
    assert shown == [*job[:2], "[32 more lines in its console]", *job[-18:]]


def lives(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def test_a_child_of_a_process_that_has_ended_is_killed(tmp_path: Path) -> None:
    child = tmp_path / "child"
    script = f"sleep 1000 & echo $! >{child}"
    with BoardProcess(["sh", "-c", script], tmp_path / "errors") as process:
        assert select.select([process], [], [], 20)[0]
        process.kill()
        assert process.status() == 0
    deadline = time.monotonic() + 10
    while lives(int(child.read_text())):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_process_that_cannot_be_watched_is_not_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[int] = []

    def refuse(pid: int) -> int:
        started.append(pid)
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    monkeypatch.setattr(os, "pidfd_open", refuse)
    with pytest.raises(FiresteelError, match=os.strerror(errno.EMFILE)):
        BoardProcess(["sleep", "1000"], tmp_path / "errors")
    assert not lives(started[0])


KILLED_AS_IT_STARTS_ONE = """
import os, signal, sys
from pathlib import Path
from firesteel.boards.run import BoardProcess
command = ["sh", "-c", f"touch {sys.argv[1]}/begun"]
process = BoardProcess(command, Path(sys.argv[1], "errors"))
os.write(1, str(process.pid).encode())
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_process_whose_lab_was_killed_as_it_started_does_not_begin(tmp_path: Path) -> None:
    lab = subprocess.run(
        [sys.executable, "-P", "-c", KILLED_AS_IT_STARTS_ONE, str(tmp_path)],
        stdout=subprocess.PIPE,
        env=environment(tmp_path),
        check=False,
    )
    assert lab.returncode == -signal.SIGKILL
    deadline = time.monotonic() + 10
    while lives(int(lab.stdout)):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    assert not (tmp_path / "begun").exists()
