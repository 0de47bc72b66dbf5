# SPDX-License-Identifier: Apache-2.0
"""What driver and provider say of work that the cores did not do, and which cells it excuses."""

from collections.abc import Sequence

import pytest
from made_statistics import NEVER, statistics_file
from workloads import recorded_runs as recorded

from firesteel.boards.result import TopologyRun
from firesteel.model.cell import Cell
from firesteel.protocols.offload import Account, account_of, cores_proof
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
    after: str = "", before: str = "", programs: tuple[bytes, bytes] = (b"", b""), aes: int = 0
) -> TopologyRun:
    """A run with a stack that says so, whose core did so many bytes."""
    run = recorded.run("ipsec")
    for when, driver, program in (("before", before, programs[0]), ("after", after, programs[1])):
        run = recorded.with_data(run, f"driver.{when}", driver.encode())
        run = recorded.with_data(run, f"programs.{when}", program)
    return recorded.with_core_counts(run, "board", "proof.after", {"aes_bytes": aes})


def account(after: str = "", before: str = "", *programs: bytes) -> Account:
    earlier, later = programs or (b"", b"")
    return account_of(told(after, before, (earlier, later)).nodes["board"])


def hardware(**more: object) -> Cell:
    return recorded.cell("ipsec", implementation="hardware", **more)


def test_bytes_left_by_choice_are_those_of_the_measurement() -> None:
    before = requests(hardware=4096, software_small=2048, software_full=1024)
    after = requests(hardware=8192, software_small=6144, software_full=3072)
    assert account(after, before).left == 4096 + 2048
    after = requests(software_out_of_service=4096, software_shape=4096, failed=4096)
    assert account(after).left == 0, "a fault or a shape is no choice"


def test_requests_of_all_programs_count_by_kind_of_work() -> None:
    before = works(cbc=(10, 1), rsa=(2, 0))
    after = works(cbc=(12, 1), rsa=(2, 0)) + works(gcm=(5, 0), hmac=(7, 3), cmac=(1, 1))
    found = account("", "", before, after)
    assert +found.small == {"cbc": 2, "gcm": 5, "hmac": 7, "cmac": 1}
    assert +found.other == {"hmac": 3, "cmac": 1}
    assert found.is_chosen(("cbc",))
    assert not found.is_chosen(("digest", "hmac")), "three failed"
    assert not found.is_chosen(("rsa",)), "nobody asked"
    found = account("", "", b"", works(never=("cbc",), gcm=(0, 0)))
    assert found.is_chosen(("cbc",)), "it was not offered"
    assert not found.is_chosen(("gcm",))
    without = account("", "", b"", works(device=b"", never=("cbc",)))
    assert not without.is_chosen(("cbc",)), "it found no device"
    empty = account_of(recorded.run("ipsec").nodes["board"])
    assert empty.left == 0
    assert not empty.is_chosen(("cbc", "rsa", "hmac"))


def test_half_or_damaged_accounts_are_a_failed_cell() -> None:
    run = recorded.with_data(recorded.run("ipsec"), "driver.after", b"")
    with pytest.raises(CellFailure, match="one of two accounts of its driver"):
        account_of(run.nodes["board"])
    for damaged in (works(cbc=(1, 0))[:-1], b"x", works(cbc=(1, 0)) + b"x"):
        with pytest.raises(CellFailure, match="statistics: board is"):
            account("", "", b"", damaged)


def carried() -> int:
    proof = cell_proof(recorded.cell("ipsec"), recorded.run("ipsec"))
    return proof["tunnel_rx_bytes"] + proof["tunnel_tx_bytes"]


@pytest.mark.parametrize("share", [0.0, 0.4])
def test_a_tunnel_that_the_driver_left_to_software_is_a_measurement(share: float) -> None:
    done = int(carried() * share)
    left = carried() - done
    good = told(requests(software_small=left // 2, software_full=left - left // 2), aes=done)
    assert cell_proof(hardware(), good)["cores.crypto0.aes_bytes"] == done
    with pytest.raises(CellFailure, match="the cores worked on"):
        cell_proof(hardware(), told(requests(software_small=left // 2), aes=done))


def aside(algorithm: str, *, aes: int = 0) -> TopologyRun:
    return told(requests() + f"{algorithm}-firesteel aside 0 0\n", aes=aes)


def test_a_driver_that_stepped_aside_excuses_idle_cores() -> None:
    suite = "authenc-hmac-sha256-cbc-aes"
    for cell in (hardware(), hardware(completion="irq")):
        assert cell_proof(cell, aside(suite))["cores.crypto0.aes_bytes"] == 0
    with pytest.raises(CellFailure, match="did none"):
        cell_proof(hardware(), aside("gcm-aes"))
    with pytest.raises(CellFailure, match="the cores worked on"):
        cell_proof(hardware(), aside(suite, aes=carried() // 2))
    gcm = hardware(cipher="aes-256-gcm", mac="gcm")
    assert cell_proof(gcm, aside("rfc4106-gcm-aes"))["cores.crypto0.aes_bytes"] == 0
    with pytest.raises(CellFailure, match="did none"):
        cores_proof(hardware(), aside(suite).nodes["board"], kernel=False)


def test_a_provider_may_leave_all_or_nothing_to_software() -> None:
    by_choice = (b"", works(cbc=(100, 0)))
    for cell in (hardware(), hardware(completion="irq")):
        assert cell_proof(cell, told(programs=by_choice))["cores.crypto0.aes_bytes"] == 0
    for not_so in (works(cbc=(100, 1)), works(hmac=(100, 0)), works(cbc=(0, 0))):
        with pytest.raises(CellFailure, match="did none"):
            cell_proof(hardware(), told(programs=(b"", not_so)))
    with pytest.raises(CellFailure, match="the cores worked on"):
        cell_proof(hardware(), told(programs=by_choice, aes=carried() // 2))
    with pytest.raises(CellFailure, match="no engine"):
        cell_proof(hardware(cipher="none", mac="none"), told(programs=by_choice))
    excused = told(programs=by_choice).nodes["board"].data
    run = recorded.run("ipsec")
    peer = recorded.with_node(run, "peer", data={**run.nodes["peer"].data, **excused})
    with pytest.raises(CellFailure, match="did none"):
        cell_proof(hardware(), peer)
