# SPDX-License-Identifier: Apache-2.0
"""Jobs on real machines, with a stand-in for `ssh`: what it is told, and how failures are told."""

from pathlib import Path

import pytest
from fake_machine import FakeMachine, mark

from firesteel.base.errors import FiresteelError
from firesteel.boards.job import Job, JobFile
from firesteel.boards.over_ssh import OverSsh
from firesteel.boards.real import Address, RealProfile, real_profile
from firesteel.boards.result import TopologyRun
from firesteel.boards.run import BoardFailure
from firesteel.boards.topology import load_topology
from firesteel.store.setup import Setup

NAME = "ssh:root@board.lan:2222/eth1"
PEER = "ssh:[2001:db8::7]/lan0"


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeMachine:
    return FakeMachine(tmp_path, monkeypatch)


def run(directory: Path, **names: str) -> TopologyRun:
    topology = load_topology("host-host" if len(names) > 1 else "one-board")
    topology = topology.override(profiles=names)
    jobs = {node: Job({"/job/run": JobFile(b"true\n")}) for node in names}
    return OverSsh(lambda _: b"a program")(
        topology,
        jobs,
        boards={},
        seed=1,
        workdir=directory,
        timeout=30,
        profiles={node: real_profile(name) for node, name in names.items()},
    )


def test_a_job_goes_to_its_machine_and_its_log_comes_back(
    machine: FakeMachine, tmp_path: Path
) -> None:
    machine.runs([mark("job-begin", 1000), mark("", 5000, 3000)])
    result = run(tmp_path, board=NAME, peer=PEER)
    assert [each.name for each in result.nodes["board"].marks] == ["job-begin", "power-off"]
    assert result.nodes["peer"].console == "what the job said\n"
    assert machine.given["usr/bin/probe"] == 0o755
    assert {"job/run", "run/init"} <= set(machine.given)
    jobs = [call for call in machine.calls if " unshare --mount " in call]
    (board,) = (call for call in jobs if "board.lan" in call)
    (peer,) = (call for call in jobs if "2001:db8::7" in call)
    assert "-l root -p 2222 -- board.lan unshare" in board
    assert board.rstrip().endswith(" 30 eth1")
    assert "-- 2001:db8::7 unshare" in peer
    assert list(tmp_path.glob("run-*")) == []


@pytest.mark.parametrize(
    ("log", "status", "told"),
    [
        ([mark("job-begin", 1)], 255, "what ran its job over SSH ended with status 255, saying: "),
        ([mark("job-begin", 1)], 0, "ended without a power-off"),
        (["broken"], 0, "its probe log is damaged"),
    ],
)
def test_a_machine_that_fails_is_named_with_what_it_said(
    machine: FakeMachine, tmp_path: Path, log: list[str], status: int, told: str
) -> None:
    machine.runs(log, status)
    with pytest.raises(BoardFailure, match="Node `board` failed") as failure:
        run(tmp_path, board="ssh:root@board.lan")
    assert told in str(failure.value)
    assert "what the job said" in str(failure.value)


def test_a_setup_with_real_machines_is_read_as_it_was_written(machine: FakeMachine) -> None:
    machine.says("speed 1000", "firesteel installed")
    profile = real_profile(NAME)
    topology = load_topology("one-board").override(profiles={"board": NAME})
    setup = Setup(topology=topology, profiles={"board": profile})
    read = Setup.model_validate_json(setup.model_dump_json())
    assert read == setup
    assert isinstance(read.profiles["board"], RealProfile)
    assert profile.cores
    assert setup.in_short("board") == (
        "ssh:root@board.lan:2222/eth1: real machine: 4 × Cortex-X of 2,000 MHz, 3906 MiB, Linux "
        "6.12.1 #1 SMP, cores of the driver firesteel"
    )


@pytest.mark.parametrize(
    ("name", "allowed"),
    [
        ("ssh:", "a host, as"),
        ("ssh:-oProxyCommand=x", "a host, as"),
        ("ssh:root@board.lan:port", "a host, as"),
        ("ssh:board.lan/eth1,", "the name of a network interface"),
        ("ssh:board.lan/eth1 x", "the name of a network interface"),
    ],
)
def test_what_is_no_address_is_answered_with_what_is_allowed(name: str, allowed: str) -> None:
    with pytest.raises(FiresteelError, match=allowed):
        Address.of(name)


def test_a_machine_that_is_not_reached_is_named_with_the_command_to_try(
    machine: FakeMachine,
) -> None:
    (machine.directory / "facts").unlink()
    with pytest.raises(FiresteelError, match=r"cannot be reached: .*`ssh root@a true` must"):
        real_profile("ssh:root@a")
