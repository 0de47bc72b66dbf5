# SPDX-License-Identifier: Apache-2.0
"""What the driver says of work that the cores did not do, and which cells it excuses."""

from dataclasses import replace

import pytest
from workloads import recorded_runs as recorded

from firesteel.board.result import NodeResult, TopologyRun
from firesteel.model.cell import Cell
from firesteel.protocols.account import account_of
from firesteel.protocols.failure import CellFailure
from firesteel.workloads.cells import cell_proof

CM = "a0000000.cryptomaster"
IDLE = f"{CM} cm opens 0 refused 0 stops 0 faults 0 interrupts 0\n"
OPEN = f"{CM} cm opens 3 refused 0 stops 0 faults 0 interrupts 7\n"
PK = (
    f"{CM} pk opens 2 joined 0 refused 0 slots 4\n"
    f"{CM} pk deaths 0 orphans 0 recoveries 0 faults 0\n"
)


def requests(**paths: int) -> str:
    """A line for each path, with so many bytes."""
    return "".join(
        f"cbc-aes-firesteel {path.replace('_', '-')} {size // 1024} {size}\n"
        for path, size in paths.items()
    )


def told(run: TopologyRun, after: str, before: str = IDLE) -> TopologyRun:
    """The run with a driver that says so."""
    run = recorded.with_data(run, "account.before", before.encode())
    return recorded.with_data(run, "account.after", after.encode())


def node(after: str, before: str = IDLE) -> NodeResult:
    return told(recorded.run("ipsec"), after, before).nodes["board"]


def hardware() -> Cell:
    return recorded.cell("ipsec").model_copy(update={"implementation": "hardware"})


def test_bytes_left_by_choice_are_those_of_the_measurement() -> None:
    before = requests(hardware=4096, software_small=2048, software_full=1024) + IDLE
    after = requests(hardware=8192, software_small=6144, software_full=3072) + IDLE
    assert account_of(node(after, before)).left == 4096 + 2048


def test_what_a_fault_or_a_shape_left_is_no_choice() -> None:
    after = requests(software_out_of_service=4096, software_shape=4096, failed=4096) + IDLE
    assert account_of(node(after)).left == 0


def test_a_core_counts_as_open_unless_there_was_trouble() -> None:
    assert account_of(node(IDLE)).opened == frozenset()
    assert account_of(node(OPEN + PK)).opened == {"cm", "pk"}
    assert account_of(node(OPEN.replace("faults 0", "faults 1") + PK)).opened == {"pk"}
    assert account_of(node(OPEN + PK.replace("refused 0", "refused 1"))).opened == {"cm"}
    assert account_of(node(OPEN + PK.replace("faults 0", "faults 1"))).opened == {"cm"}


def test_records_without_an_account_choose_nothing() -> None:
    empty = account_of(recorded.run("ipsec").nodes["board"])
    assert (empty.left, empty.opened) == (0, frozenset())


def test_half_an_account_is_a_failed_cell() -> None:
    run = recorded.with_data(recorded.run("ipsec"), "account.after", IDLE.encode())
    with pytest.raises(CellFailure, match="one of two accounts"):
        account_of(run.nodes["board"])


def carried() -> int:
    proof = cell_proof(recorded.cell("ipsec"), recorded.run("ipsec"))
    return proof["tunnel_rx_bytes"] + proof["tunnel_tx_bytes"]


def with_aes(run: TopologyRun, size: int) -> TopologyRun:
    return recorded.with_core_counts(run, "board", "proof.after", {"aes_bytes": size})


@pytest.mark.parametrize("share", [0.0, 0.4])
def test_a_tunnel_that_the_driver_left_to_software_is_a_measurement(share: float) -> None:
    whole, done = carried(), int(carried() * share)
    left = whole - done
    run = with_aes(recorded.run("ipsec"), done)
    good = told(run, requests(software_small=left // 2, software_full=left - left // 2) + IDLE)
    assert cell_proof(hardware(), good)["cores.crypto0.aes_bytes"] == done
    short = told(run, requests(software_small=left // 2) + IDLE)
    with pytest.raises(CellFailure, match="the cores worked on"):
        cell_proof(hardware(), short)


def test_a_library_that_had_the_cores_open_may_leave_all_or_nothing_to_software() -> None:
    run = recorded.run("ipsec")
    assert cell_proof(hardware(), told(run, OPEN))["cores.crypto0.aes_bytes"] == 0
    with pytest.raises(CellFailure, match="did none"):
        cell_proof(hardware(), told(run, IDLE + PK))
    half = with_aes(run, carried() // 2)
    with pytest.raises(CellFailure, match="the cores worked on"):
        cell_proof(hardware(), told(half, OPEN))


def test_completion_says_nothing_where_the_cores_had_no_work() -> None:
    cell = hardware().model_copy(update={"completion": "irq"})
    assert cell_proof(cell, told(recorded.run("ipsec"), OPEN))


def test_other_nodes_excuse_nobody() -> None:
    run = recorded.run("ipsec")
    peer = replace(
        run.nodes["peer"],
        data=run.nodes["peer"].data
        | {"account.before": IDLE.encode(), "account.after": OPEN.encode()},
    )
    with pytest.raises(CellFailure, match="did none"):
        cell_proof(hardware(), replace(run, nodes=run.nodes | {"peer": peer}))
