# SPDX-License-Identifier: Apache-2.0
"""Which cells of a run are profiled, and which window of them."""

import pytest
from fake_runner import versions_of
from made_cells import with_plan, without
from made_up import record_of

from firesteel.base.errors import FiresteelError
from firesteel.model.cell import Cell
from firesteel.model.figure import Figure, Parameter
from firesteel.profiling.keep import choose_cells, choose_windows
from firesteel.run.experiment.experiment import load_experiment
from firesteel.store.record import Record
from firesteel.workloads.cells import cell_windows
from firesteel.workloads.transfer import TransferPlan
from firesteel.workloads.workload import rows

OPENVPN = load_experiment("openvpn").cells(True)
KERNEL = load_experiment("kernel-crypto").cells(True)


def labels(cells: list[Cell]) -> list[str]:
    return [cell.label for cell in cells]


@pytest.mark.parametrize("which", ["software", "hardware"])
def test_the_partner_comes_along_and_software_is_first(which: str) -> None:
    cells = choose_cells(OPENVPN, f"openvpn aes-256-cbc:sha256 {which}", [], alone=False)
    assert labels(cells) == [
        "openvpn aes-256-cbc:sha256 software",
        "openvpn aes-256-cbc:sha256 hardware",
    ]


def test_a_cell_alone_or_without_a_partner_is_one() -> None:
    label = "openvpn aes-256-cbc:sha256 hardware"
    assert labels(choose_cells(OPENVPN, label, [], alone=True)) == [label]
    assert labels(choose_cells(OPENVPN, "no tunnel software", [], alone=False)) == [
        "no tunnel software"
    ]


def test_a_completion_alone_brings_no_software() -> None:
    only = ["cipher=aes-256-cbc", "mac=none", "completion=poll"]
    cells = choose_cells(KERNEL, "", only, alone=True)
    assert {cell.completion for cell in cells} == {"poll"}


def test_a_cell_whose_implementation_is_not_told_is_the_one_in_software() -> None:
    assert labels(choose_cells(OPENVPN, "openvpn aes-256-cbc:none", [], alone=True)) == [
        "openvpn aes-256-cbc:none software"
    ]


def test_the_partner_of_software_has_the_usual_completion() -> None:
    cells = choose_cells(KERNEL, "crypto-api aes-256-cbc:none software", [], alone=False)
    assert [cell.completion for cell in cells] == [None, "adaptive"]


@pytest.mark.parametrize("label", ["openvpn rot13", ""])
def test_an_unknown_cell_is_told_with_those_there_are(label: str) -> None:
    with pytest.raises(FiresteelError, match=": no tunnel software; openvpn none:none"):
        choose_cells(OPENVPN, label, [], alone=False)


def test_of_several_seeds_the_first_is_taken() -> None:
    cells = load_experiment("openvpn").cells(True, seeds=3)[::-1]
    label = "openvpn aes-256-cbc:sha256 hardware"
    chosen = choose_cells(cells, label, [], alone=False)
    assert [cell.seed for cell in chosen] == [1, 1]
    assert [cell.implementation for cell in chosen] == ["software", "hardware"]


def record(cell: Cell, *figures: Figure) -> Record:
    return record_of(cell, versions_of(cell), figures)


def transferred(cell: Cell, size: int) -> list[Figure]:
    """What a record says of the files of a cell of which the last had `size` bytes."""
    first, *_ = cell.needed(TransferPlan).sizes
    return rows(
        cell,
        "file-transfer",
        Parameter(file_bytes=size),
        [("transferred", (size - first) / (1 << 20))],
    )


def test_the_main_transfer_is_the_one_that_figures_are_of() -> None:
    cell = next(cell for cell in load_experiment("ssh").cells(True) if cell.protocol == "ssh")
    several = TransferPlan(size=8 << 20, steady_from=1 << 20, steady_factor=2)
    one = TransferPlan(size=8 << 20)
    cell = with_plan(cell, several)
    found = cell_windows(cell, transferred(cell, 4 << 20))
    assert found[:4] == ("transfer-4194304", "transfer-2097152", "transfer-1048576", "greeting")
    assert "transfer-8388608" not in found
    cell = with_plan(cell, one)
    assert cell_windows(cell, [])[0] == "transfer"


def test_partners_are_profiled_while_they_fetch_the_same_file() -> None:
    plan = TransferPlan(size=8 << 20, steady_from=1 << 20, steady_factor=2)
    software, hardware, other = (
        with_plan(cell, plan)
        for label in ("cbc:none software", "cbc:none hardware", "gcm:gcm hardware")
        for cell in OPENVPN
        if cell.label == f"openvpn aes-256-{label}"
    )
    told = [
        record(software, *transferred(software, 8 << 20)),
        record(hardware, *transferred(hardware, 4 << 20)),
        record(other, *transferred(other, 2 << 20)),
    ]
    same = "transfer-4194304"
    assert choose_windows(told, None) == [same, same, "transfer-2097152"]
    assert choose_windows(told[:1], None) == ["transfer-8388608"]


def test_an_unknown_window_is_told_with_those_there_are() -> None:
    cell = without(OPENVPN[0], TransferPlan)
    with pytest.raises(FiresteelError, match="window `x`; .*: ping-16000, ping-8000"):
        choose_windows([record(cell)], "x")
