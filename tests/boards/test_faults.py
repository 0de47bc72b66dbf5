# SPDX-License-Identifier: Apache-2.0
"""A run that goes wrong ends soon, says which node and why, and leaves no process."""

import os
import re
import select
import signal
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from bench import TIMEOUT, Bench, jobs, node_process, processes_of, two_hosts

from firesteel.boards.run import BoardFailure, BoardProcess, run_nodes, run_topology

WAIT_FOR_EVER = "sleep 1000000\n"


def failure_of(
    bench: Bench, directory: Path, board: str, peer: str = WAIT_FOR_EVER
) -> BoardFailure:
    """How a run with these scripts fails; nothing of it may be left."""
    topology = two_hosts()
    with pytest.raises(BoardFailure) as caught:
        run_topology(
            topology,
            jobs(topology, {"board": board, "peer": peer}, {}),
            boards=dict.fromkeys(topology.nodes, bench.boards),
            seed=1,
            workdir=directory,
            timeout=TIMEOUT,
        )
    assert processes_of(directory) == {}
    return caught.value


def test_a_killed_node_is_named_with_its_last_lines(bench: Bench, tmp_path: Path) -> None:
    said = "peer is at work"
    with ThreadPoolExecutor() as pool:
        at_work = f"echo {said} >/dev/ttyAMA0\n" + WAIT_FOR_EVER
        failing = pool.submit(failure_of, bench, tmp_path, WAIT_FOR_EVER, at_work)
        os.kill(node_process(tmp_path, "peer", "at work"), signal.SIGKILL)
        killed = time.monotonic()
        failure = failing.result()
    assert time.monotonic() - killed < 10
    assert failure.node == "peer"
    assert "SIGKILL" in failure.reason
    assert str(failure).endswith(f"\n{said}")


def test_a_node_ends_by_itself_when_another_dies(bench: Bench) -> None:
    commands, files = bench.prepare(two_hosts(), {"board": WAIT_FOR_EVER})
    with (
        BoardProcess(commands["board"], files["board"].errors) as board,
        BoardProcess(commands["peer"], files["peer"].errors) as peer,
    ):
        node_process(files["peer"].directory.parent, "peer", "CPU0")
        peer.kill()
        select.select([board], [], [], 20)
        assert board.status() == 1
    said = files["board"].errors.read_text()
    assert re.search(r"1 \(peer\) died", said)


def test_a_guest_that_panics(bench: Bench, tmp_path: Path) -> None:
    failure = failure_of(bench, tmp_path, "echo c >/proc/sysrq-trigger\n")
    assert failure.node == "board"
    assert failure.reason.endswith("panicked: sysrq triggered crash")


@pytest.mark.first
def test_a_job_that_fails_shows_its_log(bench: Bench, tmp_path: Path) -> None:
    failure = failure_of(bench, tmp_path, "echo no such tunnel; exit 3\n")
    assert failure.node == "board"
    assert "no such tunnel" in str(failure)
    assert "status 3" in str(failure)


def replacing(old: str, new: str) -> Callable[[str], str]:
    return lambda word: word.replace(old, new) if word.startswith("lockstep") else word


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (replacing("rate=100000000", "rate=10000000"), "rate"),
        (replacing("latency=20000", "latency=30000"), "latency"),
        (replacing("topology=", "topology=0"), "topology"),
        (replacing("nodes=2", "nodes=3"), "nodes"),
        (replacing("link=0", "link=1"), "link"),
        (
            replacing("start=", "start=1"),
            r"\((board|peer)\) starts at \d+ ns, node \d \((?!\1)(board|peer)\) at \d+ ns",
        ),
    ],
    ids=["rate", "latency", "digest", "nodes", "link", "start"],
)
def test_nodes_that_do_not_fit_refuse_each_other(
    bench: Bench, spoil: Callable[[str], str], reason: str
) -> None:
    commands, files = bench.prepare(two_hosts(), {})
    commands["peer"] = [spoil(word) for word in commands["peer"]]
    began = time.monotonic()
    with pytest.raises(BoardFailure) as caught:
        run_nodes(commands, files, timeout=TIMEOUT)
    assert time.monotonic() - began < 20
    assert caught.value.reason.startswith("lockstep: ")
    assert re.search(reason, caught.value.reason)
    assert processes_of(files["board"].directory.parent) == {}


def test_a_node_that_never_comes(bench: Bench) -> None:
    commands, files = bench.prepare(two_hosts(), {})
    alone = {"board": [word.replace("timeout=60", "timeout=1") for word in commands["board"]]}
    with pytest.raises(BoardFailure, match="node 1 .*not come"):
        run_nodes(alone, files, timeout=TIMEOUT)


def test_a_run_that_passes_its_time_limit(bench: Bench) -> None:
    commands, files = bench.prepare(two_hosts(), {"peer": WAIT_FOR_EVER})
    with pytest.raises(BoardFailure, match="limit of 2 s .*: board, peer"):
        run_nodes(commands, files, timeout=2)
    assert processes_of(files["board"].directory.parent) == {}
