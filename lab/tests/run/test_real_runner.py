# SPDX-License-Identifier: Apache-2.0
"""Cells on real machines: what is refused before anything is measured, and what records say; with
a stand-in for `ssh`: what it is told, and how failures are told.
"""

from pathlib import Path
from typing import Any

import pytest
from fake_machine import FakeMachine, mark
from made_cells import made

from firesteel.base.errors import FiresteelError
from firesteel.boards.catalog import Catalog
from firesteel.boards.job import Job, JobFile
from firesteel.boards.real import Address, RealProfile, real_profile
from firesteel.boards.result import TopologyRun
from firesteel.boards.run import BoardFailure
from firesteel.boards.topology import load_topology
from firesteel.model.cell import Affinity, Cell
from firesteel.run.board_runner import BoardRunner
from firesteel.run.real_runner import OverSsh, RealRunner
from firesteel.store.setup import Setup
from firesteel.workloads.openssl_speed import SpeedPlan
from firesteel.workloads.ping import PingPlan

BOARD, PEER = "ssh:root@board.lan", "ssh:root@peer.lan"
LINKED = {"board": f"{BOARD}/eth1", "peer": f"{PEER}/eth1"}


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeMachine:
    return FakeMachine(tmp_path, monkeypatch)


def speed(**changes: Any) -> Cell:
    usual = {"topology": "one-board", "profiles": {"board": BOARD}}
    plan = SpeedPlan(sizes=(64,), seconds=1)
    return made("openssl", "aes-256-cbc:none", plan, **(usual | changes))


def ping(**changes: Any) -> Cell:
    plan = PingPlan(sizes=(56,), count=(10,))
    return made("none", "none:none", plan, **({"profiles": LINKED} | changes))


def prepared(*cells: Cell) -> RealRunner:
    catalog = Catalog()
    for cell in cells:
        for board in cell.profiles.values():
            catalog.find_profile(board, Path())
    runner = RealRunner(catalog)
    runner.prepare(cells)
    return runner


def test_records_depend_on_what_the_machine_says_of_itself(machine: FakeMachine) -> None:
    one = prepared(speed()).inputs(speed())
    machine.says("package libssl3t64 3.5.2")
    other = prepared(speed())
    assert other.inputs(speed()).versions.image == one.versions.image  # Asked once in a run
    FakeMachine.forget()
    other = prepared(speed())
    assert other.packages() == {"libssl3t64": "3.5.2", "openssl": "3.5.1"}
    assert set(one.versions.differing(other.inputs(speed()).versions)) == {"boards", "image"}


def test_programs_are_asked_for_that_jobs_call(machine: FakeMachine) -> None:
    prepared(speed())
    assert machine.calls[-1].rstrip().endswith(" facts.sh openssl")


def test_links_have_the_rate_that_interfaces_say(machine: FakeMachine) -> None:
    machine.says("speed 2500")
    prepared(ping(link_rate_bit_s=2_500_000_000))
    with pytest.raises(FiresteelError, match=r"the link `wire` has 2.5 Gbit/s"):
        prepared(ping(link_rate_bit_s=1_000_000_000))


@pytest.mark.parametrize(
    ("cell", "facts", "told"),
    [
        (
            speed(),
            ["lacks the program openssl", "lacks root"],
            "it lacks the program openssl, root",
        ),
        (speed(), ["firesteel loaded"], "rmmod firesteel"),
        (speed(implementation="hardware"), ["firesteel installed"], "only virtual boards have"),
        (speed(implementation="hardware-kernel", completion="adaptive"), [], "no module firesteel"),
        (speed(affinity=Affinity(taskset="0")), [], "sets an affinity"),
        (ping(as_in_2015=("no-gro",)), ["speed 1000"], "uses `as_in_2015`"),
        (ping(profiles={**LINKED, "peer": "peer"}), ["speed 1000"], "node `peer` .* no address"),
        (ping(profiles={**LINKED, "peer": PEER}), ["speed 1000"], "0 interfaces .* 1 links"),
        (ping(), ["lacks a free interface: eth1 has an address"], "lacks a free interface"),
    ],
)
def test_what_a_machine_cannot_do_is_said_before_it_is_measured(
    machine: FakeMachine, cell: Cell, facts: list[str], told: str
) -> None:
    machine.says(*facts)
    with pytest.raises(FiresteelError, match=told):
        prepared(cell)
    assert not (machine.directory / "archive.tar").exists()


def test_nothing_else_measures_a_real_machine(machine: FakeMachine) -> None:
    assert machine.calls == []
    catalog = Catalog()
    catalog.find_profile(BOARD, Path())
    with pytest.raises(FiresteelError, match="only `firesteel run` measures"):
        BoardRunner(catalog).prepare([speed()])


NAME = "ssh:root@board.lan:2222/eth1"
OTHER = "ssh:[2001:db8::7]/lan0"


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
    result = run(tmp_path, board=NAME, peer=OTHER)
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
