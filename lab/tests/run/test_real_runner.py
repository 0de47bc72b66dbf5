# SPDX-License-Identifier: Apache-2.0
"""Cells on real machines: what is refused before anything is measured, and what records say."""

from pathlib import Path
from typing import Any

import pytest
from fake_machine import FakeMachine
from made_cells import made

from firesteel.base.errors import FiresteelError
from firesteel.boards.catalog import Catalog
from firesteel.model.affinity import Affinity
from firesteel.model.cell import Cell
from firesteel.run.board_runner import BoardRunner
from firesteel.run.real_runner import RealRunner
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
