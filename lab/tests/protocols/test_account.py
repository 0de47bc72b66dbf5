# SPDX-License-Identifier: Apache-2.0
"""What driver and provider say of work that the cores did not do, and which cells it excuses."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from made_statistics import NEVER, statistics_file
from workloads import recorded_runs as recorded

from firesteel.board.result import NodeResult, TopologyRun
from firesteel.model.cell import Cell
from firesteel.protocols.offload import account_of
from firesteel.protocols.window import CellFailure
from firesteel.workloads.cells import cell_proof


def works(
    *, device: bytes = b"uio0", never: Sequence[str] = (), **counts: tuple[int, int]
) -> bytes:
    """A statistics file: of each kind of work how many requests were small, and how many failed;
    those of `never` were not offered.
    """
    each = [
        (name.encode(), 0, 0, small, 0, 0, 0, 0, failed, 0, 0)
        for name, (small, failed) in counts.items()
    ]
    each += [(name.encode(), 0, 0, 0, 0, 0, 0, 0, 0, 0, NEVER) for name in never]
    return statistics_file(each, device=device)


def requests(**paths: int) -> str:
    """A line for each path, with so many bytes."""
    return "".join(
        f"cbc-aes-firesteel {path.replace('_', '-')} {size // 1024} {size}\n"
        for path, size in paths.items()
    )


def told(
    run: TopologyRun, after: str = "", before: str = "", programs: tuple[bytes, bytes] = (b"", b"")
) -> TopologyRun:
    """The run with a stack that says so."""
    run = recorded.with_data(run, "driver.before", before.encode())
    run = recorded.with_data(run, "driver.after", after.encode())
    run = recorded.with_data(run, "programs.before", programs[0])
    return recorded.with_data(run, "programs.after", programs[1])


def node(
    after: str = "", before: str = "", programs: tuple[bytes, bytes] = (b"", b"")
) -> NodeResult:
    return told(recorded.run("ipsec"), after, before, programs).nodes["board"]


def hardware() -> Cell:
    return recorded.cell("ipsec").model_copy(update={"implementation": "hardware"})


def test_bytes_left_by_choice_are_those_of_the_measurement() -> None:
    before = requests(hardware=4096, software_small=2048, software_full=1024)
    after = requests(hardware=8192, software_small=6144, software_full=3072)
    assert account_of(node(after, before)).left == 4096 + 2048


def test_what_a_fault_or_a_shape_left_is_no_choice() -> None:
    after = requests(software_out_of_service=4096, software_shape=4096, failed=4096)
    assert account_of(node(after)).left == 0


def test_requests_of_all_programs_count_by_kind_of_work() -> None:
    before = works(cbc=(10, 1), rsa=(2, 0))
    after = works(cbc=(12, 1), rsa=(2, 0)) + works(gcm=(5, 0), hmac=(7, 3), cmac=(1, 1))
    account = account_of(node(programs=(before, after)))
    assert +account.small == {"cbc": 2, "gcm": 5, "hmac": 7, "cmac": 1}
    assert +account.other == {"hmac": 3, "cmac": 1}
    assert account.is_chosen(("cbc",))
    assert not account.is_chosen(("digest", "hmac")), "three failed"
    assert not account.is_chosen(("rsa",)), "nobody asked"


def test_what_a_program_was_not_offered_was_chosen_too() -> None:
    account = account_of(node(programs=(b"", works(never=("cbc",), gcm=(0, 0)))))
    assert account.is_chosen(("cbc",))
    assert not account.is_chosen(("gcm",))
    without = account_of(node(programs=(b"", works(device=b"", never=("cbc",)))))
    assert not without.is_chosen(("cbc",)), "it found no device"


def test_records_without_an_account_choose_nothing() -> None:
    empty = account_of(recorded.run("ipsec").nodes["board"])
    assert empty.left == 0
    assert not empty.is_chosen(("cbc", "rsa", "hmac"))


def test_half_an_account_is_a_failed_cell() -> None:
    run = recorded.with_data(recorded.run("ipsec"), "driver.after", b"")
    with pytest.raises(CellFailure, match="one of two accounts of its driver"):
        account_of(run.nodes["board"])


@pytest.mark.parametrize("damaged", [works(cbc=(1, 0))[:-1], b"x", works(cbc=(1, 0)) + b"x"])
def test_damaged_statistics_are_a_failed_cell(damaged: bytes) -> None:
    with pytest.raises(CellFailure, match="statistics: board is"):
        account_of(node(programs=(b"", damaged)))


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
    good = told(run, requests(software_small=left // 2, software_full=left - left // 2))
    assert cell_proof(hardware(), good)["cores.crypto0.aes_bytes"] == done
    short = told(run, requests(software_small=left // 2))
    with pytest.raises(CellFailure, match="the cores worked on"):
        cell_proof(hardware(), short)


def test_a_provider_may_leave_all_or_nothing_to_software() -> None:
    run = recorded.run("ipsec")
    by_choice = (b"", works(cbc=(100, 0)))
    assert cell_proof(hardware(), told(run, programs=by_choice))["cores.crypto0.aes_bytes"] == 0
    for not_so in (works(cbc=(100, 1)), works(hmac=(100, 0)), works(cbc=(0, 0))):
        with pytest.raises(CellFailure, match="did none"):
            cell_proof(hardware(), told(run, programs=(b"", not_so)))
    half = with_aes(run, carried() // 2)
    with pytest.raises(CellFailure, match="the cores worked on"):
        cell_proof(hardware(), told(half, programs=by_choice))


def test_a_suite_without_work_for_the_cores_chooses_nothing() -> None:
    cell = hardware().model_copy(update={"cipher": "none", "mac": "none"})
    run = told(recorded.run("ipsec"), programs=(b"", works(cbc=(100, 0))))
    with pytest.raises(CellFailure, match="no engine"):
        cell_proof(cell, run)


def test_completion_says_nothing_where_the_cores_had_no_work() -> None:
    cell = hardware().model_copy(update={"completion": "irq"})
    assert cell_proof(cell, told(recorded.run("ipsec"), programs=(b"", works(cbc=(100, 0)))))


def test_other_nodes_excuse_nobody() -> None:
    run = recorded.run("ipsec")
    excused = told(run, programs=(b"", works(cbc=(100, 0)))).nodes["board"].data
    peer = replace(run.nodes["peer"], data=run.nodes["peer"].data | excused)
    with pytest.raises(CellFailure, match="did none"):
        cell_proof(hardware(), replace(run, nodes=run.nodes | {"peer": peer}))
